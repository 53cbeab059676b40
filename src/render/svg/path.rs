//! The regularisation paths: time across, one line an annotator. Those who stand out by
//! their verdict have its colour, and the first of them their id at the right edge. Very
//! many others are a band, and of those who stand out some are drawn.

use super::axis::{Frame, Scale};
use super::canvas::{Anchor, FONT_SIZE, Picture, WIDTH};
use super::labels::{MAX_LABEL_CELLS, MAX_LABELLED, spread};
use super::style::HUES;
use crate::findings::{EffectBand, EffectLine, Verdict};
use crate::fit::Fit;
use crate::render::text::{label, short_label, text_width};
use crate::render::verdicts::{colour_names, kind};

const HEIGHT: f64 = 330.0;

/// With more lines than this, besides those with a label, the others become a band, and
/// of those who stand out this many are drawn.
const MAX_LINES: usize = 120;

/// What a picture is about.
struct Subject {
    title: &'static str,
    axis: &'static str,
    /// Whose labels go first.
    is_about: fn(Verdict) -> bool,
}

/// How far each annotator's scores are from the consensus.
pub(super) fn deviation(fit: &Fit) -> Picture {
    let subject = Subject {
        title: "Deviation from the consensus along the path",
        axis: "deviation ‖δ‖",
        is_about: |verdict| !verdict.is_about_sides(),
    };
    picture(fit, &fit.deviation_lines(), &subject)
}

/// Each annotator's position bias.
pub(super) fn position_bias(fit: &Fit) -> Picture {
    let subject = Subject {
        title: "Position bias along the path",
        axis: "pull to the right (−) or to the left (+)",
        is_about: Verdict::is_about_sides,
    };
    picture(fit, &fit.position_bias_lines(), &subject)
}

/// The lines that are drawn, each in order of entry.
struct Lines<'a> {
    labelled: Vec<&'a EffectLine<'a>>,
    /// Those who stand out and have no label, and a sample of them if they are many.
    stand_out: Vec<&'a EffectLine<'a>>,
    /// Those who do not stand out.
    others: Vec<&'a EffectLine<'a>>,
    /// How many lines there are of those who stand out.
    all_stand_out: usize,
    has_band: bool,
    /// By annotator; None if no time was chosen.
    verdicts: Option<Vec<Verdict>>,
}

impl<'a> Lines<'a> {
    fn new(fit: &Fit, lines: &'a [EffectLine<'a>], subject: &Subject) -> Self {
        let verdicts = fit.verdicts();
        let mut first: Vec<&EffectLine<'_>> = lines.iter().collect();
        if let Some(verdicts) = &verdicts {
            // Stable: in order of entry.
            first.retain(|line| kind(verdicts[line.index]).is_some());
            first.sort_by_key(|line| !(subject.is_about)(verdicts[line.index]));
        }
        let all_stand_out = first.len();
        first.truncate(MAX_LABELLED);
        let is_labelled = |line: &&EffectLine<'_>| first.iter().any(|one| one.index == line.index);
        let has_kind = |line: &&EffectLine<'_>| {
            let verdicts = verdicts.as_ref();
            verdicts.is_some_and(|verdicts| kind(verdicts[line.index]).is_some())
        };
        let rest = lines.iter().filter(|line| !is_labelled(line));
        let (mut stand_out, others): (Vec<_>, Vec<_>) = rest.partition(has_kind);
        let has_band = stand_out.len() + others.len() > MAX_LINES;
        if stand_out.len() > MAX_LINES {
            let every = stand_out.len();
            let sample = (0..MAX_LINES).map(|k| stand_out[k * every / MAX_LINES]);
            stand_out = sample.collect();
        }
        Self {
            labelled: first,
            stand_out,
            others,
            all_stand_out,
            has_band,
            verdicts,
        }
    }

    fn all(&self) -> impl Iterator<Item = &&'a EffectLine<'a>> {
        let lines = self.others.iter().chain(&self.stand_out);
        lines.chain(&self.labelled)
    }

    /// The verdict's number.
    fn kind(&self, line: &EffectLine<'_>) -> Option<usize> {
        kind(self.verdicts.as_ref()?[line.index])
    }

    /// What is drawn, in words.
    fn explanation(&self, annotators: usize) -> String {
        let labelled = self.labelled.len();
        let entered = match self.verdicts {
            Some(_) => self.others.len() + self.all_stand_out,
            None => self.others.len() + labelled,
        };
        let mut text = format!("{entered} of {annotators} annotators leave zero at some time. ");
        let drawn = labelled + self.stand_out.len();
        let all = self.all_stand_out;
        text += &match (&self.verdicts, labelled) {
            (None, first) => format!("No time was chosen: the first {first} are labelled."),
            (_, 0) => "None of them stands out.".into(),
            _ if labelled == all => "Those who stand out are labelled.".into(),
            _ if drawn == all => format!("{labelled} of {all} who stand out are labelled."),
            _ => format!("{drawn} of {all} who stand out are drawn, {labelled} labelled."),
        };
        if self.has_band {
            text += " Band: the others, darker for the middle 80 % of them.";
        }
        text
    }

    /// The colours that occur.
    fn colour_names(&self) -> Vec<(String, &'static str)> {
        match &self.verdicts {
            Some(verdicts) => colour_names(self.all().map(|line| verdicts[line.index])),
            None => Vec::new(),
        }
    }

    /// How many of those who do not stand out have no line.
    fn without_line(&self) -> usize {
        let verdicts = self.verdicts.iter().flatten();
        let others = verdicts.filter(|&&verdict| kind(verdict).is_none()).count();
        others.saturating_sub(self.others.len())
    }
}

