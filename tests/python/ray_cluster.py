"""A local Ray cluster of several processes, and votes for it: what the programs ray_*.py share."""

import os

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else every actor's start is warned about

import logging

import me_hodgerank
import numpy
import pyarrow
import pyarrow.parquet
import ray
import ray.data


def start(**options):
    """More processes than this machine may have processors."""
    ray.init(num_cpus=4, include_dashboard=False, object_store_memory=400_000_000, logging_level="warning", **options)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel("WARNING")


def crowd(annotators=3000, votes_each=100, **options):
    """Votes in an order that is not the annotators': those of an annotator are in many files."""
    votes = me_hodgerank.simulate(annotators=annotators, votes_each=votes_each, seed=3, **options).to_pyarrow()
    votes = votes.select(["annotator", "left", "right", "choice"])
    return votes.take(numpy.random.default_rng(1).permutation(len(votes)))


def write(votes, folder, files=5):
    """The votes in so many Parquet files, with a column that is not read."""
    os.makedirs(folder)
    for file in range(files):
        part = votes.take(numpy.arange(file, len(votes), files))
        part = part.append_column("note", pyarrow.array(["nobody reads this"] * len(part)))
        pyarrow.parquet.write_table(part, f"{folder}/{file}.parquet")
    return folder


def refused(kind, says, action):
    """The error that is raised, of just that kind."""
    try:
        action()
    except Exception as error:
        assert type(error) is kind and says in str(error), (type(error), str(error))
        return error
    raise SystemExit(f"not refused: {says}")
