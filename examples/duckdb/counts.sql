-- Votes that come as counts: one row for each annotator, pair and answer, with how often.

CREATE TABLE counts AS
SELECT annotator, "left", "right", choice, count(*) AS n
FROM me_hodgerank_simulate(annotators := 30, items := 4, votes_each := 100, seed := 6) GROUP BY ALL;

-- A row for each vote. (A weight would not do: it says how much a row matters, and a row is
-- one piece of evidence, whatever its weight.)
CREATE VIEW votes AS SELECT annotator, "left", "right", choice FROM counts, range(n);

SELECT (SELECT count(*) FROM counts) AS rows_of_counts, votes FROM me_hodgerank_summary('votes');
-- ┌────────────────┬───────┐
-- │ rows_of_counts │ votes │
-- │     int64      │ int64 │
-- ├────────────────┼───────┤
-- │            445 │  3000 │
-- └────────────────┴───────┘

SELECT rank, item, round(score, 2) AS score, wins, losses FROM me_hodgerank('votes');
-- ┌───────┬───────┬────────┬───────┬────────┐
-- │ rank  │ item  │ score  │ wins  │ losses │
-- │ int64 │ int64 │ double │ int64 │ int64  │
-- ├───────┼───────┼────────┼───────┼────────┤
-- │     1 │     1 │   0.74 │  1323 │    192 │
-- │     2 │     2 │   0.19 │   847 │    583 │
-- │     3 │     3 │  -0.27 │   586 │    945 │
-- │     4 │     4 │  -0.67 │   244 │   1280 │
-- └───────┴───────┴────────┴───────┴────────┘

-- Counts of wins for each pair, where nobody knows who voted.
CREATE TABLE pairs AS
SELECT least("left", "right") AS a, greatest("left", "right") AS b,
       count(*) FILTER ((choice > 0) = ("left" < "right")) AS a_won,
       count(*) FILTER ((choice > 0) <> ("left" < "right")) AS b_won
FROM votes GROUP BY ALL;

CREATE VIEW pair_votes AS
SELECT a AS winner, b AS loser FROM pairs, range(a_won) UNION ALL SELECT b, a FROM pairs, range(b_won);

SELECT rank, item, round(score, 2) AS score, round(score_low, 2) AS low, round(score_high, 2) AS high
FROM me_hodgerank('pair_votes', annotator := NULL);
-- ┌───────┬───────┬────────┬────────┬────────┐
-- │ rank  │ item  │ score  │  low   │  high  │
-- │ int64 │ int64 │ double │ double │ double │
-- ├───────┼───────┼────────┼────────┼────────┤
-- │     1 │     1 │   0.55 │   0.53 │   0.58 │
-- │     2 │     2 │   0.14 │   0.11 │   0.17 │
-- │     3 │     3 │  -0.19 │  -0.22 │  -0.16 │
-- │     4 │     4 │  -0.51 │  -0.54 │  -0.48 │
-- └───────┴───────┴────────┴────────┴────────┘
