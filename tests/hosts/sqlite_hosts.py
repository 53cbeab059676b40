"""The SQLite hosts: in a Rust program, the command line, Debian's own Python and
two Python packages that bring a newer SQLite."""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()
EXTENSION = str(TARGET / "sqlite" / "me_hodgerank")
SESSION = str(ROOT / "tests" / "hosts" / "sqlite_session.py")
TIMEOUT = 300


class ProgramHost:
    """A program that takes JSON on standard input and gives JSON."""

    name = "sqlite"

    def __init__(self, label, command, extension=None):
        self.label, self.command, self.extension = label, command, extension

    def run(self, statements):
        work = [self.extension, statements] if self.extension else statements
        done = subprocess.run(
            self.command, input=json.dumps(work), capture_output=True, text=True, timeout=TIMEOUT
        )
        if done.returncode != 0:
            raise RuntimeError(f"ended with {done.returncode}: {done.stderr[-2000:]}")
        return json.loads(done.stdout)


class CommandLineHost:
    name = "sqlite"

    def __init__(self, program):
        self.program = program
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        self.label = f"SQLite {version.split()[0]}, command line"

    def run(self, statements):
        script = [".bail off", f".load '{EXTENSION}'", ".mode json"]
        for index, statement in enumerate(statements):
            script += [f".print @@@{index}", statement + ";"]
        script += [f".print @@@{len(statements)}", ""]
        # One pipe for both keeps errors and rows in order.
        done = subprocess.run(
            [*(["stdbuf", "-o0"] if shutil.which("stdbuf") else []), self.program, "-batch", ":memory:"],
            input="\n".join(script), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT,
        )
        parts = done.stdout.split("@@@")
        if done.returncode < 0 or len(parts) != len(statements) + 2:
            raise RuntimeError(f"ended with {done.returncode}: {done.stdout[-2000:]}")
        return [result(part.partition("\n")[2].strip()) for part in parts[1:-1]]


def result(text):
    if not text:
        return ("rows", [])
    try:
        return ("rows", [list(row.values()) for row in json.loads(text)])
    except ValueError:
        return ("error", re.sub(r"^(Runtime|Parse) error near line \d+: ", "", text))


def version(python, module):
    """The SQLite that a Python module has; None if it cannot load extensions."""
    code = (
        f"import {module} as m; assert hasattr(m.Connection, 'enable_load_extension');"
        f"print(m.sqlite_lib_version() if '{module}' == 'apsw' else m.sqlite_version)"
    )
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def command_line():
    """The sqlite3 program, if it is one that loads extensions: Apple's is not."""
    program = shutil.which("sqlite3")
    if program:
        asked = subprocess.run([program, ":memory:", ".help load"], capture_output=True, text=True)
        program = program if "extension" in asked.stdout else None
    return program


NO_SHELL = ("sqlite3-shell", "no sqlite3 command line that loads extensions (Debian: apt-get install sqlite3)")


def expected_modules():
    """Each Python with the module of its SQLite. There is a pysqlite3-binary for one
    platform only, and not every system has a Python of its own."""
    ours = str(ROOT / ".venv" / "sqlite" / "bin" / "python")
    modules = [(ours, "apsw")]
    if platform.system() == "Linux" and platform.machine() == "x86_64":
        modules.append((ours, "pysqlite3"))
    if platform.system() == "Linux" and os.path.exists("/usr/bin/python3"):
        modules.append(("/usr/bin/python3", "sqlite3"))
    return modules


def all_hosts(score):
    """The hosts that are there. Each that is expected and missing is a failure."""
    hosts = []
    program = TARGET / "debug" / "examples" / "sqlite_session"
    if program.exists():
        hosts.append(ProgramHost("SQLite in a Rust program", [str(program)]))
    else:
        score.missing("SQLite in a Rust program", "rust-program", f"no {program}: `make test-sqlite` builds it")
    if command_line():
        hosts.append(CommandLineHost(command_line()))
    else:
        score.missing("SQLite's command line", *NO_SHELL)
    for python, module in expected_modules():
        found = version(python, module)
        if found:
            hosts.append(ProgramHost(f"SQLite {found}, {module}", [python, SESSION, module], EXTENSION))
        else:
            score.missing(f"SQLite in {module}", module, f"no {module} that can load extensions in {python}")
    return hosts
