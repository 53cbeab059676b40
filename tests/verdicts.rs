//! Verdicts on simulated crowds: a small part of what `make calibration` measures.

#[path = "../examples/calibration/crowds.rs"]
#[allow(dead_code)]
mod crowds;

use crowds::{Crowd, Drawn, Kind, Shown, Sides, Weights};
use me_hodgerank::{AnnotatorFinding, Caveat, Fit, IdRef, Options, Row, Verdict, VoteBuilder};

/// The tests do not use the path, so it may end at once.
fn fit(drawn: &Drawn) -> Fit {
    let options = Options {
        t: Some(0.0),
        ..Options::default()
    };
    Fit::new(&drawn.votes, &options).unwrap()
}

fn kind(drawn: &Drawn, one: &AnnotatorFinding<'_>) -> Kind {
    match one.annotator {
        IdRef::Int(id) => drawn.kinds[id as usize],
        IdRef::Text(id) => panic!("{id}"),
    }
}

/// How often each kind of annotator gets each verdict, over some draws.
fn counts(crowd: &Crowd, draws: u64) -> impl Fn(Kind, Verdict) -> usize {
    let mut given = Vec::new();
    for seed in 1000..1000 + draws {
        let drawn = crowd.draw(seed).unwrap();
        let fit = fit(&drawn);
        let annotators = fit.annotators().unwrap();
        given.extend(
            annotators
                .iter()
                .map(|one| (kind(&drawn, one), one.verdict)),
        );
    }
    move |kind, verdict| given.iter().filter(|one| **one == (kind, verdict)).count()
}

#[test]
fn coin_flippers_have_no_signal_and_are_not_against_anybody() {
    let crowd = Crowd {
        kinds: vec![(Kind::Random, 0.3)],
        ..Crowd::default()
    };
    let counts = counts(&crowd, 5);
    assert!(counts(Kind::Random, Verdict::NoSignal) >= 135); // of 150
    assert!(counts(Kind::Random, Verdict::AgainstConsensus) <= 2);
    assert!(counts(Kind::Random, Verdict::OwnTaste) <= 2);
    assert!(counts(Kind::Honest, Verdict::NoSignal) <= 7); // of 350
    assert!(counts(Kind::Honest, Verdict::Ok) >= 330);
}

#[test]
fn adversaries_with_few_votes_on_each_item_are_found() {
    for (items, votes_each) in [(20, 20), (1000, 60)] {
        let crowd = Crowd {
            items,
            votes_each,
            annotators: 200,
            spread: 3.0,
            kinds: vec![(Kind::Adversary, 0.05)],
            ..Crowd::default()
        };
        let counts = counts(&crowd, 2);
        assert!(counts(Kind::Adversary, Verdict::AgainstConsensus) >= 18); // of 20
        assert_eq!(counts(Kind::Adversary, Verdict::Ok), 0);
        assert!(counts(Kind::Honest, Verdict::AgainstConsensus) <= 2);
    }
}

#[test]
fn honest_annotators_who_see_few_items_or_far_pairs_have_no_own_taste() {
    for (shown, votes_each) in [(Shown::Subset(4), 100), (Shown::FarApart, 60)] {
        let crowd = Crowd {
            shown,
            votes_each,
            spread: 2.5,
            unequal_noise: 0.5,
            ..Crowd::default()
        };
        let counts = counts(&crowd, 5);
        assert!(counts(Kind::Honest, Verdict::OwnTaste) <= 3, "{shown:?}"); // of 500
        assert!(counts(Kind::Honest, Verdict::Ok) >= 490, "{shown:?}");
    }
}

#[test]
fn own_tastes_are_found() {
    let crowd = Crowd {
        votes_each: 150,
        kinds: vec![(Kind::OwnTaste, 0.2)],
        ..Crowd::default()
    };
    let counts = counts(&crowd, 3);
    assert!(counts(Kind::OwnTaste, Verdict::OwnTaste) >= 50); // of 60
    assert!(counts(Kind::Honest, Verdict::OwnTaste) <= 12); // of 240
}

#[test]
fn always_one_side_is_found_in_ten_votes() {
    let crowd = Crowd {
        annotators: 1000,
        votes_each: 10,
        kinds: vec![(Kind::AlwaysOneSide, 0.1)],
        ..Crowd::default()
    };
    let counts = counts(&crowd, 1);
    let called = |kind| counts(kind, Verdict::ClicksLeft) + counts(kind, Verdict::ClicksRight);
    assert!(called(Kind::AlwaysOneSide) >= 85); // of 100
    assert!(called(Kind::Honest) <= 15); // of 900
}

