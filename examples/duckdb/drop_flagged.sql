-- Leave out those who did not look, and rank again.
--
-- The fit already discounts them: their votes are explained by effects of their own. Plain
-- HodgeRank believes them, and gets the first place wrong until they are left out. So leave
-- them out where the votes go on to a tool that knows nothing of annotators.

CREATE TABLE votes AS
FROM me_hodgerank_simulate(annotators := 60, items := 6, votes_each := 40, careless := 0.15, adversarial := 0.15, seed := 35);

CREATE TABLE flagged AS
SELECT annotator, verdict
FROM me_hodgerank_annotators('votes')
WHERE verdict NOT IN ('ok', 'own taste', 'too few votes to tell');

SELECT verdict, count(*) AS annotators FROM flagged GROUP BY ALL ORDER BY ALL;
-- ┌───────────────────────┬────────────┐
-- │        verdict        │ annotators │
-- │        varchar        │   int64    │
-- ├───────────────────────┼────────────┤
-- │ against the consensus │          9 │
-- │ clicks left           │          7 │
-- │ clicks right          │          2 │
-- └───────────────────────┴────────────┘

CREATE VIEW clean_votes AS
FROM votes ANTI JOIN flagged USING (annotator);

SELECT item, c.rank, c.hodgerank_rank, a.rank AS rank_with_everybody, a.hodgerank_rank AS hodgerank_with_everybody
FROM me_hodgerank('clean_votes') c JOIN me_hodgerank('votes') a USING (item)
ORDER BY c.rank;
-- ┌───────┬───────┬────────────────┬─────────────────────┬──────────────────────────┐
-- │ item  │ rank  │ hodgerank_rank │ rank_with_everybody │ hodgerank_with_everybody │
-- │ int64 │ int64 │     int64      │        int64        │          int64           │
-- ├───────┼───────┼────────────────┼─────────────────────┼──────────────────────────┤
-- │     2 │     1 │              1 │                   1 │                        2 │
-- │     5 │     2 │              2 │                   2 │                        1 │
-- │     3 │     3 │              3 │                   3 │                        3 │
-- │     4 │     4 │              4 │                   4 │                        4 │
-- │     6 │     5 │              5 │                   5 │                        5 │
-- │     1 │     6 │              6 │                   6 │                        6 │
-- └───────┴───────┴────────────────┴─────────────────────┴──────────────────────────┘
