#!/usr/bin/env python3
"""The table of `make bench`. usage: table.py [path|fits|threads|losses|peers]... all of it unless told."""

import sys

from run import DUCKDB, EXTENSION, PEERS, engine, file, measure

SMALL = ["iqa_ref1", "age", "college"]
STUDY, LARGE = "simulated", "made-5000-1000-1000"
PLANTED = "made-500-30-300"


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def header(*cells):
    print()
    row(*cells)
    row(*("---" for _ in cells))


def number(value, unit):
    return f"{value:,.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"


def path():
    header("a step of the path, one thread", "target", "published way", "ours", "ratio (target 8, stretch 12)")
    targets = {"iqa_ref1": "about 10 µs", "age": "about 20 µs", "college": "about 60 µs", STUDY: "", PLANTED: ""}
    for name, target in targets.items():
        found, _ = engine("path", name)
        if not isinstance(found, dict):
            row(name, target, "", found or "votes not there", "")
            continue
        row(name, target, f"{found['published']:.1f} µs", f"{found['ours']:.1f} µs",
            f"{found['published'] / found['ours']:.1f}")


def in_duckdb(name, task):
    votes = file(name)
    return measure([DUCKDB, "benches/in_duckdb.py", EXTENSION, votes, task]) if votes else ("votes not there", None)


def fits():
    header("with CV, in DuckDB, 2 threads", "target", "ranking", "memory of the process", "annotators", "memory of the process")
    targets = {name: "well under 0.5 s" for name in SMALL} | {STUDY: "1 s", LARGE: "60 s, 1 GB"}
    for name, target in targets.items():
        cells = []
        for task in ["fit", "annotators"]:
            found, memory = in_duckdb(name, task)
            is_found = isinstance(found, dict)
            cells += [number(found["seconds"], "s"), number(memory, "MB")] if is_found else [found, ""]
        row(name, target, *cells)
    header("in DuckDB, 2 threads", "target", "GROUP BY", "HodgeRank alone", "ratio", "memory of the process")
    for name in [PLANTED, LARGE]:
        found, memory = in_duckdb(name, "hodgerank")
        if not isinstance(found, dict):
            row(name, "1.5 times", "", found, "", "")
            continue
        row(name, "1.5 times", number(found["group"], "s"), number(found["seconds"], "s"),
            f"{found['ratio']:.2f}", number(memory, "MB"))


def threads():
    header("fit over the whole grid, without CV", "one thread", "two threads", "ratio (target 1.8)",
           "two fits at once, a thread each")
    for name in [PLANTED, "made-5000-100-200", LARGE]:
        found, _ = engine("threads", name)
        if not isinstance(found, dict):
            row(name, found or "votes not there", "", "", "")
            continue
        row(name, number(found["one"], "s"), number(found["two"], "s"), f"{found['one'] / found['two']:.2f}",
            number(found["two_fits"], "s"))


def losses():
    header("fit with CV, 2 threads", "squared", "logistic", "probit", "logistic / squared (target 5)", "probit / squared")
    for name in [STUDY + "-sides", *SMALL]:
        found, _ = engine("losses", name)
        if not isinstance(found, dict):
            row(name, *[found or "votes not there"] * 3, "", "")
            continue
        seconds = {loss: found[loss]["seconds"] for loss in ["squared", "logistic", "probit"]}
        ratios = [f"{seconds[loss] / seconds['squared']:.1f}" for loss in ["logistic", "probit"]]
        row(name, *[number(value, "s") for value in seconds.values()], *ratios)
    header("the consensus alone, Bradley–Terry", "votes", "time", "memory")
    for name in [PLANTED, LARGE]:
        votes = file(name)
        found, memory = in_duckdb(name, "bradley-terry")
        row("me_hodgerank in DuckDB", name, number(found["seconds"], "s") if isinstance(found, dict) else found,
            number(memory, "MB") if memory else "")
        for tool in ["evalica", "choix"]:
            found, memory = measure([PEERS, "benches/peers.py", tool, votes], limit=300)
            row(tool, name, number(found["seconds"], "s") if isinstance(found, dict) else found,
                number(memory, "MB") if memory else "")


def peers():
    header("what it finds", "votes", "time", "memory", "AUC for careless annotators")
    for name in [PLANTED, LARGE]:
        votes = file(name)
        seen, _ = engine("careless", name)
        says = seen["auc"] if isinstance(seen, dict) else seen
        for task, function, auc in [("fit", "me_hodgerank", ""), ("annotators", "me_hodgerank_annotators", says)]:
            found, memory = in_duckdb(name, task)
            row(f"{function}, with CV, in DuckDB", name, number(found["seconds"], "s") if isinstance(found, dict) else found,
                number(memory, "MB") if memory else "", auc)
        for tool in ["evalica", "choix", "crowd-kit", "crowd-kit noisy"]:
            if name == LARGE and tool == "crowd-kit noisy":
                row(tool, name, "not run: an iteration takes many minutes", "", "")
                continue
            found, memory = measure([PEERS, "benches/peers.py", tool, votes], limit=300)
            if isinstance(found, dict):
                says = f"{found['auc']:.3f}" if "auc" in found else "says nothing about annotators"
                row(tool, name, number(found["seconds"], "s"), number(memory, "MB"), says)
            else:
                row(tool, name, found, "", "")


if __name__ == "__main__":
    for part in sys.argv[1:] or ["path", "fits", "threads", "losses", "peers"]:
        {"path": path, "fits": fits, "threads": threads, "losses": losses, "peers": peers}[part]()
