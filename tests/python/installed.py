"""The package in an environment of its own, with DuckDB, apsw and the sqlite3 of this Python."""

import duckdb, os, sqlite3, sys
import me_hodgerank
from me_hodgerank import connect, load

assert os.path.dirname(me_hodgerank.__file__).startswith(sys.prefix), me_hodgerank.__file__
for path in [me_hodgerank.duckdb_extension, me_hodgerank.sqlite_extension]:
    assert os.path.isfile(path), path
version = me_hodgerank.__version__
unsigned = {"allow_unsigned_extensions": True}

def check_duckdb(con):
    assert con.execute("SELECT me_hodgerank_version()").fetchone() == (version,)
    con.execute("CREATE OR REPLACE TEMP TABLE votes AS FROM me_hodgerank_simulate(annotators := 20, items := 5, seed := 1)")
    return con.execute("SELECT item, score FROM me_hodgerank('votes')").fetchall()

in_memory = check_duckdb(load(duckdb.connect(config=unsigned)))
with connect("file.duckdb") as con:  # bare names in a file, and nothing written there
    assert check_duckdb(con) == in_memory
    assert check_duckdb(load(con.cursor())) == in_memory
    assert load(con) is con  # twice is fine
with duckdb.connect("file.duckdb") as con:
    stored = con.execute("SELECT count(*) FROM duckdb_functions() WHERE function_name LIKE 'me_hodgerank%'").fetchone()
    assert stored == (0,), stored
with connect("file.duckdb", read_only=True) as con:
    assert check_duckdb(con) == in_memory
try:
    load(duckdb.connect())
    raise SystemExit("an unsigned extension was loaded unasked")
except RuntimeError as error:
    assert "me_hodgerank.connect" in str(error), error
try:
    load(object())
    raise SystemExit("loaded into nothing")
except TypeError as error:
    assert "apsw" in str(error), error

def check_sqlite(con):
    make = "CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate('{\"annotators\": 20, \"items\": 5, \"seed\": 1}')"
    con.cursor().execute(make)
    rows = [tuple(row) for row in con.cursor().execute("SELECT item, score FROM me_hodgerank('votes')")]
    assert rows == in_memory, rows
    try:
        con.cursor().execute("SELECT load_extension('nothing')").fetchall()
        raise SystemExit("SQL may still load extensions")
    except Exception as error:
        assert "not authorized" in str(error), error

import apsw
check_sqlite(load(apsw.Connection(":memory:")))
if hasattr(sqlite3.Connection, "enable_load_extension"):
    check_sqlite(load(sqlite3.connect(":memory:")))
else:
    try:
        load(sqlite3.connect(":memory:"))
        raise SystemExit("this sqlite3 cannot load extensions")
    except RuntimeError as error:
        assert "pip install apsw" in str(error), error
print("fine")
