#!/usr/bin/env python3
"""Builds and runs examples/rust_duckdb, a Rust program that loads the extension, and
compares what it prints with the comment that ends it.

usage: rust_duckdb.py [--write]

Building DuckDB would take an hour, so the program is linked with the libduckdb of the
npm package @duckdb/node-bindings. Where that cannot be had, the test is skipped.
"""

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile

from duckdb_hosts import EXTENSION, target
from sqllogic import ROOT, Score

PACKAGE = ROOT / "examples" / "rust_duckdb"
SOURCE = PACKAGE / "src" / "main.rs"
# The version that the crate `duckdb` in the program's Cargo.toml is for.
DUCKDB = "1.5.6-r.1"
MARK = "\n// Prints:\n"


def libduckdb():
    """The folder with libduckdb, fetched once; or None and why not."""
    system = platform.system().lower()
    machine = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    name = f"@duckdb/node-bindings-{system}-{machine}@{DUCKDB}"
    folder = pathlib.Path(target()).resolve() / "libduckdb" / DUCKDB
    if not list(folder.glob("libduckdb.*")):
        if not shutil.which("npm"):
            return None, f"no npm to fetch {name} with"
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["npm", "pack", "--silent", name], cwd=folder, capture_output=True, text=True, timeout=600
        )
        if done.returncode != 0:
            return None, f"npm has no {name}: {done.stderr.strip()[:200]}"
        archive = folder / done.stdout.split()[-1]
        with tarfile.open(archive) as files:
            for member in files.getmembers():
                member.name = os.path.basename(member.name)
                if member.name.startswith("libduckdb."):
                    files.extract(member, folder)
        archive.unlink()
    return folder, None


def run(folder):
    """What the program prints, or how it failed."""
    build = {"DUCKDB_LIB_DIR": str(folder), "CARGO_TARGET_DIR": str(folder.parent / "build")}
    cargo = os.environ.get("CARGO", "cargo")
    subprocess.run([cargo, "build", "--quiet", "--locked"], cwd=PACKAGE, env=os.environ | build, check=True)
    program = folder.parent / "build" / "debug" / "rust_duckdb"
    paths = {name: str(folder) for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")}
    done = subprocess.run(
        [program, EXTENSION], env=os.environ | paths, capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0:
        return f"ended with {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


def main(write):
    score = Score()
    folder, why_not = libduckdb()
    if folder is None:
        score.skip("examples/rust_duckdb", why_not)
        score.close()
    printed = run(folder)
    source, _, comment = SOURCE.read_text(encoding="utf-8").partition(MARK)
    expected = "".join(line.removeprefix("// ") + "\n" for line in comment.splitlines())
    if write:
        lines = "".join(f"// {line}\n" for line in printed.splitlines())
        SOURCE.write_text(source.rstrip("\n") + "\n" + MARK + lines, encoding="utf-8")
    elif not printed or printed != expected:
        score.fail("examples/rust_duckdb", f"printed\n{printed}not\n{expected}")
    else:
        score.ok()
    score.close()


if __name__ == "__main__":
    main("--write" in sys.argv[1:])
