//! Pictures.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// The annotators who stand out by their verdict, as text.
fn stand_out(fit: &Fit) -> BTreeSet<String> {
    let annotators = fit.annotators().unwrap().into_iter();
    let others = ["ok", "too few votes to tell"];
    let found = annotators.filter(|one| !others.contains(&one.verdict.name()));
    found.map(|one| text_of(one.annotator)).collect()
}

fn text_of(id: IdRef<'_>) -> String {
    match id {
        IdRef::Int(number) => number.to_string(),
        IdRef::Text(text) => text.to_string(),
    }
}

fn attribute(node: &roxmltree::Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// The ids that stand in a picture as labels, with their positions.
fn labels(document: &roxmltree::Document<'_>) -> Vec<(String, [f64; 2])> {
    let texts = elements(document, "text", "me-ink").into_iter();
    let labels = texts.filter(|node| node.text().unwrap().parse::<i64>().is_ok());
    let position = |node: &roxmltree::Node<'_, '_>| ["x", "y"].map(|name| attribute(node, name));
    let label = |node: roxmltree::Node<'_, '_>| (node.text().unwrap().into(), position(&node));
    labels.map(label).collect()
}

/// As [`demo`], of whom each casts another number of votes.
fn uneven(annotators: usize, votes_each: i64) -> Fit {
    let simulation = Simulation {
        annotators,
        votes_each: votes_each as usize,
        ..demo()
    };
    let options = Options::default();
    let mut builder = VoteBuilder::new(&options);
    let mut cast = vec![0; annotators + 1];
    for batch in simulation.run().unwrap() {
        let batch = batch.unwrap();
        let ints = |name: &str| batch[name].as_primitive::<Int64Type>().clone();
        let (who, left, right) = (ints("annotator"), ints("left"), ints("right"));
        let choices = batch["choice"].as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let annotator = who.value(row);
            cast[annotator as usize] += 1;
            if cast[annotator as usize] <= votes_each / 2 + annotator * 7 % (votes_each / 2) {
                let ids = [annotator, left.value(row), right.value(row)];
                let [annotator, left, right] = ids.map(|id| Some(IdRef::Int(id.into())));
                let choice = Some(ChoiceRef::Number(choices.value(row)));
                builder
                    .push(Row {
                        annotator,
                        left,
                        right,
                        choice,
                        weight: None,
                        fold: None,
                    })
                    .unwrap();
            }
        }
    }
    fit(&builder.finish().unwrap(), &options)
}

#[test]
fn everybody_on_the_path_has_a_line_and_everybody_who_stands_out_a_label() {
    let fit = demo_fit();
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    let ids = integers(&annotators, "annotator");
    for (plot, order) in [
        (Plot::PathDeviation, "deviation_order"),
        (Plot::PathPositionBias, "position_bias_order"),
    ] {
        let svg = fit.plot(plot).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let order = integers(&annotators, order);
        let entered = ids.iter().zip(&order).filter(|(_, order)| order.is_some());
        let entered: BTreeSet<String> = entered.map(|(id, _)| id.unwrap().to_string()).collect();
        let stand_out: BTreeSet<String> = stand_out(&fit).intersection(&entered).cloned().collect();
        assert!(stand_out.len() > 2 && entered.len() > stand_out.len() + 10);
        assert_eq!(elements(&document, "polyline", "").len(), entered.len());
        let lines = elements(&document, "polyline", "me-line");
        assert_eq!(lines.len(), stand_out.len());
        // They, and nobody else, are named.
        let labels: Vec<_> = labels(&document).into_iter().map(|(id, _)| id).collect();
        assert_eq!(labels.len(), stand_out.len());
        assert_eq!(labels.into_iter().collect::<BTreeSet<_>>(), stand_out);
        assert!(
            texts(&svg)
                .concat()
                .contains("Those who stand out are labelled.")
        );
    }
}

