-- One fit for each group, of votes that DuckDB's own list collects. The condition always
-- holds: while the macro is made its type is unknown, and DuckDB does not look for the
-- function. So a script can make the macros before the extension is loaded. States know the
-- ids but not their types in SQL: without those of a caller they are text.
CREATE {kind} {schema}me_hodgerank_fit
    (state) AS CASE WHEN len([any_value(state)]) = 1 THEN
        me_hodgerank_list_fit(list(state)) END,
    (state, options) AS CASE WHEN len([any_value(state)]) = 1 THEN
        me_hodgerank_list_fit(list(state), options) END,
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
    (state) AS CASE WHEN len([any_value(state)]) = 1 THEN
        me_hodgerank_model_list(list(state)) END,
    (state, options) AS CASE WHEN len([any_value(state)]) = 1 THEN
        me_hodgerank_model_list(list(state), options) END,
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes }) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight_or_options}) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight fold_or_options}) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_model_list({votes weight fold}, options) END;

-- The votes of each group as a state, and one state of several.
CREATE {kind} {schema}me_hodgerank_collect
    (annotator, "left", "right", choice) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_collect_list({votes }) END,
    (annotator, "left", "right", choice, weight_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_collect_list({votes weight_or_options}) END,
    (annotator, "left", "right", choice, weight, fold_or_options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_collect_list({votes weight fold_or_options}) END,
    (annotator, "left", "right", choice, weight, fold, options) AS CASE WHEN len([any_value(annotator)]) = 1 THEN
        me_hodgerank_collect_list({votes weight fold}, options) END;

CREATE {kind} {schema}me_hodgerank_merge(state) AS CASE WHEN len([any_value(state)]) = 1 THEN
    me_hodgerank_merge_list(list(state)) END;
