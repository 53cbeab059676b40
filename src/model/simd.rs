//! One binary, and wider vectors where the machine has them.
//!
//! Rust neither reorders nor fuses floating-point operations, so the same code
//! compiled for wider vectors gives the same bits: sums that matter for speed
//! are written as four sums side by side, whatever the width of a register.

/// Four numbers that are worked on together.
pub(crate) type Quad = [f64; 4];

/// The sum of four, always added up in the same way.
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

/// A loop worth compiling for the machine's vectors.
pub(crate) trait Work {
    type Output;

    /// Must be `#[inline(always)]`, and all that it calls in its loops too: what
    /// is not inlined is compiled for the narrowest vectors.
    fn run(self) -> Self::Output;
}

/// Runs the work with the widest vectors that there are.
#[allow(unsafe_code)]
pub(crate) fn vectorised<W: Work>(work: W) -> W::Output {
    #[cfg(test)]
    if tests::NARROW.get() {
        return work.run();
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has the one feature that this is compiled for.
        return unsafe { with_avx2(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// Whether this thread does without wide vectors.
        pub(crate) static NARROW: Cell<bool> = const { Cell::new(false) };
    }
}
