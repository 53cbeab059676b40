-- Made-up votes on fruit: 100 people, of whom some click one side, some have a
-- taste of their own and some answer against everybody. They cast 30 to 90 votes.
CREATE TABLE simulated AS FROM me_hodgerank_simulate(votes_each := 90, seed := 7);
CREATE TABLE fruit AS SELECT unnest([
    'apple', 'apricot', 'banana', 'blackberry', 'cherry', 'fig', 'grape', 'kiwi', 'lemon', 'lychee', 'mango',
    'melon', 'nectarine', 'orange', 'papaya', 'peach', 'pear', 'plum', 'quince', 'raspberry'
]) AS name, unnest(range(1, 21)) AS item;
CREATE TABLE votes AS
SELECT annotator, l.name AS "left", r.name AS "right", choice
FROM (SELECT *, row_number() OVER (PARTITION BY annotator ORDER BY rowid) AS nth FROM simulated) v
JOIN fruit l ON l.item = v."left" JOIN fruit r ON r.item = v."right"
WHERE nth <= 30 + annotator * 37 % 61;
