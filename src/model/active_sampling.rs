//! Active sampling: which pairs to ask next, so that the votes tell most about the scores
//! (Xu et al., *HodgeRank with Information Maximization*, AAAI 2018).
//!
//! 1. Items that were never compared with the rest come first: each group of them is joined
//!    to the largest one. One vote does that; nothing tells more.
//! 2. Then the pair with the largest [gain](VoteModel::gain), and so on. A vote on (a, b)
//!    adds h(e_a − e_b)(e_a − e_b)ᵀ to the Hessian, whatever is chosen, so that after each
//!    pair L⁺ has a rank-one update
//!
//!    ```text
//!    z = L⁺(e_a − e_b),   L⁺ ← L⁺ − z zᵀ h/(1 + h R_ab)
//!    ```
//!
//!    and the next pair is one that is worth asking besides those before it. Where each item
//!    has many votes already, one more hardly changes L⁺, and the same pair would come again
//!    and again although others tell nearly as much. So the gain of a pair that was asked k
//!    times counts 1/(1 + k) of what it is.
//!
//! Gains fall as pairs are asked. So they are kept in a heap, and only those on its top are
//! computed anew: the greedy choice, without looking at every pair each time.
//!
//! Of up to 800 items all pairs are candidates. Of more, those among the items whose scores
//! are least certain, [`MIN_POOL`] and more: L⁺ is found between these only, by a system of
//! equations for each.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::flow::Flow;
use super::inference::ResistanceSolver;
use super::vote_model::VoteModel;
use crate::error::Result;
use crate::execution::Stop;

/// A group that was never compared with the rest has a prior for its mean score: so many
/// votes' worth for each of its items. Any small number does.
const PRIOR_VOTES: f64 = 1e-6;

/// Of more items than [`MAX_POOL`], pairs are chosen among so many, and two more for each
/// pair that is asked for.
const MIN_POOL: usize = 128;

/// The most items among which pairs are chosen.
const MAX_POOL: usize = 800;

/// What is known, as numbers: items are 0, 1, …, those with votes first.
#[derive(Clone, Copy)]
pub struct ActiveSampling<'a> {
    /// The votes by pair, with weights whose Laplacian is the Hessian.
    pub hessian: &'a Flow,
    /// The items of each component, the largest component first.
    pub components: &'a [Vec<u32>],
    /// By item with votes.
    pub scores: &'a [f64],
    /// How votes follow from scores.
    pub model: VoteModel,
    /// The weight of a vote.
    pub vote_weight: f64,
    /// How many items there are in addition that have no votes.
    pub new_items: usize,
}

/// A pair to ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskedPair {
    /// One item.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// The expected information gain; None if nothing connects the two so far.
    pub gain: Option<f64>,
}

