#!/usr/bin/env python3
"""Each risky form of the aggregate in a process of its own, on each version of
DuckDB: none may crash, hang, leak or give a wrong number of votes.

usage: duckdb_crashes.py            all forms on all versions
       duckdb_crashes.py FORM       one form, in this process
"""

import sys
import threading

FIT = 'me_hodgerank_fit(annotator, "left", "right", choice)'
SHORT = "{t: 1, position_bias: false}"
QUICK = f'me_hodgerank_fit(annotator, "left", "right", choice, {SHORT})'
COLLECT = 'me_hodgerank_collect(annotator, "left", "right", choice)'
FRAME = "ORDER BY id ROWS BETWEEN 40 PRECEDING AND 40 FOLLOWING"
VOTE = '{annotator: annotator, "left": "left", "right": "right", choice: choice}'


def grouped(inside="", after="", distinct=""):
    """The fit of a list that is written out, as an aggregate."""
    return (f'me_hodgerank_fit_list(list({distinct} {VOTE} {inside}) {after}, any_value(annotator), '
            f'any_value("left"), {SHORT})')


def over(window, distinct="", after=""):
    """The same as a window function."""
    return f'me_hodgerank_fit_list(list({distinct} {VOTE}) {after} OVER ({window}), annotator, "left", {SHORT})'


def votes_of(sql):
    """The numbers of votes that a query of models gives, and how often each."""

    def form(c):
        return f"SELECT m.summary.votes AS v, count(*) FROM ({sql}) GROUP BY v ORDER BY v"

    return form


