#!/usr/bin/env python3
"""Makes the Python package of what `make dist` has put together. A wheel is a zip
file with three files about itself; writing it takes no build tools and no network.

usage: wheel.py VERSION DIST
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
METADATA = """\
Metadata-Version: 2.1
Name: me_hodgerank
Version: {version}
Summary: {summary}
License: MIT OR Apache-2.0
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """\
Wheel-Version: 1.0
Generator: me_hodgerank
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def platform_tag(libraries):
    """Where the libraries run. On Linux that is every machine whose C library has
    the symbols that they ask for."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        # What Rust compiles for unless told otherwise.
        default = "11.0" if machine == "arm64" else "10.12"
        return "macosx_{}_{}".format(os.environ.get("MACOSX_DEPLOYMENT_TARGET", default).replace(".", "_"), machine)
    if sys.platform != "linux":
        sys.exit(f"no wheel for {sys.platform} yet")
    asked = {int(minor) for library in libraries for minor in re.findall(rb"\0GLIBC_2\.(\d+)", library)}
    if not asked:
        return f"musllinux_1_2_{machine}"
    return f"manylinux_2_{max(asked)}_{machine}"


def summary():
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    return re.search(r'^description = "(.*)"$', manifest, re.M)[1]


def main(version, dist):
    dist = pathlib.Path(dist)
    duckdb = (dist / "duckdb" / "me_hodgerank.duckdb_extension").read_bytes()
    sqlite = (dist / "sqlite" / "me_hodgerank.so").read_bytes()
    tag = platform_tag([duckdb, sqlite])
    about = f"me_hodgerank-{version}.dist-info"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    files = {
        "me_hodgerank/__init__.py": (HERE / "me_hodgerank" / "__init__.py").read_bytes(),
        "me_hodgerank/me_hodgerank.duckdb_extension": duckdb,
        "me_hodgerank/me_hodgerank.so": sqlite,
        "me_hodgerank/session.sql": (dist / "sql" / "session.sql").read_bytes(),
        f"{about}/METADATA": METADATA.format(version=version, summary=summary(), readme=readme).encode(),
        f"{about}/WHEEL": WHEEL.format(platform=tag).encode(),
        f"{about}/LICENSE-MIT": (ROOT / "LICENSE-MIT").read_bytes(),
        f"{about}/LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_bytes(),
    }
    record = f"{about}/RECORD"
    lines = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()

    for old in dist.glob("me_hodgerank-*.whl"):
        old.unlink()
    path = dist / f"me_hodgerank-{version}-py3-none-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            # A fixed date: the same sources make the same file.
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    print(path)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main(*sys.argv[1:])
