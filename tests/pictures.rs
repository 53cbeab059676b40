//! Predictions, pictures and the report.

mod table;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{
    ChoiceRef, Fit, IdRef, IdType, Options, Plot, Predictor, ResultSet, Row, Run, Simulation,
    VoteBuilder, Votes,
};
use table::simulated;

fn demo() -> Simulation {
    Simulation {
        annotators: 40,
        items: 12,
        ties: 0.1,
        ..Simulation::default()
    }
}

fn fit(votes: &Votes, options: &Options) -> Fit {
    Fit::new(votes, options, &mut Run::new()).unwrap()
}

fn demo_fit() -> Fit {
    let options = Options::default();
    fit(&simulated(demo(), &options), &options)
}

/// The same votes with other ids; `name` makes one of a number and what it is.
fn renamed(name: impl Fn(&str, i64) -> String) -> Fit {
    let options = Options::default();
    let mut builder = VoteBuilder::new(&options);
    builder.expect_ids(IdType::Text, IdType::Text, IdType::Text);
    for batch in demo().run().unwrap() {
        let batch = batch.unwrap();
        let ints = |name: &str| batch[name].as_primitive::<Int64Type>().clone();
        let (annotators, left, right) = (ints("annotator"), ints("left"), ints("right"));
        let choices = batch["choice"].as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let who = name("annotator", annotators.value(row));
            let (left, right) = (
                name("item", left.value(row)),
                name("item", right.value(row)),
            );
            builder
                .push(Row {
                    annotator: Some(IdRef::Text(&who)),
                    left: Some(IdRef::Text(&left)),
                    right: Some(IdRef::Text(&right)),
                    choice: Some(ChoiceRef::Number(choices.value(row))),
                    weight: None,
                    fold: None,
                })
                .unwrap();
        }
    }
    let votes = builder.finish(&mut Run::new()).unwrap();
    fit(&votes, &options)
}

/// The elements with a name and, unless it is empty, a class.
fn elements<'a>(
    document: &'a roxmltree::Document<'_>,
    name: &str,
    class: &str,
) -> Vec<roxmltree::Node<'a, 'a>> {
    let has_class = |node: &roxmltree::Node<'_, '_>| {
        let classes = node.attribute("class").unwrap_or_default();
        class.is_empty() || classes.split(' ').any(|one| one == class)
    };
    document
        .descendants()
        .filter(|node| node.tag_name().name() == name && has_class(node))
        .collect()
}

fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = elements(&document, "text", "");
    texts
        .iter()
        .map(|node| node.text().unwrap_or_default().to_string())
        .collect()
}

fn numbers(batch: &RecordBatch, name: &str) -> Vec<Option<f64>> {
    batch[name].as_primitive::<Float64Type>().iter().collect()
}

fn integers(batch: &RecordBatch, name: &str) -> Vec<Option<i64>> {
    batch[name].as_primitive::<Int64Type>().iter().collect()
}

#[test]
fn a_prediction_is_the_sum_of_its_parts() {
    let fit = Arc::new(demo_fit());
    let predictor = Predictor::new(fit.clone()).unwrap();
    let ranking = fit.table(ResultSet::Ranking).unwrap();
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    let personal = fit.table(ResultSet::Personal).unwrap();
    let find = |batch: &RecordBatch, keys: &[(&str, i64)], value: &str| {
        let columns: Vec<_> = keys
            .iter()
            .map(|(name, key)| (integers(batch, name), *key))
            .collect();
        let same = |row: &usize| {
            columns
                .iter()
                .all(|(values, key)| values[*row] == Some(*key))
        };
        let row = (0..batch.num_rows()).find(same);
        row.and_then(|row| numbers(batch, value)[row])
            .unwrap_or(0.0)
    };
    let mut biased_and_personal = 0;
    for annotator in 1..=40 {
        let bias = find(&annotators, &[("annotator", annotator)], "position_bias");
        for (left, right) in [(1, 2), (7, 3), (12, 11), (4, 4)] {
            let score = |item| find(&ranking, &[("item", item)], "score");
            let own = |item| {
                find(
                    &personal,
                    &[("annotator", annotator), ("item", item)],
                    "deviation",
                )
            };
            let expected = (score(left) + own(left)) - (score(right) + own(right)) + bias;
            let [a, l, r] = [annotator, left, right].map(|id| IdRef::Int(id.into()));
            assert_eq!(predictor.vote(a, l, r), expected);
            biased_and_personal += i32::from(bias != 0.0 && own(left) != 0.0);
            let plain = |item| find(&ranking, &[("item", item)], "hodgerank_score");
            assert_eq!(predictor.hodgerank(l, r), plain(left) - plain(right));
        }
    }
    assert!(biased_and_personal > 0);
}

