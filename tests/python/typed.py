"""What a program's type checker knows of the package: read by mypy, not run."""

import sqlite3
from pathlib import Path
from typing import Optional

import duckdb
import me_hodgerank

con: duckdb.DuckDBPyConnection = me_hodgerank.connect("votes.duckdb", read_only=True)
lite: sqlite3.Connection = me_hodgerank.load(sqlite3.connect(":memory:"))
drawing: me_hodgerank.Drawing = me_hodgerank.draw(con, "votes", "ranking", kappa=10, personal=False)
saved: Path = drawing.save("ranking.svg")
shown: Optional[Path] = me_hodgerank.show(lite, "SELECT * FROM votes")
version: str = me_hodgerank.__version__

# Mistakes that it finds.
wrong: sqlite3.Connection = me_hodgerank.connect()  # type: ignore[assignment]
me_hodgerank.draw(con, "votes", 3)  # type: ignore[arg-type]
me_hodgerank.draw(con, "votes", kappa=[1])  # type: ignore[arg-type]