# Name: the query, and its rows, or a query that gives them.
QUERIES = {
    "plain": (votes_of(f"SELECT {FIT} AS m FROM votes"), [(3000, 1)]),
    "order inside": (votes_of(f"SELECT {grouped('ORDER BY choice, id')} AS m FROM votes"), [(3000, 1)]),
    "order inside, by group": (
        votes_of(f"SELECT {grouped('ORDER BY id DESC')} AS m FROM votes GROUP BY task"),
        [(300, 10)],
    ),
    "order inside, tiny groups": (
        votes_of(f"SELECT {grouped('ORDER BY id')} AS m, count(*) FROM votes GROUP BY id // 3"),
        [(3, 1000)],
    ),
    "order inside beside plain": (
        votes_of(f"SELECT {grouped('ORDER BY id')} AS m, {QUICK} AS n FROM votes GROUP BY id // 2"),
        [(2, 1500)],
    ),
    "distinct": (
        votes_of(f"SELECT {grouped(distinct='DISTINCT')} AS m FROM (FROM votes UNION ALL FROM votes)"),
        'SELECT count(DISTINCT (annotator, "left", "right", choice)), 1 FROM votes',
    ),
    "over ()": (votes_of(f"SELECT {over('')} AS m FROM votes"), [(3000, 3000)]),
    "over (partition by)": (votes_of(f"SELECT {over('PARTITION BY task')} AS m FROM votes"), [(300, 3000)]),
    "over (order by)": (
        votes_of(f"SELECT {over('ORDER BY id // 300')} AS m FROM votes"),
        [(300 * k, 300) for k in range(1, 11)],
    ),
    "running window": (
        votes_of(f"SELECT {over('ROWS UNBOUNDED PRECEDING')} AS m FROM (FROM votes LIMIT 200)"),
        [(k, 1) for k in range(1, 201)],
    ),
    "frame": (
        votes_of(f"SELECT {over(FRAME)} AS m FROM (FROM votes WHERE id < 300)"),
        [(k, 2) for k in range(41, 81)] + [(81, 220)],
    ),
    "frame, exclude": (
        votes_of(f"SELECT {over(FRAME + ' EXCLUDE CURRENT ROW')} AS m FROM (FROM votes WHERE id < 300)"),
        [(k, 2) for k in range(40, 80)] + [(80, 220)],
    ),
    "frame, empty": (
        votes_of(f"SELECT {over('ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING')} AS m "
                 "FROM (FROM votes WHERE id < 50)"),
        [(1, 1), (2, 1), (3, 47), (None, 1)],
    ),
    "window, distinct": (
        votes_of(f"SELECT {over('PARTITION BY task', distinct='DISTINCT')} AS m FROM votes WHERE task < 2"),
        'SELECT d, sum(n) FROM (SELECT count(DISTINCT (annotator, "left", "right", choice)) AS d, count(*) AS n '
        "FROM votes WHERE task < 2 GROUP BY task) GROUP BY d",
    ),
    "window, filter": (
        votes_of(f"SELECT {over('', after='FILTER (task = 3)')} AS m FROM votes"), [(300, 3000)]),
    "rollup": (
        votes_of(f"SELECT {FIT} AS m FROM votes GROUP BY ROLLUP (task)"), [(300, 10), (3000, 1)]),
    "cube": (
        votes_of(f"SELECT {QUICK} AS m FROM votes GROUP BY CUBE (task, annotator % 2)"),
        None,
    ),
    "small groups": (
        votes_of(f"SELECT {QUICK} AS m FROM votes GROUP BY id // 5"), [(5, 600)]),
    "filter": (votes_of(f"SELECT {grouped(after='FILTER (task = 3)')} AS m FROM votes"), [(300, 1)]),
    "filter, nothing left": (
        votes_of(f"SELECT {grouped(after='FILTER (task = 99)')} AS m FROM votes GROUP BY task"), [(None, 10)]),
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
    # How many rows share a state, from one to more than a vector.
    **{
        f"frames of {rows}": (
            votes_of(f"SELECT {over(f'ORDER BY id ROWS BETWEEN {rows - 1} PRECEDING AND CURRENT ROW')} AS m "
                     "FROM votes QUALIFY id >= 10"),
            [(rows, 2990)],
        )
        for rows in (1, 2, 3)
    },
    **{
        f"partitions of {rows}": (
            votes_of(f"SELECT m FROM (SELECT id, {over(f'PARTITION BY id // {rows}')} AS m "
                     f"FROM (SELECT v.* EXCLUDE (id), row_number() OVER () - 1 AS id FROM votes v, range(5)) "
                     f"WHERE id < {3 * rows}) WHERE id % {rows} < 2"),
            [(rows, 6)],
        )
        for rows in (2050, 2051, 4098)
    },
    "two windows side by side": (
        votes_of("SELECT unnest([a, b]) AS m FROM (SELECT "
                 f"{over('PARTITION BY id // 2 ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING')} AS a, "
                 f"{over('PARTITION BY id // 2')} AS b FROM votes)"),
        [(2, 6000)],
    ),
    "three fits side by side": (
        votes_of(f"SELECT unnest([{grouped('ORDER BY id')}, {grouped('ORDER BY choice')}, {QUICK}]) AS m "
                 "FROM votes GROUP BY id // 3"),
        [(3, 3000)],
    ),
    # States: of groups of any size, merged and fitted by group, in a list and in windows.
    "states": (
        votes_of(f"SELECT me_hodgerank_fit(state, {SHORT}) AS m FROM (SELECT task, {COLLECT} AS state FROM votes "
                 "GROUP BY task, id // 7) GROUP BY task"),
        [(300, 10)],
    ),
    "states, tiny groups": (
        votes_of(f"SELECT me_hodgerank_fit(state, {SHORT}) AS m FROM (SELECT id, {COLLECT} AS state FROM votes "
                 "GROUP BY id) GROUP BY id // 3"),
        [(3, 1000)],
    ),
    "states, order and filter inside": (
        votes_of(f"SELECT me_hodgerank_fit_list(list(state ORDER BY id DESC) FILTER (id % 2 = 0), 1, 1, {SHORT}) AS m "
                 f"FROM (SELECT id // 3 AS id, {COLLECT} AS state FROM votes GROUP BY ALL) GROUP BY id // 4"),
        [(6, 250)],
    ),
    "states, frame": (
        votes_of(f"SELECT me_hodgerank_fit_list(list(state) OVER ({FRAME}), 1, 1, {SHORT}) AS m "
                 f"FROM (SELECT id, {COLLECT} AS state FROM votes WHERE id < 300 GROUP BY id)"),
        [(k, 2) for k in range(41, 81)] + [(81, 220)],
    ),
    "states, merged over ()": (
        votes_of(f"SELECT me_hodgerank_fit_list([me_hodgerank_merge_list(list(state) OVER ())], 1, 1, {SHORT}) AS m "
                 f"FROM (SELECT {COLLECT} AS state FROM votes GROUP BY id)"),
        [(3000, 3000)],
    ),
    "states, rollup": (
        votes_of(f"SELECT me_hodgerank_fit(state, {SHORT}) AS m FROM (SELECT task, {COLLECT} AS state FROM votes "
                 "GROUP BY task, id // 7) GROUP BY ROLLUP (task)"),
        [(300, 10), (3000, 1)],
    ),
    "states, nothing": (
        votes_of(f"SELECT me_hodgerank_fit(state) AS m FROM (SELECT {COLLECT} AS state FROM votes WHERE false)"), [(None, 1)]),
    "union of fits": (votes_of(" UNION ALL ".join([f"SELECT {FIT} AS m FROM votes"] * 5)), [(3000, 5)]),
}

