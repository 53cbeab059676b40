//! Result sets, models as bytes, the cache, and stopping.

mod table;

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use me_hodgerank::internals::cache;
use me_hodgerank::{
    ChoiceRef, CompareOptions, ErrorKind, Execution, Fit, IdRef, IdType, NextOptions, Options,
    Predictor, ResultSet, Row, Simulation, VoteBuilder, Votes,
};
use table::simulated;

fn demo(options: &Options) -> Votes {
    let simulation = Simulation {
        annotators: 40,
        items: 12,
        ties: 0.1,
        ..Simulation::default()
    };
    simulated(simulation, options)
}

fn fit(votes: &Votes, options: &Options) -> Fit {
    Fit::new(votes, options).unwrap()
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> &'a ArrayRef {
    batch.column_by_name(name).unwrap()
}

fn numbers(batch: &RecordBatch, name: &str) -> Vec<f64> {
    column(batch, name)
        .as_primitive::<Float64Type>()
        .values()
        .to_vec()
}

fn integers(batch: &RecordBatch, name: &str) -> Vec<i64> {
    column(batch, name)
        .as_primitive::<Int64Type>()
        .values()
        .to_vec()
}

fn flags(batch: &RecordBatch, name: &str) -> Vec<bool> {
    column(batch, name).as_boolean().iter().flatten().collect()
}

#[test]
fn the_columns_are_those_of_the_contract() {
    let contract = [
        (
            "ranking",
            "item rank score hodgerank_rank hodgerank_score votes wins losses ties component \
             score_std_error score_low score_high rank_low rank_high tier win_share",
        ),
        (
            "annotators",
            "annotator votes left_clicks right_clicks ties agreement position_bias \
             position_bias_order position_bias_time deviation deviation_order deviation_time \
             is_position_biased is_personalized is_adversarial position_bias_p_value \
             position_bias_q_value deviation_p_value deviation_q_value against_p_value \
             against_q_value no_signal_p_value no_signal_q_value camp verdict evidence \
             repeated_pairs same_choice_share swapped_pairs same_side_share",
        ),
        (
            "personal",
            "annotator item rank score deviation consensus_rank consensus_score votes",
        ),
        ("path", "t effect item annotator value"),
        ("cv", "t error error_std mismatch selected"),
        (
            "summary",
            "items annotators votes skipped_rows repeated_rows components kappa alpha t0 t iterations \
             hodgerank_error mixed_error position_biased personalized adversarial no_signal version \
             consensus_share local_cycle_share global_cycle_share personal_cycle_share \
             position_bias_cycle_share noise_cycle_share shared_cycle_share chance_share settled_share \
             loss caveats columns",
        ),
        (
            "cycles",
            "item_a item_b votes flow consensus local_cycle global_cycle",
        ),
        (
            "triangles",
            "item_a item_b item_c curl votes is_circle flow_ab flow_bc flow_ca p_value q_value",
        ),
        (
            "compare",
            "item_a item_b difference low high p_value q_value predicted_share direct_votes \
             direct_wins direct_ties",
        ),
        ("next", "left right gain votes"),
    ];
    let votes = demo(&Options::default());
    let fit = fit(&votes, &Options::default());
    for (set, (name, columns)) in ResultSet::ALL.into_iter().zip(contract) {
        let batch = fit.table(set).unwrap();
        let names: Vec<_> = batch
            .schema_ref()
            .fields()
            .iter()
            .map(|f| f.name().clone())
            .collect();
        assert_eq!((set.name(), names.join(" ").as_str()), (name, columns));
        assert!(batch.num_rows() > 0, "{name}");
    }
}

#[test]
fn the_ranking_is_sorted_centred_and_counts_every_vote() {
    let votes = demo(&Options::default());
    let ranking = fit(&votes, &Options::default())
        .table(ResultSet::Ranking)
        .unwrap();
    let scores = numbers(&ranking, "score");
    assert!(scores.is_sorted_by(|a, b| a >= b));
    assert!(scores.iter().sum::<f64>().abs() < 1e-12);
    assert!(
        numbers(&ranking, "hodgerank_score")
            .iter()
            .sum::<f64>()
            .abs()
            < 1e-12
    );
    assert_eq!(integers(&ranking, "rank"), (1..=12).collect::<Vec<_>>());
    let sum = |name| integers(&ranking, name).iter().sum::<i64>();
    assert_eq!(sum("votes"), 2 * 40 * 60);
    assert_eq!(sum("wins"), sum("losses"));
    assert_eq!(sum("wins") + sum("losses") + sum("ties"), sum("votes"));
}

