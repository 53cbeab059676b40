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

/// Whether there is more behind the end of the first statement than blanks, comments
/// and semicolons. Only the text is looked at: to prepare a PRAGMA is to run it.
pub(super) fn has_several_statements(text: &str) -> bool {
    let mut rest = behind_first_semicolon(text);
    loop {
        rest = skip_blanks(rest);
        match rest.strip_prefix(';') {
            Some(behind) => rest = behind,
            None => return !rest.is_empty(),
        }
    }
}

/// What follows the first semicolon that is not within quotes or a comment.
fn behind_first_semicolon(mut text: &str) -> &str {
    loop {
        text = skip_blanks(text);
        let Some(first) = text.chars().next() else {
            return "";
        };
        let rest = &text[first.len_utf8()..];
        text = match first {
            ';' => return rest,
            // A doubled quote within ends one quotation and begins the next.
            '\'' | '"' | '`' => rest.split_once(first).map_or("", |(_, behind)| behind),
            '[' => rest.split_once(']').map_or("", |(_, behind)| behind),
            _ => rest,
        };
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
    fn statements_are_counted_by_their_text() {
        for text in [
            "SELECT 1",
            "SELECT 1;",
            "SELECT 1 ; ;; -- ; and that is it",
            "SELECT 1 /* ; */ ; /* ; */\n-- ;\n ;",
            "SELECT ';', \";\", `;`, [;], 'it''s; so', \"a\"\";\"",
            "SELECT 1 -- ; \n + 1",
            "SELECT 1 /* ; SELECT 2",
            "SELECT 'open ; SELECT 2",
            "SELECT a-b/c*d FROM [x]",
        ] {
            assert!(!has_several_statements(text), "{text}");
        }
        for text in [
            "SELECT 1; SELECT 2",
            "SELECT 1;;PRAGMA query_only = OFF;",
            "SELECT 'it''s ;'; PRAGMA x",
            "SELECT 1 /* */ ; /* */ - 1",
            "SELECT 1 -- it's\n; x",
            "SELECT [']; x",
            "SELECT 1;\0",
        ] {
            assert!(has_several_statements(text), "{text}");
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
