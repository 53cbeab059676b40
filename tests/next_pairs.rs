//! Whom to ask next: the gain is that of refits, the choice is greedy, and asking where it
//! says needs fewer votes than other ways.

use std::collections::{BTreeMap, BTreeSet};

use me_hodgerank::{
    CandidateBuilder, CandidatePairs, Fit, IdRef, NextOptions, NextPair, Options, Result, Row,
    VoteBuilder, Votes,
};
use nalgebra::{DMatrix, DVector};

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

    fn pair(&mut self, items: usize) -> (usize, usize) {
        let left = self.below(items);
        (left, (left + 1 + self.below(items - 1)) % items)
    }
}

/// HodgeRank alone, of votes by nobody in particular.
fn hodgerank_only() -> Options {
    let json = r#"{"annotator": null}"#;
    Options::from_json(json).unwrap()
}

/// Votes on (left, right, choice).
fn votes(rows: &[(usize, usize, f64)]) -> Result<Votes> {
    let mut votes = VoteBuilder::new(&hodgerank_only());
    for &(left, right, choice) in rows {
        votes.push(Row {
            annotator: None,
            ..Row::new(0, left, right, choice)
        })?;
    }
    votes.finish()
}

fn fit(rows: &[(usize, usize, f64)]) -> Result<Fit> {
    Fit::new(&votes(rows)?, &hodgerank_only())
}

fn item(id: IdRef<'_>) -> usize {
    match id {
        IdRef::Int(value) => value as usize,
        IdRef::Text(text) => panic!("{text}"),
    }
}

fn items(pair: &NextPair<'_>) -> [usize; 2] {
    let (left, right) = (item(pair.left), item(pair.right));
    [left.min(right), left.max(right)]
}

/// A ring, so that all is connected, and some votes more.
fn some_votes(items: usize, more: usize, seed: u64) -> Vec<(usize, usize, f64)> {
    let mut random = Random(seed << 32);
    let ring = (0..items).map(|k| (k, (k + 1) % items));
    let mut pairs: Vec<(usize, usize)> = ring.collect();
    pairs.extend((0..more).map(|_| random.pair(items)));
    let vote = |(left, right)| (left, right, if random.uniform() < 0.6 { 1.0 } else { -1.0 });
    pairs.into_iter().map(vote).collect()
}

/// The Laplacian and the right-hand side of votes on some items, with a weak prior for the
/// mean score: the same in every refit, so it makes no difference.
fn normal_equations(items: usize, rows: &[(usize, usize, f64)]) -> (DMatrix<f64>, DVector<f64>) {
    let mut laplacian = DMatrix::from_element(items, items, 1.0 / items as f64);
    let mut rhs = DVector::zeros(items);
    for &(left, right, choice) in rows {
        let mut row = DVector::zeros(items);
        row[left] = 1.0;
        row[right] = -1.0;
        laplacian += &row * row.transpose();
        rhs += choice * row;
    }
    (laplacian, rhs)
}

/// By the book: scores are normal around the least squares solution with the inverse of the
/// Laplacian as covariance. Refit with either outcome, and take twice the expected divergence
/// of Kullback and Leibler from before to after.
fn refitted_gain(items: usize, rows: &[(usize, usize, f64)], [a, b]: [usize; 2]) -> f64 {
    let (before, rhs) = normal_equations(items, rows);
    let scores = before.clone().lu().solve(&rhs).unwrap();
    let share = (0.5 * (1.0 + scores[a] - scores[b])).clamp(0.0, 1.0);
    let divergence = |choice: f64| {
        let mut more = rows.to_vec();
        more.push((a, b, choice));
        let (after, rhs) = normal_equations(items, &more);
        let moved = after.clone().lu().solve(&rhs).unwrap() - &scores;
        let ratio = &before * after.clone().try_inverse().unwrap();
        ratio.trace() - items as f64 + (moved.transpose() * &before * &moved)[0]
            - ratio.determinant().ln()
    };
    share * divergence(1.0) + (1.0 - share) * divergence(-1.0)
}

