//! Ranks from scores.

/// Scores closer than this part of the largest are equal: what is left is rounding.
const EQUAL: f64 = 1e-10;

/// Items by rank. `rank` goes by item: 1 for the highest score of a component;
/// equal scores share a rank, as in a competition. `order` lists components
/// one after the other, best item first, equals by id.
pub(crate) struct Ranks {
    pub rank: Vec<i64>,
    pub order: Vec<u32>,
}

impl Ranks {
    pub fn new(scores: &[f64], component: &[u32]) -> Self {
        let largest = scores
            .iter()
            .fold(0.0f64, |most, score| most.max(score.abs()));
        let tolerance = EQUAL * largest;
        let mut order: Vec<u32> = (0..scores.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (a as usize, b as usize);
            let by_score = || scores[b].total_cmp(&scores[a]);
            component[a].cmp(&component[b]).then_with(by_score)
        });
        let mut rank = vec![0; scores.len()];
        let same_component = |a: &u32, b: &u32| component[*a as usize] == component[*b as usize];
        let mut start = 0;
        let lengths: Vec<usize> = order.chunk_by(same_component).map(<[u32]>::len).collect();
        for length in lengths {
            share_ranks(
                &mut order[start..start + length],
                scores,
                tolerance,
                &mut rank,
            );
            start += length;
        }
        Self { rank, order }
    }
}

/// Ranks one component, whose items come best first.
fn share_ranks(order: &mut [u32], scores: &[f64], tolerance: f64, rank: &mut [i64]) {
    let mut first = 0;
    while first < order.len() {
        let best = scores[order[first] as usize];
        let equal = |item: &&u32| best - scores[**item as usize] <= tolerance;
        let group = order[first..].iter().take_while(equal).count();
        // Equals by id: canonical numbers ascend with ids.
        order[first..first + group].sort_unstable();
        for &item in &order[first..first + group] {
            rank[item as usize] = first as i64 + 1;
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
}
