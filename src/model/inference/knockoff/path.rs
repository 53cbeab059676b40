//! Linearized Bregman Iteration for a linear model y = Bβ + noise with few columns, of
//! which only BᵀB and Bᵀy are known.
//!
//! ```text
//! z^{k+1} = z^k + α (Bᵀy − BᵀBβ^k),   β^{k+1} = κ · shrink(z^{k+1}),   t^{k+1} = t^k + α
//! ```
//!
//! shrink acts on each entry alone, and α = 1/(κ‖BᵀB‖₂). Time begins at 1/max|Bᵀy|,
//! where the first entry is about to leave zero.

use nalgebra::DVector;

use crate::error::Result;
use crate::execution::Stop;
use crate::model::lbi::shrink;

const KAPPA: f64 = 20.0;

/// The path ends at this multiple of the time of the first entry.
const SPAN: f64 = 100.0;

/// A column has entered when |z| is at least this: 1 but for rounding.
const ENTERED: f64 = 1.0 - 1e-12;

/// 1/t for the time t at which each column enters; 0 for never. `gram_times` gives the
/// product of BᵀB with a vector, and `norm` is its largest eigenvalue.
pub(super) fn entry_speeds(
    products: &DVector<f64>,
    gram_times: impl Fn(&DVector<f64>) -> DVector<f64>,
    norm: f64,
    stop: &Stop,
) -> Result<Vec<f64>> {
    let mut speed = vec![0.0; products.len()];
    let largest = products.amax();
    if largest == 0.0 {
        return Ok(speed);
    }
    let first = 1.0 / largest;
    let step = 1.0 / (KAPPA * norm);
    let mut z = products * first;
    let mut time = first;
    while time < SPAN * first && speed.contains(&0.0) {
        stop.check()?;
        for (speed, z) in speed.iter_mut().zip(&z) {
            if *speed == 0.0 && z.abs() >= ENTERED {
                *speed = 1.0 / time;
            }
        }
        let effect = z.map(|z| shrink(z.abs(), KAPPA) * z);
        z += (products - gram_times(&effect)) * step;
        time += step;
    }
    Ok(speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orthonormal columns do not influence each other: one with product p enters at
    /// t = 1/|p|, or at the end of the step that contains this time.
    #[test]
    fn orthonormal_columns_enter_by_their_products() {
        let products = DVector::from_vec(vec![0.5, -4.0, 1.0, 0.0, 0.03]);
        let stop = Stop::default();
        let speed = entry_speeds(&products, |effect| effect.clone(), 1.0, &stop).unwrap();
        for k in [0, 1, 2] {
            let late = 1.0 / speed[k] - 1.0 / products[k].abs();
            assert!((-1e-9..1.0 / KAPPA).contains(&late), "{k}: {late}");
        }
        assert_eq!(speed[3..], [0.0, 0.0]); // one never, one after the end of the path
    }

    #[test]
    fn nothing_enters_where_all_products_are_zero() {
        let products = DVector::zeros(2);
        let speed = entry_speeds(&products, |effect| effect.clone(), 1.0, &Stop::default());
        assert_eq!(speed.unwrap(), [0.0, 0.0]);
    }
}
