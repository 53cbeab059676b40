-- "Much better, better, same, worse, much worse": the size of a choice is its strength.

CREATE TABLE answers AS
SELECT annotator, v.left, v.right,
       CASE WHEN choice > 1 THEN 'left much better' WHEN choice > 0.2 THEN 'left better'
            WHEN choice < -1 THEN 'right much better' WHEN choice < -0.2 THEN 'right better' ELSE 'same' END AS answer
FROM me_hodgerank_simulate(annotators := 40, items := 5, votes_each := 60, graded := true, seed := 3) v;

CREATE TABLE scale (answer VARCHAR, strength DOUBLE);
INSERT INTO scale VALUES ('left much better', 2), ('left better', 1), ('same', 0), ('right better', -1), ('right much better', -2);

CREATE VIEW votes AS
SELECT annotator, "left", "right", strength AS choice FROM answers JOIN scale USING (answer);

-- The difference of two scores is now in steps of the scale.
SELECT rank, item, round(score, 2) AS score, ties FROM me_hodgerank('votes');
-- ┌───────┬───────┬────────┬───────┐
-- │ rank  │ item  │ score  │ ties  │
-- │ int64 │ int64 │ double │ int64 │
-- ├───────┼───────┼────────┼───────┤
-- │     1 │     5 │   1.35 │    13 │
-- │     2 │     2 │   0.48 │   128 │
-- │     3 │     4 │   0.13 │   147 │
-- │     4 │     1 │  -0.65 │    93 │
-- │     5 │     3 │  -1.31 │    39 │
-- └───────┴───────┴────────┴───────┘
