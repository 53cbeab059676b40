-- One fit for each group of votes. A model is a BLOB: stored once, unpacked without a fit.

CREATE TABLE votes AS
SELECT 'logo' AS task, * FROM me_hodgerank_simulate(annotators := 30, items := 4, seed := 1)
UNION ALL
SELECT 'slogan', * FROM me_hodgerank_simulate(annotators := 30, items := 5, seed := 2);

CREATE TABLE models AS
SELECT task, me_hodgerank_model(annotator, "left", "right", choice, {kappa: 10}) AS model
FROM votes GROUP BY task;

SELECT task, s.votes, s.position_biased, round(s.mixed_error, 3) AS error
FROM models, me_hodgerank_model_summary(model) s
ORDER BY task;
-- ┌─────────┬───────┬─────────────────┬────────┐
-- │  task   │ votes │ position_biased │ error  │
-- │ varchar │ int64 │      int64      │ double │
-- ├─────────┼───────┼─────────────────┼────────┤
-- │ logo    │  1800 │               4 │  0.378 │
-- │ slogan  │  1800 │               3 │  0.344 │
-- └─────────┴───────┴─────────────────┴────────┘

-- Also in a view. Ids are text, unless item (or annotator) gives their type.
CREATE VIEW rankings AS
SELECT task, r.* FROM models, me_hodgerank_model_ranking(model, item := NULL::BIGINT) r;

SELECT task, rank, item, round(score, 2) AS score FROM rankings ORDER BY task, rank;
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

-- Who clicks one side in one task and not in the other?
SELECT annotator, list(task ORDER BY task) AS clicks_one_side_in
FROM models, me_hodgerank_model_annotators(model, annotator := NULL::BIGINT)
WHERE verdict IN ('clicks left', 'clicks right')
GROUP BY annotator HAVING count(*) = 1 ORDER BY annotator LIMIT 3;
-- ┌───────────┬────────────────────┐
-- │ annotator │ clicks_one_side_in │
-- │   int64   │     varchar[]      │
-- ├───────────┼────────────────────┤
-- │         5 │ [slogan]           │
-- │         6 │ [logo]             │
-- │         7 │ [logo]             │
-- └───────────┴────────────────────┘

-- Where nothing is stored: a STRUCT of result sets.
SELECT task, fit.summary.votes, fit.ranking[1].item AS best
FROM (SELECT task, me_hodgerank_fit(annotator, "left", "right", choice) AS fit FROM votes GROUP BY task)
ORDER BY task;
-- ┌─────────┬───────┬───────┐
-- │  task   │ votes │ best  │
-- │ varchar │ int64 │ int64 │
-- ├─────────┼───────┼───────┤
-- │ logo    │  1800 │     4 │
-- │ slogan  │  1800 │     4 │
-- └─────────┴───────┴───────┘
