//! Crowds of Bradley and Terry: an annotator with sharpness s chooses the left item with
//! the probability 1/(1 + e^{−s(θ_left − θ_right)}).

use me_hodgerank::{Columns, Options, Result, Row, VoteBuilder, Votes};

/// How an annotator of a crowd votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By the scores of the crowd.
    Honest,
    /// By a coin.
    Random,
    /// Against the scores.
    Adversary,
    /// By own scores: those of the crowd, dealt out anew.
    OwnTaste,
    /// On one side in nine of ten votes, by the scores otherwise.
    OneSide,
    /// Always on one side.
    AlwaysOneSide,
    /// By the scores of another camp.
    OtherCamp,
}

/// How the sides of a vote are assigned.
#[derive(Clone, Copy, Debug)]
pub enum Sides {
    Random,
    /// The better item stands left with this probability.
    BetterLeft(f64),
    /// To half of the annotators the better item is shown left with this probability, to
    /// the others right.
    BetterLeftForHalf(f64),
    /// Items of even number are only compared with others of odd number, and stand left.
    EvenLeft,
}

/// Which pairs an annotator is shown.
#[derive(Clone, Copy, Debug)]
pub enum Shown {
    All,
    /// So many items, chosen for each annotator.
    Subset(usize),
    /// One item of the best quarter and one of the worst.
    FarApart,
}

/// The weights of votes.
#[derive(Clone, Copy, Debug)]
pub enum Weights {
    None,
    Constant(f64),
    /// The exponential of a normal number with this standard deviation.
    LogNormal(f64),
}

/// A crowd.
#[derive(Clone, Debug)]
pub struct Crowd {
    pub annotators: usize,
    pub items: usize,
    pub votes_each: usize,
    /// The numbers of votes fall off as 1/rank, with `votes_each` as their mean.
    pub zipf: bool,
    /// The standard deviation of the items' scores.
    pub spread: f64,
    /// The standard deviation of the logarithm of annotators' sharpness.
    pub unequal_noise: f64,
    /// The share of votes that anybody gives by a coin.
    pub lapses: f64,
    pub kinds: Vec<(Kind, f64)>,
    pub sides: Sides,
    pub shown: Shown,
    pub weights: Weights,
    /// Votes are differences of scores plus noise of this standard deviation.
    pub graded: Option<f64>,
    /// One graded vote is this number.
    pub typo: Option<f64>,
    /// The item that won is written down as the left one.
    pub winners_left: bool,
}

impl Default for Crowd {
    fn default() -> Self {
        Self {
            annotators: 100,
            items: 20,
            votes_each: 60,
            zipf: false,
            spread: 1.5,
            unequal_noise: 0.0,
            lapses: 0.0,
            kinds: Vec::new(),
            sides: Sides::Random,
            shown: Shown::All,
            weights: Weights::None,
            graded: None,
            typo: None,
            winners_left: false,
        }
    }
}

/// The votes of a crowd, and the truth.
pub struct Drawn {
    pub votes: Votes,
    /// By annotator, whose ids are 0, 1, 2, …
    pub kinds: Vec<Kind>,
    /// By item, whose ids are 0, 1, 2, …
    pub scores: Vec<f64>,
}

impl Crowd {
    /// The votes for a seed.
    pub fn draw(&self, seed: u64) -> Result<Drawn> {
        self.draw_some(seed, |_| true)
    }

