-- Who is paid, who is looked at first.

CREATE TABLE votes AS
SELECT * FROM me_hodgerank_simulate('{"annotators": 50, "items": 8, "votes_each": 40, "seed": 7}');

CREATE TABLE payouts (annotator INTEGER PRIMARY KEY, email TEXT, due REAL);
INSERT INTO payouts
SELECT annotator, 'worker' || annotator || '@example.org', 0.05 * count(*) FROM votes GROUP BY annotator;

-- However it is joined, the votes are read and fitted once. Somebody with a taste of their
-- own did the work.
SELECT p.email, p.due, a.verdict, a.evidence
FROM payouts p JOIN me_hodgerank_annotators('votes') a USING (annotator)
WHERE a.verdict NOT IN ('ok', 'own taste', 'too few votes to tell')
ORDER BY a.verdict, p.email;
-- ┌──────────────────────┬─────┬───────────┬───────────────────────┐
-- │        email         │ due │ agreement │        verdict        │
-- ├──────────────────────┼─────┼───────────┼───────────────────────┤
-- │ worker25@example.org │ 2.0 │ 0.15      │ against the consensus │
-- │ worker32@example.org │ 2.0 │ 0.15      │ against the consensus │
-- │ worker49@example.org │ 2.0 │ 0.23      │ against the consensus │
-- │ worker27@example.org │ 2.0 │ 0.55      │ clicks left           │
-- │ worker39@example.org │ 2.0 │ 0.43      │ clicks left           │
-- │ worker17@example.org │ 2.0 │ 0.5       │ clicks right          │
-- │ worker1@example.org  │ 2.0 │ 0.58      │ clicks right          │
-- │ worker44@example.org │ 2.0 │ 0.58      │ clicks right          │
-- └──────────────────────┴─────┴───────────┴───────────────────────┘
