-- Who is paid, who is looked at first.

CREATE TABLE votes AS
SELECT * FROM me_hodgerank_simulate('{"annotators": 50, "items": 8, "votes_each": 40, "seed": 7}');

CREATE TABLE payouts (annotator INTEGER PRIMARY KEY, email TEXT, due REAL);
INSERT INTO payouts
SELECT annotator, 'worker' || annotator || '@example.org', 0.05 * count(*) FROM votes GROUP BY annotator;

-- However it is joined, the votes are read and fitted once. Somebody with a taste of their
-- own did the work. The evidence is a sentence that can be shown to the person, of which
-- this is the beginning.
SELECT p.email, p.due, a.verdict, substr(a.evidence, 1, instr(a.evidence, ',') - 1) AS evidence
FROM payouts p JOIN me_hodgerank_annotators('votes') a USING (annotator)
WHERE a.verdict NOT IN ('ok', 'own taste', 'too few votes to tell')
ORDER BY a.verdict, p.email;
-- ┌──────────────────────┬─────┬───────────────────────┬────────────────────────────────────────────┐
-- │        email         │ due │        verdict        │                  evidence                  │
-- ├──────────────────────┼─────┼───────────────────────┼────────────────────────────────────────────┤
-- │ worker25@example.org │ 2.0 │ against the consensus │ agreed with the consensus on 6 of 40 votes │
-- │ worker32@example.org │ 2.0 │ against the consensus │ agreed with the consensus on 6 of 40 votes │
-- │ worker49@example.org │ 2.0 │ against the consensus │ agreed with the consensus on 9 of 40 votes │
-- │ worker27@example.org │ 2.0 │ clicks left           │ clicked left on 40 of 40 votes             │
-- │ worker39@example.org │ 2.0 │ clicks left           │ clicked left on 37 of 40 votes             │
-- │ worker17@example.org │ 2.0 │ clicks right          │ clicked right on 40 of 40 votes            │
-- │ worker1@example.org  │ 2.0 │ clicks right          │ clicked right on 39 of 40 votes            │
-- │ worker44@example.org │ 2.0 │ clicks right          │ clicked right on 36 of 40 votes            │
-- └──────────────────────┴─────┴───────────────────────┴────────────────────────────────────────────┘

SELECT sum(due) FILTER (WHERE verdict NOT IN ('ok', 'own taste', 'too few votes to tell')) AS held_back, sum(due) AS all_together
FROM payouts JOIN me_hodgerank_annotators('votes') USING (annotator);
-- ┌───────────┬──────────────┐
-- │ held_back │ all_together │
-- ├───────────┼──────────────┤
-- │ 16.0      │ 100.0        │
-- └───────────┴──────────────┘
