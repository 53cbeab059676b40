"""A plugin of Datasette: the functions in every database that it serves."""

from __future__ import annotations

import warnings
from typing import Any

from datasette import hookimpl  # type: ignore[import-untyped]

from ._connections import load


@hookimpl  # type: ignore[untyped-decorator]
def prepare_connection(conn: Any) -> None:
    # Without the functions Datasette is still Datasette.
    if hasattr(conn, "enable_load_extension"):
        load(conn)
    else:
        warnings.warn(
            "me_hodgerank is not there: the sqlite3 of this Python was built without loadable extensions; "
            "Datasette uses pysqlite3 if it finds it: pip install pysqlite3-binary",
            stacklevel=2,
        )
