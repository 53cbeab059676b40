#!/usr/bin/env python3
"""Runs the programs tests/python/ray_*.py, each with a Ray cluster of its own on this machine."""

import package
from sqllogic import ROOT, Score

PYTHON = ROOT / ".venv" / "ray" / "bin" / "python"
PROGRAMS = ["ray_fit.py", "ray_lost.py", "ray_memory.py", "ray_errors.py"]

score = Score()
for name in PROGRAMS:
    try:
        said = package.program(PYTHON, name)
        assert said.splitlines()[-1:] == ["fine"], said  # after what Ray says of processes that died
        score.ok()
    except AssertionError as error:
        score.fail(name, str(error))
score.close()
