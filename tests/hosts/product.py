#!/usr/bin/env python3
"""What a stranger does first: the demos, the installation, the Python package in a
clean environment, and what other repositories run and offer. After `make release-files`."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import duckdb_hosts
import package
import shells
import sqlite_hosts
from package import run
from sqllogic import ROOT, Score, side_by_side

MAKE = os.environ.get("MAKE", "make")


def make(*arguments, **environment):
    return run([MAKE, "--no-print-directory", "-C", str(ROOT), *arguments], env={**os.environ, **environment})


def rows_of(text):
    return [line for line in shells.cells(text) if isinstance(line, list)]


def demo(*arguments, due):
    """The six who did not look, no one else; and how it ends."""
    text = make(*arguments)
    assert "SELECT rank, item, round(score, 2) AS score" in text, "the SQL is not shown"
    rows = rows_of(text)
    named = re.findall(rf"annotator = (\d+)\n *due = {due}\n *verdict = (.*)\n *evidence = .+", text)
    assert {annotator for annotator, _ in named} == {"21", "17", "29", "34", "3", "39"}, named
    assert text.index("evidence = ") < text.index("chocolate  "), "the ranking comes before the verdicts"
    assert ["1", "chocolate", "0.62", "1", "466", "118"] in rows, rows
    last = text.rstrip().splitlines()[-2:]
    assert last[0].startswith("Your own table:") and "my_votes" in last[1], last
    return text


def demo_duckdb():
    first, second = (demo("demo", due="3.00") for _ in range(2))
    assert first.partition("-- Forty")[2] == second.partition("-- Forty")[2], second


def demo_sqlite():
    demo("demo-sqlite", due="3.0")


def demo_without_sqlite3():
    """The shell of apsw is used instead."""
    text = demo("demo-sqlite", "SQLITE_CLI=no-such-program", "APSW=.venv/sqlite", due="3.0")
    assert "no no-such-program that loads extensions" in text, text


def what_is_missing():
    """Each tool by its name, and where to get it."""
    for arguments, says in [
        (["demo", "CARGO=no-cargo"], "no-cargo is missing: install Rust"),
        (["demo", "PYTHON=no-python"], "no-python is missing: install Python 3"),
        (["demo", "DUCKDB_CLI=no-duckdb"], "no program no-duckdb"),
    ]:
        refused(arguments, says)
    with tempfile.TemporaryDirectory() as folder:
        python = pathlib.Path(folder, "python")
        python.write_text(f"""#!/bin/sh
case "$*" in *ensurepip*) exit 1;; esac
exec '{sys.executable}' "$@"
""")
        python.chmod(0o755)
        # A version that there is not: its environment would have to be made.
        refused(["demo", f"PYTHON={python}", "DUCKDB_CLI_VERSION=0.0"], "cannot make virtual environments: install its venv")


def refused(arguments, says):
    command = [MAKE, "-C", str(ROOT), *arguments]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode != 0 and says in done.stdout, f"{arguments}: {done.stdout}"


def installation():
    """Installed into a home of its own, found by its bare name, and gone again."""
    with tempfile.TemporaryDirectory(prefix="a home ") as home:
        versions = pathlib.Path(home) / ".duckdb" / "extensions"
        for version in [*duckdb_hosts.VERSIONS, "1.3.2"]:
            (versions / f"v{version}").mkdir(parents=True)
        path = os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if not os.path.exists(os.path.join(p, "duckdb")))
        said = make("install", HOME=home, PREFIX=home + "/.local", PATH=path)
        lines = re.findall(r"^  (LOAD .*|\.read .*|\.load .*)$", said, re.M)
        assert len(lines) == 3, said
        load = "import duckdb; c = duckdb.connect(config={'allow_unsigned_extensions': True}); c.execute('LOAD me_hodgerank'); "
        load += "print(c.execute('SELECT me_hodgerank_version()').fetchone()[0])"
        for version in duckdb_hosts.VERSIONS:
            python = duckdb_hosts.python(version)
            assert re.fullmatch(r"\d+\.\d+\.\d+\n", run([python, "-c", load], env={**os.environ, "HOME": home})), version
        assert not list((versions / "v1.3.2").iterdir())

        # The two lines as ~/.duckdbrc, in a file of the user's.
        pathlib.Path(home, ".duckdbrc").write_text("\n".join(lines[:2]) + "\n")
        query = "CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 20, items := 5); SELECT count(*) AS n FROM me_hodgerank('votes')"
        command = [duckdb_hosts.cli(), "-unsigned", "-csv", os.path.join(home, "my.duckdb"), "-c", query]
        printed = re.sub(r"\x1b\[[0-9;]*m", "", run(command, env={**os.environ, "HOME": home}))
        assert printed.split()[-2:] == ["n", "5"] and "rror" not in printed, printed
        sqlite = shells.all_shells()["sqlite"]
        if sqlite:
            (printed,) = shells.run(sqlite, [lines[2] + "\nSELECT me_hodgerank_version() IS NOT NULL AS there;"], home, load=False)
            assert "1" in printed and "rror" not in printed, printed

        make("install", "DESTDIR=" + os.path.join(home, "package"), HOME="/nowhere", PREFIX="/usr")
        assert os.path.exists(os.path.join(home, "package", "usr", "lib", "me_hodgerank", package.LIBRARY))
        make("uninstall", "DESTDIR=" + os.path.join(home, "package"), HOME="/nowhere", PREFIX="/usr")
        make("uninstall", HOME=home, PREFIX=home + "/.local")
        left = [str(file) for file in pathlib.Path(home).rglob("*me_hodgerank*")]
        assert not left, left


def checksums():
    """As `sha256sum -c` would."""
    import hashlib

    lines = (ROOT / "dist" / "SHA256SUMS").read_text().splitlines()
    assert len(lines) == 4, lines
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((ROOT / "dist" / name).read_bytes()).hexdigest() == digest, name


def community():
    """hello_world, and the names that the build there calls."""
    run([sys.executable, str(ROOT / "tests" / "hosts" / "community.py"), duckdb_hosts.EXTENSION])
    for target in ["set_duckdb_version", "set_duckdb_tag", "configure_ci", "release", "test_release"]:
        make("-n", target, LINUX_CI_IN_DOCKER="1")


# Make puts dist/ together anew for some of these: they run one after the other, and before those that read it.
CHECKS = [checksums, demo_duckdb, demo_sqlite, demo_without_sqlite3, what_is_missing, installation, community]


def main(names):
    score = Score()

    def run_check(check):
        if names and check.__name__ not in names:
            return
        if check is demo_sqlite and not shells.all_shells()["sqlite"]:
            score.missing(check.__name__, *sqlite_hosts.NO_SHELL)
            return
        try:
            check()
            score.ok()
        except package.Missing as missing:
            score.missing(check.__name__, *missing.args)
        except Exception as error:  # a check that trips over something has failed too
            score.fail(check.__name__, f"{type(error).__name__}: {error}")

    for check in CHECKS:
        run_check(check)
    side_by_side(run_check, package.CHECKS)
    score.close()


if __name__ == "__main__":
    main(sys.argv[1:])
