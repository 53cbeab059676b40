#!/usr/bin/env python3
"""Where the table functions are found: in memory, in files, read-only, by the two
scripts in sql/, and what stays in the user's file (nothing, unless asked for).

usage: duckdb_databases.py             all cases on all versions
       duckdb_databases.py CASE ...    one case, in this process
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COUNT = "SELECT count(*) FROM {}me_hodgerank('votes')"


def connect(extension, path="votes.duckdb", **more):
    import duckdb

    c = duckdb.connect(path, config={"allow_unsigned_extensions": True}, **more)
    if extension:
        c.execute(f"LOAD '{extension}'")
    return c


def make_file(extension):
    """A database file with votes, made with the extension loaded."""
    with connect(extension) as c:
        c.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 10, items := 5, seed := 1)")


def script(c, name):
    with open(os.path.join(ROOT, "sql", name)) as text:
        c.execute(text.read())


def items(c, schema=""):
    return c.execute(COUNT.format(schema)).fetchone()[0]


def draws_and_predicts(c, schema=""):
    svg, html, votes, predicted = c.execute(
        f"SELECT svg, html, count(*), count(predicted) FROM {schema}me_hodgerank_plot('votes', 'cv'), "
        f"{schema}me_hodgerank_report('votes'), {schema}me_hodgerank_predict('votes', 'votes') GROUP BY ALL").fetchone()
    return svg.startswith("<svg") and html.startswith("<!DOCTYPE") and votes == predicted == 600


def stored(path="votes.duckdb"):
    """How many of our functions the file holds."""
    with connect(None, path, read_only=True) as c:
        sql = "SELECT count(*) FROM duckdb_functions() WHERE function_name LIKE 'me_hodgerank%'"
        return c.execute(sql).fetchone()[0]


def in_memory(extension):
    c = connect(extension, ":memory:")
    c.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 10, items := 5, seed := 1)")
    assert items(c) == items(c, "me.") == 5
    assert items(c.cursor()) == 5  # another connection


def in_a_file(extension):
    make_file(extension)
    with connect(extension) as c:
        assert items(c, "me.") == 5
        try:
            items(c)
            raise AssertionError("the bare name should not be there")
        except Exception as error:
            assert "me.me_hodgerank" in str(error), error  # DuckDB's hint
        c.execute("SET search_path = 'main,me'")
        assert items(c) == 5
    assert stored() == 0


def read_only(extension):
    make_file(extension)
    before = open("votes.duckdb", "rb").read()
    with connect(extension, read_only=True) as c:
        assert items(c, "me.") == 5 and draws_and_predicts(c, "me.")
        script(c, "session.sql")
        assert items(c) == 5 and draws_and_predicts(c)
    assert open("votes.duckdb", "rb").read() == before


def session_script(extension):
    make_file(extension)
    with connect(extension) as c:
        script(c, "session.sql")
        assert items(c) == 5
        assert len(c.execute("FROM me_hodgerank_summary('votes')").fetchall()) == 1
    assert stored() == 0
    with connect(None) as c:  # the script first, then LOAD
        script(c, "session.sql")
        c.execute(f"LOAD '{extension}'")
        assert items(c) == 5


def install_script(extension):
    make_file(extension)
    with connect(extension) as c:
        script(c, "install.sql")
    # The ten sets of votes and of a model; predict, plot and report; six forms of fit and of model,
    # two of fit_list, four of collect, one of merge.
    assert stored() == 2 * 10 + 3 + 2 * 6 + 2 + 4 + 1
    with connect(extension) as c:
        assert items(c) == 5 and draws_and_predicts(c)


def a_database_called_me(extension):
    make_file(extension)
    with connect(None) as c:
        c.execute("ATTACH ':memory:' AS me")
        c.execute("CREATE TABLE me.mine AS SELECT 1 AS x")
        c.execute(f"LOAD '{extension}'")
        assert c.execute("SELECT x FROM me.mine").fetchone() == (1,)
        assert c.execute("SELECT me_hodgerank_version()").fetchone()
        script(c, "session.sql")
        assert items(c) == 5


def a_schema_called_me(extension):
    """A schema of the user's called `me` is still the one that is meant."""
    make_file(extension)
    with connect(None) as c:
        c.execute("CREATE SCHEMA me")
        c.execute("CREATE TABLE me.mine AS SELECT 1 AS x")
    with connect(extension) as c:
        assert c.execute("SELECT x FROM me.mine").fetchone() == (1,)
        assert c.execute("SELECT count(*) FROM duckdb_databases() WHERE database_name = 'me'").fetchone() == (0,)
        script(c, "session.sql")
        assert items(c) == 5


