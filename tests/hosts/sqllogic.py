"""Reads tests in the sqllogictest format and runs them on a host.

A host is anything with `name` ("duckdb"), `label` ("DuckDB 1.5.6, Python") and
`run(statements)`, which runs a list of SQL texts one after the other in a fresh
session and returns for each ("rows", [[value, ...], ...]) or ("error", text).

What is understood of the format:

    onlyif duckdb / skipif sqlite   the next record is for some hosts only
    require duckdb                  the rest of the file is for one kind of host
    require data                    the rest of the file needs the data sets
    statement ok
    statement error                 after ---- : a part of the error's text
    query IRT [rowsort]             after ---- : the rows, values set apart by tabs
                                    I integer or boolean (1, 0), R real, T text

A real is compared to as many decimals as the test writes. {data} in a statement
stands for the folder of the data sets.
"""

import concurrent.futures
import os
import pathlib
import re
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("ME_HODGERANK_DATA", ROOT.parent / "shared" / "data"))


class Record:
    def __init__(self, line, kind, types, sort, sql, expected):
        self.line, self.kind, self.types = line, kind, types
        self.sort, self.sql, self.expected = sort, sql, expected


def parse(path, host):
    """The records of a file that are for this host; None if the data is missing."""
    records, skip = [], False
    blocks = re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n", "\n", path.read_text() + "\n"))
    offset = 0
    text = path.read_text()
    for block in blocks:
        lines = block.strip("\n").split("\n")
        if not block.strip():
            continue
        offset = max(text.find(lines[0], offset), 0)
        number = text.count("\n", 0, offset) + 1
        while lines and lines[0].split()[0] in ("onlyif", "skipif", "require"):
            word, name = lines.pop(0).split()
            if word == "require" and name == "data":
                if not DATA.is_dir():
                    return records, True
            elif word == "require" and name != host:
                return records, False
            skip |= (word == "onlyif" and name != host) or (word == "skipif" and name == host)
        if not lines:
            continue  # stands for the next block
        if not skip:
            records.append(record(path, number, lines))
        offset += len(lines[0])
        skip = False
    return records, False


def record(path, number, lines):
    head = lines[0].split()
    sql, _, expected = "\n".join(lines[1:]).partition("\n----")
    sql = sql.replace("{data}", str(DATA)).rstrip().rstrip(";")
    expected = expected.strip("\n")
    if head[0] == "statement" and head[1] in ("ok", "error"):
        return Record(number, head[1], "", "", sql, expected)
    if head[0] == "query":
        rows = [row.split("\t") for row in expected.split("\n")] if expected else []
        return Record(number, "query", head[1], head[2] if len(head) > 2 else "", sql, rows)
    raise SystemExit(f"{path}:{number}: cannot read {lines[0]!r}")


def same(kind, actual, expected):
    if actual is None or expected == "NULL":
        return actual is None and expected == "NULL"
    if kind == "R":
        decimals = len(expected.partition(".")[2])
        return abs(float(actual) - float(expected)) <= 0.5001 * 10.0**-decimals
    return shown(actual) == expected


def shown(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    return str(value)


def check(record, result):
    """What is wrong with a result, or None."""
    kind, value = result
    if record.kind == "error":
        if kind != "error":
            return f"should have failed, gave {value[:3]}"
        if record.expected not in value:
            return f"failed with\n  {value}\nnot with\n  {record.expected}"
        return None
    if kind == "error":
        return f"failed: {value}"
    if record.kind == "ok":
        return None
    rows, expected = value, record.expected
    if record.sort == "rowsort":
        rows = sorted(rows, key=lambda row: [shown(v) for v in row])
        expected = sorted(expected)
    right = len(rows) == len(expected) and all(
        len(row) == len(wanted) == len(record.types)
        and all(map(same, record.types, row, wanted))
        for row, wanted in zip(rows, expected)
    )
    if right:
        return None
    lines = "\n".join("\t".join(shown(v) for v in row) for row in rows[:20])
    return f"gave\n{lines}\nnot\n" + "\n".join("\t".join(row) for row in expected[:20])


def side_by_side(work, items):
    """What `work` gives for each item, in their order. As many are at work as there are processors:
    most of them wait for a process of their own."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


class Score:
    """Counts, and the closing line. Checks that run side by side share one."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()

    def ok(self):
        with self.lock:
            self.passed += 1

    def fail(self, where, what):
        with self.lock:
            self.failed += 1
            print(f"FAILED {where}: {what}", flush=True)

    def skip(self, where, why):
        with self.lock:
            self.skipped += 1
            print(f"SKIPPED {where}: {why}", flush=True)

    def missing(self, where, host, why):
        """A host that is expected is not there: that is a failure, unless whoever runs
        the tests said so: ME_HODGERANK_WITHOUT=sqlite3-shell,apsw"""
        if host in os.environ.get("ME_HODGERANK_WITHOUT", "").split(","):
            self.skip(where, why)
        else:
            self.fail(where, f"{why}; to test without it set ME_HODGERANK_WITHOUT={host}")

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        raise SystemExit(1 if self.failed else 0)


def run_file(path, host, score):
    records, missing = parse(path, host.name)
    where = f"{path.name} on {host.label}"
    if missing:
        score.skip(where, f"the data sets are not at {DATA}")
    if not records:
        return
    try:
        results = host.run([record.sql for record in records])
    except Exception as error:  # a host that died is a failed test, not a crash of ours
        score.fail(where, error)
        return
    for record, result in zip(records, results):
        wrong = check(record, result)
        if wrong:
            score.fail(f"{path.name}:{record.line} on {host.label}", f"{record.sql}\n{wrong}")
        else:
            score.ok()
