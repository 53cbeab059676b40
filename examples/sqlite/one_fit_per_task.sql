-- One fit for each group of votes. A model is a BLOB: stored once, unpacked without a fit.

CREATE TABLE votes AS
SELECT 'logo' AS task, * FROM me_hodgerank_simulate('{"annotators": 30, "items": 4, "seed": 1}')
UNION ALL
SELECT 'slogan', * FROM me_hodgerank_simulate('{"annotators": 30, "items": 5, "seed": 2}');

CREATE TABLE fits AS
SELECT task, me_hodgerank_fit(annotator, "left", "right", choice, '{"kappa": 10}') AS model
FROM votes GROUP BY task;

SELECT f.task, r.rank, r.item, round(r.score, 2) AS score
FROM fits f, me_hodgerank_ranking(f.model) r
ORDER BY f.task, r.rank;
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

-- A function that reads tables by their name is not allowed in a stored view. The aggregate
-- and me_hodgerank_ranking are, and fit anew whenever the view is read.
CREATE VIEW rankings AS
SELECT f.task, r.rank, r.item
FROM (SELECT task, me_hodgerank_fit(annotator, "left", "right", choice) AS model FROM votes GROUP BY task) f,
     me_hodgerank_ranking(f.model) r;

SELECT * FROM rankings WHERE rank = 1;
-- ┌────────┬──────┬──────┐
-- │  task  │ rank │ item │
-- ├────────┼──────┼──────┤
-- │ logo   │ 1    │ 4    │
-- │ slogan │ 1    │ 4    │
-- └────────┴──────┴──────┘
