#!/usr/bin/env python3
"""Each risky form of the aggregate in a process of its own, on each version of
DuckDB: none may crash, hang, leak or give a wrong number of votes.

usage: duckdb_crashes.py            all forms on all versions
       duckdb_crashes.py FORM       one form, in this process
"""

import subprocess
import sys
import threading

FIT = 'me_hodgerank_fit(annotator, "left", "right", choice)'
QUICK = 'me_hodgerank_fit(annotator, "left", "right", choice, {t: 1, position_bias: false})'
FRAME = "ORDER BY id ROWS BETWEEN 40 PRECEDING AND 40 FOLLOWING"


def votes_of(sql):
    """The numbers of votes that a query of models gives, and how often each."""

    def form(c):
        return f"SELECT m.summary.votes AS v, count(*) FROM ({sql}) GROUP BY v ORDER BY v"

    return form


# Name: the query, and its rows, or a query that gives them.
QUERIES = {
    "plain": (votes_of(f"SELECT {FIT} AS m FROM votes"), [(3000, 1)]),
    "order inside": (votes_of(f"SELECT {FIT[:-1]} ORDER BY choice, id) AS m FROM votes"), [(3000, 1)]),
    "order inside, by group": (
        votes_of(f"SELECT {FIT[:-1]} ORDER BY id DESC) AS m FROM votes GROUP BY task"),
        [(300, 10)],
    ),
    "order inside, tiny groups": (
        votes_of(f"SELECT {QUICK[:-1]} ORDER BY id) AS m, count(*) FROM votes GROUP BY id // 3"),
        [(3, 1000)],
    ),
    "order inside beside plain": (
        votes_of(f"SELECT {QUICK[:-1]} ORDER BY id) AS m, {QUICK} AS n FROM votes GROUP BY id // 2"),
        [(2, 1500)],
    ),
    "distinct": (
        votes_of(f"SELECT {FIT.replace('(', '(DISTINCT ')} AS m FROM (FROM votes UNION ALL FROM votes)"),
        'SELECT count(DISTINCT (annotator, "left", "right", choice)), 1 FROM votes',
    ),
    "over ()": (votes_of(f"SELECT {FIT} OVER () AS m FROM votes"), [(3000, 3000)]),
    "over (partition by)": (votes_of(f"SELECT {FIT} OVER (PARTITION BY task) AS m FROM votes"), [(300, 3000)]),
    "over (order by)": (
        votes_of(f"SELECT {QUICK} OVER (ORDER BY id // 300) AS m FROM votes"),
        [(300 * k, 300) for k in range(1, 11)],
    ),
    "running window": (
        votes_of(f"SELECT {QUICK} OVER (ROWS UNBOUNDED PRECEDING) AS m FROM (FROM votes LIMIT 200)"),
        [(k, 1) for k in range(1, 201)],
    ),
    "frame": (
        votes_of(f"SELECT {QUICK} OVER ({FRAME}) AS m FROM (FROM votes WHERE id < 300)"),
        [(k, 2) for k in range(41, 81)] + [(81, 220)],
    ),
    "frame, exclude": (
        votes_of(f"SELECT {QUICK} OVER ({FRAME} EXCLUDE CURRENT ROW) AS m FROM (FROM votes WHERE id < 300)"),
        [(k, 2) for k in range(40, 80)] + [(80, 220)],
    ),
    "frame, empty": (
        votes_of(f"SELECT {QUICK} OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS m "
                 "FROM (FROM votes WHERE id < 50)"),
        [(1, 1), (2, 1), (3, 47), (None, 1)],
    ),
    "window, distinct": (
        votes_of(f"SELECT {QUICK.replace('(', '(DISTINCT ', 1)} OVER (PARTITION BY task) AS m FROM votes WHERE task < 2"),
        'SELECT d, sum(n) FROM (SELECT count(DISTINCT (annotator, "left", "right", choice)) AS d, count(*) AS n '
        "FROM votes WHERE task < 2 GROUP BY task) GROUP BY d",
    ),
    "window, filter": (
        votes_of(f"SELECT {FIT} FILTER (task = 3) OVER () AS m FROM votes"), [(300, 3000)]),
    "rollup": (
        votes_of(f"SELECT {FIT} AS m FROM votes GROUP BY ROLLUP (task)"), [(300, 10), (3000, 1)]),
    "cube": (
        votes_of(f"SELECT {QUICK} AS m FROM votes GROUP BY CUBE (task, annotator % 2)"),
        None,
    ),
    "many groups": (
        votes_of(f"SELECT {QUICK} AS m FROM votes GROUP BY id // 5"), [(5, 600)]),
    "filter": (votes_of(f"SELECT {FIT} FILTER (task = 3) AS m FROM votes"), [(300, 1)]),
    "filter, nothing left": (
        votes_of(f"SELECT {FIT} FILTER (task = 99) AS m FROM votes GROUP BY task"), [(None, 10)]),
    "empty input": (votes_of(f"SELECT {FIT} AS m FROM votes WHERE false"), [(None, 1)]),
    "empty groups": (votes_of(f"SELECT {FIT} AS m FROM votes WHERE false GROUP BY task"), []),
    "correlated": (
        votes_of(f"SELECT (SELECT {FIT} FROM votes v WHERE v.task = t.x) AS m FROM range(12) t(x)"),
        [(300, 10), (None, 2)],
    ),
    "lateral": (
        votes_of(f"SELECT m FROM range(3) t(x), LATERAL (SELECT {FIT} AS m FROM votes v WHERE v.task = t.x)"),
        [(300, 3)],
    ),
    "union of fits": (votes_of(" UNION ALL ".join([f"SELECT {FIT} AS m FROM votes"] * 5)), [(3000, 5)]),
}

