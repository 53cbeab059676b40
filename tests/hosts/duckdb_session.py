"""Runs SQL texts in one DuckDB session: a JSON list on standard input, a list of
results on standard output. Runs inside the environment of one DuckDB version."""

import json
import sys

import duckdb

extension, statements, *rest = json.load(sys.stdin)
database = rest[0] if rest else ":memory:"
connection = duckdb.connect(database, config={"allow_unsigned_extensions": True})
connection.execute(f"LOAD '{extension}'")


def plain(value):
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


results = []
for statement in statements:
    try:
        rows = connection.execute(statement).fetchall()
        results.append(["rows", [[plain(value) for value in row] for row in rows]])
    except duckdb.Error as error:
        results.append(["error", str(error)])
json.dump(results, sys.stdout)