def groups(extension):
    """The aggregates, wherever the table functions are."""
    make_file(extension)
    fit = '{}me_hodgerank_fit(annotator, "left", "right", choice, {{t: 1}}).summary.votes'
    listed = ('me.me_hodgerank_fit_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice}), '
              'any_value(annotator), any_value("left"), {t: 1}).summary.votes')
    count = lambda c, what: c.execute(f"SELECT {what} FROM votes GROUP BY annotator % 2").fetchall()
    expected = [(300,), (300,)]
    state = 'me.me_hodgerank_merge(state) = (SELECT me.me_hodgerank_collect(annotator, "left", "right", choice) FROM votes)'
    states = 'SELECT me.me_hodgerank_collect(annotator, "left", "right", choice) AS state FROM votes GROUP BY annotator'
    with connect(extension) as c:
        assert count(c, fit.format("me.")) == count(c, listed) == expected
        assert c.execute(f"SELECT {state} FROM ({states})").fetchone() == (True,)
        try:
            count(c, fit.format(""))
            raise AssertionError("the bare name should not be there")
        except Exception as error:
            assert "me.me_hodgerank_fit" in str(error), error  # DuckDB's hint
        script(c, "session.sql")
        assert count(c, fit.format("")) == expected


def own_functions_stay(extension):
    """A macro of the user's with our name is not replaced."""
    c = connect(None, ":memory:")
    c.execute("CREATE MACRO me_hodgerank(x) AS TABLE SELECT 42 AS answer")
    c.execute(f"LOAD '{extension}'")
    assert c.execute("FROM me_hodgerank('votes')").fetchall() == [(42,)]


def files(extension):
    """The votes may be a file."""
    c = connect(extension, ":memory:")
    for name in ["votes.parquet", "votes.csv", "votes.csv.gz", "of today/votes.parquet", "*/votes.parquet"]:
        if "*" not in name:
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            c.execute(f"COPY (FROM me_hodgerank_simulate(annotators := 10, items := 5, seed := 1)) TO '{name}'")
        assert c.execute(f"SELECT count(*) FROM me_hodgerank('{name}')").fetchone() == (5,), name


def without_optimizer(extension):
    c = connect(extension, ":memory:")
    c.execute("PRAGMA disable_optimizer")
    c.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 10, items := 5, seed := 1)")
    assert items(c) == 5


def two_databases(extension):
    """The extension serves several databases of one process."""
    a, b = connect(extension, ":memory:"), connect(extension, ":memory:")
    for c in (a, b):
        c.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 10, items := 5, seed := 1)")
    assert items(a) == items(b) == 5


CASES = [in_memory, in_a_file, read_only, session_script, install_script, a_database_called_me,
         a_schema_called_me, groups, own_functions_stay, files, without_optimizer, two_databases]


def run_case(name, extension):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        next(case for case in CASES if case.__name__ == name)(extension)
    print("fine")


def command_line(extension):
    """`duckdb -init sql/session.sql`."""
    from duckdb_hosts import cli

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "votes.duckdb")
        start = [cli(), "-unsigned", "-csv", "-noheader", "-init", os.path.join(ROOT, "sql", "session.sql"), path]
        load = ["-c", f"LOAD '{extension}'"]
        make = ["-c", "CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 10, items := 5, seed := 1)"]
        done = subprocess.run(start + load + make + ["-c", COUNT.format("")], capture_output=True, text=True)
        return done.stdout.split()[-1:] == ["5"], done.stdout + done.stderr


def main():
    from duckdb_hosts import CliHost, EXTENSION, check_cases
    from sqllogic import Score

    score = Score()
    check_cases(__file__, [case.__name__ for case in CASES], score)
    fine, output = command_line(EXTENSION)
    score.ok() if fine else score.fail(f"session script on {CliHost.label}", output[-1500:])
    score.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_case(*sys.argv[1:])
    else:
        main()
