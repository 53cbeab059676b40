//! An order in which similar rankings stand beside each other.

use super::ranks::Ranks;

/// The passes over the tour that look for a part to reverse.
const MAX_ROUNDS: usize = 50;

/// Indices into `others` such that neighbours are similar, the first of them to `first`:
/// the nearest neighbour next, then 2-opt: parts are reversed as long as that makes the
/// tour shorter. The distance of two rankings is the sum of the differences of
/// ranks, an integer: the order is the same everywhere.
pub(crate) fn by_similarity(first: &Ranks, others: &[&Ranks]) -> Vec<usize> {
    // The first ranking is number 0, the others follow.
    let rankings: Vec<&Ranks> = std::iter::once(first)
        .chain(others.iter().copied())
        .collect();
    let distances: Vec<Vec<u64>> = rankings
        .iter()
        .map(|a| rankings.iter().map(|b| distance(a, b)).collect())
        .collect();
    let mut tour = vec![0];
    let mut left: Vec<usize> = (1..rankings.len()).collect();
    while let Some(&last) = tour.last()
        && let Some(next) = (0..left.len()).min_by_key(|&k| distances[last][left[k]])
    {
        tour.push(left.remove(next));
    }
    let mut rounds = 0;
    while rounds < MAX_ROUNDS && two_opt(&mut tour, &distances) {
        rounds += 1;
    }
    tour[1..].iter().map(|ranking| ranking - 1).collect()
}

/// Reverses parts of the tour where that makes it shorter; whether any was.
fn two_opt(tour: &mut [usize], distances: &[Vec<u64>]) -> bool {
    let mut is_shorter = false;
    for from in 1..tour.len() {
        for to in from + 1..tour.len() {
            let (before, a, b) = (tour[from - 1], tour[from], tour[to]);
            let after = tour.get(to + 1);
            let to_after = |end: usize| after.map_or(0, |&after| distances[end][after]);
            let old = distances[before][a] + to_after(b);
            let new = distances[before][b] + to_after(a);
            if new < old {
                tour[from..=to].reverse();
                is_shorter = true;
            }
        }
    }
    is_shorter
}

/// Spearman's footrule.
fn distance(a: &Ranks, b: &Ranks) -> u64 {
    let ranks = a.rank.iter().zip(&b.rank);
    ranks.map(|(a, b)| a.abs_diff(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_similar() {
        let ranks = |scores: [f64; 4]| Ranks::new(&scores, &[1; 4]);
        let consensus = ranks([4.0, 3.0, 2.0, 1.0]);
        let [against, near, halfway, nearer] = [
            [1.0, 2.0, 3.0, 4.0],
            [3.0, 4.0, 1.0, 2.0],
            [1.0, 4.0, 2.0, 3.0],
            [4.0, 3.0, 1.0, 2.0],
        ]
        .map(ranks);
        let order = by_similarity(&consensus, &[&against, &near, &halfway, &nearer]);
        assert_eq!(order, [3, 1, 2, 0]);
        assert_eq!(by_similarity(&consensus, &[]), [0; 0]);
    }

    #[test]
    fn detours_are_taken_out() {
        // On a line: 0, then 2 and −1, −3 beyond. The nearest next is not the best.
        let at = |x: u64| Ranks {
            rank: vec![x],
            order: vec![0],
        };
        let positions = [110, 88, 120, 70].map(at);
        let order = by_similarity(&at(100), &positions.iter().collect::<Vec<_>>());
        assert_eq!(order, [0, 2, 1, 3]);
    }
}
