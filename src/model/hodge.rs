//! The Hodge decomposition of the flow on the comparison graph into three parts
//! that are orthogonal in the inner product Σ ω f g.
//!
//! ```text
//! f = grad θ                 the part that scores explain
//!   + W⁻¹Cᵀφ                 local cycles: a over b over c over a
//!   + h                      global cycles: longer cycles, with no triangle in them
//! ```
//!
//! C takes a flow to its curl f_ab + f_bc + f_ca on every triangle of compared
//! pairs. With r = f − grad θ, B = W^-½Cᵀ and g = W^½r, the residual of the least
//! squares problem min ‖g − Bφ‖ is W^½h. It is solved by conjugate gradients on
//! BᵀBφ = Bᵀg (CGLS). φ, which has a number for each triangle, is never needed:
//! a direction p = Bᵀv enters the residual on pairs as Bp = Mv with M = BBᵀ, so all
//! vectors are over pairs, and triangles are enumerated again for each product with M.

use super::distributions::normal_tail;
use super::flow::Flow;
use super::pair_variance::PairVariance;
use super::triangle_span::triangles_span_cycles;
use super::triangle_test::{ZHistogram, z_score};
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::conjugate_gradient::{Limits, LinearSystem, conjugate_gradient};
use crate::linalg::vector::dot;

/// With more triangles than this they are not enumerated.
pub const MAX_TRIANGLES: u64 = 100_000_000;

/// The curl of the residual, or the residual itself, has to fall to this part of
/// what it was at first.
const LIMITS: Limits = Limits {
    tolerance: 1e-12,
    max_iterations: 10_000,
};

/// The cyclic parts of a flow, pair by pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycles {
    /// The part that triangles explain.
    pub local: Vec<f64>,
    /// The rest: longer cycles.
    pub global: Vec<f64>,
}

/// Three items, each over the next and the last over the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// a, b and c.
    pub items: [u32; 3],
    /// The flow of a over b, b over c and c over a.
    pub flow: [f64; 3],
    /// The votes on the three pairs.
    pub votes: f64,
    /// Σ ω f² that this triangle alone would explain.
    pub explained: f64,
    /// How far the flows are from those of any ranking, in standard errors; 0 if they
    /// fit one.
    pub z: f64,
    /// The q-value among all triangles of the graph.
    pub q_value: f64,
}

impl Triangle {
    /// The sum of the flow around the triangle.
    pub fn curl(&self) -> f64 {
        self.flow.iter().sum()
    }

    /// Whether each item is preferred to the next. Otherwise the curl comes only
    /// from the sizes of three flows that have no cyclic order.
    pub fn is_cycle(&self) -> bool {
        self.flow.iter().all(|&flow| flow > 0.0)
    }

    /// How often chance would go round as far if the votes followed a ranking.
    pub fn p_value(&self) -> f64 {
        normal_tail(self.z)
    }

    /// Cycles go first, then triangles that chance explains less, then those that
    /// explain more.
    fn is_worse_than(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.is_cycle(), one.z, one.explained);
        key(self) > key(other)
    }
}

/// The triangles of the graph of compared pairs.
pub struct Triangles<'a>(pub &'a Flow);

/// A triangle's items a < b < c and its pairs ab, bc, ac.
type Corner = ([usize; 3], [usize; 3]);

