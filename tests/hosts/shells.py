"""Pieces of SQL in a real command line, and what it prints for each."""

import os
import re
import subprocess

import duckdb_hosts
import sqlite_hosts

MARK = "@@@"
TIMEOUT = 300


class Duckdb:
    name, label = "duckdb", duckdb_hosts.CliHost.label
    load = f"LOAD '{duckdb_hosts.EXTENSION}';"

    def command(self, database):
        return [duckdb_hosts.cli(), "-unsigned", "-init", os.devnull, *database]


class Sqlite:
    name = "sqlite"
    load = f".load '{sqlite_hosts.EXTENSION}'\n.mode box"

    def __init__(self, program):
        self.program, self.label = program, sqlite_hosts.CommandLineHost(program).label

    def command(self, database):
        return [self.program, "-batch", "-init", os.devnull, *(database or [":memory:"])]


def all_shells():
    """By name. The sqlite3 command line may not be there: None then."""
    program = sqlite_hosts.command_line()
    return {"duckdb": Duckdb(), "sqlite": Sqlite(program) if program else None}


def run(shell, pieces, folder, database=(), load=True):
    """What the shell prints for each piece, errors included."""
    script = [".bail off"] + ([shell.load] if load else [])
    for index, piece in enumerate(pieces):
        script += [f".print {MARK}{index}", piece]
    script += [f".print {MARK}{len(pieces)}", ""]
    done = subprocess.run(
        shell.command(list(database)), input="\n".join(script), cwd=folder, timeout=TIMEOUT,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "NO_COLOR": "1"},
    )
    parts = done.stdout.split(MARK)
    if len(parts) != len(pieces) + 2:
        raise RuntimeError(f"ended with {done.returncode}: {done.stdout[-2000:]}")
    # DuckDB counts the rows below a table of more than ten.
    return [re.sub(r"(?m)^ +\d+ rows .*columns?$", "", part.partition("\n")[2]).strip("\n") for part in parts[1:-1]]


def cells(text):
    """A printed table without its lines and widths, which differ between versions of
    a shell; other lines as they are."""
    lines = []
    for line in text.splitlines():
        if line.startswith(("│", "|")):
            lines.append([cell.strip() for cell in line.strip("│|").replace("│", "|").split("|")])
        elif line.strip() and line[0] not in "┌├└╭╰":
            lines.append(line.strip())
    return lines
