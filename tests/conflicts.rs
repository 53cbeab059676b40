//! What a ranking leaves unexplained, how sure it is, and what is said of annotators.

mod table;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{
    BiasTest, ErrorKind, Fit, IdRef, IdType, Options, PairModel, ResultSet, Row, Simulation,
    VoteBuilder, Votes,
};
use table::{TextRow, row, simulated};

fn fit(votes: &Votes, options: &Options) -> Fit {
    Fit::new(votes, options).unwrap()
}

fn numbers(batch: &RecordBatch, name: &str) -> Vec<f64> {
    let column = batch.column_by_name(name).unwrap();
    column.as_primitive::<Float64Type>().values().to_vec()
}

fn integers(batch: &RecordBatch, name: &str) -> Vec<i64> {
    let column = batch.column_by_name(name).unwrap();
    column.as_primitive::<Int64Type>().values().to_vec()
}

fn texts<'a>(batch: &'a RecordBatch, name: &str) -> Vec<&'a str> {
    let column = batch.column_by_name(name).unwrap();
    column.as_string::<i32>().iter().flatten().collect()
}

fn flags(batch: &RecordBatch, name: &str) -> Vec<bool> {
    let column = batch.column_by_name(name).unwrap();
    column.as_boolean().iter().flatten().collect()
}

/// Fast, and the parts that are tested here do not look at the path.
fn quick() -> Options {
    Options {
        t: Some(1.0),
        ..Options::default()
    }
}

fn fit_rows(rows: &[TextRow], options: &Options) -> Fit {
    let rows: Vec<Row<'static>> = rows.iter().copied().map(row).collect();
    table::fit(options, rows).unwrap()
}

/// Some pairs are never compared, so that there are cycles of both kinds.
fn sparse() -> Votes {
    let simulation = Simulation {
        annotators: 30,
        items: 25,
        votes_each: 4,
        ..Simulation::default()
    };
    simulated(simulation, &Options::default())
}

