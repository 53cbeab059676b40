//! Wider vectors where the machine has them, chosen at run time.
//!
//! Rust neither reorders nor fuses floating-point operations, so the same code
//! compiled for wider vectors gives the same bits. Sums that take time are
//! written as four sums side by side, whatever the width of a register is.

use std::array::from_fn;

/// Four numbers that are computed with together.
pub(crate) type Quad = [f64; 4];

/// The sum of the four, always added up in the same order.
#[inline(always)]
pub(crate) fn sum(quad: Quad) -> f64 {
    (quad[0] + quad[1]) + (quad[2] + quad[3])
}

/// quad + a·b in each lane, rounded twice.
#[inline(always)]
pub(crate) fn add_product(quad: Quad, a: Quad, b: Quad) -> Quad {
    [
        quad[0] + a[0] * b[0],
        quad[1] + a[1] * b[1],
        quad[2] + a[2] * b[2],
        quad[3] + a[3] * b[3],
    ]
}

/// Quads in registers, for loops that the compiler does not vectorise by itself.
pub(crate) trait Lanes: Copy {
    type Register: Copy;

    fn load(self, quad: &Quad) -> Self::Register;
    /// Integers as numbers.
    fn load_integers(self, quad: &[i16; 4]) -> Self::Register;
    fn store(self, register: Self::Register, quad: &mut Quad);
    fn splat(self, value: f64) -> Self::Register;

    fn add(self, a: Self::Register, b: Self::Register) -> Self::Register;
    fn subtract(self, a: Self::Register, b: Self::Register) -> Self::Register;
    fn multiply(self, a: Self::Register, b: Self::Register) -> Self::Register;
    fn divide(self, a: Self::Register, b: Self::Register) -> Self::Register;

    /// The smaller of two numbers in each lane; b if one of them is NaN.
    fn min(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The larger of two numbers in each lane; b if one of them is NaN.
    fn max(self, a: Self::Register, b: Self::Register) -> Self::Register;

    /// In each lane `negative` where the sign bit of x is set, and `otherwise` elsewhere.
    fn select(
        self,
        x: Self::Register,
        negative: Self::Register,
        otherwise: Self::Register,
    ) -> Self::Register;

    /// 2ᵏ from 1.5·2⁵² + k, in whose last bits k stands, for integers k from -1022 to 1023.
    fn power_of_two(self, shifted: Self::Register) -> Self::Register;

    /// register + a·b in each lane, rounded twice.
    #[inline(always)]
    fn add_product(
        self,
        register: Self::Register,
        a: Self::Register,
        b: Self::Register,
    ) -> Self::Register {
        self.add(register, self.multiply(a, b))
    }

    /// The register's four numbers.
    #[inline(always)]
    fn quad(self, register: Self::Register) -> Quad {
        let mut quad = [0.0; 4];
        self.store(register, &mut quad);
        quad
    }

    /// [`sum`] of each of four registers.
    fn sums(self, registers: [Self::Register; 4]) -> Self::Register;
}

/// Four numbers as they are stored.
pub(crate) trait StoredQuad: Copy {
    fn load<L: Lanes>(&self, lanes: L) -> L::Register;

    fn values(&self) -> Quad;
}

impl StoredQuad for Quad {
    #[inline(always)]
    fn load<L: Lanes>(&self, lanes: L) -> L::Register {
        lanes.load(self)
    }

    #[inline(always)]
    fn values(&self) -> Quad {
        *self
    }
}

/// Small integers, which take a quarter of the memory.
impl StoredQuad for [i16; 4] {
    #[inline(always)]
    fn load<L: Lanes>(&self, lanes: L) -> L::Register {
        lanes.load_integers(self)
    }

    #[inline(always)]
    fn values(&self) -> Quad {
        self.map(f64::from)
    }
}

/// Receives the quads of a product, each as soon as it is computed.
pub(crate) trait Sink<L: Lanes> {
    /// Must be `#[inline(always)]`.
    fn take(&mut self, lanes: L, index: usize, value: L::Register);
}

/// A loop that is compiled for each width of vectors.
pub(crate) trait Kernel {
    type Output;

    /// Must be `#[inline(always)]`, and so must all that it calls in its loops:
    /// what is not inlined is compiled for the narrowest vectors.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Runs a kernel with the widest vectors that the machine has.
#[allow(unsafe_code)]
pub(crate) fn vectorised<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(test)]
    if tests::NARROW.get() {
        return kernel.run(Narrow);
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, as was just detected.
        return unsafe { avx2::run(kernel) };
    }
    kernel.run(Narrow)
}

/// Vectors that every machine has.
#[derive(Clone, Copy)]
struct Narrow;

impl Lanes for Narrow {
    type Register = Quad;

    #[inline(always)]
    fn load(self, quad: &Quad) -> Quad {
        *quad
    }

    #[inline(always)]
    fn load_integers(self, quad: &[i16; 4]) -> Quad {
        quad.map(f64::from)
    }