#[test]
fn planted_annotators_are_found() {
    let simulation = Simulation {
        annotators: 100,
        seed: 3,
        ..Simulation::default()
    };
    let mut kinds = Vec::new();
    for batch in simulation.clone().run().unwrap() {
        let batch = batch.unwrap();
        kinds.push(
            column(&batch, "annotator_kind")
                .as_string::<i32>()
                .value(0)
                .to_string(),
        );
    }
    let options = Options::default();
    let votes = simulated(simulation, &options);
    let annotators = fit(&votes, &options).table(ResultSet::Annotators).unwrap();
    let ids = integers(&annotators, "annotator");
    let found = |flag: &str| -> Vec<&str> {
        let flags = flags(&annotators, flag);
        let flagged = ids.iter().zip(flags).filter(|(_, flag)| *flag);
        flagged
            .map(|(id, _)| kinds[*id as usize - 1].as_str())
            .collect()
    };
    let count = |kinds: &[&str], kind| kinds.iter().filter(|k| **k == kind).count();
    assert_eq!(count(&found("is_position_biased"), "careless"), 10);
    let adversarial = found("is_adversarial");
    assert_eq!(count(&adversarial, "adversarial"), 5);
    assert_eq!(count(&adversarial, "honest"), 0, "{adversarial:?}");
    // The ten that click a side come first.
    let order = column(&annotators, "position_bias_order").as_primitive::<Int64Type>();
    for (row, id) in ids.iter().enumerate() {
        if order.is_valid(row) && order.value(row) <= 10 {
            assert_eq!(kinds[*id as usize - 1], "careless", "annotator {id}");
        }
    }
}

#[test]
fn the_sets_agree_with_each_other() {
    let votes = demo(&Options::default());
    let fit = fit(&votes, &Options::default());
    let [ranking, annotators, personal, path, cv, summary, ..] =
        ResultSet::ALL.map(|set| fit.table(set).unwrap());
    let t = numbers(&summary, "t")[0];
    let chosen: Vec<_> = numbers(&cv, "t")
        .into_iter()
        .zip(flags(&cv, "selected"))
        .collect();
    assert_eq!(
        chosen
            .iter()
            .filter(|(time, flag)| *flag && *time == t)
            .count(),
        1
    );
    let best = numbers(&cv, "error")
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    assert_eq!(numbers(&summary, "mixed_error")[0], best);
    assert!(best < numbers(&summary, "hodgerank_error")[0]);

    // At the chosen time the path holds the ranking's scores and the annotators' effects.
    let times = numbers(&path, "t");
    let values = numbers(&path, "value");
    let effects = column(&path, "effect").as_string::<i32>();
    let at = |effect: &str| -> Vec<f64> {
        let rows = (0..times.len()).filter(|&k| times[k] == t && effects.value(k) == effect);
        let mut found: Vec<f64> = rows.map(|k| values[k]).collect();
        found.sort_by(f64::total_cmp);
        found
    };
    let sorted = |mut values: Vec<f64>| {
        values.retain(|value| *value != 0.0);
        values.sort_by(f64::total_cmp);
        values
    };
    assert_eq!(at("score"), sorted(numbers(&ranking, "score")));
    assert_eq!(
        at("position_bias"),
        sorted(numbers(&annotators, "position_bias"))
    );
    assert_eq!(at("deviation"), sorted(numbers(&annotators, "deviation")));
    let personalized = flags(&annotators, "is_personalized")
        .iter()
        .filter(|f| **f)
        .count();
    assert_eq!(integers(&summary, "personalized")[0], personalized as i64);
    let deviating = numbers(&annotators, "deviation");
    let deviating = deviating.iter().filter(|size| **size != 0.0).count();
    assert_eq!(personal.num_rows(), deviating * 12);
    let own = numbers(&personal, "score");
    let parts = numbers(&personal, "consensus_score")
        .into_iter()
        .zip(numbers(&personal, "deviation"));
    assert!(
        parts
            .zip(own)
            .all(|((consensus, deviation), own)| consensus + deviation == own)
    );
}

