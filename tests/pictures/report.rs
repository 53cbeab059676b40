//! The report.

use std::collections::BTreeMap;

use super::*;

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
    fit(&builder.finish().unwrap(), options)
}

/// The verdict's place among those that are listed; None if it is not.
fn worry(verdict: &str) -> Option<usize> {
    match verdict {
        "clicks left" | "clicks right" => Some(0),
        "against the consensus" => Some(1),
        "no signal" => Some(2),
        "own taste" => Some(3),
        "ok" | "too few votes to tell" => None,
        _ => panic!("{verdict}"),
    }
}

/// What stands in the report about those who stand out, the surest of each kind first: the
/// kind and the beginning of the line.
fn expected_lines(fit: &Fit) -> Vec<(usize, String)> {
    let annotators = fit.table(ResultSet::Annotators).unwrap();
    let text = |name: &str, row: usize| annotators[name].as_string::<i32>().value(row);
    let rows = 0..annotators.num_rows();
    let mut expected: Vec<(usize, f64, String)> = rows
        .filter_map(|row| {
            let verdict = text("verdict", row);
            let kind = worry(verdict)?;
            let p = match kind {
                0 => numbers(&annotators, "position_bias_p_value"),
                1 => numbers(&annotators, "against_p_value"),
                2 => numbers(&annotators, "no_signal_p_value"),
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
    // Stable: those who are equally sure stay in the order of the result set.
    expected.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let lines = expected.into_iter();
    lines.map(|(kind, _, line)| (kind, line)).collect()
}

/// The lines about annotators in a section.
fn listed<'a>(html: &'a str, heading: &str) -> Vec<&'a str> {
    let section = between(html, &format!("<h2>{heading}</h2>"), "</section>");
    let list = between(section, "<ul class=\"people\">", "</ul>");
    list.split("<li>").skip(1).collect()
}

const TO_LOOK_AT: &str = "Before you pay: whose votes to look at, and why";
const TASTES: &str = "Tastes of their own";

#[test]
fn whoever_stands_out_is_listed_with_the_verdict_of_the_result_set() {
    let at_rate = |fdr| Options {
        fdr,
        ..Options::default()
    };
    for options in [at_rate(None), at_rate(Some(0.3))] {
        let fit = uneven(&options, false);
        let html = fit.report().unwrap();
        let (tastes, to_look_at): (Vec<_>, Vec<_>) = expected_lines(&fit)
            .into_iter()
            .partition(|(kind, _)| *kind == 3);
        assert!(tastes.len() > 1 && to_look_at.len() > 3);
        for (heading, expected) in [(TO_LOOK_AT, to_look_at), (TASTES, tastes)] {
            let listed = listed(&html, heading);
            assert_eq!(listed.len(), expected.len(), "{heading}");
            for (line, (kind, start)) in listed.iter().zip(&expected) {
                let rest = line.strip_prefix(start.as_str());
                let rest = rest.unwrap_or_else(|| panic!("{line} instead of {start}"));
                let example = rest.starts_with("; puts item <bdi>");
                assert!(
                    rest.starts_with(".</li>") || (example && [1, 3].contains(kind)),
                    "{line}"
                );
            }
            assert!(listed.concat().contains("; puts item <bdi>"));
        }
    }
}

#[test]
fn of_very_many_the_surest_are_listed_and_the_others_counted() {
    let simulation = Simulation {
        annotators: 200,
        careless: Some(0.2),
        ..demo()
    };
    let options = Options::default();
    let fit = fit(&simulated(simulation, &options), &options);
    let html = fit.report().unwrap();
    let of_kind = |wanted: usize| -> Vec<String> {
        let lines = expected_lines(&fit).into_iter();
        let lines = lines.filter(|(kind, _)| *kind == wanted);
        lines.map(|(_, line)| line).collect()
    };
    let sides = of_kind(0);
    assert!(sides.len() > 20);
    let listed = listed(&html, TO_LOOK_AT);
    let of_sides = listed.iter().filter(|line| line.contains("kind0"));
    let of_sides: Vec<_> = of_sides.collect();
    assert_eq!(of_sides.len(), 15);
    for (line, start) in of_sides.iter().zip(&sides) {
        assert!(line.starts_with(start), "{line} instead of {start}");
    }
    let others = format!(
        "less sure than those above: {} “clicks one side”",
        sides.len() - 15
    );
    assert!(html.contains(&others), "{others}");
}

#[test]
fn the_counts_of_the_report_are_those_of_the_result_set() {
    let fit = uneven(&Options::default(), false);
    let html = fit.report().unwrap();
    let annotators = fit.annotators().unwrap();
    let mut counts: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for one in &annotators {
        let (found, votes) = counts.entry(one.verdict.name()).or_default();
        *found += 1;
        *votes += one.votes;
    }
    assert!(
        counts.len() >= 5 && counts["too few votes to tell"].0 > 1,
        "{counts:?}"
    );
    // They stand before everything else.
    let (top, _) = html.split_once("<h2>").unwrap();
    let table = between(top, "<table class=\"verdicts\">", "</table>");
    assert_eq!(table.matches("<tr>").count(), counts.len() + 1);
    for (verdict, (found, votes)) in &counts {
        let cells = format!(">{verdict}</span></td><td>{found}</td><td>{votes}</td>");
        assert!(table.contains(&cells), "{cells}: {table}");
    }
    let needs_a_look = counts.iter();
    let needs_a_look =
        needs_a_look.filter(|(verdict, _)| worry(verdict).is_some_and(|kind| kind < 3));
    let (found, votes) =
        needs_a_look.fold((0, 0.0), |sum, (_, one)| (sum.0 + one.0, sum.1 + one.1));
    let all: f64 = annotators.iter().map(|one| one.votes).sum();
    let headline = format!(
        "<b>The votes of {found} of 40 annotators need a look before they are paid for: {votes} of the \
         {all} votes. {} cast too few to tell.</b>",
        counts["too few votes to tell"].0
    );
    assert!(top.contains(&headline), "{headline}: {top}");
    let spared = annotators.iter().filter(|one| {
        one.verdict.name() == "ok" && (one.position_bias != 0.0 || one.deviation != 0.0)
    });
    let spared = spared.count();
    assert!(spared > 1);
    let spared = format!("{spared} of the others have a habit or a taste in the model as well");
    assert!(html.contains(&spared), "{spared}");
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
    let headline =
        "<b>Nobody's votes need a look before they are paid for. 10 cast too few to tell.</b>";
    assert!(html.contains(headline));
    assert!(html.contains("<p>Nobody: ") && !html.contains("class=\"people\""));
}

#[test]
fn title_and_date_are_the_callers() {
    let fit = demo_fit();
    let plain = fit.report().unwrap();
    assert!(plain.contains("<h1>What the votes say</h1>\n<p class=\"lead\">"));
    let options = ReportOptions {
        title: Some("Tea </title><script>".into()),
        date: Some("14 <b>March</b>".into()),
    };
    let html = fit.report_with(&options).unwrap();
    let shown = "Tea &lt;/title&gt;&lt;script&gt;";
    assert!(html.contains(&format!("<title>{shown}</title>")));
    let date = "<p class=\"date\">14 &lt;b&gt;March&lt;/b&gt;</p>";
    assert!(html.contains(&format!("<h1>{shown}</h1>\n{date}\n<p class=\"lead\">")));
    // Nothing else depends on them.
    let rest = |html: &str| html.split_once("<p class=\"lead\">").unwrap().1.to_string();
    assert_eq!(rest(&html), rest(&plain));
}

/// At 1,000 items and 5,000 annotators: what is listed or drawn of very many is limited.
#[test]
fn a_large_report_stays_small() {
    let simulation = Simulation {
        annotators: 5000,
        items: 1000,
        votes_each: 12,
        ..demo()
    };
    let options = Options {
        t: Some(1000.0),
        ..Options::default()
    };
    let fit = fit(&simulated(simulation, &options), &options);
    let html = fit.report().unwrap();
    assert!(html.len() < 1_000_000, "{}", html.len());
    assert!(html.contains("5000 annotators cast 60,000 votes on 1000 items"));
    for plot in Plot::ALL {
        let svg = fit.plot(plot).unwrap();
        assert!(svg.len() < 300_000, "{plot} {}", svg.len());
    }
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
            "<tr><td>{}</td><td>{}–{}</td><td>{}</td><td class=\"id\"><bdi>{}</bdi></td><td>{}</td>\
             <td>{} to {}</td>",
            integer("rank"),
            integer("rank_low"),
            integer("rank_high"),
            integer("tier"),
            integer("item"),
            number("score"),
            number("score_low"),
            number("score_high")
        );
        assert!(html.contains(&cells), "{cells}");
    }
}
