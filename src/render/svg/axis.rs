//! From values to positions on the paper, and the ticks of an axis.

use super::canvas::{Anchor, FONT_SIZE, Picture};
use crate::random::ln;
use crate::render::text::{significant, text_width};

/// An axis: values from `low` to `high`, drawn from `from` to `to` on the paper.
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    /// Values from `low` to `high`, drawn from one position to another.
    pub fn linear([low, high]: [f64; 2], [from, to]: [f64; 2]) -> Self {
        let valid = low.is_finite() && high.is_finite() && (high - low).is_finite() && low <= high;
        let (low, high) = match valid {
            false => (0.0, 1.0),
            // Around a single value a margin of its own size.
            true if low == high => (low - low.abs().max(1.0), high + high.abs().max(1.0)),
            true => (low, high),
        };
        Self {
            low,
            high,
            from,
            to,
            logarithmic: false,
        }
    }

    /// A scale that contains all values and zero, with a margin.
    pub fn with_zero(values: impl Iterator<Item = f64>, ends: [f64; 2]) -> Self {
        let [low, high] = range(values.chain([0.0]));
        let margin = 0.04 * (high - low);
        let below = if low < 0.0 { low - margin } else { 0.0 };
        Self::linear([below, high + margin], ends)
    }

    /// A logarithmic scale of the times of a geometric grid.
    pub fn times(grid: &[f64], ends: [f64; 2]) -> Self {
        let [low, high] = range(grid.iter().copied());
        let mut scale = Self::linear([low, high], ends);
        scale.logarithmic = low >= f64::MIN_POSITIVE && low < high && high.is_finite();
        scale
    }

    /// The position of a value.
    pub fn at(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            ln((value / self.low).max(f64::MIN_POSITIVE)) / ln(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part * (self.to - self.from)
    }

    /// Round values with their labels, about `max` of them.
    pub fn ticks(&self, max: usize) -> Vec<(f64, String)> {
        if self.logarithmic {
            return self.logarithmic_ticks(max);
        }
        let step = round_step((self.high - self.low) / max as f64);
        let first = (self.low / step).ceil();
        (0..=2 * max)
            .map(|k| (first + k as f64) * step)
            .take_while(|value| *value <= self.high + 1e-9 * step)
            .map(|value| (value, label(value, step)))
            .collect()
    }

    /// 1, 2, 5, 10, … or, where those are too many, 1, 10, 100, …
    fn logarithmic_ticks(&self, max: usize) -> Vec<(f64, String)> {
        let mut unit = power_of_ten_up_to(self.low);
        let mut all: Vec<(f64, bool)> = Vec::new();
        while unit <= self.high && all.len() < 1000 {
            let values = [1.0, 2.0, 5.0].map(|k| (k * unit, k == 1.0));
            all.extend(
                values
                    .iter()
                    .filter(|(v, _)| *v >= self.low && *v <= self.high),
            );
            unit *= 10.0;
        }
        if all.len() > max {
            all.retain(|(_, is_power_of_ten)| *is_power_of_ten);
        }
        let every = all.len().div_ceil(max).max(1);
        let ticks = all.into_iter().step_by(every);
        ticks
            .map(|(value, _)| (value, label(value, value)))
            .collect()
    }
}

/// The least and the greatest of the finite values; 0 and 0 if there are none.
pub(super) fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let finite = values.filter(|value| value.is_finite());
    let range = finite.fold(None, |range: Option<[f64; 2]>, value| {
        let [low, high] = range.unwrap_or([value, value]);
        Some([low.min(value), high.max(value)])
    });
    range.unwrap_or([0.0, 0.0])
}

/// The largest power of ten that is no larger than the value; 1 for a value that is
/// not positive and finite.
fn power_of_ten_up_to(value: f64) -> f64 {
    let mut unit = 1.0;
    if value > 0.0 && value.is_finite() {
        while unit > value && unit > f64::MIN_POSITIVE {
            unit /= 10.0;
        }
        while unit * 10.0 <= value {
            unit *= 10.0;
        }
    }
    unit
}

/// 1, 2 or 5 times a power of ten, at least as large as the step.
fn round_step(step: f64) -> f64 {
    let unit = power_of_ten_up_to(step);
    let found = [1.0, 2.0, 5.0, 10.0].into_iter().find(|k| k * unit >= step);
    found.unwrap_or(10.0) * unit
}

/// A value with as many decimals as the step needs.
fn label(value: f64, step: f64) -> String {
    if value != 0.0 && !(1e-5..1e7).contains(&value.abs()) {
        return format!("{value:.0e}").replace('-', "−");
    }
    let mut decimals = 0;
    let mut unit = step;
    while unit < 0.999 && decimals < 12 {
        unit *= 10.0;
        decimals += 1;
    }
    let text = format!("{:.decimals$}", value.abs());
    let negative = value < 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    if negative { format!("−{text}") } else { text }
}

