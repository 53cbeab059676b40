"""Consensus ranking, personal taste and position bias from pairwise votes, in the
DuckDB or SQLite connections of a Python program.

    import duckdb, me_hodgerank

    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    me_hodgerank.load(con)
    con.execute("FROM me_hodgerank('votes')").fetchall()

`load` also takes connections of sqlite3, pysqlite3 and apsw. The two libraries are
the files `duckdb_extension` and `sqlite_extension`, for programs that load them
themselves; `session_sql` is the text that gives a DuckDB connection the bare names.
"""

from importlib.metadata import version as _version
from pathlib import Path as _Path

__all__ = ["connect", "duckdb_extension", "load", "session_sql", "sqlite_extension"]
__version__ = _version("me_hodgerank")

_folder = _Path(__file__).resolve().parent
duckdb_extension = str(_folder / "me_hodgerank.duckdb_extension")
sqlite_extension = str(_folder / "me_hodgerank.so")
session_sql = (_folder / "session.sql").read_text(encoding="utf-8")


def connect(database=":memory:", read_only=False, config=None):
    """A DuckDB connection in which the functions are there.

    The extension is not signed, and DuckDB has to be told so when a database is
    opened: this is `duckdb.connect` with that setting, and `load`.
    """
    import duckdb

    settings = {"allow_unsigned_extensions": True, **(config or {})}
    return load(duckdb.connect(database, read_only=read_only, config=settings))


def load(connection):
    """Makes the functions known to an open connection, and returns it.

    A DuckDB connection gets the bare names as temporary macros, whatever its
    database; nothing is written there. They belong to this connection: one made
    by `connection.cursor()` has to be loaded too.
    """
    if hasattr(connection, "enable_load_extension"):
        connection.enable_load_extension(True)
        try:
            connection.load_extension(sqlite_extension)
        finally:
            connection.enable_load_extension(False)
    elif type(connection).__module__.split(".")[0] in ("duckdb", "_duckdb"):
        _load_into_duckdb(connection)
    elif type(connection).__module__ == "sqlite3":
        raise RuntimeError(
            "the sqlite3 of this Python was built without loadable extensions; "
            "pysqlite3-binary and apsw have them: pip install apsw"
        )
    else:
        raise TypeError(f"a connection of duckdb, sqlite3, pysqlite3 or apsw, not {type(connection)!r}")
    return connection


def _load_into_duckdb(connection):
    path = duckdb_extension.replace("'", "''")
    try:
        connection.execute(f"LOAD '{path}'")
    except Exception as error:
        if "allow_unsigned_extensions" not in str(error):
            raise
        raise RuntimeError(
            "DuckDB loads an unsigned extension only if told so when the database is opened: "
            "duckdb.connect(database, config={'allow_unsigned_extensions': True}), or me_hodgerank.connect(database)"
        ) from error
    connection.execute(session_sql)
