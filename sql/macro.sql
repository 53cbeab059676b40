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
    SELECT coalesce({fit}(
        who,
        -- Nothing but the type that items have in the result.
        CASE WHEN false THEN coalesce(shown_left, shown_right) END,
        shown_left, shown_right, chosen, vote_weight, vote_fold, {
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
        'SELECT ' || {quoted annotator} || ' AS who, '
        || {quoted "left"} || ' AS shown_left, '
        || {quoted "right"} || ' AS shown_right, '
        || {quoted choice} || ' AS chosen, '
        || coalesce({quoted weight}, 'NULL') || ' AS vote_weight, '
        || coalesce({quoted fold}, 'NULL') || ' AS vote_fold '
        || 'FROM '
        || {table {votes}}
    )
){joined};