#[test]
fn without_a_chosen_time_those_who_enter_first_are_labelled() {
    let options = Options {
        folds: 0,
        ..Options::default()
    };
    let fit = fit(&simulated(demo(), &options), &options);
    let svg = fit.plot(Plot::PathDeviation).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let mut seen = Vec::new();
    for point in fit.path() {
        if let PathEffect::Deviation(annotator) = point.effect
            && !seen.contains(&annotator)
        {
            seen.push(annotator);
        }
    }
    let labels: BTreeSet<_> = labels(&document).into_iter().map(|(id, _)| id).collect();
    assert!(
        labels.len() >= 10 && labels.len() < seen.len(),
        "{labels:?}"
    );
    assert!(
        texts(&svg)
            .concat()
            .contains("No time was chosen: the first ")
    );
    // Several may enter at the same grid time.
    let latest = seen
        .iter()
        .position(|&id| text_of(id) == *labels.last().unwrap());
    assert!(latest.is_some_and(|position| position < labels.len() + 10));
}

#[test]
fn very_many_lines_become_a_band() {
    let simulation = Simulation {
        annotators: 900,
        items: 8,
        votes_each: 40,
        ..demo()
    };
    let options = Options::default();
    let fit = fit(&simulated(simulation, &options), &options);
    let stand_out = stand_out(&fit);
    let svg = fit.plot(Plot::PathPositionBias).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(elements(&document, "polygon", "me-rest").len(), 2);
    let labels = labels(&document);
    assert_eq!(labels.len(), 20);
    assert!(labels.iter().all(|(id, _)| stand_out.contains(id)));
    // All lines are of those who stand out, in the colour of a verdict.
    let lines = elements(&document, "polyline", "");
    assert!((100..=140).contains(&lines.len()), "{}", lines.len());
    for line in &lines {
        let classes = line.attribute("class").unwrap();
        assert!(classes.contains("me-k"), "{classes}");
        let title = line.first_element_child().unwrap().text().unwrap();
        assert!(
            stand_out.contains(title.strip_prefix("annotator ").unwrap()),
            "{title}"
        );
    }
    // It grows no further.
    assert!(svg.len() < 200_000, "{}", svg.len());
}

/// Where a text is on the paper, with letters that are rather too narrow.
fn area(node: &roxmltree::Node<'_, '_>) -> [f64; 4] {
    let parent = node.parent().unwrap();
    let class = [*node, parent].map(|node| node.attribute("class").unwrap_or_default());
    let class = class.join(" ");
    let is = |name: &str| class.split(' ').any(|one| one == name);
    let size = match () {
        () if is("me-title") => 16.0,
        () if is("me-small") || is("me-bright") || is("me-dark") => 11.0,
        () => 13.0,
    };
    let width = 0.5 * size * node.text().unwrap_or_default().chars().count() as f64;
    let is_middle =
        node.attribute("text-anchor") == Some("middle") || is("me-bright") || is("me-dark");
    let before = match node.attribute("text-anchor") {
        Some("end") => width,
        _ if is_middle => width / 2.0,
        _ => 0.0,
    };
    match parent.attribute("transform") {
        None => {
            let [x, y] = ["x", "y"].map(|name| attribute(node, name));
            [x - before, y - 0.7 * size, x - before + width, y]
        }
        Some(transform) => {
            let numbers = transform.strip_prefix("translate(").unwrap();
            let (x, rest) = numbers.split_once(' ').unwrap();
            let y: f64 = rest.split_once(')').unwrap().0.parse().unwrap();
            let x: f64 = x.parse().unwrap();
            [x - 0.7 * size, y + before - width, x, y + before]
        }
    }
}

