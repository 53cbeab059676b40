#!/usr/bin/env python3
"""Runs tests/sql/*.test on every host.

usage: run.py [duckdb | sqlite] [FILE ...]

A further kind of host is one more entry in HOSTS: see sqllogic.py for what a
host has to do.
"""

import pathlib
import sys

import duckdb_hosts
import sqlite_hosts
from sqllogic import ROOT, Score, run_file, side_by_side

HOSTS = {"duckdb": duckdb_hosts.all_hosts, "sqlite": sqlite_hosts.all_hosts}


def main(arguments):
    kinds = [word for word in arguments if word in HOSTS] or list(HOSTS)
    files = [pathlib.Path(word).resolve() for word in arguments if word not in HOSTS]
    score = Score()
    hosts = [host for kind in kinds for host in HOSTS[kind](score)]
    paths = files or sorted((ROOT / "tests" / "sql").glob("*.test"))
    side_by_side(lambda one: run_file(*one, score), [(path, host) for host in hosts for path in paths])
    score.close()


if __name__ == "__main__":
    main(sys.argv[1:])
