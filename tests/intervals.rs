//! 95 % intervals hold the true scores about as often as they say, also where the
//! annotators have tastes of their own. `make calibration` has the figures.

use me_hodgerank::{Execution, Fit, Options, Result, Row, VoteBuilder};

const ITEMS: usize = 8;
const ANNOTATORS: usize = 10;

/// Numbers that look random: SplitMix64.
struct Random(u64);

impl Random {
    /// From −1 to 1.
    fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// About standard normal.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.symmetric()).sum::<f64>() / 2.0
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.symmetric() + 1.0) / 2.0 * bound as f64) as usize
    }
}

/// A fit of graded votes on items of equal scores, by annotators with strong tastes.
fn fit(seed: u64) -> Result<Fit> {
    let mut random = Random(seed << 32);
    let mut votes = VoteBuilder::new(&Options::default());
    for annotator in 0..ANNOTATORS {
        let own: Vec<f64> = (0..ITEMS).map(|_| random.normal()).collect();
        for _ in 0..200 {
            let left = random.below(ITEMS);
            let right = (left + 1 + random.below(ITEMS - 1)) % ITEMS;
            let choice = own[left] - own[right] + 0.3 * random.normal();
            votes.push(Row::new(annotator, left, right, choice))?;
        }
    }
    let mut execution = Execution::new().early_stopping();
    Fit::new_within(&votes.finish()?, &Options::default(), &mut execution)
}

#[test]
fn intervals_cover_where_everybody_has_a_taste() -> Result<()> {
    let (mut held, mut all) = (0, 0);
    for seed in 0..60 {
        for item in fit(seed)?.ranking()? {
            held += i32::from(item.score_low <= 0.0 && 0.0 <= item.score_high);
            all += 1;
        }
    }
    let share = f64::from(held) / f64::from(all);
    assert!((0.92..0.99).contains(&share), "{share}");
    Ok(())
}