    /// The same votes, but only those of some annotators.
    pub fn draw_some(&self, seed: u64, is_kept: impl Fn(usize) -> bool) -> Result<Drawn> {
        let mut random = Random::new(seed);
        let scores = random.normals(self.items, self.spread);
        let other_camp = random.normals(self.items, self.spread);
        let kinds = self.draw_kinds();
        let mut order: Vec<usize> = (0..self.items).collect();
        order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        let options = Options {
            columns: Columns {
                weight: (!matches!(self.weights, Weights::None)).then(|| "weight".into()),
                ..Columns::default()
            },
            ..Options::default()
        };
        let mut builder = VoteBuilder::new(&options);
        let mut has_typo = false;
        for (annotator, &kind) in kinds.iter().enumerate() {
            let own = match kind {
                Kind::OwnTaste => {
                    let mut own = scores.clone();
                    random.shuffle(&mut own);
                    own
                }
                Kind::Adversary => scores.iter().map(|score| -score).collect(),
                Kind::OtherCamp => other_camp.clone(),
                _ => scores.clone(),
            };
            let sharpness = (self.unequal_noise * random.normal()).exp();
            let favourite = if random.uniform() < 0.7 { 1.0 } else { -1.0 };
            let mut items: Vec<usize> = (0..self.items).collect();
            if let Shown::Subset(size) = self.shown {
                random.shuffle(&mut items);
                items.truncate(size);
            }
            for _ in 0..self.votes_of(annotator) {
                let (mut left, mut right) = self.pair(&items, &order, &mut random);
                if self.is_swapped(annotator, scores[left] > scores[right], &mut random) {
                    std::mem::swap(&mut left, &mut right);
                }
                let difference = sharpness * (own[left] - own[right]);
                let mut choice = self.choice(kind, favourite, difference, &mut random);
                if let (Some(typo), false) = (self.typo, has_typo) {
                    (choice, has_typo) = (typo, true);
                }
                let weight = match self.weights {
                    Weights::None => None,
                    Weights::Constant(weight) => Some(weight),
                    Weights::LogNormal(spread) => Some((spread * random.normal()).exp()),
                };
                if self.winners_left && choice < 0.0 {
                    std::mem::swap(&mut left, &mut right);
                    choice = -choice;
                }
                let row = Row::new(annotator, left, right, choice);
                if is_kept(annotator) {
                    builder.push(weight.map_or(row, |weight| row.weight(weight)))?;
                }
            }
        }
        Ok(Drawn {
            votes: builder.finish()?,
            kinds,
            scores,
        })
    }

    fn draw_kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        for (kind, share) in &self.kinds {
            let count = (share * self.annotators as f64).round() as usize;
            kinds.extend(std::iter::repeat_n(*kind, count));
        }
        kinds.resize(self.annotators, Kind::Honest);
        kinds
    }

    fn votes_of(&self, annotator: usize) -> usize {
        if !self.zipf {
            return self.votes_each;
        }
        // The ranks are spread over the kinds.
        let rank = annotator * 37 % self.annotators + 1;
        let harmonic: f64 = (1..=self.annotators).map(|k| 1.0 / k as f64).sum();
        let all = (self.votes_each * self.annotators) as f64;
        ((all / harmonic / rank as f64) as usize).max(3)
    }

    fn pair(&self, items: &[usize], order: &[usize], random: &mut Random) -> (usize, usize) {
        if let Shown::FarApart = self.shown {
            let quarter = order.len() / 4;
            let worst = order[random.below(quarter)];
            let best = order[order.len() - 1 - random.below(quarter)];
            return if random.uniform() < 0.5 {
                (worst, best)
            } else {
                (best, worst)
            };
        }
        if let Sides::EvenLeft = self.sides {
            let pairs = items.len() / 2;
            let (even, odd) = (random.below(pairs), random.below(pairs));
            return (items[2 * even], items[2 * odd + 1]);
        }
        let first = random.below(items.len());
        let second = (first + 1 + random.below(items.len() - 1)) % items.len();
        (items[first], items[second])
    }

    fn is_swapped(&self, annotator: usize, better_is_left: bool, random: &mut Random) -> bool {
        let share = match self.sides {
            Sides::Random | Sides::EvenLeft => return false,
            Sides::BetterLeft(share) => share,
            Sides::BetterLeftForHalf(share) if annotator.is_multiple_of(2) => share,
            Sides::BetterLeftForHalf(share) => 1.0 - share,
        };
        (random.uniform() < share) != better_is_left
    }

    fn choice(&self, kind: Kind, favourite: f64, difference: f64, random: &mut Random) -> f64 {
        if let Some(noise) = self.graded {
            let strength = if kind == Kind::Random {
                0.0
            } else {
                difference
            };
            return strength + noise * random.normal();
        }
        let by_coin = kind == Kind::Random || random.uniform() < self.lapses;
        let on_side = match kind {
            Kind::AlwaysOneSide => true,
            Kind::OneSide => random.uniform() < 0.9,
            _ => false,
        };
        if on_side {
            return favourite;
        }
        let left = if by_coin {
            0.5
        } else {
            1.0 / (1.0 + (-difference).exp())
        };
        if random.uniform() < left { 1.0 } else { -1.0 }
    }
}

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(99))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// By Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    fn normals(&mut self, count: usize, spread: f64) -> Vec<f64> {
        (0..count).map(|_| spread * self.normal()).collect()
    }

    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}
