 AS fitted,
-- Second, so that the model cannot take a column from it.
query(
    'SELECT *, {annotator: "' || replace(annotator, '"', '""') || '", '
    || '"left": "' || replace("left", '"', '""') || '", '
    || '"right": "' || replace("right", '"', '""') || '"} AS me_hodgerank_ids '
    || 'FROM '
    -- A name as SQL writes it, with its schema, quoted or not; each part is quoted anew.
    -- Anything else is one name: that of a file, or of a table as it stands.
    || CASE
        WHEN regexp_full_match(test, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
         AND NOT regexp_matches(test, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
        THEN array_to_string(list_transform(
            regexp_extract_all(test, '"(?:[^"]|"")+"|[^".]+'),
            lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
        ELSE '"' || replace(test, '"', '""') || '"'
    END
) AS shown
