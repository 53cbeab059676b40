"""The report and the pictures, in a browser or a notebook."""

from __future__ import annotations

import contextlib
import html
import json
import os
import sys
import tempfile
import warnings
import webbrowser
from pathlib import Path
from typing import Any, Iterator, Union

from ._connections import is_duckdb, load

Option = Union[str, int, float, bool, None]


class Drawing:
    """A picture (SVG) or the report (HTML). A notebook draws it.

        >>> drawing = Drawing("<svg/>", "ranking")
        >>> drawing.suffix, str(drawing)
        ('.svg', '<svg/>')
    """

    def __init__(self, text: str, kind: str) -> None:
        self.text, self.kind = text, kind
        self.suffix = ".html" if kind == "report" else ".svg"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes it to a file, byte for byte as the database gave it."""
        file = Path(path)
        file.write_bytes(self.text.encode())
        return file

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<me_hodgerank.Drawing of kind {self.kind!r}, {len(self.text)} characters>"

    def _repr_svg_(self) -> str | None:
        return self.text if self.suffix == ".svg" else None

    def _repr_html_(self) -> str | None:
        """A page of its own within the notebook's, so that their styles do not mix."""
        if self.suffix == ".svg":
            return None
        style = "width:100%;height:80vh;border:0"
        return f'<iframe sandbox srcdoc="{html.escape(self.text)}" style="{style}"></iframe>'


def draw(connection: Any, votes: Any = "votes", kind: str = "report", **options: Option) -> Drawing:
    """The report about a table of votes, or a picture, as text.

    `votes` names a table, as in SQL; in DuckDB also the variable of a frame, or it is the
    frame itself; in SQLite it may be the text of a SELECT. `kind` is "report" or a kind of
    me_hodgerank_plot, such as "ranking" or "path_position_bias". Options are those of the
    SQL functions.

        >>> import me_hodgerank
        >>> con = me_hodgerank.connect()
        >>> _ = con.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(seed := 7)")
        >>> draw(con, "votes", "ranking", kappa=10).save("ranking.svg").name
        'ranking.svg'
    """
    function, column = ("me_hodgerank_report", "html") if kind == "report" else ("me_hodgerank_plot", "svg")
    arguments = [votes] if kind == "report" else [votes, kind]
    if is_duckdb(connection):
        frame = _frame_of_caller(connection, votes) if isinstance(votes, str) else votes
        with _registered(connection, votes, frame) as arguments[0]:
            text = _from_duckdb(connection, function, column, arguments, options)
    else:
        text = _from_sqlite(connection, function, column, [*arguments, json.dumps(options)])
    return Drawing(text, kind)


def show(connection: Any, votes: Any = "votes", kind: str = "report", **options: Option) -> Path | None:
    """Shows what `draw` draws: in the cell of a notebook, or else in a browser.

    Returns the file that the browser was sent to; None in a notebook.

        >>> import me_hodgerank
        >>> con = me_hodgerank.connect()
        >>> _ = con.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(seed := 7)")
        >>> me_hodgerank.show(con, "votes")  # doctest: +SKIP
        >>> me_hodgerank.show(con, "votes", "path_position_bias")  # doctest: +SKIP
    """
    drawing = draw(connection, votes, kind, **options)
    if _in_notebook():
        from IPython.display import display

        display(drawing)  # type: ignore[no-untyped-call]
        return None
    handle, name = tempfile.mkstemp(prefix=f"me_hodgerank_{kind}_", suffix=drawing.suffix)
    os.close(handle)
    path = drawing.save(name)
    if not webbrowser.open(path.as_uri()):
        warnings.warn(f"no browser could be opened; the page is {path}", stacklevel=2)
    return path


def _in_notebook() -> bool:
    """In a kernel that a notebook talks to; the terminal's IPython has none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


def _frame_of_caller(connection: Any, name: str) -> Any:
    """DuckDB finds a frame by the name of its variable, but only among the variables of the
    function that calls it, and that is one of ours. None if there is a table of this name."""
    caller = sys._getframe()
    while caller.f_back and caller.f_globals.get("__name__") == __name__:
        caller = caller.f_back
    frame = caller.f_locals.get(name, caller.f_globals.get(name))
    return None if frame is None or _is_table(connection, name) else frame


def _is_table(connection: Any, name: str) -> bool:
    """Looked up, not tried: an error would abort the caller's transaction. In whatever catalog:
    rather an error about a table that is out of sight than the votes of another."""
    tables = "SELECT table_name AS name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"
    found = connection.execute(f"SELECT name FROM ({tables}) WHERE lower(name) = lower(?)", [name]).fetchall()
    return bool(found)


@contextlib.contextmanager
def _registered(connection: Any, name: str, frame: Any) -> Iterator[str]:
    """The name of a table; a frame gets one meanwhile."""
    if frame is None:
        yield name
        return
    registered = "me_hodgerank_votes_of_a_frame"
    connection.register(registered, frame)
    try:
        yield registered
    finally:
        connection.unregister(registered)


# DuckDB looks for a table among the variables of the function that calls it, too: here is
# none called `votes`.
def _from_duckdb(
    connection: Any, function: str, column: str, arguments: list[Any], options: dict[str, Option]
) -> str:
    where = "SELECT database_name, schema_name FROM duckdb_functions() WHERE function_name = ?"
    known = connection.execute(where, [function]).fetchall()
    if not known:
        known = load(connection).execute(where, [function]).fetchall()
    marks = ["?" for _ in arguments] + [_quoted(name) + " := ?" for name in options]
    sql = f"SELECT {column} FROM {'.'.join(map(_quoted, [*known[0], function]))}({', '.join(marks)})"
    # All rows, although there is one: DuckDB 2.0 keeps a connection busy until the last is read.
    ((text,),) = connection.execute(sql, [*arguments, *options.values()]).fetchall()
    return str(text)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _from_sqlite(connection: Any, function: str, column: str, arguments: list[Any]) -> str:
    if not hasattr(connection, "cursor"):
        load(connection)  # which says what a connection is
    sql = f"SELECT {column} FROM {function}({', '.join('?' for _ in arguments)})"
    try:
        cursor = connection.cursor().execute(sql, arguments)
    except Exception as error:
        if f"no such table: {function}" not in str(error):
            raise
        cursor = load(connection).cursor().execute(sql, arguments)
    if hasattr(cursor, "row_factory"):
        cursor.row_factory = None  # a row may be a dictionary
    return str(next(cursor)[0])