#[test]
fn the_gain_is_that_of_refits_and_the_choice_is_greedy() -> Result<()> {
    for (count, more, seed) in [(4, 0, 1), (6, 9, 2), (8, 30, 3)] {
        let mut rows = some_votes(count, more, seed);
        let fit = fit(&rows)?;
        let (laplacian, rhs) = normal_equations(count, &rows);
        let scores = laplacian.lu().solve(&rhs).unwrap();
        let mut times: BTreeMap<[usize; 2], f64> = BTreeMap::new();
        for pair in fit.next_pairs(NextOptions::n(12), None)? {
            let all = (0..count).flat_map(|b| (0..b).map(move |a| [a, b]));
            let worth =
                |pair: [usize; 2], gain: f64| gain / (1.0 + times.get(&pair).unwrap_or(&0.0));
            let best = all.map(|pair| worth(pair, refitted_gain(count, &rows, pair)));
            let best = best.fold(0.0, f64::max);
            let found = pair.gain.unwrap();
            let own = refitted_gain(count, &rows, items(&pair));
            assert!((found / own - 1.0).abs() < 1e-9, "{found} {own}");
            let found = worth(items(&pair), found);
            assert!((found / best - 1.0).abs() < 1e-9, "{found} {best}");
            *times.entry(items(&pair)).or_default() += 1.0;
            // The scores stay as they are until somebody has answered.
            let [a, b] = items(&pair);
            rows.push((a, b, scores[a] - scores[b]));
        }
    }
    Ok(())
}

fn fit_pairs(rows: &[(usize, usize, f64)], n: usize) -> Result<Vec<[usize; 2]>> {
    let fit = fit(rows)?;
    let pairs = fit.next_pairs(NextOptions::n(n), None)?;
    Ok(pairs.iter().map(items).collect())
}

#[test]
fn a_batch_is_not_the_same_pair_again_and_again() -> Result<()> {
    let fit = fit(&some_votes(12, 20, 4))?;
    let pairs = fit.next_pairs(NextOptions::default(), None)?;
    assert_eq!(pairs.len(), 20);
    let different: BTreeSet<_> = pairs.iter().map(items).collect();
    assert!(different.len() >= 18, "{}", different.len());
    // Not even where one more vote changes next to nothing; but an item of which little is
    // known is asked again.
    let mut rows = some_votes(5, 5000, 4);
    let pairs = fit_pairs(&rows, 10)?;
    assert_eq!(pairs.iter().collect::<BTreeSet<_>>().len(), 10);
    rows.push((0, 5, 1.0));
    let pairs = fit_pairs(&rows, 10)?;
    assert!(pairs.iter().all(|pair| pair[1] == 5), "{pairs:?}");
    Ok(())
}