# Name: the query, and a part of its error.
ERRORS = {
    "a state that is none": (
        "SELECT me_hodgerank_merge(state) FROM (SELECT 'MEVOTES'::BLOB AS state FROM votes)", "this is not a state of votes"),
    "a state that is cut off": (
        f"SELECT me_hodgerank_model(state[:40]) FROM (SELECT {COLLECT} AS state FROM votes GROUP BY id)", "damaged or cut off"),
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
        'me_hodgerank_fit_list(list({annotator: annotator, "left": "left", "right": NULL::BIGINT, choice: choice}) '
        'OVER (PARTITION BY task), annotator, "left") AS m FROM votes)',
        "none of the 300 rows can be used"),
    "bad options": (f"SELECT {FIT[:-1]}, '{{') FROM votes", "the options are not valid JSON"),
    "bad options in an order": (
        f"""SELECT {grouped('ORDER BY id').replace(SHORT, "'[1]'")} FROM votes""", "options are a JSON object"),
    "out of time": (
        f"SELECT {FIT[:-1]}, {{kappa: 20000, max_seconds: 0.1}}) FROM votes", "stopped after max_seconds"),
    "wrong number": ('SELECT me_hodgerank_fit(annotator, "left", "right") FROM votes', "does not support the supplied arguments"),
    "no state": ("SELECT me_hodgerank_fit(annotator) FROM votes", "or a state, a BLOB that me_hodgerank_collect made"),
    "no arguments": ("SELECT me_hodgerank_fit() FROM votes", "does not support the supplied arguments"),
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


def ordered_groups(c):
    """A thousand groups with an order of their own, on eight threads, again and again."""
    c.execute("SET threads = 8")
    for _ in range(10):
        check_rows(c, votes_of(f"SELECT {grouped('ORDER BY id')} AS m FROM votes WHERE id < 2000 GROUP BY id // 2"),
                   [(2, 1000)])


def many_groups(c):
    """A hundred thousand groups in two connections at once, in little memory."""
    c.execute("SET memory_limit = '400MB'")
    c.execute("SET threads = 2")
    c.execute("CREATE TABLE more AS SELECT v.* EXCLUDE (id), row_number() OVER () - 1 AS id FROM votes v, range(100)")
    options = "{result: 'ranking', personal: false, position_bias: false}"
    fit = f'me_hodgerank_fit(annotator, "left", "right", choice, {options})'
    failures = []

    def work(offset):
        try:
            sql = (f"SELECT list_sum(list_transform({fit}.ranking, lambda r: r.votes)) AS sides, count(*) OVER () "
                   f"FROM more GROUP BY (id + {offset}) % 100000")
            groups = c.cursor().execute(f"SELECT sides, count(*) FROM ({sql}) GROUP BY sides").fetchall()
            assert groups == [(6, 100000)], groups
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(offset,)) for offset in (0, 1)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures, failures


