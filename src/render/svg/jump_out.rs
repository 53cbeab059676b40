//! Who stands out, and why: the distance from the consensus against the number of votes.
//! Where all cast the same number, the annotators are stacked, or counted if they are many.

use std::collections::BTreeMap;

use super::axis::{Frame, Scale, range};
use super::canvas::{Anchor, FONT_SIZE, Picture, WIDTH};
use super::labels::{DotLabels, LINE, MAX_LABEL_CELLS, MAX_LABELLED};
use crate::findings::DeviationEntry;
use crate::fit::Fit;
use crate::render::text::{count, label, short_label, text_width};
use crate::render::verdicts::{KINDS, colour_names, fill, kind};

const HEIGHT: f64 = 360.0;
const TITLE: &str = "Who stands out: far from the consensus, on many votes";
const TITLE_EQUAL: &str = "Who stands out: far from the consensus";
const DISTANCE: &str = "distance from the consensus ‖δ‖";

/// More dots than this are drawn as squares: the more annotators, the darker.
const MAX_DOTS: usize = 400;
const SQUARE: f64 = 8.0;

/// More annotators than this are counted, not stacked.
const MAX_STACKED: usize = 150;
const BARS: usize = 40;

const RADIUS: f64 = 4.5;

/// The annotators of a picture, by id.
struct People<'a> {
    annotators: Vec<DeviationEntry<'a>>,
    entered: usize,
}

pub(super) fn picture(fit: &Fit) -> Picture {
    let annotators = fit.deviation_entries();
    let entered = annotators.iter().filter(|one| one.order.is_some()).count();
    if entered == 0 {
        let why = "No annotator deviates from the consensus anywhere on the path.";
        return Picture::empty(TITLE_EQUAL, why);
    }
    let people = People {
        annotators,
        entered,
    };
    let [low, high] = range(people.annotators.iter().map(|one| one.votes));
    if low < high {
        people.scattered([low, high])
    } else if people.annotators.len() <= MAX_STACKED {
        people.stacked(low)
    } else {
        people.counted(low)
    }
}

/// One annotator's dot.
struct Dot<'a> {
    annotator: &'a DeviationEntry<'a>,
    centre: [f64; 2],
}

impl<'a> Dot<'a> {
    fn kind(&self) -> Option<usize> {
        self.annotator.verdict.and_then(kind)
    }

    /// Whether it is drawn over the others: those who stand out, the first to enter last.
    fn layer(&self) -> (bool, std::cmp::Reverse<u64>) {
        let order = self.annotator.order.unwrap_or(u64::MAX);
        (self.kind().is_some(), std::cmp::Reverse(order))
    }

    fn draw(&self, picture: &mut Picture) {
        let name = label(self.annotator.annotator);
        let (class, entry) = match (self.annotator.order, self.kind()) {
            (Some(order), kind) => (
                format!("me-edge {}", fill(kind)),
                format!("entered as number {order}"),
            ),
            (None, Some(kind)) => (format!("me-hollow me-k{kind}"), "never entered".into()),
            (None, None) => ("me-hollow".into(), "never entered".into()),
        };
        let verdict = self.annotator.verdict;
        let verdict = verdict.map_or(String::new(), |verdict| format!(", {verdict}"));
        let what = format!("annotator {name}: {entry}{verdict}");
        picture.dot(self.centre, RADIUS, &format!("class=\"{class}\""), &what);
    }
}

