//! Plain sentences about the annotators who stand out.

use super::count;
use crate::fit::{Chosen, Fit};
use crate::plot::{escape, shown};
use crate::results::{Entries, Ranks};

/// How many are described.
const MOST: usize = 30;

/// The share of votes for one side from which on the items hardly matter.
const ONE_SIDED: f64 = 0.85;

/// Those with an effect at the chosen time, in the order in which they entered.
pub(super) fn list(fit: &Fit, chosen: &Chosen) -> String {
    let people = People::new(fit, chosen);
    let who = people.who();
    if who.is_empty() {
        return "<p>Nobody: at the chosen time all annotators follow the consensus, whatever side \
                the items stand on.</p>\n"
            .into();
    }
    let mut text = String::from("<ol class=\"people\">\n");
    for &annotator in who.iter().take(MOST) {
        text += &people.sentence(annotator);
    }
    text += "</ol>\n";
    if who.len() > MOST {
        text += &format!(
            "<p class=\"note\">{} more are flagged; <code>me_hodgerank_annotators</code> lists them \
             all.</p>\n",
            who.len() - MOST
        );
    }
    text
}

struct People<'a> {
    fit: &'a Fit,
    chosen: &'a Chosen,
    bias: Vec<f64>,
    consensus: Ranks,
}

impl<'a> People<'a> {
    fn new(fit: &'a Fit, chosen: &'a Chosen) -> Self {
        Self {
            fit,
            chosen,
            bias: fit.path.bias.at(chosen.grid_index, fit.annotators.len()),
            consensus: Ranks::new(fit.theta(chosen.grid_index), &fit.tally.component),
        }
    }

    /// The flagged, by the first of their two entries.
    fn who(&self) -> Vec<usize> {
        let users = self.fit.annotators.len();
        let path = &self.fit.path;
        let entries = [&path.bias, &path.deviation].map(|effects| Entries::new(effects, users));
        let deviates = |u: usize| self.personal(u).is_some();
        let mut who: Vec<usize> = (0..users)
            .filter(|&u| self.bias[u] != 0.0 || deviates(u))
            .collect();
        who.sort_by_key(|&u| {
            entries
                .each_ref()
                .map(|e| e.first[u])
                .into_iter()
                .flatten()
                .min()
        });
        who
    }

    /// The place among those with scores of their own.
    fn personal(&self, annotator: usize) -> Option<usize> {
        let annotators = &self.chosen.personal.annotator;
        annotators.binary_search(&(annotator as u32)).ok()
    }

    fn sentence(&self, annotator: usize) -> String {
        let name = escape(&shown(self.fit.annotators.get(annotator)));
        let mut parts = Vec::new();
        if self.bias[annotator] != 0.0 {
            parts.push(self.clicks(annotator));
        }
        match self.personal(annotator) {
            // Who clicks one side all the time has no taste that could be known.
            Some(_) if self.is_one_sided(annotator) => {
                parts.push("what the items were hardly mattered".into());
            }
            Some(index) => parts.push(self.taste(annotator, index)),
            None => {}
        }
        format!("<li><b><bdi>{name}</bdi></b> {}.</li>\n", parts.join("; "))
    }

    fn is_one_sided(&self, annotator: usize) -> bool {
        let clicks = &self.fit.clicks;
        let (left, right) = (clicks.left[annotator], clicks.right[annotator]);
        let votes = left + right + clicks.ties[annotator];
        self.bias[annotator] != 0.0 && left.max(right) > ONE_SIDED * votes
    }

    /// "clicked left on 191 of 200 votes"
    fn clicks(&self, annotator: usize) -> String {
        let clicks = &self.fit.clicks;
        let (left, right) = (clicks.left[annotator], clicks.right[annotator]);
        let votes = left + right + clicks.ties[annotator];
        let (side, clicked) = if self.bias[annotator] > 0.0 {
            ("left", left)
        } else {
            ("right", right)
        };
        let often = format!(
            "clicked {side} on {} of {} votes",
            count(clicked),
            count(votes)
        );
        if 2.0 * clicked > left + right {
            often
        } else {
            often + ", more than the items shown there explain"
        }
    }

    /// "ranks the items in their own way (agrees with the consensus on 62 % of
    /// votes): puts tea 20th, the consensus 2nd"
    fn taste(&self, annotator: usize, index: usize) -> String {
        let agreement = self.chosen.agreement[annotator];
        let mut text = if self.chosen.personal.adversarial[index] {
            "answers against the consensus".to_string()
        } else {
            "ranks the items in their own way".to_string()
        };
        if agreement.is_finite() {
            text += &format!(" (agrees on {:.0} % of votes)", 100.0 * agreement);
        }
        if let Some((item, own)) = self.largest_move(index) {
            text += &format!(
                ": puts <bdi>{}</bdi> at rank {own}, the consensus at {}",
                escape(&shown(self.fit.items.get(item))),
                self.consensus.rank[item]
            );
        }
        text
    }

    /// The item that the annotator saw whose rank differs most, with the own rank.
    fn largest_move(&self, index: usize) -> Option<(usize, i64)> {
        let personal = &self.chosen.personal;
        let seen = personal.starts[index]..personal.starts[index + 1];
        let mut own = self.fit.theta(self.chosen.grid_index).to_vec();
        for k in seen.clone() {
            own[personal.item[k] as usize] += personal.deviation[k];
        }
        let ranks = Ranks::new(&own, &self.fit.tally.component);
        let items = personal.item[seen].iter().map(|&item| item as usize);
        let moved = |&item: &usize| (ranks.rank[item] - self.consensus.rank[item]).abs();
        let item = items
            .rev()
            .max_by_key(moved)
            .filter(|item| moved(item) > 0)?;
        Some((item, ranks.rank[item]))
    }
}
