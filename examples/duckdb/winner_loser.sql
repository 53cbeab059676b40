-- A table of winners and losers does not say who was shown left. Without sides there is no
-- position bias to find, and the votes all look like "left": say so.

CREATE TABLE games AS
SELECT annotator AS referee, if(choice > 0, v.left, v.right) AS winner, if(choice > 0, v.right, v.left) AS loser,
       1 AS won
FROM me_hodgerank_simulate(annotators := 40, items := 5, careless := 0, seed := 5) v;

SELECT rank, item, round(score, 2) AS score, wins, losses
FROM me_hodgerank('games', annotator := 'referee', "left" := 'winner', "right" := 'loser', choice := 'won',
                  position_bias := false);
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

-- Deviations are still found.
SELECT annotator, round(agreement, 2) AS agreement, is_adversarial
FROM me_hodgerank_annotators('games', annotator := 'referee', "left" := 'winner', "right" := 'loser', choice := 'won',
                             position_bias := false)
WHERE is_adversarial ORDER BY annotator;
-- ┌───────────┬───────────┬────────────────┐
-- │ annotator │ agreement │ is_adversarial │
-- │   int64   │  double   │    boolean     │
-- ├───────────┼───────────┼────────────────┤
-- │        11 │      0.15 │ true           │
-- │        12 │      0.08 │ true           │
-- └───────────┴───────────┴────────────────┘