#[test]
fn the_parts_of_the_flow_add_up_and_are_orthogonal() {
    let votes = sparse();
    for pair_model in [
        PairModel::Uniform,
        PairModel::BradleyTerry,
        PairModel::Thurstone,
        PairModel::Angular,
    ] {
        let options = Options {
            pair_model,
            ..quick()
        };
        let fit = fit(&votes, &options);
        let cycles = fit.table(ResultSet::Cycles).unwrap();
        let weight: Vec<f64> = integers(&cycles, "votes")
            .iter()
            .map(|&n| n as f64)
            .collect();
        let flow = numbers(&cycles, "flow");
        let parts = ["consensus", "local_cycle", "global_cycle"].map(|name| numbers(&cycles, name));
        let inner =
            |x: &[f64], y: &[f64]| -> f64 { (0..x.len()).map(|k| weight[k] * x[k] * y[k]).sum() };
        for k in 0..flow.len() {
            let sum: f64 = parts.iter().map(|part| part[k]).sum();
            assert!((sum - flow[k]).abs() < 1e-9);
        }
        for (x, y) in [(0, 1), (0, 2), (1, 2)] {
            assert!(
                inner(&parts[x], &parts[y]).abs() < 1e-9,
                "{pair_model:?} {x} {y}"
            );
        }
        let summary = fit.table(ResultSet::Summary).unwrap();
        let whole = inner(&flow, &flow);
        let names = ["consensus_share", "local_cycle_share", "global_cycle_share"];
        for (name, part) in names.iter().zip(&parts) {
            let share = numbers(&summary, name)[0];
            assert!((share - inner(part, part) / whole).abs() < 1e-9, "{name}");
            assert!(share > 0.01, "{name} {share}");
        }
        if pair_model == PairModel::Uniform {
            let causes = [
                "personal_cycle_share",
                "position_bias_cycle_share",
                "noise_cycle_share",
                "shared_cycle_share",
            ];
            let sum: f64 = causes.iter().map(|name| numbers(&summary, name)[0]).sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn the_consensus_is_that_of_hodgerank() {
    let fit = fit(&sparse(), &quick());
    let ranking = fit.table(ResultSet::Ranking).unwrap();
    let cycles = fit.table(ResultSet::Cycles).unwrap();
    let items = integers(&ranking, "item");
    let scores = numbers(&ranking, "hodgerank_score");
    let score = |item: i64| scores[items.iter().position(|&other| other == item).unwrap()];
    let (a, b) = (integers(&cycles, "item_a"), integers(&cycles, "item_b"));
    for (k, value) in numbers(&cycles, "consensus").into_iter().enumerate() {
        assert!((score(a[k]) - score(b[k]) - value).abs() < 1e-12);
    }
}

/// Rock beats scissors, scissors beat paper, paper beats rock.
#[test]
fn a_cycle_of_three_is_found() {
    let mut rows = Vec::new();
    for who in ["x", "y", "z"] {
        rows.extend([
            (who, "rock", "scissors", "left"),
            (who, "paper", "scissors", "right"),
            (who, "paper", "rock", "left"),
            (who, "rock", "spoon", "left"),
        ]);
    }
    let fit = fit_rows(&rows, &quick());
    let triangles = fit.table(ResultSet::Triangles).unwrap();
    assert_eq!(triangles.num_rows(), 1);
    let corner = |name: &str| texts(&triangles, name)[0].to_string();
    assert_eq!(
        [corner("item_a"), corner("item_b"), corner("item_c")],
        ["paper", "rock", "scissors"]
    );
    assert_eq!(numbers(&triangles, "curl"), [3.0]);
    assert_eq!(flags(&triangles, "is_circle"), [true]);
    assert_eq!(integers(&triangles, "votes"), [9]);
    let summary = fit.table(ResultSet::Summary).unwrap();
    assert!((numbers(&summary, "local_cycle_share")[0] - 0.75).abs() < 1e-12);
    assert!(numbers(&summary, "global_cycle_share")[0].abs() < 1e-12);
}

/// Votes of ±1 on every pair of items, each by another annotator. `preference`: the
/// expected vote for the first of two items; sides are drawn by lot.
fn voted(
    (items, votes_a_pair): (usize, usize),
    seed: u64,
    preference: impl Fn(usize, usize) -> f64,
) -> Votes {
    // A generator of its own: the upper bits of a multiplicative congruence.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = move || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let options = Options::default();
    let mut builder = VoteBuilder::new(&options);
    builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
    for i in 0..items {
        for j in i + 1..items {
            for who in 0..votes_a_pair {
                let first = uniform() < 0.5 + 0.5 * preference(i, j);
                let (left, right) = if uniform() < 0.5 { (i, j) } else { (j, i) };
                builder
                    .push(Row::new(who, left, right, first == (left == i)))
                    .unwrap();
            }
        }
    }
    builder.finish().unwrap()
}

/// Scores in equal steps, whose differences are the expected votes.
fn differences(items: usize) -> impl Fn(usize, usize) -> f64 {
    move |i, j| 0.9 * (j as f64 - i as f64) / (items - 1) as f64
}

/// Scores in equal steps, whose differences are the log-odds of a vote.
fn bradley_terry(step: f64) -> impl Fn(usize, usize) -> f64 {
    move |i, j| (0.5 * step * (j as f64 - i as f64)).tanh()
}

fn share(fit: &Fit, name: &str) -> f64 {
    numbers(&fit.table(ResultSet::Summary).unwrap(), name)[0]
}

/// What chance puts into cycles is known before looking at them.
#[test]
fn the_cycles_of_a_ranking_are_as_large_as_chance_makes_them() {
    for votes_a_pair in [3, 5, 20] {
        let (mut observed, mut expected, mut shared) = (0.0, 0.0, 0.0);
        for seed in 0..100 {
            let votes = voted((10, votes_a_pair), seed, differences(10));
            let fit = fit(&votes, &quick());
            observed += share(&fit, "local_cycle_share") / 100.0;
            expected += share(&fit, "chance_share") / 100.0;
            shared += share(&fit, "shared_cycle_share") / 100.0;
        }
        assert!(
            (0.93..1.07).contains(&(expected / observed)),
            "{votes_a_pair} votes a pair: {observed} of the flow, expected {expected}"
        );
        assert!(shared < 0.2, "{shared}");
    }
}

/// The formula for single votes of ±1: Σ (1 − f²) w/(w − 1) · (P − n + 1)/P ÷ Σ w f².
#[test]
fn the_share_of_chance_is_that_of_the_formula() {
    let fit = fit(&voted((8, 5), 3, bradley_terry(0.5)), &quick());
    let cycles = fit.table(ResultSet::Cycles).unwrap();
    let (mut chance, mut whole) = (0.0, 0.0);
    for (flow, votes) in numbers(&cycles, "flow")
        .into_iter()
        .zip(integers(&cycles, "votes"))
    {
        let w = votes as f64;
        chance += (1.0 - flow * flow) * w / (w - 1.0);
        whole += w * flow * flow;
    }
    let expected = chance * (28.0 - 8.0 + 1.0) / 28.0 / whole;
    assert!((share(&fit, "chance_share") - expected).abs() < 1e-12);
}

/// Transitive votes, few and many, by score differences and by sure votes.
#[test]
fn a_ranking_has_no_cycles_beyond_chance() {
    let (mut draws, mut with_cycle, mut triangles_seen, mut small) = (0, 0, 0, 0);
    for votes_a_pair in [3, 5, 20] {
        for seed in 0..8 {
            let items = (10, votes_a_pair);
            for votes in [
                voted(items, seed, differences(10)),
                voted(items, 100 + seed, bradley_terry(0.4)),
                voted(items, 200 + seed, bradley_terry(2.0)),
            ] {
                let fit = fit(&votes, &quick());
                let triangles = fit.triangles().unwrap();
                draws += 1;
                triangles_seen += 120;
                small += triangles.iter().filter(|one| one.p_value <= 0.05).count();
                with_cycle += usize::from(triangles.iter().any(|one| one.q_value <= 0.1));
            }
        }
    }
    assert!(
        small as f64 <= 0.05 * f64::from(triangles_seen),
        "{small} of {triangles_seen}"
    );
    assert!(with_cycle * 10 <= draws, "{with_cycle} of {draws}");
}

/// Items 2, 3 and 4 go round; everybody agrees on that as on the rest.
#[test]
fn a_cycle_that_all_share_is_found_and_is_not_noise() {
    let ranked = bradley_terry(0.4);
    let preference = |i: usize, j: usize| match (i, j) {
        (2, 3) | (3, 4) => 0.8,
        (2, 4) => -0.8,
        _ => ranked(i, j),
    };
    let fit = fit(&voted((10, 30), 1, preference), &quick());
    let triangles = fit.triangles().unwrap();
    let found = &triangles[0];
    assert_eq!(found.items, [2, 3, 4].map(IdRef::Int));
    assert!(found.is_cycle && found.q_value <= 0.01, "{found:?}");
    assert!(found.p_value <= found.q_value);
    assert!(
        triangles[1..]
            .iter()
            .all(|one| !one.is_cycle || one.q_value > 0.1)
    );
    let report = fit.report().unwrap();
    assert!(report.contains("Cycles of three that are beyond chance"));
    // Nothing but the cycle: it is shared, not noise.
    let pure = |i: usize, j: usize| if j - i == 1 { 0.9 } else { -0.9 };
    let fit = self::fit(&voted((3, 40), 1, pure), &quick());
    assert!(share(&fit, "shared_cycle_share") > 0.9);
    assert!(share(&fit, "noise_cycle_share") < 0.1);
}

#[test]
fn bradley_terry_gives_log_odds() {
    // Two items, seven of ten for one: (7 + ½) / (3 + ½), half of it to each.
    let mut rows = vec![("x", "a", "b", "left"); 7];
    rows.extend(vec![("x", "a", "b", "right"); 3]);
    let options = Options {
        pair_model: PairModel::BradleyTerry,
        ..quick()
    };
    let ranking = fit_rows(&rows, &options).table(ResultSet::Ranking).unwrap();
    let expected = (7.5f64 / 3.5).ln() / 2.0;
    let scores = numbers(&ranking, "hodgerank_score");
    assert!((scores[0] - expected).abs() < 1e-12 && (scores[1] + expected).abs() < 1e-12);
}

#[test]
fn verdicts_are_those_of_the_truth() {
    let options = Options {
        fdr: Some(0.1),
        ..quick()
    };
    let votes = simulated(Simulation::default(), &options);
    let annotators = fit(&votes, &options).table(ResultSet::Annotators).unwrap();
    let mut truth = std::collections::BTreeMap::new();
    for batch in Simulation::default().run().unwrap() {
        let batch = batch.unwrap();
        let id = batch.column(0).as_primitive::<Int64Type>().value(0);
        truth.insert(id, batch.column(4).as_string::<i32>().value(0).to_string());
    }
    let ids = integers(&annotators, "annotator");
    let verdicts = texts(&annotators, "verdict");
    let (mut right, mut wrong) = (0, 0);
    for (id, verdict) in ids.iter().zip(&verdicts) {
        let fits = match truth[id].as_str() {
            "careless" => verdict.starts_with("clicks "),
            "adversarial" => *verdict == "against the consensus",
            "personal" => *verdict == "own taste",
            _ => *verdict == "ok",
        };
        if fits { right += 1 } else { wrong += 1 }
    }
    assert!(right >= 95, "{right} right, {wrong} wrong");
    // The flags go by the verdict.
    let biased = flags(&annotators, "is_position_biased");
    let clicks = verdicts
        .iter()
        .map(|verdict| verdict.starts_with("clicks "));
    assert!(biased.iter().copied().eq(clicks));
    assert_eq!(annotators.num_rows(), 100);
    for (k, sentence) in texts(&annotators, "evidence").into_iter().enumerate() {
        let left = integers(&annotators, "left_clicks")[k];
        match verdicts[k] {
            "clicks left" => {
                let told =
                    format!("clicked left on {left} of 60 votes, more than the items explain (");
                assert!(sentence.starts_with(&told), "{sentence}");
            }
            "clicks right" => {
                assert!(sentence.starts_with(&format!("clicked right on {} of 60", 60 - left)))
            }
            "ok" => {
                assert!(sentence.ends_with(&format!("clicked {left} left and {} right", 60 - left)))
            }
            _ => assert!(sentence.contains("agreed with the consensus on ")),
        }
    }
}

/// Thirty who choose the better item three times in four, and one who always does.
#[test]
fn who_is_only_surer_has_no_taste_of_their_own() {
    let items = ["a", "b", "c", "d", "e", "f"];
    let names: Vec<String> = (0..31).map(|u| format!("u{u}")).collect();
    let mut rows = Vec::new();
    let mut count = 0;
    for (u, name) in names.iter().enumerate() {
        let name: &'static str = name.clone().leak();
        for round in 0..4 {
            for (i, left) in items.iter().enumerate() {
                for (j, right) in items.iter().enumerate().filter(|(j, _)| *j != i) {
                    count += 1;
                    let slips = u > 0 && (count * 7 + u * 3 + round) % 4 == 0;
                    let choice = if (i < j) != slips { "left" } else { "right" };
                    rows.push((name, *left, *right, choice));
                }
            }
        }
    }
    let annotators = fit_rows(&rows, &quick());
    let annotators = annotators.table(ResultSet::Annotators).unwrap();
    let surest = texts(&annotators, "annotator")
        .iter()
        .position(|name| *name == "u0")
        .unwrap();
    assert_eq!(numbers(&annotators, "agreement")[surest], 1.0);
    assert!(numbers(&annotators, "deviation_q_value")[surest] > 0.1);
    assert_eq!(texts(&annotators, "verdict")[surest], "ok");
}

/// The better item stood on the right in three votes of four, and still this one clicked
/// left on nearly every second.
#[test]
fn who_clicks_a_side_is_told_by_what_the_items_leave_over() {
    let items = ["a", "b", "c", "d", "e", "f"];
    let pairs = || (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j)));
    let mut rows = Vec::new();
    for u in 0..30 {
        let name: &'static str = format!("u{u}").leak();
        for (k, (better, other)) in pairs().chain(pairs()).enumerate() {
            let (mut sides, slips) = ([items[better], items[other]], (7 * k + 3 * u) % 10 == 0);
            let on_left = (k + u) % 2 == 0;
            if !on_left {
                sides.reverse();
            }
            let choice = if on_left != slips { "left" } else { "right" };
            rows.push((name, sides[0], sides[1], choice));
        }
    }
    for (k, (better, other)) in (0..16).flat_map(|_| pairs()).enumerate() {
        let (sides, choice) = match (k % 4, k % 10) {
            (0, _) => ([better, other], "left"),
            (_, 0..3) => ([other, better], "left"),
            _ => ([other, better], "right"),
        };
        rows.push(("one", items[sides[0]], items[sides[1]], choice));
    }
    let annotators = fit_rows(&rows, &quick());
    let annotators = annotators.table(ResultSet::Annotators).unwrap();
    let names = texts(&annotators, "annotator");
    let one = names.iter().position(|name| *name == "one").unwrap();
    assert_eq!(texts(&annotators, "verdict")[one], "clicks left");
    let told = "clicked left on 108 of 240 votes, more than the items explain (somebody without ";
    let evidence = texts(&annotators, "evidence")[one];
    assert!(evidence.starts_with(told), "{evidence}");
}

/// With winners on the left and losers on the right, everybody seems to click left.
#[test]
fn nobody_clicks_a_side_where_sides_do_not_count() {
    let rows: Vec<TextRow> = ["ann", "ben", "cat", "dan"]
        .into_iter()
        .flat_map(|who| {
            let pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("a", "d")];
            let often = pairs.into_iter().cycle().take(20);
            often.map(move |(winner, loser)| (who, winner, loser, "left"))
        })
        .collect();
    for (fdr, bias_test) in [
        (None, BiasTest::PValue),
        (Some(0.2), BiasTest::PValue),
        (Some(0.2), BiasTest::Knockoff),
    ] {
        let options = Options {
            position_bias: Some(false),
            fdr,
            bias_test,
            ..quick()
        };
        let annotators = fit_rows(&rows, &options)
            .table(ResultSet::Annotators)
            .unwrap();
        assert_eq!(numbers(&annotators, "position_bias_p_value"), [1.0; 4]);
        let verdicts = texts(&annotators, "verdict");
        assert!(!verdicts.iter().any(|verdict| verdict.starts_with("clicks")));
    }
}

