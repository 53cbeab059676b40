CASE
    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
    WHEN regexp_full_match({name}, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
     AND NOT regexp_matches({name}, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
    THEN array_to_string(list_transform(
        regexp_extract_all({name}, '"(?:[^"]|"")+"|[^".]+'),
        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
    -- Anything else is one name: of a file, or of a table with such characters in its name.
    ELSE {quoted {name}}
END
