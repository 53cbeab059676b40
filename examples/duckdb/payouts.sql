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
-- ┌──────────────────────┬──────────────┬───────────────────────┬────────────────────────────────────────────────────────────────────────────┐
-- │        email         │     due      │        verdict        │                                  evidence                                  │
-- │       varchar        │ decimal(8,2) │        varchar        │                                  varchar                                   │
-- ├──────────────────────┼──────────────┼───────────────────────┼────────────────────────────────────────────────────────────────────────────┤
-- │ worker25@example.org │         2.00 │ against the consensus │ agreed with the consensus on 6 of 40 votes (by chance about once in 46000) │
-- │ worker32@example.org │         2.00 │ against the consensus │ agreed with the consensus on 6 of 40 votes (by chance about once in 29000) │
-- │ worker49@example.org │         2.00 │ against the consensus │ agreed with the consensus on 9 of 40 votes (by chance about once in 2300)  │
-- │ worker27@example.org │         2.00 │ clicks left           │ clicked left on 40 of 40 votes (by chance less than once in a million)     │
-- │ worker39@example.org │         2.00 │ clicks left           │ clicked left on 37 of 40 votes (by chance less than once in a million)     │
-- │ worker17@example.org │         2.00 │ clicks right          │ clicked right on 40 of 40 votes (by chance less than once in a million)    │
-- │ worker18@example.org │         2.00 │ clicks right          │ clicked right on 27 of 40 votes (by chance about once in 120)              │
-- │ worker1@example.org  │         2.00 │ clicks right          │ clicked right on 39 of 40 votes (by chance less than once in a million)    │
-- │ worker21@example.org │         2.00 │ clicks right          │ clicked right on 29 of 40 votes (by chance about once in 270)              │
-- │ worker44@example.org │         2.00 │ clicks right          │ clicked right on 36 of 40 votes (by chance about once in 220000)           │
-- └──────────────────────┴──────────────┴───────────────────────┴────────────────────────────────────────────────────────────────────────────┘

SELECT sum(due) FILTER (verdict NOT IN ('ok', 'own taste', 'too few votes to tell')) AS held_back, sum(due) AS all_together
FROM payouts JOIN me_hodgerank_annotators('votes') USING (annotator);
-- ┌───────────────┬───────────────┐
-- │   held_back   │ all_together  │
-- │ decimal(38,2) │ decimal(38,2) │
-- ├───────────────┼───────────────┤
-- │         20.00 │        100.00 │
-- └───────────────┴───────────────┘
