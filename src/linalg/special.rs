//! The exponential function, functions made of it, a logarithm and Mills' ratio, four at a
//! time.
//!
//! They are polynomials and IEEE operations, so the bits are the same on every
//! platform and with vectors of every width. They are accurate to a few units in the
//! last place; the hyperbolic tangent and ln cosh of a small number, to such of 1.

use crate::linalg::simd::{Kernel, Lanes, Quad, vectorised};

/// eˣ of larger numbers is taken to be that of these limits, which are finite and not
/// subnormal.
const MIN_EXPONENT: f64 = -708.0;
const MAX_EXPONENT: f64 = 709.0;

/// 1.5·2⁵²: added to a number, it rounds that to an integer, which stands in the last bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts. The first has few digits, so that its product with k is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1/k! for k from 0 to 13.
const INVERSE_FACTORIALS: [f64; 14] = [
    1.0,
    1.0,
    0.5,
    1.666_666_666_666_666_6e-1,
    4.166_666_666_666_666_4e-2,
    8.333_333_333_333_333e-3,
    1.388_888_888_888_889e-3,
    1.984_126_984_126_984e-4,
    2.480_158_730_158_73e-5,
    2.755_731_922_398_589_3e-6,
    2.755_731_922_398_589e-7,
    2.505_210_838_544_172e-8,
    2.087_675_698_786_81e-9,
    1.605_904_383_682_161_5e-10,
];

/// eˣ = 2ᵏ eʳ with an integer k and |r| ≤ ½ ln 2, where eʳ is a polynomial.
#[inline(always)]
pub(crate) fn exp<L: Lanes>(lanes: L, x: L::Register) -> L::Register {
    let x = lanes.max(
        lanes.splat(MIN_EXPONENT),
        lanes.min(lanes.splat(MAX_EXPONENT), x),
    );
    let rounding = lanes.splat(ROUNDING);
    let shifted = lanes.add_product(rounding, x, lanes.splat(std::f64::consts::LOG2_E));
    let k = lanes.subtract(shifted, rounding);
    let r = lanes.subtract(x, lanes.multiply(k, lanes.splat(LN_2_HIGH)));
    let r = lanes.subtract(r, lanes.multiply(k, lanes.splat(LN_2_LOW)));
    lanes.multiply(
        polynomial(lanes, &INVERSE_FACTORIALS, r),
        lanes.power_of_two(shifted),
    )
}

/// eˣ of each number, in its place.
pub(crate) fn exponentiate(numbers: &mut [Quad]) {
    struct Exponentiate<'a>(&'a mut [Quad]);
    impl Kernel for Exponentiate<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) {
            for quad in self.0 {
                lanes.store(exp(lanes, lanes.load(quad)), quad);
            }
        }
    }
    vectorised(Exponentiate(numbers));
}

/// |x|.
#[inline(always)]
pub(crate) fn abs<L: Lanes>(lanes: L, x: L::Register) -> L::Register {
    lanes.max(lanes.subtract(lanes.splat(0.0), x), x)
}

/// The hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh<L: Lanes>(lanes: L, x: L::Register) -> L::Register {
    let decay = exp(lanes, lanes.multiply(lanes.splat(-2.0), abs(lanes, x)));
    let one = lanes.splat(1.0);
    let size = lanes.divide(lanes.subtract(one, decay), lanes.add(one, decay));
    lanes.select(x, lanes.subtract(lanes.splat(0.0), size), size)
}

/// ln cosh x.
#[inline(always)]
pub(crate) fn ln_cosh<L: Lanes>(lanes: L, x: L::Register) -> L::Register {
    let size = abs(lanes, x);
    let decay = exp(lanes, lanes.multiply(lanes.splat(-2.0), size));
    let rest = lanes.subtract(ln_1p(lanes, decay), lanes.splat(std::f64::consts::LN_2));
    lanes.add(size, rest)
}

/// ln(1 + e^−x) for x ≥ 0.
#[inline(always)]
pub(crate) fn softplus_of_negative<L: Lanes>(lanes: L, x: L::Register) -> L::Register {
    ln_1p(lanes, exp(lanes, lanes.subtract(lanes.splat(0.0), x)))
}

/// 1/(2k + 1) for k from 1 to 16.
const INVERSE_ODD_NUMBERS: [f64; 16] = {
    let mut inverse = [0.0; 16];
    let mut k = 0;
    while k < inverse.len() {
        inverse[k] = 1.0 / (2 * k + 3) as f64;
        k += 1;
    }
    inverse
};

/// ln(1 + u) for u from 0 to 1: the series of 2 artanh z with z = u/(2 + u), which is at most
/// ⅓.
#[inline(always)]
pub(crate) fn ln_1p<L: Lanes>(lanes: L, u: L::Register) -> L::Register {
    let z = lanes.divide(u, lanes.add(u, lanes.splat(2.0)));
    let square = lanes.multiply(z, z);
    let double = lanes.add(z, z);
    let rest = lanes.multiply(square, polynomial(lanes, &INVERSE_ODD_NUMBERS, square));
    lanes.add_product(double, double, rest)
}

/// A polynomial, from the coefficient of the lowest power to that of the highest. It is
/// four polynomials of x⁴, so that additions need not wait for each other.
#[inline(always)]
fn polynomial<L: Lanes>(lanes: L, coefficients: &[f64], x: L::Register) -> L::Register {
    let square = lanes.multiply(x, x);
    let fourth = lanes.multiply(square, square);
    let mut parts = [lanes.splat(0.0); 4];
    for quad in coefficients.chunks(4).rev() {
        for (part, &coefficient) in parts.iter_mut().zip(quad) {
            *part = lanes.add_product(lanes.splat(coefficient), *part, fourth);
        }
        // A shorter chunk is the last one, before which all parts are zero.
    }
    let low = lanes.add_product(parts[0], parts[1], x);
    let high = lanes.add_product(parts[2], parts[3], x);
    lanes.add_product(low, high, square)
}

