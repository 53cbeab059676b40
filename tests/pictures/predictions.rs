//! Predictions.

use super::*;

#[test]
fn a_prediction_is_the_sum_of_its_parts() {
    let fit = Arc::new(demo_fit());
    let predictor = Predictor::new(fit.clone()).unwrap();
    let ranking = fit.table(ResultSet::Ranking).unwrap();
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    let personal = fit.table(ResultSet::Personal).unwrap();
    let find = |batch: &RecordBatch, keys: &[(&str, i64)], value: &str| {
        let columns: Vec<_> = keys
            .iter()
            .map(|(name, key)| (integers(batch, name), *key))
            .collect();
        let same = |row: &usize| {
            columns
                .iter()
                .all(|(values, key)| values[*row] == Some(*key))
        };
        let row = (0..batch.num_rows()).find(same);
        row.and_then(|row| numbers(batch, value)[row])
            .unwrap_or(0.0)
    };
    let mut biased_and_personal = 0;
    for annotator in 1..=40 {
        let bias = find(&annotators, &[("annotator", annotator)], "position_bias");
        for (left, right) in [(1, 2), (7, 3), (12, 11), (4, 4)] {
            let score = |item| find(&ranking, &[("item", item)], "score");
            let own = |item| {
                find(
                    &personal,
                    &[("annotator", annotator), ("item", item)],
                    "deviation",
                )
            };
            let expected = (score(left) + own(left)) - (score(right) + own(right)) + bias;
            let [a, l, r] = [annotator, left, right].map(|id| IdRef::Int(id.into()));
            assert_eq!(predictor.vote(a, l, r), expected);
            biased_and_personal += i32::from(bias != 0.0 && own(left) != 0.0);
            let plain = |item| find(&ranking, &[("item", item)], "hodgerank_score");
            assert_eq!(predictor.hodgerank(l, r), plain(left) - plain(right));
        }
    }
    assert!(biased_and_personal > 0);
}

#[test]
fn strangers_get_the_consensus_and_a_score_of_zero() {
    let fit = Arc::new(demo_fit());
    let predictor = Predictor::new(fit.clone()).unwrap();
    let [nobody, one, nothing] = [-5, 1, 99].map(IdRef::Int);
    let ranking = fit.table(ResultSet::Ranking).unwrap();
    let row = integers(&ranking, "item")
        .iter()
        .position(|item| *item == Some(1))
        .unwrap();
    let score = numbers(&ranking, "score")[row].unwrap();
    assert_eq!(predictor.vote(nobody, one, nothing), score);
    assert_eq!(predictor.vote(nobody, nothing, one), -score);
    assert_eq!(predictor.vote(nobody, nothing, nothing), 0.0);
    let refused = predictor
        .check_types(Some(IdType::Text), None)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("the annotators to be predicted are text"),
        "{refused}"
    );
    assert!(
        predictor
            .check_types(Some(IdType::int(false, 8)), Some(IdType::Mixed))
            .is_ok()
    );
}

#[test]
fn a_prediction_needs_a_chosen_time() {
    let options = Options {
        folds: 0,
        ..Options::default()
    };
    let fit = Arc::new(fit(&simulated(demo(), &options), &options));
    let error = Predictor::new(fit.clone()).err().unwrap();
    assert!(error.to_string().contains("set t"), "{error}");
    // Of the pictures, those of the path can still be drawn.
    let drawn: Vec<_> = Plot::ALL
        .iter()
        .filter(|plot| fit.plot(**plot).is_ok())
        .collect();
    assert_eq!(
        drawn,
        [
            &Plot::PathDeviation,
            &Plot::PathPositionBias,
            &Plot::JumpOut
        ]
    );
    let error = fit.report().unwrap_err();
    assert!(error.to_string().contains("set t"), "{error}");
}
