"""The loadable extension in the SQLites that people have.

    python tests/sqlite/extension.py target/sqlite/me_hodgerank.so [host ...]

The hosts: the command line and, where this Python has them and they can load
extensions, `sqlite3`, `pysqlite3` and `apsw`.
"""

import importlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

VOTES = """CREATE TABLE votes AS SELECT * FROM
    me_hodgerank_simulate('{"annotators": 20, "items": 6, "votes_each": 30, "seed": 1}');"""
SETS = ["annotators", "personal", "path", "cv", "summary"]


class Failed(Exception):
    """An SQL error, with its text."""


class Module:
    """A host that speaks Python's database API."""

    def __init__(self, extension, name, module):
        self.extension, self.name, self.module = extension, name, module
        self.version = module.sqlite_version

    def connect(self, path=":memory:"):
        connection = self.module.connect(path, isolation_level=None, check_same_thread=False)
        connection.enable_load_extension(True)
        connection.load_extension(self.extension)
        return Session(connection, self.module.Error)


class Apsw:
    """The same for apsw, which has an interface of its own."""

    def __init__(self, extension, apsw):
        self.extension, self.name, self.apsw = extension, "apsw", apsw
        self.version = apsw.sqlite_lib_version()

    def connect(self, path=":memory:"):
        connection = self.apsw.Connection(path)
        connection.enable_load_extension(True)
        connection.load_extension(self.extension)
        return Session(connection, self.apsw.Error)


class Session:
    def __init__(self, connection, errors):
        self.connection, self.errors = connection, errors

    def run(self, sql, *values):
        """The rows of the last statement."""
        try:
            rows = []
            statements = [sql] if values else sql.split(";\n")
            for statement in filter(str.strip, statements):
                rows = [tuple(row) for row in self.connection.cursor().execute(statement, values)]
            return rows
        except self.errors as error:
            raise Failed(str(error)) from None


class CommandLine:
    """The sqlite3 program. Every session is a file, every run a process."""

    def __init__(self, extension, program):
        self.extension, self.program, self.name = extension, program, "sqlite3-shell"
        self.folder, self.number = tempfile.TemporaryDirectory(), itertools.count()
        self.version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[0]

    def connect(self, path=None):
        return CommandLineSession(self, path or os.path.join(self.folder.name, f"{next(self.number)}.db"))


