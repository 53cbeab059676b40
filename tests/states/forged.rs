//! Bytes that are no state, or one that no votes give.

use me_hodgerank::{CountedVotes, ErrorKind, Fit, Options, Row};

use crate::{VOTES, collected, of_numbers, read};

#[test]
fn bytes_that_are_no_state() {
    let state = collected(&Options::default(), &VOTES);
    let bytes = state.to_bytes();
    let message = |bytes: &[u8]| {
        let error = CountedVotes::from_bytes(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::State);
        error.to_string()
    };
    let fit = Fit::new(&state.votes().unwrap(), &Options::default()).unwrap();
    assert_eq!(
        message(&fit.to_bytes()),
        "this is a model, not a state of votes: me_hodgerank_collect makes states, and a model does \
         not hold the votes any more"
    );
    let error = Fit::from_bytes(&bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Model);
    assert_eq!(
        error.to_string(),
        "this is a state of votes, not a model: me_hodgerank_model makes a model of states"
    );
    for nothing in [
        &b""[..],
        b"MEVOTES",
        b"other bytes that are as long as a header",
    ] {
        let text = "this is not a state of votes made by me_hodgerank_collect";
        assert_eq!(message(nothing), text);
    }
    let damaged = "this state of votes is damaged or cut off: collect its votes again";
    for cut in 28..bytes.len() {
        assert_eq!(message(&bytes[..cut]), damaged);
    }
    for index in 12..bytes.len() {
        let mut other = bytes.clone();
        other[index] ^= 1;
        assert_eq!(message(&other), damaged);
    }
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert_eq!(
        message(&newer),
        "this state has format 2; this version of me_hodgerank reads format 1: collect its votes again"
    );
}

/// With a checksum that is right, what a payload says is read or refused; what is read is
/// written again as it was.
fn sealed(state: &[u8], payload: &[u8]) -> Vec<u8> {
    let sum = blake3::hash(payload);
    [&state[..12], &sum.as_bytes()[..16], payload].concat()
}

#[test]
fn a_state_that_no_votes_give_is_refused() {
    let mut options = Options::default();
    options.columns.weight = Some("w".into());
    let rows = [
        Row::new("ann", "a", "b", 0.5).weight(1.0),
        Row::new("bob", "a", "b", -1.0).weight(2.0),
    ];
    let weighted = of_numbers(&options, rows).to_bytes();
    for state in [collected(&Options::default(), &VOTES).to_bytes(), weighted] {
        for index in 28..state.len() {
            for value in 0..=255 {
                let mut payload = state[28..].to_vec();
                payload[index - 28] = value;
                let forged = sealed(&state, &payload);
                if let Ok(read) = CountedVotes::from_bytes(&forged) {
                    assert_eq!(read.to_bytes(), forged, "byte {index} is {value}");
                }
            }
        }
        let longer = [&state[28..], &[0]].concat();
        assert!(CountedVotes::from_bytes(&sealed(&state, &longer)).is_err());
    }
}

