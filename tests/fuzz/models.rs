//! Models that were damaged by someone who can make a checksum: read or refused.

use std::time::Duration;

use me_hodgerank::{
    ErrorKind, Execution, Fit, IdRef, Options, Plot, Predictor, ReportOptions, ResultSet,
    Simulation, VoteBuilder,
};

use crate::dice::Dice;

/// Magic, format version and checksum.
const HEADER: usize = 28;

pub fn sound() -> Vec<u8> {
    let options = Options::default();
    let simulation = r#"{"annotators": 8, "items": 5, "votes_each": 20, "seed": 3}"#;
    let mut builder = VoteBuilder::new(&options);
    for batch in Simulation::from_json(simulation).unwrap().run().unwrap() {
        builder.push_batch(&batch.unwrap()).unwrap();
    }
    Fit::new(&builder.finish().unwrap(), &options)
        .unwrap()
        .to_bytes()
}

pub fn case(model: &[u8], dice: &mut Dice) {
    let mut bytes = model.to_vec();
    if dice.once_in(8) {
        bytes.truncate(HEADER + dice.below(model.len() - HEADER));
    }
    for _ in 0..=dice.below(3) {
        let index = HEADER + dice.below(bytes.len().max(HEADER + 1) - HEADER);
        let with: Vec<u8> = match dice.below(4) {
            0 => vec![*dice.pick(&[0, 1, 0x7f, 0x80, 0xff])],
            1 => (*dice.pick(&[0.0f64, -1.0, 1e300, 1e-300, 0.5]))
                .to_le_bytes()
                .to_vec(),
            2 => (*dice.pick(&[0u64, 1, 255, 1 << 20, 1 << 40, u64::MAX]))
                .to_le_bytes()
                .to_vec(),
            _ => vec![dice.below(256) as u8],
        };
        for (byte, value) in bytes[index.min(model.len())..].iter_mut().zip(with) {
            *byte = value;
        }
    }
    let checksum = blake3::hash(&bytes[HEADER..]);
    bytes[12..HEADER].copy_from_slice(&checksum.as_bytes()[..16]);
    let fit = match Fit::from_bytes(&bytes) {
        Ok(fit) => fit,
        Err(error) => return assert_eq!(error.kind(), ErrorKind::Model, "{error}"),
    };
    let mut execution = Execution::new().deadline(Duration::from_secs(5));
    let mut errors = Vec::new();
    for set in ResultSet::ALL {
        errors.extend(fit.table_within(set, &mut execution).err());
    }
    for plot in Plot::ALL {
        errors.extend(fit.plot(plot).err());
    }
    errors.extend(
        fit.report_within(&ReportOptions::default(), &mut execution)
            .err(),
    );
    for error in errors {
        assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
    }
    if let Ok(predictor) = Predictor::new(fit.into()) {
        predictor.vote(IdRef::Int(3), IdRef::Int(1), IdRef::Int(2));
    }
}
