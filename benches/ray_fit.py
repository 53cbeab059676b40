#!/usr/bin/env python3
"""Ray with 1, 2 and 4 processes beside the plain engine, on the same votes in the same run.

usage: ray_fit.py [ANNOTATORS [VOTES_EACH]]     in an environment with Ray and the package
"""

import logging
import os
import sys
import tempfile
import time

import me_hodgerank
import me_hodgerank.ray
import pyarrow.parquet
import ray
import ray.data

OPTIONS = {"kappa": 10}
ITEMS = 50


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def timed(action):
    start = time.monotonic()
    found = action()
    return time.monotonic() - start, found


def main(annotators=5000, votes_each=200):
    votes = me_hodgerank.simulate(annotators=annotators, items=ITEMS, votes_each=votes_each, seed=1).to_pyarrow()
    votes = votes.select(["annotator", "left", "right", "choice"])
    ray.init(num_cpus=4, include_dashboard=False, object_store_memory=10**9, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel("ERROR")
    print(f"\nwith CV: {len(votes):,} votes of {annotators:,} annotators on {ITEMS} items, {os.cpu_count()} processors\n")
    row("", "all of it", "read and spread", "fit", "of it waiting in exchanges", "exchanges", "bytes of an exchange")
    row(*["---"] * 7)
    for threads in [1, 2]:
        seconds, local = timed(lambda: me_hodgerank.fit(votes, threads=threads, **OPTIONS))
        row(f"one process, {threads} thread{'s' * (threads > 1)}", f"{seconds:.1f} s", "", f"{seconds:.1f} s", "", "", "")
    with tempfile.TemporaryDirectory() as folder:
        pyarrow.parquet.write_table(votes, f"{folder}/votes.parquet", row_group_size=len(votes) // 8)
        # The first one also starts Ray's processes.
        me_hodgerank.ray.fit(folder, actors=4, folds=0, t=0.1)
        for actors in [1, 2, 4]:
            seconds, fit = timed(lambda: me_hodgerank.ray.fit(folder, actors=actors, **OPTIONS))
            assert fit.to_bytes() == local.to_bytes(), "other bits"
            its = fit.statistics
            spread = its.read_seconds + its.count_seconds + its.spread_seconds + max(its.load_seconds)
            row(f"Ray, {its.ranks} process{'es' * (its.ranks > 1)}", f"{seconds:.1f} s", f"{spread:.1f} s",
                f"{max(its.fit_seconds):.1f} s", f"{its.waited_share:.0%}", f"{its.exchanges:,}",
                f"{its.exchanged_bytes / max(its.exchanges, 1):,.0f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
