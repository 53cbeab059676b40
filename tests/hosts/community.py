#!/usr/bin/env python3
"""What the community repository shows and runs: hello_world of description.yml in a
DuckDB command line with a database file, and the tests in test/sql.

usage: community.py EXTENSION
"""

import os
import re
import subprocess
import sys
import tempfile

import duckdb_hosts
from sqllogic import ROOT, Score, run_file


class CommunityHost(duckdb_hosts.CliHost):
    """The tests there say `require me_hodgerank`, and are loaded with it."""

    name = "me_hodgerank"


def hello_world(extension):
    text = (ROOT / "description.yml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]
    assert re.search(rf"^  version: {re.escape(version)}$", text, re.M), f"description.yml is not about {version}"
    hello = re.search(r"^  hello_world: \|\n((?:    .*\n)+)", text, re.M)[1]
    load = f"LOAD '{extension}';\n"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [duckdb_hosts.cli(), "-unsigned", "-bail", "-init", os.devnull, "-csv", "hello.duckdb"],
            input=load + hello, cwd=folder, capture_output=True, text=True,
        )
    assert done.returncode == 0 and not done.stderr, done.stderr
    lines = done.stdout.splitlines()
    people = lines.index("annotator,verdict,evidence")
    ranks = [line.split(",")[0] for line in lines[1:people]]
    assert lines[0] == "rank,item,score" and ranks == ["1", "2", "3", "4", "5"], done.stdout
    assert any(",against the consensus," in line for line in lines[people:]), done.stdout
    print("hello_world works")


def main(extension):
    duckdb_hosts.EXTENSION = os.path.abspath(extension)
    hello_world(duckdb_hosts.EXTENSION)
    score = Score()
    for path in sorted((ROOT / "test" / "sql").glob("*.test")):
        run_file(path, CommunityHost(), score)
    assert score.passed + score.failed, "no tests in test/sql"
    score.close()


if __name__ == "__main__":
    main(sys.argv[1])
