-- The pictures in docs/, into the current folder: `make pictures`.
COPY (SELECT encode(svg) FROM me_hodgerank_plot('votes', 'path_deviation')) TO 'path_deviation.svg' (FORMAT blob);
COPY (SELECT encode(svg) FROM me_hodgerank_plot('votes', 'path_position_bias')) TO 'path_position_bias.svg' (FORMAT blob);
COPY (SELECT encode(svg) FROM me_hodgerank_plot('votes', 'cv')) TO 'cv.svg' (FORMAT blob);
COPY (SELECT encode(svg) FROM me_hodgerank_plot('votes', 'ranking')) TO 'ranking.svg' (FORMAT blob);
COPY (SELECT encode(svg) FROM me_hodgerank_plot('votes', 'jump_out')) TO 'jump_out.svg' (FORMAT blob);
COPY (SELECT encode(svg) FROM me_hodgerank_plot('votes', 'personal')) TO 'personal.svg' (FORMAT blob);
