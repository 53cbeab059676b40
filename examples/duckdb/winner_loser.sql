-- A table of winners and losers does not say who was shown left. Columns called annotator,
-- winner and loser are recognised as such votes: there is no position bias to find.

CREATE TABLE games AS
SELECT annotator AS referee, if(choice > 0, v.left, v.right) AS winner, if(choice > 0, v.right, v.left) AS loser
FROM me_hodgerank_simulate(annotators := 40, items := 5, careless := 0, seed := 5) v;

-- Rename what is called otherwise.
CREATE VIEW votes AS SELECT referee AS annotator, winner, loser FROM games;

SELECT rank, item, round(score, 2) AS score, wins, losses FROM me_hodgerank('votes');
-- ┌───────┬───────┬────────┬───────┬────────┐
-- │ rank  │ item  │ score  │ wins  │ losses │
-- │ int64 │ int64 │ double │ int64 │ int64  │
-- ├───────┼───────┼────────┼───────┼────────┤
-- │     1 │     4 │   0.71 │   869 │     99 │
-- │     2 │     2 │   0.39 │   673 │    264 │
-- │     3 │     1 │  -0.01 │   491 │    495 │
-- │     4 │     3 │  -0.48 │   216 │    768 │
-- │     5 │     5 │  -0.61 │   151 │    774 │
-- └───────┴───────┴────────┴───────┴────────┘

-- Those who answer against everybody are still found.
SELECT annotator, round(agreement, 2) AS agreement, verdict
FROM me_hodgerank_annotators('votes')
WHERE verdict = 'against the consensus' ORDER BY annotator;
-- ┌───────────┬───────────┬───────────────────────┐
-- │ annotator │ agreement │        verdict        │
-- │   int64   │  double   │        varchar        │
-- ├───────────┼───────────┼───────────────────────┤
-- │        11 │      0.15 │ against the consensus │
-- │        12 │      0.08 │ against the consensus │
-- └───────────┴───────────┴───────────────────────┘
