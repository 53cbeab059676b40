-- One fit for each group, of votes that DuckDB's own list collects. The condition always
-- holds: while the macro is made its type is unknown, and DuckDB does not look for the
-- function. So a script can make the macros before the extension is loaded.
CREATE {kind} {schema}me_hodgerank_fit
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_fit_list({votes },
            any_value(annotator), coalesce(any_value("left"), any_value("right"))) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_fit_list({votes weight_or_options},
            any_value(annotator), coalesce(any_value("left"), any_value("right"))) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_fit_list({votes weight fold_or_options},
            any_value(annotator), coalesce(any_value("left"), any_value("right"))) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_fit_list({votes weight fold},
            any_value(annotator), coalesce(any_value("left"), any_value("right")), options) END;

CREATE {kind} {schema}me_hodgerank_model
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes }) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight_or_options}) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight fold_or_options}) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight fold}, options) END;