/// A payload by its parts: flags, skipped rows, items, annotators, levels, votes.
fn payload(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// Texts as ids: no integers, so many texts, their type, each after its length.
fn texts(ids: &[&str]) -> Vec<u8> {
    let each = ids
        .iter()
        .flat_map(|id| [&[id.len() as u8], id.as_bytes()].concat());
    [0, ids.len() as u8, 0].into_iter().chain(each).collect()
}

/// Numbers after their count.
fn numbers(numbers: &[f64]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    std::iter::once(numbers.len() as u8).chain(bytes).collect()
}

#[test]
fn each_fault_of_a_forged_state_is_found() {
    let state = collected(&Options::default(), &VOTES).to_bytes();
    let reads = |payload: &[u8]| CountedVotes::from_bytes(&sealed(&state, payload)).is_ok();
    let (ab, ann) = (texts(&["a", "b"]), texts(&["ann"]));
    // A vote for the left one of a and b: (0 · 2 + 1) · 3 + 2, twice; one of them.
    let votes: &[u8] = &[1, 2 * 5];
    let check = |name: &str, sound: Vec<u8>, forged: Vec<Vec<u8>>| {
        assert!(reads(&sound), "{name}: the sound one");
        for (index, forged) in forged.iter().enumerate() {
            assert!(!reads(forged), "{name}: forged {index}");
        }
    };
    let plain = |flags: u8, items: &[u8], annotators: &[u8], votes: &[u8]| {
        payload(&[&[flags, 0], items, annotators, votes])
    };
    check(
        "choices that came as numbers",
        plain(3 | 64, &ab, &ann, votes),
        vec![
            plain(3 | 32, &ab, &ann, votes),       // zero, and there is no tie
            plain(3 | 64, &ab, &ann, &[1, 2 * 4]), // others, and there is only a tie
            plain(3 | 128, &ab, &ann, votes),
            plain(3 | 16, &ab, &ann, votes),
        ],
    );
    check(
        "winners and losers",
        plain(1, &ab, &ann, votes),
        vec![
            plain(1, &ab, &ann, &[1, 2 * 3]),
            plain(1 | 64, &ab, &ann, votes),
        ],
    );
    check(
        "items and annotators",
        plain(3, &ab, &ann, votes),
        vec![
            plain(3, &texts(&["a", "b", "c"]), &ann, &[1, 2 * 5]), // nobody saw c
            plain(3, &texts(&["b", "a"]), &ann, votes),
            plain(3, &texts(&["a", "a"]), &ann, votes),
            plain(3, &ab, &texts(&["ann", "bob"]), &[1, 2 * 5, 0]), // bob has no votes
            plain(3, &ab, &ann, &[1, 2 * 2]),                       // a with a
            plain(3, &ab, &ann, &[1, 2 * 12]),                      // beyond the last pair
            plain(3, &ab, &ann, &[2, 2 * 5, 0]),                    // the same vote twice
            plain(3, &[0, 2, 64, 1, b'a', 1, b'b'], &ann, votes),   // texts that are integers
            plain(3, &[0, 2, 0, 1, 0xff, 1, b'b'], &ann, votes),    // not UTF-8
            plain(3, &ab, &ann, &[0x81, 0, 2 * 5]),                 // a number that is too long
        ],
    );
    let leveled =
        |flags: u8, levels: &[u8], votes: &[u8]| payload(&[&[flags, 0], &ab, &ann, levels, votes]);
    // Graded: the pair alone is the key, then the level.
    let graded = |choices: &[f64], votes: &[u8]| leveled(3 | 16 | 64, &numbers(choices), votes);
    check(
        "graded choices",
        graded(&[-0.5, 0.5], &[2, 2, 0, 0, 1]),
        vec![
            graded(&[0.5, -0.5], &[2, 2, 0, 0, 1]),
            graded(&[-0.5, 0.5], &[1, 2, 0]), // nobody chose 0.5
            graded(&[-0.5, 0.5], &[1, 2, 2]), // there is no third
            graded(&[-1.0, 1.0], &[2, 2, 0, 0, 1]), // just sides
            graded(&[-0.0, 0.5], &[2, 2, 0, 0, 1]),
            graded(&[0.5, f64::INFINITY], &[2, 2, 0, 0, 1]),
            graded(&[0.5, f64::NAN], &[2, 2, 0, 0, 1]),
            graded(&[0.5, 1e101], &[2, 2, 0, 0, 1]),
            leveled(3 | 16, &numbers(&[-0.5, 0.5]), &[2, 2, 0, 0, 1]), // not from numbers
        ],
    );
    let weighted = |weights: &[f64]| leveled(3 | 4, &numbers(weights), &[2, 2 * 5, 0, 0, 1]);
    check(
        "weights",
        weighted(&[1.0, 2.0]),
        [
            [0.0, 2.0],
            [-1.0, 2.0],
            [1.0, 1.0],
            [1e-101, 2.0],
            [1.0, 1e101],
        ]
        .map(|weights| weighted(&weights))
        .into(),
    );
    // Folds: the first with its sign in the lowest bit, then differences less 1.
    let folds = |folds: &[u8], votes: &[u8]| leveled(3 | 8, folds, votes);
    check(
        "folds",
        folds(&[2, 1, 0], &[2, 2 * 5, 0, 0, 1]),
        vec![
            folds(&[2, 1, 0], &[2, 2 * 5, 1, 0, 0]), // not ascending
            folds(&[200, 1, 0], &[2, 2 * 5, 0, 0, 1]),
            folds(&[1, 0], &[2, 2 * 5, 0, 0, 1]),
        ],
    );
}

#[test]
fn very_many_votes_in_a_few_bytes() {
    // One different vote: a on b, left, cast so many times more than twice.
    let votes = |times: &[u8]| {
        let (items, annotators) = (texts(&["a", "b"]), texts(&["ann"]));
        payload(&[&[3, 0], &items, &annotators, &[1, 2 * 5 + 1], times])
    };
    let small = collected(&Options::default(), &VOTES[..2]).to_bytes();
    assert_eq!(
        small,
        sealed(&small, &votes(&[0])),
        "the bytes as they are documented"
    );
    let huge = sealed(&small, &votes(&[0xff, 0xff, 0xff, 0xff, 0xff, 0x1f]));
    let error = CountedVotes::from_bytes(&huge).unwrap_err().to_string();
    assert!(
        error.starts_with("a state holds at most 2147483647 votes, and these are "),
        "{error}"
    );
    let half = read(&sealed(&small, &votes(&[0xfe, 0xff, 0xff, 0xff, 0x05])));
    assert_eq!(half.votes_cast(), 0x6000_0000);
    let error = CountedVotes::merge(vec![half.clone(), half]).unwrap_err();
    assert!(
        error.to_string().starts_with("a state holds at most"),
        "{error}"
    );
}
