#!/usr/bin/env python3
"""The SHA-256 of files, as `sha256sum` prints them and `sha256sum -c` reads them.

usage: checksums.py FILE ..."""

import hashlib
import pathlib
import sys

for name in sys.argv[1:]:
    print(f"{hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest()}  {name}")
