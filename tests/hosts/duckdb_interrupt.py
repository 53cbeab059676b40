#!/usr/bin/env python3
"""Interrupts while the table functions fit: the query ends with DuckDB's own error, the
connection goes on, and nothing is left behind. On each version of DuckDB, from Python's
`interrupt()` and from Ctrl-C in the command line.

usage: duckdb_interrupt.py             all cases on all versions
       duckdb_interrupt.py CASE ...    one case, in this process
"""

import os
import signal
import subprocess
import sys
import threading
import time

# A fit that takes minutes: whoever waits for it to end waits too long.
VOTES = "FROM me_hodgerank_simulate(annotators := 1000, items := 100, votes_each := 100, seed := 7)"
LONG = "FROM me_hodgerank_cv('votes', kappa := 20000)"


def interrupted(c, sql, after=0.2):
    """Runs a query and interrupts it; whether it ended with an interrupt. DuckDB forgets an
    interrupt that comes before the query runs, so it is repeated."""
    ended = threading.Event()

    def interrupt():
        while not ended.wait(after):
            c.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        c.execute(sql).fetchall()
        return False
    except Exception as error:
        assert "nterrupt" in str(error), error
        return True
    finally:
        ended.set()
        thread.join()


def fits_on(c):
    assert c.execute("SELECT count(*) FROM me_hodgerank('votes', t := 1)").fetchone() == (100,)


def every_function(c):
    """Each table function can be stopped, also two at once and in a view."""
    options = "kappa := 20000"
    sets = ["", "_annotators", "_personal", "_path", "_cv", "_summary", "_cycles", "_triangles", "_report"]
    calls = [f"FROM me_hodgerank{name}('votes', {options})" for name in sets]
    calls += [f"FROM me_hodgerank_plot('votes', 'cv', {options})", f"FROM me_hodgerank_predict('votes', 'votes', {options})"]
    calls += [f"SELECT count(*) FROM me_hodgerank('votes', {options}) JOIN me_hodgerank_annotators('votes', {options}, seed := 1) b ON true"]
    c.execute(f"CREATE VIEW slow AS FROM me_hodgerank('votes', {options})")
    for sql in [*calls, "FROM slow", "CREATE TABLE x AS FROM slow"]:
        assert interrupted(c, sql), sql
    fits_on(c)


def one_thread(c):
    c.execute("SET threads = 1")
    assert interrupted(c, LONG)
    fits_on(c)


def threads_and_memory():
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["Threads"]), int(fields["VmRSS"].split()[0]) / 1024


def a_thousand(c):
    """Fits that were interrupted stop by themselves and free everything."""
    fits_on(c)
    run = lambda: interrupted(c, LONG, after=0.01)
    for _ in range(50):
        run()
    settle()
    threads, before = threads_and_memory()
    for _ in range(1000):
        run()
    settle()
    after_threads, after = threads_and_memory()
    # The votes of one fit are 2 MB; a thousand of them would be 2 GB.
    assert after_threads <= threads, (threads, after_threads)
    assert after - before < 300, f"grew by {after - before:.0f} MB"
    fits_on(c)


def settle():
    """Waits until no fit runs, at most a minute. Their threads are named, but one that has just been
    started has no name yet, and one that was joined may be about to end. So it looks for half a second."""
    looks = 0
    for _ in range(600):
        fits = any(thread_name(task).startswith("me_hodgerank") for task in os.listdir("/proc/self/task"))
        looks = 0 if fits else looks + 1
        if looks == 5:
            return
        time.sleep(0.1)
    raise AssertionError("a fit that nobody waits for goes on")


def thread_name(task):
    """Empty for a thread that has ended since it was listed."""
    try:
        with open(f"/proc/self/task/{task}/comm") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def results_wait_for_their_query(c):
    """A fit whose query is busy with something else meanwhile is not given up."""
    slow = "(SELECT sum(a.range * b.range) AS x FROM range(40000) a, range(40000) b)"
    assert c.execute(f"SELECT count(*) FROM me_hodgerank('votes', t := 1) JOIN {slow} ON x > rank").fetchone() == (100,)
    assert c.execute(f"SELECT count(*) FROM {slow} JOIN me_hodgerank('votes', t := 1) ON x > rank").fetchone() == (100,)


def the_same_call_twice(c):
    """DuckDB may compute equal parts of a query once; the two calls are still answered."""
    call = "me_hodgerank('votes', t := 1)"
    assert c.execute(f"SELECT count(*) FROM {call} a JOIN {call} b USING (item)").fetchone() == (100,)
    assert c.execute(f"WITH r AS (FROM {call}) SELECT count(*) FROM r a JOIN r b USING (item)").fetchone() == (100,)


CASES = {case.__name__: case for case in [
    every_function, one_thread, a_thousand, results_wait_for_their_query, the_same_call_twice]}


def run_case(name, extension):
    import duckdb

    c = duckdb.connect(config={"allow_unsigned_extensions": True})
    c.execute(f"LOAD '{extension}'")
    c.execute(f"CREATE TABLE votes AS {VOTES}")
    CASES[name](c)
    print("fine")


def control_c(cli, extension):
    """Ctrl-C while a script runs in the command line ends it, long before the fit would."""
    shell = subprocess.Popen(
        [cli, "-unsigned", "-init", "/dev/null"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True)
    shell.stdin.write(f"LOAD '{extension}'; CREATE TABLE votes AS {VOTES};\n.print loaded\n{LONG};\nSELECT 'ended';\n")
    shell.stdin.flush()
    assert shell.stdout.readline() == "loaded\n"
    time.sleep(1)  # into the fit, which takes many minutes
    os.killpg(shell.pid, signal.SIGINT)
    try:
        output, _ = shell.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        raise AssertionError("goes on")
    assert "ended" not in output, output


def main():
    from duckdb_hosts import EXTENSION, check_cases, cli
    from sqllogic import Score

    score = Score()
    check_cases(__file__, CASES, score)
    try:
        control_c(cli(), EXTENSION)
        score.ok()
    except (AssertionError, OSError) as error:
        score.fail("Ctrl-C in the command line", error)
    score.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_case(*sys.argv[1:])
    else:
        main()
