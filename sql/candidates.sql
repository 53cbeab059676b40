,
        CASE WHEN candidates IS NOT NULL THEN coalesce((
            SELECT list(me_hodgerank_pair)
            FROM (
                SELECT COLUMNS(lambda name: {is read})
                FROM query(CASE WHEN candidates IS NULL THEN 'SELECT NULL AS me_hodgerank_none WHERE false'
                    ELSE 'SELECT *, NULL AS me_hodgerank_none FROM '
                        || {table candidates} END)
            ) AS me_hodgerank_pair
        ), []) END AS candidate_pairs
