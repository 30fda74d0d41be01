//! Checks of a text that is no YAML as a whole: of each entry on its own.

use ordain_data::yaml::{Error, ErrorKind};
use ordain_source::Diagnostic;
use ordain_syntax::{StatementLines, StatementPart};

const LINES: StatementLines = StatementLines { begins, continues };

/// The findings in a text, or the error of YAML in it.
type Checked = Result<Vec<Diagnostic>, Box<(Diagnostic, Error)>>;

/// The findings in the entries before and behind the first error of YAML, which is at an offset.
/// `check` checks one of them.
pub(super) fn further(
    text: &str,
    first: usize,
    check: &dyn Fn(&str) -> Checked,
) -> Vec<Diagnostic> {
    let mut out = check(&text[..entry_start(text, first)]).unwrap_or_default();
    let mut in_sound = Vec::new();
    let parse = |part: &StatementPart| {
        let entry = &text[part.range.clone()];
        let offset = part.range.start as u32;
        match check(entry) {
            Ok(found) => {
                in_sound.extend(found.into_iter().map(|found| shifted(found, offset)));
                None
            }
            // The anchor is in another entry.
            Err(failed) if matches!(failed.1.kind, ErrorKind::UnknownAlias(_)) => None,
            Err(failed) => {
                let (found, e) = *failed;
                Some(((e.range.start + offset) as usize, shifted(found, offset)))
            }
        }
    };
    out.extend(LINES.errors_after(text, first, parse));
    out.extend(in_sound);
    out
}

/// The start of the entry of the root around an offset.
fn entry_start(text: &str, offset: usize) -> usize {
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > offset {
            break;
        }
        if begins(line.trim_end()) && !line.starts_with(char::is_whitespace) {
            start = at;
        }
        at += line.len();
    }
    start
}

/// A finding in a part of a text, with its places in the whole.
fn shifted(mut found: Diagnostic, by: u32) -> Diagnostic {
    let labels = found.primary.iter_mut().chain(&mut found.related);
    for span in labels.map(|label| &mut label.span).chain(&mut found.peer) {
        span.range.start += by;
        span.range.end += by;
    }
    found
}

/// Whether a line begins an entry of a map or list.
fn begins(line: &str) -> bool {
    let is_item = line == "-" || line.starts_with("- ");
    let is_key = line.ends_with(':') || line.contains(": ");
    is_item || is_key && !line.starts_with(['#', '{', '[', '}', ']', '|', '>'])
}

/// Whether a line is a part of the text or the list that the line above opens.
fn continues(above: &str, _: &str) -> bool {
    let is_text = ["|", ">", "|-", ">-", "|+", ">+"].iter().any(|end| above.ends_with(end));
    is_text || above.ends_with(['[', '{', ','])
}

/// Whether the value of a line is an expression in the usual form.
pub(super) fn has_usual_expression(line: &str) -> bool {
    let line = line.trim();
    let value = line.split_once(": ").map_or(line, |(_, value)| value.trim_start());
    value.strip_prefix("- ").unwrap_or(value).starts_with("(( ")
}