/// Typed findings say what the tables say; counts are not rounded.
#[test]
fn findings_are_the_rows_of_the_tables() {
    let options = Options::default();
    let fit = fit(&demo(&options), &options);
    let [
        ranking,
        annotators,
        personal,
        path,
        cv,
        summary,
        cycles,
        triangles,
        compare,
        next,
    ] = ResultSet::ALL.map(|set| fit.table(set).unwrap());
    let texts = |batch: &RecordBatch, name: &str| -> Vec<String> {
        let texts = column(batch, name).as_string::<i32>().iter().flatten();
        texts.map(String::from).collect()
    };
    let id = |id: IdRef<'_>| match id {
        IdRef::Int(value) => value as i64,
        IdRef::Text(text) => panic!("{text} is not an integer"),
    };

    let items = fit.ranking().unwrap();
    let scores: Vec<f64> = items.iter().map(|item| item.score).collect();
    let ids: Vec<i64> = items.iter().map(|item| id(item.item)).collect();
    let votes: Vec<i64> = items.iter().map(|item| item.votes as i64).collect();
    assert_eq!(scores, numbers(&ranking, "score"));
    assert_eq!(ids, integers(&ranking, "item"));
    assert_eq!(votes, integers(&ranking, "votes"));

    let people = fit.annotators().unwrap();
    let verdicts: Vec<String> = people.iter().map(|one| one.verdict.to_string()).collect();
    let evidence: Vec<String> = people.iter().map(|one| one.evidence.clone()).collect();
    assert_eq!(verdicts, texts(&annotators, "verdict"));
    assert_eq!(evidence, texts(&annotators, "evidence"));

    let own: Vec<_> = fit.personal().unwrap().collect();
    let ranks: Vec<i64> = own.iter().map(|row| row.rank as i64).collect();
    assert_eq!(ranks, integers(&personal, "rank"));

    let points: Vec<_> = fit.path().collect();
    let effects: Vec<String> = points.iter().map(|p| p.effect.name().into()).collect();
    let items_on_path = points
        .iter()
        .filter_map(|point| point.effect.item())
        .count();
    assert_eq!(effects, texts(&path, "effect"));
    assert_eq!(items_on_path, 12 * fit.grid_times().len());

    let errors: Vec<f64> = fit.cv().unwrap().iter().map(|point| point.error).collect();
    assert_eq!(errors, numbers(&cv, "error"));

    let about = fit.summary().unwrap();
    assert_eq!(Some(about.t), fit.chosen_time());
    assert_eq!(vec![about.t], numbers(&summary, "t"));
    assert_eq!(
        about.left_clicks + about.right_clicks + about.ties,
        about.votes
    );

    let flows: Vec<f64> = fit.cycles().unwrap().iter().map(|pair| pair.flow).collect();
    assert_eq!(flows, numbers(&cycles, "flow"));
    let worst = fit.triangles().unwrap();
    let is_cycle: Vec<bool> = worst.iter().map(|triangle| triangle.is_cycle).collect();
    assert_eq!(is_cycle, flags(&triangles, "is_circle"));
    let pairs = fit.compare(CompareOptions::default()).unwrap();
    let q_values: Vec<f64> = pairs.iter().map(|pair| pair.q_value).collect();
    assert_eq!(q_values, numbers(&compare, "q_value"));
    let pairs = fit.next_pairs(NextOptions::default(), None).unwrap();
    let left: Vec<i64> = pairs.iter().map(|pair| id(pair.left)).collect();
    assert_eq!(left, integers(&next, "left"));

    for triangle in &worst {
        assert_eq!(triangle.pair_votes.iter().sum::<f64>(), triangle.votes);
    }
}

