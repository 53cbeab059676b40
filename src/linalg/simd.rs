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
    /// Two quads that are computed with together: in one register where there are such.
    type Pair: Copy;

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

    fn load_pair(self, pair: &[Quad; 2]) -> Self::Pair;
    /// A quad and the same once more.
    fn load_twice(self, quad: &Quad) -> Self::Pair;
    /// Four numbers, each four times: (a, b) and (c, d).
    fn spread(self, quad: &Quad) -> [Self::Pair; 2];
    fn halves(self, pair: Self::Pair) -> [Self::Register; 2];
    fn add_pairs(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    fn multiply_pairs(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;

    /// pair + a·b in each lane, rounded twice.
    #[inline(always)]
    fn add_product_of_pairs(self, pair: Self::Pair, a: Self::Pair, b: Self::Pair) -> Self::Pair {
        self.add_pairs(pair, self.multiply_pairs(a, b))
    }

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

/// Which vectors a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    /// What every machine has.
    Narrow,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Pairs of quads in one register: a step of the path over IQA takes a seventh less, over
    /// larger dense graphs a twelfth.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The widest vectors that the machine has.
fn widest() -> Width {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        let has_pairs = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl");
        return if has_pairs {
            Width::Avx512
        } else {
            Width::Avx2
        };
    }
    Width::Narrow
}

/// Runs a kernel with the widest vectors that the machine has.
#[allow(unsafe_code)]
pub(crate) fn vectorised<K: Kernel>(kernel: K) -> K::Output {
    let width = widest();
    #[cfg(test)]
    let width = width.min(tests::LIMIT.get());
    match width {
        // SAFETY: the machine has them.
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 => unsafe { x86::run_avx512(kernel) },
        // SAFETY: the machine has them.
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 => unsafe { x86::run_avx2(kernel) },
        Width::Narrow => kernel.run(Narrow),
    }
}

/// Vectors that every machine has.
#[derive(Clone, Copy)]
struct Narrow;

impl Lanes for Narrow {
    type Register = Quad;
    type Pair = [Quad; 2];

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

    #[inline(always)]
    fn load_pair(self, pair: &[Quad; 2]) -> [Quad; 2] {
        *pair
    }

    #[inline(always)]
    fn load_twice(self, quad: &Quad) -> [Quad; 2] {
        [*quad; 2]
    }

    #[inline(always)]
    fn spread(self, &[a, b, c, d]: &Quad) -> [[Quad; 2]; 2] {
        [[[a; 4], [b; 4]], [[c; 4], [d; 4]]]
    }

    #[inline(always)]
    fn halves(self, pair: [Quad; 2]) -> [Quad; 2] {
        pair
    }

    #[inline(always)]
    fn add_pairs(self, a: [Quad; 2], b: [Quad; 2]) -> [Quad; 2] {
        [self.add(a[0], b[0]), self.add(a[1], b[1])]
    }

    #[inline(always)]
    fn multiply_pairs(self, a: [Quad; 2], b: [Quad; 2]) -> [Quad; 2] {
        [self.multiply(a[0], b[0]), self.multiply(a[1], b[1])]
    }
}

/// Vectors of x86-64. The methods for a single quad are the same with AVX2 and AVX-512.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Kernel, Lanes, Quad};

    /// # Safety
    /// The machine has AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run(Avx2(()))
    }

    /// # Safety
    /// The machine has AVX2, and AVX-512 F and VL.
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run(Avx512(()))
    }

    /// Constructed in [`run_avx2`] only, so a value proves that the machine has AVX2.
    #[derive(Clone, Copy)]
    struct Avx2(());

    /// Constructed in [`run_avx512`] only, so a value proves that the machine has AVX2 and
    /// AVX-512.
    #[derive(Clone, Copy)]
    struct Avx512(());

    // SAFETY of each block below: the machine has the instructions, as the value of `Avx2` or
    // `Avx512` proves; a reference to a quad or a pair is valid for reading or writing four or
    // eight numbers, and the unaligned instructions need no alignment.
    macro_rules! quads {
        () => {
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
        };
    }

    impl Lanes for Avx2 {
        type Register = __m256d;
        type Pair = [__m256d; 2];

        quads!();

        #[inline(always)]
        fn load_pair(self, [a, b]: &[Quad; 2]) -> [__m256d; 2] {
            [self.load(a), self.load(b)]
        }

        #[inline(always)]
        fn load_twice(self, quad: &Quad) -> [__m256d; 2] {
            [self.load(quad); 2]
        }

        #[inline(always)]
        fn spread(self, &[a, b, c, d]: &Quad) -> [[__m256d; 2]; 2] {
            [
                [self.splat(a), self.splat(b)],
                [self.splat(c), self.splat(d)],
            ]
        }

        #[inline(always)]
        fn halves(self, pair: [__m256d; 2]) -> [__m256d; 2] {
            pair
        }

        #[inline(always)]
        fn add_pairs(self, a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
            [self.add(a[0], b[0]), self.add(a[1], b[1])]
        }

        #[inline(always)]
        fn multiply_pairs(self, a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
            [self.multiply(a[0], b[0]), self.multiply(a[1], b[1])]
        }
    }

    impl Lanes for Avx512 {
        type Register = __m256d;
        type Pair = __m512d;

        quads!();

        #[inline(always)]
        fn load_pair(self, pair: &[Quad; 2]) -> __m512d {
            unsafe { _mm512_loadu_pd(pair.as_flattened().as_ptr()) }
        }

        #[inline(always)]
        fn load_twice(self, quad: &Quad) -> __m512d {
            unsafe { _mm512_broadcast_f64x4(self.load(quad)) }
        }

        #[inline(always)]
        fn spread(self, quad: &Quad) -> [__m512d; 2] {
            unsafe {
                let quad = _mm512_castpd256_pd512(self.load(quad));
                let first = _mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0);
                let second = _mm512_set_epi64(3, 3, 3, 3, 2, 2, 2, 2);
                [
                    _mm512_permutexvar_pd(first, quad),
                    _mm512_permutexvar_pd(second, quad),
                ]
            }
        }

        #[inline(always)]
        fn halves(self, pair: __m512d) -> [__m256d; 2] {
            unsafe {
                [
                    _mm512_castpd512_pd256(pair),
                    _mm512_extractf64x4_pd::<1>(pair),
                ]
            }
        }

        #[inline(always)]
        fn add_pairs(self, a: __m512d, b: __m512d) -> __m512d {
            unsafe { _mm512_add_pd(a, b) }
        }

        #[inline(always)]
        fn multiply_pairs(self, a: __m512d, b: __m512d) -> __m512d {
            unsafe { _mm512_mul_pd(a, b) }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;
    use std::fmt::Debug;

    use super::{Width, widest};

    thread_local! {
        /// This thread uses no wider vectors.
        pub(super) static LIMIT: Cell<Width> = Cell::new(widest());
    }

    /// What is computed on this thread. Panics unless it is the same to the bit with all
    /// vectors that the machine has.
    pub(crate) fn with_any_vectors<T: Debug>(compute: impl Fn() -> T) -> T {
        let found = compute();
        let widths = [
            Width::Narrow,
            #[cfg(target_arch = "x86_64")]
            Width::Avx2,
        ];
        for width in widths {
            LIMIT.set(width);
            // A number as text is that number, and zero has its sign.
            assert_eq!(
                format!("{:?}", compute()),
                format!("{found:?}"),
                "{width:?}"
            );
        }
        LIMIT.set(widest());
        found
    }
}
