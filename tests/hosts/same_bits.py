#!/usr/bin/env python3
"""The same votes give the same bits in every column of every result set, in every
DuckDB and every SQLite; so do their states, wherever they were made."""

import duckdb_hosts
import sqlite_hosts
from sqllogic import Score

SETS = ["", "_annotators", "_personal", "_path", "_cv", "_summary", "_cycles", "_triangles", "_report"]
PICTURES = ["path_deviation", "path_position_bias", "cv", "ranking", "jump_out", "personal"]
SIMULATIONS = [
    {"seed": 7, "ties": 0.1},
    {"seed": 8, "graded": "true", "annotators": 40, "items": 12},
]


def statements(kind, simulation):
    if kind == "duckdb":
        arguments = ", ".join(f"{name} := {value}" for name, value in simulation.items())
    else:
        fields = ", ".join(f'"{name}": {value}' for name, value in simulation.items())
        arguments = f"'{{{fields}}}'"
    make = f"CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate({arguments})"
    sets = [f"SELECT * FROM me_hodgerank{name}('votes')" for name in SETS]
    pictures = [f"SELECT * FROM me_hodgerank_plot('votes', '{kind}')" for kind in PICTURES]
    learnt = "CREATE VIEW learnt AS SELECT * FROM votes WHERE annotator % 3 > 0 OR \"left\" < \"right\""
    predict = "SELECT predicted, predicted_hodgerank FROM me_hodgerank_predict('learnt', 'votes') ORDER BY 1, 2"
    votes = 'annotator, "left", "right", choice'
    parts = f"SELECT me_hodgerank_collect({votes}) AS state FROM votes GROUP BY annotator % 7, \"left\" % 2"
    states = [f"SELECT hex(me_hodgerank_collect({votes})) FROM votes",
              f"SELECT hex(me_hodgerank_merge(state)) FROM ({parts}) AS s",
              f"SELECT hex(me_hodgerank_model(state)) FROM ({parts}) AS s",
              f"SELECT hex(me_hodgerank_model({votes})) FROM votes"]
    return [make, learnt, "SELECT * FROM votes ORDER BY 1, 2, 3, 4", *sets, *pictures, predict, *states]


def fit_elsewhere(kind, state):
    """The fit of a state that another host made."""
    blob = f"unhex('{state}')" if kind == "duckdb" else f"x'{state}'"
    return f"SELECT hex(me_hodgerank_model({blob}))"


def exact(result):
    """Values by their bits; SQLite has 1 and 0 for booleans."""
    kind, rows = result
    if kind == "error":
        return result
    return [[float(value).hex() if isinstance(value, (bool, int, float)) else value for value in row] for row in rows]


def main():
    score = Score()
    there = duckdb_hosts.all_hosts(score) + sqlite_hosts.all_hosts(score)
    hosts = [host for host in there if "command line" not in host.label]
    for simulation in SIMULATIONS:
        first = None
        for host in hosts:
            results = [exact(result) for result in host.run(statements(host.name, simulation))[2:]]
            first = first or results
            collected, merged, of_states, of_rows = results[-4:]
            if collected != merged or of_states != of_rows:
                score.fail(f"states of {simulation} on {host.label}", "other bytes than of the rows")
            ((elsewhere,),) = host.run([fit_elsewhere(host.name, first[-4][0][0])])[0][1]
            score.ok() if [[elsewhere]] == first[-1] else score.fail(f"a state of another host on {host.label}", elsewhere[:200])
            names = ["votes", *SETS, *PICTURES, "predict", "state", "merged states", "model of states", "model"]
            for name, result, expected in zip(names, results, first, strict=True):
                if result == expected and len(result) > 0 and result[0] != "error":
                    score.ok()
                else:
                    score.fail(f"{name} of {simulation} on {host.label}", f"{result[:2]} instead of {expected[:2]}")
    score.close()


if __name__ == "__main__":
    main()