impl ActiveSampling<'_> {
    /// So many pairs, the most informative first, and of these candidates (a < b, in order)
    /// if they are given. Fewer if there are no more candidates.
    pub fn choose(
        &self,
        candidates: Option<&[[u32; 2]]>,
        count: usize,
        stop: &Stop,
    ) -> Result<Vec<AskedPair>> {
        let mut groups = Groups::new(self.components, self.new_items);
        let joins = match candidates {
            None => self.join_components(count, &mut groups),
            Some(candidates) => self.join_candidates(candidates, count, &mut groups, stop)?,
        };
        let mut asked: Vec<AskedPair> = joins
            .iter()
            .map(|&[a, b]| AskedPair { a, b, gain: None })
            .collect();
        if asked.len() < count {
            let solver = ResistanceSolver::new(self.hessian, self.components, stop)?;
            let mut pool = self.pool(&solver, candidates, &joins, count, stop)?;
            for &[a, b] in &joins {
                let [a, b] = [a, b].map(|item| pool.position(item));
                pool.ask(a, b);
            }
            let pairs = match candidates {
                None => pool.all_pairs(),
                Some(candidates) => pool.pairs_among(candidates),
            };
            let wanted = count - asked.len();
            asked.extend(pool.choose(pairs, wanted, stop)?);
        }
        Ok(asked)
    }

    fn score(&self, item: usize) -> f64 {
        self.scores.get(item).copied().unwrap_or(0.0)
    }

    fn items(&self) -> usize {
        self.scores.len() + self.new_items
    }

    /// Joins each component to the largest one, small ones first, through items in the
    /// middle: those say most of an item that may be anywhere.
    fn join_components(&self, count: usize, groups: &mut Groups) -> Vec<[usize; 2]> {
        let new: Vec<Vec<u32>> = (self.scores.len()..self.items())
            .map(|item| vec![item as u32])
            .collect();
        let Some((largest, others)) = self.components.split_first() else {
            return Vec::new();
        };
        let mut others: Vec<&Vec<u32>> = others.iter().chain(&new).collect();
        others.sort_by_key(|items| (items.len(), Reverse(items.first().copied())));
        let mut times = vec![0u32; self.items()];
        let mut joins = Vec::new();
        for component in others
            .into_iter()
            .filter(|items| !items.is_empty())
            .take(count)
        {
            let [a, b] = [component, largest].map(|items| {
                let items = items.iter().map(|&item| item as usize);
                let key = |item: usize| (times[item], self.score(item).abs());
                let less = |x: &usize, y: &usize| {
                    let (x, y) = (key(*x), key(*y));
                    x.0.cmp(&y.0).then(x.1.total_cmp(&y.1))
                };
                items.min_by(less).expect("not empty")
            });
            times[a] += 1;
            times[b] += 1;
            groups.join(a, b);
            joins.push([a, b]);
        }
        joins
    }

    /// The same where only some pairs can be asked: those that join two groups, at best one
    /// with the largest.
    fn join_candidates(
        &self,
        candidates: &[[u32; 2]],
        count: usize,
        groups: &mut Groups,
        stop: &Stop,
    ) -> Result<Vec<[usize; 2]>> {
        let mut times = vec![0u32; self.items()];
        let mut joins = Vec::new();
        while joins.len() < count {
            stop.check()?;
            let main = groups.largest();
            let mut best: Option<((bool, u32), f64, [usize; 2])> = None;
            for pair in candidates {
                let [a, b] = pair.map(|item| item as usize);
                let roots = [groups.root(a), groups.root(b)];
                if roots[0] == roots[1] {
                    continue;
                }
                let key = (!roots.contains(&main), times[a] + times[b]);
                let distance = self.score(a).abs() + self.score(b).abs();
                let is_better = |(other, other_distance, _): &((bool, u32), f64, _)| {
                    key.cmp(other).then(distance.total_cmp(other_distance)) == Ordering::Less
                };
                if best.as_ref().is_none_or(is_better) {
                    best = Some((key, distance, [a, b]));
                }
            }
            let Some((_, _, [a, b])) = best else { break };
            times[a] += 1;
            times[b] += 1;
            groups.join(a, b);
            joins.push([a, b]);
        }
        Ok(joins)
    }

    /// The items among which pairs are chosen, with L⁺ between them.
    fn pool(
        &self,
        solver: &ResistanceSolver<'_>,
        candidates: Option<&[[u32; 2]]>,
        joins: &[[usize; 2]],
        count: usize,
        stop: &Stop,
    ) -> Result<ItemPool> {
        let joined = joins.iter().flatten().map(|&item| item as u32);
        let mut items: Vec<u32> = if solver.is_small() && self.items() <= MAX_POOL {
            (0..self.items() as u32).collect()
        } else {
            let uncertainty = solver.diagonal(stop)?;
            let size = (MIN_POOL + 2 * count).min(MAX_POOL);
            match candidates {
                None => least_certain(&uncertainty, size),
                Some(candidates) => self.best_candidates(candidates, &uncertainty, size),
            }
        };
        items.extend(joined);
        items.sort_unstable();
        items.dedup();
        let is_in = |item: &u32| items.binary_search(item).is_ok();
        let groups = self.components.iter();
        let groups: Vec<Vec<u32>> = groups
            .map(|component| component.iter().copied().filter(is_in).collect())
            .collect();
        let inverses = solver.among(&groups, stop)?;
        let mut pool = ItemPool::new(&items, |item| self.score(item as usize), self);
        for ((group, inverse), component) in groups.iter().zip(&inverses).zip(self.components) {
            // Without joins a constant makes no difference, and would cost digits.
            let prior = match joins.is_empty() {
                true => 0.0,
                false => 1.0 / (PRIOR_VOTES * component.len() as f64),
            };
            let positions: Vec<usize> = group
                .iter()
                .map(|&item| pool.position(item as usize))
                .collect();
            for (k, &row) in positions.iter().enumerate() {
                for (m, &column) in positions.iter().enumerate() {
                    let entry = self.vote_weight * inverse.get(k, m) + prior;
                    pool.inverse[row * items.len() + column] = entry;
                }
            }
        }
        for item in (self.scores.len()..self.items()).filter(|&item| is_in(&(item as u32))) {
            let position = pool.position(item);
            pool.inverse[position * items.len() + position] = 1.0 / PRIOR_VOTES;
        }
        Ok(pool)
    }

    /// The items of the candidates that gain most if L⁺ is taken for diagonal.
    fn best_candidates(
        &self,
        candidates: &[[u32; 2]],
        uncertainty: &[f64],
        size: usize,
    ) -> Vec<u32> {
        let of = |item: u32| uncertainty.get(item as usize).copied().unwrap_or(0.0);
        let gain = |pair: &[u32; 2]| {
            let [a, b] = *pair;
            let difference = self.score(a as usize) - self.score(b as usize);
            self.model
                .gain(difference, self.vote_weight * (of(a) + of(b)))
        };
        let mut order: Vec<(f64, &[u32; 2])> =
            candidates.iter().map(|pair| (gain(pair), pair)).collect();
        order.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(y.1)));
        let mut is_taken = vec![false; self.items()];
        let mut items = Vec::new();
        for item in order.into_iter().flat_map(|(_, pair)| *pair) {
            if items.len() >= size {
                break;
            }
            if !std::mem::replace(&mut is_taken[item as usize], true) {
                items.push(item);
            }
        }
        items
    }
}

