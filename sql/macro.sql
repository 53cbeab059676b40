CREATE {kind} {name}(
    {arguments},
    annotator := '', "left" := NULL, "right" := NULL, choice := NULL,
    weight := NULL, fold := NULL,
    kappa := NULL, alpha := NULL, grid_points := NULL, grid_span := NULL,
    folds := NULL, seed := NULL, t := NULL,
    position_bias := NULL, personal := NULL,
    loss := NULL, ridge := NULL, theta_update := NULL,
    pair_model := NULL, fdr := NULL, bias_test := NULL,
    on_bad_row := NULL, max_seconds := NULL, threads := NULL{more arguments}
) AS TABLE
WITH RECURSIVE me_hodgerank_collected AS (
    SELECT
        me_hodgerank_job(me_hodgerank_vote, {
            {result},
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
        any_value(CASE WHEN false THEN {first annotator} END) AS annotator_type,
        any_value(CASE WHEN false THEN {first left} END) AS left_type,
        any_value(CASE WHEN false THEN {first right} END) AS right_type
    FROM (
        SELECT COLUMNS(lambda name: name NOT LIKE 'me_hodgerank_none%')
        FROM (
            -- The columns that may be read, by precedence. One that is always there lets any
            -- of them be missing.
            SELECT
                {ordered columns},
                '' AS me_hodgerank_last
            FROM query('SELECT *, NULL AS me_hodgerank_none FROM '
                || {table {votes}})
            -- True, and volatile: two calls on the same votes do not become one job.
            WHERE me_hodgerank_unshared()
        )
    ) AS me_hodgerank_vote
),
me_hodgerank_waited AS (
    -- Fits the votes. DuckDB looks for an interrupt between two rounds.
    SELECT coalesce(job, error('{no_votes}')) AS job,
        CASE WHEN false THEN coalesce('', annotator_type) END AS annotator_type,
        CASE WHEN false THEN coalesce('', left_type, right_type) END AS item_type,
        false AS is_done,
        (SELECT list(column_name) FROM query('FROM (DESCRIBE FROM '
            || {table {votes}}
            || ')')) AS column_names{candidates}
    FROM me_hodgerank_collected
    UNION ALL
    (
        SELECT job, annotator_type, item_type,
            me_hodgerank_wait(job, column_names, {
                annotator: annotator, "left": "left", "right": "right", choice: choice,
                weight: weight, fold: fold
            }{more columns}), column_names{more columns}
        FROM me_hodgerank_waited WHERE NOT is_done
        -- No rows. While one thread of DuckDB waits, the other would look for tasks all the time.
        UNION ALL
        FROM me_hodgerank_waited WHERE NOT is_done AND me_hodgerank_rest(job)
    )
){select};
