-- One fit for each group of votes. A model is a BLOB: stored once, unpacked without a fit.

CREATE TABLE votes AS
SELECT 'logo' AS task, * FROM me_hodgerank_simulate('{"annotators": 30, "items": 4, "seed": 1}')
UNION ALL
SELECT 'slogan', * FROM me_hodgerank_simulate('{"annotators": 30, "items": 5, "seed": 2}');

CREATE TABLE models AS
SELECT task, me_hodgerank_model(annotator, "left", "right", choice, '{"kappa": 10}') AS model
FROM votes GROUP BY task;

SELECT m.task, s.votes, s.position_biased, round(s.mixed_error, 3) AS error
FROM models m, me_hodgerank_model_summary(m.model) s
ORDER BY m.task;
-- ┌────────┬───────┬─────────────────┬───────┐
-- │  task  │ votes │ position_biased │ error │
-- ├────────┼───────┼─────────────────┼───────┤
-- │ logo   │ 1800  │ 4               │ 0.378 │
-- │ slogan │ 1800  │ 3               │ 0.344 │
-- └────────┴───────┴─────────────────┴───────┘

-- Also in a view: functions that unpack a model read no table.
CREATE VIEW rankings AS
SELECT m.task, r.* FROM models m, me_hodgerank_model_ranking(m.model) r;

SELECT task, rank, item, round(score, 2) AS score FROM rankings ORDER BY task, rank;
-- ┌────────┬──────┬──────┬───────┐
-- │  task  │ rank │ item │ score │
-- ├────────┼──────┼──────┼───────┤
-- │ logo   │ 1    │ 4    │ 0.66  │
-- │ logo   │ 2    │ 1    │ 0.05  │
-- │ logo   │ 3    │ 2    │ 0.02  │
-- │ logo   │ 4    │ 3    │ -0.73 │
-- │ slogan │ 1    │ 4    │ 0.61  │
-- │ slogan │ 2    │ 1    │ 0.33  │
-- │ slogan │ 3    │ 2    │ 0.27  │
-- │ slogan │ 4    │ 5    │ -0.5  │
-- │ slogan │ 5    │ 3    │ -0.71 │
-- └────────┴──────┴──────┴───────┘

-- Who clicks one side in one task and not in the other?
SELECT a.annotator, group_concat(m.task) AS clicks_one_side_in
FROM models m, me_hodgerank_model_annotators(m.model) a
WHERE a.verdict IN ('clicks left', 'clicks right')
GROUP BY a.annotator HAVING count(*) = 1 ORDER BY a.annotator LIMIT 3;
-- ┌───────────┬────────────────────┐
-- │ annotator │ clicks_one_side_in │
-- ├───────────┼────────────────────┤
-- │ 5         │ slogan             │
-- │ 6         │ logo               │
-- │ 7         │ logo               │
-- └───────────┴────────────────────┘

-- A view that fits anew whenever it is read.
CREATE VIEW best AS
SELECT f.task, r.item
FROM (SELECT task, me_hodgerank_model(annotator, "left", "right", choice) AS model FROM votes GROUP BY task) f,
     me_hodgerank_model_ranking(f.model) r
WHERE r.rank = 1;

SELECT * FROM best ORDER BY task;
-- ┌────────┬──────┐
-- │  task  │ item │
-- ├────────┼──────┤
-- │ logo   │ 4    │
-- │ slogan │ 4    │
-- └────────┴──────┘
