 AS fitted,
-- Second, so that the model cannot take a column from it.
query(
    'SELECT {annotator: ' || {quoted annotator} || ', '
    || '"left": ' || {quoted "left"} || ', '
    || '"right": ' || {quoted "right"} || '}, * FROM '
    || {table test}
) AS shown(me_hodgerank_ids)