/// The rectangle that values are drawn in.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Frame {
    /// Where a frame begins that has this axis to the left of it, with its labels and
    /// its name.
    pub fn left_of(y: &Scale) -> f64 {
        let labels = y.ticks(8).into_iter();
        let widths = labels.map(|(_, label)| text_width(&label, FONT_SIZE));
        40.0 + widths.fold(24.0, f64::max)
    }

    /// Draws the axes: ticks below and to the left, with what they stand for.
    pub fn axes(self, picture: &mut Picture, x: &Scale, y: &Scale, names: [&str; 2]) {
        for (value, label) in y.ticks(8) {
            let height = y.at(value);
            picture.line("me-grid", [self.left, height], [self.right, height]);
            let (x, y) = (self.left - 8.0, height + 4.0);
            picture.text(x, y, "me-soft", Anchor::End, &label);
        }
        self.axis_below(picture, x, names[0]);
        let middle = (self.top + self.bottom) / 2.0;
        picture.text_up(22.0, middle, "me-ink", Anchor::Middle, names[1]);
    }

    /// Draws the axis below: its ticks and what they stand for.
    pub fn axis_below(self, picture: &mut Picture, x: &Scale, name: &str) {
        picture.line(
            "me-axis",
            [self.left, self.bottom],
            [self.right, self.bottom],
        );
        let mut free_from = f64::MIN;
        for (value, label) in x.ticks(8) {
            let x = x.at(value);
            let (start, end) = ([x, self.bottom], [x, self.bottom + 5.0]);
            picture.line("me-axis", start, end);
            let half = text_width(&label, FONT_SIZE) / 2.0;
            if x - half >= free_from {
                let y = self.bottom + 18.0;
                picture.text(x, y, "me-soft", Anchor::Middle, &label);
                free_from = x + half + 4.0;
            }
        }
        let middle = (self.left + self.right) / 2.0;
        let below = self.bottom + 40.0;
        picture.text(middle, below, "me-ink", Anchor::Middle, name);
    }

    /// A vertical line at the chosen time.
    pub fn chosen_time(self, picture: &mut Picture, x: &Scale, t: f64) {
        let x = x.at(t);
        picture.line("me-mark", [x, self.top], [x, self.bottom]);
        let text = format!("chosen t = {}", significant(t));
        // On the wider side.
        let (x, anchor) = if x > (self.left + self.right) / 2.0 {
            (x - 6.0, Anchor::End)
        } else {
            (x + 6.0, Anchor::Start)
        };
        picture.text(x, self.top - 6.0, "me-ink", anchor, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> String {
        let ticks = scale.ticks(6).into_iter();
        ticks.map(|(_, label)| label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round() {
        let linear = |low, high| labels(&Scale::linear([low, high], [0.0, 1.0]));
        assert_eq!(linear(-0.31, 0.74), "−0.2 0.0 0.2 0.4 0.6");
        assert_eq!(linear(0.0, 493.0), "0 100 200 300 400");
        assert_eq!(linear(0.0, 0.0), "−1.0 −0.5 0.0 0.5 1.0");
        assert_eq!(linear(f64::NAN, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(
            labels(&Scale::times(&[3.0, 150.0], [0.0, 1.0])),
            "5 10 20 50 100"
        );
        assert_eq!(
            labels(&Scale::times(&[0.02, 1e4], [0.0, 1.0])),
            "0.1 1 10 100 1000 10000"
        );
    }

    #[test]
    fn every_scale_has_few_ticks() {
        let numbers = [
            0.0,
            5e-324,
            1e-310,
            1e-300,
            1.0,
            1e300,
            f64::MAX,
            f64::INFINITY,
        ];
        for (low, high) in numbers.iter().flat_map(|&x| numbers.map(|y| (x, y))) {
            for low in [low, -low, f64::NAN] {
                for scale in [
                    Scale::linear([low, high], [0.0, 1.0]),
                    Scale::times(&[low, high], [0.0, 1.0]),
                    Scale::with_zero([low, high].into_iter(), [0.0, 1.0]),
                ] {
                    assert!(scale.ticks(8).len() <= 17, "{low} {high}");
                }
            }
        }
    }

    #[test]
    fn positions_are_in_proportion() {
        let scale = Scale::times(&[2.0, 200.0], [100.0, 300.0]);
        for (value, position) in [(2.0, 100.0), (20.0, 200.0), (200.0, 300.0)] {
            assert!((scale.at(value) - position).abs() < 1e-9, "{value}");
        }
    }
}