/// What needs a chosen time is refused with the same words as its table.
#[test]
fn findings_without_a_chosen_time_are_refused() {
    let options = Options {
        folds: 0,
        ..Options::default()
    };
    let fit = fit(&demo(&options), &options);
    let refused = [
        fit.ranking().err(),
        fit.annotators().err(),
        fit.personal().err(),
        fit.cv().err(),
        fit.summary().err(),
        fit.compare(CompareOptions::default()).err(),
        fit.next_pairs(NextOptions::default(), None).err(),
    ];
    let expected = fit.table(ResultSet::Ranking).unwrap_err().to_string();
    for error in refused {
        assert_eq!(error.unwrap().to_string(), expected);
    }
    assert!(fit.path().next().is_some() && fit.chosen_time().is_none());
    assert!(!fit.cycles().unwrap().is_empty());
    assert!(fit.triangles().is_ok());
}

/// A poll that says stop ends what takes long.
#[test]
fn long_findings_can_be_stopped() {
    // So few votes an item that there are long cycles, which are looked for iteratively.
    let simulation = Simulation {
        annotators: 400,
        items: 2000,
        votes_each: 200,
        ..Simulation::default()
    };
    let options = Options {
        t: Some(0.0),
        ..Options::default()
    };
    let fit = fit(&simulated(simulation, &options), &options);
    let stopped = |work: &dyn Fn(&mut Execution<'_>) -> Option<ErrorKind>| {
        let mut poll = || ControlFlow::Break(());
        work(&mut Execution::new().poll(&mut poll))
    };
    let kinds = [
        stopped(&|run| fit.cycles_within(run).err().map(|error| error.kind())),
        stopped(&|run| fit.summary_within(run).err().map(|error| error.kind())),
    ];
    assert_eq!(kinds, [Some(ErrorKind::Interrupted); 2]);
}

#[test]
fn hodgerank_alone() {
    let options = Options {
        position_bias: Some(false),
        personal: Some(false),
        ..Options::default()
    };
    let votes = demo(&options);
    let plain = fit(&votes, &options);
    let [ranking, annotators, personal, path, cv, summary, ..] =
        ResultSet::ALL.map(|set| plain.table(set).unwrap());
    assert_eq!(
        numbers(&ranking, "score"),
        numbers(&ranking, "hodgerank_score")
    );
    assert!(
        flags(&annotators, "is_position_biased")
            .iter()
            .all(|flag| !flag)
    );
    assert_eq!(
        (personal.num_rows(), path.num_rows(), cv.num_rows()),
        (0, 12, 1)
    );
    assert_eq!(column(&summary, "t0").null_count(), 1);
    assert_eq!(
        numbers(&summary, "hodgerank_error"),
        numbers(&summary, "mixed_error")
    );
    // The mixed model begins at the same scores.
    let mixed = fit(&votes, &Options::default())
        .table(ResultSet::Ranking)
        .unwrap();
    let sorted = |batch: &RecordBatch| {
        let mut scores = numbers(batch, "hodgerank_score");
        scores.sort_by(f64::total_cmp);
        scores
    };
    assert_eq!(sorted(&ranking), sorted(&mixed));
}

#[test]
fn a_chosen_time_ends_the_path() {
    let mut options = Options::default();
    let votes = demo(&options);
    let whole = fit(&votes, &options);
    let t = numbers(&whole.table(ResultSet::Summary).unwrap(), "t")[0];
    options.t = Some(t);
    let cut = fit(&votes, &options);
    assert_eq!(cut.table(ResultSet::Cv).unwrap().num_rows(), 0);
    assert_eq!(
        numbers(&cut.table(ResultSet::Path).unwrap(), "t").last(),
        Some(&t)
    );
    for set in [ResultSet::Ranking, ResultSet::Personal] {
        assert_eq!(whole.table(set).unwrap(), cut.table(set).unwrap());
    }
    for t in [0.0, 1e-3] {
        options.t = Some(t);
        let early = fit(&votes, &options).table(ResultSet::Ranking).unwrap();
        assert_eq!(numbers(&early, "score"), numbers(&early, "hodgerank_score"));
    }
}

/// Two items, one annotator, ids of given types.
fn with_ids(annotator: (IdType, IdRef<'static>), items: [(IdType, IdRef<'static>); 2]) -> Fit {
    let options = Options {
        position_bias: Some(false),
        ..Options::default()
    };
    let mut builder = VoteBuilder::new(&options);
    builder.expect_ids(annotator.0, items[0].0, items[1].0);
    let row = Row {
        annotator: Some(annotator.1),
        left: Some(items[0].1),
        right: Some(items[1].1),
        choice: Some(ChoiceRef::Number(1.0)),
        weight: None,
        fold: None,
    };
    builder.push(row).unwrap();
    fit(&builder.finish().unwrap(), &options)
}

