"""`show` and `draw`, with DuckDB, with SQLite, in a browser and in a notebook."""

import html
import os
import warnings
import webbrowser

import duckdb
import me_hodgerank
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from me_hodgerank import draw, load, show

try:
    import pysqlite3 as sqlite3
except ModuleNotFoundError:
    import sqlite3

KINDS = ["report", "ranking", "path_position_bias", "path_deviation", "cv", "jump_out", "personal"]


def is_drawn(drawing, kind):
    text = str(drawing)
    start, end = ("<!DOCTYPE html>", "</html>") if kind == "report" else ("<svg ", "</svg>")
    assert text.startswith(start) and text.rstrip().endswith(end), (kind, text[:100])
    return text


def refused(says, action):
    try:
        action()
    except Exception as error:
        assert says in str(error), error
    else:
        raise SystemExit(f"not refused: {says}")


opened = []
webbrowser.open = lambda url, *more: opened.append(url) or True

# DuckDB: a connection in which nothing is loaded yet, and a database with a name that needs quotes.
con = duckdb.connect('a "base".duckdb', config={"allow_unsigned_extensions": True})
con.execute("LOAD '{}'".format(me_hodgerank.duckdb_extension))
con.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 20, items := 5, seed := 1)")
by_duckdb = {kind: is_drawn(draw(con, "votes", kind), kind) for kind in KINDS}
assert len(set(by_duckdb.values())) == len(KINDS)
path = show(con, "votes")
assert path.read_text() == by_duckdb["report"] and path.suffix == ".html" and opened == [path.as_uri()], opened
assert os.stat(path).st_mode & 0o077 == 0, "others can read it"
path.unlink()
path = show(con, kind="ranking")
assert path.read_text() == by_duckdb["ranking"] and path.suffix == ".svg" and opened[1:] == [path.as_uri()], opened
path.unlink()

# Options: numbers, words, truth values and names of columns; not the default's picture.
con.execute('CREATE VIEW renamed AS SELECT annotator AS who, "left", "right", choice FROM votes')
with_options = str(draw(con, "renamed", "ranking", annotator="who", kappa=10, personal=False, pair_model="thurstone"))
assert with_options != by_duckdb["ranking"]
assert str(draw(con, "votes", "ranking", kappa=None)) == by_duckdb["ranking"]

# A relation in place of a name, and the name of its variable; a table comes first. Nothing is left behind.
assert str(draw(con, con.table("votes"), "ranking")) == by_duckdb["ranking"]
few = con.sql("FROM votes WHERE annotator <= 10")
drawn_few = str(draw(con, few, "ranking"))


def by_variable():
    in_a_function = con.sql("FROM votes WHERE annotator <= 10")
    votes = in_a_function
    assert str(draw(con, "in_a_function", "ranking")) == drawn_few != by_duckdb["ranking"]
    assert str(draw(con, "votes", "ranking")) == by_duckdb["ranking"], votes
    path = show(con, "in_a_function", "ranking")
    assert path.read_text() == drawn_few
    path.unlink()
    opened.pop()


by_variable()
con.execute("BEGIN")
con.execute("CREATE TABLE fewer AS FROM votes WHERE annotator <= 10")  # not committed: read as the caller sees it
assert str(draw(con, "fewer", "ranking")) == str(draw(con, "few", "ranking")) == drawn_few
con.execute("ROLLBACK")
refused("does not exist", lambda: con.execute("FROM me_hodgerank_votes_of_a_frame"))
refused("unknown picture", lambda: draw(con, "votes", "rank"))
refused("nothing", lambda: draw(con, "nothing"))
refused("does not support the supplied arguments", lambda: draw(con, "votes", kapa=3))
refused("allow_unsigned_extensions", lambda: draw(duckdb.connect()))
refused("not <class 'int'>", lambda: draw(3))

# No browser: it says where the page is.
webbrowser.open = lambda url, *more: False
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    path = show(con, "votes", "cv")
assert str(path) in str(warned[0].message) and warned[0].filename == __file__, warned
path.unlink()

# SQLite: loaded when needed, whatever its rows are; the same bytes.
lite = sqlite3.connect(":memory:")
lite.row_factory = lambda cursor, row: {column[0]: value for column, value in zip(cursor.description, row)}
draws_in_sqlite = hasattr(lite, "enable_load_extension")
if draws_in_sqlite:
    refused("no such table: votes", lambda: draw(lite, "votes"))
    simulated = '{"annotators": 20, "items": 5, "seed": 1}'
    lite.execute("CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate(?)", [simulated])
    assert {kind: str(draw(lite, "votes", kind)) for kind in KINDS} == by_duckdb
    select = 'SELECT annotator AS who, "left", "right", choice FROM votes'
    options = {"annotator": "who", "kappa": 10, "personal": False, "pair_model": "thurstone"}
    assert str(draw(lite, select, "ranking", **options)) == with_options
    refused("unknown picture", lambda: draw(lite, "votes", "rank"))
    refused("kapa", lambda: draw(lite, "votes", kapa=3))

# A notebook. IPython without a kernel is a terminal's.
shell = InteractiveShell.instance()
assert not me_hodgerank._drawings._in_notebook()
shell.kernel = object()
with capture_output() as captured:
    assert show(con, "votes", "ranking") is None
    assert show(con, "votes") is None
picture, report = (output.data for output in captured.outputs)
assert picture["image/svg+xml"].strip() == by_duckdb["ranking"].strip() and "text/html" not in picture, picture.keys()
assert html.escape(by_duckdb["report"]) in report["text/html"] and "image/svg+xml" not in report, report.keys()
assert report["text/html"].startswith("<iframe sandbox srcdoc="), report["text/html"][:80]
assert len(opened) == 2, opened
print("fine, in SQLite too" if draws_in_sqlite else "fine")
