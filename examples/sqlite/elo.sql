-- Elo ratings of models in an arena, from Bradley–Terry scores that know about judges with
-- a favourite side and a taste of their own. Scores of the logistic loss are log-odds; Elo
-- counts 400 points for odds of ten to one, so a point is 400 / ln(10) of them. The ratings
-- are anchored to one item, which is given 1000.

CREATE TABLE battles AS
SELECT 'judge' || annotator AS judge, substr('antbeecatdogeel', 3 * "left" - 2, 3) AS model_a,
       substr('antbeecatdogeel', 3 * "right" - 2, 3) AS model_b,
       CASE WHEN choice > 0 THEN 'model_a' WHEN choice < 0 THEN 'model_b' ELSE 'tie' END AS winner
FROM me_hodgerank_simulate('{"annotators": 80, "items": 5, "votes_each": 30, "ties": 0.15, "careless": 0.2, "seed": 2}');

WITH ranking AS (SELECT * FROM me_hodgerank('battles', '{"loss": "logistic"}')),
     anchor AS (SELECT score FROM ranking WHERE item = 'ant')
SELECT rank, item,
       round(1000 + 400 / ln(10) * (ranking.score - anchor.score)) AS elo,
       round(1000 + 400 / ln(10) * (score_low - anchor.score)) AS low,
       round(1000 + 400 / ln(10) * (score_high - anchor.score)) AS high,
       round(win_share, 3) AS win_share
FROM ranking, anchor ORDER BY rank;
-- ┌──────┬──────┬────────┬────────┬────────┬───────────┐
-- │ rank │ item │  elo   │  low   │  high  │ win_share │
-- ├──────┼──────┼────────┼────────┼────────┼───────────┤
-- │ 1    │ dog  │ 1130.0 │ 1104.0 │ 1157.0 │ 0.806     │
-- │ 2    │ bee  │ 1012.0 │ 994.0  │ 1029.0 │ 0.678     │
-- │ 3    │ ant  │ 1000.0 │ 979.0  │ 1021.0 │ 0.663     │
-- │ 4    │ eel  │ 692.0  │ 672.0  │ 712.0  │ 0.25      │
-- │ 5    │ cat  │ 579.0  │ 553.0  │ 606.0  │ 0.148     │
-- └──────┴──────┴────────┴────────┴────────┴───────────┘
