//! What the report says about cycles.

use super::*;

/// Paper over rock over scissors over paper, three votes to one each.
fn cycle(options: &Options, names: [&'static str; 3]) -> Fit {
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
fn cycles_are_told_in_a_sentence() {
    let names = ["paper", "rock", "scissors"];
    let html = cycle(&Options::default(), names).report().unwrap();
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
    let html = cycle(&options, names).report().unwrap();
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
fn a_hostile_item_in_a_cycle_stays_text() {
    let hostile = "</bdi><script>alert('x')</script>\" onload=\"y";
    let html = cycle(&Options::default(), ["paper", hostile, "scissors"])
        .report()
        .unwrap();
    let all = "&lt;/bdi&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;y";
    let shown = format!("<bdi title=\"{all}\">…/script&gt;&quot; onload=&quot;y</bdi>");
    let section = unexplained(&html);
    assert!(
        section.contains(&format!("{shown} over <bdi>paper</bdi>"))
            || section.contains(&format!("<bdi>paper</bdi> over {shown}")),
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
        format!(": {local} in cycles of three items (a over b, b over c, c over a), {global} in"),
        format!(
            "puts {personal} down to personal tastes and {bias} to favourite sides; {noise} is"
        ),
        "as much as chance gives; none is beyond chance".to_string(),
        format!("by chance alone would put about {chance} into cycles"),
    ] {
        assert!(section.contains(&words), "{words}: {section}");
    }
    // There are cycles, and none of them says anything.
    assert!(fit.triangles().unwrap()[0].is_cycle);
    assert!(section.contains("No cycle of three items is beyond chance"));
    assert!(!section.contains("<li>"), "{section}");
}

/// Seven cycles of three, of eight votes a pair; in each more annotators go the other way.
#[test]
fn cycles_beyond_chance_are_those_of_the_result_set() {
    let options = Options {
        t: Some(1.0),
        ..Options::default()
    };
    let mut builder = VoteBuilder::new(&options);
    builder.expect_ids(IdType::INT64, IdType::INT64, IdType::INT64);
    for first in (0..7).map(|cycle| 3 * cycle) {
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
fn where_there_are_no_cycles_the_report_says_so() {
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

/// Every item is compared with all others but its neighbour, and further pairs.
fn dense(items: i64, more: &[(i64, i64)]) -> Fit {
    let options = Options {
        t: Some(0.0),
        position_bias: Some(false),
        personal: Some(false),
        ..Options::default()
    };
    let mut builder = VoteBuilder::new(&options);
    let pairs = (0..items).flat_map(|left| (left + 1..items).map(move |right| (left, right)));
    let pairs = pairs.filter(|(left, right)| left ^ 1 != *right);
    for (left, right) in pairs.chain(more.iter().copied()) {
        let choice = (7 * left + 3 * right) % 11 < 6;
        builder.push(Row::new(1, left, right, choice)).unwrap();
    }
    fit(&builder.finish().unwrap(), &options)
}

#[test]
fn too_many_triples_are_left_alone() {
    // In a dense graph every cycle is one of triangles, however many there are.
    let fit = dense(860, &[]);
    assert!(!fit.has(ResultSet::Triangles));
    let html = fit.report().unwrap();
    let section = unexplained(&html);
    assert!(
        section.contains("c over a), none in longer ones."),
        "{section}"
    );
    assert!(section.contains("too many items to look for cycles of three"));
    // Unless there is a way around.
    let fit = dense(860, &[(0, 860), (860, 861), (861, 862), (862, 2)]);
    let html = fit.report().unwrap();
    let section = unexplained(&html);
    assert!(
        section.contains("too many items to tell cycles of three from longer ones"),
        "{section}"
    );
    assert!(section.contains("too many items to look for cycles of three"));
}

#[test]
fn a_report_can_be_stopped() {
    let mut poll = || ControlFlow::Break(());
    let error = dense(300, &[])
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
