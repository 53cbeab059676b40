#!/usr/bin/env python3
"""The same bits from SQL as from the engine, from 1 thread as from 8, from a
shuffled table as from the original: on each version of DuckDB.

usage: duckdb_identity.py                 all of it
       duckdb_identity.py JSON            what one process is asked for
"""

import csv
import json
import os
import re
import subprocess
import sys

SETS = ["ranking", "annotators", "personal", "path", "cv", "summary", "cycles", "triangles"]
FILES = ["age.csv", "iqa_ref1.csv", "college.csv"]
# Enough for DuckDB to use several threads, and a short path: what is read is what matters.
VOTES = "me_hodgerank_simulate(annotators := 2000, votes_each := 300, items := 20, seed := 6)"
FIT = 'me_hodgerank_fit(annotator, "left", "right", choice, {grid_points: 5, grid_span: 3, folds: 2})'


REAL = re.compile(r"-?\d+(\.\d+|(\.\d+)?e-?\d+)")


def function(name):
    return "me_hodgerank" + ("" if name == "ranking" else f"_{name}")


def shown(value):
    """As the engine's example prints it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return value.hex()
    return str(value)


def in_process(task):
    """Runs in one DuckDB: a file's sets, or the made-up votes with some threads in some order."""
    import duckdb

    c = duckdb.connect(config={"allow_unsigned_extensions": True})
    c.execute(f"LOAD '{task['extension']}'")
    if "file" in task:
        sets = {}
        for name in SETS:
            rows = c.execute(f"FROM {function(name)}('{task['file']}', choice := 'y')").fetchall()
            sets[name] = [[shown(value) for value in row] for row in rows]
        json.dump(sets, sys.stdout)
        return
    c.execute(f"SET threads = {task['threads']}")
    c.execute(f"CREATE TABLE votes AS SELECT * FROM {VOTES} ORDER BY {task['order']}")
    print(c.execute(f"SELECT md5({FIT}::VARCHAR) FROM votes").fetchone()[0])


def ask(version, **task):
    from duckdb_hosts import EXTENSION, python

    task["extension"] = EXTENSION
    command = [python(version), __file__, json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-1500:])
    return done.stdout


def engine(path):
    """The engine's own rows of each set: printed by examples/fit_csv.rs, which fits once."""
    from duckdb_hosts import target

    program = os.path.join(target(), "debug", "examples", "fit_csv")
    done = subprocess.run([program, path, ",".join(SETS), '{"choice": "y"}'], capture_output=True, text=True, check=True)
    tables = [csv.reader(text.splitlines()[1:]) for text in done.stdout.split("\n\n")]
    return {name: [[number(value) for value in row] for row in rows] for name, rows in zip(SETS, tables, strict=True)}


def number(text):
    """A real as its bits; all else as it is."""
    return float(text).hex() if REAL.fullmatch(text) else text


def check_file(versions, path, score):
    expected = engine(path)
    for version in versions:
        sets = json.loads(ask(version, file=path))
        for name in SETS:
            if sets[name] == expected[name]:
                score.ok()
            else:
                score.fail(f"{name} of {os.path.basename(path)} on DuckDB {version}", "differs from the engine's own")


def main():
    from duckdb_hosts import VERSIONS
    from sqllogic import DATA, Score, side_by_side

    score = Score()
    for file in FILES:
        path = str(DATA / file)
        if os.path.exists(path):
            check_file(VERSIONS, path, score)
        else:
            [score.skip(f"{file} on DuckDB {version}", f"not at {DATA}") for version in VERSIONS]
    tasks = [(1, "ALL"), (8, "ALL"), (1, 'hash("left", annotator)'), (8, "random()")]
    asked = [(version, *task) for version in VERSIONS for task in tasks]
    told = side_by_side(lambda one: ask(one[0], threads=one[1], order=one[2]), asked)
    prints = dict(zip(asked, told))
    if len(set(prints.values())) == 1:
        [score.ok() for _ in prints]
    else:
        score.fail("threads and order", prints)
    score.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        in_process(json.loads(sys.argv[1]))
    else:
        main()
