//! Who stands out, and why: the distance from the consensus against the number
//! of votes, coloured by the order in which annotators entered the path.

use super::axis::{Frame, Scale, range};
use super::labels::Taken;
use super::path::{FIRST, LABEL, WIDTH};
use super::style::{ENTRY, ramp};
use super::svg::{Anchor, Picture, show, shown, text_width};
use crate::fit::Fit;
use crate::render::arrow::Entries;

const HEIGHT: f64 = 500.0;
const TITLE: &str = "Who stands out: far from the consensus, on many votes";

/// One annotator's dot.
struct Dot {
    annotator: usize,
    place: [f64; 2],
    order: Option<i64>,
}

pub(super) fn picture(fit: &Fit) -> Picture {
    let users = fit.annotators.len();
    let entries = Entries::new(&fit.path.deviation, users);
    let entered = entries.order.iter().flatten().count();
    if entered == 0 {
        let why = "No annotator deviates from the consensus anywhere on the path.";
        return Picture::empty(TITLE, why);
    }
    let never = if entered < users {
        "; hollow: never"
    } else {
        ""
    };
    let subtitle = format!(
        "Distance from the consensus at the end of the path, which {entered} of {users} \
         annotators entered{never}."
    );
    let mut picture = Picture::new(WIDTH, HEIGHT, TITLE, &subtitle);
    let frame = Frame {
        left: 74.0,
        top: 96.0,
        right: WIDTH - 28.0,
        bottom: HEIGHT - 56.0,
    };
    let distance = fit.path.deviation.at(fit.path.grid.len() - 1, users);
    let clicks = &fit.clicks;
    let votes = |u: usize| clicks.left[u] + clicks.right[u] + clicks.ties[u];
    let x = Scale::with_zero(distance.iter().copied(), [frame.left, frame.right]);
    let [low, high] = range((0..users).map(votes));
    let room = 0.05 * (high - low);
    let y = Scale::linear([low - room, high + room], [frame.bottom, frame.top]);
    frame.axes(
        &mut picture,
        &x,
        &y,
        ["distance from the consensus ‖δ‖", "votes"],
    );
    legend(&mut picture, frame.right);
    let dots: Vec<Dot> = (0..users)
        .map(|annotator| Dot {
            annotator,
            place: [x.at(distance[annotator]), y.at(votes(annotator))],
            order: entries.order[annotator],
        })
        .collect();
    let mut order: Vec<&Dot> = dots.iter().collect();
    // The first come last, so that nothing covers them.
    order.sort_by_key(|dot| std::cmp::Reverse(dot.order.unwrap_or(i64::MAX)));
    for dot in &order {
        draw(&mut picture, fit, dot, entered);
    }
    label(&mut picture, fit, &order, frame);
    picture
}

fn draw(picture: &mut Picture, fit: &Fit, dot: &Dot, entered: usize) {
    let name = shown(fit.annotators.get(dot.annotator));
    let Some(order) = dot.order else {
        let what = format!("annotator {name}: never entered");
        return picture.dot(dot.place, 3.5, "class=\"me-hollow\"", &what);
    };
    let along = (order - 1) as f64 / (entered.max(2) - 1) as f64;
    let paint = format!("class=\"me-edge\" fill=\"{}\"", ramp(ENTRY, along));
    let what = format!("annotator {name}: entered as number {order}");
    let radius = if order <= FIRST { 5.5 } else { 4.0 };
    picture.dot(dot.place, radius, &paint, &what);
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

/// The ids of the first, each beside its dot where there is room.
fn label(picture: &mut Picture, fit: &Fit, order: &[&Dot], frame: Frame) {
    let mut taken = Taken::default();
    for dot in order {
        let ([x, y], r) = (dot.place, 4.0);
        taken.take([x - r, y - r, x + r, y + r]);
    }
    let is_first = |dot: &&&Dot| dot.order.is_some_and(|order| order <= FIRST);
    for dot in order.iter().rev().filter(is_first) {
        let text = show(fit.annotators.get(dot.annotator), LABEL);
        let (width, [x, y]) = (text_width(&text), dot.place);
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
            .min_by_key(|&offset| taken.touches(area(offset)));
        let [dx, dy] = best.unwrap_or(OFFSETS[0]);
        taken.take(area([dx, dy]));
        if dy.abs() > 12.0 {
            picture.line("me-axis", dot.place, [x + 0.8 * dx, y + 0.8 * dy]);
        }
        let anchor = if dx < 0.0 { Anchor::End } else { Anchor::Start };
        picture.text(x + dx, y + dy + 4.0, "me-ink", anchor, &text);
    }
}

/// A bar of the colours, from the first to the last.
fn legend(picture: &mut Picture, right: f64) {
    const STEPS: usize = 24;
    let (left, y) = (right - 150.0, 62.0);
    picture.text(
        left - 8.0,
        y + 10.0,
        "me-soft",
        Anchor::End,
        "entered first",
    );
    for k in 0..STEPS {
        let paint = format!("fill=\"{}\"", ramp(ENTRY, k as f64 / (STEPS - 1) as f64));
        picture.rect(&paint, [left + 5.0 * k as f64, y], [5.2, 12.0]);
    }
    let end = left + 5.0 * STEPS as f64 + 8.0;
    picture.text(end, y + 10.0, "me-soft", Anchor::Start, "last");
}
