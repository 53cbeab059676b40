//! Scores on thin graphs and with weights that lie far apart, against solutions that
//! are known.

use me_hodgerank::{ErrorKind, Fit, IdType, Options, PairModel, Row, VoteBuilder, Votes};

/// Annotator, left item, right item, choice and weight.
type Vote = (i64, i64, i64, f64, f64);

fn votes(rows: impl IntoIterator<Item = Vote>, options: &Options) -> Votes {
    let mut builder = VoteBuilder::new(options);
    builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
    for (annotator, left, right, choice, weight) in rows {
        let row = Row::new(annotator, left, right, choice).weight(weight);
        builder.push(row).unwrap();
    }
    builder.finish().unwrap()
}

fn weighted() -> Options {
    let mut options = Options::default();
    options.columns.weight = Some("weight".into());
    options
}

fn without_effects() -> Options {
    Options {
        personal: Some(false),
        position_bias: Some(false),
        ..weighted()
    }
}

/// The HodgeRank scores by item, which are numbered from 0.
fn scores(fit: &Fit) -> Vec<f64> {
    let mut ranking = fit.ranking().unwrap();
    ranking.sort_by_key(|item| item.item.to_string().parse::<i64>().unwrap());
    ranking.iter().map(|item| item.hodgerank_score).collect()
}

/// Twenty votes on each of two pairs, of which 14 are for the first item, and one
/// vote of any weight between the pairs.
fn two_pairs(bridge: f64) -> Vec<Vote> {
    let side = |vote| if vote < 14 { 1.0 } else { -1.0 };
    let mut rows: Vec<Vote> = Vec::new();
    for vote in 0..20 {
        rows.push((vote % 5, 0, 1, side(vote), 1.0));
        rows.push((vote % 5, 2, 3, side(vote), 1.0));
    }
    rows.push((0, 1, 2, 1.0, bridge));
    rows
}

#[test]
fn a_bridge_of_any_weight_leaves_the_scores_of_its_sides() {
    for bridge in [1.0, 1e-6, 1e-12, 1e-15, 2.4e-19, 1e-40, 1e-99] {
        for model in [PairModel::Uniform, PairModel::BradleyTerry] {
            let options = Options {
                pair_model: model,
                ..without_effects()
            };
            let fit = Fit::new(&votes(two_pairs(bridge), &options), &options).unwrap();
            let [a, b, c, d] = scores(&fit)[..] else {
                panic!("four items")
            };
            let (side, link) = match model {
                PairModel::BradleyTerry => ((14.5f64 / 6.5).ln(), ((bridge + 0.5) / 0.5).ln()),
                _ => (0.4, 1.0),
            };
            assert!((a - b - side).abs() < 1e-9, "{bridge}: {}", a - b);
            assert!((c - d - side).abs() < 1e-9, "{bridge}: {}", c - d);
            assert!((b - c - link).abs() < 1e-9, "{bridge}: {}", b - c);
        }
    }
}

/// With effects of annotators in the model the scores are right or there are none.
#[test]
fn with_effects_a_bridge_that_is_too_light_is_an_error() {
    for (bridge, is_fitted) in [(1.0, true), (1e-6, true), (1e-15, false), (1e-40, false)] {
        let options = weighted();
        match Fit::new(&votes(two_pairs(bridge), &options), &options) {
            Ok(fit) => {
                assert!(is_fitted);
                let scores = scores(&fit);
                assert!((scores[0] - scores[1] - 0.4).abs() < 1e-7);
                assert!((scores[1] - scores[2] - 1.0).abs() < 1e-7);
            }
            Err(error) => {
                assert!(!is_fitted, "{bridge}: {error}");
                assert_eq!(error.kind(), ErrorKind::Votes);
                let text = error.to_string();
                assert!(
                    text.starts_with(
                        "the weights differ too much for effects of annotators: items that were \
                         compared with each other by votes of weight 2.0e1 are joined with other \
                         items by votes of weight 1.0e-"
                    ) && text.contains("set personal and position_bias to false"),
                    "{text}"
                );
            }
        }
    }
}