#[test]
fn ids_come_back_in_the_type_they_came_in() {
    let types = [
        (IdType::int(true, 8), DataType::Int8),
        (IdType::int(true, 16), DataType::Int16),
        (IdType::int(true, 32), DataType::Int32),
        (IdType::int(true, 64), DataType::Int64),
        (IdType::int(false, 8), DataType::UInt8),
        (IdType::int(false, 16), DataType::UInt16),
        (IdType::int(false, 32), DataType::UInt32),
        (IdType::int(false, 64), DataType::UInt64),
        (IdType::INT128, DataType::Decimal128(38, 0)),
    ];
    for (id_type, data_type) in types {
        let items = [(id_type, IdRef::Int(7)), (id_type, IdRef::Int(100))];
        let fit = with_ids((IdType::Text, IdRef::Text("ann")), items);
        let ranking = fit.table(ResultSet::Ranking).unwrap();
        let annotators = fit.table(ResultSet::Annotators).unwrap();
        assert_eq!(column(&ranking, "item").data_type(), &data_type);
        assert_eq!(
            column(&annotators, "annotator").as_string::<i32>().value(0),
            "ann"
        );
        assert_eq!(Fit::from_bytes(&fit.to_bytes()).unwrap(), fit);
    }
    let items = [
        (IdType::INT64, IdRef::Int(1)),
        (IdType::Text, IdRef::Text("1")),
    ];
    let mixed = with_ids((IdType::INT64, IdRef::Int(-3)), items);
    let ranking = mixed.table(ResultSet::Ranking).unwrap();
    let union = column(&ranking, "item").as_union();
    assert_eq!(union.value(0).as_primitive::<Int64Type>().value(0), 1);
    assert_eq!(union.value(1).as_string::<i32>().value(0), "1");
}

#[test]
fn a_curve_that_stops_early_chooses_the_same() {
    let options = Options::default();
    let simulation = Simulation {
        annotators: 60,
        items: 12,
        ..Simulation::default()
    };
    let votes = simulated(simulation, &options);
    let whole = fit(&votes, &options);
    let mut run = Execution::new().early_stopping();
    let cut = Fit::new_within(&votes, &options, &mut run).unwrap();
    for set in ResultSet::ALL {
        let (whole, cut) = (whole.table(set).unwrap(), cut.table(set).unwrap());
        if set == ResultSet::Cv {
            assert_eq!(whole.num_rows(), options.grid_points);
            assert!(cut.num_rows() < whole.num_rows(), "it has not turned");
            assert_eq!(flags(&cut, "selected").iter().filter(|s| **s).count(), 1);
            assert_eq!(cut, whole.slice(0, cut.num_rows()));
        } else {
            assert_eq!(whole, cut, "{}", set.name());
        }
    }
    let again = Fit::from_bytes(&cut.to_bytes()).unwrap();
    assert_eq!(again, cut);
    let mut run = Execution::new().threads(1).early_stopping();
    let alone = Fit::new_within(&votes, &options, &mut run).unwrap();
    assert_eq!(alone.to_bytes(), cut.to_bytes());
}

#[test]
fn a_cached_curve_that_stopped_early_is_not_given_for_a_complete_one() {
    let options = Options::default();
    let simulation = Simulation {
        annotators: 61,
        items: 12,
        ..Simulation::default()
    };
    let votes = simulated(simulation, &options);
    let mut run = Execution::new().early_stopping();
    let cut = cache::fit(&votes, &options, &mut run).unwrap();
    let whole = cache::fit(&votes, &options, &mut Execution::new()).unwrap();
    let rows = |fit: &Fit| fit.table(ResultSet::Cv).unwrap().num_rows();
    assert!(rows(&cut) < options.grid_points);
    assert_eq!(rows(&whole), options.grid_points);
    let mut run = Execution::new().early_stopping();
    let again = cache::fit(&votes, &options, &mut run).unwrap();
    assert!(Arc::ptr_eq(&whole, &again));
}