impl People<'_> {
    /// A picture with the words that all three have in common.
    fn begin(&self, title: &str, what: &str, marks: &str) -> Picture {
        let explanation = format!(
            "{what} at the end of the path, which {} of {} annotators entered{}.",
            self.entered,
            self.annotators.len(),
            marks
        );
        let mut picture = Picture::new(title, &explanation);
        let verdicts = self.annotators.iter().filter_map(|one| one.verdict);
        let names = colour_names(verdicts);
        if !names.is_empty() {
            picture.colour_names(&names);
        }
        picture.height = picture.top + 16.0 + HEIGHT + 56.0;
        picture
    }

    /// What the marks of annotators are.
    fn marks(&self) -> &'static str {
        if self.annotators.len() > MAX_DOTS {
            ". The darker a square, the more annotators"
        } else if self.entered < self.annotators.len() {
            "; hollow: the others"
        } else {
            ""
        }
    }

    fn distances(&self) -> impl Iterator<Item = f64> {
        self.annotators.iter().map(|one| one.final_deviation)
    }

    /// Distance across, votes up.
    fn scattered(&self, [low, high]: [f64; 2]) -> Picture {
        let mut picture = self.begin(TITLE, "Distance", self.marks());
        let (top, bottom) = (picture.top + 16.0, picture.top + 16.0 + HEIGHT);
        let margin = 0.05 * (high - low);
        let y = Scale::linear([low - margin, high + margin], [bottom, top]);
        let frame = Frame {
            left: Frame::left_of(&y),
            top,
            right: WIDTH - 28.0,
            bottom,
        };
        let x = Scale::with_zero(self.distances(), [frame.left, frame.right]);
        frame.axes(&mut picture, &x, &y, [DISTANCE, "votes"]);
        let dots = self.annotators.iter().map(|annotator| Dot {
            annotator,
            centre: [x.at(annotator.final_deviation), y.at(annotator.votes)],
        });
        draw(&mut picture, dots.collect(), frame);
        picture
    }

    /// All cast the same number of votes: dots over the distance, one upon the other.
    fn stacked(&self, votes: f64) -> Picture {
        let what = format!("Each cast {} votes. Distance of each", count(votes));
        let mut picture = self.begin(TITLE_EQUAL, &what, self.marks());
        let step = 2.0 * RADIUS + 1.0;
        let (left, right) = (28.0, WIDTH - 28.0);
        let bins = ((right - left) / step) as usize;
        let x = Scale::with_zero(self.distances(), [left, right]);
        let mut columns = vec![0; bins + 1];
        let mut order: Vec<&DeviationEntry<'_>> = self.annotators.iter().collect();
        order.sort_by(|a, b| a.final_deviation.total_cmp(&b.final_deviation));
        let mut places = Vec::new();
        for annotator in order {
            let bin = ((x.at(annotator.final_deviation) - left) / step).max(0.0) as usize;
            let bin = bin.min(bins);
            places.push((annotator, bin, columns[bin]));
            columns[bin] += 1;
        }
        let highest = columns.iter().copied().max().unwrap_or(1);
        // Above the dots there is room for labels.
        let stand_out = |one: &DeviationEntry<'_>| one.verdict.and_then(kind).is_some();
        let above = if self.annotators.iter().any(stand_out) {
            80.0
        } else {
            20.0
        };
        let height = step * f64::from(highest) + above;
        let (top, bottom) = (picture.top + 10.0, picture.top + 10.0 + height);
        let frame = Frame {
            left,
            top,
            right,
            bottom,
        };
        picture.height = bottom + 56.0;
        frame.axis_below(&mut picture, &x, DISTANCE);
        let dots = places.into_iter().map(|(annotator, bin, level)| Dot {
            annotator,
            centre: [
                left + step * (bin as f64 + 0.5),
                bottom - step * (f64::from(level) + 0.5) - 1.0,
            ],
        });
        draw(&mut picture, dots.collect(), frame);
        picture
    }

    /// Very many who all cast the same number of votes: how many at each distance.
    fn counted(&self, votes: f64) -> Picture {
        let what = format!("Each cast {} votes. Distances", count(votes));
        let mut picture = self.begin(TITLE_EQUAL, &what, "");
        let [_, furthest] = range(self.distances().chain([0.0]));
        let bar = |distance: f64| ((distance / furthest * BARS as f64) as usize).min(BARS - 1);
        // By bar: those who do not stand out, then by kind.
        let mut counts = [[0u32; KINDS.len() + 1]; BARS];
        for one in &self.annotators {
            let layer = one.verdict.and_then(kind).map_or(0, |kind| kind + 1);
            counts[bar(one.final_deviation)][layer] += 1;
        }
        let highest = counts.iter().map(|bar| bar.iter().sum::<u32>()).max();
        let (top, bottom) = (picture.top + 16.0, picture.top + 16.0 + HEIGHT);
        let y = Scale::with_zero([f64::from(highest.unwrap_or(1))].into_iter(), [bottom, top]);
        let frame = Frame {
            left: Frame::left_of(&y),
            top,
            right: WIDTH - 28.0,
            bottom,
        };
        let x = Scale::linear([0.0, furthest], [frame.left, frame.right]);
        frame.axes(&mut picture, &x, &y, [DISTANCE, "annotators"]);
        let width = (frame.right - frame.left) / BARS as f64;
        for (k, bar) in counts.iter().enumerate() {
            let mut below = 0;
            for (layer, &members) in bar.iter().enumerate().filter(|(_, count)| **count > 0) {
                let class = fill(layer.checked_sub(1));
                let (from, to) = (y.at(f64::from(below)), y.at(f64::from(below + members)));
                let corner = [frame.left + width * k as f64 + 0.5, to];
                let paint = format!("class=\"{class}\"");
                picture.rect(&paint, corner, [width - 1.0, from - to]);
                below += members;
            }
        }
        picture
    }
}