impl Triangles<'_> {
    /// Calls `visit` with every triangle, in the order of its items.
    fn for_each(&self, stop: &Stop, mut visit: impl FnMut(Corner)) -> Result<()> {
        const NONE: u32 = u32::MAX;
        let mut pair_with_a = vec![NONE; self.0.items()];
        for a in 0..self.0.items() {
            stop.check()?;
            let own = self.0.pairs_of(a);
            for pair in own.clone() {
                pair_with_a[self.0.b[pair] as usize] = pair as u32;
            }
            for ab in own.clone() {
                let b = self.0.b[ab] as usize;
                for bc in self.0.pairs_of(b) {
                    let c = self.0.b[bc] as usize;
                    if pair_with_a[c] != NONE {
                        visit(([a, b, c], [ab, bc, pair_with_a[c] as usize]));
                    }
                }
            }
            for pair in own {
                pair_with_a[self.0.b[pair] as usize] = NONE;
            }
        }
        Ok(())
    }

    /// An upper bound on the number of triangles, and of the work to enumerate them.
    fn max_count(&self) -> u64 {
        let pairs_of = |b: u32| self.0.pairs_of(b as usize).len() as u64;
        self.0.b.iter().map(|&b| pairs_of(b)).sum()
    }

    /// Whether they are few enough to be enumerated.
    pub fn can_be_walked(&self) -> bool {
        self.max_count() <= MAX_TRIANGLES
    }

    /// Splits the residual of the scores, f − grad θ. None if there are too many
    /// triangles.
    pub fn split(&self, residual: &[f64], stop: &Stop) -> Result<Option<Cycles>> {
        // With 1,000 items of which two thirds of the pairs were compared the iteration
        // took 15 s.
        let max_steps = self.max_count().clamp(1 << 16, MAX_TRIANGLES);
        if triangles_span_cycles(self.0, max_steps, stop)? {
            return Ok(Some(Cycles {
                local: residual.to_vec(),
                global: vec![0.0; residual.len()],
            }));
        }
        if !self.can_be_walked() {
            return Ok(None);
        }
        let root: Vec<f64> = self.0.weight.iter().map(|weight| weight.sqrt()).collect();
        let scaled: Vec<f64> = residual.iter().zip(&root).map(|(r, w)| r * w).collect();
        let unexplained = self.least_squares(scaled, &root, stop)?;
        let global: Vec<f64> = unexplained.iter().zip(&root).map(|(h, w)| h / w).collect();
        let local = residual.iter().zip(&global).map(|(r, h)| r - h).collect();
        Ok(Some(Cycles { local, global }))
    }

    /// The residual g − Bφ of the φ for which it is smallest.
    fn least_squares(&self, g: Vec<f64>, root: &[f64], stop: &Stop) -> Result<Vec<f64>> {
        let mut image = vec![0.0; g.len()];
        let curl = self.product(&g, root, &mut image, stop)?;
        let mut system = TriangleSystem {
            triangles: self,
            root,
            stop,
            negligible: LIMITS.tolerance * LIMITS.tolerance * dot(&g, &g),
            direction_image: vec![0.0; g.len()],
            image,
            residual: g,
        };
        conjugate_gradient(&mut system, [curl], [curl], LIMITS, stop)?;
        Ok(system.residual)
    }

    /// out = M x with M = BBᵀ. Returns ‖Bᵀx‖², which is more accurate than xᵀMx
    /// where it is small.
    fn product(&self, x: &[f64], root: &[f64], out: &mut [f64], stop: &Stop) -> Result<f64> {
        let scaled: Vec<f64> = x.iter().zip(root).map(|(x, w)| x / w).collect();
        out.fill(0.0);
        let mut squares = 0.0;
        self.for_each(stop, |(_, [ab, bc, ac])| {
            let curl = scaled[ab] + scaled[bc] - scaled[ac];
            squares += curl * curl;
            out[ab] += curl;
            out[bc] += curl;
            out[ac] -= curl;
        })?;
        for (slot, root) in out.iter_mut().zip(root) {
            *slot /= root;
        }
        Ok(squares)
    }

    /// The first `limit` triangles with a curl: cycles, then the others, each by how
    /// little chance explains them. None if there are too many triangles.
    pub fn worst(
        &self,
        pairs: &PairVariance,
        limit: usize,
        stop: &Stop,
    ) -> Result<Option<Vec<Triangle>>> {
        if !self.can_be_walked() {
            return Ok(None);
        }
        // Of a single annotator the variance does not matter: z is 0.
        let variance: Vec<f64> = pairs.unbiased().map(Option::unwrap_or_default).collect();
        let spread: Vec<f64> = pairs.annotators.iter().map(|count| 1.0 / count).collect();
        let mut kept: Vec<Triangle> = Vec::new();
        let mut threshold: Option<Triangle> = None;
        let mut histogram = ZHistogram::new();
        self.for_each(stop, |corner| {
            let triangle = self.triangle(corner, &variance, &spread);
            histogram.add(triangle.z);
            if triangle.explained > 0.0
                && threshold.is_none_or(|threshold| triangle.is_worse_than(&threshold))
            {
                kept.push(triangle);
                if kept.len() == 2 * limit {
                    worst_first(&mut kept);
                    kept.truncate(limit);
                    threshold = kept.last().copied();
                }
            }
        })?;
        worst_first(&mut kept);
        kept.truncate(limit);
        let q_values = histogram.q_values();
        for triangle in &mut kept {
            triangle.q_value = q_values.of(triangle.z);
        }
        Ok(Some(kept))
    }

    /// Oriented so that its curl is positive, with its smallest item first.
    fn triangle(
        &self,
        ([a, b, c], [ab, bc, ac]): Corner,
        variance: &[f64],
        spread: &[f64],
    ) -> Triangle {
        let Flow { weight, value, .. } = self.0;
        let curl = value[ab] + value[bc] - value[ac];
        let [a, b, c] = [a, b, c].map(|item| item as u32);
        let (items, flow, pairs) = if curl >= 0.0 {
            ([a, b, c], [value[ab], value[bc], -value[ac]], [ab, bc, ac])
        } else {
            ([a, c, b], [value[ac], -value[bc], -value[ab]], [ac, bc, ab])
        };
        Triangle {
            items,
            flow,
            votes: weight[ab] + weight[bc] + weight[ac],
            explained: curl * curl / (1.0 / weight[ab] + 1.0 / weight[bc] + 1.0 / weight[ac]),
            z: z_score(
                flow,
                pairs.map(|pair| variance[pair]),
                pairs.map(|pair| spread[pair]),
            ),
            q_value: 1.0,
        }
    }
}

