//! What a ranking gains if annotators are left out by their verdict.

use me_hodgerank::{Fit, IdRef, Options, Result, Verdict};

use crate::crowds::{Crowd, Kind};

/// Prints how well four rankings agree with the truth, by Kendall's τ: HodgeRank and the
/// mixed model, with everybody and without those whose votes are no judgement of the items.
pub fn leaving_out(name: &str, kind: Kind, draws: u64) -> Result<()> {
    let crowd = Crowd {
        items: 40,
        spread: 0.7,
        kinds: vec![(kind, 0.3)],
        ..Crowd::default()
    };
    let mut sums = [0.0; 4];
    for seed in 0..draws {
        let drawn = crowd.draw(seed)?;
        let all = Fit::new(&drawn.votes, &Options::default())?;
        let mut is_kept = vec![true; drawn.kinds.len()];
        for one in all.annotators()? {
            let is_judgement = matches!(
                one.verdict,
                Verdict::Ok | Verdict::OwnTaste | Verdict::TooFewVotes
            );
            is_kept[index(one.annotator)] = is_judgement;
        }
        let kept = crowd.draw_some(seed, |annotator| is_kept[annotator])?;
        let kept = Fit::new(&kept.votes, &Options::default())?;
        for (k, fit) in [&all, &kept].into_iter().enumerate() {
            let ranking = fit.ranking()?;
            let tau = |score: &dyn Fn(usize) -> f64| {
                let pairs = ranking
                    .iter()
                    .enumerate()
                    .map(|(row, one)| (score(row), drawn.scores[index(one.item)]));
                kendall(&pairs.collect::<Vec<_>>()) / draws as f64
            };
            sums[2 * k] += tau(&|row| ranking[row].hodgerank_score);
            sums[2 * k + 1] += tau(&|row| ranking[row].score);
        }
    }
    let [hodgerank, mixed, hodgerank_kept, mixed_kept] = sums;
    println!(
        "{name:34} everybody: HodgeRank {hodgerank:.3}, mixed {mixed:.3}   \
         some left out: HodgeRank {hodgerank_kept:.3}, mixed {mixed_kept:.3}"
    );
    Ok(())
}

fn index(id: IdRef<'_>) -> usize {
    match id {
        IdRef::Int(id) => id as usize,
        IdRef::Text(id) => unreachable!("{id} is not a number"),
    }
}

/// Kendall's τ of two scores.
fn kendall(pairs: &[(f64, f64)]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (k, a) in pairs.iter().enumerate() {
        for b in &pairs[..k] {
            sum += ((a.0 - b.0) * (a.1 - b.1)).signum();
            count += 1.0;
        }
    }
    sum / count
}
