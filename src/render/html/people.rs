//! The annotators who stand out: the verdict on each, and what it rests on.

use super::count;
use crate::findings::rank::Ranks;
use crate::findings::verdict::{FEW_VOTES, Verdict, Verdicts};
use crate::fit::{ChosenModel, Fit};
use crate::render::arrow::{Entries, by_entry};
use crate::render::svg::{escape, shown};

/// How many are listed.
const MOST: usize = 30;

pub(super) struct People<'a> {
    fit: &'a Fit,
    chosen: &'a ChosenModel,
    verdicts: Verdicts<'a>,
    /// By annotator.
    verdict: Vec<Verdict>,
    consensus: Ranks,
}

impl<'a> People<'a> {
    pub fn new(fit: &'a Fit, chosen: &'a ChosenModel) -> Self {
        let verdicts = Verdicts::new(fit, chosen);
        let verdict = (0..fit.annotators.len()).map(|u| verdicts.verdict(u));
        Self {
            fit,
            chosen,
            verdict: verdict.collect(),
            verdicts,
            consensus: Ranks::new(fit.theta(chosen.grid_index), &fit.tally.component),
        }
    }

    /// How many stand out, and in which way.
    pub fn in_short(&self) -> String {
        let kinds = [
            ("clicks", "click", "one side, whatever is shown there"),
            ("votes", "vote", "against the consensus"),
            ("has", "have", "a taste of their own"),
        ];
        let mut parts = Vec::new();
        let mut all = 0;
        for (kind, (one, many, what)) in kinds.into_iter().enumerate() {
            let number = self.number(|verdict| worry(verdict) == Some(kind));
            all += number;
            match number {
                0 => {}
                1 => parts.push(format!("1 {one} {what}")),
                _ => parts.push(format!("{} {many} {what}", count(number as f64))),
            }
        }
        let stand_out = match all {
            0 => "None of them stands out.".into(),
            1 => format!("One of them stands out: {}.", parts.concat()),
            _ => format!(
                "{} of them stand out: {}.",
                count(all as f64),
                parts.join("; ")
            ),
        };
        match self.too_few() {
            0 => stand_out,
            few => format!(
                "{stand_out} Of {} there are too few votes to tell.",
                count(few as f64)
            ),
        }
    }

    /// Those who stand out, the most worrying first, and a word about the others.
    pub fn list(&self) -> String {
        let who = self.who();
        let mut text = match who.len() {
            0 => "<p>Nobody: all annotators vote much as the others do, whatever side the items \
                  stand on, or cast too few votes to tell.</p>\n"
                .into(),
            _ => format!(
                "<p>Of those who are called something here, at most {} % are called so wrongly, on \
                 average. A taste of one's own is no fault: it says that the votes differ from those \
                 of the others, be it a little.</p>\n<ol class=\"people\">\n",
                (1e5 * self.verdicts.rate).round() / 1e3
            ),
        };
        for &annotator in who.iter().take(MOST) {
            text += &self.line(annotator);
        }
        if !who.is_empty() {
            text += "</ol>\n";
        }
        if who.len() > MOST {
            text += &format!(
                "<p class=\"note\">{} more stand out; <code>me_hodgerank_annotators</code> lists \
                 them all.</p>\n",
                who.len() - MOST
            );
        }
        text + &self.others()
    }

    fn number(&self, wanted: impl Fn(Verdict) -> bool) -> usize {
        self.verdict.iter().filter(|&&one| wanted(one)).count()
    }

    fn too_few(&self) -> usize {
        self.number(|verdict| verdict == Verdict::TooFewVotes)
    }

