"""Runs SQL texts in one SQLite session: the extension and the texts as a JSON
list on standard input, a list of results on standard output. The one argument
is the module to use: sqlite3, pysqlite3 or apsw."""

import importlib
import json
import sys

module = importlib.import_module(sys.argv[1])
extension, statements = json.load(sys.stdin)
connection = module.Connection(":memory:")
if sys.argv[1] != "apsw":
    connection.isolation_level = None  # no BEGIN of its own
connection.enable_load_extension(True)
connection.load_extension(extension)


def plain(value):
    return value if isinstance(value, (int, float, str, type(None))) else value.hex()


results = []
for statement in statements:
    try:
        rows = connection.cursor().execute(statement)
        results.append(["rows", [[plain(value) for value in row] for row in rows]])
    except module.Error as error:
        results.append(["error", str(error)])
json.dump(results, sys.stdout)
