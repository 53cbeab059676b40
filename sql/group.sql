-- One fit for each group, of votes that DuckDB's own list collects. The condition always
-- holds: while the macro is made its type is unknown, and DuckDB does not look for the
-- function. So a script can make the macros before the extension is loaded.
CREATE {kind} {schema}me_hodgerank_fit
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit({votes }), {group type}) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit({votes weight_or_options}), {group type}) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit({votes weight fold_or_options}), {group type}) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit({votes weight fold}, options), {group type}) END;

-- The same for a list that the caller made. `annotator` and `item` give the types of ids.
CREATE {kind} {schema}me_hodgerank_fit_list
    (votes, annotator, item) AS CASE WHEN len([annotator]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit(votes), {list type}) END,
    (votes, annotator, item, options) AS CASE WHEN len([annotator]) = 1 THEN
        cast_to_type(me_hodgerank_list_fit(votes, options), {list type}) END;

CREATE {kind} {schema}me_hodgerank_model
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes }) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight_or_options}) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight fold_or_options}) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight fold}, options) END;
