#!/usr/bin/env python3
"""Builds the Python package: `pip install .` and `make wheel` both end up here.

usage: backend.py wheel FOLDER      of what `make dist python` has put together
       backend.py sdist FOLDER

A backend of PEP 517 around maturin. maturin compiles the native module and makes a wheel
of the package; the two extensions and their script are added to it here. The same sources
make the same file. An sdist is the sources; to install it takes Rust, make and a C compiler.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import archive

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
NAME = "me_hodgerank"
LIBRARY = f"{NAME}.dylib" if sys.platform == "darwin" else f"{NAME}.so"
# What the build reads, and what Cargo.toml names.
SOURCES = ["Cargo.toml", "Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "Makefile", "README.md", "pyproject.toml",
           "benches", "examples", "python", "sql", "src", "tests"]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Compiles all libraries, whatever lies in the target folder: it may be another version's."""
    check_platform()
    make = [os.environ.get("MAKE", "make"), "-C", str(ROOT), f"PYTHON={sys.executable}"]
    make += [f"MATURIN='{maturin()}'", "tools", "build-duckdb", "build-sqlite", "build-python", "dist"]
    try:
        subprocess.run(make, check=True, stdout=sys.stderr)
    except FileNotFoundError:
        sys.exit("make is missing; building me_hodgerank takes make, a C compiler and Rust (https://rustup.rs)")
    except subprocess.CalledProcessError:
        sys.exit("me_hodgerank could not be compiled; what is missing stands above")
    return write_wheel(wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([maturin(), "pep517", "write-dist-info", "--metadata-directory", folder],
                       check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        (about,) = pathlib.Path(folder).glob("*.dist-info")
        metadata = (about / "METADATA").read_bytes()
    base = about.name[: -len(".dist-info")]
    found = {f"{base}/{path.relative_to(ROOT).as_posix()}": path.read_bytes() for path in sources()}
    found[f"{base}/PKG-INFO"] = metadata
    file = f"{base}.tar.gz"
    archive.write(pathlib.Path(sdist_directory, file), found)
    return file


def write_wheel(folder):
    """The wheel that maturin made, with the extensions."""
    (built,) = (TARGET / "python").glob(f"{NAME}-*.whl")
    with zipfile.ZipFile(built) as wheel:
        files = {name: wheel.read(name) for name in sorted(wheel.namelist())}
    dist = ROOT / "dist"
    files[f"{NAME}/{NAME}.duckdb_extension"] = (dist / "duckdb" / f"{NAME}.duckdb_extension").read_bytes()
    files[f"{NAME}/{LIBRARY}"] = (dist / "sqlite" / LIBRARY).read_bytes()
    files[f"{NAME}/session.sql"] = (dist / "sql" / "session.sql").read_bytes()

    name, version, python, abi, _ = built.stem.split("-")
    tag = f"{python}-{abi}-{platform_tag(files.values())}"
    about = f"{name}-{version}.dist-info"
    described = re.sub(rb"(?m)^Tag: .*\n", b"", files[f"{about}/WHEEL"])
    files[f"{about}/WHEEL"] = described + f"Tag: {tag}\n".encode()
    record = f"{about}/RECORD"
    del files[record]
    lines = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()

    file = f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(folder, file), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            # A fixed date: the same sources make the same file.
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return file


def maturin():
    """pip puts the environment of a build on the path; make calls the Python beside it."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), os.path.dirname(sys.executable)])
    found = shutil.which("maturin", path=path)
    return found or sys.exit("maturin is missing: pip install maturin")


def check_platform():
    if sys.platform not in ("linux", "darwin"):
        sys.exit(f"me_hodgerank does not support {sys.platform} yet: it runs on Linux (glibc) and macOS")
    if sys.platform == "linux" and platform.libc_ver()[0] != "glibc":
        sys.exit("me_hodgerank does not support Linux without glibc (Alpine and others with musl) yet")


def platform_tag(libraries):
    """Where the libraries run. On Linux that is every machine whose C library has
    the symbols that they ask for."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        # What Rust compiles for unless told otherwise.
        default = "11.0" if machine == "arm64" else "10.12"
        return "macosx_{}_{}".format(os.environ.get("MACOSX_DEPLOYMENT_TARGET", default).replace(".", "_"), machine)
    asked = {int(minor) for library in libraries for minor in re.findall(rb"\0GLIBC_2\.(\d+)", library)}
    return f"manylinux_2_{max(asked)}_{machine}"


def sources():
    for name in SOURCES:
        path = ROOT / name
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            parts = file.relative_to(ROOT).parts
            if file.is_file() and not any(part in ("target", "__pycache__") or part.startswith(".") for part in parts):
                yield file


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main(kind, folder):
    for old in pathlib.Path(folder).glob(f"{NAME}-*.whl" if kind == "wheel" else f"{NAME}-*.tar.gz"):
        old.unlink()
    print(pathlib.Path(folder, {"wheel": write_wheel, "sdist": build_sdist}[kind](folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
