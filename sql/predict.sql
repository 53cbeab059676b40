,
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
        || {table test}) AS me_hodgerank_test
) AS me_hodgerank_shown