#[test]
fn sides_are_balanced_and_drawn_by_the_seed() -> Result<()> {
    let fit = fit(&some_votes(9, 15, 5))?;
    let ask = |seed: u64| {
        let mut options = NextOptions::n(60);
        options.seed = Some(seed);
        fit.next_pairs(options, None)
    };
    let pairs = ask(1)?;
    let mut net_left: BTreeMap<usize, i32> = BTreeMap::new();
    for pair in &pairs {
        *net_left.entry(item(pair.left)).or_default() += 1;
        *net_left.entry(item(pair.right)).or_default() -= 1;
    }
    assert!(net_left.values().all(|net| net.abs() <= 2), "{net_left:?}");
    assert_eq!(pairs, ask(1)?);
    let other = ask(2)?;
    let is_swapped = |(x, y): (&NextPair<'_>, &NextPair<'_>)| x.left == y.right;
    assert!(pairs.iter().zip(&other).any(is_swapped));
    let gains = |pairs: &[NextPair<'_>]| pairs.iter().map(|pair| pair.gain).collect::<Vec<_>>();
    assert_eq!(gains(&pairs), gains(&other));
    Ok(())
}

fn candidates(pairs: &[(usize, usize)]) -> Result<CandidatePairs> {
    let mut candidates = CandidateBuilder::default();
    for &(left, right) in pairs {
        candidates.push(Some(left.into()), Some(right.into()))?;
    }
    candidates.finish()
}

/// Components are joined before anything else; of the candidates, items without votes too.
#[test]
fn items_that_were_never_compared_with_the_rest_come_first() -> Result<()> {
    let mut rows = some_votes(6, 10, 6);
    rows.extend([(20, 21, 1.0), (30, 31, -1.0), (31, 32, 1.0)]);
    let fit = fit(&rows)?;
    let pairs = fit.next_pairs(NextOptions::n(10), None)?;
    let component = |item: usize| item / 10;
    let joined: Vec<Vec<usize>> = pairs[..2]
        .iter()
        .map(|pair| items(pair).map(component).to_vec())
        .collect();
    assert_eq!(joined, [[0, 2], [0, 3]]);
    assert!(
        pairs[..2]
            .iter()
            .all(|pair| pair.gain.is_none() && pair.votes == 0.0)
    );
    assert!(
        pairs[2..]
            .iter()
            .all(|pair| pair.gain.is_some_and(|gain| gain > 0.0 && gain < 5.0))
    );

    let listed = [
        (3, 1),
        (1, 3),
        (20, 40),
        (0, 40),
        (0, 2),
        (41, 40),
        (30, 31),
        (2, 31),
    ];
    let listed = candidates(&listed)?;
    assert_eq!(listed.len(), 7);
    let pairs = fit.next_pairs(NextOptions::n(12), Some(&listed))?;
    assert_eq!(pairs.len(), 12);
    // 40 and 41 have no votes; 20 and 31 stand for their components.
    let mut joins: Vec<[usize; 2]> = pairs[..4].iter().map(items).collect();
    joins.sort_unstable();
    assert_eq!(joins, [[0, 40], [2, 31], [20, 40], [40, 41]]);
    assert!(pairs[..4].iter().all(|pair| pair.gain.is_none()));
    for pair in &pairs[4..] {
        assert!(
            pair.gain.is_some_and(|gain| gain > 0.0 && gain < 5.0),
            "{pair:?}"
        );
        let [a, b] = items(pair);
        assert!(
            [
                [1, 3],
                [20, 40],
                [0, 40],
                [0, 2],
                [40, 41],
                [30, 31],
                [2, 31]
            ]
            .contains(&[a, b])
        );
    }
    for pair in &pairs {
        let both = items(pair);
        let is_on_pair = |row: &&(usize, usize, f64)| [row.0.min(row.1), row.0.max(row.1)] == both;
        assert_eq!(pair.votes, rows.iter().filter(is_on_pair).count() as f64);
    }
    Ok(())
}

#[test]
fn candidates_that_cannot_be_asked_are_refused() -> Result<()> {
    let text = |result: Result<CandidatePairs>| result.unwrap_err().to_string();
    assert_eq!(
        text(candidates(&[(1, 2), (3, 3)])),
        "row 2 of the candidate pairs is item 3 and itself: leave such rows out, WHERE \"left\" <> \
         \"right\""
    );
    assert_eq!(
        text(candidates(&[])),
        "there are no candidate pairs: the table that names them has no rows; leave candidates out \
         to choose among all pairs"
    );
    let mut builder = CandidateBuilder::default();
    let error = builder.push(Some(1.into()), None).unwrap_err().to_string();
    assert!(
        error.starts_with("row 1 of the candidate pairs has no item (NULL): "),
        "{error}"
    );
    let fit = fit(&some_votes(4, 4, 7))?;
    let mut builder = CandidateBuilder::default();
    builder.push(Some("1".into()), Some("2".into()))?;
    let texts = builder.finish()?;
    let error = fit
        .next_pairs(NextOptions::default(), Some(&texts))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the items of the candidate pairs are text and those of the votes are integers: cast one of \
         them, so that the same id is the same in both"
    );
    for n in [0, 10_001] {
        let error = fit.next_pairs(NextOptions::n(n), None).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("n must be from 1 to 10000, not {n}")
        );
    }
    Ok(())
}

