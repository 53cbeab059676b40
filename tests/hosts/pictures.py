#!/usr/bin/env python3
"""What is saved to files: the recipes for both command lines write the exact bytes,
pictures are well-formed whatever the ids hold, those in docs/ are up to date, and
the examples in docs/pictures-and-predictions.md run."""

import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import duckdb_hosts
import sqlite_hosts
from sqllogic import ROOT, Score

KINDS = ["path_deviation", "path_position_bias", "cv", "ranking", "jump_out", "personal"]

# Ids with everything that a file format or a page could take for its own.
VOTES = r"""
CREATE TABLE votes AS SELECT annotator || '<i>"a", b</i>&lt;\t''' AS annotator, 'é;"\' || "left" AS "left",
'é;"\' || "right" AS "right", choice FROM me_hodgerank_simulate({arguments});
"""
DUCKDB = "COPY (SELECT encode({column}) FROM {call}) TO '{file}' (FORMAT blob);"
SQLITE = "SELECT writefile('{file}', {column}) FROM {call};"


def calls():
    """Each file with its column and its call."""
    pictures = [(f"{kind}.svg", "svg", f"me_hodgerank_plot('votes', '{kind}')") for kind in KINDS]
    return [*pictures, ("report.html", "html", "me_hodgerank_report('votes')")]


def script(recipe, arguments):
    saves = [recipe.format(column=column, call=call, file=file) for file, column, call in calls()]
    return "\n".join([VOTES.format(arguments=arguments), *saves])


def saved(command, text):
    """What a command line saves in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=folder, timeout=300)
        if done.returncode != 0 or done.stderr:
            raise RuntimeError(done.stderr[-2000:])
        return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def duckdb_saves(text):
    return saved([duckdb_hosts.cli(), "-unsigned", "-init", "/dev/null", "-cmd", f"LOAD '{duckdb_hosts.EXTENSION}'"], text)


def sqlite_saves(text):
    return saved(["sqlite3", "-batch", "-bail", ":memory:"], f".load '{sqlite_hosts.EXTENSION}'\n{text}")


def from_python(version):
    """The same texts as a query gives them."""
    statements = [VOTES.format(arguments="annotators := 12, items := 5"), *[f"FROM {call}" for _, _, call in calls()]]
    results = duckdb_hosts.PythonHost(version).run(statements)[1:]
    return {file: result[1][0][0].encode() for (file, _, _), result in zip(calls(), results)}


def main():
    score = Score()

    def check(what, right, found=""):
        if right:
            score.ok()
        else:
            score.fail(what, found)

    expected = from_python(duckdb_hosts.VERSIONS[-1])
    hosts = {
        "DuckDB's command line": duckdb_saves(script(DUCKDB, "annotators := 12, items := 5")),
        "SQLite's command line": sqlite_saves(script(SQLITE, """'{"annotators": 12, "items": 5}'""")),
        **{f"DuckDB {version}": from_python(version) for version in duckdb_hosts.VERSIONS[:-1]},
    }
    for name, files in hosts.items():
        check(f"files of {name}", files.keys() == expected.keys(), sorted(files))
        for file, text in expected.items():
            check(f"{file} of {name}", files.get(file) == text, f"{len(files.get(file, b''))} bytes instead of {len(text)}")
    for file in [f"{kind}.svg" for kind in KINDS]:
        try:
            root = xml.fromstring(expected[file])
            tags = {node.tag.removeprefix("{http://www.w3.org/2000/svg}") for node in root.iter()}
            check(f"elements of {file}", tags <= set("svg title style rect text line polyline polygon circle path g".split()), tags)
        except xml.ParseError as error:
            check(f"{file} is well-formed", False, error)

    examples = ROOT / "examples"
    text = (examples / "pictures_votes.sql").read_text() + (examples / "pictures.sql").read_text()
    for file, drawn in duckdb_saves(text).items():
        shipped = ROOT / "docs" / file
        check(f"docs/{file}", shipped.exists() and shipped.read_bytes() == drawn, "is out of date: run `make pictures`")

    page = (ROOT / "docs" / "pictures-and-predictions.md").read_text()
    for host, run in [("duckdb", duckdb_saves), ("sqlite", sqlite_saves)]:
        blocks = re.findall(rf"```sql {host}\n(.*?)```", page, re.DOTALL)
        files = run("".join(blocks))
        check(f"the examples for {host}", len(blocks) > 4 and set(files) == {"cv.svg", "report.html"}, sorted(files))
    score.close()


if __name__ == "__main__":
    sys.exit(main())
