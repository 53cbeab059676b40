-- Votes from an LLM arena: model_a, model_b, a winner with ties, and a judge. These columns
-- are recognised by their names; nothing has to be renamed or recoded.

CREATE TABLE battles AS
SELECT 'judge' || annotator AS judge,
       ['ant', 'bee', 'cat', 'dog', 'eel'][v.left] AS model_a, ['ant', 'bee', 'cat', 'dog', 'eel'][v.right] AS model_b,
       CASE WHEN choice > 0 THEN 'model_a' WHEN choice < 0 THEN 'model_b' ELSE 'tie (bothbad)' END AS winner
FROM me_hodgerank_simulate(annotators := 80, items := 5, votes_each := 30, ties := 0.15, careless := 0.2, seed := 2) v;

FROM battles LIMIT 3;
-- ┌─────────┬─────────┬─────────┬─────────┐
-- │  judge  │ model_a │ model_b │ winner  │
-- │ varchar │ varchar │ varchar │ varchar │
-- ├─────────┼─────────┼─────────┼─────────┤
-- │ judge1  │ eel     │ bee     │ model_a │
-- │ judge1  │ cat     │ eel     │ model_a │
-- │ judge1  │ eel     │ bee     │ model_a │
-- └─────────┴─────────┴─────────┴─────────┘

SELECT rank, item, round(score, 2) AS score, votes, wins, losses, ties
FROM me_hodgerank('battles');
-- ┌───────┬─────────┬────────┬───────┬───────┬────────┬───────┐
-- │ rank  │  item   │ score  │ votes │ wins  │ losses │ ties  │
-- │ int64 │ varchar │ double │ int64 │ int64 │ int64  │ int64 │
-- ├───────┼─────────┼────────┼───────┼───────┼────────┼───────┤
-- │     1 │ dog     │   0.46 │   970 │   640 │    209 │   121 │
-- │     2 │ bee     │   0.23 │   926 │   511 │    295 │   120 │
-- │     3 │ ant     │   0.22 │   971 │   530 │    328 │   113 │
-- │     4 │ eel     │  -0.38 │   990 │   250 │    621 │   119 │
-- │     5 │ cat     │  -0.53 │   943 │   178 │    656 │   109 │
-- └───────┴─────────┴────────┴───────┴───────┴────────┴───────┘

-- Position bias of judges: how many, and which way?
SELECT verdict, count(*) AS judges FROM me_hodgerank_annotators('battles')
WHERE verdict IN ('clicks left', 'clicks right') GROUP BY ALL ORDER BY ALL;
-- ┌──────────────┬────────┐
-- │   verdict    │ judges │
-- │   varchar    │ int64  │
-- ├──────────────┼────────┤
-- │ clicks left  │     11 │
-- │ clicks right │      6 │
-- └──────────────┴────────┘
