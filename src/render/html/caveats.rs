//! What the model cannot tell from these votes.

use crate::findings::{AnnotatorFinding, Caveat, RankedItem, Summary};
use crate::render::text::escape;

/// Fewer votes than this hardly tell a rank.
const MIN_VOTES: f64 = 20.0;

/// What the votes themselves make doubtful; nothing if there is nothing.
pub(super) fn of_votes(caveats: &[Caveat<'_>]) -> String {
    let sentences = caveats.iter().map(|caveat| escape(&caveat.to_string()));
    let sentences: String = sentences.map(|text| format!("<li>{text}</li>\n")).collect();
    match caveats.is_empty() {
        true => String::new(),
        false => format!(
            "<div class=\"caveats\">\n<p><b>Before you act on it</b></p>\n<ul>\n{sentences}</ul>\n</div>\n"
        ),
    }
}

/// What any votes leave open, and these in particular.
pub(super) fn list(
    summary: &Summary,
    ranking: &[RankedItem<'_>],
    annotators: &[AnnotatorFinding<'_>],
) -> String {
    let knows_annotators = summary.annotators.is_some();
    let caveats = [
        components(summary),
        few_comparisons(ranking),
        prediction(summary),
        edge_of_grid(summary),
        skipped(summary),
        knows_annotators.then(|| {
            "Why somebody clicks as they do. A pull to one side may be haste, a default button or a \
             thumb; a vote against the consensus may be a taste, or a question read the wrong way \
             round."
                .into()
        }),
        knows_annotators.then(|| sides(summary, annotators).into()),
        (!knows_annotators).then(|| {
            "Whether some annotators click one side, vote against the others or cast most of the \
             votes: nobody knows who voted. The intervals take every vote for independent of the \
             others, and are too narrow if it is not."
                .into()
        }),
    ];
    let items = caveats.into_iter().flatten();
    let items: String = items.map(|caveat| format!("<li>{caveat}</li>\n")).collect();
    format!("<ul>\n{items}</ul>\n")
}

/// What the verdicts about position bias assume.
fn sides(summary: &Summary, annotators: &[AnnotatorFinding<'_>]) -> &'static str {
    let mut p_values = annotators.iter().map(|one| one.position_bias_p_value);
    match summary.has_knockoffs {
        false if p_values.all(|p| p == 1.0) => {
            "Whether anybody clicks one side: that was not looked for, or there are too few votes."
        }
        false => {
            "Whether the sides were drawn by lot. The verdicts “clicks left” and “clicks right” \
             assume that your software decides by chance which of two items is shown on the left. \
             If it does not, if for example the new version always stands on the left, somebody who \
             likes what is shown there cannot be told from somebody who clicks there: do not hold \
             it against them."
        }
        true => {
            "Whether all share the consensus. The verdicts “clicks left” and “clicks right” (by the \
             knockoff filter) assume that, and that all are about equally sure of their votes. How \
             the sides were drawn does not matter to them."
        }
    }
}

fn components(summary: &Summary) -> Option<String> {
    let components = summary.components;
    (components > 1).then(|| {
        format!(
            "How items of different components compare: the items fall into {components} groups that \
             nobody compared with each other. Ranks and scores hold within a group."
        )
    })
}

fn few_comparisons(ranking: &[RankedItem<'_>]) -> Option<String> {
    let few = ranking.iter().filter(|item| item.votes < MIN_VOTES).count();
    (few > 0).then(|| {
        format!(
            "The exact rank of {few} of the {} items, which were voted on fewer than {MIN_VOTES} times.",
            ranking.len()
        )
    })
}

fn prediction(summary: &Summary) -> Option<String> {
    summary.annotators?; // without annotators nothing is compared with the plain ranking
    let (Some(hodgerank), Some(mixed)) = (summary.hodgerank_error, summary.mixed_error) else {
        return Some(
            "How well it predicts: the stopping time was given, not chosen on held-out votes."
                .into(),
        );
    };
    let gain = 100.0 * (1.0 - mixed / hodgerank);
    if !gain.is_finite() {
        return None;
    }
    Some(if gain <= 0.0 {
        "Whether personal effects matter here: they make held-out votes no more predictable than the \
         plain ranking does."
            .into()
    } else if gain < 1.0 {
        format!(
            "Whether personal effects matter here: they make held-out votes hardly more predictable \
             ({gain:.1} % less error than the plain ranking)."
        )
    } else {
        format!(
            "Everything about a vote: knowing habits and tastes takes {gain:.0} % off the error on \
             held-out votes; the rest is chance, or something that votes do not show."
        )
    })
}

fn edge_of_grid(summary: &Summary) -> Option<String> {
    let is_validated = summary.mixed_error.is_some();
    (summary.is_last_grid_time && is_validated).then(|| {
        "Whether an even later time would be better: the last one that was tried is the best so far. \
         A larger <code>grid_span</code> goes further."
            .into()
    })
}

fn skipped(summary: &Summary) -> Option<String> {
    (summary.skipped_rows > 0).then(|| {
        format!(
            "What {} rows meant that could not be used and were skipped.",
            summary.skipped_rows
        )
    })
}