#[test]
fn threads_do_not_matter() {
    let options = Options::default();
    let votes = demo(&options);
    let one = Fit::new_within(&votes, &options, &mut Execution::new().threads(1)).unwrap();
    let four = Fit::new_within(&votes, &options, &mut Execution::new().threads(4)).unwrap();
    assert_eq!(one.to_bytes(), four.to_bytes());
}

#[test]
fn a_model_survives_bytes_and_damage_is_an_error() {
    let votes = demo(&Options::default());
    let fit = fit(&votes, &Options::default());
    let bytes = fit.to_bytes();
    assert_eq!(Fit::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    let error = |bytes: &[u8]| {
        let error = Fit::from_bytes(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Model);
        error.to_string()
    };
    assert_eq!(error(b""), "this is not a model made by me_hodgerank_model");
    assert_eq!(
        error(&[b'x'; 500]),
        "this is not a model made by me_hodgerank_model"
    );
    let mut newer = bytes.clone();
    newer[8] = 9;
    assert!(error(&newer).starts_with("this model has format 9;"));
    // A fixed walk over places and values: every flip and every cut is noticed.
    let mut state = 1usize;
    for _ in 0..1000 {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let place = (state >> 20) % bytes.len();
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (state >> 61);
        error(&flipped);
        error(&bytes[..place]);
    }
}

#[test]
fn the_same_votes_are_fitted_once() {
    let options = Options::default();
    let votes = demo(&options);
    let mut run = Execution::new();
    let first = cache::fit(&votes, &options, &mut run).unwrap();
    let again = cache::fit(&demo(&options), &options, &mut run).unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    let mut other = options.clone();
    other.seed = 1;
    assert!(!Arc::ptr_eq(
        &first,
        &cache::fit(&votes, &other, &mut run).unwrap()
    ));
    other = options.clone();
    other.max_seconds = Some(100.0);
    assert!(Arc::ptr_eq(
        &first,
        &cache::fit(&votes, &other, &mut run).unwrap()
    ));
}

#[test]
fn a_poll_stops_a_fit() {
    let options = Options {
        kappa: 2000.0,
        ..Options::default()
    };
    let votes = demo(&options);
    let mut calls = 0;
    let mut poll = || {
        calls += 1;
        if calls < 5 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let error =
        Fit::new_within(&votes, &options, &mut Execution::new().poll(&mut poll)).unwrap_err();
    assert_eq!((error.kind(), calls), (ErrorKind::Interrupted, 5));
}

#[test]
fn a_result_set_is_found_by_its_name() {
    for set in ResultSet::ALL {
        assert_eq!(set.to_string().parse::<ResultSet>().unwrap(), set);
    }
    let error = "rankin".parse::<ResultSet>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Option);
    assert!(
        error
            .to_string()
            .starts_with("unknown result set \"rankin\"; did you mean \"ranking\"?")
    );
}

/// Rows with integer ids, whose type nobody declared.
#[test]
fn ids_of_no_declared_type_have_that_of_their_values() {
    let options = Options {
        t: Some(0.0),
        ..Options::default()
    };
    let mut votes = VoteBuilder::new(&options);
    for (annotator, choice) in [(7, 1.0), (8, -1.0), (9, 1.0)] {
        votes.push(Row::new(annotator, 1, 2, choice)).unwrap();
    }
    let fit = Fit::new(&votes.finish().unwrap(), &options).unwrap();
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    assert_eq!(integers(&annotators, "annotator"), [7, 8, 9]);
    let again = Fit::from_bytes(&fit.to_bytes()).unwrap();
    assert_eq!(again.table(ResultSet::Annotators).unwrap(), annotators);
}

#[test]
fn a_predictor_is_not_taken_for_that_of_a_damaged_model() {
    let options = Options {
        t: Some(0.0),
        ..Options::default()
    };
    let mut bytes = fit(&demo(&options), &options).to_bytes();
    Predictor::from_bytes(&bytes).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let error = Predictor::from_bytes(&bytes).err().unwrap();
    assert_eq!(
        error.to_string(),
        "this model is damaged or cut off: fit it again"
    );
}
