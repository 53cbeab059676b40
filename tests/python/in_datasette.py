"""The plugin in a Datasette, by its own client."""

import asyncio
import warnings

from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3
from me_hodgerank import load
from me_hodgerank._datasette import prepare_connection

con = load(sqlite3.connect("votes.db"))
con.execute("CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate('{\"annotators\": 20, \"items\": 5, \"seed\": 1}')")
con.execute("CREATE TABLE many AS SELECT * FROM me_hodgerank_simulate('{\"annotators\": 3000, \"items\": 200, \"seed\": 1}')")
con.commit()
wanted = con.execute("SELECT item, rank FROM me_hodgerank('votes')").fetchall()


async def main():
    served = Datasette(["votes.db"], settings={"sql_time_limit_ms": 5000})
    plugins = (await served.client.get("/-/plugins.json")).json()
    assert any(plugin["name"] == "me_hodgerank" and "prepare_connection" in plugin["hooks"] for plugin in plugins), plugins
    query = {"sql": "SELECT item, rank FROM me_hodgerank(:votes)", "votes": "votes", "_shape": "arrays"}
    answer = (await served.client.get("/votes.json", params=query)).json()
    assert [tuple(row) for row in answer["rows"]] == wanted, answer
    # Visitors load nothing.
    answer = (await served.client.get("/votes.json", params={"sql": "SELECT load_extension('nothing')"})).json()
    assert "not authorized" in answer["error"], answer
    # Datasette's time limit holds within a fit.
    hurried = Datasette(["votes.db"], settings={"sql_time_limit_ms": 50})
    answer = (await hurried.client.get("/votes.json", params={"sql": "SELECT * FROM me_hodgerank('many')"})).json()
    assert "nterrupted" in str(answer), answer


asyncio.run(main())
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    prepare_connection(object())
assert "pip install pysqlite3-binary" in str(warned[0].message), warned
print("fine")
