#!/usr/bin/env python3
"""The files that a release offers for this platform, in DIST/release: each extension with
its scripts and licences, the wheel and the sdist.

usage: release_files.py VERSION DIST
"""

import pathlib
import platform
import shutil
import sys

import archive

# As sqlpkg and Go call them.
SYSTEMS = {"linux": "linux", "darwin": "darwin"}
MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def main(version, dist):
    dist = pathlib.Path(dist)
    release = dist / "release"
    shutil.rmtree(release, ignore_errors=True)
    release.mkdir()
    here = f"{SYSTEMS[sys.platform]}-{MACHINES[platform.machine()]}"
    licences = [dist / "LICENSE-MIT", dist / "LICENSE-APACHE"]
    for host, files in {
        "duckdb": [*dist.glob("duckdb/*"), *sorted(dist.glob("sql/*")), *licences],
        "sqlite": [*dist.glob("sqlite/*"), *licences],
    }.items():
        name = f"me_hodgerank-{version}-{host}-{here}.tar.gz"
        archive.write(release / name, {file.name: file.read_bytes() for file in files})
    for file in [*dist.glob(f"me_hodgerank-{version}-*.whl"), dist / f"me_hodgerank-{version}.tar.gz"]:
        shutil.copy(file, release)
    for file in sorted(release.iterdir()):
        print(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
