//! Head to head: p-values are uniform where there is no difference, the rate of false
//! discoveries holds, and the numbers agree with slow computations and with the ranking.

use me_hodgerank::{
    CompareOptions, Execution, Fit, HeadToHead, IdRef, Options, Result, Row, VoteBuilder,
};

/// Numbers that look random: SplitMix64.
struct Random(u64);

impl Random {
    /// From 0 to 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.uniform() * bound as f64) as usize
    }
}

fn hodgerank_only() -> Options {
    Options {
        personal: Some(false),
        position_bias: Some(false),
        ..Options::default()
    }
}

/// Votes of ±1 on items with these scores, fitted. Each annotator has a taste of the given
/// size, so that their votes depend on each other.
fn fit(
    scores: &[f64],
    annotators: usize,
    each: usize,
    taste: f64,
    options: &Options,
    seed: u64,
) -> Result<Fit> {
    let mut random = Random(seed << 32);
    let mut votes = VoteBuilder::new(options);
    for annotator in 0..annotators {
        let own = scores.iter();
        let own: Vec<f64> = own
            .map(|score| score + taste * (2.0 * random.uniform() - 1.0))
            .collect();
        for _ in 0..each {
            let left = random.below(scores.len());
            let right = (left + 1 + random.below(scores.len() - 1)) % scores.len();
            let share = 0.5 * (1.0 + own[left] - own[right]);
            let choice = if random.uniform() < share { 1.0 } else { -1.0 };
            votes.push(Row::new(annotator, left, right, choice))?;
        }
    }
    let mut execution = Execution::new().early_stopping();
    Fit::new_within(&votes.finish()?, options, &mut execution)
}

fn is_pair(pair: &HeadToHead<'_>, a: i128, b: i128) -> bool {
    let ids = [pair.item_a, pair.item_b];
    ids == [IdRef::Int(a), IdRef::Int(b)] || ids == [IdRef::Int(b), IdRef::Int(a)]
}

/// The largest distance of the distribution of some numbers from the uniform one, times the
/// root of how many there are: beyond 1.63 in one of a hundred samples.
fn kolmogorov_smirnov(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let count = numbers.len() as f64;
    let distances = numbers.iter().enumerate().map(|(k, &x)| {
        let (below, up_to) = (k as f64 / count, (k as f64 + 1.0) / count);
        f64::max(up_to - x, x - below)
    });
    count.sqrt() * distances.fold(0.0, f64::max)
}

const SCORES: [f64; 6] = [0.5, 0.3, 0.0, 0.0, -0.3, -0.5];

/// Items 2 and 3 are equally good.
fn null_p_value(annotators: usize, taste: f64, options: &Options, seed: u64) -> Result<f64> {
    let fit = fit(&SCORES, annotators, 40, taste, options, seed)?;
    let pairs = fit.compare(CompareOptions::default())?;
    assert_eq!(pairs.len(), 15);
    Ok(pairs
        .iter()
        .find(|pair| is_pair(pair, 2, 3))
        .unwrap()
        .p_value)
}

#[test]
fn p_values_are_uniform_where_there_is_no_difference() -> Result<()> {
    let mixed = Options::default();
    for (name, annotators, taste, options, draws) in [
        ("independent votes", 30, 0.0, &hodgerank_only(), 250),
        ("tastes", 30, 0.4, &hodgerank_only(), 250),
        ("few annotators", 8, 0.0, &hodgerank_only(), 250),
        ("mixed model", 30, 0.4, &mixed, 80),
    ] {
        let p_values = (0..draws).map(|seed| null_p_value(annotators, taste, options, seed));
        let distance = kolmogorov_smirnov(p_values.collect::<Result<_>>()?);
        println!("{name}: {distance:.2}");
        assert!(distance < 1.63, "{name}: {distance}");
    }
    Ok(())
}

/// Among the pairs with q ≤ 0.1, a tenth at most are of equally good items, on average.
#[test]
fn the_rate_of_false_discoveries_holds() -> Result<()> {
    // 20 of 45 pairs are equally good.
    let scores = [0.2, 0.2, 0.2, 0.2, 0.2, -0.2, -0.2, -0.2, -0.2, -0.2];
    let draws = 200;
    let (mut false_share, mut found) = (0.0, 0);
    for seed in 0..draws {
        let fit = fit(&scores, 25, 40, 0.3, &hodgerank_only(), seed)?;
        let pairs = fit.compare(CompareOptions::default())?;
        let called: Vec<_> = pairs.iter().filter(|pair| pair.q_value <= 0.1).collect();
        let half = |id: IdRef<'_>| matches!(id, IdRef::Int(item) if item < 5);
        let is_false = |pair: &&&HeadToHead<'_>| half(pair.item_a) == half(pair.item_b);
        let errors = called.iter().filter(is_false).count();
        false_share += errors as f64 / called.len().max(1) as f64 / draws as f64;
        found += called.len() - errors;
    }
    assert!(false_share < 0.1, "{false_share}");
    let found = found as f64 / (25.0 * draws as f64);
    assert!(found > 0.5, "{found}");
    Ok(())
}