#[test]
fn strangers_get_the_consensus_and_a_score_of_zero() {
    let fit = Arc::new(demo_fit());
    let predictor = Predictor::new(fit.clone()).unwrap();
    let [nobody, one, nothing] = [-5, 1, 99].map(IdRef::Int);
    let ranking = fit.table(ResultSet::Ranking).unwrap();
    let row = integers(&ranking, "item")
        .iter()
        .position(|item| *item == Some(1))
        .unwrap();
    let score = numbers(&ranking, "score")[row].unwrap();
    assert_eq!(predictor.vote(nobody, one, nothing), score);
    assert_eq!(predictor.vote(nobody, nothing, one), -score);
    assert_eq!(predictor.vote(nobody, nothing, nothing), 0.0);
    let refused = predictor
        .check_types(Some(IdType::Text), None)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("the annotators to be predicted are text"),
        "{refused}"
    );
    assert!(
        predictor
            .check_types(Some(IdType::int(false, 8)), Some(IdType::Mixed))
            .is_ok()
    );
}

#[test]
fn a_prediction_needs_a_chosen_time() {
    let options = Options {
        folds: 0,
        ..Options::default()
    };
    let fit = Arc::new(fit(&simulated(demo(), &options), &options));
    let error = Predictor::new(fit.clone()).err().unwrap();
    assert!(error.to_string().contains("set t"), "{error}");
    // Of the pictures, those of the path can still be drawn.
    let drawn: Vec<_> = Plot::ALL
        .iter()
        .filter(|plot| fit.plot(**plot).is_ok())
        .collect();
    assert_eq!(
        drawn,
        [
            &Plot::PathDeviation,
            &Plot::PathPositionBias,
            &Plot::JumpOut
        ]
    );
    assert!(fit.report().is_err());
}

#[test]
fn every_annotator_who_enters_has_a_line() {
    let fit = demo_fit();
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    for (plot, order) in [
        (Plot::PathDeviation, "deviation_order"),
        (Plot::PathPositionBias, "position_bias_order"),
    ] {
        let svg = fit.plot(plot).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let order = integers(&annotators, order);
        let entered = order.iter().flatten().count();
        assert!(entered > 10);
        assert_eq!(elements(&document, "polyline", "").len(), entered);
        assert_eq!(elements(&document, "polyline", "me-line").len(), 10);
        // The first ten, and nobody else, are named at the right edge.
        let ids = integers(&annotators, "annotator");
        let first = (0..order.len()).filter(|&row| order[row].is_some_and(|place| place <= 10));
        let mut first: Vec<String> = first.map(|row| ids[row].unwrap().to_string()).collect();
        let labels = elements(&document, "text", "me-ink");
        let number = |node: &&roxmltree::Node<'_, '_>| node.text().unwrap().parse::<i64>().is_ok();
        let mut labels: Vec<_> = labels
            .iter()
            .filter(number)
            .map(|node| node.text().unwrap().to_string())
            .collect();
        first.sort();
        labels.sort();
        assert_eq!(labels, first);
    }
}

#[test]
fn labels_at_the_edge_keep_their_distance() {
    let svg = demo_fit().plot(Plot::PathDeviation).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let place =
        |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name)?.parse::<f64>().ok();
    let labels = elements(&document, "text", "me-ink");
    let right = labels
        .iter()
        .filter(|node| place(node, "x").is_some_and(|x| x > 650.0));
    let mut heights: Vec<f64> = right.filter_map(|node| place(node, "y")).collect();
    heights.sort_by(f64::total_cmp);
    assert_eq!(heights.len(), 10);
    assert!(
        heights.windows(2).all(|pair| pair[1] - pair[0] > 14.0),
        "{heights:?}"
    );
}

#[test]
fn the_pictures_show_what_the_tables_say() {
    let fit = demo_fit();
    let ranking = fit.table(ResultSet::Ranking).unwrap();
    let items: Vec<String> = integers(&ranking, "item")
        .iter()
        .map(|item| item.unwrap().to_string())
        .collect();
    let ids = |plot, place: usize| -> Vec<String> {
        let svg = fit.plot(plot).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let ends = elements(&document, "text", "me-ink").into_iter();
        let ends = ends.filter(|node| node.attribute("text-anchor") == Some("end"));
        ends.skip(place)
            .map(|node| node.text().unwrap().to_string())
            .collect()
    };
    assert_eq!(ids(Plot::Ranking, 0), items);
    assert_eq!(ids(Plot::Personal, 0), items);
    // One column for the consensus, one for each who deviates.
    let summary = fit.table(ResultSet::Summary).unwrap();
    let personal = fit.plot(Plot::Personal).unwrap();
    let flagged = integers(&summary, "personalized")[0].unwrap() as usize;
    assert_eq!(personal.matches("<g><title>").count(), flagged + 1);
    // One dot for each annotator.
    assert_eq!(
        fit.plot(Plot::JumpOut).unwrap().matches("<circle").count(),
        40
    );
    let error = numbers(&summary, "mixed_error")[0].unwrap();
    assert!(fit.plot(Plot::Cv).unwrap().contains(&format!("{error:.4}")));
}

