//! Pictures of annotators: the paths, who stands out, own rankings.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// The annotators who stand out by their verdict, as text.
fn stand_out(fit: &Fit) -> BTreeSet<String> {
    let annotators = fit.annotators().unwrap().into_iter();
    let others = ["ok", "too few votes to tell"];
    let found = annotators.filter(|one| !others.contains(&one.verdict.name()));
    found.map(|one| text_of(one.annotator)).collect()
}

/// The ids that stand in a picture as labels, with their positions.
fn labels(document: &roxmltree::Document<'_>) -> Vec<(String, [f64; 2])> {
    let texts = elements(document, "text", "me-ink").into_iter();
    let labels = texts.filter(|node| node.text().unwrap().parse::<i64>().is_ok());
    let position = |node: &roxmltree::Node<'_, '_>| ["x", "y"].map(|name| attribute(node, name));
    let label = |node: roxmltree::Node<'_, '_>| (node.text().unwrap().into(), position(&node));
    labels.map(label).collect()
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
    for (fit, has_votes) in [(demo_fit(), false), (uneven_votes(40, 60), true)] {
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
    let fit = uneven_votes(450, 40);
    let svg = fit.plot(Plot::JumpOut).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let labels = labels(&document);
    assert_eq!(elements(&document, "circle", "").len(), labels.len());
    assert!(!labels.is_empty() && !elements(&document, "path", "me-rest").is_empty());
}
