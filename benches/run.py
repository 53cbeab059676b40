"""Runs a measurement in a process of its own: what it printed as JSON, and its memory."""

import json
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
EXTENSION = TARGET / "duckdb" / "me_hodgerank.duckdb_extension"
DUCKDB = ROOT / ".venv" / "duckdb-1.5.6" / "bin" / "python"
PEERS = ROOT / ".venv" / "peers" / "bin" / "python"
FILES = TARGET / "bench"


def measure(command, limit=900):
    """The last line as JSON, or None, and the most memory in MB; a text if it failed."""
    start = time.monotonic()
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return f"not done in {time.monotonic() - start:.0f} s", None
    if process.returncode != 0:
        return (err.strip().splitlines() or ["failed"])[-1], None
    lines = out.strip().splitlines()
    result = json.loads(lines[-1]) if lines else None
    memory = result.pop("memory", None) if isinstance(result, dict) else None
    return result, memory


def engine(*words, limit=900):
    """Our own measurements; the binary was built by `make bench`."""
    return measure([os.environ["ME_HODGERANK_SPEED"], *words], limit)


def file(name):
    """The votes of a name as CSV, written once; None if they are not there."""
    FILES.mkdir(parents=True, exist_ok=True)
    path = FILES / f"{name}.csv"
    if not path.exists():
        engine("write", name, path)
    return path if path.exists() else None
