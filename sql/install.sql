-- For a database file: keeps me_hodgerank('votes') and its siblings in the current
-- database and schema, for every session that LOADs the extension.
-- Made from sql/macro.sql by `make sql`: change that one.

CREATE OR REPLACE MACRO me_hodgerank(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT unnest(model.ranking, recursive := true)
FROM (
    SELECT coalesce(me_hodgerank_table_fit(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: 'ranking',
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_annotators(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT unnest(model.annotators, recursive := true)
FROM (
    SELECT coalesce(me_hodgerank_table_fit(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: 'annotators',
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_personal(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT unnest(model.personal, recursive := true)
FROM (
    SELECT coalesce(me_hodgerank_table_fit(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: 'personal',
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_path(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT unnest(model.path, recursive := true)
FROM (
    SELECT coalesce(me_hodgerank_table_fit(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: 'path',
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_cv(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT unnest(model.cv, recursive := true)
FROM (
    SELECT coalesce(me_hodgerank_table_fit(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: 'cv',
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_summary(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT unnest([model.summary], recursive := true)
FROM (
    SELECT coalesce(me_hodgerank_table_fit(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: 'summary',
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_cycles(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT unnest(model.cycles, recursive := true)
FROM (
    SELECT coalesce(me_hodgerank_table_fit(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: 'cycles',
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_triangles(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT unnest(model.triangles, recursive := true)
FROM (
    SELECT coalesce(me_hodgerank_table_fit(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: 'triangles',
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_predict(
    train, test,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT shown.* EXCLUDE (me_hodgerank_ids),
    me_hodgerank_predict_vote(fitted.model, shown.me_hodgerank_ids.annotator, shown.me_hodgerank_ids."left", shown.me_hodgerank_ids."right") AS predicted,
    me_hodgerank_predict_hodgerank(fitted.model, shown.me_hodgerank_ids."left", shown.me_hodgerank_ids."right") AS predicted_hodgerank
FROM (
    SELECT coalesce(me_hodgerank_table_model(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: NULL,
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(train, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(train, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(train, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(train, '"', '""') || '"'
        END
    )
) AS fitted,
-- Second, so that the model cannot take a column from it.
query(
    'SELECT {annotator: ' || '"' || replace(annotator, '"', '""') || '"' || ', '
    || '"left": ' || '"' || replace("left", '"', '""') || '"' || ', '
    || '"right": ' || '"' || replace("right", '"', '""') || '"' || '}, * FROM '
    || CASE
        -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
        WHEN regexp_full_match(test, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
         AND NOT regexp_matches(test, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
        THEN array_to_string(list_transform(
            regexp_extract_all(test, '"(?:[^"]|"")+"|[^".]+'),
            lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
        -- Anything else is one name: of a file, or of a table with such characters in its name.
        ELSE '"' || replace(test, '"', '""') || '"'
    END
) AS shown(me_hodgerank_ids);

CREATE OR REPLACE MACRO me_hodgerank_plot(
    votes, kind,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT me_hodgerank_svg(model, kind) AS svg
FROM (
    SELECT coalesce(me_hodgerank_table_model(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: NULL,
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

CREATE OR REPLACE MACRO me_hodgerank_report(
    votes,
    annotator := 'annotator', "left" := 'left', "right" := 'right', choice := 'choice',
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL
) AS TABLE
SELECT me_hodgerank_html(model) AS html
FROM (
    SELECT coalesce(me_hodgerank_table_model(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
        result: NULL,
        annotator: annotator, "left": "left", "right": "right", choice: choice,
        weight: weight, fold: fold,
        kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
        folds: folds, seed: seed, t: t,
        position_bias: position_bias, personal: personal, theta_update: theta_update,
        pair_model: pair_model, fdr: fdr, bias_test: bias_test,
        on_bad_row: on_bad_row, max_seconds: max_seconds
    }), error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS model
    FROM query(
        'SELECT ' || '"' || replace(annotator, '"', '""') || '"' || ' AS who, '
        || '"' || replace("left", '"', '""') || '"' || ' AS shown_left, '
        || '"' || replace("right", '"', '""') || '"' || ' AS shown_right, '
        || '"' || replace(choice, '"', '""') || '"' || ' AS chosen, '
        || coalesce('"' || replace(weight, '"', '""') || '"', 'NULL') || ' AS vote_weight, '
        || coalesce('"' || replace(fold, '"', '""') || '"', 'NULL') || ' AS vote_fold '
        || 'FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(votes, '"', '""') || '"'
        END
    )
);

-- One fit for each group, of votes that DuckDB's own list collects. The condition always
-- holds: while the macro is made its type is unknown, and DuckDB does not look for the
-- function. So a script can make the macros before the extension is loaded.
CREATE OR REPLACE MACRO me_hodgerank_fit
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_fit_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice}),
            any_value(annotator), coalesce(any_value("left"), any_value("right"))) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_fit_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight_or_options: weight_or_options}),
            any_value(annotator), coalesce(any_value("left"), any_value("right"))) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_fit_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold_or_options: fold_or_options}),
            any_value(annotator), coalesce(any_value("left"), any_value("right"))) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_fit_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold: fold}),
            any_value(annotator), coalesce(any_value("left"), any_value("right")), options) END;

CREATE OR REPLACE MACRO me_hodgerank_model
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice})) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight_or_options: weight_or_options})) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold_or_options: fold_or_options})) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold: fold}), options) END;
