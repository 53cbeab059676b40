"""What goes wrong on a cluster: the exceptions of `me_hodgerank.fit`, with the same text."""

import subprocess
import sys
import warnings

import me_hodgerank
import me_hodgerank.ray
import pyarrow
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


def with_choices(values):
    return votes.set_column(3, "choice", pyarrow.array(values))


codes = [1 if choice > 0 else 2 for choice in votes["choice"].to_pylist()]
for says, wrong, options in [
    ('the votes have no column "choice"', votes.drop_columns("choice"), {}),
    ('the votes have no column "n"', votes, {"weight": "n"}),
    ('column "left" holds Float64', votes.set_column(1, "left", votes["left"].cast(pyarrow.float64())), {}),
    ('column "choice" holds the numbers 1 and 2', with_choices(codes), {}),
]:
    texts = [
        str(refused(VotesError, says, lambda: me_hodgerank.fit(wrong, **options))),
        str(refused(VotesError, says, lambda: fit(dataset(wrong), actors=2, **options))),
    ]
    assert texts[0] == texts[1], texts
# Rows are counted in the block where they are.
refused(VotesError, "none of the 60000 rows can be used", lambda: fit(dataset(with_choices(["perhaps"] * len(votes)))))
refused(VotesError, "no votes", lambda: fit(dataset(with_choices(["perhaps"] * len(votes))), on_bad_row="skip"))
refused(VotesError, "no votes", lambda: fit(dataset(votes.slice(0, 60_000)).filter(lambda row: False)))

# What several machines cannot do yet, and time.
two = {"actors": 2, "kappa": 5, "grid_points": 10}
refused(OptionError, "annotator=None cannot be fitted with Ray", lambda: fit(dataset(votes), annotator=None))
refused(OptionError, "loss", lambda: fit(dataset(votes), loss="logistic", **two))
refused(OptionError, "bias_test = 'knockoff' needs all votes in one process", lambda: fit(dataset(votes), bias_test="knockoff", fdr=0.1, **two))
refused(Timeout, "stopped after max_seconds = 0.01", lambda: fit(dataset(votes), max_seconds=0.01, **two))

# A machine with another version.
version = me_hodgerank._native.__version__
me_hodgerank._native.__version__ = "0.0.0"
refused(Error, f"the program has me_hodgerank 0.0.0, and a machine of the cluster has {version}", lambda: fit(dataset(votes)))
me_hodgerank._native.__version__ = version

# A rank whose connection breaks is replaced: by these words it is known.
lonely = me_hodgerank._native.RankVotes("{}")
lonely.push(votes)
refused(Error, _ranks.NOT_CONNECTED, lambda: lonely.fit("127.0.0.1:9", 0, 2, 1, 1, True))

# Integers and text.
kinds = [pyarrow.int32(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())]
refused(VotesError, "annotators are integers in some files and text in others", lambda: _votes._common_type(kinds))
assert _votes._common_type([pyarrow.int32(), pyarrow.uint64(), pyarrow.null()]) == pyarrow.decimal128(38, 0)

# More actors than there is room for, where the votes need no more than one.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    assert fit(dataset(votes.slice(0, 5000)), actors=9, folds=0, t=1.0).statistics.ranks == 1
(warning,) = [str(one.message) for one in said if one.category is UserWarning]
assert "has processors for 4 actors of 1, not for 9" in warning, warning

# A program that has no Ray.
code = "import sys; sys.modules['ray'] = None; import me_hodgerank; import me_hodgerank.ray"
done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
assert 'ImportError: me_hodgerank.ray needs ray, which is not installed: pip install "me_hodgerank[ray]"' in done.stderr, done.stderr
print("fine")
