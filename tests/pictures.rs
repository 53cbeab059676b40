//! Predictions, pictures and the report.

mod table;

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use me_hodgerank::{
    BiasTest, ChoiceRef, ErrorKind, Fit, IdRef, IdType, Options, PairModel, Plot, Predictor,
    ResultSet, Row, Run, Simulation, VoteBuilder, Votes,
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
    fit.report().unwrap();
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
fn the_report_needs_nothing_but_itself() {
    let html = demo_fit().report().unwrap();
    for word in ["<script", "<link", "<img", "@import", "url(", "javascript:"] {
        assert!(!html.contains(word), "{word}");
    }
    let addresses = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!addresses.contains("://"));
    assert_eq!(html.matches("<svg").count(), 6);
}

/// Made-up votes, of which some annotators cast but a few; rows forwards or backwards.
fn uneven(options: &Options, backwards: bool) -> Fit {
    let batches = demo().run().unwrap().map(Result::unwrap);
    let mut rows = Vec::new();
    for batch in batches {
        let ints = |name: &str| batch[name].as_primitive::<Int64Type>().clone();
        let ids = ["annotator", "left", "right"].map(ints);
        let choices = batch["choice"].as_primitive::<Float64Type>();
        rows.extend((0..batch.num_rows()).map(|row| {
            let [who, left, right] = ids.each_ref().map(|column| column.value(row));
            (who, left, right, choices.value(row))
        }));
    }
    let mut cast = [0; 41];
    rows.retain(|row| {
        cast[row.0 as usize] += 1;
        row.0 % 8 != 0 || cast[row.0 as usize] <= 7
    });
    if backwards {
        rows.reverse();
    }
    let mut builder = VoteBuilder::new(options);
    let integer = IdType::int(true, 64);
    builder.expect_ids(integer, integer, integer);
    for (who, left, right, choice) in rows {
        let [annotator, left, right] = [who, left, right].map(|id| Some(IdRef::Int(id.into())));
        let choice = Some(ChoiceRef::Number(choice));
        let row = Row {
            annotator,
            left,
            right,
            choice,
            weight: None,
            fold: None,
        };
        builder.push(row).unwrap();
    }
    fit(&builder.finish(&mut Run::new()).unwrap(), options)
}

/// The verdict's place among those that are listed; None if it is not.
fn worry(verdict: &str) -> Option<usize> {
    match verdict {
        "clicks left" | "clicks right" => Some(0),
        "against the consensus" => Some(1),
        "own taste" => Some(2),
        "ok" | "too few votes to tell" => None,
        _ => panic!("{verdict}"),
    }
}

#[test]
fn whoever_stands_out_is_listed_with_the_verdict_of_the_result_set() {
    let at_rate = |fdr| Options {
        fdr,
        ..Options::default()
    };
    for options in [at_rate(None), at_rate(Some(0.3))] {
        let fit = uneven(&options, false);
        let html = fit.report().unwrap();
        let annotators = fit.table(ResultSet::Annotators).unwrap();
        let text = |name: &str, row: usize| annotators[name].as_string::<i32>().value(row);
        let rows = 0..annotators.num_rows();
        let mut expected: Vec<(usize, f64, String)> = rows
            .filter_map(|row| {
                let verdict = text("verdict", row);
                let kind = worry(verdict)?;
                let p = match kind {
                    0 => numbers(&annotators, "position_bias_p_value"),
                    _ => numbers(&annotators, "deviation_p_value"),
                };
                let who = integers(&annotators, "annotator")[row].unwrap();
                let line = format!(
                    "<b><bdi>{who}</bdi></b> <span class=\"verdict kind{kind}\">{verdict}</span> {}",
                    text("evidence", row)
                );
                Some((kind, p[row].unwrap(), line))
            })
            .collect();
        // Stable: those who are equally sure stay in the order of entry.
        expected.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let list = between(&html, "<ol class=\"people\">", "</ol>");
        let listed: Vec<&str> = list.split("<li>").skip(1).collect();
        assert_eq!(listed.len(), expected.len());
        for (line, (kind, _, start)) in listed.iter().zip(&expected) {
            let rest = line.strip_prefix(start.as_str());
            let rest = rest.unwrap_or_else(|| panic!("{line} instead of {start}"));
            let example = rest.starts_with("; puts <bdi>");
            assert!(
                rest.starts_with(".</li>") || (example && *kind > 0),
                "{line}"
            );
        }
        assert!(list.contains("; puts <bdi>"));
        assert_eq!(expected.iter().map(|line| line.0).max(), Some(2));
    }
}