    /// By what they are called, then by how sure it is, then by entry.
    fn who(&self) -> Vec<usize> {
        let users = self.fit.annotators.len();
        let path = &self.fit.path;
        let [bias, deviation] = [&path.bias, &path.deviation].map(|e| Entries::new(e, users));
        let mut who = by_entry(&bias, &deviation);
        who.retain(|&u| worry(self.verdict[u]).is_some());
        who.sort_by(|&a, &b| {
            let by_worry = worry(self.verdict[a]).cmp(&worry(self.verdict[b]));
            let [p, q] = [a, b].map(|u| self.verdicts.p_value(u));
            by_worry.then(p.total_cmp(&q))
        });
        who
    }

    fn line(&self, annotator: usize) -> String {
        let verdict = self.verdict[annotator];
        let name = escape(&shown(self.fit.annotators.get(annotator)));
        let kind = worry(verdict).unwrap_or_default();
        let label = format!(
            "<span class=\"verdict kind{kind}\">{}</span>",
            verdict.name()
        );
        let evidence = self.verdicts.evidence(annotator);
        let example = match verdict {
            Verdict::Against | Verdict::OwnTaste => self.largest_move(annotator),
            _ => None,
        };
        let example = example.unwrap_or_default();
        format!("<li><b><bdi>{name}</bdi></b> {label} {evidence}{example}.</li>\n")
    }

    /// "; puts tea at rank 20, the consensus at 2": the item that the annotator
    /// saw whose rank differs most.
    fn largest_move(&self, annotator: usize) -> Option<String> {
        let personal = &self.chosen.personal;
        let index = personal.annotator.binary_search(&(annotator as u32)).ok()?;
        let seen = personal.starts[index]..personal.starts[index + 1];
        let mut own = self.fit.theta(self.chosen.grid_index).to_vec();
        for k in seen.clone() {
            own[personal.item[k] as usize] += personal.deviation[k];
        }
        let ranks = Ranks::new(&own, &self.fit.tally.component);
        let items = personal.item[seen].iter().map(|&item| item as usize);
        let moved = |&item: &usize| (ranks.rank[item] - self.consensus.rank[item]).abs();
        let item = items.rev().max_by_key(moved)?;
        (moved(&item) > 0).then(|| {
            format!(
                "; puts <bdi>{}</bdi> at rank {}, the consensus at {}",
                escape(&shown(self.fit.items.get(item))),
                ranks.rank[item],
                self.consensus.rank[item]
            )
        })
    }

    /// Those whom the model gives an effect that may be chance, and those of
    /// whom nothing can be told.
    fn others(&self) -> String {
        let users = self.fit.annotators.len();
        let path = &self.fit.path;
        let [bias, deviation] =
            [&path.bias, &path.deviation].map(|e| e.at(self.chosen.grid_index, users));
        let is_ok = |u: &usize| self.verdict[*u] == Verdict::Ok;
        let has_effect = |u: &usize| bias[*u] != 0.0 || deviation[*u] != 0.0;
        let effects = (0..users).filter(is_ok).filter(has_effect).count();
        let few = self.too_few();
        let mut parts = Vec::new();
        if effects > 0 {
            parts.push(format!(
                "{} of the others {} a habit or a taste in the model as well, because that predicts \
                 votes better; but it may well be chance, and the verdict is ok.",
                count(effects as f64),
                if effects == 1 { "has" } else { "have" },
            ));
        }
        if few > 0 {
            parts.push(format!(
                "{} cast fewer than {FEW_VOTES} votes that were not a tie: too few to tell, as even a \
                 strong habit would hardly show.",
                count(few as f64)
            ));
        }
        match parts.len() {
            0 => String::new(),
            _ => format!("<p>{}</p>\n", parts.join(" ")),
        }
    }
}

/// The place of a verdict among those that are listed, the most worrying first.
fn worry(verdict: Verdict) -> Option<usize> {
    match verdict {
        Verdict::ClicksLeft | Verdict::ClicksRight => Some(0),
        Verdict::Against => Some(1),
        Verdict::OwnTaste => Some(2),
        Verdict::TooFewVotes | Verdict::Ok => None,
    }
}
