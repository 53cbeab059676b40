//! SVG elements: text is escaped, numbers have fixed decimals.

use std::fmt::Write;

use super::style::STYLE;
use crate::render::text::escape;

/// The width of every picture, in pixels: that of a text column on a screen.
pub(super) const WIDTH: f64 = 760.0;

/// A drawing: a title for those who cannot see it, a size and elements.
pub(crate) struct Picture {
    pub title: String,
    pub width: f64,
    pub height: f64,
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
    /// A picture with a heading and a line of explanation.
    pub fn new(width: f64, height: f64, title: &str, subtitle: &str) -> Self {
        let mut picture = Self {
            title: title.into(),
            width,
            height,
            body: String::new(),
        };
        picture.text(16.0, 26.0, "me-ink me-title", Anchor::Start, title);
        picture.text(16.0, 45.0, "me-soft", Anchor::Start, subtitle);
        picture
    }

    /// A picture that says why there is nothing to draw.
    pub fn empty(title: &str, why: &str) -> Self {
        Self::new(WIDTH, 72.0, title, why)
    }

    /// An SVG document of its own.
    pub fn document(&self) -> String {
        self.element(&format!("<style>{STYLE}</style>\n"))
    }

    /// An element for a page that has the style sheet already.
    pub fn inline(&self) -> String {
        self.element("")
    }

    fn element(&self, style: &str) -> String {
        let (width, height) = (number(self.width), number(self.height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" class=\"me-plot\" role=\"img\">\n\
             <title>{}</title>\n{style}\
             <rect class=\"me-paper\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            escape(&self.title),
            self.body
        )
    }

    pub fn text(&mut self, x: f64, y: f64, class: &str, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y, text) = (number(x), number(y), escape(text));
        self.add(&format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>"
        ));
    }

    /// A text that runs upwards from its position.
    pub fn text_up(&mut self, x: f64, y: f64, class: &str, anchor: Anchor, text: &str) {
        let position = format!("translate({} {}) rotate(-90)", number(x), number(y));
        self.add(&format!("<g transform=\"{position}\">"));
        self.text(0.0, 0.0, class, anchor, text);
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

    /// Elements up to `close_group` belong together; pointing at them shows what they are.
    pub fn open_group(&mut self, what: &str) {
        self.add(&format!("<g><title>{}</title>", escape(what)));
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
