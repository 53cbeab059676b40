//! What the model cannot tell from these votes.

use crate::fit::{ChosenModel, Fit};

/// Fewer votes than this hardly tell a rank.
const FEW: f64 = 20.0;

pub(super) fn list(fit: &Fit, chosen: &ChosenModel) -> String {
    let doubts = [
        components(fit),
        few_comparisons(fit),
        prediction(fit, chosen),
        edge_of_grid(fit, chosen),
        skipped(fit),
        Some(
            "Why somebody clicks as they do. A pull to one side may be haste, a default button or a \
             thumb; a vote against the consensus may be a taste, a question read the wrong way \
             round, or mischief."
                .into(),
        ),
        Some(sides(fit).into()),
    ];
    let items = doubts.into_iter().flatten();
    let items: String = items.map(|doubt| format!("<li>{doubt}</li>\n")).collect();
    format!("<ul>\n{items}</ul>\n")
}

/// What the verdicts about favourite sides assume.
fn sides(fit: &Fit) -> &'static str {
    match &fit.knockoff {
        None if fit.evidence.bias_p.iter().all(|&p| p == 1.0) => {
            "Whether anybody clicks one side: that was not looked for, or there are too few votes."
        }
        None => {
            "Whether the sides were drawn by lot. The verdicts “clicks left” and “clicks right” \
             assume that your software decides by chance which of two items is shown on the left. \
             If it does not, if for example the new version always stands on the left, somebody who \
             likes what is shown there cannot be told from somebody who clicks there: do not hold \
             it against them."
        }
        Some(_) => {
            "Whether all share the consensus. The verdicts “clicks left” and “clicks right” (by the \
             knockoff filter) assume that, and that all are about equally sure of their votes. How \
             the sides were drawn does not matter to them."
        }
    }
}

fn components(fit: &Fit) -> Option<String> {
    let components = fit.tally.component.iter().max().copied().unwrap_or(0);
    (components > 1).then(|| {
        format!(
            "How items of different components compare: the items fall into {components} groups that \
             nobody compared with each other. Ranks and scores hold within a group."
        )
    })
}

fn few_comparisons(fit: &Fit) -> Option<String> {
    let tally = &fit.tally;
    let votes = |i: usize| tally.wins[i] + tally.losses[i] + tally.ties[i];
    let few = (0..fit.items.len()).filter(|&i| votes(i) < FEW).count();
    (few > 0).then(|| {
        format!(
            "The exact rank of {few} of the {} items, which were voted on fewer than {FEW} times.",
            fit.items.len()
        )
    })
}

fn prediction(fit: &Fit, chosen: &ChosenModel) -> Option<String> {
    let Some(curve) = &fit.validation else {
        return Some(
            "How well it predicts: the stopping time was given, not chosen on held-out votes."
                .into(),
        );
    };
    let (plain, mixed) = (curve.hodgerank_error, curve.error[chosen.grid_index]);
    let gain = 100.0 * (1.0 - mixed / plain);
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

fn edge_of_grid(fit: &Fit, chosen: &ChosenModel) -> Option<String> {
    let last = chosen.grid_index + 1 == fit.path.grid.len() && chosen.grid_index > 0;
    (last && fit.validation.is_some()).then(|| {
        "Whether an even later time would be better: the last one that was tried is the best so far. \
         A larger <code>grid_span</code> goes further."
            .into()
    })
}

fn skipped(fit: &Fit) -> Option<String> {
    (fit.totals.skipped > 0).then(|| {
        format!(
            "What {} rows meant that could not be used and were skipped.",
            fit.totals.skipped
        )
    })
}