#[test]
fn the_counts_of_the_report_are_those_of_the_result_set() {
    let fit = uneven(&Options::default(), false);
    let html = fit.report().unwrap();
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    let verdicts = annotators["verdict"].as_string::<i32>();
    let count =
        |wanted: &dyn Fn(usize) -> bool| (0..annotators.num_rows()).filter(|&r| wanted(r)).count();
    let kinds = [0, 1, 2].map(|kind| count(&|row| worry(verdicts.value(row)) == Some(kind)));
    let [sides, against, tastes] = kinds;
    let few = count(&|row| verdicts.value(row) == "too few votes to tell");
    let flag = |name: &str, row: usize| annotators[name].as_boolean().value(row);
    let spared = count(&|row| {
        let entered = flag("is_position_biased", row) || flag("is_personalized", row);
        verdicts.value(row) == "ok" && entered
    });
    assert!(
        sides > 1 && against > 1 && tastes > 1 && few > 1 && spared > 1,
        "{kinds:?}"
    );
    let lead = format!(
        "{} of them stand out: {sides} click one side, whatever is shown there; {against} vote \
         against the consensus; {tastes} have a taste of their own. Of {few} there are too few \
         votes to tell.",
        sides + against + tastes
    );
    assert!(html.contains(&lead), "{lead}");
    let spared = format!("{spared} of the others have a habit or a taste in the model as well");
    assert!(html.contains(&spared), "{spared}");
    let few = format!("{few} cast fewer than 10 votes that were not a tie: too few to tell");
    assert!(html.contains(&few), "{few}");
}

#[test]
fn nobody_is_listed_where_nobody_stands_out() {
    let simulation = Simulation {
        annotators: 10,
        votes_each: 6,
        ..demo()
    };
    let options = Options::default();
    let html = fit(&simulated(simulation, &options), &options)
        .report()
        .unwrap();
    assert!(html.contains("None of them stands out. Of 10 there are too few votes to tell."));
    assert!(html.contains("<p>Nobody: ") && !html.contains("<ol class=\"people\">"));
}

#[test]
fn the_report_does_not_depend_on_the_order_of_rows() {
    let options = Options::default();
    let [one, two] = [false, true].map(|backwards| uneven(&options, backwards));
    assert_eq!(one.report().unwrap(), two.report().unwrap());
    assert_eq!(
        one.plot(Plot::Ranking).unwrap(),
        two.plot(Plot::Ranking).unwrap()
    );
}

#[test]
fn the_verdicts_say_what_they_assume() {
    let by = |bias_test| Options {
        fdr: Some(0.2),
        bias_test,
        ..Options::default()
    };
    let report = |options: Options| uneven(&options, false).report().unwrap();
    let html = report(by(BiasTest::PValue));
    assert!(html.contains("Whether the sides were drawn by lot.") && html.contains("at most 20 %"));
    let html = report(by(BiasTest::Knockoff));
    assert!(html.contains("Whether all share the consensus.") && !html.contains("drawn by lot"));
}

#[test]
fn every_item_that_is_drawn_has_its_interval() {
    let options = Options::default();
    for items in [10, 80, 120] {
        let simulation = Simulation { items, ..demo() };
        let fit = fit(&simulated(simulation, &options), &options);
        let ranking = fit.table(ResultSet::Ranking).unwrap();
        let rows = 0..ranking.num_rows();
        let is_drawn = |row: &usize| items <= 80 || *row < 40 || *row >= items - 40;
        let drawn: Vec<usize> = rows.filter(is_drawn).collect();
        let column = |name: &str| {
            let values = numbers(&ranking, name);
            drawn
                .iter()
                .map(|&row| values[row].unwrap())
                .collect::<Vec<f64>>()
        };
        let [score, low, high] = ["score", "score_low", "score_high"].map(column);
        let svg = fit.plot(Plot::Ranking).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let places = |name: &str, class: &str, attribute: &str| -> Vec<f64> {
            let nodes = elements(&document, name, class).into_iter();
            nodes
                .map(|node| node.attribute(attribute).unwrap().parse().unwrap())
                .collect()
        };
        // The first dot is the legend's.
        let dots = places("circle", "me-f0", "cx").split_off(1);
        let [from, to] = ["x1", "x2"].map(|end| places("line", "me-whisker", end));
        assert_eq!([dots.len(), from.len(), to.len()], [drawn.len(); 3]);
        assert_eq!(
            elements(&document, "line", "me-whisker-end").len(),
            2 * drawn.len()
        );
        assert_eq!(
            places("line", "me-whisker", "y1"),
            places("circle", "me-f0", "cy").split_off(1)
        );
        let last = drawn.len() - 1;
        let unit = (dots[0] - dots[last]) / (score[0] - score[last]);
        for k in 0..drawn.len() {
            let expected = [low[k], high[k]].map(|end| dots[k] + unit * (end - score[k]));
            assert!(
                (from[k] - expected[0]).abs() < 0.3,
                "{} {expected:?}",
                from[k]
            );
            assert!((to[k] - expected[1]).abs() < 0.3, "{} {expected:?}", to[k]);
        }
    }
}