/// A vote that faded away is the only one on an item: nothing else is less accurate.
#[test]
fn a_light_item_at_heavy_ones_is_no_error() {
    let options = weighted();
    for weight in [1e-6, 1e-15, 1e-50] {
        let mut rows = two_pairs(1.0);
        rows.push((1, 3, 4, 1.0, weight));
        let scores = scores(&Fit::new(&votes(rows, &options), &options).unwrap());
        assert!((scores[0] - scores[1] - 0.4).abs() < 1e-12, "{weight}");
        assert!((scores[3] - scores[4] - 1.0).abs() < 1e-9, "{weight}");
    }
}

/// Choices and weights of every size: numbers, or an error that says what to do.
#[test]
fn numbers_are_finite_or_there_is_an_error() {
    let sizes: [f64; 6] = [1e-300, 1e-100, 1e-20, 1.0, 1e20, 1e100];
    for (choice, weight) in sizes
        .iter()
        .flat_map(|&x| sizes.map(|y| (x, y.max(1e-100))))
    {
        for options in [weighted(), without_effects()] {
            let rows = two_pairs(1.0).into_iter();
            let rows = rows.map(|(u, l, r, c, w)| (u, l, r, c * choice, w * weight));
            let rows = rows.filter(|row| (1e-100..=1e100).contains(&row.4));
            match Fit::new(&votes(rows, &options), &options) {
                Ok(fit) => {
                    for item in fit.ranking().unwrap() {
                        assert!(item.score.is_finite() && item.score_std_error.is_finite());
                    }
                    let read = Fit::from_bytes(&fit.to_bytes());
                    assert!(read.is_ok(), "{choice} {weight}: {fit:?}");
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::Votes, "{error}"),
            }
        }
    }
}

/// Heavier pairs than integers that a number can tell apart.
#[test]
fn every_pair_model_takes_any_weight() {
    for weight in [1.0, 1e16, 1e30, 1e100] {
        for pair_model in [
            PairModel::BradleyTerry,
            PairModel::Thurstone,
            PairModel::Angular,
        ] {
            let options = Options {
                pair_model,
                ..weighted()
            };
            let rows = [(1, 0, 1, 1.0, weight), (2, 1, 0, -1.0, weight)];
            let fit = Fit::new(&votes(rows, &options), &options).unwrap();
            let scores = scores(&fit);
            assert!(
                scores[0].is_finite() && scores[0] > 0.0,
                "{weight}: {scores:?}"
            );
        }
    }
}

/// Solves the normal equations of items that were compared with neighbours no
/// further away than `width`: a Cholesky factorisation of the band, with the score
/// of the last item set to 0.
fn banded_scores(items: usize, width: usize, rows: &[Vote]) -> Vec<f64> {
    let mut band = vec![vec![0.0; width + 1]; items];
    let mut rhs = vec![0.0; items];
    for &(_, left, right, choice, weight) in rows {
        let (left, right) = (left as usize, right as usize);
        band[left][0] += weight;
        band[right][0] += weight;
        band[left.min(right)][left.abs_diff(right)] -= weight;
        rhs[left] += weight * choice;
        rhs[right] -= weight * choice;
    }
    let last = items - 1;
    for k in 0..last {
        for i in 1..=width.min(last - 1 - k.min(last - 1)) {
            let factor = band[k][i] / band[k][0];
            for j in i..=width.min(last - 1 - k) {
                band[k + i][j - i] -= factor * band[k][j];
            }
            rhs[k + i] -= factor * rhs[k];
        }
    }
    let mut scores = vec![0.0; items];
    for k in (0..last).rev() {
        let known = (1..=width.min(last - k)).map(|i| band[k][i] * scores[k + i]);
        scores[k] = (rhs[k] - known.sum::<f64>()) / band[k][0];
    }
    let mean = scores.iter().sum::<f64>() / items as f64;
    scores.iter().map(|score| score - mean).collect()
}

