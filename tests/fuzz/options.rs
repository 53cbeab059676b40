//! Options and simulations as JSON.

use me_hodgerank::{ErrorKind, Options, Simulation};

use crate::dice::Dice;

pub const NAMES: [&str; 20] = [
    "kappa",
    "alpha",
    "grid_points",
    "grid_span",
    "folds",
    "seed",
    "t",
    "position_bias",
    "personal",
    "theta_update",
    "pair_model",
    "fdr",
    "bias_test",
    "on_bad_row",
    "max_seconds",
    "annotator",
    "left",
    "choice",
    "weight",
    "kapa",
];
const SIMULATION: [&str; 8] = [
    "annotators",
    "items",
    "votes_each",
    "seed",
    "ties",
    "graded",
    "noise",
    "biased",
];

pub fn case(dice: &mut Dice) {
    let options = dice.json(&NAMES);
    let simulation = dice.json(&SIMULATION);
    let outcomes = [
        (&options, Options::from_json(&options).err()),
        (&simulation, Simulation::from_json(&simulation).err()),
    ];
    for (json, error) in outcomes {
        let Some(error) = error else { continue };
        assert_eq!(error.kind(), ErrorKind::Option, "{json}: {error}");
        assert!(error.to_string().len() > 10, "{json}: {error}");
    }
}
