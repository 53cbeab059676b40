"""Consensus ranking, personal taste and position bias from pairwise votes.

Votes in a frame of polars, pandas or pyarrow, or in a relation of DuckDB, need no database:

    >>> import me_hodgerank
    >>> votes = me_hodgerank.simulate(annotators=40, items=4, seed=7)  # or your frame
    >>> fit = me_hodgerank.fit(votes)
    >>> fit.ranking()["item"]
    [2, 1, 3, 4]

Each result set is a `Table`, which any library of frames takes.

In a DuckDB or SQLite connection of the program there are the SQL functions:

    >>> con = me_hodgerank.connect()  # needs DuckDB: pip install "me_hodgerank[duckdb]"
    >>> _ = con.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 40, items := 4, seed := 7)")
    >>> con.execute("SELECT item, rank FROM me_hodgerank('votes')").fetchall()
    [(2, 1), (1, 2), (3, 3), (4, 4)]

`load` takes a connection that is open already: of duckdb, sqlite3, pysqlite3 or apsw.
`show` opens the report or a picture in the browser or in the notebook, `draw` returns it.

The two libraries are the files `duckdb_extension` and `sqlite_extension`, for programs
that load them themselves; `session_sql` is the text that gives a DuckDB connection the
bare names. Datasette finds the package by itself: once installed beside it, the
functions are there in every database.
"""

from importlib.metadata import version as _version

from ._connections import connect, duckdb_extension, load, session_sql, sqlite_extension
from ._drawings import Drawing, draw, show
from ._errors import Error, InternalError, ModelError, OptionError, Timeout, VotesError
from ._fit import Fit, fit, simulate
from ._table import Table

__all__ = [
    "Drawing", "Error", "Fit", "InternalError", "ModelError", "OptionError", "Table", "Timeout", "VotesError",
    "connect", "draw", "duckdb_extension", "fit", "load", "session_sql", "show", "simulate", "sqlite_extension",
]  # fmt: skip
__version__: str = _version("me_hodgerank")