/// (y + 1)·(Mills' ratio of y) as a polynomial of u = (y − 5)/(y + 5), from the lowest
/// power to the highest: its expansion in Chebyshev polynomials, computed with 90 digits.
const MILLS: [f64; 23] = [
    1.1568486282918946,
    -0.2294875382521184,
    0.07778159886873769,
    0.02507217930210036,
    -0.0661776007790963,
    0.061505045828185945,
    -0.03802659218584139,
    0.016348231425036042,
    -0.004201290329187307,
    1.9529678326371773e-5,
    0.00045704392357953655,
    -0.00013437036855802517,
    -2.480583845192319e-5,
    2.2699386557775844e-5,
    -1.7633239265736746e-7,
    -3.2597570878457124e-6,
    3.2054316652589574e-7,
    4.724032706831338e-7,
    -6.588974491108954e-8,
    -6.383575502421413e-8,
    9.092476134019147e-9,
    5.5322922141146196e-9,
    -7.073898575561589e-10,
];

/// (y + 1)·Φ(−y)/φ(y) for y ≥ 0: Mills' ratio times y + 1, which is from 1 to 1.26.
#[inline(always)]
pub(crate) fn scaled_mills<L: Lanes>(lanes: L, y: L::Register) -> L::Register {
    let five = lanes.splat(5.0);
    let u = lanes.divide(lanes.subtract(y, five), lanes.add(y, five));
    polynomial(lanes, &MILLS, u)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::tests::with_any_vectors;

    struct All(Quad);

    impl Kernel for All {
        type Output = [Quad; 5];

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> [Quad; 5] {
            let x = lanes.load(&self.0);
            let y = lanes.max(x, lanes.splat(0.0));
            [
                lanes.quad(exp(lanes, x)),
                lanes.quad(scaled_mills(lanes, y)),
                lanes.quad(ln_1p(lanes, lanes.min(y, lanes.splat(1.0)))),
                lanes.quad(tanh(lanes, x)),
                lanes.quad(ln_cosh(lanes, x)),
            ]
        }
    }

    /// The functions at a point, which are the same in every lane and width.
    fn at(x: f64) -> [f64; 5] {
        with_any_vectors(|| vectorised(All([0.5, x, -3.0, 7.0])).map(|quad| quad[1]))
    }

    #[test]
    fn they_are_accurate_everywhere() {
        for k in -3950..3950 {
            let x = f64::from(k) * 0.1773;
            let [found, ..] = at(x);
            assert!((found / libm::exp(x) - 1.0).abs() < 4e-16, "{x}: {found}");
        }
        for k in 0..2600 {
            let y = f64::from(k) * 0.0131;
            let [_, found, ..] = at(y);
            let density = libm::exp(-0.5 * y * y) / (2.0 * std::f64::consts::PI).sqrt();
            let tail = 0.5 * libm::erfc(y / std::f64::consts::SQRT_2);
            let expected = (y + 1.0) * tail / density;
            // The expected one is off by the rounding of y².
            let error = (found / expected - 1.0).abs();
            assert!(error < 1e-15 * (4.0 + y * y), "{y}: {found} {expected}");
        }
    }

    /// Three units in the last place, down to the smallest numbers.
    #[test]
    fn the_logarithm_is_accurate() {
        let near_zero = (0..1000).map(|k| libm::exp2(-f64::from(k)));
        let up_to_one = (0..=10_000).map(|k| f64::from(k) * 1e-4);
        for u in near_zero.chain(up_to_one) {
            let (found, expected) = (at(u)[2], libm::log1p(u));
            let error = (found - expected).abs();
            assert!(error <= 3.0 * f64::EPSILON * expected, "{u}: {found}");
        }
        assert_eq!(at(0.0)[2], 0.0);
        assert_eq!(at(1.0)[2], std::f64::consts::LN_2);
    }

    /// Two units in the last place of 1 near zero, and three of the number elsewhere.
    #[test]
    fn hyperbolic_functions_are_accurate() {
        for k in -4000..=4000 {
            let x = f64::from(k) * 0.0073;
            let [_, _, _, tanh, ln_cosh] = at(x);
            let expected = libm::tanh(x);
            let error = (tanh - expected).abs();
            assert!(error <= 2.0 * f64::EPSILON, "{x}: {tanh} {expected}");
            let expected = x.abs() + libm::log1p(libm::expm1(-2.0 * x.abs()) / 2.0);
            let error = (ln_cosh - expected).abs();
            let bound = f64::EPSILON * f64::max(2.0, 3.0 * expected);
            assert!(error <= bound, "{x}: {ln_cosh} {expected}");
        }
        assert_eq!(at(0.0)[3..], [0.0, 0.0]);
        assert_eq!(at(-1e300)[3], -1.0);
        assert_eq!(at(1e300)[4], 1e300);
    }

    #[test]
    fn no_number_is_too_large_for_them() {
        assert_eq!(at(0.0)[0], 1.0);
        for x in [1e3, 1e10, 1e300, f64::INFINITY] {
            assert!(at(x)[0] > 1e307 && at(x)[0].is_finite());
            assert!(at(-x)[0] > 0.0 && at(-x)[0] < 1e-307);
        }
        assert!((at(1e9)[1] - 1.0).abs() < 1e-8);
    }
}
