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
use crate::model::distributions::normal_tail;

/// Up to so many fair coins are enumerated.
const MAX_ENUMERATED: usize = 12;

/// P(Σ ±a ≥ t) for fair coins.
pub(super) fn fair_tail(sizes: &[f64], t: f64) -> f64 {
    let sizes = || sizes.iter().copied().filter(|&size| size > 0.0);
    let total: f64 = sizes().sum();
    if t <= -total {
        return 1.0;
    }
    let count = sizes().count();
    if count <= MAX_ENUMERATED {
        return enumerated(&sizes().collect::<Vec<_>>(), t - 1e-12 * total);
    }
    // Half of the smallest jump of the sum: a correction for continuity.
    let jump = sizes().fold(f64::INFINITY, f64::min);
    let signs: Vec<_> = sizes().map(|size| (size, 0.0)).collect();
    if t > total - jump {
        return 0.5f64.powi(count as i32); // all signs are positive
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

/// P(T ≥ t) for signs given as (a, h).
pub(super) fn tail(signs: &[(f64, f64)], t: f64) -> f64 {
    let total: f64 = signs.iter().map(|(size, _)| size).sum();
    if t <= -total {
        return 1.0;
    }
    if t >= total * (1.0 - 1e-12) {
        let all_positive = signs.iter().map(|(_, h)| 0.5 * (1.0 + tanh(*h)));
        return all_positive.product();
    }
    let saddle = saddlepoint(signs, t);
    let cumulant: f64 = signs
        .iter()
        .map(|&(a, h)| ln_cosh(h + saddle * a) - ln_cosh(h))
        .sum();
    let (_, curvature) = derivatives(signs, saddle);
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
fn saddlepoint(signs: &[(f64, f64)], t: f64) -> f64 {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut saddle = 0.0;
    for _ in 0..100 {
        let (slope, curvature) = derivatives(signs, saddle);
        if slope < t {
            low = saddle;
        } else {
            high = saddle;
        }
        let mut next = saddle + (t - slope) / curvature;
        if !(low < next && next < high) {
            let reach = 4.0 * (1.0 + saddle.abs());
            next = 0.5 * (low.max(saddle - reach) + high.min(saddle + reach));
        }
        let is_close = (next - saddle).abs() <= 1e-10 * (1.0 + saddle.abs());
        saddle = next;
        if is_close {
            break;
        }
    }
    saddle
}

/// K' and K''.
fn derivatives(signs: &[(f64, f64)], saddle: f64) -> (f64, f64) {
    let (mut slope, mut curvature) = (0.0, 0.0);
    for &(a, h) in signs {
        let mean = tanh(h + saddle * a);
        slope += a * mean;
        curvature += a * a * (1.0 - mean * mean);
    }
    (slope, curvature)
}

fn ln_cosh(z: f64) -> f64 {
    z.abs() + libm::log1p(libm::exp(-2.0 * z.abs())) - std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let signs: Vec<_> = sizes.iter().map(|&size| (size, 0.0)).collect();
        for t in [0.5, 2.0, 4.0, 6.0, 7.5] {
            let (exact, found) = (enumerated(&sizes, t), tail(&signs, t));
            assert!((found / exact - 1.0).abs() < 0.1, "{t}: {exact} {found}");
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
        for (share, t) in counts.iter().zip(points) {
            assert!((tail(&signs, t) / share - 1.0).abs() < 0.03, "{t}");
        }
    }
}
