//! Tails of a sum of independent signs, T = Σ_v a_v ε_v with a_v > 0, where ε_v is 1
//! with the odds e^{2h_v} : 1 and otherwise −1. Fair coins have h = 0.
//!
//! Few fair coins are enumerated. Otherwise the tail is that of the saddlepoint
//! approximation in the form of Barndorff-Nielsen: with the cumulants
//!
//! ```text
//! K(λ) = Σ ln cosh(h_v + λ a_v) − ln cosh h_v,     K'(λ) = t
//! P(T ≥ t) ≈ 1 − Φ(r + ln(s/r)/r),   r = ±√(2(λt − K)),   s = λ √K''
//! ```
//!
//! whose relative error stays small far out in the tail, where the normal
//! approximation is off by orders of magnitude.

use super::outcomes::tanh;
use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};
use crate::linalg::special;
use crate::model::distributions::normal_tail;

/// Up to so many fair coins are enumerated.
const MAX_ENUMERATED: usize = 12;

/// P(Σ ±a ≥ t) for fair coins.
pub(super) fn fair_tail(sizes: &[f64], t: f64) -> f64 {
    let sizes = || sizes.iter().copied().filter(|&size| size > 0.0);
    let count = sizes().count();
    if count <= MAX_ENUMERATED {
        let total: f64 = sizes().sum();
        if t <= -total {
            return 1.0;
        }
        return enumerated(&sizes().collect::<Vec<_>>(), t - 1e-12 * total);
    }
    let signs = Signs::fair(sizes());
    if t <= -signs.total {
        return 1.0;
    }
    // Half of the smallest jump of the sum: a correction for continuity.
    let jump = sizes().fold(f64::INFINITY, f64::min);
    if t > signs.total - jump {
        return signs.all_positive();
    }
    tail(&signs, t - jump)
}

/// The share of all signs with a sum of at least t.
fn enumerated(sizes: &[f64], t: f64) -> f64 {
    let mut sums = vec![0.0];
    for size in sizes {
        let flipped: Vec<f64> = sums.iter().map(|sum| sum - size).collect();
        sums.iter_mut().for_each(|sum| *sum += size);
        sums.extend(flipped);
    }
    sums.iter().filter(|&&sum| sum >= t).count() as f64 / sums.len() as f64
}

/// Signs with their sizes a and their fields h, filled up with zeros.
pub(super) struct Signs {
    sizes: Vec<Quad>,
    /// None for fair coins.
    fields: Option<Vec<Quad>>,
    count: usize,
    /// Σ a.
    total: f64,
}

impl Signs {
    /// Signs of these sizes that are fair coins.
    fn fair(sizes: impl Iterator<Item = f64>) -> Self {
        let (sizes, count) = in_quads(sizes);
        Self {
            // From the first to the last, as t is added up: the two are equal where all
            // terms of T have the same sign.
            total: sizes.as_flattened().iter().sum(),
            sizes,
            fields: None,
            count,
        }
    }

    /// Signs given as (a, h).
    pub fn new(signs: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        Self {
            fields: Some(in_quads(signs.clone().map(|(_, field)| field)).0),
            ..Self::fair(signs.map(|(size, _)| size))
        }
    }

    /// a and h + λa of a quad of signs.
    #[inline(always)]
    fn tilted<L: Lanes>(&self, lanes: L, quad: usize, saddle: f64) -> (L::Register, L::Register) {
        let size = lanes.load(&self.sizes[quad]);
        let shift = lanes.multiply(lanes.splat(saddle), size);
        let tilted = match &self.fields {
            None => shift,
            Some(fields) => lanes.add(lanes.load(&fields[quad]), shift),
        };
        (size, tilted)
    }

    /// P(T = Σ a): all signs are positive.
    fn all_positive(&self) -> f64 {
        let Some(fields) = &self.fields else {
            return 0.5f64.powi(self.count as i32);
        };
        let fields = &fields.as_flattened()[..self.count];
        fields.iter().map(|h| 0.5 * (1.0 + tanh(*h))).product()
    }
}

/// Numbers in quads, the last of which is filled up with zeros, and how many they are.
fn in_quads(numbers: impl Iterator<Item = f64>) -> (Vec<Quad>, usize) {
    let mut numbers: Vec<f64> = numbers.collect();
    let count = numbers.len();
    numbers.resize(count.next_multiple_of(4), 0.0);
    (numbers.as_chunks().0.to_vec(), count)
}

/// P(T ≥ t).
pub(super) fn tail(signs: &Signs, t: f64) -> f64 {
    if t <= -signs.total {
        return 1.0;
    }
    if t >= signs.total * (1.0 - 1e-12) {
        return signs.all_positive();
    }
    let saddle = saddlepoint(signs, t);
    let [cumulant, curvature] = vectorised(Cumulant { signs, saddle });
    let root = (2.0 * (saddle * t - cumulant))
        .max(0.0)
        .sqrt()
        .copysign(saddle);
    let scale = saddle * curvature.sqrt();
    if root.abs() < 1e-4 || scale == 0.0 {
        return 0.5; // t is the mean of T
    }
    normal_tail(root + libm::log(scale / root) / root)
}