#[test]
fn sides_that_are_not_drawn_by_lot_accuse_nobody_wrongly() {
    let crowd = Crowd {
        sides: Sides::BetterLeft(0.8),
        unequal_noise: 0.8,
        kinds: vec![(Kind::OneSide, 0.1)],
        ..Crowd::default()
    };
    let drawn = crowd.draw(1).unwrap();
    let fit = fit(&drawn);
    let annotators = fit.annotators().unwrap();
    let called = |sought: Kind| {
        let called = annotators.iter().filter(|one| one.is_position_biased);
        called.filter(|one| kind(&drawn, one) == sought).count()
    };
    assert!(called(Kind::OneSide) >= 9 && called(Kind::Honest) <= 3);
    let caveats = fit.caveats().unwrap();
    let Some(Caveat::SidesNotRandom { better_left, .. }) = caveats.first() else {
        panic!("{caveats:?}");
    };
    assert!((0.75..0.85).contains(better_left), "{better_left}");
    let text = fit.summary().unwrap().caveats.unwrap();
    assert!(text.starts_with("The sides were not drawn by lot: the better item stood left in"));

    let by_lot = Crowd::default().draw(1).unwrap();
    assert_eq!(self::fit(&by_lot).caveats().unwrap(), []);
}

/// The new items always stand left. Who likes them more than others do cannot be told from
/// who clicks left.
#[test]
fn where_the_items_say_which_side_they_stand_on_nobody_clicks_one() {
    let crowd = Crowd {
        sides: Sides::EvenLeft,
        kinds: vec![(Kind::AlwaysOneSide, 0.1), (Kind::OwnTaste, 0.2)],
        ..Crowd::default()
    };
    let drawn = crowd.draw(4).unwrap();
    let fit = fit(&drawn);
    assert!(
        !fit.annotators()
            .unwrap()
            .iter()
            .any(|one| one.is_position_biased)
    );
    assert!(matches!(
        fit.caveats().unwrap()[0],
        Caveat::SidesNotRandom { .. }
    ));
}

/// Everything about annotators that does not depend on the unit of weights.
fn said(fit: &Fit) -> Vec<(String, Verdict, String)> {
    let annotators = fit.annotators().unwrap();
    let one = |one: &AnnotatorFinding<'_>| {
        let id = one.annotator.to_string();
        (id, one.verdict, one.evidence.clone())
    };
    annotators.iter().map(one).collect()
}

#[test]
fn the_unit_of_weights_changes_no_word() {
    let crowd = |weight: f64| Crowd {
        weights: Weights::Constant(weight),
        kinds: vec![
            (Kind::Random, 0.1),
            (Kind::Adversary, 0.1),
            (Kind::OwnTaste, 0.1),
            (Kind::OneSide, 0.1),
        ],
        ..Crowd::default()
    };
    let drawn = |weight| crowd(weight).draw(3).unwrap();
    let one = said(&fit(&drawn(1.0)));
    assert_eq!(one, said(&fit(&drawn(3.0))));
    assert_eq!(one, said(&fit(&drawn(1e-6))));
}

#[test]
fn one_mistyped_vote_changes_hardly_a_verdict() {
    let crowd = |typo| Crowd {
        graded: Some(1.0),
        typo,
        ..Crowd::default()
    };
    let drawn = crowd(Some(1000.0)).draw(5).unwrap();
    let fit = fit(&drawn);
    let annotators = fit.annotators().unwrap();
    let called = annotators.iter().filter(|one| one.verdict != Verdict::Ok);
    assert!(called.count() <= 2);
    let caveats = fit.caveats().unwrap();
    assert!(matches!(
        caveats[..],
        [Caveat::DominantVote { choice: 1000.0, .. }]
    ));
}

#[test]
fn a_split_crowd_is_called_split_and_nobody_is_against_it() {
    for kinds in [
        (Kind::OtherCamp, 0.5),
        (Kind::OtherCamp, 0.4),
        (Kind::Adversary, 0.5),
    ] {
        let crowd = Crowd {
            kinds: vec![kinds],
            ..Crowd::default()
        };
        let drawn = crowd.draw(7).unwrap();
        let fit = fit(&drawn);
        let annotators = fit.annotators().unwrap();
        let count = |is: &dyn Fn(&AnnotatorFinding<'_>) -> bool| {
            annotators.iter().filter(|one| is(one)).count()
        };
        assert_eq!(count(&|one| one.is_adversarial), 0, "{kinds:?}");
        assert!(count(&|one| one.verdict == Verdict::Ok) >= 95, "{kinds:?}");
        // The camps are the planted ones, whichever is the larger.
        let planted = count(&|one| kind(&drawn, one) == Kind::Honest);
        let first = |one: &AnnotatorFinding<'_>| one.camp == Some(1);
        let agreed = count(&|one| first(one) == (kind(&drawn, one) == Kind::Honest));
        assert!(agreed >= 97 || agreed <= 3, "{kinds:?}: {agreed}");
        let caveats = fit.caveats().unwrap();
        let Some(Caveat::SplitCrowd { sizes, .. }) = caveats.first() else {
            panic!("{kinds:?}: {caveats:?}");
        };
        assert!(sizes[0].abs_diff(planted.max(100 - planted) as u64) <= 3);
    }
}