fn worst_first(triangles: &mut [Triangle]) {
    triangles.sort_by(|x, y| {
        let by_kind = y.is_cycle().cmp(&x.is_cycle());
        let by_test = y.z.total_cmp(&x.z);
        let by_size = y.explained.total_cmp(&x.explained);
        let by_items = x.items.cmp(&y.items);
        by_kind.then(by_test).then(by_size).then(by_items)
    });
}

/// CGLS, with vectors over pairs.
struct TriangleSystem<'a> {
    triangles: &'a Triangles<'a>,
    root: &'a [f64],
    stop: &'a Stop,
    /// A residual with a square up to this is rounding.
    negligible: f64,
    /// g − Bφ.
    residual: Vec<f64>,
    /// M times the residual.
    image: Vec<f64>,
    /// B times the direction p.
    direction_image: Vec<f64>,
}

impl LinearSystem<1> for TriangleSystem<'_> {
    fn update_direction(&mut self, &[ratio]: &[f64; 1]) {
        for (slot, value) in self.direction_image.iter_mut().zip(&self.image) {
            *slot = value + ratio * *slot;
        }
    }

    fn curvature(&mut self) -> [f64; 1] {
        [dot(&self.direction_image, &self.direction_image)]
    }

    /// The energy is ‖Bᵀ(g − Bφ)‖², the curl of the residual.
    fn advance(&mut self, &[step]: &[f64; 1]) -> Result<[f64; 1]> {
        let Self {
            residual, image, ..
        } = self;
        for (slot, change) in residual.iter_mut().zip(&self.direction_image) {
            *slot -= step * change;
        }
        if dot(residual, residual) <= self.negligible {
            residual.fill(0.0);
            return Ok([0.0]);
        }
        let curl = self
            .triangles
            .product(residual, self.root, image, self.stop)?;
        Ok([curl])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn flow(items: u32, pairs: &[(u32, u32, f64, f64)]) -> Flow {
        let starts = (0..=items).map(|item| pairs.partition_point(|pair| pair.0 < item));
        Flow {
            starts: starts.collect(),
            a: pairs.iter().map(|pair| pair.0).collect(),
            b: pairs.iter().map(|pair| pair.1).collect(),
            weight: pairs.iter().map(|pair| pair.2).collect(),
            value: pairs.iter().map(|pair| pair.3).collect(),
            ..Flow::default()
        }
    }

    fn complete(items: u32) -> Flow {
        let pairs = (0..items).flat_map(|a| (a + 1..items).map(move |b| (a, b)));
        let value = |a: u32, b: u32| f64::from((7 * a + 3 * b * b) % 11) / 5.0 - 1.0;
        let weight = |a: u32, b: u32| 1.0 + f64::from((a + 5 * b) % 7);
        let pairs: Vec<_> = pairs
            .map(|(a, b)| (a, b, weight(a, b), value(a, b)))
            .collect();
        flow(items, &pairs)
    }

    /// Each vote of another annotator.
    fn single_votes(flow: &Flow) -> PairVariance {
        let pairs = flow.value.iter().zip(&flow.weight);
        PairVariance {
            variance: pairs.map(|(f, w)| f64::max(1.0 - f * f, 0.0) / w).collect(),
            annotators: flow.weight.clone(),
        }
    }

    fn split(flow: &Flow) -> Cycles {
        let residual = residual(flow);
        let triangles = Triangles(flow);
        triangles
            .split(&residual, &Stop::default())
            .unwrap()
            .unwrap()
    }

    /// The flow less what the best scores explain, by dense least squares.
    fn residual(flow: &Flow) -> Vec<f64> {
        let items = flow.items();
        let mut laplacian = DMatrix::from_element(items, items, 1.0);
        for k in 0..flow.len() {
            let (a, b, weight) = (flow.a[k] as usize, flow.b[k] as usize, flow.weight[k]);
            laplacian[(a, a)] += weight;
            laplacian[(b, b)] += weight;
            laplacian[(a, b)] -= weight;
            laplacian[(b, a)] -= weight;
        }
        let rhs = DVector::from_vec(flow.divergence(&flow.value));
        let theta = laplacian.cholesky().unwrap().solve(&rhs);
        let explained = flow.gradient(theta.as_slice());
        let pairs = flow.value.iter().zip(explained);
        pairs.map(|(f, g)| f - g).collect()
    }

    #[test]
    fn a_ring_without_triangles_is_one_global_cycle() {
        let ring = flow(
            5,
            &[
                (0, 1, 1.0, 1.0),
                (0, 4, 1.0, -1.0),
                (1, 2, 1.0, 1.0),
                (2, 3, 1.0, 1.0),
                (3, 4, 1.0, 1.0),
            ],
        );
        let cycles = split(&ring);
        assert!(cycles.local.iter().all(|value| value.abs() < 1e-12));
        let expected = [1.0, -1.0, 1.0, 1.0, 1.0];
        assert!(
            cycles
                .global
                .iter()
                .zip(expected)
                .all(|(h, e)| (h - e).abs() < 1e-12)
        );
        assert_eq!(
            Triangles(&ring)
                .worst(&single_votes(&ring), 10, &Stop::default())
                .unwrap()
                .unwrap(),
            []
        );
    }

    #[test]
    fn where_all_were_compared_every_cycle_is_local() {
        let flow = complete(7);
        let cycles = split(&flow);
        assert!(cycles.global.iter().all(|&value| value == 0.0));
        // The shortcut gives what the iteration finds.
        let triangles = Triangles(&flow);
        let root: Vec<f64> = flow.weight.iter().map(|weight| weight.sqrt()).collect();
        let scaled: Vec<f64> = cycles.local.iter().zip(&root).map(|(r, w)| r * w).collect();
        let left = triangles
            .least_squares(scaled, &root, &Stop::default())
            .unwrap();
        assert!(left.iter().all(|value| value.abs() < 1e-9));
    }

    #[test]
    fn the_parts_are_orthogonal_and_add_up() {
        // Two complete halves, joined by three bridges: cycles of both kinds.
        let mut pairs = Vec::new();
        let half = complete(6);
        for k in 0..half.len() {
            let (a, b, w, f) = (half.a[k], half.b[k], half.weight[k], half.value[k]);
            pairs.push((a, b, w, f));
            pairs.push((a + 6, b + 6, w + 1.0, -f));
        }
        pairs.extend([(0, 6, 2.0, 0.5), (2, 8, 1.0, -0.7), (5, 11, 3.0, 0.9)]);
        pairs.sort_by_key(|pair| (pair.0, pair.1));
        let flow = flow(12, &pairs);
        let residual = residual(&flow);
        let Cycles { local, global } = split(&flow);
        let consensus: Vec<f64> = flow
            .value
            .iter()
            .zip(&residual)
            .map(|(f, r)| f - r)
            .collect();
        for (x, y) in [
            (&local, &global),
            (&local, &consensus),
            (&global, &consensus),
        ] {
            assert!(flow.inner(x, y).abs() < 1e-9);
        }
        for k in 0..flow.len() {
            assert!((consensus[k] + local[k] + global[k] - flow.value[k]).abs() < 1e-12);
        }
        assert!(flow.inner(&local, &local) > 0.1 && flow.inner(&global, &global) > 0.01);
        // No triangle goes round in the global part.
        let triangles = Triangles(&flow);
        let check = |(_, [ab, bc, ac]): Corner| {
            assert!((global[ab] + global[bc] - global[ac]).abs() < 1e-9);
        };
        triangles.for_each(&Stop::default(), check).unwrap();
    }

    #[test]
    fn the_worst_triangles_come_first_and_go_round_forwards() {
        let flow = complete(12);
        let triangles = Triangles(&flow);
        let worst = |limit| {
            let worst = triangles.worst(&single_votes(&flow), limit, &Stop::default());
            worst.unwrap().unwrap()
        };
        let all = worst(1000);
        assert_eq!(
            all.len(),
            12 * 11 * 10 / 6 - all.iter().filter(|t| t.curl() == 0.0).count()
        );
        assert!(all.iter().all(|triangle| triangle.curl() > 0.0));
        assert!(all.is_sorted_by(|x, y| !y.is_worse_than(x)));
        assert!(all[0].is_cycle() && !all[all.len() - 1].is_cycle());
        assert_eq!(worst(10), all[..10]);
    }
}
