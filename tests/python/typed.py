"""What a program's type checker knows of the package: read by mypy, not run."""

import sqlite3
from pathlib import Path
from typing import Any, Optional

import duckdb
import me_hodgerank

con: duckdb.DuckDBPyConnection = me_hodgerank.connect("votes.duckdb", read_only=True)
lite: sqlite3.Connection = me_hodgerank.load(sqlite3.connect(":memory:"))
drawing: me_hodgerank.Drawing = me_hodgerank.draw(con, "votes", "ranking", kappa=10, personal=False)
saved: Path = drawing.save("ranking.svg")
shown: Optional[Path] = me_hodgerank.show(lite, "SELECT * FROM votes")
version: str = me_hodgerank.__version__

votes: me_hodgerank.Table = me_hodgerank.simulate(annotators=40, items=4, seed=7)
fit: me_hodgerank.Fit = me_hodgerank.fit(votes, kappa=10, folds=3, position_bias=True, threads=2, progress=print)
of_relation: me_hodgerank.Fit = me_hodgerank.fit(con.table("votes"), annotator=None, weight="n", progress=True)
items: list[Any] = fit.ranking()["item"]
row: dict[str, Any] = fit.summary()[0]
rows: list[tuple[Any, ...]] = fit.compare(top=3).rows()
names: list[str] = fit.next(5, votes).columns
predicted: me_hodgerank.Table = fit.predict(votes, annotator="who", left="a", right="b")
picture: me_hodgerank.Drawing = fit.plot("ranking")
kept: me_hodgerank.Fit = me_hodgerank.Fit.load(fit.save(Path("a.model")))
data: bytes = me_hodgerank.Fit.from_bytes(fit.to_bytes()).to_bytes()
try:
    fit.report(title="Drinks", date="2026-03-14")
except (me_hodgerank.VotesError, me_hodgerank.Timeout) as error:
    as_error: me_hodgerank.Error = error

# Mistakes that it finds.
wrong: sqlite3.Connection = me_hodgerank.connect()  # type: ignore[assignment]
me_hodgerank.draw(con, "votes", 3)  # type: ignore[arg-type]
me_hodgerank.draw(con, "votes", kappa=[1])  # type: ignore[arg-type]
me_hodgerank.fit([1, 2, 3])  # type: ignore[arg-type]
me_hodgerank.fit(votes, kapa=10)  # type: ignore[arg-type]
me_hodgerank.fit(votes, kappa="10")  # type: ignore[arg-type]
me_hodgerank.fit(votes, progress=3)  # type: ignore[arg-type]
fit.ranking()[1.5]  # type: ignore[call-overload]
