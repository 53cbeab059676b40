//! The picture of the best items against each other.

use me_hodgerank::{CompareOptions, Fit, Options, Plot, Result, Simulation, VoteBuilder};

fn fit(items: usize) -> Result<Fit> {
    let options = Options::default();
    let simulation = Simulation {
        items,
        annotators: 20,
        votes_each: 30,
        ..Simulation::default()
    };
    let mut votes = VoteBuilder::new(&options);
    for batch in simulation.run()? {
        votes.push_batch(&batch?)?;
    }
    Fit::new(&votes.finish()?, &options)
}

/// The texts of the cells, in the order in which they are drawn.
fn cells(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let in_group = |node: &roxmltree::Node<'_, '_>| {
        node.parent()
            .is_some_and(|group| group.attribute("class") == Some("me-bright"))
    };
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    texts
        .filter(in_group)
        .filter_map(|text| text.text())
        .map(String::from)
        .collect()
}

#[test]
fn cells_have_the_predicted_and_the_observed_share() -> Result<()> {
    let fit = fit(6)?;
    let mut expected = Vec::new();
    for pair in fit.compare(CompareOptions::default())? {
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let (predicted, observed) = (pair.predicted_share, pair.observed_share().unwrap());
        expected.extend([predicted, observed, 1.0 - predicted, 1.0 - observed].map(percent));
    }
    let svg = fit.plot(Plot::Matrix)?;
    assert_eq!(cells(&svg), expected);
    let unsettled = fit.compare(CompareOptions::default())?;
    let unsettled = unsettled.iter().filter(|pair| pair.q_value > 0.05).count();
    assert_eq!(svg.matches("not settled</title>").count(), 2 * unsettled);
    Ok(())
}

#[test]
fn only_the_best_are_drawn() -> Result<()> {
    let svg = fit(40)?.plot(Plot::Matrix)?;
    assert!(svg.contains("The best 15 of 40 items"), "{svg}");
    assert_eq!(svg.matches("<rect fill").count(), 15 * 14);
    Ok(())
}
