//! The text of an argument that names votes: a statement, or the name of a table
//! with or without its schema.

/// Whether a text is a statement, not a name: SELECT, WITH or VALUES and more.
pub(super) fn is_query(text: &str) -> bool {
    let text = skip_blanks(text);
    let end = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let follows = |c: char| !(c.is_alphanumeric() || "_$.".contains(c));
    ["select", "with", "values"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word))
        && rest.trim_end().starts_with(follows)
}

/// The text behind blanks and comments.
fn skip_blanks(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let rest = if let Some(comment) = text.strip_prefix("--") {
            comment.split_once('\n').map(|(_, rest)| rest)
        } else if let Some(comment) = text.strip_prefix("/*") {
            comment.split_once("*/").map(|(_, rest)| rest)
        } else {
            return text;
        };
        text = rest.unwrap_or("");
    }
}

/// A name in double quotes, with those inside of it doubled.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// `votes`, `main.votes`, `"my votes"`, `temp.[my votes]` … as quoted names.
/// None if it is not such a path.
pub(super) fn path(text: &str) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let (part, behind) = match rest.chars().next()? {
            open @ ('"' | '`') => enclosed(&rest[1..], open)?,
            '[' => {
                let (name, behind) = rest[1..].split_once(']')?;
                (name.to_string(), behind)
            }
            _ => {
                let (name, behind) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
                (name.trim_end().to_string(), behind)
            }
        };
        parts.push(quoted(&part));
        let behind = behind.trim_start();
        if behind.is_empty() {
            break;
        }
        rest = behind.strip_prefix('.')?.trim_start();
    }
    (parts.len() <= 2).then(|| parts.join("."))
}

/// A name up to its closing quote, which is doubled within, and what follows.
fn enclosed(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (piece, behind) = rest.split_once(quote)?;
        name += piece;
        match behind.strip_prefix(quote) {
            Some(behind) => {
                name.push(quote);
                rest = behind;
            }
            None => return Some((name, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_kinds() {
        for (text, expected) in [
            ("votes", r#""votes""#),
            (" main.votes ", r#""main"."votes""#),
            ("my votes", r#""my votes""#),
            (r#""my ""best"" votes""#, r#""my ""best"" votes""#),
            (r#"temp . "a.b""#, r#""temp"."a.b""#),
            ("[odd name].`q``q`", r#""odd name"."q`q""#),
            ("Stimmen_für", r#""Stimmen_für""#),
            (r#"x"; DROP TABLE votes"#, r#""x""; DROP TABLE votes""#),
        ] {
            assert_eq!(path(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "a.b.c", "a.", r#""open"#, r#""a"b"#, "[a"] {
            assert_eq!(path(text), None, "{text}");
        }
    }

    #[test]
    fn queries_and_names_are_told_apart() {
        for text in [
            "SELECT 1",
            " select*from x",
            "-- why\n/* not */ With x AS (VALUES (1)) SELECT 1",
            "VALUES(1)",
            "select\n1",
        ] {
            assert!(is_query(text), "{text}");
        }
        for text in [
            "votes",
            "selected",
            "select",
            "with.x",
            "values ",
            "with_x",
            "-- SELECT 1",
        ] {
            assert!(!is_query(text), "{text}");
        }
    }
}
