"""What goes wrong on a cluster: the exceptions of `me_hodgerank.fit`, with the same text."""

import subprocess
import sys
import warnings

import me_hodgerank
import me_hodgerank.ray
import pyarrow
import pyarrow.csv
import ray
import ray_cluster
from me_hodgerank import Error, OptionError, Timeout, VotesError
from me_hodgerank.ray import _ranks, _votes
from ray_cluster import refused

fit = me_hodgerank.ray.fit

# Options, before there is a cluster.
refused(OptionError, 'unknown option "kapa"; did you mean "kappa"?', lambda: fit("votes", kapa=10))
refused(OptionError, "kappa must be a finite number greater than 0, not -1", lambda: fit("votes", kappa=-1))
for name, wrong in [("actors", 0), ("actors", True), ("threads", 0), ("memory_per_actor", 1.5)]:
    refused(OptionError, f"{name} must be a whole number, 1 or greater, not {wrong!r}", lambda: fit("votes", **{name: wrong}))
refused(OptionError, "cpus_per_actor must be a number greater than 0, not 0", lambda: fit("votes", cpus_per_actor=0))
refused(OptionError, "max_replacements must be a whole number, 0 or greater", lambda: fit("votes", max_replacements=-1))
refused(TypeError, "progress must be a function", lambda: fit("votes", progress=3))
assert not ray.is_initialized()

# What is no votes.
ray_cluster.start()
refused(TypeError, "votes must be a path, a list of paths or a Ray Dataset, not dict", lambda: fit({}))
refused(TypeError, "not list", lambda: fit([1]))
refused(FileNotFoundError, "no file matches nothing*.parquet", lambda: fit("nothing*.parquet"))
refused(VotesError, "the list of files is empty", lambda: fit([]))
refused(VotesError, "some files are CSV and others are not", lambda: fit(["a.csv", "b.parquet"]))

# Columns and rows.
votes = ray_cluster.crowd(items=10)


def dataset(votes):
    return ray.data.from_arrow([votes.slice(start, 60_000) for start in range(0, len(votes), 60_000)])


both = [me_hodgerank.fit, lambda votes, **options: fit(dataset(votes), actors=2, **options)]
for says, wrong, options in [
    ('the votes have no column "choice"', votes.drop_columns("choice"), {}),
    ('the votes have no column "n"', votes, {"weight": "n"}),
    ('column "left" holds Float64', votes.set_column(1, "left", votes["left"].cast(pyarrow.float64())), {}),
    ("300000 rows of 300000" if False else "none of the 300000 rows can be used", votes.set_column(3, "choice", pyarrow.array(["perhaps"] * len(votes))), {}),
    ("looks like", votes.set_column(3, "choice", pyarrow.compute.choose(pyarrow.compute.cast(pyarrow.compute.greater(votes["choice"], 0), pyarrow.int64()), 1, 2)), {}),
]:
    texts = [str(refused(VotesError, says, lambda: one(wrong, **options))) for one in both]
    assert texts[0] == texts[1], texts
print("fine")