/// An item and its neighbours at these distances; every pair has three votes, and
/// neighbours differ by less than what is random.
fn thin(items: i64, distances: &[i64], weight: impl Fn(i64) -> f64) -> Vec<Vote> {
    let mut rows = Vec::new();
    for left in 0..items {
        for &distance in distances.iter().filter(|&distance| left + distance < items) {
            for vote in 0..3 {
                let chance = (left * 7 + distance * 13 + vote * 31) * 2_654_435_761 % 1000;
                let choice = if chance < 550 { 1.0 } else { -1.0 };
                rows.push((chance % 40, left, left + distance, choice, weight(left)));
            }
        }
    }
    rows
}

#[test]
fn thin_graphs_have_the_scores_of_a_direct_solution() {
    let even = |_: i64| 1.0;
    let uneven = |left: i64| 10f64.powi((left % 5) as i32 - 2);
    for (items, distances) in [(5000, &[1][..]), (5000, &[1, 2]), (3000, &[1, 3])] {
        for rows in [thin(items, distances, even), thin(items, distances, uneven)] {
            let options = without_effects();
            let found = scores(&Fit::new(&votes(rows.clone(), &options), &options).unwrap());
            let width = distances[distances.len() - 1] as usize;
            let expected = banded_scores(items as usize, width, &rows);
            let size = expected.iter().fold(0.0, |size, x: &f64| x.abs().max(size));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    (found - expected).abs() <= 1e-6 * size,
                    "{items} {distances:?}: {found} {expected}"
                );
            }
            let mut residual = vec![0.0; items as usize];
            let mut scale = vec![0.0; items as usize];
            for &(_, left, right, choice, weight) in &rows {
                let (left, right) = (left as usize, right as usize);
                let rest = weight * (choice - (found[left] - found[right]));
                residual[left] += rest;
                residual[right] -= rest;
                scale[left] += weight;
                scale[right] += weight;
            }
            for (rest, scale) in residual.iter().zip(&scale) {
                assert!(rest.abs() <= 1e-6 * scale, "{items} {distances:?}: {rest}");
            }
        }
    }
}

/// A whole fit, with effects and cross-validation, of forms on which conjugate
/// gradients need thousands of iterations a step.
#[test]
fn a_chain_and_a_grid_are_fitted_with_the_defaults() {
    let options = weighted();
    let side = 28;
    let grid = thin(side * side, &[1, side], |_| 1.0);
    let grid = grid
        .into_iter()
        .filter(|row| row.2 - row.1 > 1 || row.2 % side != 0);
    for rows in [thin(800, &[1], |_| 1.0), grid.collect()] {
        let fit = Fit::new(&votes(rows, &options), &options).unwrap();
        assert!(fit.has_chosen_time());
    }
}

/// Votes that balance each other but for rounding leave nothing to solve for.
#[test]
fn balanced_votes_are_no_error() {
    let items = 1500;
    let mut rows = Vec::new();
    for left in 0..items {
        for step in 1..=10 {
            let right = (left * 7 + step * step * 131 + 1) % items;
            for (choice, weight) in [(1.0, 0.1), (1.0, 0.2), (-1.0, 0.3)] {
                rows.extend((left != right).then_some((step, left, right, choice, weight)));
            }
        }
    }
    let options = without_effects();
    let scores = scores(&Fit::new(&votes(rows, &options), &options).unwrap());
    assert!(scores.iter().all(|score| score.abs() < 1e-9));
}

#[test]
fn a_path_that_does_not_fit_in_memory_is_refused() {
    let options = Options {
        grid_points: 10_000,
        ..weighted()
    };
    let rows = thin(60_000, &[1], |_| 1.0);
    let error = Fit::new(&votes(rows, &options), &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Option);
    assert_eq!(
        error.to_string(),
        "the path would take up to 5 GB of memory: grid_points = 10000 with 60000 items and 40 \
         annotators; set a smaller grid_points"
    );
}
