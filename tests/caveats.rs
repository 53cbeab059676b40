//! What is said of the votes themselves: repeated rows, a vote that outweighs all others.

mod table;

use me_hodgerank::{Caveat, Fit, IdRef, Options, ResultSet, Row, Simulation, VoteBuilder};
use table::{TextRow, row, simulated};

/// Fast, and the parts that are tested here do not look at the path.
fn quick() -> Options {
    Options {
        t: Some(1.0),
        ..Options::default()
    }
}

fn fit_rows(rows: &[TextRow]) -> Fit {
    let rows: Vec<Row<'static>> = rows.iter().copied().map(row).collect();
    table::fit(&quick(), rows).unwrap()
}

/// A table that was imported twice knows no more than before.
#[test]
fn repeated_rows_are_counted_and_prove_nothing() {
    let rows = |times: usize| {
        let names = ["ann", "ben", "cat", "dan", "eve"];
        let votes = names.into_iter().flat_map(|who| {
            let choice = if who == "eve" { "right" } else { "left" };
            [
                (who, "a", "b", choice),
                (who, "b", "c", choice),
                (who, "c", "a", choice),
                (who, "a", "d", choice),
                (who, "d", "b", "left"),
                (who, "c", "d", "right"),
            ]
        });
        votes
            .flat_map(move |vote| vec![vote; times])
            .collect::<Vec<TextRow>>()
    };
    let (once, thrice) = (fit_rows(&rows(1)), fit_rows(&rows(3)));
    for (once, thrice) in once
        .triangles()
        .unwrap()
        .iter()
        .zip(thrice.triangles().unwrap())
    {
        assert!((once.p_value - thrice.p_value).abs() < 1e-9);
    }
    let [one, three] = [&once, &thrice].map(|fit| fit.summary().unwrap());
    assert!((one.shares.chance.unwrap() - three.shares.chance.unwrap()).abs() < 1e-9);

    assert_eq!(
        (one.repeated_rows, three.repeated_rows),
        (Some(0), Some(60))
    );
    assert_eq!((one.caveats, once.caveats().unwrap()), (None, vec![]));
    assert!(once.table(ResultSet::Summary).unwrap()["caveats"].is_null(0));
    let expected = Caveat::RepeatedRows {
        repeated: 60,
        rows: 90,
    };
    assert_eq!(thrice.caveats().unwrap(), [expected]);
    let sentence = "Of 90 rows, 60 repeat another one: the same annotator, items and choice. Each \
                    counts as a vote of its own, so that verdicts are too sure if a join or a second \
                    import made them; SELECT DISTINCT leaves them out.";
    assert_eq!(three.caveats.as_deref(), Some(sentence));
    assert!(
        thrice
            .report()
            .unwrap()
            .contains(&format!("<li>{sentence}</li>"))
    );
}

/// With few pairs, annotators meet the same one again.
#[test]
fn few_pairs_repeat_without_a_caveat() {
    let simulation = Simulation {
        items: 4,
        ..Simulation::default()
    };
    let fit = Fit::new(&simulated(simulation, &quick()), &quick()).unwrap();
    let summary = fit.summary().unwrap();
    assert!(summary.repeated_rows.unwrap() as f64 > 0.1 * summary.votes);
    assert_eq!(summary.caveats, None);
}

/// One vote of 1000 among thousands of about 1.
#[test]
fn a_vote_that_dominates_is_named() {
    let simulation = Simulation {
        graded: true,
        ..Simulation::default()
    };
    let options = quick();
    let rows = |typo: Option<Row<'static>>| {
        let mut builder = VoteBuilder::new(&options);
        for batch in simulation.clone().run().unwrap() {
            builder.push_batch(&batch.unwrap()).unwrap();
        }
        typo.into_iter().for_each(|row| builder.push(row).unwrap());
        Fit::new(&builder.finish().unwrap(), &options).unwrap()
    };
    assert_eq!(rows(None).caveats().unwrap(), []);
    let with_typo = rows(Some(Row::new(7, 3, 5, -1000)));
    let caveats = with_typo.caveats().unwrap();
    let [
        Caveat::DominantVote {
            annotator,
            left,
            right,
            choice,
            share,
            ..
        },
    ] = &caveats[..]
    else {
        panic!("{caveats:?}");
    };
    assert_eq!(
        [annotator.unwrap(), *left, *right],
        [7, 3, 5].map(IdRef::Int)
    );
    assert!(*choice == -1000.0 && *share > 0.9);
    let text = with_typo.summary().unwrap().caveats.unwrap();
    assert!(
        text.starts_with(
            "One vote outweighs the others: annotator 7, left 3, right 5, choice -1000;"
        ),
        "{text}"
    );
    let again = Fit::from_bytes(&with_typo.to_bytes()).unwrap();
    assert_eq!(again.caveats().unwrap(), caveats);
}

/// Ids are the caller's: the report shows them as text.
#[test]
fn a_hostile_id_in_a_caveat_stays_text() {
    let votes = (0..30).map(|k| Row::new("ann", "a", "b", if k % 2 == 0 { 1.5 } else { -1.5 }));
    let typo = Row::new("<script>alert(1)</script>", "a", "b", 1e6);
    let report = table::fit(&quick(), votes.chain([typo]))
        .unwrap()
        .report()
        .unwrap();
    assert!(report.contains("annotator &#39;&lt;script&gt;"));
    assert!(!report.contains("<script"));
}
