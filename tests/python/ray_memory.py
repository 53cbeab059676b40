"""More votes in total than one process may hold: the kernel refuses memory beyond a limit. One
process fails, four fit, and no answer is different."""

import os
import pathlib
import re
import resource
import sys

import me_hodgerank
import me_hodgerank.ray
import numpy
import pyarrow
import pyarrow.parquet
import ray_cluster
from me_hodgerank.ray import _ranks

if not sys.platform.startswith("linux"):
    raise SystemExit("RLIMIT_DATA is Linux's")

FILES, ROWS, ITEMS, ANNOTATORS = 8, 500_000, 20, 4000
# Four processes fit with 96 MB each and not with 48; one process fails with 180 as well.
LIMIT = 128 << 20


class LimitedActor(_ranks.RankActor):
    """An actor that may take so much memory for its votes and their fit, and no more."""

    def fit(self, *arguments):
        # What the process has of its own, threads of Ray among it, is not counted.
        taken = re.search(r"VmData:\s+(\d+) kB", pathlib.Path("/proc/self/status").read_text())
        limit = (int(taken[1]) << 10) + LIMIT
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        return super().fit(*arguments)


def write(file):
    random = numpy.random.default_rng(file)
    left = random.integers(0, ITEMS, ROWS, dtype=numpy.int16)
    right = (left + 1 + random.integers(0, ITEMS - 1, ROWS, dtype=numpy.int16)) % ITEMS
    noise = random.normal(0, 5, ROWS)
    votes = pyarrow.table({
        "annotator": random.integers(0, ANNOTATORS, ROWS, dtype=numpy.int32), "left": left, "right": right,
        "choice": numpy.sign(left - right + noise), "n": random.integers(1, 4, ROWS, dtype=numpy.int8),
    })
    pyarrow.parquet.write_table(votes, f"votes/{file}.parquet")


os.makedirs("votes")
for file in range(FILES):
    write(file)
options = {"weight": "n", "folds": 0, "t": 1.0, "personal": False}
ray_cluster.start(log_to_driver=False)  # a process that gets no memory says so at length
_ranks.RankActor = LimitedActor
fit = me_hodgerank.ray.fit("votes", actors=4, **options)
assert fit.statistics.ranks == 4 and fit.statistics.replacements == 0, fit.statistics
alone = lambda: me_hodgerank.ray.fit("votes", actors=1, max_replacements=0, **options)
ray_cluster.refused(me_hodgerank.Error, "rank 0 of 1 was lost once", alone)
expected = me_hodgerank.fit(pyarrow.parquet.read_table("votes"), **options)
assert fit.to_bytes() == expected.to_bytes()
print("fine")
