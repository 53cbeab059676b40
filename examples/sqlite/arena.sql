-- Votes from an LLM arena: model_a, model_b, a winner with ties, and a judge. These columns
-- are recognised by their names.

CREATE TABLE battles AS
SELECT 'judge' || annotator AS judge, char(96 + "left") AS model_a, char(96 + "right") AS model_b,
       CASE WHEN choice > 0 THEN 'model_a' WHEN choice < 0 THEN 'model_b' ELSE 'tie' END AS winner
FROM me_hodgerank_simulate('{"annotators": 80, "items": 5, "votes_each": 30, "ties": 0.15, "careless": 0.2, "seed": 2}');

SELECT rank, item, round(score, 2) AS score, votes, wins, losses, ties
FROM me_hodgerank('battles');
-- ┌──────┬──────┬───────┬───────┬──────┬────────┬──────┐
-- │ rank │ item │ score │ votes │ wins │ losses │ ties │
-- ├──────┼──────┼───────┼───────┼──────┼────────┼──────┤
-- │ 1    │ d    │ 0.46  │ 970   │ 640  │ 209    │ 121  │
-- │ 2    │ b    │ 0.23  │ 926   │ 511  │ 295    │ 120  │
-- │ 3    │ a    │ 0.22  │ 971   │ 530  │ 328    │ 113  │
-- │ 4    │ e    │ -0.38 │ 990   │ 250  │ 621    │ 119  │
-- │ 5    │ c    │ -0.53 │ 943   │ 178  │ 656    │ 109  │
-- └──────┴──────┴───────┴───────┴──────┴────────┴──────┘

-- Position bias of judges: how many, and which way?
SELECT verdict, count(*) AS judges FROM me_hodgerank_annotators('battles')
WHERE verdict IN ('clicks left', 'clicks right') GROUP BY verdict ORDER BY verdict;
-- ┌──────────────┬────────┐
-- │   verdict    │ judges │
-- ├──────────────┼────────┤
-- │ clicks left  │ 11     │
-- │ clicks right │ 6      │
-- └──────────────┴────────┘

-- Columns of other names are named in the options, or in a SELECT.
SELECT rank, item
FROM me_hodgerank('SELECT judge AS annotator, model_a AS left, model_b AS right, winner AS choice FROM battles')
WHERE rank <= 2;
-- ┌──────┬──────┐
-- │ rank │ item │
-- ├──────┼──────┤
-- │ 1    │ d    │
-- │ 2    │ b    │
-- └──────┴──────┘
