//! How far a fit is, as it tells the one who waits for it.

use std::ops::ControlFlow;

use me_hodgerank::{ErrorKind, Execution, Fit, Options, Simulation, VoteBuilder, Votes};

fn votes(annotators: usize) -> Votes {
    let simulation = Simulation {
        annotators,
        items: 10,
        votes_each: 30,
        ..Simulation::default()
    };
    let mut votes = VoteBuilder::new(&Options::default());
    for batch in simulation.run().unwrap() {
        votes.push_batch(&batch.unwrap()).unwrap();
    }
    votes.finish().unwrap()
}

/// The shares that were told, and the fit.
fn followed(votes: &Votes, options: &Options, execution: Execution<'_>) -> (Vec<f64>, Fit) {
    let mut told = Vec::new();
    let mut execution = execution.progress(|share| told.push(share));
    let fit = Fit::new_within(votes, options, &mut execution).unwrap();
    drop(execution);
    (told, fit)
}

#[test]
fn shares_go_up_to_1_whatever_is_fitted() {
    let no_folds = Options {
        folds: 0,
        ..Options::default()
    };
    let hodgerank = Options {
        position_bias: Some(false),
        personal: Some(false),
        ..Options::default()
    };
    for annotators in [2, 60] {
        let votes = votes(annotators);
        for options in [&Options::default(), &no_folds, &hodgerank] {
            let alone = Fit::new(&votes, options).unwrap();
            for threads in [1, 3] {
                let execution = || Execution::new().threads(threads);
                let (told, fit) = followed(&votes, options, execution());
                assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
                assert!(told.first().is_some_and(|share| *share >= 0.0));
                assert_eq!(told.last(), Some(&1.0));
                assert_eq!(fit, alone);
                // Where cross-validation stops early, the rest is jumped over.
                let (told, _) = followed(&votes, options, execution().early_stopping());
                assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
                assert_eq!(told.last(), Some(&1.0));
            }
        }
    }
}

#[test]
fn a_fit_that_is_stopped_does_not_come_to_1() {
    let votes = votes(200);
    let hours = Options {
        kappa: 1e5,
        ..Options::default()
    };
    let mut told = Vec::new();
    let mut polls = 0;
    let mut execution = Execution::new()
        .progress(|share| told.push(share))
        .poll(|| {
            polls += 1;
            match polls < 5 {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
    let error = Fit::new_within(&votes, &hours, &mut execution).unwrap_err();
    drop(execution);
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert!(told.iter().all(|share| *share < 0.5), "{told:?}");
}
