"""`me_hodgerank.fit` on frames of pandas, polars and pyarrow and on relations of DuckDB: the same
numbers, to the bit, as the DuckDB extension gives, in the types of each library."""

import decimal
import pickle

import duckdb
import me_hodgerank
import pandas
import polars
import pyarrow

SETS = ["ranking", "annotators", "personal", "path", "cv", "summary", "cycles", "triangles", "compare", "next"]
con = me_hodgerank.connect()


def bits(rows):
    """Values that are equal only if every bit of a number is."""
    cell = lambda value: value.hex() if isinstance(value, float) else value
    return [tuple(map(cell, row)) for row in rows]


def sql(text, *arguments):
    return bits(con.execute(text, arguments).fetchall())


def function(set_name):
    return "me_hodgerank" if set_name == "ranking" else f"me_hodgerank_{set_name}"


# Text, numbers of both signs, weights, ties: made of simulated votes.
con.execute("""
    CREATE TABLE votes AS SELECT 'worker ' || annotator AS annotator, "left"::SMALLINT AS "left", "right"::SMALLINT AS "right",
        CASE WHEN annotator % 7 = 0 AND "left" = 1 THEN 'tie' ELSE choice END AS choice, 1 + annotator % 3 AS n
    FROM (SELECT * REPLACE (CASE choice WHEN 1 THEN 'left' WHEN -1 THEN 'right' ELSE choice::VARCHAR END AS choice)
          FROM me_hodgerank_simulate(annotators := 40, items := 8, seed := 7))
""")
if sql("SELECT DISTINCT choice FROM votes ORDER BY 1") != [("left",), ("right",), ("tie",)]:
    raise SystemExit("these are other choices than the query above knows")
table = con.table("votes").to_arrow_table()
frames = {
    "pyarrow.Table": table,
    "pyarrow.RecordBatch": table.combine_chunks().to_batches()[0],
    "pyarrow.RecordBatchReader": table.to_reader(max_chunksize=100),
    "sliced": pyarrow.concat_tables([table.slice(0, 1000), table.slice(1000)]),
    "polars": polars.from_arrow(table),
    "polars, categories": polars.from_arrow(table).with_columns(polars.col("annotator").cast(polars.Categorical)),
    "pandas": table.to_pandas(),
    "pandas, categories": table.to_pandas().astype({"annotator": "category"}),
    "relation": con.table("votes"),
    "filtered relation": con.sql("FROM votes WHERE n > 0 ORDER BY hash(annotator, \"left\")"),
}
options = {"weight": "n", "kappa": 10}
wanted = {name: sql(f"FROM {function(name)}('votes', weight := 'n', kappa := 10)") for name in SETS}
names = {name: con.sql(f"FROM {function(name)}('votes')").columns for name in SETS}
fits = {}
for what, frame in frames.items():
    fit = fits[what] = me_hodgerank.fit(frame, **options)
    for name in SETS:
        found = getattr(fit, name)()
        assert found.columns == names[name], (what, name, found.columns)
        assert bits(found.rows()) == wanted[name], (what, name)
    assert len(set(map(len, wanted.values()))) > 5, "sets that are all alike show nothing"
stored = {what: fit.to_bytes() for what, fit in fits.items()}
assert len(set(stored.values())) == 1, "other bytes"
fit = fits["polars"]

# Row order, threads: the same bytes.
shuffled = con.sql("FROM votes ORDER BY hash(annotator, \"right\", choice)").to_arrow_table()
for threads in [1, 2, 3, 8]:
    assert me_hodgerank.fit(shuffled, threads=threads, **options).to_bytes() == stored["polars"], threads

# Results as frames of each library, ids in the type that they came in.
ranking = fit.ranking()
as_pyarrow, as_polars, as_pandas = ranking.to_pyarrow(), ranking.to_polars(), ranking.to_pandas()
assert as_pyarrow.schema.field("item").type == pyarrow.int16() == pyarrow.schema(ranking).field("item").type
assert as_polars.schema["item"] == polars.Int16 and polars.DataFrame(ranking).equals(as_polars)
assert str(as_pandas.dtypes["item"]) == "int16"
assert fit.annotators().to_polars().schema["annotator"] == polars.String
for rows in [as_polars.rows(), as_pandas.itertuples(index=False, name=None), zip(*as_pyarrow.to_pydict().values())]:
    assert bits(rows) == wanted["ranking"]
assert sql("FROM ranking") == wanted["ranking"]
if hasattr(pandas.DataFrame, "from_arrow"):
    assert pandas.DataFrame.from_arrow(ranking).equals(as_pandas)
for kind in ["TINYINT", "INTEGER", "BIGINT", "UTINYINT", "UINTEGER", "UBIGINT", "HUGEINT", "VARCHAR"]:
    ids = con.sql(f"SELECT annotator, \"left\"::{kind} AS \"left\", \"right\"::{kind} AS \"right\", choice FROM votes")
    items = me_hodgerank.fit(ids, kappa=3).ranking()
    came, went = ids.to_arrow_table().schema.field("left").type, items.to_pyarrow().schema.field("item").type
    assert came == went or pyarrow.types.is_string(went) and kind == "VARCHAR", (came, went)
    assert isinstance(items["item"][0], str if kind == "VARCHAR" else int), items["item"]

