"""A model travels between Python, DuckDB and SQLite: the same bytes everywhere."""

import apsw
import me_hodgerank

con = me_hodgerank.connect()
lite = me_hodgerank.load(apsw.Connection(":memory:"))
con.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 30, items := 6, seed := 5)")
lite.execute("CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate('{\"annotators\": 30, \"items\": 6, \"seed\": 5}')")
fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=30, items=6, seed=5))
aggregate = 'SELECT me_hodgerank_model(annotator, "left", "right", choice) FROM votes'
(by_duckdb,) = con.execute(aggregate).fetchone()
((by_sqlite,),) = list(lite.execute(aggregate))
in_sql = {"DuckDB": bytes(by_duckdb), "SQLite": bytes(by_sqlite)}
print({host: len(model) for host, model in in_sql.items()}, len(fit.to_bytes()))
for host, model in in_sql.items():
    there = me_hodgerank.Fit.from_bytes(model)
    for name in ["ranking", "annotators", "personal", "path", "cv", "cycles", "triangles", "compare", "next"]:
        assert getattr(there, name)().rows() == getattr(fit, name)().rows(), (host, name)