# Name: the query, and a part of its error.
ERRORS = {
    "null everywhere": (
        "SELECT me_hodgerank_fit(NULL, NULL, NULL, NULL) FROM votes", "none of the 3000 rows can be used"),
    "null columns": (
        "SELECT me_hodgerank_fit(NULL::BIGINT, NULL::VARCHAR, NULL::VARCHAR, NULL::DOUBLE) FROM votes",
        "none of the 3000 rows can be used"),
    "null options": (f"SELECT error({FIT[:-1]}, NULL::VARCHAR).summary.votes::VARCHAR) FROM votes", "3000"),
    "error in one of 100 groups": (
        'SELECT me_hodgerank_fit(annotator, "left", CASE WHEN id = 1234 THEN NULL ELSE "right" END, choice, '
        "{t: 1, position_bias: false}) FROM votes GROUP BY id % 100", "1 row of 30 cannot be used"),
    "error in a window": (
        'SELECT max(m.summary.votes) FROM (SELECT '
        'me_hodgerank_fit(annotator, "left", NULL::BIGINT, choice) OVER (PARTITION BY task) AS m FROM votes)',
        "none of the 300 rows can be used"),
    "bad options": (f"SELECT {FIT[:-1]}, '{{') FROM votes", "the options are not valid JSON"),
    "bad options in an order": (f"SELECT {FIT[:-1]}, '[1]' ORDER BY id) FROM votes", "must be a JSON object"),
    "out of time": (
        f"SELECT {FIT[:-1]}, {{kappa: 20000, max_seconds: 0.1}}) FROM votes", "stopped after max_seconds"),
    "wrong number": ("SELECT me_hodgerank_fit(annotator) FROM votes", "takes four to seven arguments, not 1"),
    "no arguments": ("SELECT me_hodgerank_fit() FROM votes", "takes four to seven arguments, not 0"),
}


