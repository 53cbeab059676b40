//! Ids, numbers and shares as text, for pictures and the report.
//!
//! Ids are hostile input. They reach SVG and HTML through `escape` only.

use crate::votes::IdRef;

/// A text as it stands in XML and HTML, in an element or an attribute. What XML
/// cannot hold becomes a replacement character.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // A change of the writing direction would reorder the text around it.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => escaped.push('\u{fffd}'),
            '\t' | '\n' | '\r' => escaped.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Whether an id is longer than so many cells.
pub(super) fn is_long(id: IdRef<'_>, max_cells: usize) -> bool {
    width_in_cells(&full_label(id)) > max_cells
}

fn full_label(id: IdRef<'_>) -> String {
    match id {
        IdRef::Int(value) => value.to_string(),
        IdRef::Text("") => "(empty)".into(),
        IdRef::Text(text) => text.into(),
    }
}

/// An id as a label of at most so many cells: text without its quotes. Of a long one
/// folders are left out, then the middle: names that begin alike often end in a number.
pub(super) fn short_label(id: IdRef<'_>, max_cells: usize) -> String {
    let text = full_label(id);
    if width_in_cells(&text) <= max_cells {
        return text;
    }
    if let Some(slash) = without_folders(&text, max_cells) {
        return format!("…{}", &text[slash..]);
    }
    match text.rsplit_once('/') {
        Some((_, name)) if width_in_cells(name) >= max_cells / 2 => without_middle(name, max_cells),
        _ => without_middle(&text, max_cells),
    }
}

/// The slash of a path from which on it fits behind "…", with half of the cells or more:
/// "…/Llama-3.1-405B-Instruct".
fn without_folders(text: &str, max_cells: usize) -> Option<usize> {
    let mut slashes = text.match_indices('/').map(|(slash, _)| slash);
    slashes.find(|&slash| (max_cells / 2..max_cells).contains(&width_in_cells(&text[slash..])))
}

/// A text of at most so many cells: its beginning and its end.
fn without_middle(text: &str, max_cells: usize) -> String {
    if width_in_cells(text) <= max_cells {
        return text.into();
    }
    let tail = (max_cells - 1) * 2 / 5;
    let fitting = |characters: &mut dyn Iterator<Item = char>, max_cells: usize| -> Vec<char> {
        let mut left = max_cells;
        characters
            .take_while(|&character| {
                let fits = cells(character) <= left;
                left = left.saturating_sub(cells(character));
                fits
            })
            .collect()
    };
    let head = fitting(&mut text.chars(), max_cells - 1 - tail);
    let end = fitting(&mut text.chars().rev(), tail);
    head.into_iter()
        .chain(['…'])
        .chain(end.into_iter().rev())
        .collect()
}

/// An id as a label where a long one does not matter.
pub(super) fn label(id: IdRef<'_>) -> String {
    short_label(id, 200)
}

fn width_in_cells(text: &str) -> usize {
    text.chars().map(cells).sum()
}

/// How many cells of a terminal a character would take.
fn cells(character: char) -> usize {
    if (character as u32) < 0x1100 { 1 } else { 2 }
}

/// How wide a text is at a font size, in pixels; rather too wide than too narrow. The
/// widest of the fonts that pictures ask for is DejaVu Sans.
pub(super) fn text_width(text: &str, font_size: f64) -> f64 {
    font_size * text.chars().map(character_width).sum::<f64>()
}

/// In units of the font size.
fn character_width(character: char) -> f64 {
    match character {
        ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'i' | 'j' | 'l' | 'I' | 'J' => 0.34,
        'f' | 'r' | 't' | '-' | '/' | '\\' | '(' | ')' | '[' | ']' => 0.42,
        'm' | 'M' | 'w' | 'W' | '%' | '@' | '…' | '−' | '+' | '=' | '<' | '>' => 1.0,
        'A'..='Z' | '&' | '#' | '~' | '^' => 0.84,
        c if (c as u32) < 0x80 => 0.64,
        c if (c as u32) < 0x1100 => 0.8,
        _ => 1.3,
    }
}

/// A text in lines that are no wider than that, unless a word is.
pub(super) fn wrap(text: &str, max_width: f64, font_size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), font_size) <= max_width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// A number with three significant digits, or with all digits before the point if
/// there are more.
pub(super) fn significant(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if size >= 100.0 || size == 0.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 1.0 => 2,
        _ if size >= 0.001 => 4,
        _ => return format!("{value:.1e}").replace('-', "−"),
    };
    format!("{value:.decimals$}").replace('-', "−")
}

/// A score with so many decimals, and no minus before zero.
pub(super) fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|b| matches!(b, b'0' | b'.')) => zero.into(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}

/// A sum of weights, rounded, with commas between thousands.
pub(super) fn count(value: f64) -> String {
    let digits = format!("{:.0}", value.round());
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && digit.is_ascii_digit() && (digits.len() - k) % 3 == 0 && digits.len() > 4 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in words: "74 %".
pub(super) fn percent(share: f64) -> String {
    match 100.0 * share {
        part if part < 1e-7 => "none".into(),
        part if part < 0.5 => "less than 1 %".into(),
        part if part < 99.5 => format!("{part:.0} %"),
        part if part < 100.0 - 1e-7 => "more than 99 %".into(),
        _ => "100 %".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_an_id_becomes_markup() {
        let hostile = "</text><script>alert('1')</script>&\"\u{0}\u{202e}\n";
        assert_eq!(
            escape(hostile),
            "&lt;/text&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;\u{fffd}\u{fffd} "
        );
    }

    #[test]
    fn lines_are_no_wider_than_the_paper() {
        let text = "scores have mean zero; blue lines are intervals";
        let lines = wrap(text, 160.0, 10.0);
        assert!(lines.len() > 1, "{lines:?}");
        assert!(lines.iter().all(|line| text_width(line, 10.0) <= 160.0));
        assert_eq!(lines.join(" "), text);
    }

    #[test]
    fn long_ids_are_cut_off() {
        assert_eq!(short_label(IdRef::Text("abcdef"), 6), "abcdef");
        assert_eq!(short_label(IdRef::Text("abcdefg"), 6), "abc…fg");
        assert_eq!(short_label(IdRef::Text("漢字漢字"), 6), "漢…字");
        assert_eq!(short_label(IdRef::Int(-12), 6), "-12");
        assert_eq!(short_label(IdRef::Text(""), 7), "(empty)");
    }

    #[test]
    fn of_a_path_the_name_is_kept() {
        let llama = |size: &str| format!("meta-llama/Llama-3.1-{size}-Instruct");
        let label = |text: &str, max_cells| short_label(IdRef::Text(text), max_cells);
        assert_eq!(label(&llama("405B"), 40), llama("405B"));
        assert_eq!(label(&llama("405B"), 26), "…/Llama-3.1-405B-Instruct");
        assert_eq!(label(&llama("70B"), 26), "…/Llama-3.1-70B-Instruct");
        assert_eq!(label("a/b/c/name.png", 12), "…/c/name.png");
        assert_eq!(label("folder/abcdefghij", 10), "abcdefghij");
        assert_eq!(label("a/much too long", 10), "much t…ong");
        // Too little would be left.
        assert_eq!(label("either this and/or", 10), "either…/or");
        assert_eq!(label("0123456789/", 10), "012345…89/");
    }
}
