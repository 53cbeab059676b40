#!/usr/bin/env python3
"""Makes a DuckDB extension of a shared library: appends the footer that DuckDB
looks for.  usage: package.py LIBRARY EXTENSION VERSION [PLATFORM]"""

import os
import platform
import sys

ABI = "C_STRUCT"  # only the C API is used ...
API_VERSION = "v1.2.0"  # ... of this version or later


def host_platform():
    system = {"Linux": "linux", "Darwin": "osx", "Windows": "windows"}[platform.system()]
    machine = platform.machine().lower()
    return f"{system}_{'arm64' if machine in ('aarch64', 'arm64') else 'amd64'}"


def footer(version, platform_name):
    # A WebAssembly custom section, so that the same footer serves there too.
    name = b"duckdb_signature"
    section = b"\x00" + b"\x93\x04" + bytes([len(name)]) + name + b"\x80\x04"
    fields = ["", "", "", ABI, version, API_VERSION, platform_name, "4"]
    signature = bytes(256)  # unsigned
    return section + b"".join(f.encode().ljust(32, b"\0") for f in fields) + signature


def main(library, extension, version, platform_name=None):
    with open(library, "rb") as source:
        contents = source.read() + footer(version, platform_name or host_platform())
    os.makedirs(os.path.dirname(extension) or ".", exist_ok=True)
    with open(extension + ".new", "wb") as target:
        target.write(contents)
    os.replace(extension + ".new", extension)  # a running DuckDB keeps the old file


if __name__ == "__main__":
    main(*sys.argv[1:])
