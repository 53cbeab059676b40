-- Who is paid, who is looked at first. Ids come back in the type that they came in with,
-- so a BIGINT annotator joins a BIGINT payout table.

CREATE TABLE votes AS
FROM me_hodgerank_simulate(annotators := 50, items := 8, votes_each := 40, seed := 7);

CREATE TABLE payouts (annotator BIGINT PRIMARY KEY, email VARCHAR, due DECIMAL(8, 2));
INSERT INTO payouts
SELECT annotator, 'worker' || annotator || '@example.org', 0.05 * count(*) FROM votes GROUP BY annotator;

-- The verdict goes by tests that keep the share of wrong calls to one in ten (fdr sets
-- another rate); the evidence is a sentence that can be shown to the person. Somebody with
-- a taste of their own did the work.
SELECT email, due, verdict, evidence
FROM payouts JOIN me_hodgerank_annotators('votes') USING (annotator)
WHERE verdict NOT IN ('ok', 'own taste', 'too few votes to tell')
ORDER BY verdict, email;
-- ┌──────────────────────┬──────────────┬───────────────────────┬────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┐
-- │        email         │     due      │        verdict        │                                                                      evidence                                                                      │
-- │       varchar        │ decimal(8,2) │        varchar        │                                                                      varchar                                                                       │
-- ├──────────────────────┼──────────────┼───────────────────────┼────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┤
-- │ worker25@example.org │         2.00 │ against the consensus │ agreed with the consensus on 6 of 40 votes, where others agree on 35 (somebody who clicks at random would do so less than once in a million times) │
-- │ worker32@example.org │         2.00 │ against the consensus │ agreed with the consensus on 6 of 40 votes, where others agree on 35 (somebody who clicks at random would do so once in 49,000 times)              │
-- │ worker49@example.org │         2.00 │ against the consensus │ agreed with the consensus on 9 of 40 votes, where others agree on 34 (somebody who clicks at random would do so once in 22,000 times)              │
-- │ worker27@example.org │         2.00 │ clicks left           │ clicked left on 40 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)      │
-- │ worker39@example.org │         2.00 │ clicks left           │ clicked left on 37 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)      │
-- │ worker17@example.org │         2.00 │ clicks right          │ clicked right on 40 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)     │
-- │ worker1@example.org  │         2.00 │ clicks right          │ clicked right on 39 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)     │
-- │ worker44@example.org │         2.00 │ clicks right          │ clicked right on 36 of 40 votes, more than the items explain (somebody without a favourite side would do so less than once in a million times)     │
-- └──────────────────────┴──────────────┴───────────────────────┴────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘

SELECT sum(due) FILTER (verdict NOT IN ('ok', 'own taste', 'too few votes to tell')) AS held_back, sum(due) AS all_together
FROM payouts JOIN me_hodgerank_annotators('votes') USING (annotator);
-- ┌───────────────┬───────────────┐
-- │   held_back   │ all_together  │
-- │ decimal(38,2) │ decimal(38,2) │
-- ├───────────────┼───────────────┤
-- │         16.00 │        100.00 │
-- └───────────────┴───────────────┘