/// λ with K'(λ) = t, by Newton's method between bounds.
fn saddlepoint(signs: &Signs, t: f64) -> f64 {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut saddle = 0.0;
    for _ in 0..100 {
        let [slope, curvature] = vectorised(Derivatives { signs, saddle });
        if slope < t {
            low = saddle;
        } else {
            high = saddle;
        }
        let tolerance = 1e-10 * (1.0 + saddle.abs());
        let mut next = saddle + (t - slope) / curvature;
        // At the end rounding may take a step across a bound; the middle between the bounds
        // would be less accurate.
        let is_end = (next - saddle).abs() <= tolerance;
        let is_between = low < next && next < high;
        if !(is_end || is_between) {
            let reach = 4.0 * (1.0 + saddle.abs());
            next = 0.5 * (low.max(saddle - reach) + high.min(saddle + reach));
        }
        let is_close = (next - saddle).abs() <= tolerance;
        saddle = next;
        if is_close {
            break;
        }
    }
    saddle
}

/// K' and K''.
struct Derivatives<'a> {
    signs: &'a Signs,
    saddle: f64,
}

impl Kernel for Derivatives<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [f64; 2] {
        let mut sums = [lanes.splat(0.0); 2];
        for k in 0..self.signs.sizes.len() {
            let (size, tilted) = self.signs.tilted(lanes, k, self.saddle);
            let mean = special::tanh(lanes, tilted);
            let variance = lanes.subtract(lanes.splat(1.0), lanes.multiply(mean, mean));
            sums[0] = lanes.add_product(sums[0], size, mean);
            sums[1] = lanes.add_product(sums[1], lanes.multiply(size, size), variance);
        }
        sums.map(|register| sum(lanes.quad(register)))
    }
}

/// K and K''.
struct Cumulant<'a> {
    signs: &'a Signs,
    saddle: f64,
}

impl Kernel for Cumulant<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [f64; 2] {
        let mut sums = [lanes.splat(0.0); 2];
        for k in 0..self.signs.sizes.len() {
            let (size, tilted) = self.signs.tilted(lanes, k, self.saddle);
            let mean = special::tanh(lanes, tilted);
            let variance = lanes.subtract(lanes.splat(1.0), lanes.multiply(mean, mean));
            let mut cumulant = special::ln_cosh(lanes, tilted);
            if let Some(fields) = &self.signs.fields {
                let without = special::ln_cosh(lanes, lanes.load(&fields[k]));
                cumulant = lanes.subtract(cumulant, without);
            }
            sums[0] = lanes.add(sums[0], cumulant);
            sums[1] = lanes.add_product(sums[1], lanes.multiply(size, size), variance);
        }
        sums.map(|register| sum(lanes.quad(register)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;
    use crate::random::Random;

    #[test]
    fn few_coins_are_exact() {
        assert_eq!(fair_tail(&[1.0; 10], 10.0), 1.0 / 1024.0);
        assert_eq!(fair_tail(&[1.0; 10], 8.0), 11.0 / 1024.0);
        assert_eq!(fair_tail(&[0.5, 1.0, 2.0], 2.5), 2.0 / 8.0);
        assert_eq!(fair_tail(&[], 0.0), 1.0);
        assert_eq!(fair_tail(&[1.0; 20], 20.0), 0.5f64.powi(20));
    }

    /// The approximation beside all 2ⁿ signs, into the far tail.
    #[test]
    fn the_saddlepoint_is_near_the_enumeration() {
        let mut random = Random(5);
        let sizes: Vec<f64> = (0..16).map(|_| 0.2 + random.uniform()).collect();
        let signs = Signs::fair(sizes.iter().copied());
        for t in [0.5, 2.0, 4.0, 6.0, 7.5] {
            let (exact, found) = (enumerated(&sizes, t), tail(&signs, t));
            assert!((found / exact - 1.0).abs() < 0.1, "{t}: {exact} {found}");
            let with_fields = Signs::new(sizes.iter().map(|&size| (size, 0.0)));
            assert!((tail(&with_fields, t) / found - 1.0).abs() < 1e-12);
        }
    }

    /// Also where rounding takes the last step across a bound.
    #[test]
    fn the_saddlepoint_is_accurate() {
        let mut random = Random(7);
        let signs = Signs::fair((0..1000).map(|_| random.uniform()));
        for k in 1..400 {
            let t = 0.05 * f64::from(k);
            let saddle = saddlepoint(&signs, t);
            let signs = &signs;
            let [slope, _] = vectorised(Derivatives { signs, saddle });
            assert!((slope - t).abs() < 1e-14 * signs.total, "{t}: {slope}");
        }
    }

    #[test]
    fn unfair_coins_by_simulation() {
        let mut random = Random(6);
        let signs: Vec<_> = (0..20)
            .map(|_| (0.2 + random.uniform(), 0.8 * random.uniform()))
            .collect();
        let draws = 200_000;
        let mut counts = [0.0; 3];
        let points = [0.0, 4.0, 8.0];
        for _ in 0..draws {
            let sum: f64 = signs
                .iter()
                .map(|&(a, h)| {
                    let share = 0.5 * (1.0 + tanh(h));
                    if random.uniform() < share { a } else { -a }
                })
                .sum();
            for (count, t) in counts.iter_mut().zip(points) {
                *count += f64::from(sum >= t) / f64::from(draws);
            }
        }
        let signs = Signs::new(signs.iter().copied());
        for (share, t) in counts.iter().zip(points) {
            assert!((tail(&signs, t) / share - 1.0).abs() < 0.03, "{t}");
        }
    }

    #[test]
    fn vectors_of_any_width_give_the_same_bits() {
        let mut random = Random(8);
        let draws = (0..50).map(|_| (random.uniform(), random.normal()));
        let draws: Vec<_> = draws.collect();
        for signs in [
            Signs::new(draws.iter().copied()),
            Signs::fair(draws.iter().map(|sign| sign.0)),
        ] {
            for t in [-6.0, 0.3, 9.0] {
                with_any_vectors(|| tail(&signs, t));
            }
        }
    }
}
