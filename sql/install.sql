-- For a database file: keeps me_hodgerank('votes') and its siblings in the current
-- database and schema, for every session that LOADs the extension.
-- Made from sql/macro.sql by `make sql`: change that one.

CREATE OR REPLACE MACRO me_hodgerank(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'ranking',
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT cast_to_type(found."item", found.item_type) AS "item", found."rank", found."score", found."hodgerank_rank", found."hodgerank_score", found."votes", found."wins", found."losses", found."ties", found."component", found."score_std_error", found."score_low", found."score_high", found."rank_low", found."rank_high", found."tier", found."win_share"
FROM (
    SELECT unnest(me_hodgerank_rows_ranking(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_annotators(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'annotators',
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT cast_to_type(found."annotator", found.annotator_type) AS "annotator", found."votes", found."left_clicks", found."right_clicks", found."ties", found."agreement", found."position_bias", found."position_bias_order", found."position_bias_time", found."deviation", found."deviation_order", found."deviation_time", found."is_position_biased", found."is_personalized", found."is_adversarial", found."position_bias_p_value", found."position_bias_q_value", found."deviation_p_value", found."deviation_q_value", found."against_p_value", found."against_q_value", found."no_signal_p_value", found."no_signal_q_value", found."camp", found."verdict", found."evidence", found."repeated_pairs", found."same_choice_share", found."swapped_pairs", found."same_side_share"
FROM (
    SELECT unnest(me_hodgerank_rows_annotators(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_personal(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'personal',
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT cast_to_type(found."annotator", found.annotator_type) AS "annotator", cast_to_type(found."item", found.item_type) AS "item", found."rank", found."score", found."deviation", found."consensus_rank", found."consensus_score", found."votes"
FROM (
    SELECT unnest(me_hodgerank_rows_personal(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_path(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'path',
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT found."t", found."effect", cast_to_type(found."item", found.item_type) AS "item", cast_to_type(found."annotator", found.annotator_type) AS "annotator", found."value"
FROM (
    SELECT unnest(me_hodgerank_rows_path(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_cv(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'cv',
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT found."t", found."error", found."error_std", found."mismatch", found."selected"
FROM (
    SELECT unnest(me_hodgerank_rows_cv(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_summary(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'summary',
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT found."items", found."annotators", found."votes", found."skipped_rows", found."repeated_rows", found."components", found."kappa", found."alpha", found."t0", found."t", found."iterations", found."hodgerank_error", found."mixed_error", found."position_biased", found."personalized", found."adversarial", found."no_signal", found."version", found."consensus_share", found."local_cycle_share", found."global_cycle_share", found."personal_cycle_share", found."position_bias_cycle_share", found."noise_cycle_share", found."shared_cycle_share", found."chance_share", found."settled_share", found."loss", found."caveats", found."columns"
FROM (
    SELECT unnest(me_hodgerank_rows_summary(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_cycles(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'cycles',
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT cast_to_type(found."item_a", found.item_type) AS "item_a", cast_to_type(found."item_b", found.item_type) AS "item_b", found."votes", found."flow", found."consensus", found."local_cycle", found."global_cycle"
FROM (
    SELECT unnest(me_hodgerank_rows_cycles(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_triangles(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'triangles',
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT cast_to_type(found."item_a", found.item_type) AS "item_a", cast_to_type(found."item_b", found.item_type) AS "item_b", cast_to_type(found."item_c", found.item_type) AS "item_c", found."curl", found."votes", found."is_circle", found."flow_ab", found."flow_bc", found."flow_ca", found."p_value", found."q_value"
FROM (
    SELECT unnest(me_hodgerank_rows_triangles(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_compare(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL,
    top := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'compare', top: top,
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT cast_to_type(found."item_a", found.item_type) AS "item_a", cast_to_type(found."item_b", found.item_type) AS "item_b", found."difference", found."low", found."high", found."p_value", found."q_value", found."predicted_share", found."direct_votes", found."direct_wins", found."direct_ties"
FROM (
    SELECT unnest(me_hodgerank_rows_compare(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_next(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL,
    n := NULL, candidates := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: 'next', n: n, candidates: candidates,
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names,
        CASE WHEN candidates IS NOT NULL THEN coalesce((
            SELECT list(me_hodgerank_pair)
            FROM (
                SELECT COLUMNS(lambda name: name = 'me_hodgerank_none' OR lower(name) IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label') OR coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false))
                FROM query(CASE WHEN candidates IS NULL THEN 'SELECT NULL AS me_hodgerank_none WHERE false'
                    ELSE 'SELECT *, NULL AS me_hodgerank_none FROM '
                        || CASE
                            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                            WHEN regexp_full_match(candidates, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                             AND NOT regexp_matches(candidates, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                            THEN array_to_string(list_transform(
                                regexp_extract_all(candidates, '"(?:[^"]|"")+"|[^".]+'),
                                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                            -- Anything else is one name: of a file, or of a table with such characters in its name.
                            ELSE '"' || replace(candidates, '"', '""') || '"'
                        END END)
            ) AS me_hodgerank_pair
        ), []) END AS candidate_pairs
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }, candidate_pairs), column_names, candidate_pairs
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT cast_to_type(found."left", found.item_type) AS "left", cast_to_type(found."right", found.item_type) AS "right", found."gain", found."votes"
FROM (
    SELECT unnest(me_hodgerank_rows_next(job), recursive := true), annotator_type, item_type
    FROM me_hodgerank_waited WHERE is_done
) AS found;

CREATE OR REPLACE MACRO me_hodgerank_predict(
    train, test,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: NULL,
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(train, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(train, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(train, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(train, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
),
me_hodgerank_fitted AS MATERIALIZED (
    SELECT me_hodgerank_job_model(job) AS model FROM me_hodgerank_waited WHERE is_done
)
SELECT me_hodgerank_shown.* EXCLUDE (me_hodgerank_prediction),
    me_hodgerank_shown.me_hodgerank_prediction.predicted AS predicted,
    me_hodgerank_shown.me_hodgerank_prediction.predicted_hodgerank AS predicted_hodgerank,
    me_hodgerank_shown.me_hodgerank_prediction.win_probability AS win_probability
FROM (
    SELECT me_hodgerank_test.*,
        me_hodgerank_predict_row(me_hodgerank_fitted.model, me_hodgerank_test, {
            annotator: annotator, "left": "left", "right": "right", choice: choice
        }) AS me_hodgerank_prediction
    -- The test votes second, so that the model cannot take a column from them.
    FROM me_hodgerank_fitted, query('FROM '
        || CASE
            -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
            WHEN regexp_full_match(test, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
             AND NOT regexp_matches(test, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
            THEN array_to_string(list_transform(
                regexp_extract_all(test, '"(?:[^"]|"")+"|[^".]+'),
                lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
            -- Anything else is one name: of a file, or of a table with such characters in its name.
            ELSE '"' || replace(test, '"', '""') || '"'
        END) AS me_hodgerank_test
) AS me_hodgerank_shown;

CREATE OR REPLACE MACRO me_hodgerank_plot(
    votes, kind,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: NULL, plot: kind,
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT me_hodgerank_svg(me_hodgerank_job_model(job), kind) AS svg
FROM me_hodgerank_waited WHERE is_done;

CREATE OR REPLACE MACRO me_hodgerank_report(
    votes,
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL,
    title := NULL, date := NULL
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            result: NULL,
            annotator: annotator, "left": "left", "right": "right", choice: choice,
            weight: weight, fold: fold,
            kappa: kappa, alpha: alpha, grid_points: grid_points, grid_span: grid_span,
            folds: folds, seed: seed, t: t,
            position_bias: position_bias, personal: personal,
            loss: loss, ridge: ridge, theta_update: theta_update,
            pair_model: pair_model, fdr: fdr, bias_test: bias_test,
            on_bad_row: on_bad_row, max_seconds: max_seconds,
            threads: coalesce(threads, current_setting('threads'))
        }) AS job,
        -- Nothing but the types that ids have in the result.
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN nullif(annotator, '') IS NOT NULL THEN lower(name) = lower(nullif(annotator, '')) WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('annotator', 'judge', 'worker') ELSE lower(name) = 'annotator' END)), 1) END) AS annotator_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "left" IS NOT NULL THEN lower(name) = lower("left") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('left', 'model_a', 'loser') ELSE lower(name) = 'left' END)), 1) END) AS left_type,
        any_value(CASE WHEN false THEN struct_extract_at(row(*COLUMNS(lambda name: name = 'me_hodgerank_last' OR CASE WHEN "right" IS NOT NULL THEN lower(name) = lower("right") WHEN coalesce("left", "right", choice) IS NULL THEN lower(name) IN ('right', 'model_b', 'loser') ELSE lower(name) = 'right' END)), 1) END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                COLUMNS(lambda name: lower(name) IN ('annotator', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('left', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('right', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('judge', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_a', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('model_b', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('worker', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('loser', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('choice', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('winner', 'me_hodgerank_none')),
                COLUMNS(lambda name: lower(name) IN ('label', 'me_hodgerank_none')),
                COLUMNS(lambda name: name = 'me_hodgerank_none' OR (coalesce(lower(name) IN (lower(annotator), lower("left"), lower("right"), lower(choice), lower(weight), lower(fold)), false) AND lower(name) NOT IN ('annotator', 'left', 'right', 'judge', 'model_a', 'model_b', 'worker', 'loser', 'choice', 'winner', 'label'))),
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || CASE
                    -- A name as SQL writes it, with its schema, quoted or not: each part is quoted anew.
                    WHEN regexp_full_match(votes, '("([^"]|"")+"|[^"./*\\]+)([.]("([^"]|"")+"|[^"./*\\]+)){0,2}')
                     AND NOT regexp_matches(votes, '^[^"]*[.](csv|tsv|txt|parquet|json|jsonl|ndjson)([.](gz|zst))?$')
                    THEN array_to_string(list_transform(
                        regexp_extract_all(votes, '"(?:[^"]|"")+"|[^".]+'),
                        lambda part: CASE part[1] WHEN '"' THEN part ELSE '"' || part || '"' END), '.')
                    -- Anything else is one name: of a file, or of a table with such characters in its name.
                    ELSE '"' || replace(votes, '"', '""') || '"'
                END)
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('there are no votes: the table is empty, or a filter leaves nothing of it')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
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
            || ')')) AS column_names
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }), column_names
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
)
SELECT me_hodgerank_html(me_hodgerank_job_model(job), title::VARCHAR, date::VARCHAR) AS html
FROM me_hodgerank_waited WHERE is_done;

CREATE OR REPLACE MACRO me_hodgerank_model_ranking(model, annotator := NULL, item := NULL) AS TABLE
SELECT cast_to_type(found."item", CASE WHEN false THEN coalesce('', item) END) AS "item", found."rank", found."score", found."hodgerank_rank", found."hodgerank_score", found."votes", found."wins", found."losses", found."ties", found."component", found."score_std_error", found."score_low", found."score_high", found."rank_low", found."rank_high", found."tier", found."win_share"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_ranking(model::BLOB) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_annotators(model, annotator := NULL, item := NULL) AS TABLE
SELECT cast_to_type(found."annotator", CASE WHEN false THEN coalesce('', annotator) END) AS "annotator", found."votes", found."left_clicks", found."right_clicks", found."ties", found."agreement", found."position_bias", found."position_bias_order", found."position_bias_time", found."deviation", found."deviation_order", found."deviation_time", found."is_position_biased", found."is_personalized", found."is_adversarial", found."position_bias_p_value", found."position_bias_q_value", found."deviation_p_value", found."deviation_q_value", found."against_p_value", found."against_q_value", found."no_signal_p_value", found."no_signal_q_value", found."camp", found."verdict", found."evidence", found."repeated_pairs", found."same_choice_share", found."swapped_pairs", found."same_side_share"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_annotators(model::BLOB) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_personal(model, annotator := NULL, item := NULL) AS TABLE
SELECT cast_to_type(found."annotator", CASE WHEN false THEN coalesce('', annotator) END) AS "annotator", cast_to_type(found."item", CASE WHEN false THEN coalesce('', item) END) AS "item", found."rank", found."score", found."deviation", found."consensus_rank", found."consensus_score", found."votes"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_personal(model::BLOB) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_path(model, annotator := NULL, item := NULL) AS TABLE
SELECT found."t", found."effect", cast_to_type(found."item", CASE WHEN false THEN coalesce('', item) END) AS "item", cast_to_type(found."annotator", CASE WHEN false THEN coalesce('', annotator) END) AS "annotator", found."value"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_path(model::BLOB) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_cv(model, annotator := NULL, item := NULL) AS TABLE
SELECT found."t", found."error", found."error_std", found."mismatch", found."selected"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_cv(model::BLOB) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_summary(model, annotator := NULL, item := NULL) AS TABLE
SELECT found."items", found."annotators", found."votes", found."skipped_rows", found."repeated_rows", found."components", found."kappa", found."alpha", found."t0", found."t", found."iterations", found."hodgerank_error", found."mixed_error", found."position_biased", found."personalized", found."adversarial", found."no_signal", found."version", found."consensus_share", found."local_cycle_share", found."global_cycle_share", found."personal_cycle_share", found."position_bias_cycle_share", found."noise_cycle_share", found."shared_cycle_share", found."chance_share", found."settled_share", found."loss", found."caveats", found."columns"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_summary(model::BLOB) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_cycles(model, annotator := NULL, item := NULL) AS TABLE
SELECT cast_to_type(found."item_a", CASE WHEN false THEN coalesce('', item) END) AS "item_a", cast_to_type(found."item_b", CASE WHEN false THEN coalesce('', item) END) AS "item_b", found."votes", found."flow", found."consensus", found."local_cycle", found."global_cycle"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_cycles(model::BLOB) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_triangles(model, annotator := NULL, item := NULL) AS TABLE
SELECT cast_to_type(found."item_a", CASE WHEN false THEN coalesce('', item) END) AS "item_a", cast_to_type(found."item_b", CASE WHEN false THEN coalesce('', item) END) AS "item_b", cast_to_type(found."item_c", CASE WHEN false THEN coalesce('', item) END) AS "item_c", found."curl", found."votes", found."is_circle", found."flow_ab", found."flow_bc", found."flow_ca", found."p_value", found."q_value"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_triangles(model::BLOB) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_compare(model, annotator := NULL, item := NULL, top := NULL) AS TABLE
SELECT cast_to_type(found."item_a", CASE WHEN false THEN coalesce('', item) END) AS "item_a", cast_to_type(found."item_b", CASE WHEN false THEN coalesce('', item) END) AS "item_b", found."difference", found."low", found."high", found."p_value", found."q_value", found."predicted_share", found."direct_votes", found."direct_wins", found."direct_ties"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_compare(model::BLOB, {top: top}) END, recursive := true)) AS found;

CREATE OR REPLACE MACRO me_hodgerank_model_next(model, annotator := NULL, item := NULL, n := NULL) AS TABLE
SELECT cast_to_type(found."left", CASE WHEN false THEN coalesce('', item) END) AS "left", cast_to_type(found."right", CASE WHEN false THEN coalesce('', item) END) AS "right", found."gain", found."votes"
FROM (SELECT unnest(CASE WHEN len([model]) = 1 THEN me_hodgerank_rows_next(model::BLOB, {n: n}) END, recursive := true)) AS found;

-- One fit for each group, of votes that DuckDB's own list collects. The condition always
-- holds: while the macro is made its type is unknown, and DuckDB does not look for the
-- function. So a script can make the macros before the extension is loaded. States know the
-- ids but not their types in SQL: without those of a caller they are text.
CREATE OR REPLACE MACRO me_hodgerank_fit
    (state) AS CASE WHEN len([any_value(state)]) = 1 THEN
        me_hodgerank_list_fit(list(state)) END,
    (state, options) AS CASE WHEN len([any_value(state)]) = 1 THEN
        me_hodgerank_list_fit(list(state), options) END,
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit(list({annotator: annotator, "left": "left", "right": "right", choice: choice})), CASE WHEN false THEN {
            ranking: [{"item": coalesce('', any_value("left"), any_value("right")), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "hodgerank_rank": NULL::BIGINT, "hodgerank_score": NULL::DOUBLE, "votes": NULL::BIGINT, "wins": NULL::BIGINT, "losses": NULL::BIGINT, "ties": NULL::BIGINT, "component": NULL::BIGINT, "score_std_error": NULL::DOUBLE, "score_low": NULL::DOUBLE, "score_high": NULL::DOUBLE, "rank_low": NULL::BIGINT, "rank_high": NULL::BIGINT, "tier": NULL::BIGINT, "win_share": NULL::DOUBLE}],
            annotators: [{"annotator": coalesce('', any_value(annotator)), "votes": NULL::BIGINT, "left_clicks": NULL::BIGINT, "right_clicks": NULL::BIGINT, "ties": NULL::BIGINT, "agreement": NULL::DOUBLE, "position_bias": NULL::DOUBLE, "position_bias_order": NULL::BIGINT, "position_bias_time": NULL::DOUBLE, "deviation": NULL::DOUBLE, "deviation_order": NULL::BIGINT, "deviation_time": NULL::DOUBLE, "is_position_biased": NULL::BOOLEAN, "is_personalized": NULL::BOOLEAN, "is_adversarial": NULL::BOOLEAN, "position_bias_p_value": NULL::DOUBLE, "position_bias_q_value": NULL::DOUBLE, "deviation_p_value": NULL::DOUBLE, "deviation_q_value": NULL::DOUBLE, "against_p_value": NULL::DOUBLE, "against_q_value": NULL::DOUBLE, "no_signal_p_value": NULL::DOUBLE, "no_signal_q_value": NULL::DOUBLE, "camp": NULL::BIGINT, "verdict": NULL::VARCHAR, "evidence": NULL::VARCHAR, "repeated_pairs": NULL::BIGINT, "same_choice_share": NULL::DOUBLE, "swapped_pairs": NULL::BIGINT, "same_side_share": NULL::DOUBLE}],
            personal: [{"annotator": coalesce('', any_value(annotator)), "item": coalesce('', any_value("left"), any_value("right")), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "deviation": NULL::DOUBLE, "consensus_rank": NULL::BIGINT, "consensus_score": NULL::DOUBLE, "votes": NULL::BIGINT}],
            path: [{"t": NULL::DOUBLE, "effect": NULL::VARCHAR, "item": coalesce('', any_value("left"), any_value("right")), "annotator": coalesce('', any_value(annotator)), "value": NULL::DOUBLE}],
            cv: [{"t": NULL::DOUBLE, "error": NULL::DOUBLE, "error_std": NULL::DOUBLE, "mismatch": NULL::DOUBLE, "selected": NULL::BOOLEAN}],
            summary: {"items": NULL::BIGINT, "annotators": NULL::BIGINT, "votes": NULL::BIGINT, "skipped_rows": NULL::BIGINT, "repeated_rows": NULL::BIGINT, "components": NULL::BIGINT, "kappa": NULL::DOUBLE, "alpha": NULL::DOUBLE, "t0": NULL::DOUBLE, "t": NULL::DOUBLE, "iterations": NULL::BIGINT, "hodgerank_error": NULL::DOUBLE, "mixed_error": NULL::DOUBLE, "position_biased": NULL::BIGINT, "personalized": NULL::BIGINT, "adversarial": NULL::BIGINT, "no_signal": NULL::BIGINT, "version": NULL::VARCHAR, "consensus_share": NULL::DOUBLE, "local_cycle_share": NULL::DOUBLE, "global_cycle_share": NULL::DOUBLE, "personal_cycle_share": NULL::DOUBLE, "position_bias_cycle_share": NULL::DOUBLE, "noise_cycle_share": NULL::DOUBLE, "shared_cycle_share": NULL::DOUBLE, "chance_share": NULL::DOUBLE, "settled_share": NULL::DOUBLE, "loss": NULL::VARCHAR, "caveats": NULL::VARCHAR, "columns": NULL::VARCHAR},
            cycles: [{"item_a": coalesce('', any_value("left"), any_value("right")), "item_b": coalesce('', any_value("left"), any_value("right")), "votes": NULL::BIGINT, "flow": NULL::DOUBLE, "consensus": NULL::DOUBLE, "local_cycle": NULL::DOUBLE, "global_cycle": NULL::DOUBLE}],
            triangles: [{"item_a": coalesce('', any_value("left"), any_value("right")), "item_b": coalesce('', any_value("left"), any_value("right")), "item_c": coalesce('', any_value("left"), any_value("right")), "curl": NULL::DOUBLE, "votes": NULL::BIGINT, "is_circle": NULL::BOOLEAN, "flow_ab": NULL::DOUBLE, "flow_bc": NULL::DOUBLE, "flow_ca": NULL::DOUBLE, "p_value": NULL::DOUBLE, "q_value": NULL::DOUBLE}]} END) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight_or_options: weight_or_options})), CASE WHEN false THEN {
            ranking: [{"item": coalesce('', any_value("left"), any_value("right")), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "hodgerank_rank": NULL::BIGINT, "hodgerank_score": NULL::DOUBLE, "votes": NULL::BIGINT, "wins": NULL::BIGINT, "losses": NULL::BIGINT, "ties": NULL::BIGINT, "component": NULL::BIGINT, "score_std_error": NULL::DOUBLE, "score_low": NULL::DOUBLE, "score_high": NULL::DOUBLE, "rank_low": NULL::BIGINT, "rank_high": NULL::BIGINT, "tier": NULL::BIGINT, "win_share": NULL::DOUBLE}],
            annotators: [{"annotator": coalesce('', any_value(annotator)), "votes": NULL::BIGINT, "left_clicks": NULL::BIGINT, "right_clicks": NULL::BIGINT, "ties": NULL::BIGINT, "agreement": NULL::DOUBLE, "position_bias": NULL::DOUBLE, "position_bias_order": NULL::BIGINT, "position_bias_time": NULL::DOUBLE, "deviation": NULL::DOUBLE, "deviation_order": NULL::BIGINT, "deviation_time": NULL::DOUBLE, "is_position_biased": NULL::BOOLEAN, "is_personalized": NULL::BOOLEAN, "is_adversarial": NULL::BOOLEAN, "position_bias_p_value": NULL::DOUBLE, "position_bias_q_value": NULL::DOUBLE, "deviation_p_value": NULL::DOUBLE, "deviation_q_value": NULL::DOUBLE, "against_p_value": NULL::DOUBLE, "against_q_value": NULL::DOUBLE, "no_signal_p_value": NULL::DOUBLE, "no_signal_q_value": NULL::DOUBLE, "camp": NULL::BIGINT, "verdict": NULL::VARCHAR, "evidence": NULL::VARCHAR, "repeated_pairs": NULL::BIGINT, "same_choice_share": NULL::DOUBLE, "swapped_pairs": NULL::BIGINT, "same_side_share": NULL::DOUBLE}],
            personal: [{"annotator": coalesce('', any_value(annotator)), "item": coalesce('', any_value("left"), any_value("right")), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "deviation": NULL::DOUBLE, "consensus_rank": NULL::BIGINT, "consensus_score": NULL::DOUBLE, "votes": NULL::BIGINT}],
            path: [{"t": NULL::DOUBLE, "effect": NULL::VARCHAR, "item": coalesce('', any_value("left"), any_value("right")), "annotator": coalesce('', any_value(annotator)), "value": NULL::DOUBLE}],
            cv: [{"t": NULL::DOUBLE, "error": NULL::DOUBLE, "error_std": NULL::DOUBLE, "mismatch": NULL::DOUBLE, "selected": NULL::BOOLEAN}],
            summary: {"items": NULL::BIGINT, "annotators": NULL::BIGINT, "votes": NULL::BIGINT, "skipped_rows": NULL::BIGINT, "repeated_rows": NULL::BIGINT, "components": NULL::BIGINT, "kappa": NULL::DOUBLE, "alpha": NULL::DOUBLE, "t0": NULL::DOUBLE, "t": NULL::DOUBLE, "iterations": NULL::BIGINT, "hodgerank_error": NULL::DOUBLE, "mixed_error": NULL::DOUBLE, "position_biased": NULL::BIGINT, "personalized": NULL::BIGINT, "adversarial": NULL::BIGINT, "no_signal": NULL::BIGINT, "version": NULL::VARCHAR, "consensus_share": NULL::DOUBLE, "local_cycle_share": NULL::DOUBLE, "global_cycle_share": NULL::DOUBLE, "personal_cycle_share": NULL::DOUBLE, "position_bias_cycle_share": NULL::DOUBLE, "noise_cycle_share": NULL::DOUBLE, "shared_cycle_share": NULL::DOUBLE, "chance_share": NULL::DOUBLE, "settled_share": NULL::DOUBLE, "loss": NULL::VARCHAR, "caveats": NULL::VARCHAR, "columns": NULL::VARCHAR},
            cycles: [{"item_a": coalesce('', any_value("left"), any_value("right")), "item_b": coalesce('', any_value("left"), any_value("right")), "votes": NULL::BIGINT, "flow": NULL::DOUBLE, "consensus": NULL::DOUBLE, "local_cycle": NULL::DOUBLE, "global_cycle": NULL::DOUBLE}],
            triangles: [{"item_a": coalesce('', any_value("left"), any_value("right")), "item_b": coalesce('', any_value("left"), any_value("right")), "item_c": coalesce('', any_value("left"), any_value("right")), "curl": NULL::DOUBLE, "votes": NULL::BIGINT, "is_circle": NULL::BOOLEAN, "flow_ab": NULL::DOUBLE, "flow_bc": NULL::DOUBLE, "flow_ca": NULL::DOUBLE, "p_value": NULL::DOUBLE, "q_value": NULL::DOUBLE}]} END) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold_or_options: fold_or_options})), CASE WHEN false THEN {
            ranking: [{"item": coalesce('', any_value("left"), any_value("right")), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "hodgerank_rank": NULL::BIGINT, "hodgerank_score": NULL::DOUBLE, "votes": NULL::BIGINT, "wins": NULL::BIGINT, "losses": NULL::BIGINT, "ties": NULL::BIGINT, "component": NULL::BIGINT, "score_std_error": NULL::DOUBLE, "score_low": NULL::DOUBLE, "score_high": NULL::DOUBLE, "rank_low": NULL::BIGINT, "rank_high": NULL::BIGINT, "tier": NULL::BIGINT, "win_share": NULL::DOUBLE}],
            annotators: [{"annotator": coalesce('', any_value(annotator)), "votes": NULL::BIGINT, "left_clicks": NULL::BIGINT, "right_clicks": NULL::BIGINT, "ties": NULL::BIGINT, "agreement": NULL::DOUBLE, "position_bias": NULL::DOUBLE, "position_bias_order": NULL::BIGINT, "position_bias_time": NULL::DOUBLE, "deviation": NULL::DOUBLE, "deviation_order": NULL::BIGINT, "deviation_time": NULL::DOUBLE, "is_position_biased": NULL::BOOLEAN, "is_personalized": NULL::BOOLEAN, "is_adversarial": NULL::BOOLEAN, "position_bias_p_value": NULL::DOUBLE, "position_bias_q_value": NULL::DOUBLE, "deviation_p_value": NULL::DOUBLE, "deviation_q_value": NULL::DOUBLE, "against_p_value": NULL::DOUBLE, "against_q_value": NULL::DOUBLE, "no_signal_p_value": NULL::DOUBLE, "no_signal_q_value": NULL::DOUBLE, "camp": NULL::BIGINT, "verdict": NULL::VARCHAR, "evidence": NULL::VARCHAR, "repeated_pairs": NULL::BIGINT, "same_choice_share": NULL::DOUBLE, "swapped_pairs": NULL::BIGINT, "same_side_share": NULL::DOUBLE}],
            personal: [{"annotator": coalesce('', any_value(annotator)), "item": coalesce('', any_value("left"), any_value("right")), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "deviation": NULL::DOUBLE, "consensus_rank": NULL::BIGINT, "consensus_score": NULL::DOUBLE, "votes": NULL::BIGINT}],
            path: [{"t": NULL::DOUBLE, "effect": NULL::VARCHAR, "item": coalesce('', any_value("left"), any_value("right")), "annotator": coalesce('', any_value(annotator)), "value": NULL::DOUBLE}],
            cv: [{"t": NULL::DOUBLE, "error": NULL::DOUBLE, "error_std": NULL::DOUBLE, "mismatch": NULL::DOUBLE, "selected": NULL::BOOLEAN}],
            summary: {"items": NULL::BIGINT, "annotators": NULL::BIGINT, "votes": NULL::BIGINT, "skipped_rows": NULL::BIGINT, "repeated_rows": NULL::BIGINT, "components": NULL::BIGINT, "kappa": NULL::DOUBLE, "alpha": NULL::DOUBLE, "t0": NULL::DOUBLE, "t": NULL::DOUBLE, "iterations": NULL::BIGINT, "hodgerank_error": NULL::DOUBLE, "mixed_error": NULL::DOUBLE, "position_biased": NULL::BIGINT, "personalized": NULL::BIGINT, "adversarial": NULL::BIGINT, "no_signal": NULL::BIGINT, "version": NULL::VARCHAR, "consensus_share": NULL::DOUBLE, "local_cycle_share": NULL::DOUBLE, "global_cycle_share": NULL::DOUBLE, "personal_cycle_share": NULL::DOUBLE, "position_bias_cycle_share": NULL::DOUBLE, "noise_cycle_share": NULL::DOUBLE, "shared_cycle_share": NULL::DOUBLE, "chance_share": NULL::DOUBLE, "settled_share": NULL::DOUBLE, "loss": NULL::VARCHAR, "caveats": NULL::VARCHAR, "columns": NULL::VARCHAR},
            cycles: [{"item_a": coalesce('', any_value("left"), any_value("right")), "item_b": coalesce('', any_value("left"), any_value("right")), "votes": NULL::BIGINT, "flow": NULL::DOUBLE, "consensus": NULL::DOUBLE, "local_cycle": NULL::DOUBLE, "global_cycle": NULL::DOUBLE}],
            triangles: [{"item_a": coalesce('', any_value("left"), any_value("right")), "item_b": coalesce('', any_value("left"), any_value("right")), "item_c": coalesce('', any_value("left"), any_value("right")), "curl": NULL::DOUBLE, "votes": NULL::BIGINT, "is_circle": NULL::BOOLEAN, "flow_ab": NULL::DOUBLE, "flow_bc": NULL::DOUBLE, "flow_ca": NULL::DOUBLE, "p_value": NULL::DOUBLE, "q_value": NULL::DOUBLE}]} END) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold: fold}), options), CASE WHEN false THEN {
            ranking: [{"item": coalesce('', any_value("left"), any_value("right")), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "hodgerank_rank": NULL::BIGINT, "hodgerank_score": NULL::DOUBLE, "votes": NULL::BIGINT, "wins": NULL::BIGINT, "losses": NULL::BIGINT, "ties": NULL::BIGINT, "component": NULL::BIGINT, "score_std_error": NULL::DOUBLE, "score_low": NULL::DOUBLE, "score_high": NULL::DOUBLE, "rank_low": NULL::BIGINT, "rank_high": NULL::BIGINT, "tier": NULL::BIGINT, "win_share": NULL::DOUBLE}],
            annotators: [{"annotator": coalesce('', any_value(annotator)), "votes": NULL::BIGINT, "left_clicks": NULL::BIGINT, "right_clicks": NULL::BIGINT, "ties": NULL::BIGINT, "agreement": NULL::DOUBLE, "position_bias": NULL::DOUBLE, "position_bias_order": NULL::BIGINT, "position_bias_time": NULL::DOUBLE, "deviation": NULL::DOUBLE, "deviation_order": NULL::BIGINT, "deviation_time": NULL::DOUBLE, "is_position_biased": NULL::BOOLEAN, "is_personalized": NULL::BOOLEAN, "is_adversarial": NULL::BOOLEAN, "position_bias_p_value": NULL::DOUBLE, "position_bias_q_value": NULL::DOUBLE, "deviation_p_value": NULL::DOUBLE, "deviation_q_value": NULL::DOUBLE, "against_p_value": NULL::DOUBLE, "against_q_value": NULL::DOUBLE, "no_signal_p_value": NULL::DOUBLE, "no_signal_q_value": NULL::DOUBLE, "camp": NULL::BIGINT, "verdict": NULL::VARCHAR, "evidence": NULL::VARCHAR, "repeated_pairs": NULL::BIGINT, "same_choice_share": NULL::DOUBLE, "swapped_pairs": NULL::BIGINT, "same_side_share": NULL::DOUBLE}],
            personal: [{"annotator": coalesce('', any_value(annotator)), "item": coalesce('', any_value("left"), any_value("right")), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "deviation": NULL::DOUBLE, "consensus_rank": NULL::BIGINT, "consensus_score": NULL::DOUBLE, "votes": NULL::BIGINT}],
            path: [{"t": NULL::DOUBLE, "effect": NULL::VARCHAR, "item": coalesce('', any_value("left"), any_value("right")), "annotator": coalesce('', any_value(annotator)), "value": NULL::DOUBLE}],
            cv: [{"t": NULL::DOUBLE, "error": NULL::DOUBLE, "error_std": NULL::DOUBLE, "mismatch": NULL::DOUBLE, "selected": NULL::BOOLEAN}],
            summary: {"items": NULL::BIGINT, "annotators": NULL::BIGINT, "votes": NULL::BIGINT, "skipped_rows": NULL::BIGINT, "repeated_rows": NULL::BIGINT, "components": NULL::BIGINT, "kappa": NULL::DOUBLE, "alpha": NULL::DOUBLE, "t0": NULL::DOUBLE, "t": NULL::DOUBLE, "iterations": NULL::BIGINT, "hodgerank_error": NULL::DOUBLE, "mixed_error": NULL::DOUBLE, "position_biased": NULL::BIGINT, "personalized": NULL::BIGINT, "adversarial": NULL::BIGINT, "no_signal": NULL::BIGINT, "version": NULL::VARCHAR, "consensus_share": NULL::DOUBLE, "local_cycle_share": NULL::DOUBLE, "global_cycle_share": NULL::DOUBLE, "personal_cycle_share": NULL::DOUBLE, "position_bias_cycle_share": NULL::DOUBLE, "noise_cycle_share": NULL::DOUBLE, "shared_cycle_share": NULL::DOUBLE, "chance_share": NULL::DOUBLE, "settled_share": NULL::DOUBLE, "loss": NULL::VARCHAR, "caveats": NULL::VARCHAR, "columns": NULL::VARCHAR},
            cycles: [{"item_a": coalesce('', any_value("left"), any_value("right")), "item_b": coalesce('', any_value("left"), any_value("right")), "votes": NULL::BIGINT, "flow": NULL::DOUBLE, "consensus": NULL::DOUBLE, "local_cycle": NULL::DOUBLE, "global_cycle": NULL::DOUBLE}],
            triangles: [{"item_a": coalesce('', any_value("left"), any_value("right")), "item_b": coalesce('', any_value("left"), any_value("right")), "item_c": coalesce('', any_value("left"), any_value("right")), "curl": NULL::DOUBLE, "votes": NULL::BIGINT, "is_circle": NULL::BOOLEAN, "flow_ab": NULL::DOUBLE, "flow_bc": NULL::DOUBLE, "flow_ca": NULL::DOUBLE, "p_value": NULL::DOUBLE, "q_value": NULL::DOUBLE}]} END) END;

-- The same for a list that the caller made. `annotator` and `item` give the types of ids.
CREATE OR REPLACE MACRO me_hodgerank_fit_list
    (votes, annotator, item) AS CASE WHEN len([annotator]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit(votes), CASE WHEN false THEN {
            ranking: [{"item": coalesce('', item), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "hodgerank_rank": NULL::BIGINT, "hodgerank_score": NULL::DOUBLE, "votes": NULL::BIGINT, "wins": NULL::BIGINT, "losses": NULL::BIGINT, "ties": NULL::BIGINT, "component": NULL::BIGINT, "score_std_error": NULL::DOUBLE, "score_low": NULL::DOUBLE, "score_high": NULL::DOUBLE, "rank_low": NULL::BIGINT, "rank_high": NULL::BIGINT, "tier": NULL::BIGINT, "win_share": NULL::DOUBLE}],
            annotators: [{"annotator": coalesce('', annotator), "votes": NULL::BIGINT, "left_clicks": NULL::BIGINT, "right_clicks": NULL::BIGINT, "ties": NULL::BIGINT, "agreement": NULL::DOUBLE, "position_bias": NULL::DOUBLE, "position_bias_order": NULL::BIGINT, "position_bias_time": NULL::DOUBLE, "deviation": NULL::DOUBLE, "deviation_order": NULL::BIGINT, "deviation_time": NULL::DOUBLE, "is_position_biased": NULL::BOOLEAN, "is_personalized": NULL::BOOLEAN, "is_adversarial": NULL::BOOLEAN, "position_bias_p_value": NULL::DOUBLE, "position_bias_q_value": NULL::DOUBLE, "deviation_p_value": NULL::DOUBLE, "deviation_q_value": NULL::DOUBLE, "against_p_value": NULL::DOUBLE, "against_q_value": NULL::DOUBLE, "no_signal_p_value": NULL::DOUBLE, "no_signal_q_value": NULL::DOUBLE, "camp": NULL::BIGINT, "verdict": NULL::VARCHAR, "evidence": NULL::VARCHAR, "repeated_pairs": NULL::BIGINT, "same_choice_share": NULL::DOUBLE, "swapped_pairs": NULL::BIGINT, "same_side_share": NULL::DOUBLE}],
            personal: [{"annotator": coalesce('', annotator), "item": coalesce('', item), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "deviation": NULL::DOUBLE, "consensus_rank": NULL::BIGINT, "consensus_score": NULL::DOUBLE, "votes": NULL::BIGINT}],
            path: [{"t": NULL::DOUBLE, "effect": NULL::VARCHAR, "item": coalesce('', item), "annotator": coalesce('', annotator), "value": NULL::DOUBLE}],
            cv: [{"t": NULL::DOUBLE, "error": NULL::DOUBLE, "error_std": NULL::DOUBLE, "mismatch": NULL::DOUBLE, "selected": NULL::BOOLEAN}],
            summary: {"items": NULL::BIGINT, "annotators": NULL::BIGINT, "votes": NULL::BIGINT, "skipped_rows": NULL::BIGINT, "repeated_rows": NULL::BIGINT, "components": NULL::BIGINT, "kappa": NULL::DOUBLE, "alpha": NULL::DOUBLE, "t0": NULL::DOUBLE, "t": NULL::DOUBLE, "iterations": NULL::BIGINT, "hodgerank_error": NULL::DOUBLE, "mixed_error": NULL::DOUBLE, "position_biased": NULL::BIGINT, "personalized": NULL::BIGINT, "adversarial": NULL::BIGINT, "no_signal": NULL::BIGINT, "version": NULL::VARCHAR, "consensus_share": NULL::DOUBLE, "local_cycle_share": NULL::DOUBLE, "global_cycle_share": NULL::DOUBLE, "personal_cycle_share": NULL::DOUBLE, "position_bias_cycle_share": NULL::DOUBLE, "noise_cycle_share": NULL::DOUBLE, "shared_cycle_share": NULL::DOUBLE, "chance_share": NULL::DOUBLE, "settled_share": NULL::DOUBLE, "loss": NULL::VARCHAR, "caveats": NULL::VARCHAR, "columns": NULL::VARCHAR},
            cycles: [{"item_a": coalesce('', item), "item_b": coalesce('', item), "votes": NULL::BIGINT, "flow": NULL::DOUBLE, "consensus": NULL::DOUBLE, "local_cycle": NULL::DOUBLE, "global_cycle": NULL::DOUBLE}],
            triangles: [{"item_a": coalesce('', item), "item_b": coalesce('', item), "item_c": coalesce('', item), "curl": NULL::DOUBLE, "votes": NULL::BIGINT, "is_circle": NULL::BOOLEAN, "flow_ab": NULL::DOUBLE, "flow_bc": NULL::DOUBLE, "flow_ca": NULL::DOUBLE, "p_value": NULL::DOUBLE, "q_value": NULL::DOUBLE}]} END) END,
    (votes, annotator, item, options) AS CASE WHEN len([annotator]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit(votes, options), CASE WHEN false THEN {
            ranking: [{"item": coalesce('', item), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "hodgerank_rank": NULL::BIGINT, "hodgerank_score": NULL::DOUBLE, "votes": NULL::BIGINT, "wins": NULL::BIGINT, "losses": NULL::BIGINT, "ties": NULL::BIGINT, "component": NULL::BIGINT, "score_std_error": NULL::DOUBLE, "score_low": NULL::DOUBLE, "score_high": NULL::DOUBLE, "rank_low": NULL::BIGINT, "rank_high": NULL::BIGINT, "tier": NULL::BIGINT, "win_share": NULL::DOUBLE}],
            annotators: [{"annotator": coalesce('', annotator), "votes": NULL::BIGINT, "left_clicks": NULL::BIGINT, "right_clicks": NULL::BIGINT, "ties": NULL::BIGINT, "agreement": NULL::DOUBLE, "position_bias": NULL::DOUBLE, "position_bias_order": NULL::BIGINT, "position_bias_time": NULL::DOUBLE, "deviation": NULL::DOUBLE, "deviation_order": NULL::BIGINT, "deviation_time": NULL::DOUBLE, "is_position_biased": NULL::BOOLEAN, "is_personalized": NULL::BOOLEAN, "is_adversarial": NULL::BOOLEAN, "position_bias_p_value": NULL::DOUBLE, "position_bias_q_value": NULL::DOUBLE, "deviation_p_value": NULL::DOUBLE, "deviation_q_value": NULL::DOUBLE, "against_p_value": NULL::DOUBLE, "against_q_value": NULL::DOUBLE, "no_signal_p_value": NULL::DOUBLE, "no_signal_q_value": NULL::DOUBLE, "camp": NULL::BIGINT, "verdict": NULL::VARCHAR, "evidence": NULL::VARCHAR, "repeated_pairs": NULL::BIGINT, "same_choice_share": NULL::DOUBLE, "swapped_pairs": NULL::BIGINT, "same_side_share": NULL::DOUBLE}],
            personal: [{"annotator": coalesce('', annotator), "item": coalesce('', item), "rank": NULL::BIGINT, "score": NULL::DOUBLE, "deviation": NULL::DOUBLE, "consensus_rank": NULL::BIGINT, "consensus_score": NULL::DOUBLE, "votes": NULL::BIGINT}],
            path: [{"t": NULL::DOUBLE, "effect": NULL::VARCHAR, "item": coalesce('', item), "annotator": coalesce('', annotator), "value": NULL::DOUBLE}],
            cv: [{"t": NULL::DOUBLE, "error": NULL::DOUBLE, "error_std": NULL::DOUBLE, "mismatch": NULL::DOUBLE, "selected": NULL::BOOLEAN}],
            summary: {"items": NULL::BIGINT, "annotators": NULL::BIGINT, "votes": NULL::BIGINT, "skipped_rows": NULL::BIGINT, "repeated_rows": NULL::BIGINT, "components": NULL::BIGINT, "kappa": NULL::DOUBLE, "alpha": NULL::DOUBLE, "t0": NULL::DOUBLE, "t": NULL::DOUBLE, "iterations": NULL::BIGINT, "hodgerank_error": NULL::DOUBLE, "mixed_error": NULL::DOUBLE, "position_biased": NULL::BIGINT, "personalized": NULL::BIGINT, "adversarial": NULL::BIGINT, "no_signal": NULL::BIGINT, "version": NULL::VARCHAR, "consensus_share": NULL::DOUBLE, "local_cycle_share": NULL::DOUBLE, "global_cycle_share": NULL::DOUBLE, "personal_cycle_share": NULL::DOUBLE, "position_bias_cycle_share": NULL::DOUBLE, "noise_cycle_share": NULL::DOUBLE, "shared_cycle_share": NULL::DOUBLE, "chance_share": NULL::DOUBLE, "settled_share": NULL::DOUBLE, "loss": NULL::VARCHAR, "caveats": NULL::VARCHAR, "columns": NULL::VARCHAR},
            cycles: [{"item_a": coalesce('', item), "item_b": coalesce('', item), "votes": NULL::BIGINT, "flow": NULL::DOUBLE, "consensus": NULL::DOUBLE, "local_cycle": NULL::DOUBLE, "global_cycle": NULL::DOUBLE}],
            triangles: [{"item_a": coalesce('', item), "item_b": coalesce('', item), "item_c": coalesce('', item), "curl": NULL::DOUBLE, "votes": NULL::BIGINT, "is_circle": NULL::BOOLEAN, "flow_ab": NULL::DOUBLE, "flow_bc": NULL::DOUBLE, "flow_ca": NULL::DOUBLE, "p_value": NULL::DOUBLE, "q_value": NULL::DOUBLE}]} END) END;

CREATE OR REPLACE MACRO me_hodgerank_model
    (state) AS CASE WHEN len([any_value(state)]) = 1 THEN
        me_hodgerank_model_list(list(state)) END,
    (state, options) AS CASE WHEN len([any_value(state)]) = 1 THEN
        me_hodgerank_model_list(list(state), options) END,
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice})) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight_or_options: weight_or_options})) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold_or_options: fold_or_options})) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold: fold}), options) END;

-- The votes of each group as a state, and one state of several.
CREATE OR REPLACE MACRO me_hodgerank_collect
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_collect_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice})) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_collect_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight_or_options: weight_or_options})) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_collect_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold_or_options: fold_or_options})) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_collect_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice, weight: weight, fold: fold}), options) END;

CREATE OR REPLACE MACRO me_hodgerank_merge(state) AS CASE WHEN len([any_value(state)]) = 1 THEN
    me_hodgerank_merge_list(list(state)) END;

COMMENT ON MACRO TABLE me_hodgerank IS 'The consensus ranking of pairwise votes: a row for each item, the best first. Columns: item, rank, score, hodgerank_rank, hodgerank_score, votes, wins, losses, ties, component, score_std_error, score_low, score_high, rank_low, rank_high, tier, win_share. Example: FROM me.me_hodgerank(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_annotators IS 'Whom to look at before paying, and why: a row for each annotator with a verdict and its evidence. Columns: annotator, votes, left_clicks, right_clicks, ties, agreement, position_bias, position_bias_order, position_bias_time, deviation, deviation_order, deviation_time, is_position_biased, is_personalized, is_adversarial, position_bias_p_value, position_bias_q_value, deviation_p_value, deviation_q_value, against_p_value, against_q_value, no_signal_p_value, no_signal_q_value, camp, verdict, evidence, repeated_pairs, same_choice_share, swapped_pairs, same_side_share. Example: FROM me.me_hodgerank_annotators(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_personal IS 'The rankings of annotators who have a taste of their own. Columns: annotator, item, rank, score, deviation, consensus_rank, consensus_score, votes. Example: FROM me.me_hodgerank_personal(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_path IS 'The regularisation path in long format: in which order effects show, from HodgeRank alone to the full model. Columns: t, effect, item, annotator, value. Example: FROM me.me_hodgerank_path(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_cv IS 'The cross-validation curve: how well held-back votes are predicted. Columns: t, error, error_std, mismatch, selected. Example: FROM me.me_hodgerank_cv(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_summary IS 'One row about the fit: how large, how good, which columns were read, and what to be careful about. Columns: items, annotators, votes, skipped_rows, repeated_rows, components, kappa, alpha, t0, t, iterations, hodgerank_error, mixed_error, position_biased, personalized, adversarial, no_signal, version, consensus_share, local_cycle_share, global_cycle_share, personal_cycle_share, position_bias_cycle_share, noise_cycle_share, shared_cycle_share, chance_share, settled_share, loss, caveats, columns. Example: FROM me.me_hodgerank_summary(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_cycles IS 'What no ranking can explain: a row for each compared pair. Columns: item_a, item_b, votes, flow, consensus, local_cycle, global_cycle. Example: FROM me.me_hodgerank_cycles(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_triangles IS 'The worst cycles of three items, with p-values. Columns: item_a, item_b, item_c, curl, votes, is_circle, flow_ab, flow_bc, flow_ca, p_value, q_value. Example: FROM me.me_hodgerank_triangles(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_compare IS 'Is one item really better than another? A row for each pair of the top items, with an interval, p- and q-values and the direct votes. Columns: item_a, item_b, difference, low, high, p_value, q_value, predicted_share, direct_votes, direct_wins, direct_ties. Example: FROM me.me_hodgerank_compare(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_next IS 'What to ask next: the pairs of items whose votes would tell most about the scores. Columns: left, right, gain, votes. Example: FROM me.me_hodgerank_next(''votes'')';
COMMENT ON MACRO TABLE me_hodgerank_predict IS 'How would they have voted? The rows of a second table of votes with predictions of the fit of the first. Columns: those of the second table, predicted, predicted_hodgerank, win_probability. Example: FROM me.me_hodgerank_predict(''votes'', ''new_votes'')';
COMMENT ON MACRO TABLE me_hodgerank_plot IS 'A picture of the fit as SVG: ''ranking'', ''path_position_bias'', ''path_deviation'', ''jump_out'', ''personal'', ''matrix'' or ''cv''. Column: svg. Example: SELECT svg FROM me.me_hodgerank_plot(''votes'', ''ranking'')';
COMMENT ON MACRO TABLE me_hodgerank_report IS 'A page about the votes, with pictures, as HTML: whom to look at, the ranking, what it leaves unexplained. Column: html. Example: SELECT html FROM me.me_hodgerank_report(''votes'', title := ''Drinks'')';
COMMENT ON MACRO me_hodgerank_model IS 'An aggregate: the whole fit of a group of votes, or of states that me_hodgerank_collect made, as a BLOB, to be stored and unpacked by me_hodgerank_model_ranking and its siblings. Example: SELECT task, me.me_hodgerank_model(annotator, "left", "right", choice) AS model FROM votes GROUP BY task';
COMMENT ON MACRO me_hodgerank_fit IS 'An aggregate: the whole fit of a group of votes, or of states, as a STRUCT with a field for each result set. Example: SELECT task, me.me_hodgerank_fit(annotator, "left", "right", choice).summary.votes FROM votes GROUP BY task';
COMMENT ON MACRO me_hodgerank_fit_list IS 'The same for a list of votes or states, so that DuckDB''s list can filter, sort or window them; the second and third argument give the types of ids. Example: SELECT me.me_hodgerank_fit_list(list({annotator: annotator, "left": "left", "right": "right", choice: choice}) FILTER (task = 1), any_value(annotator), any_value("left")) FROM votes';
COMMENT ON MACRO me_hodgerank_collect IS 'An aggregate: the votes of a group as a state, a BLOB to be stored, merged with others by me_hodgerank_merge, and fitted by me_hodgerank_model(state). Example: INSERT INTO states SELECT current_date, me.me_hodgerank_collect(annotator, "left", "right", choice) FROM votes_of_today';
COMMENT ON MACRO me_hodgerank_merge IS 'An aggregate: the votes of all states as one state. Example: SELECT date_trunc(''month'', day), me.me_hodgerank_merge(state) FROM states GROUP BY ALL';
COMMENT ON MACRO TABLE me_hodgerank_model_ranking IS 'The same as me_hodgerank, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: item, rank, score, hodgerank_rank, hodgerank_score, votes, wins, losses, ties, component, score_std_error, score_low, score_high, rank_low, rank_high, tier, win_share. Example: SELECT r.* FROM models, me.me_hodgerank_model_ranking(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_annotators IS 'The same as me_hodgerank_annotators, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: annotator, votes, left_clicks, right_clicks, ties, agreement, position_bias, position_bias_order, position_bias_time, deviation, deviation_order, deviation_time, is_position_biased, is_personalized, is_adversarial, position_bias_p_value, position_bias_q_value, deviation_p_value, deviation_q_value, against_p_value, against_q_value, no_signal_p_value, no_signal_q_value, camp, verdict, evidence, repeated_pairs, same_choice_share, swapped_pairs, same_side_share. Example: SELECT r.* FROM models, me.me_hodgerank_model_annotators(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_personal IS 'The same as me_hodgerank_personal, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: annotator, item, rank, score, deviation, consensus_rank, consensus_score, votes. Example: SELECT r.* FROM models, me.me_hodgerank_model_personal(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_path IS 'The same as me_hodgerank_path, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: t, effect, item, annotator, value. Example: SELECT r.* FROM models, me.me_hodgerank_model_path(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_cv IS 'The same as me_hodgerank_cv, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: t, error, error_std, mismatch, selected. Example: SELECT r.* FROM models, me.me_hodgerank_model_cv(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_summary IS 'The same as me_hodgerank_summary, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: items, annotators, votes, skipped_rows, repeated_rows, components, kappa, alpha, t0, t, iterations, hodgerank_error, mixed_error, position_biased, personalized, adversarial, no_signal, version, consensus_share, local_cycle_share, global_cycle_share, personal_cycle_share, position_bias_cycle_share, noise_cycle_share, shared_cycle_share, chance_share, settled_share, loss, caveats, columns. Example: SELECT r.* FROM models, me.me_hodgerank_model_summary(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_cycles IS 'The same as me_hodgerank_cycles, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: item_a, item_b, votes, flow, consensus, local_cycle, global_cycle. Example: SELECT r.* FROM models, me.me_hodgerank_model_cycles(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_triangles IS 'The same as me_hodgerank_triangles, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: item_a, item_b, item_c, curl, votes, is_circle, flow_ab, flow_bc, flow_ca, p_value, q_value. Example: SELECT r.* FROM models, me.me_hodgerank_model_triangles(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_compare IS 'The same as me_hodgerank_compare, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: item_a, item_b, difference, low, high, p_value, q_value, predicted_share, direct_votes, direct_wins, direct_ties. Example: SELECT r.* FROM models, me.me_hodgerank_model_compare(models.model, item := NULL::BIGINT) r';
COMMENT ON MACRO TABLE me_hodgerank_model_next IS 'The same as me_hodgerank_next, of a model that me_hodgerank_model made. Ids are text unless annotator and item give their types. Columns: left, right, gain, votes. Example: SELECT r.* FROM models, me.me_hodgerank_model_next(models.model, item := NULL::BIGINT) r';