/// The items with the largest numbers.
fn least_certain(uncertainty: &[f64], size: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..uncertainty.len() as u32).collect();
    let by = |&a: &u32, &b: &u32| {
        let (a, b) = (a as usize, b as usize);
        uncertainty[b].total_cmp(&uncertainty[a]).then(a.cmp(&b))
    };
    order.sort_by(by);
    order.truncate(size);
    order
}

/// Items, with L⁺ between them in the unit of votes.
struct ItemPool {
    items: Vec<u32>,
    scores: Vec<f64>,
    model: VoteModel,
    /// L⁺, row by row.
    inverse: Vec<f64>,
}

impl ItemPool {
    fn new(items: &[u32], score: impl Fn(u32) -> f64, sampling: &ActiveSampling<'_>) -> Self {
        Self {
            items: items.to_vec(),
            scores: items.iter().map(|&item| score(item)).collect(),
            model: sampling.model,
            inverse: vec![0.0; items.len() * items.len()],
        }
    }

    /// The position of an item that is here.
    fn position(&self, item: usize) -> usize {
        self.items.partition_point(|&other| (other as usize) < item)
    }

    fn resistance(&self, a: usize, b: usize) -> f64 {
        let get = |i: usize, j: usize| self.inverse[i * self.items.len() + j];
        f64::max(get(a, a) + get(b, b) - 2.0 * get(a, b), 0.0)
    }

    fn difference(&self, a: usize, b: usize) -> f64 {
        self.scores[a] - self.scores[b]
    }

    fn gain(&self, a: usize, b: usize) -> f64 {
        self.model
            .gain(self.difference(a, b), self.resistance(a, b))
    }