/// The dots, those of very many annotators as squares, and the ids of those who stand out.
fn draw(picture: &mut Picture, mut dots: Vec<Dot<'_>>, frame: Frame) {
    dots.sort_by_key(Dot::layer);
    if dots.len() > MAX_DOTS {
        draw_squares(picture, &dots);
    } else {
        for dot in &dots {
            dot.draw(picture);
        }
    }
    // A label beside a dot on the axis touches it.
    let bottom = frame.bottom + 4.0;
    let bounds = [frame.left, frame.top - 12.0, WIDTH - 4.0, bottom];
    let mut labels = DotLabels::new(bounds, dots.iter().map(|dot| dot.centre), RADIUS);
    let stand_out = dots.iter().rev().filter(|dot| dot.kind().is_some());
    for dot in stand_out.take(MAX_LABELLED) {
        let text = short_label(dot.annotator.annotator, MAX_LABEL_CELLS);
        let Some([dx, dy]) = labels.place(dot.centre, text_width(&text, FONT_SIZE)) else {
            continue;
        };
        let [x, y] = dot.centre;
        if dy != 0.0 {
            picture.line("me-axis", dot.centre, [x + LINE * dx, y + LINE * dy]);
        }
        if dots.len() > MAX_DOTS {
            dot.draw(picture);
        }
        let anchor = if dx < 0.0 { Anchor::End } else { Anchor::Start };
        let position = [x + dx, y + dy + 4.0];
        let id = dot.annotator.annotator;
        picture.id(position, "me-ink me-halo", anchor, id, MAX_LABEL_CELLS);
    }
}

/// Dots as squares of a grid, in three shades for how many of a kind are in one.
fn draw_squares(picture: &mut Picture, dots: &[Dot<'_>]) {
    let mut squares: BTreeMap<(Option<usize>, [i64; 2]), usize> = BTreeMap::new();
    for dot in dots {
        let square = dot.centre.map(|at| (at / SQUARE).floor() as i64);
        *squares.entry((dot.kind(), square)).or_default() += 1;
    }
    // By kind, those who do not stand out first.
    let squares: Vec<_> = squares.into_iter().collect();
    for of_kind in squares.chunk_by(|(a, _), (b, _)| a.0 == b.0) {
        let class = fill(of_kind[0].0.0);
        for (least, most, opacity) in [(1, 2, ".35"), (3, 9, ".6"), (10, usize::MAX, "1")] {
            let shade = of_kind.iter();
            let shade = shade.filter(|(_, members)| (least..=most).contains(members));
            let corners = shade.map(|((_, square), _)| square.map(|at| SQUARE * at as f64));
            let corners: Vec<_> = corners.collect();
            let paint = format!("class=\"{class}\" opacity=\"{opacity}\"");
            if !corners.is_empty() {
                picture.cells(&paint, &corners, [SQUARE - 1.0, SQUARE - 1.0]);
            }
        }
    }
}
