//! What the model cannot tell from these votes.

use crate::fit::{Chosen, Fit};

/// Fewer votes than this hardly tell a habit from chance.
const FEW: f64 = 20.0;

pub(super) fn list(fit: &Fit, chosen: &Chosen) -> String {
    let doubts = [
        components(fit),
        few_votes(fit),
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
        Some(
            "Whether the sides were drawn by chance. If better items stood on the left more often, \
             the model accounts for it as far as the votes show how good they are, no further."
                .into(),
        ),
    ];
    let items = doubts.into_iter().flatten();
    let items: String = items.map(|doubt| format!("<li>{doubt}</li>\n")).collect();
    format!("<ul>\n{items}</ul>\n")
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

fn few_votes(fit: &Fit) -> Option<String> {
    let clicks = &fit.clicks;
    let votes = |u: usize| clicks.left[u] + clicks.right[u] + clicks.ties[u];
    let users = fit.annotators.len();
    let few = (0..users).filter(|&u| votes(u) < FEW).count();
    (few > 0).then(|| {
        format!(
            "Much about {few} of the {users} annotators, who cast fewer than {FEW} votes each: even a \
             strong habit of theirs would hardly show, and without proof the model takes them to \
             follow the consensus."
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

fn prediction(fit: &Fit, chosen: &Chosen) -> Option<String> {
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
    Some(if gain < 1.0 {
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

fn edge_of_grid(fit: &Fit, chosen: &Chosen) -> Option<String> {
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
