 AS fitted,
-- Second, so that the model cannot take a column from it.
query(
    'SELECT *, {annotator: "' || replace(annotator, '"', '""') || '", '
    || '"left": "' || replace("left", '"', '""') || '", '
    || '"right": "' || replace("right", '"', '""') || '"} AS me_hodgerank_ids '
    || 'FROM query_table(''' || replace(
        CASE WHEN regexp_matches(test, '^[^"]*([/\\*]|[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$)')
             THEN '"' || test || '"' ELSE test END,
        '''', '''''') || ''')'
) AS shown
