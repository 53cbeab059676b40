//! Pictures.

use super::*;

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
        uneven_votes(40, 60),
        uneven_votes(450, 40),
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
    // All but the matrix, whose numbers are a table's.
    assert_eq!(inline.len(), Plot::ALL.len() - 1);
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
