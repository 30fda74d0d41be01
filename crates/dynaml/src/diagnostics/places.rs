//! Exact places in the text of a file, and hints about its YAML.

use ordain_data::yaml::{ErrorKind, ScalarText, advice};
use ordain_source::{Diagnostic, FileId, TextRange};

use crate::load::LoadErrorKind;

/// The position of a syntax error in a scalar; the whole scalar if it is unknown.
pub(crate) fn exact_place(
    text: &str,
    scalar: TextRange,
    expression: &str,
    at: Option<usize>,
) -> TextRange {
    let exact = || {
        let written = ScalarText::new(text, scalar);
        let at = written.text.find(expression)? + 2 + at?;
        let end = at + written.text.get(at..)?.chars().next()?.len_utf8();
        let [at, end] = [at, end].map(u32::try_from);
        let place = written.places.range(TextRange::new(at.ok()?, end.ok()?));
        (place.start < place.end && place.end <= scalar.end).then_some(place)
    };
    exact().unwrap_or(scalar)
}

/// The place of a part of a scalar's text, if the source contains it unchanged.
pub(crate) fn part_place(text: &str, scalar: TextRange, part: &str) -> Option<TextRange> {
    let written = text.get(scalar.start as usize..scalar.end as usize)?;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let (at, _) = written.match_indices(part).find(|(at, part)| {
        let before = written[..*at].chars().next_back();
        let after = written[at + part.len()..].chars().next();
        let goes_on = part.ends_with(is_word) && after.is_some_and(is_word);
        !before.is_some_and(is_word) && !goes_on
    })?;
    let start = scalar.start + at as u32;
    Some(TextRange::new(start, start + part.len() as u32))
}

/// Adds the likely cause to an error of YAML.
pub(crate) fn with_yaml_hints(
    error: Diagnostic,
    kind: &LoadErrorKind,
    text: &str,
    (file, at): (FileId, TextRange),
) -> Diagnostic {
    let start = (at.start as usize).min(text.len());
    let written = text.get(start..at.end as usize).unwrap_or("");
    let kind = match kind {
        LoadErrorKind::Yaml(kind) => kind,
        LoadErrorKind::Key => {
            let help = format!("YAML reads `{written}` as another value than a text");
            return error.help(format!("{help}: write \"{written}\":"));
        }
        LoadErrorKind::Aliases | LoadErrorKind::Documents => return error,
    };
    let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
    if *kind == ErrorKind::MapNotAllowed && text[line..start].contains("((") {
        return error.help("an expression with `: ` in it stands in single quotes: '(( … ))'");
    }
    let advice = advice(kind, text, at);
    let error = match advice.place == at && advice.label.is_empty() {
        true => error,
        false => error.move_to(advice.place.in_file(file), advice.label),
    };
    match advice.help {
        Some(help) => error.help(help),
        None => error,
    }
}
