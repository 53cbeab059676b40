"""Votes in a polars or pandas frame, results as a frame again: no database.

pip install dist/me_hodgerank-*.whl pandas polars pyarrow
"""

import me_hodgerank
import pandas
import polars

# Your own frame; its columns are named where they are not called annotator, left, right and choice.
drinks = pandas.DataFrame(
    [
        ("ann", "tea", "milk", "tea"),
        ("ann", "milk", "cola", "milk"),
        ("bob", "tea", "cola", "tea"),
        ("bob", "cola", "milk", "milk"),
        ("cyd", "milk", "tea", "tea"),
        ("cyd", "cola", "tea", "cola"),
    ],
    columns=["who", "first", "second", "taken"],
)
fit = me_hodgerank.fit(drinks, annotator="who", left="first", right="second", choice="taken")
print(fit.ranking().to_pandas()[["item", "rank", "wins", "losses"]].to_string(index=False))

# More votes, made up. Whom should one look at before one pays?
votes = me_hodgerank.simulate(annotators=40, items=8, seed=7).to_polars()
fit = me_hodgerank.fit(votes, fdr=0.05)
due = votes.group_by("annotator").agg(due=0.05 * polars.len())
people = fit.annotators().to_polars().join(due, on="annotator")
fine = ["ok", "own taste", "too few votes to tell"]
for row in people.filter(~polars.col("verdict").is_in(fine)).sort("annotator").select("annotator", "due", "verdict").rows():
    print(row)

# The ranking of the others. The model is kept for later.
careless = people.filter(~polars.col("verdict").is_in(fine)).select("annotator")
again = me_hodgerank.fit(votes.join(careless, on="annotator", how="anti"))
print(again.ranking()["item"])
print(me_hodgerank.Fit.from_bytes(again.to_bytes()).summary()[0]["annotators"])

# Prints:
# item  rank  wins  losses
#  tea     1     3       1
# milk     2     2       2
# cola     3     1       3
# (3, 3.0, 'against the consensus')
# (17, 3.0, 'clicks left')
# (21, 3.0, 'clicks left')
# (29, 3.0, 'clicks right')
# (34, 3.0, 'clicks left')
# (39, 3.0, 'against the consensus')
# [6, 2, 7, 8, 1, 3, 4, 5]
# 34
