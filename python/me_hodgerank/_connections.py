"""Connections in which the functions are known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import duckdb

Connection = TypeVar("Connection")

_folder = Path(__file__).resolve().parent
duckdb_extension: str = str(_folder / "me_hodgerank.duckdb_extension")
sqlite_extension: str = str(_folder / ("me_hodgerank.dylib" if sys.platform == "darwin" else "me_hodgerank.so"))
session_sql: str = (_folder / "session.sql").read_text(encoding="utf-8")


def connect(
    database: str | Path = ":memory:", read_only: bool = False, config: dict[str, Any] | None = None
) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection in which the functions are there.

    The extension is not signed, and DuckDB has to be told so when a database is
    opened: this is `duckdb.connect` with that setting, and `load`.

        >>> con = connect("votes.duckdb", config={"threads": 4})
        >>> con.execute("SELECT me_hodgerank_version()").fetchone()[0]  # doctest: +ELLIPSIS
        '...'
    """
    try:
        import duckdb
    except ModuleNotFoundError as error:
        if error.name != "duckdb":
            raise
        raise ImportError('DuckDB is not installed: pip install "me_hodgerank[duckdb]"', name="duckdb") from error
    settings = {"allow_unsigned_extensions": True, **(config or {})}
    return load(duckdb.connect(str(database), read_only=read_only, config=settings))


def load(connection: Connection) -> Connection:
    """Makes the functions known to an open connection, and returns it.

        >>> import sqlite3
        >>> con = load(sqlite3.connect(":memory:"))  # doctest: +SKIP

    A DuckDB connection gets the bare names as temporary macros, whatever its
    database; nothing is written there. They belong to this connection: one made
    by `connection.cursor()` has to be loaded too.
    """
    anything: Any = connection
    if hasattr(connection, "enable_load_extension"):
        anything.enable_load_extension(True)
        try:
            anything.load_extension(sqlite_extension)
        finally:
            anything.enable_load_extension(False)
    elif is_duckdb(connection):
        _load_into_duckdb(anything)
    elif type(connection).__module__ == "sqlite3":
        raise RuntimeError(
            "the sqlite3 of this Python was built without loadable extensions; "
            "pysqlite3-binary and apsw have them: pip install apsw"
        )
    else:
        raise TypeError(f"a connection of duckdb, sqlite3, pysqlite3 or apsw, not {type(connection)!r}")
    return connection


def is_duckdb(connection: object) -> bool:
    return type(connection).__module__.split(".")[0] in ("duckdb", "_duckdb")


def _load_into_duckdb(connection: Any) -> None:
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
