"""The Python package, from the wheel and from the sources; what crates.io, sqlpkg and the
workflows get. Checks for product.py."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import duckdb_hosts
import sqlite_hosts
from sqllogic import ROOT

DIST = ROOT / "dist"
PROGRAMS = ROOT / "tests" / "python"
VENV = ROOT / ".venv" / "package" / "bin"
BUILD = ROOT / ".venv" / "build"
CARGO = os.environ.get("CARGO", "cargo")
LIBRARY = "me_hodgerank.dylib" if sys.platform == "darwin" else "me_hodgerank.so"
VERSION = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]
# The sources are compiled once more, as fast as can be. Only what they use is kept in between.
QUICK = {
    "CARGO_TARGET_DIR": str(sqlite_hosts.TARGET / "sdist"),
    "CARGO_NET_OFFLINE": "true",
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
}


class Missing(Exception):
    """A host that is expected, and why it is not there."""


def run(command, stderr=subprocess.STDOUT, **more):
    done = subprocess.run(
        command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, timeout=900, **more
    )
    said = done.stdout + (done.stderr or "")
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {said[-3000:]}"
    return done.stdout


def program(python, name, **environment):
    """Runs a program of tests/python in a folder of its own; what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python), str(PROGRAMS / name)]
        return run(command, stderr=subprocess.PIPE, cwd=folder, env={**os.environ, **environment}).strip()


def new_venv(folder):
    run([sys.executable, "-m", "venv", os.path.join(folder, "venv")])
    return os.path.join(folder, "venv", "bin", "python")


def borrowed(*names):
    """The packages of other environments, the first first: nothing is fetched."""
    folders = [str(path) for name in names for path in (ROOT / ".venv" / name).glob("lib/python*/site-packages")]
    return os.pathsep.join(folders)


def wheel():
    (path,) = DIST.glob("me_hodgerank-*.whl")
    assert re.search(r"-cp39-abi3-(manylinux|macosx)_\d+_\d+_\w+\.whl$", path.name), path.name
    with tempfile.TemporaryDirectory(prefix="clean environment ") as folder:
        python = new_venv(folder)
        run([python, "-m", "pip", "install", "--quiet", "--no-compile", "--no-index", str(path)])
        for name in ["alone.py", "fit_alone.py", "fit_stopped.py"]:
            assert program(python, name) == "fine"
        for version in duckdb_hosts.VERSIONS:
            assert program(python, "installed.py", PYTHONPATH=borrowed(f"duckdb-{version}", "sqlite")) == "fine"
            assert program(python, "fit_frames.py", PYTHONPATH=borrowed(f"duckdb-{version}", "recipes")) == "fine"
            assert program(python, "fit_models.py", PYTHONPATH=borrowed(f"duckdb-{version}", "sqlite")) == "fine"
        assert program(python, "fit_errors.py", PYTHONPATH=borrowed("recipes")) == "fine"
        run([python, "-m", "pip", "check"])
        run([python, "-m", "pip", "uninstall", "--yes", "--quiet", "me_hodgerank"])


def oldest_frames():
    """The oldest pandas, polars and pyarrow that the package is for."""
    if not list((ROOT / ".venv" / "frames").glob("lib/python*/site-packages/pandas")):
        raise Missing("frames", "this Python is too new for the oldest libraries of frames")
    with tempfile.TemporaryDirectory() as folder:
        python = new_venv(folder)
        (path,) = DIST.glob("me_hodgerank-*.whl")
        run([python, "-m", "pip", "install", "--quiet", "--no-compile", "--no-index", str(path)])
        assert program(python, "fit_frames.py", PYTHONPATH=borrowed("frames")) == "fine"