#[test]
fn hostile_ids_stay_text() {
    let hostile = |kind: &str, number: i64| {
        format!(
            "</title></text><script>alert({number})</script>&amp;\" onload='x' ]]>\u{1}\u{202e}{kind}"
        )
    };
    let fit = renamed(hostile);
    for plot in Plot::ALL {
        let svg = fit.plot(plot).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert!(elements(&document, "script", "").is_empty());
        let known = [
            "svg", "title", "style", "rect", "text", "line", "polyline", "polygon", "circle", "g",
        ];
        for node in document.descendants().filter(|node| node.is_element()) {
            assert!(known.contains(&node.tag_name().name()), "{node:?}");
            let handler =
                |attribute: roxmltree::Attribute<'_, '_>| attribute.name().starts_with("on");
            assert!(!node.attributes().any(handler), "{node:?}");
        }
    }
    let html = fit.report().unwrap();
    assert!(!html.contains("<script") && !html.contains("</title></text>"));
    // The text is there, as text.
    assert!(
        html.contains("&lt;script&gt;alert(7)&lt;/script&gt;&amp;amp;&quot; onload=&#39;x&#39;")
    );
    assert!(
        texts(&fit.plot(Plot::Ranking).unwrap())
            .iter()
            .any(|text| text.starts_with("</title>"))
    );
}

#[test]
fn any_ids_give_a_picture() {
    let odd: [fn(i64) -> String; 4] = [
        |k| format!("{k}{}", "long ".repeat(100)),
        |k| format!("漢字の項目{k}"),
        |k| {
            if k == 1 {
                String::new()
            } else {
                format!("🙂{k}")
            }
        },
        |k| format!("{k}\n\t\0\u{7f}\u{ffff}"),
    ];
    for make in odd {
        let fit = renamed(|_, number| make(number));
        for plot in Plot::ALL {
            let svg = fit.plot(plot).unwrap();
            roxmltree::Document::parse(&svg).unwrap();
            assert!(texts(&svg).iter().all(|text| text.chars().count() < 110));
        }
        fit.report().unwrap();
    }
}

#[test]
fn the_same_votes_give_the_same_bytes() {
    let (one, two) = (demo_fit(), demo_fit());
    let stored = Fit::from_bytes(&one.to_bytes()).unwrap();
    for plot in Plot::ALL {
        assert_eq!(one.plot(plot).unwrap(), two.plot(plot).unwrap());
        assert_eq!(one.plot(plot).unwrap(), stored.plot(plot).unwrap());
    }
    assert_eq!(one.report().unwrap(), stored.report().unwrap());
}

#[test]
fn a_model_without_effects_is_drawn_as_such() {
    let options = Options {
        position_bias: false,
        personal: false,
        ..Options::default()
    };
    let fit = fit(&simulated(demo(), &options), &options);
    for (plot, words) in [
        (Plot::PathDeviation, "No annotator has this effect"),
        (Plot::PathPositionBias, "No annotator has this effect"),
        (Plot::JumpOut, "No annotator deviates"),
        (Plot::Personal, "nobody deviates"),
    ] {
        let svg = fit.plot(plot).unwrap();
        assert!(texts(&svg).iter().any(|text| text.contains(words)), "{svg}");
    }
    assert!(fit.report().unwrap().contains("Nobody: at the chosen time"));
}

#[test]
fn a_given_time_has_no_curve() {
    let options = Options {
        t: Some(100.0),
        ..Options::default()
    };
    let fit = fit(&simulated(demo(), &options), &options);
    let svg = fit.plot(Plot::Cv).unwrap();
    assert!(
        texts(&svg)
            .iter()
            .any(|text| text.starts_with("There is no curve"))
    );
    assert!(
        fit.report()
            .unwrap()
            .contains("the stopping time was given")
    );
}

#[test]
fn pictures_are_known_by_name() {
    for plot in Plot::ALL {
        assert_eq!(Plot::named(plot.name()).unwrap(), plot);
    }
    let error = Plot::named("rankin").unwrap_err().to_string();
    assert!(
        error.contains("unknown picture \"rankin\"; did you mean \"ranking\"?"),
        "{error}"
    );
}

#[test]
fn the_report_says_it_plainly() {
    let fit = demo_fit();
    let html = fit.report().unwrap();
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    let flag = |name: &str, row: usize| annotators[name].as_boolean().value(row);
    let mut sentences = 0;
    for row in (0..annotators.num_rows()).filter(|&row| flag("is_position_biased", row)) {
        let number = |name: &str| integers(&annotators, name)[row].unwrap();
        let (side, clicks) = if numbers(&annotators, "position_bias")[row].unwrap() > 0.0 {
            ("left", number("left_clicks"))
        } else {
            ("right", number("right_clicks"))
        };
        let who = number("annotator");
        let votes = number("votes");
        let sentence =
            format!("<b><bdi>{who}</bdi></b> clicked {side} on {clicks} of {votes} votes");
        assert!(html.contains(&sentence), "{sentence}");
        sentences += 1;
    }
    assert!(sentences > 2);
    // Nothing is fetched, nothing runs.
    for word in ["<script", "<link", "<img", "@import", "url(", "javascript:"] {
        assert!(!html.contains(word), "{word}");
    }
    let addresses = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!addresses.contains("://"));
    assert_eq!(html.matches("<svg").count(), 6);
}
