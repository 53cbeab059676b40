#!/usr/bin/env python3
"""Runs the recipes in examples/ and compares what they print with what they say
they print.

usage: recipes.py [--write] [FILE ...]

An SQL file has each result below its query, as the command line prints it, in
comments. A program has its output in the comment that ends it. --write puts there
what came out.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import shells
import sqlite_hosts
from sqllogic import ROOT, Score, side_by_side

EXAMPLES = ROOT / "examples"
PYTHON = ROOT / ".venv" / "recipes" / "bin" / "python"
BOX = re.compile(r"((?:^-- [┌╭│├└╰].*\n)+)", re.M)
PRINTS = {".py": "# Prints:", ".rs": "// Prints:"}


def sql_recipe(path, shell, write):
    """What is wrong with it, or None."""
    parts = BOX.split(path.read_text(encoding="utf-8"))
    pieces, expected = parts[0::2], [box.replace("-- ", "") for box in parts[1::2]] + [""]
    if write:
        pieces = statements("".join(pieces))
    with tempfile.TemporaryDirectory() as folder:
        printed = shells.run(shell, pieces, folder)
    if write:
        errors = [text for text in printed if any(isinstance(line, str) for line in shells.cells(text))]
        if errors:
            return "\n".join(errors)
        boxed = ["".join(f"-- {line}\n" for line in text.splitlines()) for text in printed]
        path.write_text("".join(map("".join, zip(pieces, boxed))), encoding="utf-8")
    else:
        for text, wanted in zip(printed, expected):
            if shells.cells(text) != shells.cells(wanted):
                return f"printed\n{text}\nnot\n{wanted}"
        if len(expected) < 2:
            return "shows no result"
    return None


def statements(text):
    """The text cut after each statement."""
    return re.findall(r".*?;\n|.+$", text, re.S)


def program_recipe(path, write):
    mark = PRINTS[path.suffix]
    source, _, comment = path.read_text(encoding="utf-8").partition(f"\n{mark}\n")
    sign = mark.split()[0]
    wanted = "".join(line.removeprefix(sign).removeprefix(" ") + "\n" for line in comment.splitlines())
    done = subprocess.run(command(path), capture_output=True, text=True, cwd=tempfile.gettempdir(), timeout=600)
    if done.returncode != 0:
        return f"ended with {done.returncode}: {done.stderr[-2000:]}"
    if write:
        lines = [f"{sign} {line}".rstrip() + "\n" for line in done.stdout.splitlines()]
        path.write_text(source.rstrip("\n") + f"\n\n{mark}\n" + "".join(lines), encoding="utf-8")
    elif [line.rstrip() for line in done.stdout.splitlines()] != wanted.splitlines() or not wanted:
        return f"printed\n{done.stdout}not\n{wanted}"
    return None


def command(path):
    if path.suffix == ".py":
        return [PYTHON, path]
    manifest = str(ROOT / "Cargo.toml")
    return [os.environ.get("CARGO", "cargo"), "run", "--quiet", "--manifest-path", manifest,
            "--features", "sqlite,duckdb,internals", "--example", path.stem]


def all_recipes():
    found = [path for kind in ["duckdb/*.sql", "sqlite/*.sql", "python/*.py"] for path in EXAMPLES.glob(kind)]
    return sorted(found) + [EXAMPLES / "rusqlite_votes.rs"]


def main(arguments):
    write = "--write" in arguments
    files = [pathlib.Path(word).resolve() for word in arguments if not word.startswith("--")]
    score, there = Score(), shells.all_shells()

    def check(path):
        shell = there[path.parent.name] if path.suffix == ".sql" else None
        if path.suffix == ".sql" and not shell:
            return score.missing(path.name, *sqlite_hosts.NO_SHELL)
        wrong = sql_recipe(path, shell, write) if shell else program_recipe(path, write)
        return score.fail(path.relative_to(ROOT), wrong) if wrong else score.ok()

    side_by_side(check, files or all_recipes())
    score.close()


if __name__ == "__main__":
    main(sys.argv[1:])