def same_bytes():
    """The same sources make the same wheel and sdist."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        for kind in ["wheel", "sdist"]:
            for folder in [first, second]:
                run([str(BUILD / "bin" / "python"), str(ROOT / "python" / "backend.py"), kind, folder])
        files = [{file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()} for folder in [first, second]]
        assert len(files[0]) == 2 and files[0] == files[1], [list(found) for found in files]


def sdist():
    """pip compiles it, and what comes out works."""
    with tempfile.TemporaryDirectory() as folder:
        python = new_venv(folder)
        file = str(DIST / f"me_hodgerank-{VERSION}.tar.gz")
        pip = [python, "-m", "pip", "install", "--no-cache-dir", "--no-index", "--find-links", str(BUILD / "wheels")]
        run([*pip, file], env={**os.environ, **QUICK}, cwd=folder)
        for name in ["alone.py", "fit_alone.py"]:
            assert program(python, name) == "fine"
        assert program(python, "installed.py", PYTHONPATH=borrowed("duckdb-1.5.6", "sqlite")) == "fine"


def sdist_says_what_is_missing():
    """Without Rust, and on systems for which there is nothing."""
    backend = f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import backend\n"
    for code, says in [
        ("sys.platform = 'win32'", "does not support win32 yet"),
        ("backend.platform.libc_ver = lambda: ('', '')\nsys.platform = 'linux'", "does not support Linux without glibc"),
        ("backend.os.environ['MAKE'] = 'no-such-make'", "make is missing"),
        ("backend.os.environ['CARGO'] = 'no-such-cargo'", "no-such-cargo is missing: install Rust"),
    ]:
        code = f"{backend}{code}\nbackend.build_wheel('.')"
        done = subprocess.run([str(BUILD / "bin" / "python"), "-c", code], text=True, capture_output=True, cwd=tempfile.gettempdir())
        assert done.returncode != 0 and says in done.stderr + done.stdout, f"{says}: {done.stderr[-1000:]}"


def types():
    strict = [str(VENV / "mypy"), "--strict", "--cache-dir", os.devnull]
    run([*strict, str(ROOT / "python" / "me_hodgerank")])
    with tempfile.TemporaryDirectory() as folder:  # the installed package, not the sources
        run([*strict, str(PROGRAMS / "typed.py")], cwd=folder)


def docstrings():
    assert program(VENV / "python", "docstrings.py") == "fine"


def progress_bar():
    assert program(VENV / "python", "fit_bar.py") == "fine"


def show():
    for version in duckdb_hosts.VERSIONS:
        said = program(VENV / "python", "shown.py", PYTHONPATH=borrowed(f"duckdb-{version}"))
        assert said.startswith("fine"), said
        need_sqlite(said == "fine, in SQLite too")


def datasette():
    code = "from datasette.utils.sqlite import sqlite3; print(hasattr(sqlite3.Connection, 'enable_load_extension'))"
    need_sqlite(run([VENV / "python", "-c", code]).strip() == "True")
    assert program(VENV / "python", "in_datasette.py") == "fine"


def need_sqlite(there):
    if not there:
        raise Missing("pysqlite3", f"no pysqlite3 in {VENV}, and its sqlite3 loads no extensions")


def sqlpkg():
    """It names what SQLite gets, and files that a release has."""
    spec = json.loads((ROOT / "sqlpkg.json").read_text(encoding="utf-8"))
    assert spec["version"] == VERSION, spec["version"]
    code = (
        "import apsw; con = apsw.Connection(':memory:'); con.enable_load_extension(True)\n"
        f"con.load_extension({sqlite_hosts.EXTENSION!r})\n"
        "print(*sorted({row[0] for pragma in ['function', 'module'] for row in con.cursor().execute(\n"
        "    f\"SELECT name FROM pragma_{pragma}_list WHERE name LIKE 'me\\\\_%' ESCAPE '\\\\'\")}))"
    )
    there = run([ROOT / ".venv" / "sqlite" / "bin" / "python", "-c", code]).split()
    assert spec["symbols"] == there, set(spec["symbols"]) ^ set(there)
    offered = {name.replace("{version}", VERSION) for name in spec["assets"]["files"].values()}
    (file,) = (file for file in (DIST / "release").iterdir() if file.name in offered)
    with tarfile.open(file) as archive:
        assert archive.getnames()[0] == LIBRARY, archive.getnames()


def crate():
    """What crates.io would get: all that compiles, and nothing of the other packages."""
    listed = run([CARGO, "package", "--list", "--allow-dirty", "--offline"], cwd=ROOT).split()
    tops = {name.split("/")[0] for name in listed}
    assert {"src", "sql", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.lock"} <= tops, tops
    assert not tops & {"python", "test", "dist", ".github", "pyproject.toml", "sqlpkg.json", "description.yml"}, tops


def workflows():
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert [file.name for file in files] == ["ci.yml", "release.yml"], files
    run([str(VENV / "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *map(str, files)])


CHECKS = [
    wheel, oldest_frames, same_bytes, sdist, sdist_says_what_is_missing, types, docstrings, progress_bar, show, datasette,
    sqlpkg, crate, workflows,
]
