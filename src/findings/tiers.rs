//! Tiers: items that the intervals do not tell from the best of them.

use super::ranks::Ranks;

/// The tier of each item, from 1 in each component.
///
/// Walking down the ranking, the first item of a tier sets the anchor, the lower end of its
/// interval. An item stays in the tier while the upper end of its own reaches the anchor;
/// the first that does not begins the next tier. The anchor does not move within a tier: a
/// chain of items of which each overlaps with the next is not one tier.
pub(super) fn tiers(ranks: &Ranks, intervals: &[(f64, f64)], component: &[u32]) -> Vec<u64> {
    let mut tiers = vec![0; component.len()];
    let same_component = |a: &u32, b: &u32| component[*a as usize] == component[*b as usize];
    for items in ranks.order.chunk_by(same_component) {
        let (mut tier, mut anchor) = (0, f64::INFINITY);
        for item in items.iter().map(|&item| item as usize) {
            let (low, high) = intervals[item];
            if tier == 0 || high < anchor {
                tier += 1;
                anchor = low;
            }
            tiers[item] = tier;
        }
    }
    tiers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiers_of(intervals: &[(f64, f64)], component: &[u32]) -> Vec<u64> {
        let scores: Vec<f64> = intervals.iter().map(|(low, high)| low + high).collect();
        tiers(&Ranks::new(&scores, component), intervals, component)
    }

    #[test]
    fn a_chain_of_overlaps_is_not_one_tier() {
        // Each overlaps with its neighbours only.
        let chain: Vec<(f64, f64)> = (0..7)
            .map(|k| (-f64::from(k), 1.2 - f64::from(k)))
            .collect();
        assert_eq!(tiers_of(&chain, &[1; 7]), [1, 1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn whoever_reaches_the_anchor_stays() {
        let intervals = [(2.0, 4.0), (1.0, 2.0), (-1.0, 4.5), (0.0, 1.9)];
        assert_eq!(tiers_of(&intervals, &[1; 4]), [1, 1, 1, 2]);
    }

    #[test]
    fn each_component_begins_with_the_first() {
        let intervals = [(2.0, 3.0), (0.0, 1.0), (5.0, 6.0), (-2.0, -1.0)];
        assert_eq!(tiers_of(&intervals, &[1, 2, 2, 1]), [1, 2, 1, 2]);
    }
}
