#!/usr/bin/env python3
"""Makes a DuckDB extension of a shared library: appends the footer that DuckDB
looks for.  usage: package.py LIBRARY EXTENSION VERSION [PLATFORM]"""

import os
import platform
import sys

ABI = "C_STRUCT"  # only the C API is used ...
API_VERSION = "v1.2.0"  # ... of this version or later


SYSTEMS = {"Linux": "linux", "Darwin": "osx", "Windows": "windows"}
MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def host_platform():
    """DuckDB's name of this machine. DuckDB refuses an extension for another one."""
    system, machine = platform.system(), platform.machine()
    if system not in SYSTEMS or machine.lower() not in MACHINES:
        sys.exit(
            f"DuckDB's name of this platform ({system}, {machine}) is not known here: ask your DuckDB with "
            "PRAGMA platform, and pass what it says as the last argument of package.py"
        )
    return f"{SYSTEMS[system]}_{MACHINES[machine.lower()]}"


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