    /// L⁺ after one more vote on two items.
    fn ask(&mut self, a: usize, b: usize) {
        let size = self.items.len();
        let weight = self.model.weight_of_vote(self.difference(a, b));
        let factor = weight / (1.0 + weight * self.resistance(a, b));
        let row = |item: usize| &self.inverse[item * size..][..size];
        let z: Vec<f64> = row(a).iter().zip(row(b)).map(|(x, y)| x - y).collect();
        for (row, z_row) in self.inverse.chunks_exact_mut(size).zip(&z) {
            let z_row = factor * z_row;
            for (slot, z) in row.iter_mut().zip(&z) {
                *slot -= z_row * z;
            }
        }
    }

    /// The greedy choice of so many pairs of positions.
    fn choose(
        &mut self,
        pairs: Vec<[u32; 2]>,
        count: usize,
        stop: &Stop,
    ) -> Result<Vec<AskedPair>> {
        let entry = |pool: &Self, pair: [u32; 2], times: u32| {
            let [a, b] = pair.map(|position| position as usize);
            HeapEntry {
                worth: pool.gain(a, b) / f64::from(1 + times),
                pair: Reverse(pair),
                times,
            }
        };
        let pairs = pairs.into_iter();
        let mut heap: BinaryHeap<HeapEntry> = pairs.map(|pair| entry(self, pair, 0)).collect();
        let mut asked = Vec::new();
        while asked.len() < count
            && let Some(top) = heap.pop()
        {
            stop.check()?;
            let Reverse(pair) = top.pair;
            // It may have fallen since it was put there.
            let present = entry(self, pair, top.times);
            if heap.peek().is_some_and(|next| present < *next) {
                heap.push(present);
                continue;
            }
            let [a, b] = pair.map(|position| position as usize);
            asked.push(AskedPair {
                a: self.items[a] as usize,
                b: self.items[b] as usize,
                gain: Some(self.gain(a, b)),
            });
            self.ask(a, b);
            heap.push(entry(self, pair, top.times + 1));
        }
        Ok(asked)
    }

    fn all_pairs(&self) -> Vec<[u32; 2]> {
        let size = self.items.len() as u32;
        let of = |b: u32| (0..b).map(move |a| [a, b]);
        (0..size).flat_map(of).collect()
    }

    /// The positions of the candidates whose items are here.
    fn pairs_among(&self, candidates: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let position = |item: u32| self.items.binary_search(&item).ok();
        let positions = candidates.iter().filter_map(|&[a, b]| {
            let (a, b) = (position(a)?, position(b)?);
            Some([a as u32, b as u32])
        });
        positions.collect()
    }
}

/// A pair in the heap: the one that is worth most first, equal ones by their items.
#[derive(Clone, Copy, PartialEq)]
struct HeapEntry {
    /// The gain, divided by one more than how often the pair was asked.
    worth: f64,
    pair: Reverse<[u32; 2]>,
    /// How often it was asked.
    times: u32,
}

impl Eq for HeapEntry {}

impl Ord for HeapEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_worth = self.worth.total_cmp(&other.worth);
        by_worth.then(self.pair.cmp(&other.pair))
    }
}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Which items are connected: a forest with a root for each group.
struct Groups {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl Groups {
    fn new(components: &[Vec<u32>], new_items: usize) -> Self {
        let items = components.iter().map(Vec::len).sum::<usize>() + new_items;
        let mut groups = Self {
            parent: (0..items as u32).collect(),
            size: vec![1; items],
        };
        for component in components {
            for pair in component.windows(2) {
                groups.join(pair[0] as usize, pair[1] as usize);
            }
        }
        groups
    }

    fn root(&mut self, item: usize) -> usize {
        let mut item = item;
        while self.parent[item] as usize != item {
            self.parent[item] = self.parent[self.parent[item] as usize];
            item = self.parent[item] as usize;
        }
        item
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            let (large, small) = if self.size[a] >= self.size[b] {
                (a, b)
            } else {
                (b, a)
            };
            self.parent[small] = large as u32;
            self.size[large] += self.size[small];
        }
    }

    /// The root of the largest group.
    fn largest(&self) -> usize {
        let items = 0..self.size.len();
        let key = |&item: &usize| (self.size[item], Reverse(item));
        items.max_by_key(key).unwrap_or(0)
    }
}
