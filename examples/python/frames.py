"""Votes in a pandas or polars frame, results as a frame again, through DuckDB.

pip install dist/me_hodgerank-*.whl duckdb pandas polars pyarrow
"""

import me_hodgerank
import pandas
import polars

con = me_hodgerank.connect()  # a DuckDB in memory, with the functions in it

# The name of a frame's variable takes the place of the table's.
drinks = pandas.DataFrame(
    [
        ("ann", "tea", "milk", "left"),
        ("ann", "milk", "cola", "left"),
        ("bob", "tea", "cola", "left"),
        ("bob", "cola", "milk", "right"),
        ("cyd", "milk", "tea", "right"),
        ("cyd", "cola", "tea", "left"),
    ],
    columns=["annotator", "left", "right", "choice"],
)
ranking = con.execute("SELECT item, rank, wins, losses FROM me_hodgerank('drinks')").df()
print(type(ranking).__module__.split(".")[0])
print(ranking.to_string(index=False))

# The same for polars; more votes, made up.
frame = con.execute("FROM me_hodgerank_simulate(annotators := 40, items := 8, seed := 7)").pl()
people = con.execute("FROM me_hodgerank_annotators('frame')").pl()
print(type(people).__module__.split(".")[0])
print(people.filter(polars.col("verdict") == "against the consensus").select("annotator", "votes", "agreement").rows())

# Prints:
# pandas
# item  rank  wins  losses
#  tea     1     3       1
# milk     2     2       2
# cola     3     1       3
# polars
# [(3, 60, 0.13333333333333333), (39, 60, 0.13333333333333333)]
