"""A peer on the same votes. usage: peers.py TOOL CSV

Prints the seconds that the tool itself took, the most memory of the process in MB,
and, where the tool says something about annotators, the AUC for finding the careless
ones (numbers 0, 1 and 2 of each 20).
"""

import json
import resource
import sys
import time

import pandas


def evalica(votes):
    import evalica

    winner = votes.choice.map({1.0: evalica.Winner.X, -1.0: evalica.Winner.Y})
    arguments = votes.left.astype(str), votes.right.astype(str), winner
    return lambda: evalica.bradley_terry(*arguments) and None


def choix(votes):
    import choix

    left_won = votes.choice > 0
    winner, loser = votes.left.where(left_won, votes.right), votes.right.where(left_won, votes.left)
    data = list(zip(winner.tolist(), loser.tolist()))
    items = int(max(votes.left.max(), votes.right.max())) + 1
    return lambda: choix.ilsr_pairwise(items, data, alpha=0.01) is None or None


def labelled(votes):
    return votes.rename(columns={"annotator": "worker"}).assign(
        label=votes.left.where(votes.choice > 0, votes.right))[["worker", "left", "right", "label"]]


def crowd_kit(votes):
    from crowdkit.aggregation import BradleyTerry

    data = labelled(votes)
    return lambda: BradleyTerry(n_iter=100).fit(data) and None


def crowd_kit_noisy(votes):
    from crowdkit.aggregation import NoisyBradleyTerry

    data = labelled(votes)

    def run():
        model = NoisyBradleyTerry(n_iter=10).fit(data)
        return -model.skills_

    return run


def auc(suspicion):
    ranks = suspicion.rank()
    careless = suspicion.index % 20 < 3
    count, others = careless.sum(), (~careless).sum()
    return float((ranks[careless].sum() - count * (count + 1) / 2) / (count * others))


TOOLS = {"evalica": evalica, "choix": choix, "crowd-kit": crowd_kit, "crowd-kit noisy": crowd_kit_noisy}

tool, csv = sys.argv[1:]
ready = TOOLS[tool](pandas.read_csv(csv))
start = time.perf_counter()
found = ready()
result = {"seconds": time.perf_counter() - start}
if found is not None:
    result["auc"] = auc(found)
result["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(result))