#[test]
fn few_votes_are_too_few() {
    let rows = [
        ("x", "a", "b", "left"),
        ("x", "b", "c", "left"),
        ("y", "a", "b", "right"),
    ];
    let annotators = fit_rows(&rows, &quick())
        .table(ResultSet::Annotators)
        .unwrap();
    assert_eq!(texts(&annotators, "verdict"), ["too few votes to tell"; 2]);
    let sentences = texts(&annotators, "evidence");
    assert!(
        sentences.contains(&"only 2 votes that were not a tie"),
        "{sentences:?}"
    );
    assert!(sentences.contains(&"only 1 vote that was not a tie"));
}

/// One vote, one annotator, two items; a bridge; an item seen once.
#[test]
fn intervals_are_finite_and_wide_where_little_is_known() {
    let mut rows = vec![("x", "a", "b", "left"); 1];
    let check = |rows: &[TextRow]| {
        let ranking = fit_rows(rows, &quick()).table(ResultSet::Ranking).unwrap();
        for name in ["score_std_error", "score_low", "score_high"] {
            assert!(
                numbers(&ranking, name)
                    .iter()
                    .all(|value| value.is_finite()),
                "{name}"
            );
        }
        assert!(
            numbers(&ranking, "score_std_error")
                .iter()
                .all(|&error| error > 0.0)
        );
        ranking
    };
    check(&rows);
    for who in ["u", "v", "w", "x", "y", "z"] {
        for _ in 0..20 {
            rows.extend([
                (who, "a", "b", "left"),
                (who, "c", "b", "right"),
                (who, "c", "a", "right"),
            ]);
        }
        rows.push((who, "b", "a", "left"));
    }
    rows.push(("x", "c", "rare", "left"));
    rows.extend([
        ("x", "island", "rock", "left"),
        ("y", "island", "rock", "right"),
    ]);
    let ranking = check(&rows);
    let items = texts(&ranking, "item");
    let error = numbers(&ranking, "score_std_error");
    let of = |item: &str| error[items.iter().position(|&other| other == item).unwrap()];
    assert!(of("rare") > 3.0 * of("b"), "{} {}", of("rare"), of("b"));
    let (low, high) = (
        integers(&ranking, "rank_low"),
        integers(&ranking, "rank_high"),
    );
    for (k, &rank) in integers(&ranking, "rank").iter().enumerate() {
        assert!(1 <= low[k] && low[k] <= rank && rank <= high[k]);
    }
}

#[test]
fn without_a_chosen_time_there_are_still_cycles() {
    let options = Options {
        folds: 0,
        ..Options::default()
    };
    let fit = fit(&sparse(), &options);
    assert!(fit.table(ResultSet::Cycles).unwrap().num_rows() > 0);
    assert!(fit.table(ResultSet::Triangles).unwrap().num_rows() > 0);
    let error = fit.table(ResultSet::Ranking).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Option);
}
