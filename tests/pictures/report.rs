//! The report.

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
        assert_eq!(expected.iter().map(|line| line.0).max(), Some(3));
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
    let kinds = [0, 1, 3].map(|kind| count(&|row| worry(verdicts.value(row)) == Some(kind)));
    let [sides, against, tastes] = kinds;
    assert_eq!(count(&|row| verdicts.value(row) == "no signal"), 0);
    let few = count(&|row| verdicts.value(row) == "too few votes to tell");
    let has = |name: &str, row: usize| numbers(&annotators, name)[row] != Some(0.0);
    let spared = count(&|row| {
        let entered = has("position_bias", row) || has("deviation", row);
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
    let few =
        format!("Of {few} there are too few votes to tell: fewer than 10 that were not a tie,");
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
        let rows = ["ann", "ben", "cat", "dan"].into_iter().flat_map(|who| {
            let pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")];
            pairs.map(|(left, right)| Row {
                choice: Some(ChoiceRef::Number(strength.parse().unwrap())),
                ..table::row((who, left, right, "left"))
            })
        });
        let options = Options {
            position_bias: Some(false),
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
fn the_shares_are_those_of_the_result_sets() {
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
    let [consensus, local, global, chance, personal, bias, noise] = [
        "consensus_share",
        "local_cycle_share",
        "global_cycle_share",
        "chance_share",
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
        "as much as chance gives; none is beyond chance".to_string(),
        format!("by chance alone would put about {chance} into circles"),
    ] {
        assert!(section.contains(&words), "{words}: {section}");
    }
    // There are circles, and none of them says anything.
    assert!(fit.triangles().unwrap()[0].is_cycle);
    assert!(section.contains("No circle of three items is beyond chance"));
    assert!(!section.contains("<li>"), "{section}");
}

/// Seven circles of three, of eight votes a pair; in each more annotators go the other way.
#[test]
fn circles_beyond_chance_are_those_of_the_result_set() {
    let options = Options {
        t: Some(1.0),
        ..Options::default()
    };
    let mut builder = VoteBuilder::new(&options);
    builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
    for first in (0..7).map(|circle| 3 * circle) {
        for annotator in 0..8 {
            for (left, right) in [(0, 1), (1, 2), (2, 0)] {
                let choice = annotator >= first / 3;
                let row = Row::new(annotator, first + left, first + right, choice);
                builder.push(row).unwrap();
            }
        }
    }
    let fit = fit(&builder.finish().unwrap(), &options);
    let triangles = fit.triangles().unwrap();
    let found = triangles.iter().filter(|one| one.q_value <= 0.1).count();
    assert!(
        (2..5).contains(&found) && triangles.len() > found,
        "{found}"
    );
    let html = fit.report().unwrap();
    let lines: Vec<&str> = unexplained(&html).split("<li>").skip(1).collect();
    assert_eq!(lines.len(), found);
    for (line, triangle) in lines.iter().zip(&triangles) {
        assert!(triangle.is_cycle);
        for (pair, (over, under)) in [(0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
            let percent = 50.0 + 50.0 * triangle.flows[pair];
            let [over, under] = [over, under].map(|item: usize| triangle.items[item]);
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
        position_bias: Some(false),
        personal: Some(false),
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
    fit(&builder.finish().unwrap(), &options)
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
        .report_within(
            &ReportOptions::default(),
            &mut Execution::new().poll(&mut poll),
        )
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
