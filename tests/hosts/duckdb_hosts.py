"""The DuckDB hosts: three versions of the Python package and a command line."""

import json
import os
import pty
import re
import subprocess

from sqllogic import ROOT, side_by_side

VERSIONS = ["1.4.4", "1.5.6", "2.0.0"]
CLI_VERSION = "1.5.6"
TIMEOUT = 300


def target():
    return os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))


EXTENSION = os.path.join(os.path.abspath(target()), "duckdb", "me_hodgerank.duckdb_extension")


def python(version):
    return str(ROOT / ".venv" / f"duckdb-{version}" / "bin" / "python")


def cli():
    return str(ROOT / ".venv" / f"duckdb-cli-{CLI_VERSION}" / "bin" / "duckdb")


def check_cases(program, names, score):
    """Runs each case of a program in a process of its own in every DuckDB. A case prints `fine`."""
    def check(case):
        name, version = case
        where = f"{name} on DuckDB {version}"
        command = [python(version), program, name, EXTENSION]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return score.fail(where, "hangs")
        if done.returncode == 0 and done.stdout == "fine\n":
            return score.ok()
        return score.fail(where, f"ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")

    side_by_side(check, [(name, version) for name in names for version in VERSIONS])


class PythonHost:
    name = "duckdb"

    def __init__(self, version):
        self.version = version
        self.label = f"DuckDB {version}, Python"

    def run(self, statements):
        done = subprocess.run(
            [python(self.version), str(ROOT / "tests" / "hosts" / "duckdb_session.py")],
            input=json.dumps([EXTENSION, statements]),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        if done.returncode != 0:
            raise RuntimeError(f"ended with {done.returncode}: {done.stderr[-2000:]}")
        return json.loads(done.stdout)


class CliHost:
    name = "duckdb"
    label = f"DuckDB {CLI_VERSION}, command line"

    def run(self, statements):
        # A terminal gets a progress bar if a query is slow, as on a busy machine.
        script = [".mode json", ".bail off", "SET enable_progress_bar = false;", f"LOAD '{EXTENSION}';"]
        for index, statement in enumerate(statements):
            script += [f".print @@@{index}", statement + ";"]
        script += [f".print @@@{len(statements)}", ""]
        output = run_cli(["-unsigned", "-init", "/dev/null"], "\n".join(script))
        parts = output.replace("\r\n", "\n").split("@@@")
        if len(parts) != len(statements) + 2:
            raise RuntimeError(f"stopped early: {output[-2000:]}")
        return [result(part.partition("\n")[2].strip()) for part in parts[1:-1]]


def result(text):
    if not text:
        return ("rows", [])
    try:
        return ("rows", [list(row.values()) for row in json.loads(text)])
    except ValueError:
        return ("error", text)


def run_cli(arguments, script):
    """What the command line prints, with errors in order: a terminal keeps the order of both."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [cli(), *arguments], stdin=subprocess.PIPE, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "dumb", "NO_COLOR": "1"},
    )
    os.close(theirs)
    process.stdin.write(script.encode())
    process.stdin.close()
    output = b""
    try:
        while block := os.read(ours, 65536):
            output += block
    except OSError:  # the terminal is closed
        pass
    os.close(ours)
    code = process.wait(TIMEOUT)
    if code < 0:
        raise RuntimeError(f"ended by signal {-code}: {output[-2000:].decode()}")
    return re.sub(r"\x1b\[[0-9;]*m", "", output.decode())  # without colours


def all_hosts(score):
    """The hosts that are there. Each that is missing is a failure."""
    hosts = []
    for program, host in [(cli(), CliHost()), *[(python(version), PythonHost(version)) for version in VERSIONS]]:
        if os.path.exists(program):
            hosts.append(host)
        else:
            score.missing(host.label, "duckdb", f"no {program}: `make venvs-duckdb` makes it")
    return hosts