    #[inline(always)]
    fn store(self, register: Quad, quad: &mut Quad) {
        *quad = register;
    }

    #[inline(always)]
    fn splat(self, value: f64) -> Quad {
        [value; 4]
    }

    #[inline(always)]
    fn add(self, a: Quad, b: Quad) -> Quad {
        from_fn(|lane| a[lane] + b[lane])
    }

    #[inline(always)]
    fn subtract(self, a: Quad, b: Quad) -> Quad {
        from_fn(|lane| a[lane] - b[lane])
    }

    #[inline(always)]
    fn multiply(self, a: Quad, b: Quad) -> Quad {
        from_fn(|lane| a[lane] * b[lane])
    }

    #[inline(always)]
    fn divide(self, a: Quad, b: Quad) -> Quad {
        from_fn(|lane| a[lane] / b[lane])
    }

    #[inline(always)]
    fn min(self, a: Quad, b: Quad) -> Quad {
        from_fn(|lane| if a[lane] < b[lane] { a[lane] } else { b[lane] })
    }

    #[inline(always)]
    fn max(self, a: Quad, b: Quad) -> Quad {
        from_fn(|lane| if a[lane] > b[lane] { a[lane] } else { b[lane] })
    }

    #[inline(always)]
    fn select(self, x: Quad, negative: Quad, otherwise: Quad) -> Quad {
        from_fn(|lane| match x[lane].is_sign_negative() {
            true => negative[lane],
            false => otherwise[lane],
        })
    }

    #[inline(always)]
    fn power_of_two(self, shifted: Quad) -> Quad {
        shifted.map(|x| f64::from_bits(x.to_bits().wrapping_add(1023) << 52))
    }

    #[inline(always)]
    fn sums(self, registers: [Quad; 4]) -> Quad {
        registers.map(sum)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{Kernel, Lanes, Quad};

    /// # Safety
    /// The machine has AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run(Avx2(()))
    }

    /// Constructed in [`run`] only, so a value proves that the machine has AVX2.
    #[derive(Clone, Copy)]
    struct Avx2(());

    // SAFETY of each block below: the machine has AVX2, as the value of `Avx2`
    // proves; a reference to a quad is valid for reading or writing four numbers,
    // and the unaligned instructions need no alignment.
    impl Lanes for Avx2 {
        type Register = __m256d;

        #[inline(always)]
        fn load(self, quad: &Quad) -> __m256d {
            unsafe { _mm256_loadu_pd(quad.as_ptr()) }
        }

        #[inline(always)]
        fn load_integers(self, quad: &[i16; 4]) -> __m256d {
            unsafe {
                let integers = _mm_loadl_epi64(quad.as_ptr().cast());
                _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(integers))
            }
        }

        #[inline(always)]
        fn store(self, register: __m256d, quad: &mut Quad) {
            unsafe { _mm256_storeu_pd(quad.as_mut_ptr(), register) }
        }

        #[inline(always)]
        fn splat(self, value: f64) -> __m256d {
            unsafe { _mm256_set1_pd(value) }
        }

        #[inline(always)]
        fn add(self, a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_add_pd(a, b) }
        }

        #[inline(always)]
        fn subtract(self, a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_sub_pd(a, b) }
        }

        #[inline(always)]
        fn multiply(self, a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_mul_pd(a, b) }
        }

        #[inline(always)]
        fn divide(self, a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_div_pd(a, b) }
        }

        #[inline(always)]
        fn min(self, a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_min_pd(a, b) }
        }

        #[inline(always)]
        fn max(self, a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_max_pd(a, b) }
        }

        #[inline(always)]
        fn select(self, x: __m256d, negative: __m256d, otherwise: __m256d) -> __m256d {
            unsafe { _mm256_blendv_pd(otherwise, negative, x) }
        }

        #[inline(always)]
        fn power_of_two(self, shifted: __m256d) -> __m256d {
            unsafe {
                let bits = _mm256_castpd_si256(shifted);
                let exponent = _mm256_add_epi64(bits, _mm256_set1_epi64x(1023));
                _mm256_castsi256_pd(_mm256_slli_epi64::<52>(exponent))
            }
        }

        #[inline(always)]
        fn sums(self, [a, b, c, d]: [__m256d; 4]) -> __m256d {
            unsafe {
                // first = (a₀+a₁, b₀+b₁, a₂+a₃, b₂+b₃); second the same for c and d.
                let (first, second) = (_mm256_hadd_pd(a, b), _mm256_hadd_pd(c, d));
                let low = _mm256_permute2f128_pd::<0x20>(first, second);
                let high = _mm256_permute2f128_pd::<0x31>(first, second);
                _mm256_add_pd(low, high)
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// Whether this thread uses the narrow vectors.
        pub(crate) static NARROW: Cell<bool> = const { Cell::new(false) };
    }
}
