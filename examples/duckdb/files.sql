-- Votes in files: the name of a file takes the place of the table's.

COPY (FROM me_hodgerank_simulate(annotators := 20, items := 4, seed := 5)) TO 'votes.parquet';
COPY (FROM me_hodgerank_simulate(annotators := 20, items := 4, seed := 5)) TO 'votes.csv';

SELECT item, rank, round(score, 2) AS score FROM me_hodgerank('votes.parquet');
-- ┌───────┬───────┬────────┐
-- │ item  │ rank  │ score  │
-- │ int64 │ int64 │ double │
-- ├───────┼───────┼────────┤
-- │     4 │     1 │   0.67 │
-- │     2 │     2 │   0.22 │
-- │     1 │     3 │  -0.26 │
-- │     3 │     4 │  -0.63 │
-- └───────┴───────┴────────┘

SELECT p.item, p.score = c.score AS the_same FROM me_hodgerank('votes.parquet') p JOIN me_hodgerank('votes.csv') c USING (item)
ORDER BY item;
-- ┌───────┬──────────┐
-- │ item  │ the_same │
-- │ int64 │ boolean  │
-- ├───────┼──────────┤
-- │     1 │ true     │
-- │     2 │ true     │
-- │     3 │ true     │
-- │     4 │ true     │
-- └───────┴──────────┘

-- Many files at once; or a view, where the columns want some work first.
COPY (FROM 'votes.parquet' WHERE annotator <= 10) TO 'part-1.parquet';
COPY (FROM 'votes.parquet' WHERE annotator > 10) TO 'part-2.parquet';
SELECT votes, annotators FROM me_hodgerank_summary('part-*.parquet');
-- ┌───────┬────────────┐
-- │ votes │ annotators │
-- │ int64 │   int64    │
-- ├───────┼────────────┤
-- │  1200 │         20 │
-- └───────┴────────────┘

CREATE VIEW recent AS
SELECT annotator, "left", "right", choice FROM read_csv('votes.csv') WHERE annotator > 5;
SELECT votes, annotators FROM me_hodgerank_summary('recent');
-- ┌───────┬────────────┐
-- │ votes │ annotators │
-- │ int64 │   int64    │
-- ├───────┼────────────┤
-- │   900 │         15 │
-- └───────┴────────────┘
