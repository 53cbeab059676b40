#!/usr/bin/env python3
"""Puts the extension where `LOAD me_hodgerank` looks for it, or takes it away.

usage: duckdb_folder.py install EXTENSION
       duckdb_folder.py uninstall

DuckDB keeps extensions apart by its own version: ~/.duckdb/extensions/v1.5.6/linux_amd64.
The same file goes into the folder of every version that has one, and into that of
the `duckdb` on the PATH. What DuckDB's own INSTALL writes is taken away too.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

NAME = "me_hodgerank.duckdb_extension"
FOLDER = pathlib.Path.home() / ".duckdb" / "extensions"


def suits(version):
    """From 1.4 on."""
    numbers = re.fullmatch(r"v(\d+)\.(\d+)\.\d+", version)
    return bool(numbers) and (int(numbers[1]), int(numbers[2])) >= (1, 4)


def platform_of(extension):
    """As the file says: the second of the eight fields in its footer, which are written backwards."""
    with open(extension, "rb") as file:
        file.seek(-512, os.SEEK_END)
        fields = file.read(256)
    return fields[6 * 32 : 7 * 32].rstrip(b"\0").decode()


def on_the_path():
    """The version of the duckdb on the PATH, if there is one."""
    program = shutil.which("duckdb")
    if not program:
        return []
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    return re.findall(r"v\d+\.\d+\.\d+", done.stdout)[:1]


def install(extension):
    versions = {folder.name for folder in FOLDER.glob("v*")} | set(on_the_path())
    places = [FOLDER / version / platform_of(extension) for version in sorted(filter(suits, versions))]
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(extension, place / (NAME + ".new"))
        os.replace(place / (NAME + ".new"), place / NAME)  # a running DuckDB keeps the old file
        (place / (NAME + ".info")).unlink(missing_ok=True)  # what INSTALL knew of the old file
        print(f"LOAD me_hodgerank; works in DuckDB {place.parent.name} ({place})")
    if not places:
        print("no DuckDB found yet; in each that you get, once: "
              f"INSTALL '{extension}'; and from then on LOAD me_hodgerank;")


def uninstall():
    for file in sorted(FOLDER.glob(f"v*/*/{NAME}*")):
        file.unlink()
        print(f"removed {file}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["install"]:
        install(sys.argv[2])
    elif sys.argv[1:] == ["uninstall"]:
        uninstall()
    else:
        sys.exit(__doc__)
