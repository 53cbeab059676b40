#!/usr/bin/env python3
"""Builds the Python package: `pip install .` and `make wheel` both end up here.

usage: backend.py wheel FOLDER      of what `make dist` has put together
       backend.py sdist FOLDER

A backend of PEP 517. A wheel is a zip file with a few files about itself: writing it
takes no build tools and no network, and the same sources make the same file. An sdist
is the sources; to install it takes Rust, make and a C compiler.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

import archive

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    try:
        import tomli as tomllib
    except ModuleNotFoundError:
        from pip._vendor import tomli as tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NAME = "me_hodgerank"
LIBRARY = f"{NAME}.dylib" if sys.platform == "darwin" else f"{NAME}.so"
# What the build reads, and what Cargo.toml names.
SOURCES = ["Cargo.toml", "Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "Makefile", "README.md", "pyproject.toml",
           "benches", "examples", "python", "sql", "src", "tests"]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Compiles both extensions, whatever lies in the target folder: it may be another version's."""
    check_platform()
    make = [os.environ.get("MAKE", "make"), "-C", str(ROOT), f"PYTHON={sys.executable}"]
    make += ["tools", "build-duckdb", "build-sqlite", "dist"]
    try:
        subprocess.run(make, check=True, stdout=sys.stderr)
    except FileNotFoundError:
        sys.exit("make is missing; building me_hodgerank takes make, a C compiler and Rust (https://rustup.rs)")
    except subprocess.CalledProcessError:
        sys.exit("me_hodgerank could not be compiled; what is missing stands above")
    return write_wheel(wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{cargo('version')}"
    found = {f"{base}/{path.relative_to(ROOT).as_posix()}": path.read_bytes() for path in sources()}
    found[f"{base}/PKG-INFO"] = metadata().encode()
    file = f"{base}.tar.gz"
    archive.write(pathlib.Path(sdist_directory, file), found)
    return file


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory, about())
    for name, data in about_files("any").items():
        file = folder.parent / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder.name


def write_wheel(folder):
    dist = ROOT / "dist"
    libraries = {
        f"{NAME}/{NAME}.duckdb_extension": (dist / "duckdb" / f"{NAME}.duckdb_extension").read_bytes(),
        f"{NAME}/{LIBRARY}": (dist / "sqlite" / LIBRARY).read_bytes(),
    }
    tag = platform_tag(libraries.values())
    modules = sorted((HERE / NAME).glob("*.py")) + [HERE / NAME / "py.typed"]
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in modules}
    files.update(libraries)
    files[f"{NAME}/session.sql"] = (dist / "sql" / "session.sql").read_bytes()
    files.update(about_files(tag))
    record = f"{about()}/RECORD"
    lines = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()

    name = f"{NAME}-{cargo('version')}-py3-none-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            # A fixed date: the same sources make the same file.
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


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


def cargo(key):
    """A line of Cargo.toml: version and description are written there, once."""
    return read_toml("Cargo.toml")["package"][key]


def read_toml(name):
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def about():
    return f"{NAME}-{cargo('version')}.dist-info"


def about_files(tag):
    project = read_toml("pyproject.toml")["project"]
    files = {
        "METADATA": metadata(),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n",
        "entry_points.txt": "".join(
            f"[{group}]\n" + "".join(f"{name} = {module}\n" for name, module in entries.items())
            for group, entries in project["entry-points"].items()
        ),
        **{f"licenses/{name}": (ROOT / name).read_text(encoding="utf-8") for name in project["license-files"]},
    }
    return {f"{about()}/{name}": text.encode() for name, text in files.items()}


def metadata():
    project = read_toml("pyproject.toml")["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {cargo('version')}",
        f"Summary: {cargo('description')}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in project["license-files"]),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        *(f"Project-URL: {label}, {url}" for label, url in project["urls"].items()),
        f"Requires-Python: {project['requires-python']}",
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement in requirements]
    readme = (ROOT / project["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main(kind, folder):
    for old in pathlib.Path(folder).glob(f"{NAME}-*.whl" if kind == "wheel" else f"{NAME}-*.tar.gz"):
        old.unlink()
    print(pathlib.Path(folder, {"wheel": write_wheel, "sdist": build_sdist}[kind](folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
