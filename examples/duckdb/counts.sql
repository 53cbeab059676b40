-- Votes that come as counts: one row for each annotator, pair and answer, with how often.

CREATE TABLE votes AS FROM me_hodgerank_simulate(annotators := 30, items := 4, votes_each := 100, seed := 6);

CREATE TABLE counts AS
SELECT annotator, "left", "right", choice, count(*) AS n FROM votes GROUP BY ALL;

SELECT (SELECT count(*) FROM votes) AS votes, (SELECT count(*) FROM counts) AS rows_of_counts;
-- ┌───────┬────────────────┐
-- │ votes │ rows_of_counts │
-- │ int64 │     int64      │
-- ├───────┼────────────────┤
-- │  3000 │            445 │
-- └───────┴────────────────┘

-- The ranking is that of the single votes. (Where to stop is chosen on folds of rows, so
-- the two are compared at the same time t.)
SELECT w.item, w.rank, round(w.score, 4) = round(v.score, 4) AS the_same
FROM me_hodgerank('counts', weight := 'n', t := 100) w JOIN me_hodgerank('votes', t := 100) v USING (item)
ORDER BY w.rank;
-- ┌───────┬───────┬──────────┐
-- │ item  │ rank  │ the_same │
-- │ int64 │ int64 │ boolean  │
-- ├───────┼───────┼──────────┤
-- │     1 │     1 │ true     │
-- │     2 │     2 │ true     │
-- │     3 │     3 │ true     │
-- │     4 │     4 │ true     │
-- └───────┴───────┴──────────┘
