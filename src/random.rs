//! Random numbers that are the same on every platform and in every version:
//! only additions, multiplications, divisions and square roots, which IEEE 754
//! fixes to the last bit.

/// SplitMix64 of Steele, Lea and Flood.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer from 0 to `bound` − 1, uniform up to a bias of less than bound/2⁶⁴.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// 1 or −1, with equal probabilities.
    pub fn sign(&mut self) -> f64 {
        if self.next() >> 63 == 0 { 1.0 } else { -1.0 }
    }

    /// Standard normal, by Marsaglia's polar method.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * ln(square) / square).sqrt();
            }
        }
    }

    /// Puts a slice into random order.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

/// The natural logarithm of a positive normal number: x = m·2^e with m in
/// [√½, √2), ln m = 2 artanh((m−1)/(m+1)) by its series.
pub(crate) fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let series = (0..=11)
        .rev()
        .fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    2.0 * ratio * series + exponent as f64 * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = Random(1234567);
        assert_eq!(random.next(), 6457827717110365317);
        assert_eq!(random.next(), 3203168211198807973);
    }

    #[test]
    fn the_logarithm_is_one() {
        let mut random = Random(1);
        for _ in 0..10_000 {
            let x = random.uniform() * 4.0 + 1e-300;
            assert!(
                (ln(x) - x.ln()).abs() <= 4e-15 * x.ln().abs().max(1.0),
                "{x}"
            );
        }
    }

    #[test]
    fn normal_draws_have_normal_moments() {
        let mut random = Random(2);
        let draws: Vec<f64> = (0..200_000).map(|_| random.normal()).collect();
        let moment = |power: i32| draws.iter().map(|x| x.powi(power)).sum::<f64>() / 200_000.0;
        let moments = [moment(1), moment(2), moment(3), moment(4)];
        for (found, expected) in moments.iter().zip([0.0, 1.0, 0.0, 3.0]) {
            assert!((found - expected).abs() < 0.05, "{moments:?}");
        }
    }
}