# Predictions: the frame's own columns, and the same numbers.
test = con.sql("SELECT annotator, \"left\", \"right\", DATE '2026-01-01' AS day FROM votes UNION ALL SELECT NULL, 1, 99, NULL")
con.execute("CREATE TABLE test AS FROM test")
predicted = fit.predict(test)
assert predicted.columns == ["annotator", "left", "right", "day", "predicted", "predicted_hodgerank", "win_probability"]
by_sql = sql("SELECT predicted, predicted_hodgerank, win_probability FROM me_hodgerank_predict('votes', 'test', weight := 'n', kappa := 10) ORDER BY ALL")
by_fit = sql("SELECT predicted, predicted_hodgerank, win_probability FROM predicted ORDER BY ALL")
assert by_sql == by_fit and len(by_fit) == len(table) + 1
assert predicted["predicted"][-1] is None and predicted["predicted_hodgerank"][-1] is not None
assert predicted.to_polars().schema["day"] == polars.Date
assert "…" in repr(predicted) and ">…</td>" in predicted._repr_html_()
renamed = con.sql("SELECT annotator AS who, \"left\" AS a, \"right\" AS b, choice AS picked, n FROM votes")
by_name = me_hodgerank.fit(renamed, annotator="who", left="a", right="b", choice="picked", **options)
assert bits(by_name.ranking().rows()) == wanted["ranking"]
for one in [by_name, pickle.loads(pickle.dumps(by_name))]:  # knows the names
    assert bits(one.predict(renamed).rows())[0][-3:] == bits(fit.predict(con.table("votes")).rows())[0][-3:]
loaded = me_hodgerank.Fit.from_bytes(by_name.to_bytes())  # and this does not
assert loaded.predict(renamed, annotator="who", left="a", right="b")["predicted"] == by_name.predict(renamed)["predicted"]

# The pairs to ask, among candidates.
pairs = con.sql("SELECT DISTINCT \"left\", \"right\" FROM votes WHERE \"left\" < 4 AND \"right\" < 4")
con.execute("CREATE TABLE pairs AS FROM pairs")
asked = sql("FROM me_hodgerank_next('votes', n := 3, candidates := 'pairs', weight := 'n', kappa := 10)")
for candidates in [pairs, pairs.to_arrow_table(), pairs.pl(), pairs.df()]:
    assert bits(fit.next(3, candidates).rows()) == asked, candidates
assert len(asked) == 3 and bits(fit.compare(top=3).rows()) == sql("FROM me_hodgerank_compare('votes', top := 3, weight := 'n', kappa := 10)")
a_b = pairs.project('"left" AS a, "right" AS b')
assert bits(fit.next(3, a_b, left="a", right="b").rows()) == bits(by_name.next(3, a_b).rows()) == asked

# Pictures and the report: the same bytes.
for kind in ["ranking", "path_position_bias", "path_deviation", "cv", "jump_out", "personal", "matrix"]:
    assert sql("SELECT svg FROM me_hodgerank_plot('votes', ?, weight := 'n', kappa := 10)", kind) == [(str(fit.plot(kind)),)], kind
((page,),) = sql("SELECT html FROM me_hodgerank_report('votes', title := 'T', date := 'D', weight := 'n', kappa := 10)")
assert str(fit.report(title="T", date="D")) == page and fit.report()._repr_html_().startswith("<iframe")

# Simulated votes are those of SQL, and a table can be fitted.
simulated = me_hodgerank.simulate(annotators=20, items=5, ties=0.1, seed=3)
assert bits(simulated.rows()) == sql("FROM me_hodgerank_simulate(annotators := 20, items := 5, ties := 0.1, seed := 3)")

# A decimal from a fraction is a choice; a number of numpy is an option.
numbers = con.sql("SELECT annotator, \"left\", \"right\", CASE choice WHEN 'left' THEN 1.5 WHEN 'right' THEN -0.5 ELSE 0 END::DECIMAL(4, 1) AS choice FROM votes")
assert len(me_hodgerank.fit(numbers, kappa=pandas.Series([10]).iloc[0]).ranking()) == 8
wide = pyarrow.table({"left": pyarrow.array([1, 2, 3], pyarrow.decimal128(38, 0)), "right": pyarrow.array([2, 3, 1], pyarrow.decimal128(38, 0)),
                      "annotator": ["a", "b", "c"], "choice": [decimal.Decimal("1"), decimal.Decimal("-1"), decimal.Decimal("1")]})
assert me_hodgerank.fit(wide).ranking().to_pyarrow().schema.field("item").type == pyarrow.decimal128(38, 0)
print("fine")
