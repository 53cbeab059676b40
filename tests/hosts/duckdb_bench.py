#!/usr/bin/env python3
"""How fast votes with text ids are read by the table functions, and in how much memory,
beside what DuckDB itself takes for counting the distinct ids; and one fit of the same
votes as a group, which DuckDB's own list collects.

usage: duckdb_bench.py [VOTES]      10 million unless told, on each version
"""

import json
import subprocess
import sys
import threading
import time

COUNT = 'SELECT count(DISTINCT annotator), count(DISTINCT "left"), count(DISTINCT "right") FROM votes'
# One row of the table cannot be used: without `skip` all ends once the votes are read.
INGEST = "SELECT votes FROM me_hodgerank_summary('votes')"
FIT = INGEST.replace("'votes')", "'votes', t := 1, position_bias := false, on_bad_row := 'skip')")
GROUP = 'SELECT me_hodgerank_fit(annotator, "left", "right", choice) FROM votes'


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 / 1e6


def measure(run):
    """Seconds by the clock and of all cores, and the most memory above what there was before."""
    before, most, done = resident(), 0, threading.Event()

    def look():
        nonlocal most
        while not done.wait(0.01):
            most = max(most, resident())

    thread = threading.Thread(target=look)
    thread.start()
    start, start_cpu = time.perf_counter(), time.process_time()
    try:
        run()
    finally:
        seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        done.set()
        thread.join()
    return seconds, cpu, max(most, resident()) - before


def in_process(task):
    import duckdb

    c = duckdb.connect(config={"allow_unsigned_extensions": True})
    c.execute(f"LOAD '{task['extension']}'")
    c.execute("SET threads = 2")
    c.execute(
        "CREATE TABLE votes AS SELECT i AS id, 'annotator-' || (hash(i) % 20000) AS annotator, "
        "'item-' || (hash(i, 1) % 1000) AS \"left\", "
        "'item-' || CASE i WHEN 7 THEN hash(i, 1) % 1000 ELSE 1000 + hash(i, 2) % 1000 END AS \"right\", "
        f"(hash(i, 3) % 2)::INTEGER * 2 - 1 AS choice FROM range({task['votes']}) t(i)"
    )

    def ingest(sql):
        try:
            c.execute(sql).fetchall()
        except duckdb.Error as error:
            assert "1 row of" in str(error), error
        else:
            raise AssertionError("should have stopped")

    c.execute("SELECT count(*), max(annotator), max(\"left\"), max(\"right\") FROM votes").fetchall()
    runs = {"count distinct": lambda: c.execute(COUNT).fetchall(), "ingest": lambda: ingest(INGEST),
            "ingest and fit": lambda: c.execute(FIT).fetchall(), "ingest as a group": lambda: ingest(GROUP)}
    json.dump({name: measure(run) for name, run in runs.items()}, sys.stdout)


def main(votes=10_000_000):
    from duckdb_hosts import EXTENSION, VERSIONS, python

    for version in VERSIONS:
        # The order decides who gets memory that was used before: each in its own process.
        task = json.dumps({"extension": EXTENSION, "votes": int(votes)})
        done = subprocess.run([python(version), __file__, task], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        results = json.loads(done.stdout)
        print(f"DuckDB {version}, {int(votes):,} votes, 2 threads")
        for name, (seconds, cpu, memory) in results.items():
            ratio, cpu_ratio = seconds / results["count distinct"][0], cpu / results["count distinct"][1]
            print(f"  {name:17} {seconds:6.2f} s {ratio:5.2f} x   {cpu:6.2f} s of all cores {cpu_ratio:5.2f} x"
                  f"   {memory:6.0f} MB more")


if __name__ == "__main__":
    argument = sys.argv[1] if len(sys.argv) > 1 else ""
    if argument.startswith("{"):
        in_process(json.loads(argument))
    else:
        main(*sys.argv[1:])