/// By the book: the least rate at which a step-up procedure calls the pair.
#[test]
fn q_values_agree_with_a_slow_computation() -> Result<()> {
    let pairs = fit(&SCORES, 10, 20, 0.2, &Options::default(), 3)?;
    let pairs = pairs.compare(CompareOptions::default())?;
    for pair in &pairs {
        let rate = |threshold: f64| {
            let called = pairs.iter().filter(|other| other.p_value <= threshold);
            pairs.len() as f64 * threshold / called.count() as f64
        };
        let larger = pairs.iter().map(|other| other.p_value);
        let larger = larger.filter(|&p| p >= pair.p_value);
        let expected = larger.map(rate).fold(1.0, f64::min);
        assert!((pair.q_value - expected).abs() < 1e-12);
    }
    Ok(())
}

/// With two items the difference is twice the score.
#[test]
fn of_two_items_it_is_the_interval_of_their_difference() -> Result<()> {
    for options in [hodgerank_only(), Options::default()] {
        for (annotators, taste) in [(3, 0.0), (12, 0.9), (60, 0.9)] {
            let fit = fit(&[0.1, -0.1], annotators, 25, taste, &options, 5)?;
            let pairs = fit.compare(CompareOptions::default())?;
            let [pair] = &pairs[..] else {
                panic!("{}", pairs.len());
            };
            let best = fit.ranking()?[0].clone();
            assert_eq!(pair.item_a, best.item);
            for (found, expected) in [
                (pair.difference, 2.0 * best.score),
                (pair.low, 2.0 * best.score_low),
                (pair.high, 2.0 * best.score_high),
            ] {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
            let votes = annotators as f64 * 25.0;
            assert_eq!((pair.direct_votes, pair.direct_ties), (votes, 0.0));
            assert_eq!(pair.direct_wins, best.wins);
            let share = 0.5 * (1.0 + pair.difference);
            assert!((pair.predicted_share - share).abs() < 1e-12);
        }
    }
    Ok(())
}

/// The interval excludes zero where the p-value is below 0.05, but for the approximation of
/// the quantile.
#[test]
fn intervals_and_p_values_agree() -> Result<()> {
    let fit = fit(&SCORES, 12, 30, 0.2, &Options::default(), 1)?;
    for pair in fit.compare(CompareOptions::default())? {
        if (pair.p_value - 0.05).abs() > 0.001 {
            assert_eq!(pair.low > 0.0, pair.p_value < 0.05, "{pair:?}");
        }
    }
    Ok(())
}

#[test]
fn the_best_of_each_component_are_compared() -> Result<()> {
    let options = hodgerank_only();
    let mut votes = VoteBuilder::new(&options);
    for annotator in 0..9 {
        for (left, right, choice) in [
            ("a", "b", 1.0),
            ("b", "c", 1.0),
            ("c", "a", if annotator < 3 { 0.0 } else { -1.0 }),
            ("x", "y", if annotator < 4 { 1.0 } else { -1.0 }),
        ] {
            votes.push(Row::new(annotator, left, right, choice))?;
        }
    }
    let fit = Fit::new(&votes.finish()?, &options)?;
    let rows = |top: usize| -> Result<Vec<(String, f64, f64, f64)>> {
        let pairs = fit.compare(CompareOptions::top(top))?;
        let row = |pair: &HeadToHead<'_>| {
            let pair_name = format!("{} {}", pair.item_a, pair.item_b);
            (
                pair_name,
                pair.direct_votes,
                pair.direct_wins,
                pair.direct_ties,
            )
        };
        Ok(pairs.iter().map(row).collect())
    };
    let expected = [
        ("'a' 'b'", 9.0, 9.0, 0.0),
        ("'a' 'c'", 9.0, 6.0, 3.0),
        ("'b' 'c'", 9.0, 9.0, 0.0),
        ("'y' 'x'", 9.0, 5.0, 0.0),
    ]
    .map(|(pair, votes, wins, ties)| (pair.to_string(), votes, wins, ties));
    assert_eq!(rows(50)?, expected);
    assert_eq!(rows(2)?, [expected[0].clone(), expected[3].clone()]);
    let settled = fit.summary()?.settled_share;
    // Of 10 pairs; x and y are not settled, nor are those of different components.
    assert!((settled - 0.3).abs() < 1e-12, "{settled}");
    for top in [0, 1, 1001] {
        let error = fit.compare(CompareOptions::top(top)).unwrap_err();
        let text = format!("top must be from 2 to 1000, not {top}");
        assert_eq!(error.to_string(), text);
    }
    Ok(())
}

/// In the summary all pairs count, as if all items were compared.
#[test]
fn the_settled_share_is_that_of_all_pairs() -> Result<()> {
    let fit = fit(&SCORES, 20, 40, 0.1, &Options::default(), 2)?;
    let pairs = fit.compare(CompareOptions::top(6))?;
    let settled = pairs.iter().filter(|pair| pair.q_value <= 0.05).count();
    let share = fit.summary()?.settled_share;
    assert!((share - settled as f64 / 15.0).abs() < 1e-12);
    assert!(share > 0.0 && share < 1.0, "{share}");
    Ok(())
}

#[test]
fn a_stored_model_compares_the_same() -> Result<()> {
    let fit = fit(&SCORES, 20, 40, 0.5, &Options::default(), 2)?;
    let stored = Fit::from_bytes(&fit.to_bytes())?;
    let options = CompareOptions::default();
    assert_eq!(stored.compare(options)?, fit.compare(options)?);
    Ok(())
}