#[test]
fn the_table_in_the_report_has_the_intervals() {
    let fit = demo_fit();
    let html = fit.report().unwrap();
    let ranking = fit.table(ResultSet::Ranking).unwrap();
    for row in 0..ranking.num_rows() {
        let integer = |name: &str| integers(&ranking, name)[row].unwrap();
        let number = |name: &str| {
            let value = numbers(&ranking, name)[row].unwrap();
            format!("{value:.3}").replace('-', "−")
        };
        let cells = format!(
            "<tr><td>{}</td><td>{}–{}</td><td class=\"id\"><bdi>{}</bdi></td><td>{}</td>\
             <td>{} to {}</td>",
            integer("rank"),
            integer("rank_low"),
            integer("rank_high"),
            integer("item"),
            number("score"),
            number("score_low"),
            number("score_high")
        );
        assert!(html.contains(&cells), "{cells}");
    }
}

/// Paper over rock over scissors over paper, three votes to one each.
fn circle(options: &Options, names: [&'static str; 3]) -> Fit {
    let [paper, rock, scissors] = names;
    let mut rows = Vec::new();
    for who in ["ann", "ben", "cat", "dan"] {
        let choice = if who == "dan" { "right" } else { "left" };
        for (left, right) in [(paper, rock), (rock, scissors), (scissors, paper)] {
            rows.push(table::row((who, left, right, choice)));
        }
    }
    table::fit(options, rows).unwrap()
}

#[test]
fn circles_are_told_in_a_sentence() {
    let names = ["paper", "rock", "scissors"];
    let html = circle(&Options::default(), names).report().unwrap();
    let section = unexplained(&html);
    assert!(
        section.contains("explains none of how the votes on the pairs lean"),
        "{section}"
    );
    let sentence = "<li><bdi>paper</bdi> over <bdi>rock</bdi> (75 % of 4 votes), <bdi>rock</bdi> over \
                    <bdi>scissors</bdi> (75 % of 4 votes), <bdi>scissors</bdi> over \
                    <bdi>paper</bdi> (75 % of 4 votes).</li>";
    assert!(section.contains(sentence), "{section}");
    assert_eq!(section.matches("<li>").count(), 1);
    // Strengths are no shares, nor are log-odds.
    for strength in ["0.5", "1.5", "3"] {
        let rows = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")].map(|(left, right)| Row {
            choice: Some(ChoiceRef::Number(strength.parse().unwrap())),
            ..table::row(("ann", left, right, "left"))
        });
        let options = Options {
            position_bias: false,
            ..Options::default()
        };
        let html = table::fit(&options, rows).unwrap().report().unwrap();
        assert!(
            unexplained(&html).contains("over <bdi>b</bdi> (by "),
            "{html}"
        );
    }
    let options = Options {
        pair_model: PairModel::BradleyTerry,
        ..Options::default()
    };
    let html = circle(&options, names).report().unwrap();
    let section = unexplained(&html);
    let by = (3.5f64 / 1.5).ln();
    let sentence = format!("<bdi>paper</bdi> over <bdi>rock</bdi> (by {by:.4}, 4 votes)");
    assert!(section.contains(&sentence), "{section}");
    assert!(
        section.contains("only with <code>pair_model</code> 'uniform'"),
        "{section}"
    );
}

#[test]
fn a_hostile_item_in_a_circle_stays_text() {
    let hostile = "</bdi><script>alert('x')</script>\" onload=\"y";
    let html = circle(&Options::default(), ["paper", hostile, "scissors"])
        .report()
        .unwrap();
    let shown = "&lt;/bdi&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;y";
    let section = unexplained(&html);
    assert!(
        section.contains(&format!("<bdi>{shown}</bdi> over <bdi>paper</bdi>"))
            || section.contains(&format!("<bdi>paper</bdi> over <bdi>{shown}</bdi>")),
        "{section}"
    );
    assert!(!html.contains("<script") && !html.contains(hostile));
}

