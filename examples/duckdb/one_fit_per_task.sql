-- One fit for each group of votes, in one query: the aggregate.

CREATE TABLE votes AS
SELECT 'logo' AS task, * FROM me_hodgerank_simulate(annotators := 30, items := 4, seed := 1)
UNION ALL
SELECT 'slogan', * FROM me_hodgerank_simulate(annotators := 30, items := 5, seed := 2);

CREATE TABLE fits AS
SELECT task, me_hodgerank_fit(annotator, "left", "right", choice, {kappa: 10}) AS model
FROM votes GROUP BY task;

-- A model is a STRUCT of result sets. It is stored: reading it fits nothing.
SELECT task, model.summary.votes, model.summary.position_biased, round(model.summary.mixed_error, 3) AS error
FROM fits ORDER BY task;
-- ┌─────────┬───────┬─────────────────┬────────┐
-- │  task   │ votes │ position_biased │ error  │
-- │ varchar │ int64 │      int64      │ double │
-- ├─────────┼───────┼─────────────────┼────────┤
-- │ logo    │  1800 │               4 │  0.378 │
-- │ slogan  │  1800 │               3 │  0.344 │
-- └─────────┴───────┴─────────────────┴────────┘

SELECT task, r.rank, r.item, round(r.score, 2) AS score
FROM (SELECT task, unnest(model.ranking) AS r FROM fits)
ORDER BY task, r.rank;
-- ┌─────────┬───────┬───────┬────────┐
-- │  task   │ rank  │ item  │ score  │
-- │ varchar │ int64 │ int64 │ double │
-- ├─────────┼───────┼───────┼────────┤
-- │ logo    │     1 │     4 │   0.66 │
-- │ logo    │     2 │     1 │   0.05 │
-- │ logo    │     3 │     2 │   0.02 │
-- │ logo    │     4 │     3 │  -0.73 │
-- │ slogan  │     1 │     4 │   0.61 │
-- │ slogan  │     2 │     1 │   0.33 │
-- │ slogan  │     3 │     2 │   0.27 │
-- │ slogan  │     4 │     5 │   -0.5 │
-- │ slogan  │     5 │     3 │  -0.71 │
-- └─────────┴───────┴───────┴────────┘

-- Who is careless in one task and not in the other?
SELECT annotator, list(task ORDER BY task) AS biased_in
FROM (SELECT task, unnest(model.annotators, recursive := true) FROM fits)
WHERE is_position_biased
GROUP BY annotator HAVING count(*) = 1 ORDER BY annotator LIMIT 3;
-- ┌───────────┬───────────┐
-- │ annotator │ biased_in │
-- │   int64   │ varchar[] │
-- ├───────────┼───────────┤
-- │         5 │ [slogan]  │
-- │         6 │ [logo]    │
-- │         7 │ [logo]    │
-- └───────────┴───────────┘
