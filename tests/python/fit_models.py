"""A model travels between Python, DuckDB and SQLite."""

import apsw
import me_hodgerank

SETS = ["ranking", "annotators", "personal", "path", "cv", "cycles", "triangles", "compare", "next"]
con = me_hodgerank.connect()
lite = me_hodgerank.load(apsw.Connection(":memory:"))
con.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 30, items := 6, seed := 5)")
lite.execute("CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate('{\"annotators\": 30, \"items\": 6, \"seed\": 5}')")
fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=30, items=6, seed=5))
aggregate = 'SELECT me_hodgerank_model(annotator, "left", "right", choice) FROM votes'
((by_duckdb,),) = con.execute(aggregate).fetchall()
((by_sqlite,),) = list(lite.execute(aggregate))
assert by_duckdb == by_sqlite

# From SQL to Python. The aggregate does not know what the columns were called.
there = me_hodgerank.Fit.from_bytes(by_duckdb)
assert there.to_bytes() == by_duckdb
for name in SETS:
    assert getattr(there, name)().rows() == getattr(fit, name)().rows(), name
(about, own), columns = (one.summary()[0] for one in [there, fit]), "columns"
assert (about.pop(columns), own.pop(columns)) == (None, "annotator = annotator, left = left, right = right, choice = choice")
assert about == own

# From Python to SQL.
for name in SETS[:7]:
    from_python, from_sql = (con.execute(f"FROM me_hodgerank_model_{name}(?)", [model]).fetchall() for model in [fit.to_bytes(), by_duckdb])
    assert from_python == from_sql and from_python, name
    in_sqlite = list(lite.execute(f"SELECT * FROM me_hodgerank_model_{name}(?)", [fit.to_bytes()]))
    assert in_sqlite == getattr(fit, name)().rows(), name
svg = con.execute("SELECT me_hodgerank_svg(?, 'ranking')", [fit.to_bytes()]).fetchall()
assert svg == [(str(fit.plot("ranking")),)]

# Ids of which some are integers and others text, as SQLite allows.
lite.execute("UPDATE votes SET annotator = 'worker ' || annotator WHERE annotator > 20")
((mixed,),) = list(lite.execute(aggregate))
people = me_hodgerank.Fit.from_bytes(mixed).annotators()
assert {type(annotator) for annotator in people["annotator"]} == {int, str}
assert sorted(map(str, people["annotator"])) == sorted(str(row[0]) for row in lite.execute("SELECT DISTINCT annotator FROM votes"))
print("fine")
