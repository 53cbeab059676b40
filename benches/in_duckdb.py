"""What a user of DuckDB waits for. usage: in_duckdb.py EXTENSION CSV TASK

TASK is `fit` (the ranking), `annotators`, `bradley-terry`, or `hodgerank`, which is run beside a GROUP BY. Prints the
medians of seconds by the clock and of the ratios, and the most memory of the process in MB.
"""

import json
import resource
import statistics
import sys
import time

import duckdb

STATEMENTS = {
    # Another seed each time: fits of the same votes with the same options are remembered.
    "fit": "SELECT count(*) FROM me_hodgerank('votes', seed := {run})",
    "annotators": "SELECT count(*) FROM me_hodgerank_annotators('votes', seed := {run})",
    "hodgerank": "SELECT count(*) FROM me_hodgerank('votes', personal := false, position_bias := false, seed := {run})",
    "bradley-terry": "SELECT count(*) FROM me_hodgerank('votes', personal := false, position_bias := false, "
                     "loss := 'logistic', seed := {run})",
    "group": 'SELECT count(*) FROM (SELECT "left", "right", count(*), sum(choice) FROM votes GROUP BY ALL)',
}

extension, csv, task = sys.argv[1:]
c = duckdb.connect(config={"allow_unsigned_extensions": True})
c.execute(f"LOAD '{extension}'")
c.execute("SET threads = 2")
c.execute(f"CREATE TABLE votes AS SELECT annotator::INTEGER AS annotator, \"left\"::INTEGER AS \"left\", "
          f"\"right\"::INTEGER AS \"right\", choice::{'DOUBLE' if 'simulated.' in csv else 'TINYINT'} AS choice "
          f"FROM read_csv('{csv}')")


def seconds(statement, run):
    start = time.perf_counter()
    c.execute(STATEMENTS[statement].format(run=run)).fetchall()
    return time.perf_counter() - start


statements = ["group", "hodgerank"] if task == "hodgerank" else [task]
times, begin = [], time.monotonic()
# In turn, so that both are measured on the same machine.
while not times or (len(times) < 20 and time.monotonic() - begin < 15):
    times.append([seconds(statement, len(times)) for statement in statements])
found = {"seconds": statistics.median(each[-1] for each in times)}
if task == "hodgerank":
    found["group"] = statistics.median(each[0] for each in times)
    found["ratio"] = statistics.median(each[1] / each[0] for each in times)
found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(found))
