"""`me_hodgerank.fit` with nothing beside it: no DuckDB, pandas, polars, pyarrow or tqdm."""

import importlib.util
import pickle
import sys
import warnings

import me_hodgerank

for name in ["duckdb", "pandas", "polars", "pyarrow", "tqdm"]:
    assert importlib.util.find_spec(name) is None and name not in sys.modules, name


def refused(kind, says, action):
    try:
        action()
    except kind as error:
        assert says in str(error), error
    else:
        raise SystemExit(f"not refused: {says}")


votes = me_hodgerank.simulate(annotators=40, items=4, seed=7)
fit = me_hodgerank.fit(votes)
ranking = fit.ranking()
assert len(ranking) == 4 and ranking.columns[:3] == ["item", "rank", "score"]
assert [row["item"] for row in ranking] == ranking["item"] == [row[0] for row in ranking.rows()] == [2, 1, 3, 4]
assert ranking[1] == list(ranking)[1] and ranking[-4]["rank"] == 1 and ranking.to_dict()["rank"] == [1, 2, 3, 4]
annotators = fit.annotators()
assert None in annotators["position_bias_order"] and {type(row["is_adversarial"]) for row in annotators} == {bool}
refused(KeyError, "rnak", lambda: ranking["rnak"])
refused(IndexError, "row 4 of a table of 4 rows", lambda: ranking[4])
refused(TypeError, "a column's name or a row's number", lambda: ranking[1.5])

# Every result set has a method.
try:
    fit._native.has("no such set")
    raise SystemExit("there is no such set")
except me_hodgerank.OptionError as error:
    sets = str(error).partition("The result sets are: ")[2].split(", ")
assert len(sets) > 9 and all(len(getattr(fit, name)().columns) > 3 for name in sets), sets

# To be read.
lines = repr(ranking).splitlines()
assert lines[0].split()[:3] == ["item", "rank", "score"] and lines[1].split()[:2] == ["2", "1"], lines
assert max(map(len, lines[:-1])) <= 100 and "more columns: " in lines[-1], lines
assert "… 40 rows" in repr(annotators) and "<p>40 rows</p>" in annotators._repr_html_()
assert repr(fit).startswith("<me_hodgerank.Fit: 2400 votes of 40 annotators on 4 items>\nranking: 2, 1, 3, 4\nverdicts: 31 ok, "), repr(fit)
shown = fit._repr_html_()
assert "<svg " in shown and "clicks left" in shown and "need a look before they are paid for" in shown, shown[:300]
assert "<script" not in shown and "body{" not in shown, "styles of the page itself"
evil = me_hodgerank.Fit.from_bytes(fit.to_bytes())
assert evil._repr_html_() == shown

# What is missing, and what to install.
refused(ImportError, "polars is not installed: pip install polars", ranking.to_polars)
refused(ImportError, "pyarrow is not installed: pip install pyarrow", ranking.to_pyarrow)
refused(ImportError, "pandas is not installed: pip install pandas pyarrow", ranking.to_pandas)
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    assert me_hodgerank.fit(votes, progress=True).to_bytes() == fit.to_bytes()
assert "pip install tqdm" in str(warned[0].message) and warned[0].filename == __file__, warned

# Progress: from 0 to 1, and not all at once.
shares = []
assert me_hodgerank.fit(me_hodgerank.simulate(annotators=300, items=40), progress=shares.append) and me_hodgerank.fit(votes, progress=False)
assert shares == sorted(set(shares)) and shares[0] >= 0 and shares[-1] == 1.0 and len(shares) > 2, shares
assert all(type(share) is float for share in shares)

# No time chosen, and nobody knows who voted.
path_alone = me_hodgerank.fit(votes, folds=0)
assert "no time was chosen" in repr(path_alone) and len(path_alone.path()) > 0 and "<svg " in path_alone._repr_html_()
refused(me_hodgerank.OptionError, "with folds = 0 nothing chooses where to stop", path_alone.ranking)
nobody = me_hodgerank.fit(votes, annotator=None)
assert repr(nobody).splitlines() == ["<me_hodgerank.Fit: 2400 votes on 4 items>", "ranking: 2, 1, 3, 4"], repr(nobody)
assert "<svg " in nobody._repr_html_() and "paid for" not in nobody._repr_html_()
assert nobody.predict(votes)["predicted"][0] == nobody.predict(votes)["predicted_hodgerank"][0]

# Saved, loaded, pickled.
assert me_hodgerank.Fit.load(fit.save("a.model")).to_bytes() == open("a.model", "rb").read() == fit.to_bytes()
assert pickle.loads(pickle.dumps(fit)).ranking().rows() == ranking.rows()
assert me_hodgerank.Fit.from_bytes(memoryview(fit.to_bytes())).to_bytes() == fit.to_bytes()
for threads in [1, 2, 3, 8]:
    assert me_hodgerank.fit(votes, threads=threads).to_bytes() == fit.to_bytes(), threads
print("fine")