/// With thousands of items the pairs are those of the least certain ones.
#[test]
fn thousands_of_items_are_asked_where_little_is_known() -> Result<()> {
    let count = 3000;
    let mut random = Random(8 << 32);
    // The last 50 items have two votes each, the others about forty.
    let mut rows: Vec<(usize, usize, f64)> = (0..60_000)
        .map(|_| {
            let (left, right) = random.pair(count - 50);
            (left, right, if random.uniform() < 0.5 { 1.0 } else { -1.0 })
        })
        .collect();
    for rare in count - 50..count {
        rows.push((rare, random.below(count - 50), 1.0));
        rows.push((random.below(count - 50), rare, 1.0));
    }
    let fit = fit(&rows)?;
    let pairs = fit.next_pairs(NextOptions::default(), None)?;
    assert_eq!(pairs.len(), 20);
    for pair in &pairs {
        assert!(
            items(pair).iter().all(|&item| item >= count - 50),
            "{pair:?}"
        );
        // Two votes each: a resistance of about one.
        assert!((0.3..1.0).contains(&pair.gain.unwrap()), "{pair:?}");
    }
    Ok(())
}

/// Kendall's τ of scores with the truth, whose items are in order.
fn tau(scores: &[f64]) -> f64 {
    let pairs = || (0..scores.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let sum: f64 = pairs().map(|(a, b)| (scores[b] - scores[a]).signum()).sum();
    sum / pairs().count() as f64
}

/// How to ask.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Next,
    Random,
    LeastAsked,
}

/// Kendall's τ after each batch of ten votes, on average over its end.
fn asked(way: Way, batches: usize, seed: u64) -> Result<f64> {
    let count = 16;
    let truth = |item: usize| 2.0 * item as f64 / (count - 1) as f64 - 1.0;
    let mut random = Random(seed << 32 | 77);
    let mut times = vec![0usize; count * count];
    let mut rows: Vec<(usize, usize, f64)> = Vec::new();
    let (mut sum, mut measured) = (0.0, 0);
    for batch in 0..batches {
        let mut pairs: Vec<(usize, usize)> = match way {
            _ if batch == 0 => (0..count).map(|k| (k, (k + 1) % count)).collect(),
            Way::Random => (0..10).map(|_| random.pair(count)).collect(),
            Way::LeastAsked => Vec::new(),
            Way::Next => {
                let fit = fit(&rows)?;
                let pairs = fit.next_pairs(NextOptions::n(10), None)?;
                pairs
                    .iter()
                    .map(|pair| (item(pair.left), item(pair.right)))
                    .collect()
            }
        };
        if way == Way::LeastAsked && batch > 0 {
            let all = (0..count).flat_map(|b| (0..b).map(move |a| (a, b)));
            let mut all: Vec<_> = all
                .map(|(a, b)| (times[a * count + b], random.uniform(), (a, b)))
                .collect();
            all.sort_by(|x, y| x.partial_cmp(y).unwrap());
            pairs.extend(all.iter().take(10).map(|x| x.2));
        }
        for (left, right) in pairs {
            times[left.min(right) * count + left.max(right)] += 1;
            // About normal, with a standard deviation of 0.7.
            let noise = (0..6).map(|_| random.uniform()).sum::<f64>() - 3.0;
            let side = truth(left) - truth(right) + noise;
            rows.push((left, right, side.signum()));
        }
        if batch >= batches / 2 {
            let mut scores = vec![0.0; count];
            for ranked in fit(&rows)?.ranking()? {
                scores[item(ranked.item)] = ranked.score;
            }
            sum += tau(&scores);
            measured += 1;
        }
    }
    Ok(sum / f64::from(measured))
}

/// A small part of `make calibration`, which has the curves up to τ = 0.95.
#[test]
fn asking_where_it_says_is_better_than_chance() -> Result<()> {
    let mean = |way| -> Result<f64> {
        let draws = 30;
        let sum: Result<f64> = (0..draws).map(|seed| asked(way, 60, seed)).sum();
        Ok(sum? / draws as f64)
    };
    let [next, random, least_asked] = [Way::Next, Way::Random, Way::LeastAsked].map(mean);
    let (next, random, least_asked) = (next?, random?, least_asked?);
    println!("next {next:.4}, random {random:.4}, least asked {least_asked:.4}");
    assert!(next > random + 0.01 && next > least_asked + 0.01);
    Ok(())
}

#[test]
fn a_stored_model_asks_the_same() -> Result<()> {
    let fit = fit(&some_votes(10, 30, 9))?;
    let stored = Fit::from_bytes(&fit.to_bytes())?;
    let options = NextOptions::default();
    assert_eq!(
        stored.next_pairs(options, None)?,
        fit.next_pairs(options, None)?
    );
    Ok(())
}
