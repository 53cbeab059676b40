-- Leave out those who did not look, and rank again: the text of a SELECT takes the place
-- of the table.

CREATE TABLE votes AS
SELECT * FROM me_hodgerank_simulate('{"annotators": 60, "items": 6, "careless": 0.15, "adversarial": 0.1, "seed": 3}');

CREATE TABLE flagged AS
SELECT annotator, verdict FROM me_hodgerank_annotators('votes')
WHERE verdict NOT IN ('ok', 'own taste', 'too few votes to tell');

SELECT verdict, count(*) AS annotators FROM flagged GROUP BY verdict ORDER BY verdict;
-- ┌───────────────────────┬────────────┐
-- │        verdict        │ annotators │
-- ├───────────────────────┼────────────┤
-- │ against the consensus │ 6          │
-- │ clicks left           │ 3          │
-- │ clicks right          │ 6          │
-- └───────────────────────┴────────────┘

SELECT item, rank, round(score, 2) AS score
FROM me_hodgerank('SELECT * FROM votes WHERE annotator NOT IN (SELECT annotator FROM flagged)');
-- ┌──────┬──────┬───────┐
-- │ item │ rank │ score │
-- ├──────┼──────┼───────┤
-- │ 5    │ 1    │ 0.8   │
-- │ 2    │ 2    │ 0.32  │
-- │ 4    │ 3    │ 0.13  │
-- │ 6    │ 4    │ -0.06 │
-- │ 1    │ 5    │ -0.42 │
-- │ 3    │ 6    │ -0.77 │
-- └──────┴──────┴───────┘
