//! Conjugate gradients, preconditioned by the diagonal.

use super::Room;
use super::component::Component;
use crate::error::Result;
use crate::execution::Stop;
use crate::linalg::simd::{Kernel, Lanes, Quad, sum, vectorised};

/// The residual has to shrink to this part of the right-hand side.
const TOLERANCE: f64 = 1e-13;

/// SolveFrequency L θ = right, from the θ that is there.
pub(super) fn gradients(component: &Component, room: &mut Room, stop: &Stop) -> Result<()> {
    let scale = &component.scale[..];
    let quads = scale.len();
    let right = &room.right[..quads];
    let (theta, residual) = (&mut room.theta[..quads], &mut room.residual[..quads]);
    let (direction, image) = (&mut room.direction[..quads], &mut room.image[..quads]);
    component.times(theta, image);
    residual.copy_from_slice(right);
    direction.fill([0.0; 4]);
    // Minus what θ explains: as a step of length 1 that leaves θ alone.
    let mut energy = vectorised(Advance {
        step: 1.0,
        scale,
        direction,
        image,
        theta,
        residual,
    });
    let goal = TOLERANCE * TOLERANCE * product(right, right, scale);
    let mut ratio = 0.0;
    // Rounding sets the limit on long thin graphs: more steps than items gain nothing.
    for _ in 0..2 * component.items.len() + 50 {
        if energy <= goal {
            break;
        }
        stop.check()?;
        vectorised(Turn {
            ratio,
            scale,
            residual,
            direction,
        });
        let curvature = component.times(direction, image);
        if curvature <= 0.0 {
            break;
        }
        let next = vectorised(Advance {
            step: energy / curvature,
            scale,
            direction,
            image,
            theta,
            residual,
        });
        ratio = next / energy;
        energy = next;
    }
    Ok(())
}

/// Σ a·b·scale.
pub(super) fn product(a: &[Quad], b: &[Quad], scale: &[Quad]) -> f64 {
    vectorised(ScaledProduct { a, b, scale })
}

struct ScaledProduct<'a> {
    a: &'a [Quad],
    b: &'a [Quad],
    scale: &'a [Quad],
}

impl Kernel for ScaledProduct<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let mut total = lanes.splat(0.0);
        for ((a, b), scale) in self.a.iter().zip(self.b).zip(self.scale) {
            let scaled = lanes.multiply(lanes.load(b), lanes.load(scale));
            total = lanes.add_product(total, lanes.load(a), scaled);
        }
        sum(lanes.quad(total))
    }
}

/// θ += step·direction, residual −= step·image. Returns Σ residual²·scale.
struct Advance<'a> {
    step: f64,
    scale: &'a [Quad],
    direction: &'a [Quad],
    image: &'a [Quad],
    theta: &'a mut [Quad],
    residual: &'a mut [Quad],
}

impl Kernel for Advance<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let step = lanes.splat(self.step);
        let mut energy = lanes.splat(0.0);
        let moved = self.theta.iter_mut().zip(self.direction);
        let left = self.residual.iter_mut().zip(self.image).zip(self.scale);
        for ((theta, direction), ((residual, image), scale)) in moved.zip(left) {
            let sum = lanes.add_product(lanes.load(theta), step, lanes.load(direction));
            lanes.store(sum, theta);
            let explained = lanes.multiply(step, lanes.load(image));
            let rest = lanes.subtract(lanes.load(residual), explained);
            lanes.store(rest, residual);
            let scaled = lanes.multiply(rest, lanes.load(scale));
            energy = lanes.add_product(energy, rest, scaled);
        }
        sum(lanes.quad(energy))
    }
}

/// direction = scale·residual + ratio·direction.
struct Turn<'a> {
    ratio: f64,
    scale: &'a [Quad],
    residual: &'a [Quad],
    direction: &'a mut [Quad],
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let ratio = lanes.splat(self.ratio);
        let scaled = self.residual.iter().zip(self.scale);
        for (direction, (residual, scale)) in self.direction.iter_mut().zip(scaled) {
            let scaled = lanes.multiply(lanes.load(residual), lanes.load(scale));
            let turned = lanes.add_product(scaled, ratio, lanes.load(direction));
            lanes.store(turned, direction);
        }
    }
}
