//! Pictures.

use super::*;

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
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    let deviation = numbers(&annotators, "deviation");
    let deviating = deviation.iter().filter(|size| **size != Some(0.0)).count();
    assert_eq!(personal.matches("<g><title>").count(), deviating + 1);
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
