//! Who stands out, and why: the distance from the consensus against the number
//! of votes, coloured by the order in which annotators entered the path.

use super::axis::{Frame, Scale, range};
use super::canvas::{Anchor, Picture, WIDTH};
use super::labels::{MAX_HIGHLIGHTED, MAX_LABEL_CELLS, OccupiedBoxes};
use super::legend::colour_bar;
use super::style::{ENTRY, ramp};
use crate::findings::DeviationEntry;
use crate::fit::Fit;
use crate::render::text::{label, short_label, text_width};

const HEIGHT: f64 = 500.0;
const TITLE: &str = "Who stands out: far from the consensus, on many votes";

/// One annotator's dot.
struct Dot<'a> {
    annotator: &'a DeviationEntry<'a>,
    centre: [f64; 2],
}

pub(super) fn picture(fit: &Fit) -> Picture {
    let annotators = fit.deviation_entries();
    let entered = annotators.iter().filter(|one| one.order.is_some()).count();
    if entered == 0 {
        let why = "No annotator deviates from the consensus anywhere on the path.";
        return Picture::empty(TITLE, why);
    }
    let never = if entered < annotators.len() {
        "; hollow: never"
    } else {
        ""
    };
    let subtitle = format!(
        "Distance from the consensus at the end of the path, which {entered} of {} \
         annotators entered{never}.",
        annotators.len()
    );
    let mut picture = Picture::new(WIDTH, HEIGHT, TITLE, &subtitle);
    let frame = Frame {
        left: 74.0,
        top: 96.0,
        right: WIDTH - 28.0,
        bottom: HEIGHT - 56.0,
    };
    let distances = annotators.iter().map(|one| one.final_deviation);
    let x = Scale::with_zero(distances, [frame.left, frame.right]);
    let [low, high] = range(annotators.iter().map(|one| one.votes));
    let margin = 0.05 * (high - low);
    let y = Scale::linear([low - margin, high + margin], [frame.bottom, frame.top]);
    let names = ["distance from the consensus ‖δ‖", "votes"];
    frame.axes(&mut picture, &x, &y, names);
    let start = [frame.right - 150.0, 62.0];
    colour_bar(&mut picture, ENTRY, start, ["entered first", "last"]);
    let dot = |annotator| Dot {
        annotator,
        centre: [x.at(annotator.final_deviation), y.at(annotator.votes)],
    };
    let mut dots: Vec<Dot<'_>> = annotators.iter().map(dot).collect();
    // The first to enter are drawn last, so that nothing covers them.
    dots.sort_by_key(|dot| std::cmp::Reverse(dot.annotator.order.unwrap_or(u64::MAX)));
    for dot in &dots {
        dot.draw(&mut picture, entered);
    }
    draw_labels(&mut picture, &dots, frame);
    picture
}

impl Dot<'_> {
    fn draw(&self, picture: &mut Picture, entered: usize) {
        let name = label(self.annotator.annotator);
        let Some(order) = self.annotator.order else {
            let what = format!("annotator {name}: never entered");
            return picture.dot(self.centre, 3.5, "class=\"me-hollow\"", &what);
        };
        let along = (order - 1) as f64 / (entered.max(2) - 1) as f64;
        let paint = format!("class=\"me-edge\" fill=\"{}\"", ramp(ENTRY, along));
        let what = format!("annotator {name}: entered as number {order}");
        let radius = if self.is_highlighted() { 5.5 } else { 4.0 };
        picture.dot(self.centre, radius, &paint, &what);
    }

    fn is_highlighted(&self) -> bool {
        let order = self.annotator.order;
        order.is_some_and(|order| order <= MAX_HIGHLIGHTED)
    }
}

/// Where a label may stand from its dot: how far aside, how far below. The
/// nearest come first.
const OFFSETS: [[f64; 2]; 18] = [
    [9.0, 0.0],
    [-9.0, 0.0],
    [8.0, -10.0],
    [-8.0, -10.0],
    [8.0, 10.0],
    [-8.0, 10.0],
    [12.0, -18.0],
    [-12.0, -18.0],
    [12.0, 18.0],
    [-12.0, 18.0],
    [18.0, -30.0],
    [-18.0, -30.0],
    [18.0, 30.0],
    [-18.0, 30.0],
    [20.0, -46.0],
    [-20.0, -46.0],
    [20.0, 46.0],
    [-20.0, 46.0],
];

/// The ids of the first to enter, each beside its dot where it covers least.
fn draw_labels(picture: &mut Picture, dots: &[Dot<'_>], frame: Frame) {
    let mut occupied = OccupiedBoxes::default();
    for dot in dots {
        let ([x, y], r) = (dot.centre, 4.0);
        occupied.add([x - r, y - r, x + r, y + r]);
    }
    for dot in dots.iter().rev().filter(|dot| dot.is_highlighted()) {
        let text = short_label(dot.annotator.annotator, MAX_LABEL_CELLS);
        let (width, [x, y]) = (text_width(&text), dot.centre);
        let area = |[dx, dy]: [f64; 2]| {
            let left = if dx < 0.0 { x + dx - width } else { x + dx };
            [left, y + dy - 8.0, left + width, y + dy + 7.0]
        };
        let inside = |[left, top, right, bottom]: [f64; 4]| {
            left > frame.left
                && right < WIDTH - 4.0
                && top > frame.top - 12.0
                && bottom < frame.bottom
        };
        let best = OFFSETS
            .into_iter()
            .filter(|&offset| inside(area(offset)))
            .min_by_key(|&offset| occupied.touches(area(offset)));
        let [dx, dy] = best.unwrap_or(OFFSETS[0]);
        occupied.add(area([dx, dy]));
        if dy.abs() > 12.0 {
            picture.line("me-axis", dot.centre, [x + 0.8 * dx, y + 0.8 * dy]);
        }
        let anchor = if dx < 0.0 { Anchor::End } else { Anchor::Start };
        picture.text(x + dx, y + dy + 4.0, "me-ink", anchor, &text);
    }
}
