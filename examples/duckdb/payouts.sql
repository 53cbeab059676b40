-- Who is paid, who is looked at first. Ids come back in the type that they came in with,
-- so a BIGINT annotator joins a BIGINT payout table.

CREATE TABLE votes AS
FROM me_hodgerank_simulate(annotators := 50, items := 8, votes_each := 40, seed := 7);

CREATE TABLE payouts (annotator BIGINT PRIMARY KEY, email VARCHAR, due DECIMAL(8, 2));
INSERT INTO payouts
SELECT annotator, 'worker' || annotator || '@example.org', 0.05 * count(*) FROM votes GROUP BY annotator;

-- A flag is a reason to look, not a verdict. Agreement says how much of the work is usable;
-- chance alone agrees in half of the votes.
SELECT email, due, a.votes, round(agreement, 2) AS agreement,
       CASE WHEN is_adversarial THEN 'answers against everybody'
            WHEN abs(position_bias) > 0.5 THEN 'clicks ' || if(position_bias > 0, 'left', 'right')
            WHEN is_personalized THEN 'own taste: pay' ELSE 'pay' END AS verdict
FROM payouts JOIN me_hodgerank_annotators('votes') a USING (annotator)
WHERE verdict <> 'pay'
ORDER BY verdict, email;
-- ┌──────────────────────┬──────────────┬───────┬───────────┬───────────────────────────┐
-- │        email         │     due      │ votes │ agreement │          verdict          │
-- │       varchar        │ decimal(8,2) │ int64 │  double   │          varchar          │
-- ├──────────────────────┼──────────────┼───────┼───────────┼───────────────────────────┤
-- │ worker25@example.org │         2.00 │    40 │      0.15 │ answers against everybody │
-- │ worker32@example.org │         2.00 │    40 │      0.15 │ answers against everybody │
-- │ worker49@example.org │         2.00 │    40 │      0.23 │ answers against everybody │
-- │ worker27@example.org │         2.00 │    40 │      0.55 │ clicks left               │
-- │ worker39@example.org │         2.00 │    40 │      0.43 │ clicks left               │
-- │ worker17@example.org │         2.00 │    40 │       0.5 │ clicks right              │
-- │ worker1@example.org  │         2.00 │    40 │      0.57 │ clicks right              │
-- │ worker44@example.org │         2.00 │    40 │      0.57 │ clicks right              │
-- │ worker11@example.org │         2.00 │    40 │      0.57 │ own taste: pay            │
-- │ worker16@example.org │         2.00 │    40 │       0.9 │ own taste: pay            │
-- │ worker24@example.org │         2.00 │    40 │      0.57 │ own taste: pay            │
-- │ worker4@example.org  │         2.00 │    40 │      0.73 │ own taste: pay            │
-- └──────────────────────┴──────────────┴───────┴───────────┴───────────────────────────┘

SELECT sum(due) FILTER (is_adversarial OR abs(position_bias) > 0.5) AS held_back, sum(due) AS all_together
FROM payouts JOIN me_hodgerank_annotators('votes') USING (annotator);
-- ┌───────────────┬───────────────┐
-- │   held_back   │ all_together  │
-- │ decimal(38,2) │ decimal(38,2) │
-- ├───────────────┼───────────────┤
-- │         16.00 │        100.00 │
-- └───────────────┴───────────────┘
