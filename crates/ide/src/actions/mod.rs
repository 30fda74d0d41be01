//! Changes that solve a diagnostic: a similar name, a missing sign, a comment that ignores it.

mod change;
mod missing;

use ordain_source::fix::Fix;
use ordain_source::{Diagnostic, Severity, Span, TextRange, suggest};

use self::change::Change;
use crate::file::File;
use crate::language::Language;
use crate::puppet::near;
use crate::snapshot::Analysis;
use crate::types::{Action, Edit, Place};

/// The changes that solve the diagnostics in a range of a file.
pub(crate) fn actions(analysis: &Analysis, file: &File, range: TextRange) -> Vec<Action> {
    // Places in an older text mean nothing in this one.
    let report = analysis.reports.get(&file.path).filter(|report| *report.text == *file.text);
    let mut out = Vec::new();
    for found in report.iter().flat_map(|report| &report.found) {
        let Some(at) = found.primary.as_ref().map(|label| label.span.range) else { continue };
        if at.start > range.end || range.start > at.end || analysis.is_cancelled() {
            continue;
        }
        let action = |title: String, edits: Vec<Edit>, is_fix: bool| {
            let code = found.code.to_string();
            Action { title, code, diagnostic: at, is_fix, edits }
        };
        let one = |change: Change| {
            vec![Edit { place: Place::new(&file.path, change.range), text: change.text }]
        };
        out.extend(found.fixes.iter().map(|fix| action(fix.title.clone(), edits(file, fix), true)));
        if found.fixes.is_empty() {
            let guesses = guesses(analysis, file, found, at).into_iter().take(MAX_GUESSES);
            out.extend(guesses.map(|change| action(change.title.clone(), one(change), true)));
        }
        let ignores = ignore(file, found, at).into_iter();
        out.extend(ignores.map(|change| action(change.title.clone(), one(change), false)));
    }
    out.dedup_by(|a, b| a.title == b.title && a.edits == b.edits);
    out
}

/// The edits of a fix that the check proposes, all of which are in its file.
fn edits(file: &File, fix: &Fix) -> Vec<Edit> {
    let place = |span: Span| Place::new(&file.path, span.range);
    let edits = fix.edits.iter();
    edits.map(|edit| Edit { place: place(edit.span), text: edit.text.clone() }).collect()
}

/// The maximal number of changes for a diagnostic that comes without any.
const MAX_GUESSES: usize = 5;

/// Likely changes for a diagnostic without fixes.
fn guesses(analysis: &Analysis, file: &File, found: &Diagnostic, at: TextRange) -> Vec<Change> {
    let mut out: Vec<Change> = found
        .help
        .iter()
        .flat_map(|help| named(help))
        .filter_map(|name| similar(file, at, name))
        .collect();
    if out.is_empty() && found.code.contains("::unknown-") {
        let near = near::name(analysis, file, at);
        out.extend(near.and_then(|name| similar(file, at, &name)));
    }
    if out.is_empty() {
        out.extend(missing::sign(file, found));
    }
    out
}

/// The texts in backquotes of an advice.
fn named(help: &str) -> impl Iterator<Item = &str> {
    help.split('`').skip(1).step_by(2)
}

/// The replacement of the word in a range that is similar to a name.
fn similar(file: &File, at: TextRange, name: &str) -> Option<Change> {
    let written = file.text.get(at.start as usize..at.end as usize)?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
    let sigil = |text: &str| text.starts_with(['$', '@', '&']);
    let bare = if sigil(name) { &name[1..] } else { name };
    let is_similar = |word: &&str| suggest::nearest(word, [bare]).is_some();
    let mut words = written.split(|c| !is_part(c)).map(|word| word.trim_matches([':', '.', '-']));
    let word = words.find(is_similar)?;
    let start = at.start + (word.as_ptr().addr() - written.as_ptr().addr()) as u32;
    let range = TextRange::new(start, start + word.len() as u32);
    Some(Change { title: format!("Replace `{word}` by `{bare}`"), range, text: bare.to_owned() })
}

/// The comment that ignores a diagnostic in its line.
fn ignore(file: &File, found: &Diagnostic, at: TextRange) -> Option<Change> {
    let is_of_parser = found.code == "puppet::syntax-error" && found.severity == Severity::Error;
    let short = found.code.strip_prefix("puppet::").filter(|_| !is_of_parser)?;
    let line = file.lines.line(at.start);
    let start = file.lines.start(line) as usize;
    let text = file.text.get(start..)?.lines().next()?;
    let end = (start + text.trim_end().len()) as u32;
    let has_comment = match file.language? {
        Language::Puppet if file.path.extension().is_some_and(|end| end == "pp") => {
            comment_at(file, end)?
        }
        // Behind the first line of a longer value, a comment would be a part of it.
        Language::Data if file.path.extension().is_some_and(|end| end != "json") => {
            let keys = file.keys();
            let key = keys.iter().find(|key| file.lines.line(key.range.start) == line)?;
            if file.lines.line(key.value.end.max(key.range.end)) != line {
                return None;
            }
            false
        }
        _ => return None,
    };
    let name = short.replace('-', "_");
    let sign = if has_comment { "" } else { "# " };
    let text = format!(" {sign}lint:ignore:{name}");
    Some(Change {
        title: format!("Ignore `{short}` in this line"),
        range: TextRange::new(end, end),
        text,
    })
}

/// Whether a comment is before the end of a line; `None` if the end of the line is inside of a text.
fn comment_at(file: &File, end: u32) -> Option<bool> {
    let program = file.program()?;
    if program.comments.iter().any(|comment| comment.start < end && end <= comment.end) {
        return Some(true);
    }
    let (before, after) = file.text.split_at_checked(end as usize)?;
    let parsed =
        ordain_puppet::syntax::parse(ordain_source::FileId(0), format!("{before} #{after}"));
    let is_comment = parsed.program.comments.iter().any(|comment| comment.start == end + 1);
    is_comment.then_some(false)
}