/// Where times and values are on the paper.
struct Plane<'a> {
    frame: Frame,
    grid: &'a [f64],
    x: Scale,
    y: Scale,
}

fn picture(fit: &Fit, lines: &[EffectLine<'_>], subject: &Subject) -> Picture {
    if lines.is_empty() {
        let why = "No annotator has this effect anywhere on the path.";
        return Picture::empty(subject.title, why);
    }
    let lines = Lines::new(fit, lines, subject);
    let explanation = lines.explanation(fit.annotator_ids().len());
    let mut picture = Picture::new(subject.title, &explanation);
    let names = lines.colour_names();
    if !names.is_empty() {
        picture.colour_names(&names);
    }
    let plane = Plane::new(fit, &lines, picture.top + 22.0);
    picture.height = plane.frame.bottom + 56.0;
    let names = ["time t on the path (logarithmic)", subject.axis];
    plane.frame.axes(&mut picture, &plane.x, &plane.y, names);
    if lines.has_band {
        plane.draw_band(&mut picture, &lines.others, lines.without_line());
    } else {
        for line in &lines.others {
            picture.polyline("me-other", &plane.points(line), &what(line));
        }
    }
    for line in &lines.stand_out {
        let class = format!("me-thin me-k{}", lines.kind(line).unwrap_or_default());
        picture.polyline(&class, &plane.points(line), &what(line));
    }
    if let Some(t) = fit.chosen_time() {
        plane.frame.chosen_time(&mut picture, &plane.x, t);
    }
    plane.draw_labelled(&mut picture, &lines);
    picture
}

impl<'a> Plane<'a> {
    fn new(fit: &'a Fit, lines: &Lines<'_>, top: f64) -> Self {
        let labels = lines.labelled.iter();
        let widths = labels.map(|line| {
            let text = short_label(line.annotator, MAX_LABEL_CELLS);
            text_width(&text, FONT_SIZE)
        });
        let values = lines
            .all()
            .flat_map(|line| &line.points)
            .map(|&(_, value)| value);
        let bottom = top + HEIGHT;
        let y = Scale::with_zero(values, [bottom, top]);
        let frame = Frame {
            left: Frame::left_of(&y),
            top,
            right: WIDTH - 44.0 - widths.fold(0.0, f64::max),
            bottom,
        };
        let grid = fit.grid_times();
        Self {
            frame,
            grid,
            x: Scale::times(grid, [frame.left, frame.right]),
            y,
        }
    }

    fn at(&self, k: usize, value: f64) -> [f64; 2] {
        [self.x.at(self.grid[k]), self.y.at(value)]
    }

    fn points(&self, line: &EffectLine<'_>) -> Vec<[f64; 2]> {
        let points = line.points.iter();
        points.map(|&(k, value)| self.at(k, value)).collect()
    }

    /// Annotators as a band; `never` of them have no line.
    fn draw_band(&self, picture: &mut Picture, lines: &[&EffectLine<'_>], never: usize) {
        let band = EffectBand::new(lines, never, self.grid.len());
        for (values, class) in [(band.all, "me-all"), (band.middle, "me-middle")] {
            let values = values.iter().enumerate();
            let upper = values.clone().map(|(k, &[_, high])| self.at(k, high));
            let lower = values.rev().map(|(k, &[low, _])| self.at(k, low));
            let points: Vec<_> = upper.chain(lower).collect();
            picture.polygon(&format!("me-rest {class}"), &points);
        }
    }

    /// Lines in colour, each with a label at the right edge.
    fn draw_labelled(&self, picture: &mut Picture, lines: &Lines<'_>) {
        let frame = self.frame;
        let points: Vec<Vec<[f64; 2]>> = lines
            .labelled
            .iter()
            .map(|line| self.points(line))
            .collect();
        let ends = points
            .iter()
            .map(|points| points.last().map_or(0.0, |end| end[1]));
        let ends: Vec<f64> = ends.collect();
        let heights = spread(&ends, 17.0, [frame.top, frame.bottom]);
        for (k, line) in lines.labelled.iter().enumerate() {
            let colour = match lines.kind(line) {
                Some(kind) => format!("me-k{kind}"),
                None => format!("me-s{}", k % HUES),
            };
            picture.polyline(&format!("me-line {colour}"), &points[k], &what(line));
            if let Some(&[x, y]) = points[k].last() {
                let (from, to) = ([x + 3.0, y], [frame.right + 22.0, heights[k]]);
                picture.line(&format!("me-lead {colour}"), from, to);
            }
            let position = [frame.right + 28.0, heights[k] + 4.0];
            let anchor = Anchor::Start;
            picture.id(position, "me-ink", anchor, line.annotator, MAX_LABEL_CELLS);
        }
    }
}

fn what(line: &EffectLine<'_>) -> String {
    format!("annotator {}", label(line.annotator))
}
