//! The tables of the paper.

use super::*;

/// What the paper's tables say of a data set.
pub struct Tables {
    /// Whose position bias enters first: id, clicks on the left, on the right.
    pub biased: [(i128, usize, usize); 10],
    /// Whose deviation enters first, in any order.
    pub deviating: &'static [i128],
}

pub fn check_tables(name: &str, tables: &Tables) {
    let Some(data) = common::shared("data", &format!("{name}.csv")) else {
        return;
    };
    let votes = common::read_votes(&data, None);
    let id = |u: usize| integer(votes.annotators().get(u));
    let (bias, deviation) = entry_order(votes.comparisons());
    let biased: Vec<_> = bias[..10]
        .iter()
        .map(|&u| {
            let (left, right) = clicks(votes.comparisons(), u);
            (id(u), left, right)
        })
        .collect();
    assert_eq!(biased, tables.biased);

    let first = &deviation[..tables.deviating.len()];
    let mut deviating: Vec<_> = first.iter().map(|&u| id(u)).collect();
    let mut expected = tables.deviating.to_vec();
    deviating.sort_unstable();
    expected.sort_unstable();
    assert_eq!(deviating, expected);
}

/// The annotators in the order in which γ, and in which δ, enter with the
/// default options. The tables look at γ on the grid, ties by id.
fn entry_order(votes: &Comparisons) -> (Vec<usize>, Vec<usize>) {
    let (options, stop) = (Options::default(), Stop::default());
    let problem = Problem::new(votes, &options, &stop).unwrap();
    let mut path = problem.path(&stop).unwrap();
    let mut bias = Vec::new();
    for t in problem.grid(&options).unwrap() {
        let snapshot = path.advance_to(t, &stop).unwrap();
        for (u, &gamma) in snapshot.position_bias().iter().enumerate() {
            if gamma != 0.0 && !bias.contains(&u) {
                bias.push(u);
            }
        }
    }
    let entries = path.deviation_entries();
    let mut deviation: Vec<_> = (0..entries.len())
        .filter(|&u| entries[u].is_some())
        .collect();
    deviation.sort_by_key(|&u| entries[u].map(|entry| entry.iteration));
    (bias, deviation)
}

fn clicks(votes: &Comparisons, annotator: usize) -> (usize, usize) {
    let left = votes.of(annotator).filter(|vote| vote.choice > 0.0);
    let right = votes.of(annotator).filter(|vote| vote.choice < 0.0);
    (left.count(), right.count())
}
