#!/usr/bin/env python3
"""The consensus alone is the Bradley–Terry estimate that choix finds for the same
likelihood: its penalty α‖θ‖² is our ridge ρ/2‖θ‖².

usage: bradley_terry.py, with a Python that has choix and apsw (make test-peers)
"""

import json

import apsw
import choix
import numpy

from sqlite_hosts import EXTENSION

TOLERANCE = 1e-6
VOTES = """CREATE TABLE votes AS SELECT annotator, "left", "right", choice
FROM me_hodgerank_simulate('{"annotators": 60, "items": 25, "votes_each": 40, "seed": 4}')"""

connection = apsw.Connection(":memory:")
connection.enable_load_extension(True)
connection.load_extension(EXTENSION)
connection.execute(VOTES)
rows = list(connection.execute('SELECT "left", "right", choice FROM votes'))
items = max(max(left, right) for left, right, _ in rows)
wins = [(left - 1, right - 1) if choice > 0 else (right - 1, left - 1) for left, right, choice in rows]
for ridge in [0.01, 1.0]:
    theirs = choix.opt_pairwise(items, wins, alpha=ridge / 2, method="Newton-CG", tol=1e-13)
    options = {"loss": "logistic", "ridge": ridge, "position_bias": False, "personal": False}
    found = connection.execute("SELECT item, score, win_share FROM me_hodgerank('votes', ?)", [json.dumps(options)])
    ours = numpy.zeros(items)
    for item, score, _ in found:
        ours[item - 1] = score
    apart = numpy.abs(ours - (theirs - theirs.mean())).max()
    assert apart < TOLERANCE, f"ridge {ridge}: {apart} apart"
    print(f"ridge {ridge}: {items} scores, at most {apart:.1e} from choix")
