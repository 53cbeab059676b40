//! SVG elements: text is escaped, numbers have fixed decimals.

use std::fmt::Write;

use super::style::STYLE;
use crate::render::text::{escape, is_long, label, short_label, text_width, wrap};
use crate::votes::IdRef;

/// The width of every picture, in pixels. Small enough for its text to be read where
/// it is shrunk to a phone's screen.
pub(super) const WIDTH: f64 = 680.0;

/// The size of the text in `STYLE`.
pub(super) const FONT_SIZE: f64 = 13.0;

/// The size of the text of the class `me-small`.
pub(super) const SMALL_FONT_SIZE: f64 = 11.0;

/// From one line of text to the next.
const LINE: f64 = 17.0;

/// Left and right of the heading.
const MARGIN: f64 = 16.0;

/// A drawing: a title for those who cannot see it, a height and elements.
pub(crate) struct Picture {
    title: String,
    pub height: f64,
    /// Where the heading ends.
    pub top: f64,
    body: String,
}

/// Which end of a text is at its position.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Picture {
    /// A picture with a heading and an explanation, in as many lines as it needs.
    pub fn new(title: &str, explanation: &str) -> Self {
        let mut picture = Self {
            title: title.into(),
            height: 0.0,
            top: 28.0,
            body: String::new(),
        };
        picture.text(MARGIN, picture.top, "me-ink me-title", Anchor::Start, title);
        picture.top += 4.0;
        for line in wrap(explanation, WIDTH - 2.0 * MARGIN, FONT_SIZE) {
            picture.top += LINE;
            picture.text(MARGIN, picture.top, "me-soft", Anchor::Start, &line);
        }
        picture.top += 8.0;
        picture.height = picture.top + 12.0;
        picture
    }

    /// A picture that says why there is nothing to draw.
    pub fn empty(title: &str, why: &str) -> Self {
        Self::new(title, why)
    }

    /// Says what colours stand for, below the heading: the classes of a mark and its name.
    pub fn colour_names(&mut self, names: &[(String, &str)]) {
        const MARK: f64 = 14.0;
        let mut x = MARGIN;
        self.top += LINE;
        for (class, name) in names {
            let width = MARK + 6.0 + text_width(name, FONT_SIZE) + 16.0;
            if x > MARGIN && x + width > WIDTH - MARGIN {
                x = MARGIN;
                self.top += LINE;
            }
            let paint = format!("class=\"{class}\"");
            self.rect(&paint, [x, self.top - 8.0], [MARK, 6.0]);
            self.text(x + MARK + 6.0, self.top, "me-ink", Anchor::Start, name);
            x += width;
        }
        self.top += 6.0;
    }

    /// An SVG document of its own.
    pub fn document(&self) -> String {
        self.element(&format!("<style>{STYLE}</style>\n"))
    }

    /// An element for a page that has the style sheet already.
    pub fn inline(&self) -> String {
        self.element("")
    }

    /// It is as wide as it was drawn, or as what it stands in if that is narrower.
    fn element(&self, style: &str) -> String {
        let (width, height) = (number(WIDTH), number(self.height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" style=\"max-width:100%;height:auto\" \
             class=\"me-plot\" role=\"img\">\n\
             <title>{}</title>\n{style}\
             <rect class=\"me-paper\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            escape(&self.title),
            self.body
        )
    }

    pub fn text(&mut self, x: f64, y: f64, class: &str, anchor: Anchor, text: &str) {
        self.add_text([x, y], class, anchor, &escape(text));
    }

    /// An id of at most so many cells; pointing at a longer one shows all of it.
    pub fn id(
        &mut self,
        position: [f64; 2],
        class: &str,
        anchor: Anchor,
        id: IdRef<'_>,
        max_cells: usize,
    ) {
        let mut text = escape(&short_label(id, max_cells));
        if is_long(id, max_cells) {
            text += &format!("<title>{}</title>", escape(&label(id)));
        }
        self.add_text(position, class, anchor, &text);
    }

    fn add_text(&mut self, [x, y]: [f64; 2], class: &str, anchor: Anchor, escaped: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y) = (number(x), number(y));
        self.add(&format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{escaped}</text>"
        ));
    }

    /// A text that runs upwards from its position.
    pub fn text_up(&mut self, x: f64, y: f64, class: &str, anchor: Anchor, text: &str) {
        self.upwards([x, y], |picture| {
            picture.text(0.0, 0.0, class, anchor, text)
        });
    }

    /// What is drawn at 0, 0 and to the right of it runs upwards from a position.
    pub fn upwards(&mut self, [x, y]: [f64; 2], draw: impl FnOnce(&mut Self)) {
        let position = format!("translate({} {}) rotate(-90)", number(x), number(y));
        self.add(&format!("<g transform=\"{position}\">"));
        draw(self);
        self.add("</g>");
    }

    pub fn line(&mut self, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
        self.add(&format!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    /// A line through points; pointing at it shows what it is.
    pub fn polyline(&mut self, class: &str, points: &[[f64; 2]], what: &str) {
        let points = join(points);
        let what = escape(what);
        self.add(&format!(
            "<polyline class=\"{class}\" points=\"{points}\"><title>{what}</title></polyline>"
        ));
    }

    pub fn polygon(&mut self, class: &str, points: &[[f64; 2]]) {
        let points = join(points);
        self.add(&format!("<polygon class=\"{class}\" points=\"{points}\"/>"));
    }

    /// A dot; `paint` is more attributes. Pointing at it shows what it is.
    pub fn dot(&mut self, [x, y]: [f64; 2], radius: f64, paint: &str, what: &str) {
        let [x, y, r] = [x, y, radius].map(number);
        let what = escape(what);
        self.add(&format!(
            "<circle {paint} cx=\"{x}\" cy=\"{y}\" r=\"{r}\"><title>{what}</title></circle>"
        ));
    }

    pub fn rect(&mut self, paint: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        self.add(&format!(
            "<rect {paint} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        ));
    }

    /// A rectangle; pointing at it shows what it is.
    pub fn cell(&mut self, paint: &str, [x, y]: [f64; 2], [width, height]: [f64; 2], what: &str) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        let what = escape(what);
        self.add(&format!(
            "<rect {paint} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">\
             <title>{what}</title></rect>"
        ));
    }

    /// Rectangles of one size and one paint: the upper left corners.
    pub fn cells(&mut self, paint: &str, corners: &[[f64; 2]], [width, height]: [f64; 2]) {
        let mut path = String::with_capacity(24 * corners.len());
        let [width, height] = [width, height].map(number);
        for &[x, y] in corners {
            let (x, y) = (number(x), number(y));
            // Writing to a String cannot fail.
            let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
        }
        self.add(&format!("<path {paint} d=\"{path}\"/>"));
    }

    /// Elements up to `close_group` have a class in common.
    pub fn open_group(&mut self, class: &str) {
        self.add(&format!("<g class=\"{class}\">"));
    }

    /// A text whose class and anchor are those of its group.
    pub fn group_text(&mut self, [x, y]: [f64; 2], text: &str) {
        let (x, y, text) = (number(x), number(y), escape(text));
        self.add(&format!("<text x=\"{x}\" y=\"{y}\">{text}</text>"));
    }

    pub fn close_group(&mut self) {
        self.add("</g>");
    }

    fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }
}

fn join(points: &[[f64; 2]]) -> String {
    let mut text = String::with_capacity(12 * points.len());
    for (k, [x, y]) in points.iter().enumerate() {
        let blank = if k == 0 { "" } else { " " };
        // Writing to a String cannot fail.
        let _ = write!(text, "{blank}{},{}", number(*x), number(*y));
    }
    text
}

/// To a tenth of a pixel, without a needless zero.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".into();
    }
    let text = format!("{:.1}", value.clamp(-1e6, 1e6));
    match text.strip_suffix(".0") {
        Some("-0") => "0".into(),
        Some(integer) => integer.into(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_odd() {
        for (value, expected) in [
            (1.0, "1"),
            (1.25, "1.2"),
            (-0.04, "0"),
            (-2.96, "-3"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
            (1e300, "1000000"),
        ] {
            assert_eq!(number(value), expected);
        }
    }
}
