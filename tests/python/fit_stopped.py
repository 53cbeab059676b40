"""Ctrl-C stops a fit that would take hours, and other threads run meanwhile."""

import os
import signal
import threading

import me_hodgerank

signal.signal(signal.SIGINT, signal.default_int_handler)
votes = me_hodgerank.simulate(annotators=500, items=50, seed=1)
hours = {"kappa": 1e5}
told = []
begun = threading.Event()


def tell(share):
    told.append(share)
    begun.set()


def press_ctrl_c():
    begun.wait()
    for _ in range(100_000):  # needs Python's lock again and again
        pass
    os.kill(os.getpid(), signal.SIGINT)


threading.Thread(target=press_ctrl_c, daemon=True).start()
try:
    me_hodgerank.fit(votes, progress=tell, **hours)
    raise SystemExit("not stopped")
except KeyboardInterrupt:
    pass
assert told and told[-1] < 0.5, told

# What the function that is told raises, is raised.
class Enough(Exception):
    pass


def enough(share):
    raise Enough(share)


try:
    me_hodgerank.fit(votes, progress=enough, **hours)
    raise SystemExit("not stopped")
except Enough as error:
    assert error.args[0] < 0.5, error
# Also at the very end.
try:
    me_hodgerank.fit(votes, progress=lambda share: share == 1.0 and enough(share))
    raise SystemExit("not raised")
except Enough as error:
    assert error.args == (1.0,), error
# Nothing of it is left.
assert me_hodgerank.fit(votes).ranking().rows() == me_hodgerank.fit(votes, threads=1).ranking().rows()

# Two fits at the same time, from threads that get no signals.
found = []
threads = [threading.Thread(target=lambda: found.append(me_hodgerank.fit(votes).to_bytes())) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 2 and found[0] == found[1]
print("fine")
