-- The report about the votes, into the current folder: `make report`.
COPY (SELECT encode(html) FROM me_hodgerank_report('votes')) TO 'report.html' (FORMAT blob);