#[test]
fn many_own_tastes_do_not_make_a_split_crowd() {
    let crowd = Crowd {
        kinds: vec![(Kind::OwnTaste, 0.4)],
        ..Crowd::default()
    };
    for seed in 0..3 {
        let drawn = crowd.draw(seed).unwrap();
        assert!(
            fit(&drawn)
                .annotators()
                .unwrap()
                .iter()
                .all(|one| one.camp.is_none())
        );
    }
}

/// Flags say what the verdict says, and nobody who agrees less than chance is ok.
#[test]
fn one_word_not_two() {
    let crowd = Crowd {
        unequal_noise: 0.8,
        zipf: true,
        kinds: vec![
            (Kind::Random, 0.2),
            (Kind::Adversary, 0.1),
            (Kind::OwnTaste, 0.2),
            (Kind::OneSide, 0.1),
        ],
        ..Crowd::default()
    };
    for seed in 0..3 {
        let drawn = crowd.draw(seed).unwrap();
        let fit = fit(&drawn);
        for one in fit.annotators().unwrap() {
            let by_verdict = match one.verdict {
                Verdict::ClicksLeft | Verdict::ClicksRight => [true, false, false],
                Verdict::OwnTaste => [false, true, false],
                Verdict::AgainstConsensus => [false, false, true],
                _ => [false; 3],
            };
            let flags = [
                one.is_position_biased,
                one.is_personalized,
                one.is_adversarial,
            ];
            assert_eq!(flags, by_verdict, "{one:?}");
            let below_chance = one.agreement.is_some_and(|share| share < 0.5);
            assert!(!(below_chance && one.verdict == Verdict::Ok), "{one:?}");
        }
        let summary = fit.summary().unwrap();
        let annotators = fit.annotators().unwrap();
        let count = |flag: fn(&AnnotatorFinding<'_>) -> bool| {
            Some(annotators.iter().filter(|one| flag(one)).count() as u64)
        };
        assert_eq!(summary.position_biased, count(|one| one.is_position_biased));
        assert_eq!(summary.personalized, count(|one| one.is_personalized));
        assert_eq!(summary.adversarial, count(|one| one.is_adversarial));
        assert_eq!(
            summary.no_signal,
            count(|one| one.verdict == Verdict::NoSignal)
        );
    }
}

/// A table of winners and losers, in which everybody seems to choose left.
#[test]
fn winners_and_losers_have_no_sides() {
    let crowd = Crowd {
        kinds: vec![(Kind::Adversary, 0.1), (Kind::OwnTaste, 0.1)],
        votes_each: 100,
        winners_left: true,
        ..Crowd::default()
    };
    let drawn = crowd.draw(2).unwrap();
    let options = Options {
        t: Some(0.0),
        position_bias: Some(false),
        ..Options::default()
    };
    let fit = Fit::new(&drawn.votes, &options).unwrap();
    let annotators = fit.annotators().unwrap();
    let count = |sought: Kind, verdict: Verdict| {
        let given = annotators.iter().filter(|one| one.verdict == verdict);
        given.filter(|one| kind(&drawn, one) == sought).count()
    };
    assert!(count(Kind::Adversary, Verdict::AgainstConsensus) >= 9);
    assert!(count(Kind::OwnTaste, Verdict::OwnTaste) >= 7);
    assert!(count(Kind::Honest, Verdict::Ok) >= 77);
    let caveats = fit.caveats().unwrap();
    let about_sides = |one: &Caveat<'_>| matches!(one, Caveat::SidesNotRandom { .. });
    assert!(!caveats.iter().any(about_sides));
}

/// One vote of each annotator on few items.
#[test]
fn single_votes_are_tested_without_overflow() {
    let votes = [
        (22, 6, 5, -1.0),
        (24, 5, 2, -1.0),
        (31, 4, 1, 1.0),
        (32, 1, 2, -1.0),
        (36, 1, 3, 1.0),
        (39, 4, 3, 1.0),
        (41, 1, 5, -1.0),
        (42, 5, 3, -1.0),
        (44, 3, 2, 1.0),
        (46, 4, 5, 1.0),
        (49, 6, 4, -1.0),
    ];
    for position_bias in [false, true] {
        let options = Options {
            t: Some(1.0),
            position_bias: Some(position_bias),
            ..Options::default()
        };
        let mut builder = VoteBuilder::new(&options);
        for (annotator, left, right, choice) in votes {
            let row = Row::new(annotator, left, right, choice);
            builder.push(row).unwrap();
        }
        let fit = Fit::new(&builder.finish().unwrap(), &options).unwrap();
        for one in fit.annotators().unwrap() {
            assert_eq!(one.verdict, Verdict::TooFewVotes);
        }
    }
}
