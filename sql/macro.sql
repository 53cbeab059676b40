CREATE {kind} {name}(
    {arguments},
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT {columns}
FROM (
    SELECT coalesce({fit}(who, shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: {set},
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('{no_votes}')) AS model
    FROM query(
        'SELECT "' || replace(annotator, '"', '""') || '" AS who, '
        || '"' || replace("left", '"', '""') || '" AS shown_left, '
        || '"' || replace("right", '"', '""') || '" AS shown_right, '
        || '"' || replace(choice, '"', '""') || '" AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        -- A name as SQL writes it, with its schema, quoted or not; each part is quoted anew.
        -- Anything else is one name: that of a file, or of a table as it stands.
        || CASE
            WHEN regexp_full_match({votes}, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches({votes}, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all({votes}, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            ELSE '"' || replace({votes}, '"', '""') || '"'
        END
    )
){beside};
