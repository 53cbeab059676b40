CREATE {kind} {schema}me_hodgerank_fit
    (annotator, "left", "right", choice) AS
        me_hodgerank_fit_list({votes },
            any_value(annotator), coalesce(any_value("left"), any_value("right"))),
    (annotator, "left", "right", choice, weight_or_options) AS
        me_hodgerank_fit_list({votes weight_or_options},
            any_value(annotator), coalesce(any_value("left"), any_value("right"))),
    (annotator, "left", "right", choice, weight, fold_or_options) AS
        me_hodgerank_fit_list({votes weight fold_or_options},
            any_value(annotator), coalesce(any_value("left"), any_value("right"))),
    (annotator, "left", "right", choice, weight, fold, options) AS
        me_hodgerank_fit_list({votes weight fold options},
            any_value(annotator), coalesce(any_value("left"), any_value("right")));

CREATE {kind} {schema}me_hodgerank_model
    (annotator, "left", "right", choice) AS
        me_hodgerank_model_list({votes }),
    (annotator, "left", "right", choice, weight_or_options) AS
        me_hodgerank_model_list({votes weight_or_options}),
    (annotator, "left", "right", choice, weight, fold_or_options) AS
        me_hodgerank_model_list({votes weight fold_or_options}),
    (annotator, "left", "right", choice, weight, fold, options) AS
        me_hodgerank_model_list({votes weight fold options});
