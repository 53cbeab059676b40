#!/usr/bin/env python3
"""Walks every function, argument and column in both hosts. A difference that is not on the
list below, with its reason, is a failure; so is one on the list that is no more.

usage: surface.py                       compares all versions of DuckDB with SQLite
       surface.py duckdb | sqlite FILE  prints the surface of one host as JSON
"""

import json
import os
import subprocess
import sys

SIMULATION = {"annotators": 12, "items": 4, "votes_each": 20, "seed": 3}

# Functions of one host only, and why.
ONLY_DUCKDB = {
    # The parts that the macros are made of.
    **dict.fromkeys(
        ["me_hodgerank_job", "me_hodgerank_wait", "me_hodgerank_rest", "me_hodgerank_unshared", "me_hodgerank_job_model",
         "me_hodgerank_predict_row", "me_hodgerank_list_fit"],
        "SQLite's table functions read votes and wait for fits themselves"),
    **dict.fromkeys(
        ["me_hodgerank_fit_list", "me_hodgerank_model_list", "me_hodgerank_collect_list", "me_hodgerank_merge_list"],
        "SQLite has no lists; its aggregates take FILTER and OVER themselves"),
}
ONLY_SQLITE = {
    "me_hodgerank_ranking": "an older name of me_hodgerank_model_ranking",
}

# Arguments of one host only.
ONLY_DUCKDB_ARGUMENTS = {
    ("me_hodgerank_model_*", "annotator"): "ids of a stored model are text unless they are given a type",
    ("me_hodgerank_model_*", "item"): "ids of a stored model are text unless they are given a type",
}
ONLY_SQLITE_ARGUMENTS = {}

# Columns of one host only.
COLUMNS = {
    "me_hodgerank_predict": "SQLite's are fixed: a virtual table declares its columns before it sees the second table",
}


def duckdb_surface(extension):
    import duckdb

    c = duckdb.connect(config={"allow_unsigned_extensions": True})
    c.execute(f"LOAD '{extension}'")
    named = ", ".join(f"{name} := {value}" for name, value in SIMULATION.items())
    c.execute(f"CREATE TABLE votes AS SELECT annotator, \"left\", \"right\", choice, 1 AS task FROM me_hodgerank_simulate({named})")
    c.execute('CREATE TABLE models AS SELECT me_hodgerank_model(annotator, "left", "right", choice) AS model FROM votes')
    functions = {}
    rows = c.execute(
        "SELECT function_name, function_type, parameters FROM duckdb_functions() "
        "WHERE function_name LIKE 'me\\_hodgerank%' ESCAPE '\\' AND (database_name = 'me' OR function_type NOT LIKE '%macro')")
    for name, kind, parameters in rows.fetchall():
        functions.setdefault(name, {"kind": kind, "arguments": [], "columns": None})
        functions[name]["arguments"] += [p for p in parameters if p not in functions[name]["arguments"]]
    for name, function in functions.items():
        if function["kind"] == "table_macro":
            cursor = c.execute(f"SELECT {shown(name)} FROM {call(name)} LIMIT 1")
            function["columns"] = [column[0] for column in cursor.description]
        elif function["kind"] == "table":
            cursor = c.execute(f"SELECT * FROM {name}() LIMIT 1")
            function["columns"] = [column[0] for column in cursor.description]
        else:
            function["arguments"] = []
    return functions


def call(name, options=""):
    """A call of a table function in FROM, with what comes before its options."""
    if name.startswith("me_hodgerank_model_") or name == "me_hodgerank_ranking":
        return f"models, {name}(models.model{options}) AS r"
    first = {"me_hodgerank_predict": "'votes', 'votes'", "me_hodgerank_plot": "'votes', 'ranking'"}
    if name == "me_hodgerank_simulate":
        return f"{name}({options.removeprefix(', ')})"
    return f"{name}({first.get(name, repr('votes'))}{options})"


def shown(name):
    return "r.*" if call(name).startswith("models") else "*"


