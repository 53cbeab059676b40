"""A view for a BI tool: in the database file, over the votes there, always up to date.

Superset and others open DuckDB files through SQLAlchemy and its dialect duckdb-engine.
What they need is the extension loaded at each connect; the two settings below go
into Superset's field "Engine parameters" as they are, in JSON.

pip install dist/me_hodgerank-*.whl duckdb duckdb-engine 'sqlalchemy<2.1'
"""

import os
import tempfile

import me_hodgerank
from sqlalchemy import create_engine, inspect, text

file = os.path.join(tempfile.mkdtemp(), "votes.duckdb")

# Once, by whoever owns the file. `me` is where the extension keeps its functions.
with me_hodgerank.connect(file) as con:
    con.execute("CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 40, items := 8, seed := 7)")
    con.execute("CREATE VIEW annotator_quality AS FROM me.me_hodgerank_annotators('votes')")

# In the BI tool.
engine_parameters = {
    "connect_args": {
        "config": {"allow_unsigned_extensions": True},
        "preload_extensions": [f"'{me_hodgerank.duckdb_extension}'"],
    }
}
engine = create_engine(f"duckdb:///{file}", **engine_parameters)
print(inspect(engine).get_view_names())
print([column["name"] for column in inspect(engine).get_columns("annotator_quality")][:5])
with engine.connect() as con:
    query = "SELECT annotator, verdict FROM annotator_quality WHERE verdict NOT IN ('ok', 'own taste', 'too few votes to tell')"
    for row in con.execute(text(query + " ORDER BY annotator")):
        print(tuple(row))

# Prints:
# ['annotator_quality']
# ['annotator', 'votes', 'left_clicks', 'right_clicks', 'ties']
# (3, 'against the consensus')
# (17, 'clicks left')
# (21, 'clicks left')
# (29, 'clicks right')
# (34, 'clicks left')
# (39, 'against the consensus')
