"""A fit on several actors has the bytes of a fit in one process, whatever the votes come in."""

import doctest
import inspect

import me_hodgerank
import numpy
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import ray_cluster

assert not hasattr(me_hodgerank, "ray"), "the package does not import Ray"
import me_hodgerank.ray
import ray

ray_cluster.start()

# Every option of `me_hodgerank.fit`, in the same order.
local, remote = (list(inspect.signature(function).parameters) for function in (me_hodgerank.fit, me_hodgerank.ray.fit))
assert [name for name in remote if name in local] == local, remote

# 1, 2 and 4 actors, with cross-validation.
votes = ray_cluster.crowd(items=10)
files = ray_cluster.write(votes, "votes")
options = {"kappa": 2, "folds": 3, "grid_points": 10}
expected = me_hodgerank.fit(votes, **options)
assert expected.summary()[0]["personalized"] > 0, "a fit with effects"
shares = []
for actors in [1, 2, 4]:
    fit = me_hodgerank.ray.fit(files, actors=actors, progress=shares.append, **options)
    assert fit.to_bytes() == expected.to_bytes(), f"{actors} actors"
    statistics = fit.statistics
    assert statistics.ranks == actors and statistics.replacements == 0 and statistics.exchanges > 100, statistics
    assert len(statistics.waited_seconds) == actors and 0 <= statistics.waited_share < 1, statistics
assert shares == [0.2, 0.3, 0.4, 1.0] * 3, shares
# It is a fit as any other, and knows the columns.
assert isinstance(fit, me_hodgerank.Fit) and fit.ranking().rows() == expected.ranking().rows()
assert len(fit.predict(votes.slice(0, 5))) == 5

# Result sets as Parquet.
written = me_hodgerank.ray.fit([f"{files}/[0-3].parquet", f"{files}/4.parquet"], actors=3, result="sets", **options)
assert written.statistics.ranks == 3 and written.folder.endswith("/sets"), written
parts = [file for file in written.files if "/personal/" in file]
assert [file.rpartition("/")[2] for file in parts] == [f"part-{rank:05}.parquet" for rank in range(3)], parts
# Who deviates most comes first: in each file, and in a fit over all.
order = [("annotator", "ascending"), ("rank", "ascending")]
personal = pyarrow.concat_tables(map(pyarrow.parquet.read_table, parts)).sort_by(order)
assert len(personal) > 1000 and personal.equals(expected.personal().to_pyarrow().sort_by(order))
others = sorted(set(written.files) - set(parts))
names = ["annotators", "cv", "cycles", "path", "ranking", "summary", "triangles"]
assert [file.removeprefix(f"{written.folder}/") for file in others] == [f"{name}.parquet" for name in names], others
for name, file in zip(names, others):
    assert pyarrow.parquet.read_table(file).equals(getattr(expected, name)().to_pyarrow()), name
assert written.ranking.equals(expected.ranking().to_pyarrow()) and written.summary.num_rows == 1
ray_cluster.refused(FileExistsError, "is not empty", lambda: me_hodgerank.ray.fit(files, result="sets", **options))

# Weights and folds of one's own; annotators are text, in several spellings of Arrow; rows that
# cannot be used, among them those of somebody who has no others.
random = numpy.random.default_rng(5)
who = [f"annotator {number}" for number in votes["annotator"].to_pylist()]
left = votes["left"].cast(pyarrow.int16()).to_pylist()
left[:50] = [None] * 50
who[:3], who[100] = ["nobody"] * 3, None
table = pyarrow.table({
    "who": who, "a": pyarrow.array(left, pyarrow.int16()), "b": votes["right"].cast(pyarrow.int16()),
    "picked": votes["choice"], "n": random.integers(1, 4, len(votes)), "part": random.integers(0, 3, len(votes)),
})
text = pyarrow.schema([table.schema.field(0).with_type(pyarrow.large_string()), *list(table.schema)[1:]])
half = len(table) // 2
dataset = ray.data.from_arrow([table.slice(0, half).cast(text), table.slice(half)])
columns = {"annotator": "who", "left": "a", "right": "b", "choice": "picked", "weight": "n", "fold": "part"}
options = {**columns, "kappa": 2, "grid_points": 10, "on_bad_row": "skip"}
expected = me_hodgerank.fit(table, **options)
assert expected.summary()[0]["skipped_rows"] == 51
fit = me_hodgerank.ray.fit(dataset, actors=3, **options)
assert fit.statistics.ranks == 3 and fit.to_bytes() == expected.to_bytes()
categories = ray.data.from_arrow(table.set_column(0, "who", table["who"].dictionary_encode()))
assert me_hodgerank.ray.fit(categories, actors=2, **options).to_bytes() == expected.to_bytes()
# Unless they are left out, the first block with such rows is an error.
options["on_bad_row"] = "error"
says = ' cannot be used; column "who" is NULL in 1 row: every vote needs an annotator; column "a" is NULL in 50 rows'
for fit in [lambda: me_hodgerank.fit(table, **options), lambda: me_hodgerank.ray.fit(dataset, actors=3, **options)]:
    ray_cluster.refused(me_hodgerank.VotesError, says, fit)

# CSV, by one path; a small table is on one rank, however many are asked for.
few = votes.slice(0, 5000)
pyarrow.csv.write_csv(few, "votes.csv")
fit = me_hodgerank.ray.fit("votes.csv", actors=4, folds=0, t=1.0)
assert fit.statistics.ranks == 1 and fit.to_bytes() == me_hodgerank.fit(few, folds=0, t=1.0).to_bytes()

# The examples in its own documentation.
failed, tried = doctest.testmod(me_hodgerank.ray)
assert tried and not failed
print("fine")
