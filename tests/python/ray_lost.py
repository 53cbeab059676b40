"""Actors that are killed in the middle of a fit: others take their place, and the bytes are the same.
Ctrl-C ends a fit and its actors."""

import os
import signal
import threading
import time

import me_hodgerank
import me_hodgerank.ray
import ray
import ray_cluster
from me_hodgerank import _native

signal.signal(signal.SIGINT, signal.default_int_handler)
ray_cluster.start()
votes = ray_cluster.crowd(items=10)
files = ray_cluster.write(votes, "votes")
options = {"kappa": 2, "folds": 3, "grid_points": 10}
expected = me_hodgerank.fit(votes, **options).to_bytes()

# The coordinator of the fit that is under way.
coordinators = []
made = _native.Coordinator


def coordinator(*arguments):
    coordinators.append(made(*arguments))
    return coordinators[-1]


_native.Coordinator = coordinator


def actors_of(rank):
    return [name for name in ray.util.list_named_actors() if f"-rank-{rank}-" in name]


def at(exchanges, action):
    """Does something once so many exchanges are complete."""
    known = len(coordinators)

    def wait():
        while len(coordinators) == known or coordinators[-1].exchanges()[0] < exchanges:
            time.sleep(0.001)
        action()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def kill(rank):
    (name,) = actors_of(rank)
    ray.kill(ray.get_actor(name))


# How many exchanges there are, and then one rank, and two at different moments.
exchanges = me_hodgerank.ray.fit(files, actors=4, **options).statistics.exchanges
for moments in [{2: exchanges // 2}, {0: exchanges // 3, 3: 2 * exchanges // 3}]:
    threads = [at(moment, lambda rank=rank: kill(rank)) for rank, moment in moments.items()]
    fit = me_hodgerank.ray.fit(files, actors=4, **options)
    assert not any(thread.is_alive() for thread in threads)
    statistics = fit.statistics
    assert statistics.replacements == len(moments) and statistics.exchanges == exchanges, (moments, statistics)
    assert fit.to_bytes() == expected, moments

# Lost too often.
for allowed, says in [(0, "rank 1 of 2 was lost once, and max_replacements is 0"), (1, "was lost 2 times")]:
    threads = [at(50 * (time + 1), lambda: kill(1)) for time in range(allowed + 1)]
    fit = lambda: me_hodgerank.ray.fit(files, actors=2, max_replacements=allowed, **options)
    ray_cluster.refused(me_hodgerank.Error, says, fit)

# Ctrl-C.
thread = at(100, lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    me_hodgerank.ray.fit(files, actors=4, **options)
    raise SystemExit("not stopped")
except KeyboardInterrupt:
    pass
while ray.util.list_named_actors():  # all of them end
    time.sleep(0.1)
print("fine")