def interrupt(c):
    """Stopped while it reads: an error soon, and the connection goes on."""
    import duckdb

    threading.Timer(0.3, c.interrupt).start()
    try:
        c.execute('SELECT me_hodgerank_fit(a, a % 9, (a + 1) % 9, 1) FROM range(1000000000) t(a)').fetchall()
    except duckdb.InterruptException:
        return check_rows(c, *QUERIES["plain"])
    except RuntimeError as error:  # how 1.4 says it
        assert "nterrupt" in str(error), error
        return check_rows(c, *QUERIES["plain"])
    raise AssertionError("not interrupted")


def ten_connections(c):
    """Ten at once on one database, each with groups of its own."""
    failures = []

    def work(index):
        try:
            own = c.cursor()
            sql = f"SELECT {QUICK}.summary.votes FROM votes WHERE id % 10 = {index} GROUP BY task ORDER BY 1"
            for _ in range(5):
                assert own.execute(sql).fetchall() == [(300,)], index
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(10)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures, failures


def leaks(c):
    """Failed and finished fits leave nothing behind."""
    c.execute("CREATE TABLE more AS SELECT votes.* FROM votes, range(100)")
    bad_row = 'me_hodgerank_fit(annotator, "left", CASE WHEN id = 1234 THEN NULL ELSE "right" END, choice, '
    bad_row += "{t: 1, position_bias: false})"
    forms = [
        f"SELECT {QUICK} FROM more",
        f"SELECT {QUICK}, error('x') FROM more",
        f"SELECT {bad_row} FROM more GROUP BY id % 1000",
        f"SELECT {QUICK[:-2]}, kappa: id - 2999}}) FROM more",
        f"SELECT max(m.summary.votes) FROM (SELECT {bad_row} OVER (PARTITION BY task) AS m FROM more)",
    ]

    def run_all():
        for sql in forms:
            try:
                c.execute(sql).fetchall()
            except Exception:
                pass
        return memory()

    # What allocators keep for threads comes and goes: the least of four rounds counts.
    rounds = [run_all() for _ in range(48)]
    before, after = min(rounds[8:12]), min(rounds[44:])
    # 36 rounds of 300,000 votes of 13 bytes: one form that loses its states would lose 140 MB.
    assert after - before < 90, f"grew by {after - before:.1f} MB"


def memory():
    """Resident memory in MB."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 / 1e6


def check_rows(c, form, expected):
    rows = c.execute(form(c)).fetchall()
    if isinstance(expected, str):
        expected = c.execute(expected).fetchall()
    if expected is not None:
        key = lambda row: (row[0] is None, row[0] or 0)
        assert sorted(rows, key=key) == sorted(expected, key=key), rows


def check_error(c, sql, text):
    try:
        rows = c.execute(sql).fetchall()
    except Exception as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"should have failed, gave {rows}")
    check_rows(c, *QUERIES["plain"])  # and the connection goes on


OTHERS = {"interrupt": interrupt, "ten connections": ten_connections, "leaks": leaks}


def run_form(name, extension):
    import duckdb

    c = duckdb.connect(config={"allow_unsigned_extensions": True})
    c.execute(f"LOAD '{extension}'")
    c.execute(
        "CREATE TABLE votes AS SELECT *, row_number() OVER () - 1 AS id, (row_number() OVER () - 1) % 10 AS task "
        "FROM me_hodgerank_simulate(annotators := 100, votes_each := 30, items := 6, seed := 9)"
    )
    c.execute("SET threads = 4")
    if name in QUERIES:
        check_rows(c, *QUERIES[name])
    elif name in ERRORS:
        check_error(c, *ERRORS[name])
    else:
        OTHERS[name](c)
    print("fine")


def main():
    from duckdb_hosts import EXTENSION, VERSIONS, python
    from sqllogic import Score

    score = Score()
    for version in VERSIONS:
        for name in [*QUERIES, *ERRORS, *OTHERS]:
            where = f"{name} on DuckDB {version}"
            command = [python(version), __file__, name, EXTENSION]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                score.fail(where, "hangs")
                continue
            if done.returncode == 0 and done.stdout == "fine\n":
                score.ok()
            else:
                score.fail(where, f"ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    score.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_form(*sys.argv[1:])
    else:
        main()