def sqlite_surface(extension, arguments):
    """`arguments`: the names that DuckDB has for each table function, to be tried."""
    import apsw

    c = apsw.Connection(":memory:")
    c.enable_load_extension(True)
    c.load_extension(extension)
    run = lambda sql: c.execute(sql).fetchall()
    options = json.dumps(SIMULATION)
    c.execute(f"CREATE TABLE votes AS SELECT annotator, left, right, choice, 1 AS task FROM me_hodgerank_simulate('{options}')")
    c.execute("CREATE TABLE models AS SELECT me_hodgerank_model(annotator, left, right, choice) AS model FROM votes")
    functions = {}
    for (name,) in run("SELECT DISTINCT name FROM pragma_function_list WHERE name LIKE 'me\\_hodgerank%' ESCAPE '\\'"):
        functions[name] = {"kind": "function", "arguments": [], "columns": None}
    for (name,) in run("SELECT name FROM pragma_module_list WHERE name LIKE 'me\\_hodgerank%' ESCAPE '\\'"):
        taken = []
        for argument in arguments.get(name, []):
            if takes(run, name, argument):
                taken.append(argument)
        assert not takes(run, name, "nonsense"), name
        cursor = c.execute(f"SELECT {shown(name)} FROM {call(name)} LIMIT 1")
        columns = [column[0] for column in cursor.getdescription()]
        functions[name] = {"kind": "table", "arguments": taken, "columns": columns}
    # Which options there are, by what the error for an unknown one says.
    try:
        run("SELECT * FROM me_hodgerank('votes', '{\"nonsense\": 1}')")
    except Exception as error:
        functions["me_hodgerank"]["options"] = str(error)
    return functions


def takes(run, name, argument):
    options = json.dumps({argument: None})
    try:
        run(f"SELECT * FROM {call(name, ', ' + repr(options))} LIMIT 1")
        return True
    except Exception as error:
        refusals = ["unknown option", "options belong to", "too many arguments"]
        return not any(refusal in str(error) for refusal in refusals)


def table_arguments(function):
    """What can be named; the first arguments are the table, the model and such."""
    positions = ("votes", "train", "test", "model", "kind")
    return [name for name in function["arguments"] if name not in positions and not name.startswith("col")]


def matches(listed, name):
    return any(name == one or (one.endswith("*") and name.startswith(one[:-1])) for one in listed)


def compare(duckdb, sqlite, score, label):
    internal = [name for name in duckdb if name.startswith("me_hodgerank_rows_")]  # a part of the macros for each set
    for name in sorted(set(duckdb) | set(sqlite)):
        where = f"{name}, {label}"
        if name not in sqlite:
            known = name in ONLY_DUCKDB or name in internal
            score.ok() if known else score.fail(where, "only in DuckDB")
            continue
        if name not in duckdb:
            score.ok() if name in ONLY_SQLITE else score.fail(where, "only in SQLite")
            continue
        if name in ONLY_DUCKDB or name in ONLY_SQLITE:
            score.fail(where, "is in both hosts: take it off the list")
        ours, theirs = duckdb[name], sqlite[name]
        if ours["columns"] is None and theirs["columns"] is None:
            score.ok()
            continue
        missing = [argument for argument in table_arguments(ours) if argument not in theirs["arguments"]]
        for argument in missing:
            known = any(matches([pattern], name) and one == argument for pattern, one in ONLY_DUCKDB_ARGUMENTS)
            score.ok() if known else score.fail(where, f"the argument {argument} is only in DuckDB")
        if "options" in theirs:
            lacking = [option for option in options_of(theirs["options"]) if option not in ours["arguments"]]
            score.fail(where, f"only in SQLite: {lacking}") if lacking else score.ok()
        columns = (ours["columns"], theirs["columns"])
        if name in COLUMNS:
            score.ok() if columns[0] != columns[1] else score.fail(where, "has the same columns: take it off the list")
        else:
            score.ok() if columns[0] == columns[1] else score.fail(where, f"columns differ: {columns}")


def options_of(text):
    """The names in «unknown option "nonsense"; the options are: a, b, c»."""
    names = text.rsplit(":", 1)[1].replace(".", "").split(",")
    assert len(names) > 15, text
    return [name.strip() for name in names]


def main():
    from duckdb_hosts import EXTENSION, VERSIONS, python
    from sqllogic import ROOT, Score
    from sqlite_hosts import EXTENSION as SQLITE

    def surface(command, *arguments):
        done = subprocess.run([command, __file__, *arguments], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)

    score = Score()
    for version in VERSIONS:
        duckdb = surface(python(version), "duckdb", EXTENSION)
        names = {name: table_arguments(function) for name, function in duckdb.items()}
        apsw = str(ROOT / ".venv" / "sqlite" / "bin" / "python")
        sqlite = surface(apsw, "sqlite", SQLITE, json.dumps(names))
        compare(duckdb, sqlite, score, f"DuckDB {version}")
    score.close()


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "duckdb":
        print(json.dumps(duckdb_surface(sys.argv[2])))
    elif len(sys.argv) > 2:
        print(json.dumps(sqlite_surface(sys.argv[2], json.loads(sys.argv[3]))))
    else:
        main()