def run_and_fail(c, sql):
    try:
        c.execute(sql).fetchall()
    except Exception:
        pass


def close_early(c, sql):
    cursor = c.cursor()
    cursor.execute(sql)
    cursor.fetchone()
    cursor.close()


def stop_early(c, sql):
    timer = threading.Timer(0.05, c.interrupt)
    timer.start()
    run_and_fail(c, sql)
    timer.join()


def leaks(c):
    """Failed, finished and abandoned fits leave nothing behind."""
    c.execute("CREATE TABLE more AS SELECT v.* EXCLUDE (id), row_number() OVER () - 1 AS id FROM votes v, range(100)")
    bad_row = 'me_hodgerank_fit(annotator, "left", CASE WHEN id = 1234 THEN NULL ELSE "right" END, choice, '
    bad_row += "{t: 1, position_bias: false})"
    small = 'SELECT me_hodgerank_fit(annotator, "left", "right", choice, {t: 1, position_bias: false%s}) FROM more '
    small += "WHERE id < 18000 GROUP BY id // 3"
    table = "FROM me_hodgerank('more', t := 1, position_bias := false%s)"
    forms = {
        "a fit": (run_and_fail, f"SELECT {QUICK} FROM more"),
        "an error beside it": (run_and_fail, f"SELECT {QUICK}, error('x') FROM more"),
        "a bad row in a group": (run_and_fail, f"SELECT {bad_row} FROM more GROUP BY id % 1000"),
        "options that differ": (run_and_fail, f"SELECT {QUICK[:-2]}, kappa: id - 2999}}) FROM more"),
        "groups with a limit": (run_and_fail, small % "" + " LIMIT 1"),
        "groups, closed early": (close_early, small % ""),
        "groups, interrupted": (stop_early, small % ""),
        "groups, out of time": (run_and_fail, small % ", max_seconds: 1e-9"),
        "a table function": (run_and_fail, table % ""),
        "a table function, interrupted": (stop_early, table % ""),
        "a table function, out of time": (run_and_fail, table % ", max_seconds := 1e-9"),
        "a table function, bad rows": (run_and_fail, (table % "").replace("'more'", "'bad'")),
        "a table function, an error while reading": (run_and_fail, (table % "").replace("'more'", "'broken'")),
    }
    c.execute("CREATE VIEW bad AS SELECT * REPLACE (CASE WHEN id = 299999 THEN NULL ELSE choice END AS choice) FROM more")
    c.execute("CREATE VIEW broken AS SELECT * REPLACE (CASE WHEN id = 299999 THEN error('x') ELSE choice END AS choice) FROM more")
    for _ in range(30):  # until allocators have what they keep for threads
        run_and_fail(c, forms["a fit"][1])
    for name, (run, sql) in forms.items():
        rounds = []
        for _ in range(33):
            run(c, sql)
            rounds.append(memory())
        # At first allocators take what they keep for the threads of this form.
        before, after = min(rounds[9:15]), min(rounds[27:])
        # 18 rounds of at least 4 MB of votes, or of 6,000 groups of 4 kB.
        assert after - before < 45, f"{name}: grew by {after - before:.1f} MB"


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


OTHERS = {"interrupt": interrupt, "ten connections": ten_connections, "ordered groups": ordered_groups,
          "many groups": many_groups, "leaks": leaks}


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
    from duckdb_hosts import check_cases
    from sqllogic import Score

    score = Score()
    # What takes longest comes first, so that it does not run alone at the end.
    check_cases(__file__, [*reversed(OTHERS), *QUERIES, *ERRORS], score)
    score.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_form(*sys.argv[1:])
    else:
        main()
