-- What the documentation shows first, and the errors that people meet first.
CREATE TABLE votes AS SELECT * FROM me_hodgerank_simulate('{"annotators": 20, "items": 6, "votes_each": 30}');
SELECT me_hodgerank_version();
SELECT * FROM me_hodgerank('votes');
SELECT * FROM me_hodgerank_annotators('votes') LIMIT 5;
SELECT * FROM me_hodgerank_personal('votes');
SELECT count(*) FROM me_hodgerank_path('votes');
SELECT * FROM me_hodgerank_cv('votes');
SELECT * FROM me_hodgerank_summary('votes') WHERE kappa IN (10, 20);
SELECT * FROM me_hodgerank('SELECT ''u'' || annotator AS annotator, left, ''i'' || right AS right, choice FROM votes');
CREATE TABLE fit AS SELECT annotator % 2 AS task,
    me_hodgerank_fit(annotator, "left", "right", choice, '{"kappa": 10}') AS model FROM votes GROUP BY task;
SELECT f.task, r.* FROM fit f, me_hodgerank_ranking(f.model) r;
SELECT f.task, r.* FROM fit f LEFT JOIN me_hodgerank_annotators(f.model) r LIMIT 5;
SELECT p.annotator, a.votes FROM votes p LEFT JOIN me_hodgerank_annotators('votes') a USING (annotator) LIMIT 5;
SELECT * FROM me_hodgerank('nowhere');
SELECT * FROM me_hodgerank('votes', '{"kapa": 10}');
SELECT * FROM me_hodgerank('votes', '{"choice": "chosen"}');
SELECT * FROM me_hodgerank_ranking(x'00');
SELECT me_hodgerank_fit(annotator, 1.5, "right", choice) FROM votes;
SELECT me_hodgerank_fit(annotator, "left", "right", 'perhaps') FROM votes;
BEGIN;
UPDATE votes SET choice = -choice;
SELECT * FROM me_hodgerank('votes');
ROLLBACK;
SELECT * FROM me_hodgerank('votes');