#[test]
fn texts_neither_collide_nor_leave_the_paper() {
    let model = |kind: &str, number: i64| format!("meta-llama/Llama-3.1-{number}B-Instruct-{kind}");
    let wide = |_: &str, number: i64| format!("WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW{number}");
    let short = |_: &str, number: i64| number.to_string();
    let many = Simulation {
        annotators: 200,
        items: 90,
        ..demo()
    };
    let options = Options::default();
    let fits = [
        renamed(model),
        renamed(wide),
        renamed(short),
        uneven(40, 60),
        uneven(450, 40),
        fit(&simulated(many, &options), &options),
    ];
    let mut compared = 0;
    for (fit, plot) in fits
        .iter()
        .flat_map(|fit| Plot::ALL.map(|plot| (fit, plot)))
    {
        let svg = fit.plot(plot).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let [width, height] =
            ["width", "height"].map(|name| attribute(&document.root_element(), name));
        let texts = elements(&document, "text", "");
        for (k, one) in texts.iter().enumerate() {
            let [left, top, right, bottom] = area(one);
            assert!(
                left >= 0.0 && top >= 0.0 && right <= width && bottom <= height,
                "{plot} {one:?}"
            );
            for other in &texts[..k] {
                let [l, t, r, b] = area(other);
                let collide = left < r && l < right && top < b && t < bottom;
                assert!(!collide, "{plot}: {:?} {:?}", one.text(), other.text());
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000);
}

#[test]
fn pictures_scale_with_what_they_stand_in() {
    let fit = demo_fit();
    let pictures = Plot::ALL.map(|plot| fit.plot(plot).unwrap());
    let html = fit.report().unwrap();
    let inline = html.split("<svg ").skip(1).map(|svg| format!("<svg {svg}"));
    let inline = inline.map(|svg| svg[..svg.find("</svg>").unwrap() + 6].to_string());
    let inline: Vec<String> = inline.collect();
    assert_eq!(inline.len(), Plot::ALL.len());
    for svg in pictures.iter().chain(&inline) {
        let document = roxmltree::Document::parse(svg).unwrap();
        let root = document.root_element();
        let [width, height] = ["width", "height"].map(|name| root.attribute(name).unwrap());
        assert_eq!(
            root.attribute("viewBox").unwrap(),
            format!("0 0 {width} {height}")
        );
        assert_eq!(root.attribute("style"), Some("max-width:100%;height:auto"));
    }
}

#[test]
fn the_ranking_has_its_numbers_beside_the_dots() {
    let fit = demo_fit();
    let svg = fit.plot(Plot::Ranking).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let ends = elements(&document, "text", "").into_iter();
    let ends = ends.filter(|node| node.attribute("text-anchor") == Some("end"));
    let ends: Vec<(&str, f64)> = ends
        .map(|node| (node.text().unwrap(), attribute(&node, "y")))
        .collect();
    let mut rows = ends.chunks(4);
    let words = |row: &[(&str, f64)]| {
        row.iter()
            .map(|(text, _)| text.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(rows.next().unwrap()),
        ["rank", "item", "model", "HodgeRank"]
    );
    for item in fit.ranking().unwrap() {
        let number = |score: f64| format!("{score:.2}").replace('-', "−");
        let expected = [
            item.rank.to_string(),
            text_of(item.item),
            number(item.score),
            number(item.hodgerank_score),
        ];
        let row = rows.next().unwrap();
        assert_eq!(words(row), expected);
        assert!(row.iter().all(|(_, y)| *y == row[0].1), "{row:?}");
    }
    assert!(rows.next().is_none());
    let summary = fit.summary().unwrap();
    let error = summary.mixed_error.unwrap();
    assert!(fit.plot(Plot::Cv).unwrap().contains(&format!("{error:.4}")));
}

/// What the picture of own rankings shows: the items across, and by row the label and the
/// rank in each column.
type Cells = Vec<(String, Vec<Option<u64>>)>;

fn personal_cells(svg: &str, columns: usize) -> Cells {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = elements(&document, "text", "");
    let is_number = |node: &&roxmltree::Node<'_, '_>| {
        ["me-bright", "me-dark"].contains(
            &node
                .parent()
                .unwrap()
                .attribute("class")
                .unwrap_or_default(),
        )
    };
    let numbers: Vec<_> = texts.iter().filter(is_number).collect();
    let rows = texts
        .iter()
        .filter(|node| node.attribute("text-anchor") == Some("end"));
    let rows = rows.filter(|node| node.attribute("class") == Some("me-ink"));
    let rows = rows.map(|row| (row.text().unwrap().to_string(), attribute(row, "y")));
    let rows: Vec<_> = rows.collect();
    // The consensus has no blank.
    let near = |node: &roxmltree::Node<'_, '_>, y: f64| (attribute(node, "y") - y).abs() < 3.0;
    let consensus = numbers.iter().filter(|node| near(node, rows[0].1));
    let mut across: Vec<f64> = consensus.map(|node| attribute(node, "x")).collect();
    across.sort_by(f64::total_cmp);
    assert_eq!(across.len(), columns);
    let cells = |y: f64| {
        let cell = |x: &f64| {
            let mut here = numbers
                .iter()
                .filter(|node| near(node, y) && attribute(node, "x") == *x);
            here.next()
                .map(|node| node.text().unwrap().parse().unwrap())
        };
        across.iter().map(cell).collect()
    };
    rows.into_iter()
        .map(|(label, y)| (label, cells(y)))
        .collect()
}

#[test]
fn own_rankings_are_those_of_the_result_set_and_unseen_items_stay_blank() {
    let simulation = Simulation {
        items: 20,
        votes_each: 24,
        personal: Some(0.3),
        ..demo()
    };
    let options = Options {
        t: Some(200.0),
        ..Options::default()
    };
    let fit = fit(&simulated(simulation, &options), &options);
    let svg = fit.plot(Plot::Personal).unwrap();
    let mut rows = personal_cells(&svg, 20).into_iter();
    let ranking = fit.ranking().unwrap();
    let (label, cells) = rows.next().unwrap();
    let consensus: Vec<_> = ranking.iter().map(|item| Some(item.rank)).collect();
    assert_eq!((label.as_str(), cells), ("consensus", consensus));
    let own: Vec<PersonalRank<'_>> = fit.personal().unwrap().collect();
    let mut annotators: Vec<String> = own.iter().map(|row| text_of(row.annotator)).collect();
    annotators.dedup();
    let mut drawn = Vec::new();
    let mut blank = 0;
    for (annotator, cells) in rows {
        for (item, cell) in ranking.iter().zip(cells) {
            let mut found = own.iter();
            let row =
                found.find(|row| text_of(row.annotator) == annotator && row.item == item.item);
            let row = row.unwrap();
            assert_eq!(cell, (row.votes > 0.0).then_some(row.rank), "{row:?}");
            blank += usize::from(cell.is_none());
        }
        drawn.push(annotator);
    }
    let words = texts(&svg).join(" ");
    assert!(blank > 0 && words.contains("Blank: the annotator never saw them."));
    // Everybody who deviates, and neighbours are more similar than in the order of entry.
    let length = |order: &[String]| {
        let ranks = |annotator: &String| -> BTreeMap<String, i64> {
            let own = own
                .iter()
                .filter(|row| text_of(row.annotator) == *annotator);
            own.map(|row| (text_of(row.item), row.rank as i64))
                .collect()
        };
        let distance = |pair: &[String]| -> i64 {
            let [one, two] = [ranks(&pair[0]), ranks(&pair[1])];
            one.iter()
                .map(|(item, rank)| (rank - two[item]).abs())
                .sum()
        };
        order.windows(2).map(distance).sum::<i64>()
    };
    let lengths = [&drawn, &annotators].map(|order| length(order));
    assert!(
        drawn.len() > 5 && lengths[0] < lengths[1],
        "{lengths:?} {drawn:?}"
    );
    drawn.sort();
    annotators.sort();
    assert_eq!(drawn, annotators);
}

#[test]
fn ranks_are_written_up_to_twenty_items() {
    let options = Options::default();
    for (items, has_numbers) in [(20, true), (21, false)] {
        let fit = fit(
            &simulated(Simulation { items, ..demo() }, &options),
            &options,
        );
        let svg = fit.plot(Plot::Personal).unwrap();
        assert_eq!(
            svg.contains("<g class=\"me-dark\">"),
            has_numbers,
            "{items}"
        );
    }
}

#[test]
fn every_annotator_has_a_dot_with_its_verdict() {
    // With equal votes the dots are stacked.
    for (fit, has_votes) in [(demo_fit(), false), (uneven(40, 60), true)] {
        let svg = fit.plot(Plot::JumpOut).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let dots = elements(&document, "circle", "").into_iter();
        let dots = dots.map(|node| {
            node.first_element_child()
                .unwrap()
                .text()
                .unwrap()
                .to_string()
        });
        let mut dots: Vec<String> = dots.collect();
        let mut expected = Vec::new();
        for one in fit.annotators().unwrap() {
            let entry = match one.deviation_order {
                Some(order) => format!("entered as number {order}"),
                None => "never entered".into(),
            };
            expected.push(format!(
                "annotator {}: {entry}, {}",
                one.annotator, one.verdict
            ));
        }
        expected.sort();
        dots.sort();
        assert_eq!(dots, expected);
        assert_eq!(texts(&svg).contains(&"votes".to_string()), has_votes);
        // Those who stand out are labelled, at least most of them, and nobody else is.
        let labels: BTreeSet<_> = labels(&document).into_iter().map(|(id, _)| id).collect();
        let stand_out = stand_out(&fit);
        assert!(
            labels.is_subset(&stand_out) && 2 * labels.len() > stand_out.len(),
            "{labels:?}"
        );
    }
}

#[test]
fn very_many_with_equal_votes_are_counted() {
    let simulation = Simulation {
        annotators: 300,
        ..demo()
    };
    let options = Options::default();
    let fit = fit(&simulated(simulation, &options), &options);
    let svg = fit.plot(Plot::JumpOut).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert!(elements(&document, "circle", "").is_empty());
    let heights = |class: &str| {
        let bars = elements(&document, "rect", class).into_iter();
        // The legend's are as wide as they are.
        let bars = bars.filter(|bar| attribute(bar, "height") != 6.0);
        bars.map(|bar| attribute(&bar, "height")).sum::<f64>()
    };
    let all: f64 = ["me-rest", "me-kf0", "me-kf1", "me-kf2", "me-kf3"]
        .map(heights)
        .iter()
        .sum();
    let annotators = fit.annotators().unwrap();
    for (class, verdicts) in [
        ("me-kf0", &["clicks left", "clicks right"][..]),
        ("me-kf1", &["against the consensus"]),
        ("me-kf3", &["own taste"]),
    ] {
        let found = annotators
            .iter()
            .filter(|one| verdicts.contains(&one.verdict.name()));
        let share = found.count() as f64 / 300.0;
        assert!(
            share > 0.01 && (heights(class) / all - share).abs() < 0.01,
            "{class} {share}"
        );
    }
}

#[test]
fn very_many_dots_become_squares() {
    let fit = uneven(450, 40);
    let svg = fit.plot(Plot::JumpOut).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let labels = labels(&document);
    assert_eq!(elements(&document, "circle", "").len(), labels.len());
    assert!(!labels.is_empty() && !elements(&document, "path", "me-rest").is_empty());
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
            "svg", "title", "style", "rect", "text", "line", "polyline", "polygon", "circle",
            "path", "g",
        ];
        for node in document.descendants().filter(|node| node.is_element()) {
            assert!(known.contains(&node.tag_name().name()), "{node:?}");
            let handler =
                |attribute: roxmltree::Attribute<'_, '_>| attribute.name().starts_with("on");
            assert!(!node.attributes().any(handler), "{node:?}");
        }
    }
    let html = fit.report().unwrap();
    // What ends a title or an attribute ends nothing here.
    assert!(
        !html.contains("<script") && !html.contains("alert(7)</") && !html.contains("onload='")
    );
    // The text is there, as text.
    assert!(
        html.contains("&lt;script&gt;alert(7)&lt;/script&gt;&amp;amp;&quot; onload=&#39;x&#39;")
    );
    let svg = fit.plot(Plot::Ranking).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let names = elements(&document, "title", "").into_iter();
    let mut names = names.filter_map(|node| node.text());
    assert!(names.any(|name| {
        name.starts_with("</title></text><script>alert(7)</script>&amp;\" onload='x' ]]>")
    }));
    assert!(
        texts(&svg)
            .iter()
            .any(|text| text.starts_with("script>&amp;"))
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
        position_bias: Some(false),
        personal: Some(false),
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
        assert_eq!(plot.to_string().parse::<Plot>().unwrap(), plot);
    }
    let error = "rankin".parse::<Plot>().unwrap_err().to_string();
    assert!(
        error.contains("unknown picture \"rankin\"; did you mean \"ranking\"?"),
        "{error}"
    );
}
