//! Ranks from scores.

/// Scores that differ by less than this fraction of the largest score are equal:
/// such a difference is rounding.
const RELATIVE_TOLERANCE: f64 = 1e-10;

/// Items by rank. `rank` is by item: 1 for the highest score of a component;
/// equal scores share a rank, as in a competition. `order` lists the items
/// component after component, best item first, equal ones by id.
pub(crate) struct Ranks {
    pub rank: Vec<u64>,
    pub order: Vec<u32>,
}

impl Ranks {
    /// Ranks the items of each component, given scores and components by item.
    pub fn new(scores: &[f64], component: &[u32]) -> Self {
        let largest = scores
            .iter()
            .fold(0.0f64, |largest, score| largest.max(score.abs()));
        let tolerance = RELATIVE_TOLERANCE * largest;
        let mut order: Vec<u32> = (0..scores.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (a as usize, b as usize);
            let by_score = || scores[b].total_cmp(&scores[a]);
            component[a].cmp(&component[b]).then_with(by_score)
        });
        let mut rank = vec![0; scores.len()];
        let same_component = |a: &u32, b: &u32| component[*a as usize] == component[*b as usize];
        for items in order.chunk_by_mut(same_component) {
            share_ranks(items, scores, tolerance, &mut rank);
        }
        Self { rank, order }
    }
}

/// Ranks one component, whose items are sorted by score, the highest first.
fn share_ranks(order: &mut [u32], scores: &[f64], tolerance: f64, rank: &mut [u64]) {
    let mut first = 0;
    while first < order.len() {
        let best = scores[order[first] as usize];
        let equal = |item: &&u32| best - scores[**item as usize] <= tolerance;
        // At least the item itself, even if its score is not a number.
        let group = order[first..].iter().take_while(equal).count().max(1);
        // Equal items by id: the numbers of items ascend with their ids.
        order[first..first + group].sort_unstable();
        for &item in &order[first..first + group] {
            rank[item as usize] = first as u64 + 1;
        }
        first += group;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_share_a_rank_and_components_do_not_mix() {
        let scores = [1.0, -1.0, 2.0, 2.0 + 1e-15, 0.5, -0.5];
        let component = [1, 1, 1, 1, 2, 2];
        let ranks = Ranks::new(&scores, &component);
        assert_eq!(ranks.rank, [3, 4, 1, 1, 1, 2]);
        assert_eq!(ranks.order, [2, 3, 0, 1, 4, 5]);
    }

    #[test]
    fn scores_that_are_not_numbers_have_ranks_of_their_own() {
        let ranks = Ranks::new(&[f64::NAN, 1.0, f64::NAN, f64::INFINITY], &[1; 4]);
        let mut sorted = ranks.rank.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [1, 2, 3, 4]);
    }
}
