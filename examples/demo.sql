-- What `make demo` shows, in the DuckDB command line.
.echo on

-- Forty people compared eight ice creams, sixty pairs each. The votes are made up, so the
-- truth is known: four people click one side without looking, two answer against everybody,
-- four have a taste of their own.
CREATE TABLE flavours AS
SELECT unnest(range(1, 9)) AS item,
       unnest(['lemon', 'pistachio', 'mint', 'rum raisin', 'liquorice', 'chocolate', 'vanilla', 'strawberry']) AS name;

CREATE TABLE votes AS
SELECT v.annotator, l.name AS "left", r.name AS "right",
       CASE WHEN v.choice > 0 THEN 'left' ELSE 'right' END AS choice, v.annotator_kind
FROM me_hodgerank_simulate(annotators := 40, items := 8, votes_each := 60, seed := 7) v
JOIN flavours l ON l.item = v."left" JOIN flavours r ON r.item = v."right";

CREATE TABLE payouts AS
SELECT annotator, 0.05 * count(*) AS due FROM votes GROUP BY annotator;

-- Who should not be paid without a look, and why? The verdicts, joined to the payouts.
.mode line
SELECT p.annotator, p.due, a.verdict, a.evidence
FROM payouts p JOIN me_hodgerank_annotators('votes') a USING (annotator)
WHERE a.verdict NOT IN ('ok', 'own taste', 'too few votes to tell')
ORDER BY a.verdict, p.annotator;

-- They are the four and the two, as the truth has it.
.mode duckbox
SELECT a.verdict, v.annotator_kind AS truth, count(*) AS annotators
FROM me_hodgerank_annotators('votes') a JOIN (SELECT DISTINCT annotator, annotator_kind FROM votes) v USING (annotator)
GROUP BY ALL ORDER BY ALL;

-- The ranking that the forty agree on, without being led astray by those six.
-- hodgerank_rank is what plain least squares says, which believes everybody.
SELECT rank, item, round(score, 2) AS score, hodgerank_rank, wins, losses
FROM me_hodgerank('votes');

-- Annotator 5 is none of the six: a taste of their own, which is no fault.
SELECT rank, item, consensus_rank, round(score - consensus_score, 2) AS liked_more_than_others, votes
FROM me_hodgerank_personal('votes')
WHERE annotator = 5;

-- How far to believe in such differences? As far as votes that were held back confirm it.
SELECT round(t) AS t, round(error, 3) AS error, selected, bar(error, 0.3, 0.7, 32) AS held_back_votes
FROM (SELECT *, row_number() OVER (ORDER BY t) AS n FROM me_hodgerank_cv('votes'))
WHERE n % 6 = 1 OR selected
ORDER BY t;
