//! Sparse vectors over the items, one for each annotator: dᵀA and dᵀG.

use crate::error::Result;
use crate::execution::Stop;
use crate::model::problem::Problem;
use crate::random::Random;
use crate::votes::Comparisons;

/// One sparse vector over the items for each annotator. An item may occur several
/// times; its values add up.
pub(super) struct AnnotatorVectors {
    items: usize,
    starts: Vec<usize>,
    item: Vec<u32>,
    value: Vec<f64>,
}

impl AnnotatorVectors {
    fn new(items: usize) -> Self {
        Self {
            items,
            starts: vec![0],
            item: Vec::new(),
            value: Vec::new(),
        }
    }

    /// dᵀA: the vector of annotator u is a_u.
    pub fn imbalance(problem: &Problem) -> Self {
        let statistics = &problem.statistics;
        let mut vectors = Self::new(statistics.items);
        for u in 0..statistics.annotators() {
            let annotator = statistics.annotator(u);
            vectors.item.extend(annotator.items);
            vectors.value.extend(annotator.imbalance());
            vectors.end_annotator();
        }
        vectors
    }

    fn end_annotator(&mut self) {
        self.starts.push(self.item.len());
    }

    fn entries(&self, u: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[u]..self.starts[u + 1];
        let items = self.item[range.clone()].iter().map(|&item| item as usize);
        items.zip(self.value[range].iter().copied())
    }

    /// The product of the vector of annotator u with a dense one.
    pub fn dot(&self, u: usize, dense: &[f64]) -> f64 {
        let entries = self.entries(u);
        entries.map(|(item, value)| value * dense[item]).sum()
    }

    /// L⁺ times each vector, where L = dᵀd.
    pub fn solve(&self, problem: &Problem, stop: &Stop) -> Result<Vec<Vec<f64>>> {
        let solutions = (0..self.starts.len() - 1).map(|u| {
            let mut rhs = vec![0.0; self.items];
            for (item, value) in self.entries(u) {
                rhs[item] += value;
            }
            let mut solution = vec![0.0; self.items];
            // A new scratch for each: a used one starts from the solution before.
            let mut scratch = problem.consensus.scratch();
            problem
                .consensus
                .solve(&rhs, &mut solution, &mut scratch, stop)?;
            Ok(solution)
        });
        solutions.collect()
    }
}

/// G: a random sign for each vote, in the column of its annotator.
pub(super) struct RandomSigns {
    /// dᵀG.
    pub vectors: AnnotatorVectors,
    /// The diagonal of AᵀG.
    pub sum: Vec<f64>,
    /// Gᵀy.
    pub choices: Vec<f64>,
}

impl RandomSigns {
    pub fn new(votes: &Comparisons) -> Self {
        let mut random = Random(0);
        let mut vectors = AnnotatorVectors::new(votes.items());
        let (mut sums, mut all_choices) = (Vec::new(), Vec::new());
        for u in 0..votes.annotators() {
            let (mut sum, mut choices) = (0.0, 0.0);
            for vote in votes.of(u) {
                let weight = random.sign() * vote.weight;
                sum += weight;
                choices += weight * vote.choice;
                vectors.item.extend([vote.left as u32, vote.right as u32]);
                vectors.value.extend([weight, -weight]);
            }
            vectors.end_annotator();
            sums.push(sum);
            all_choices.push(choices);
        }
        Self {
            vectors,
            sum: sums,
            choices: all_choices,
        }
    }
}