class CommandLineSession:
    def __init__(self, host, path):
        self.host, self.path = host, path

    def run(self, sql):
        script = f".bail on\n.load '{self.host.extension}'\n.mode json\n{sql};\n"
        done = subprocess.run([self.host.program, "-batch", self.path], input=script, capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            raise Failed(done.stderr or f"exit code {done.returncode}")
        # One array of objects for each statement that gave rows.
        text, rows, decoder = done.stdout.strip(), [], json.JSONDecoder()
        while text:
            rows, end = decoder.raw_decode(text)
            text = text[end:].strip()
        return [tuple(row.values()) for row in rows]


# --- what every host must do ---------------------------------------------------------


def refused(session, sql, part):
    try:
        session.run(sql)
    except Failed as error:
        assert part in str(error), f"{sql}: {error}"
    else:
        raise AssertionError(f"{sql}: no error")


def bits(session, table):
    """A set with every bit of its numbers: quote() writes a float so that it can be read back."""
    columns = [name for (name,) in session.run(f"SELECT name FROM pragma_table_info('{table}')")]
    exact = ", ".join(f'quote("{column}") AS "{column}"' for column in columns)

    def exactly(text):
        return float(text).hex() if "." in text and not text.startswith("'") else text

    rows = session.run(f"SELECT {exact} FROM {table}('votes')")
    return [tuple(map(exactly, row)) for row in rows]


SEEN = {}


def check_bits(host):
    """All hosts give the same bits."""
    session = host.connect()
    session.run(VOTES)
    for table in ["me_hodgerank"] + [f"me_hodgerank_{name}" for name in SETS]:
        rows = bits(session, table)
        assert rows and SEEN.setdefault(table, rows) == rows, table


def check_answers(host):
    session = host.connect()
    session.run(VOTES)
    assert session.run("SELECT me_hodgerank_version()") == [("0.1.0",)]
    assert session.run("SELECT count(*) FROM me_hodgerank_simulate()") == [(6000,)]
    ranking = session.run("SELECT item, rank FROM me_hodgerank('votes')")
    assert [rank for _, rank in ranking] == [1, 2, 3, 4, 5, 6], ranking
    for name in SETS:
        assert session.run(f"SELECT count(*) FROM me_hodgerank_{name}('votes')")[0][0] > 0, name
    by_kappa = session.run("SELECT kappa, count(*) FROM me_hodgerank('votes') WHERE kappa IN (10, 20) GROUP BY 1")
    assert by_kappa == [(10, 6), (20, 6)], by_kappa


def check_models(host):
    session = host.connect()
    session.run(VOTES)
    session.run(
        """CREATE TABLE fit AS SELECT annotator % 3 AS task,
        me_hodgerank_fit(annotator, "left", "right", choice) AS model FROM votes GROUP BY task"""
    )
    rows = session.run("SELECT f.task, r.* FROM fit f, me_hodgerank_ranking(f.model) r")
    assert len(rows) == 18
    for task in range(3):
        source = f"SELECT * FROM votes WHERE annotator % 3 = {task}"
        assert [row[1:] for row in rows if row[0] == task] == session.run(f"SELECT * FROM me_hodgerank('{source}')")
    for name in SETS:
        assert session.run(f"SELECT count(*) FROM fit, me_hodgerank_{name}(model)")[0][0] > 0, name
    refused(session, "SELECT * FROM me_hodgerank_cv(x'00ff')", "this is not a model")


def check_sources(host):
    session = host.connect()
    session.run(VOTES)
    expected = session.run("SELECT item, score FROM me_hodgerank('votes')")
    made = """CREATE VIEW seen AS SELECT * FROM votes;
        CREATE TEMP TABLE passing AS SELECT * FROM votes;
        CREATE TABLE IF NOT EXISTS "my ""best"" votes" AS SELECT * FROM votes;
        ATTACH ':memory:' AS other;
        CREATE TABLE other.far AS SELECT * FROM votes;
        """
    session.run(made)
    for source in ["main.votes", "seen", "temp.passing", 'my "best" votes', "other.far", "SELECT * FROM passing"]:
        # The command line forgets what is temporary between two runs.
        again = made.replace("VIEW seen", "VIEW IF NOT EXISTS seen") if isinstance(host, CommandLine) else ""
        assert session.run(f"{again}SELECT item, score FROM me_hodgerank('{source}')") == expected, source
    refused(session, "SELECT * FROM me_hodgerank('nowhere')", "no such table: nowhere")
    refused(session, "SELECT * FROM me_hodgerank('votes', '{\"choice\": \"x\"}')", 'the votes have no column "x"')
    refused(session, "SELECT * FROM me_hodgerank('WITH x AS (SELECT 1) DELETE FROM votes')", "would write")
    refused(session, "SELECT * FROM me_hodgerank('votes', '{\"kapa\": 1}')", 'did you mean "kappa"?')
    refused(session, "SELECT me_hodgerank_fit(annotator, 1.5, 2, 1) FROM votes", "ids are integers or text")
    session.run("PRAGMA trusted_schema = OFF;\nSELECT * FROM me_hodgerank('votes')")
    session.run("CREATE VIEW inside AS SELECT * FROM me_hodgerank('votes')")
    refused(session, "SELECT * FROM inside", "unsafe use of virtual table")
    itself = ("CREATE TEMP VIEW IF NOT EXISTS self AS SELECT 1 AS annotator, item AS left, 2 AS right, 1 AS choice FROM me_hodgerank('self')")
    refused(session, f"{itself};\nSELECT * FROM self", "read from each other")


def check_rollback(host):
    session = host.connect()
    answer = "SELECT item, score FROM me_hodgerank('votes')"
    session.run(VOTES)
    before = session.run(answer)
    assert session.run(f"BEGIN;\nUPDATE votes SET choice = -choice;\n{answer}") != before
    if not isinstance(host, CommandLine):  # there the end of the process rolls back
        session.run("ROLLBACK")
    assert session.run(answer) == before


# --- what takes a program to try -----------------------------------------------------


def check_damaged_models(host):
    session = host.connect()
    session.run(VOTES)
    model = session.run('SELECT me_hodgerank_fit(annotator, "left", "right", choice) FROM votes')[0][0]
    dice = random.Random(7)
    for attempt in range(1000):
        damaged = bytearray(model)
        if attempt % 4 == 0:
            del damaged[dice.randrange(len(model)) :]
        else:
            damaged[dice.randrange(len(model))] ^= 1 << dice.randrange(8)
        try:
            session.run(f"SELECT count(*) FROM me_hodgerank_{SETS[attempt % 5]}(?)", bytes(damaged))
        except Failed as error:
            assert "model" in str(error), error
        else:
            raise AssertionError(f"damage {attempt} went unnoticed")


def check_threads(host):
    answer = "SELECT item, score FROM me_hodgerank('votes')"

    def votes(seed):
        return VOTES.replace('"seed": 1', f'"seed": {seed}')

    def work(seed, answers):
        session = host.connect()
        session.run(votes(seed))
        answers[seed] = session.run(answer)

    answers = {}
    threads = [threading.Thread(target=work, args=(seed, answers)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in range(8):
        session = host.connect()
        session.run(votes(seed))
        assert answers[seed] == session.run(answer), seed


SLOW_VOTES = """CREATE TABLE votes AS SELECT * FROM
    me_hodgerank_simulate('{"annotators": 400, "items": 100, "votes_each": 100}')"""
SLOW_FITS = [
    "SELECT * FROM me_hodgerank('votes', '{\"kappa\": 5000}')",
    "SELECT me_hodgerank_fit(annotator, \"left\", \"right\", choice, '{\"kappa\": 5000}') FROM votes",
]


def stops(session, sql, stop):
    """Runs a fit that would take minutes, asks it to stop, and sees that it did: it
    ends with an error and not with rows."""
    threading.Timer(0.3, stop).start()
    refused(session, sql, "interrupted")


def check_interrupt(host):
    session = host.connect()
    session.run(SLOW_VOTES)
    for sql in SLOW_FITS:
        stops(session, sql, session.connection.interrupt)


def check_progress_handler(host):
    session = host.connect()
    session.run(SLOW_VOTES)
    wish = threading.Event()

    def asked():
        """Whether to stop, once."""
        stop = wish.is_set()
        wish.clear()
        return stop

    for steps in [100, 50_000]:
        session.connection.set_progress_handler(asked, steps)
        stops(session, SLOW_FITS[0], wish.set)


def check_authoriser(host):
    session = host.connect()
    session.run(VOTES)
    read, deny = 20, 1
    session.connection.set_authorizer(
        lambda action, table, column, *_: deny if (action, table, column) == (read, "votes", "choice") else 0
    )
    refused(session, "SELECT * FROM me_hodgerank('votes')", "prohibited")
    refused(session, "SELECT * FROM me_hodgerank('SELECT * FROM votes')", "prohibited")
    assert session.run("SELECT count(*) FROM votes") == [(600,)]


def check_joins(host):
    """However a table function is joined, the votes are read once."""
    session = host.connect()
    session.run(VOTES)
    read = []

    def seen(annotator):
        read.append(annotator)
        return annotator

    if isinstance(host, Apsw):
        session.connection.create_scalar_function("seen", seen, 1)
    else:
        session.connection.create_function("seen", 1, seen)
    session.run("CREATE TABLE people AS SELECT DISTINCT annotator FROM votes")
    source = "'SELECT seen(annotator) AS annotator, left, right, choice FROM votes'"
    annotators = f"me_hodgerank_annotators({source}) a"
    same = "a.annotator = p.annotator"
    for sql in [
        f"SELECT * FROM people p JOIN {annotators} ON {same}",
        f"SELECT * FROM people p LEFT JOIN {annotators} ON {same}",
        f"SELECT * FROM people p WHERE annotator IN (SELECT annotator FROM {annotators} WHERE votes > 0)",
        f"SELECT * FROM people p WHERE EXISTS (SELECT 1 FROM {annotators} WHERE {same})",
        f"SELECT annotator, (SELECT votes FROM {annotators} WHERE {same}) FROM people p",
    ]:
        read.clear()
        assert len(session.run(sql)) == 20, sql
        assert len(read) == 600, f"{sql}: {len(read) / 600} times"


def check_control_c(host):
    session = host.connect()
    script = f".load '{host.extension}'\n{SLOW_VOTES};\n{SLOW_FITS[0]};\n"
    with subprocess.Popen([host.program, session.path], stdin=-1, stdout=-1, stderr=-1, text=True) as process:
        process.stdin.write(script)
        process.stdin.close()
        process.stdin = None
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert "interrupted" in err, err


EVERYWHERE = [check_answers, check_bits, check_models, check_sources, check_rollback]
IN_THE_COMMAND_LINE = [check_control_c]
IN_PROGRAMS = [
    check_damaged_models,
    check_threads,
    check_interrupt,
    check_progress_handler,
    check_authoriser,
    check_joins,
]


def host(extension, name):
    """A host, or a line about why it is not there."""
    if name == "sqlite3-shell":
        program = shutil.which("sqlite3")
        help_text = subprocess.run([program, ":memory:", ".help load"], capture_output=True, text=True).stdout if program else ""
        if "extension" not in help_text:  # Apple's loads none
            return "no sqlite3 command line that loads extensions: apt-get install sqlite3"
        return CommandLine(extension, program)
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        return f"no {name} in this Python: {error}"
    if name == "apsw":
        return Apsw(extension, module)
    if hasattr(module.Connection, "enable_load_extension"):
        return Module(extension, name, module)
    return f"the {name} of this Python cannot load extensions"


def main():
    extension = os.path.abspath(sys.argv[1]).removesuffix(".so")
    passed = failed = skipped = 0
    names = sys.argv[2:] or ["sqlite3-shell", "sqlite3", "pysqlite3", "apsw"]
    for name in names:
        there = host(extension, name)
        if isinstance(there, str):
            without = name in os.environ.get("ME_HODGERANK_WITHOUT", "").split(",")
            skipped, failed = skipped + without, failed + (not without)
            hint = f"; to test without it set ME_HODGERANK_WITHOUT={name}"
            print(f"{'skipped' if without else 'FAILED'}: {there}{'' if without else hint}")
            continue
        own = IN_THE_COMMAND_LINE if isinstance(there, CommandLine) else IN_PROGRAMS
        for check in EVERYWHERE + own:
            try:
                check(there)
                passed += 1
                outcome = "ok"
            except Exception as error:  # a check that trips over something has failed too
                failed += 1
                outcome = f"FAILED: {type(error).__name__}: {error}"
            print(f"{there.name} {there.version} {check.__name__[6:]} ... {outcome}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
