//! Models that were stored by earlier versions. Each file stays as it was written.

use std::path::Path;

use me_hodgerank::{Fit, IdRef, Options, ResultSet, Simulation, VoteBuilder};

/// The format of a model's bytes stands behind the eight bytes of the magic.
fn format(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[8..12].try_into().unwrap())
}

/// What the files hold: the fit of a few simulated votes.
fn fit() -> Fit {
    let options = Options::from_json(r#"{"kappa": 5, "grid_points": 4, "folds": 2}"#).unwrap();
    let simulation = r#"{"annotators": 4, "items": 3, "votes_each": 12, "seed": 11}"#;
    let mut votes = VoteBuilder::new(&options);
    for batch in Simulation::from_json(simulation).unwrap().run().unwrap() {
        votes.push_batch(&batch.unwrap()).unwrap();
    }
    Fit::new(&votes.finish().unwrap(), &options).unwrap()
}

fn stored(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    std::fs::read(path).unwrap()
}

/// A version that reads the format reads all of it; one that does not says what to do.
#[test]
fn a_model_of_format_3_is_read_or_refused_with_a_remedy() {
    let bytes = stored("model_format_3.bin");
    assert_eq!(format(&bytes), 3);
    let present = format(&fit().to_bytes());
    if present != 3 {
        let error = Fit::from_bytes(&bytes).unwrap_err();
        let text = format!(
            "this model has format 3; this version of me_hodgerank reads format {present}: fit it again"
        );
        assert_eq!(error.to_string(), text);
        return;
    }
    let fit = Fit::from_bytes(&bytes).unwrap();
    assert_eq!(fit.to_bytes(), bytes);
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    let ranking = fit.ranking().unwrap();
    assert_eq!(ranking.len(), 3);
    for (item, (id, score)) in ranking.iter().zip([
        (2, 0.6758893280632412),
        (1, -0.17654808959156787),
        (3, -0.49934123847167333),
    ]) {
        assert_eq!(item.item, IdRef::Int(id));
        close(item.score, score);
    }
    assert_eq!(fit.annotators().unwrap().len(), 4);
    assert_eq!(fit.summary().unwrap().kappa, 5.0);
    for set in ResultSet::ALL {
        fit.table(set).unwrap();
    }
    fit.report().unwrap();
}
