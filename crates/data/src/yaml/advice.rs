//! Explains likely causes of syntax errors in YAML, by the text around the error.

use ordain_source::TextRange;

use super::error::ErrorKind;

/// A mistake's place, and the words for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// Its position; the reader's position if no better one is known.
    pub place: TextRange,
    /// The text at that place.
    pub label: &'static str,
    /// Advice.
    pub help: Option<&'static str>,
}

/// The likely cause of a reader's error.
pub fn advice(kind: &ErrorKind, text: &str, at: TextRange) -> Advice {
    let start = (at.start as usize).min(text.len());
    let before = text.get(..start).unwrap_or(text);
    let one = |at: usize| TextRange::new(at as u32, at as u32 + 1);
    let line = before.rfind('\n').map_or(0, |n| n + 1);
    if matches!(kind, ErrorKind::Tab | ErrorKind::TabInText)
        && let Some(tab) = indenting_tab(text, line)
    {
        let help = Some("YAML is indented with blanks");
        return Advice { place: one(tab), label: "this is a tab", help };
    }
    if let Some(open) = open_bracket(before) {
        return Advice { place: one(open), label: "this is not closed", help: None };
    }
    let (label, help) = match kind {
        ErrorKind::ColonExpected => ("a colon is missing after this key", None),
        ErrorKind::UnclosedQuote => ("this quote is not closed", None),
        ErrorKind::MapNotAllowed => {
            let key = before[line..].trim_start_matches([' ', '-']);
            match key.contains(": ") {
                true => ("", Some("a text with `: ` in it stands in quotes")),
                false => ("", indented_too_far(before, line)),
            }
        }
        _ => ("", None),
    };
    Advice { place: at, label, help }
}

/// The first tab in the indentation of a line, from a line on.
fn indenting_tab(text: &str, line: usize) -> Option<usize> {
    let mut at = line;
    for line in text.get(line..)?.split_inclusive('\n') {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        if line[blanks..].starts_with('\t') && !line.trim().is_empty() {
            return Some(at + blanks);
        }
        at += line.len();
    }
    None
}

/// The innermost bracket of a flow list or map that a text leaves open.
fn open_bracket(text: &str) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    let mut before = '\n';
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let begins = matches!(before, ' ' | '\n' | '[' | '{' | ',' | ':');
        match c {
            '#' if matches!(before, ' ' | '\n') => {
                chars.by_ref().find(|(_, c)| *c == '\n');
                before = '\n';
                continue;
            }
            '"' | '\'' if begins => {
                while let Some((_, inner)) = chars.next() {
                    match inner {
                        '\\' if c == '"' => drop(chars.next()),
                        _ if inner == c => break,
                        _ => {}
                    }
                }
            }
            '[' | '{' if begins => open.push(at),
            ']' | '}' => drop(open.pop()),
            _ => {}
        }
        before = c;
    }
    open.pop()
}

/// Whether a line starts a map although the less indented line before it already has a value.
fn indented_too_far(before: &str, line: usize) -> Option<&'static str> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let last = before[..line].lines().rev().find(is_code)?;
    let has_value = last.split_once(": ").is_some_and(|(_, value)| !value.trim().is_empty());
    let deeper = indent(&before[line..]) > indent(last);
    (deeper && has_value)
        .then_some("this line is indented more than the one before, which has a value already")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Schema, read};

    fn found(text: &str) -> (String, &'static str, Option<&'static str>) {
        let error = read(text, Schema::Psych).expect_err("it is no YAML");
        let found = advice(&error.kind, text, error.range);
        (text[found.place.start as usize..].chars().take(3).collect(), found.label, found.help)
    }

    #[test]
    fn the_place_of_the_mistake_is_found() {
        assert_eq!(found("a: [1, 2\nb: 3\n"), ("[1,".into(), "this is not closed", None));
        assert_eq!(found("a: {b: 1\nc: 3\n"), ("{b:".into(), "this is not closed", None));
        assert_eq!(found("a: 'x\n# [\nb: 3\n").1, "this quote is not closed");
        let tab = found("a: 80\n\tb: true\n");
        assert_eq!((tab.0.as_str(), tab.1), ("\tb:", "this is a tab"));
        assert_eq!(found("a: 1\nb 2\n").1, "a colon is missing after this key");
    }

    #[test]
    fn the_remedy_is_named() {
        let help = |text: &str| found(text).2.unwrap_or_default();
        assert!(help("a: b: c\n").contains("in quotes"));
        assert!(help("a: 1\n  b: 2\n").contains("indented more"));
        assert_eq!(help("a: [1, 2\nb: 3\n"), "");
    }
}
