"""What a user of DuckDB waits for. usage: in_duckdb.py EXTENSION CSV TASK

TASK is `fit`, `hodgerank` or `group`. Prints seconds by the clock, the best of some
runs, and the most memory of the process in MB.
"""

import json
import resource
import sys
import time

import duckdb

STATEMENTS = {
    # Another seed each time: fits of the same votes with the same options are remembered.
    "fit": "SELECT count(*) FROM me_hodgerank('votes', seed := {run})",
    "hodgerank": "SELECT count(*) FROM me_hodgerank('votes', personal := false, position_bias := false, seed := {run})",
    "group": 'SELECT count(*) FROM (SELECT "left", "right", count(*), sum(choice) FROM votes GROUP BY ALL)',
}

extension, csv, task = sys.argv[1:]
c = duckdb.connect(config={"allow_unsigned_extensions": True})
c.execute(f"LOAD '{extension}'")
c.execute("SET threads = 2")
c.execute(f"CREATE TABLE votes AS SELECT annotator::INTEGER AS annotator, \"left\"::INTEGER AS \"left\", "
          f"\"right\"::INTEGER AS \"right\", choice::{'DOUBLE' if 'simulated' in csv else 'TINYINT'} AS choice "
          f"FROM read_csv('{csv}')")
best, begin, run = float("inf"), time.monotonic(), 0
while run < 1 or (run < 20 and time.monotonic() - begin < 10):
    start = time.perf_counter()
    c.execute(STATEMENTS[task].format(run=run)).fetchall()
    best, run = min(best, time.perf_counter() - start), run + 1
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": best, "memory": memory}))
