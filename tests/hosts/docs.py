#!/usr/bin/env python3
"""Runs the examples in README.md, docs/*.md and others in real hosts and compares what they
print with the ```text block that follows; follows links to files.

usage: docs.py [--write] [FILE ...]

  ```sql duckdb, ```sql sqlite   in one session of the command line for each file
  ```python, ```python sqlite    a program with the package installed; sqlite: in a
                                 Python whose sqlite3 loads extensions
  ```python ray                  the same where Ray is installed
  ```sh                          in bash; `make x` is only looked up, as this runs
                                 under make
  ```rust                        by rustdoc: see src/lib.rs
  ```sql elsewhere               for a system that cannot be run here
  ```yaml, ```toml, ```text      nothing to run

--write puts what came out into the blocks of text.
"""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import duckdb_hosts
import shells
import sqlite_hosts
from sqllogic import ROOT, Score, side_by_side

FENCE = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<body>.*?)^```$", re.M | re.S)
NOTHING_TO_RUN = {"rust", "yaml", "toml", "text", "sql elsewhere"}
RECIPES = ROOT / ".venv" / "recipes" / "bin"
RAY = ROOT / ".venv" / "ray" / "bin"


@dataclasses.dataclass
class Block:
    line: int
    kind: str
    body: str
    wanted: str = ""
    span: tuple = None  # of the text that it should print
    printed: str = ""


def blocks(text):
    found, last = [], None
    for match in FENCE.finditer(text):
        kind, body = match["kind"], match["body"]
        if kind == "text" and last and not text[last[1] : match.start()].strip():
            found[-1].wanted, found[-1].span = body, match.span("body")
        else:
            found.append(Block(text[: match.start()].count("\n") + 1, kind, body))
        last = match.span()
    return found


class Hosts:
    """A folder in which the examples find what they name."""

    def __init__(self, folder):
        self.folder, self.shells = folder, shells.all_shells()
        for name, there in {"target": sqlite_hosts.TARGET, **{n: ROOT / n for n in ["dist", "sql", "examples"]}}.items():
            os.symlink(there, os.path.join(folder, name))
        for wheel in (ROOT / "dist").glob("me_hodgerank-*.whl"):
            zipfile.ZipFile(wheel).extractall(os.path.join(folder, "site"))
        pythons = [str(RECIPES / "python"), "/usr/bin/python3", sys.executable]
        self.sqlite_python = next((p for p in pythons if sqlite_hosts.version(p, "sqlite3")), None)

    def sql(self, kind, found):
        """All the blocks of a kind; or the host that is missing, and why."""
        shell = self.shells[kind.split()[1]]
        if not shell:
            return sqlite_hosts.NO_SHELL
        pieces = [block.body for block in found]
        if shell.name == "sqlite":
            pieces[0] = ".mode box\n" + pieces[0]
        for block, printed in zip(found, shells.run(shell, pieces, self.folder, load=False)):
            block.printed = re.sub(r"(?m)^(Runtime|Parse) error near line \d+: ", "Error: ", printed)
        return None

    def program(self, kind, found):
        for block in found:
            if kind == "sh":
                make = f"make -n -C '{ROOT}'"
                body = re.sub(r"^make ", make.replace("\\", r"\\") + " ", block.body, flags=re.M)
                # What make would do is not what the example prints.
                body = re.sub(r"^(make -n .*?)( *#.*)?$", r"\1 >/dev/null", body, flags=re.M)
                block.printed = self.run(["bash", "-euc", body])
            elif kind == "python":
                block.printed = self.run([RECIPES / "python", "-c", block.body])
            elif kind == "python ray":  # Ray says on standard error what it does
                block.printed = self.run([RAY / "python", "-c", block.body], stderr=subprocess.DEVNULL)
            elif not self.sqlite_python:
                return "sqlite3", "no Python whose sqlite3 loads extensions"
            else:
                site = os.path.join(self.folder, "site")
                block.printed = self.run([self.sqlite_python, "-c", block.body], PYTHONPATH=site)
        return None

    def run(self, command, stderr=subprocess.STDOUT, **more):
        path = os.pathsep.join([os.path.dirname(duckdb_hosts.cli()), str(RECIPES), os.environ["PATH"]])
        done = subprocess.run(
            command, cwd=self.folder, env={**os.environ, "PATH": path, **more}, timeout=300, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
        )
        if done.returncode != 0:
            return f"ended with {done.returncode}: {done.stdout[-3000:]}"
        return done.stdout


def check_file(path, score, write):
    text = path.read_text(encoding="utf-8")
    found = [block for block in blocks(text) if block.kind not in NOTHING_TO_RUN]
    with tempfile.TemporaryDirectory() as folder:
        hosts = Hosts(folder)
        for kind in dict.fromkeys(block.kind for block in found):
            same = [block for block in found if block.kind == kind]
            where = f"{path.name}: {len(same)} blocks of {kind}"
            if kind in ("sql duckdb", "sql sqlite"):
                why_not = hosts.sql(kind, same)
            elif kind in ("python", "python ray", "python sqlite", "sh"):
                why_not = hosts.program(kind, same)
            else:
                score.fail(where, "say what runs it: see tests/hosts/docs.py")
                continue
            if why_not:
                score.missing(where, *why_not)
            elif not write:
                for block in same:
                    compare(path, block, score)
    if write:
        for block in reversed(found):
            if block.span:
                start, end = block.span
                text = text[:start] + block.printed.rstrip("\n") + "\n" + text[end:]
        path.write_text(text, encoding="utf-8")


def compare(path, block, score):
    if block.kind == "sh" and not block.span and not block.printed.startswith("ended with"):
        score.ok()  # what it prints on the way is of no interest
    elif shells.cells(block.printed) == shells.cells(block.wanted):
        score.ok()
    else:
        score.fail(f"{path.name}:{block.line}", f"{block.body}printed\n{block.printed}\nnot\n{block.wanted}")


def check_links(path, score):
    """Links to files of ours and to headings."""
    text = FENCE.sub("", re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.S))
    for target in re.findall(r"\]\(([^)#\s]*(?:#[^)\s]*)?)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, heading = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists():
            score.fail(path.name, f"a link to {target}, which is not there")
        elif heading and heading not in headings(file):
            score.fail(path.name, f"a link to {target}: no such heading")
        else:
            score.ok()


def headings(path):
    lines = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def all_documents():
    # That one's examples print complete pictures: tests/hosts/pictures.py runs them.
    docs = [file for file in sorted((ROOT / "docs").glob("*.md")) if file.name != "pictures-and-predictions.md"]
    return [*sorted(ROOT.glob("*.md")), ROOT / "examples" / "README.md", *docs]


def main(arguments):
    files = [pathlib.Path(word).resolve() for word in arguments if not word.startswith("--")]
    score = Score()

    def check(path):
        check_file(path, score, "--write" in arguments)
        check_links(path, score)

    side_by_side(check, files or all_documents())
    score.close()


if __name__ == "__main__":
    main(sys.argv[1:])