#[test]
fn the_shares_and_circles_are_those_of_the_result_sets() {
    let simulation = Simulation {
        items: 60,
        votes_each: 9,
        ..demo()
    };
    let options = Options::default();
    let fit = fit(&simulated(simulation, &options), &options);
    let html = fit.report().unwrap();
    let section = unexplained(&html);
    let summary = fit.table(ResultSet::Summary).unwrap();
    let share = |name: &str| {
        let share = numbers(&summary, name)[0].unwrap();
        assert!((0.005..0.995).contains(&share), "{name} {share}");
        format!("{:.0} %", 100.0 * share)
    };
    let [consensus, local, global, personal, bias, noise] = [
        "consensus_share",
        "local_cycle_share",
        "global_cycle_share",
        "personal_cycle_share",
        "position_bias_cycle_share",
        "noise_cycle_share",
    ]
    .map(share);
    for words in [
        format!("explains {consensus} of how"),
        format!(": {local} in circles of three items (a over b, b over c, c over a), {global} in"),
        format!(
            "puts {personal} down to personal tastes and {bias} to favourite sides; {noise} is"
        ),
    ] {
        assert!(section.contains(&words), "{words}: {section}");
    }
    let triangles = fit.table(ResultSet::Triangles).unwrap();
    assert!(triangles["is_circle"].as_boolean().value(4));
    let lines: Vec<&str> = section.split("<li>").skip(1).collect();
    assert_eq!(lines.len(), 5);
    for (row, line) in lines.iter().enumerate() {
        let [a, b, c] =
            ["item_a", "item_b", "item_c"].map(|name| integers(&triangles, name)[row].unwrap());
        let flows =
            ["flow_ab", "flow_bc", "flow_ca"].map(|name| numbers(&triangles, name)[row].unwrap());
        for ((over, under), flow) in [(a, b), (b, c), (c, a)].into_iter().zip(flows) {
            let percent = 50.0 + 50.0 * flow;
            let side = format!("<bdi>{over}</bdi> over <bdi>{under}</bdi> ({percent:.0} % of ");
            assert!(line.contains(&side), "{side}: {line}");
        }
    }
}

#[test]
fn where_there_are_no_circles_the_report_says_so() {
    let report = |rows: &[table::TextRow]| {
        let rows: Vec<_> = rows.iter().copied().map(table::row).collect();
        let fit = table::fit(&Options::default(), rows).unwrap();
        fit.report().unwrap()
    };
    // Nothing but ties.
    let html = report(&[("ann", "a", "b", "tie"), ("ben", "b", "c", "tie")]);
    assert!(unexplained(&html).contains("The votes on each pair cancel out"));
    assert!(unexplained(&html).contains("no three were compared with each other"));
    // Two pairs are ranked as they are.
    let html = report(&[("ann", "a", "b", "left"), ("ben", "b", "c", "right")]);
    assert!(unexplained(&html).contains("explains all of it"));
    assert!(unexplained(&html).contains("no three were compared with each other"));
    // All agree, but "always" twice cannot be "twice always".
    let html = report(&[
        ("ann", "a", "b", "left"),
        ("ann", "b", "c", "left"),
        ("ben", "c", "a", "right"),
    ]);
    assert!(unexplained(&html).contains("nowhere do the votes prefer"));
}

/// Every item is compared with all others but its neighbour.
fn dense(items: i64) -> Fit {
    let options = Options {
        t: Some(0.0),
        position_bias: false,
        personal: false,
        ..Options::default()
    };
    let mut builder = VoteBuilder::new(&options);
    for left in 0..items {
        for right in (left + 1..items).filter(|right| left ^ 1 != *right) {
            let ids = [1, left, right].map(|id| Some(IdRef::Int(id.into())));
            let choice = if (7 * left + 3 * right) % 11 < 6 {
                1.0
            } else {
                -1.0
            };
            let row = Row {
                annotator: ids[0],
                left: ids[1],
                right: ids[2],
                choice: Some(ChoiceRef::Number(choice)),
                weight: None,
                fold: None,
            };
            builder.push(row).unwrap();
        }
    }
    fit(&builder.finish(&mut Run::new()).unwrap(), &options)
}

#[test]
fn too_many_triples_are_left_alone() {
    let fit = dense(860);
    assert!(!fit.has(ResultSet::Triangles));
    let html = fit.report().unwrap();
    let section = unexplained(&html);
    assert!(section.contains("too many items to tell circles of three from longer ones"));
    assert!(section.contains("too many items to look for circles of three"));
}

#[test]
fn a_report_can_be_stopped() {
    let mut poll = || ControlFlow::Break(());
    let error = dense(300)
        .report_within(&mut Run::new().poll(&mut poll))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

fn unexplained(html: &str) -> &str {
    between(
        html,
        "<h2>What the ranking leaves unexplained</h2>",
        "</section>",
    )
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from}"));
    rest.split_once(to).unwrap().0
}
