#!/usr/bin/env python3
"""A hundred million votes from a Parquet file. usage: large.py [VOTES ANNOTATORS ITEMS [DEPTH]]

Makes the file in a temporary directory and prints a row for each task: seconds by the
clock, seconds of processor time and the most memory of the process. DEPTH is how far the
path runs, in units of the time at which the first effect enters: 4 unless told.
"""

import json
import resource
import sys
import tempfile
import time

from run import DUCKDB, EXTENSION, measure

# Honest annotators see scores through noise; of 20, two click at random and one always left.
MAKE = """
COPY (
    WITH drawn AS (
        SELECT (i % {annotators})::INTEGER AS annotator,
               (hash(i) % {items})::INTEGER AS "left",
               (hash(i + 1000000007) % ({items} - 1))::INTEGER AS step,
               (hash(i + 2000000011) % 1000000) / 1e6 AS noise
        FROM range({votes}) AS numbers(i)),
    shown AS (
        SELECT annotator, "left", (("left" + 1 + step) % {items})::INTEGER AS "right", noise FROM drawn),
    scored AS (
        SELECT *, ((hash("left" + 77) % 1000000) / 1e6 - (hash("right" + 77) % 1000000) / 1e6) AS better FROM shown)
    SELECT annotator, "left", "right", CASE
        WHEN annotator % 20 = 2 THEN 1
        WHEN noise < CASE WHEN annotator % 20 < 2 THEN 0.5 ELSE 1 / (1 + exp(-3 * better)) END THEN 1
        ELSE -1 END::TINYINT AS choice
    FROM scored
) TO '{file}' (FORMAT parquet)
"""

TASKS = {
    "GROUP BY": 'SELECT count(*) FROM (SELECT "left", "right", count(*), sum(choice) FROM votes GROUP BY ALL)',
    "HodgeRank alone": "SELECT count(*) FROM me_hodgerank('votes', personal := false, position_bias := false)",
    "path": "SELECT count(*) FROM me_hodgerank('votes', t := {t})",
}


def connect():
    import duckdb
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    connection.execute("SET threads = 2; SET memory_limit = '3GB'; SET preserve_insertion_order = false")
    return connection


def make(file, votes, annotators, items):
    connect().execute(MAKE.format(file=file, votes=votes, annotators=annotators, items=items))


def task(file, sql):
    connection = connect()
    connection.execute(f"LOAD '{EXTENSION}'")
    connection.execute(f"CREATE VIEW votes AS SELECT * FROM read_parquet('{file}')")
    start = time.perf_counter()
    connection.execute(sql).fetchall()
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"seconds": seconds, "cores": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024}))


def main(votes=100_000_000, annotators=100_000, items=10_000, depth=4):
    print("| votes | annotators | items | task | seconds | of processors | memory |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/votes.parquet"
        measure([DUCKDB, __file__, "make", file, votes, annotators, items], limit=3600)
        # Those who always click left enter first, when t·N_u/m is about 1.
        t = depth * annotators
        for name, sql in TASKS.items():
            found, memory = measure([DUCKDB, __file__, "task", file, sql.format(t=t)], limit=4 * 3600)
            cells = ([f"{found['seconds']:.1f}", f"{found['cores']:.1f}", f"{memory:,.0f} MB"]
                     if isinstance(found, dict) else [found, "", ""])
            print("|", " | ".join([f"{votes:,}", f"{annotators:,}", f"{items:,}", name, *cells]), "|", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", file, *sizes]:
            make(file, *sizes)
        case ["task", file, sql]:
            task(file, sql)
        case numbers:
            main(*(int(number) for number in numbers))
