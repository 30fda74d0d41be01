//! Renderers of diagnostics: for people with a source excerpt, and one JSON object per line.

use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::files::{SourceFile, SourceMap};
use crate::fix::{Edit, Fix, Safety};
use crate::printable::{printable, printable_line, replaced};

/// The maximum length of a source line in an excerpt; longer ones are shown without an excerpt.
const MAX_EXCERPT_WIDTH: usize = 400;

/// The diagnostic for people: message, excerpt with labels, help. Ends in a newline.
///
/// Further lines of a message are indented. Control characters are replaced, so that only our own
/// styles reach a terminal.
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    human_within(diagnostic, sources, colour, None)
}

/// As [`human`]; source lines are cut to the width of a terminal.
pub fn human_within(
    diagnostic: &Diagnostic,
    sources: &SourceMap,
    colour: bool,
    width: Option<usize>,
) -> String {
    let diagnostic = &shown(&diagnostic.shortened());
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let marks = marks(diagnostic, sources);
    let path = |mark: &Mark| mark.file.path.display().to_string();
    let paths = marks.iter().map(|mark| printable_line(&path(mark)).into_owned());
    let paths: Vec<String> = paths.collect();
    let (title, more) = diagnostic.message.split_once('\n').unwrap_or((&diagnostic.message, ""));
    let mut group = Group::with_title(level.primary_title(title).id(diagnostic.code.as_ref()));
    let mut distant = Vec::new();
    for (i, mark) in marks.iter().enumerate() {
        if marks[..i].iter().any(|before| !before.has_long_line() && before.shares_excerpt(mark)) {
            continue;
        }
        if mark.has_long_line() {
            let at = mark.file.line_col(mark.label.span.range.start);
            let path = if mark.file.has_path() { paths[i].as_str() } else { "-" };
            let text = format!("at {path}:{}:{} {}", at.line, at.column, mark.label.text);
            distant.push(text.trim_end().to_owned());
            continue;
        }
        group = group.element(snippet(&marks[i..], &paths[i]));
    }
    // Without an excerpt the renderer would draw an empty frame.
    let bare = marks.iter().all(Mark::has_long_line);
    for text in distant.iter().filter(|_| !bare) {
        group = group.element(Level::NOTE.message(text.as_str()));
    }
    for help in diagnostic.help.iter().filter(|_| !bare) {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = match width {
        Some(width) => renderer.term_width(width),
        None => renderer,
    };
    // The renderer keeps some control characters of the source; the escapes are its own.
    let out = renderer.render(&[group]);
    let mut out = replaced(&out, |c| matches!(c, '\n' | '\u{1b}')).into_owned();
    out.push('\n');
    if !more.is_empty() {
        let at = out.find('\n').map_or(out.len(), |i| i + 1);
        let lines = more.lines().map(|line| format!("  {}\n", line.trim_end()));
        out.insert_str(at, &lines.collect::<String>());
    }
    if bare {
        distant.iter().for_each(|text| out += &remark("note", text, colour));
        diagnostic.help.iter().for_each(|text| out += &remark("help", text, colour));
    }
    out
}

/// The lines below a message without an excerpt.
fn remark(word: &str, text: &str, colour: bool) -> String {
    let word = if colour { format!("\u{1b}[1m{word}\u{1b}[0m") } else { word.to_owned() };
    format!("  = {word}: {}\n", text.trim_end().replace('\n', "\n          "))
}

/// The diagnostic without terminal control characters.
fn shown(diagnostic: &Diagnostic) -> Diagnostic {
    let mut out = diagnostic.clone();
    let labels = out.primary.iter_mut().chain(&mut out.related).map(|label| &mut label.text);
    let texts = std::iter::once(&mut out.message).chain(labels).chain(&mut out.help);
    for text in texts {
        if let std::borrow::Cow::Owned(shown) = printable(text) {
            *text = shown;
        }
    }
    out
}

/// The excerpt of the first mark, with the other marks inside it.
fn snippet<'a>(marks: &'a [Mark], path: &'a str) -> Snippet<'a, Annotation<'a>> {
    let mark = &marks[0];
    let shown = || marks.iter().filter(|other| mark.shares_excerpt(other));
    let part = excerpt(&mark.file, shown());
    let text = mark.file.shown(part.bytes.clone());
    let mut snippet = Snippet::source(text).line_start(part.first_line).fold(true);
    if mark.file.has_path() {
        snippet = snippet.path(path);
    }
    for other in shown() {
        let kind = if other.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = (!other.label.text.is_empty()).then_some(other.label.text.as_str());
        let range = other.range();
        let range = range.start - part.bytes.start..range.end - part.bytes.start;
        snippet = snippet.annotation(kind.span(range).label(label));
    }
    snippet
}

/// The lines of a file for an excerpt; the renderer's time grows with the lines that it gets.
struct Part {
    bytes: std::ops::Range<usize>,
    first_line: usize,
}

/// The lines of these marks and between them, and one before and after.
fn excerpt<'a>(file: &SourceFile, marks: impl Iterator<Item = &'a Mark>) -> Part {
    let lines = marks.map(Mark::line);
    let (first, last) = lines.fold((u32::MAX, 1), |(a, b), line| (a.min(line), b.max(line)));
    let first = first.saturating_sub(1).clamp(1, last);
    Part { bytes: file.line_start(first)..file.line_start(last + 2), first_line: first as usize }
}

/// A label with its file.
struct Mark {
    label: Label,
    is_primary: bool,
    file: Arc<SourceFile>,
}

impl Mark {
    fn has_long_line(&self) -> bool {
        let first = self.file.line(self.label.span.range.start);
        self.file.line_text(first).len() > MAX_EXCERPT_WIDTH
    }

    /// Whether another mark is shown in the excerpt of this one.
    fn shares_excerpt(&self, other: &Self) -> bool {
        self.label.span.file == other.label.span.file && !other.has_long_line()
    }

    fn is_point(&self) -> bool {
        self.label.span.range.start >= self.label.span.range.end
    }

    fn line(&self) -> u32 {
        self.file.line(self.label.span.range.start)
    }

    /// The label's bytes, clamped to the text, to character boundaries, and to its first line. An
    /// empty range becomes the word that begins there.
    fn range(&self) -> std::ops::Range<usize> {
        let text = self.file.text.as_ref();
        let floor = |mut i: usize| {
            i = i.min(text.len());
            while !text.is_char_boundary(i) {
                i -= 1;
            }
            i
        };
        let start = floor(self.label.span.range.start as usize);
        let end = floor(self.label.span.range.end as usize).max(start);
        if end == start {
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '$' | '@');
            let rest = &text[start..];
            let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            return start..start + len;
        }
        let line_end = text[start..end].find('\n').map_or(end, |n| start + n);
        start..line_end.max(start)
    }
}

/// The places to show. An empty primary range is replaced by a label on its line, and an empty
/// label by a primary range with the same start. Without a primary place the first label becomes
/// one.
fn marks(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<Mark> {
    let mark = |(label, is_primary): (&Label, bool)| Mark {
        label: label.clone(),
        is_primary,
        file: sources.file(label.span.file),
    };
    let mut marks: Vec<Mark> = labels(diagnostic).map(mark).collect();
    let Some((first, others)) = marks.split_first_mut() else { return marks };
    if !first.is_primary {
        first.is_primary = true;
        return marks;
    }
    if !first.label.text.is_empty() {
        return marks;
    }
    let near = |m: &Mark| {
        m.label.span.file == first.label.span.file
            && m.line() == first.line()
            && m.label.span.range.start >= first.label.span.range.start
    };
    let Some(i) = others.iter().position(near) else { return marks };
    let same_start = others[i].label.span.range.start == first.label.span.range.start;
    if first.is_point() {
        others[i].is_primary = true;
        let chosen = marks.remove(i + 1);
        marks[0] = chosen;
    } else if same_start && others[i].is_point() {
        first.label.text = std::mem::take(&mut others[i].label.text);
        marks.remove(i + 1);
    }
    marks
}

/// The diagnostic as a JSON object: `severity`, `code`, `issue`, `message`, `file`, `line`,
/// `column`, `related` (list of `file`, `line`, `column`, `text`), `help`; with a text at the place
/// also `label`, and with fixes also `fixes` (list of `title`, `safe`, `edits`). The place is the one
/// that the original program reports; if the cause is elsewhere, it comes first in `related`.
pub fn json(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let diagnostic = &*diagnostic.shortened();
    let mut out = json!({
        "severity": diagnostic.severity.word(),
        "code": diagnostic.code,
        "issue": diagnostic.issue,
        "message": diagnostic.message,
    });
    let reported = diagnostic.peer.map(|span| Label { span, text: String::new() });
    if let Some(label) = reported.as_ref().or(diagnostic.primary.as_ref()) {
        place(&mut out, label, sources);
    }
    let moved = diagnostic.primary.iter().filter(|_| reported.is_some());
    let related = moved.chain(&diagnostic.related).map(|label| {
        let mut at = json!({ "text": label.text });
        place(&mut at, label, sources);
        at
    });
    out["related"] = related.collect();
    out["help"] = json!(diagnostic.help);
    // If the cause is elsewhere, its text is in `related`.
    let label = diagnostic.primary.as_ref().filter(|l| reported.is_none() && !l.text.is_empty());
    if let Some(label) = label {
        out["label"] = json!(label.text);
    }
    if !diagnostic.fixes.is_empty() {
        out["fixes"] = diagnostic.fixes.iter().map(|f| fix(f, sources)).collect();
    }
    out
}

fn fix(fix: &Fix, sources: &SourceMap) -> Value {
    let edit = |edit: &Edit| {
        let file = sources.file(edit.span.file);
        let (start, end) =
            (file.line_col(edit.span.range.start), file.line_col(edit.span.range.end));
        let mut out = json!({
            "line": start.line, "column": start.column,
            "end_line": end.line, "end_column": end.column, "text": edit.text,
        });
        if file.has_path() {
            out["file"] = json!(file.path.display().to_string());
        }
        out
    };
    json!({
        "title": fix.title,
        "safe": fix.safety == Safety::Safe,
        "edits": fix.edits.iter().map(edit).collect::<Value>(),
    })
}

fn place(out: &mut Value, label: &Label, sources: &SourceMap) {
    let file = sources.file(label.span.file);
    let at = file.line_col(label.span.range.start);
    if file.has_path() {
        out["file"] = json!(file.path.display().to_string());
    }
    out["line"] = json!(at.line);
    out["column"] = json!(at.column);
}

fn labels(diagnostic: &Diagnostic) -> impl Iterator<Item = (&Label, bool)> {
    let primary = diagnostic.primary.iter().map(|l| (l, true));
    primary.chain(diagnostic.related.iter().map(|l| (l, false)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::TextRange;

    #[test]
    fn an_error_shows_both_places() {
        let sources = SourceMap::new();
        let a = sources.add("site.pp", "class { 'ntp':\n  sever => 'x',\n}\n");
        let b = sources.add("ntp.pp", "class ntp(\n  $server,\n) {}\n");
        let d =
            Diagnostic::error("puppet::unknown-parameter", "class `ntp` has no parameter `sever`")
                .labelled(TextRange::new(17, 22).in_file(a), "not a parameter")
                .related(TextRange::new(13, 20).in_file(b), "did you mean this one?")
                .help("rename it");
        let text = human(&d, &sources, false);
        for part in
            ["error[puppet::unknown-parameter]", "site.pp:2:3", "ntp.pp", "= help: rename it"]
        {
            assert!(text.contains(part), "{part} missing in\n{text}");
        }
        let j = json(&d, &sources);
        assert_eq!(j["line"], 2);
        assert_eq!(j["related"][0]["column"], 3);
    }

    #[test]
    fn a_point_gives_way_to_a_label_on_its_line() {
        let sources = SourceMap::new();
        let file = sources.add("a.pp", "file { '/a': mdoe => 1 }\n");
        let at = |start, end| TextRange::new(start, end).in_file(file);
        let error = Diagnostic::error("a::b", "no parameter\n  of this name").at(at(0, 0));
        let text = human(&error.related(at(13, 17), "not an attribute"), &sources, false);
        assert!(text.contains("a.pp:1:14") && text.contains("^^^^ not an attribute"), "{text}");
        assert!(text.starts_with("error[a::b]: no parameter\n    of this name\n"), "{text}");
        let error = Diagnostic::error("a::b", "again").at(at(0, 24)).related(at(0, 0), "here");
        let text = human(&error, &sources, false);
        assert!(text.contains("^ here"), "{text}");
    }

    #[test]
    fn a_terminal_obeys_nothing_of_a_diagnostic() {
        let sources = SourceMap::new();
        let bad = "\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\r";
        let file = sources.add(format!("{bad}\n.pp"), format!("notice('{bad}')\n"));
        let place = TextRange::new(0, 6).in_file(file);
        let error = Diagnostic::error("a::b", bad).labelled(place, bad).help(bad);
        let bare = Diagnostic::error("a::b", format!("x\n{bad}")).help(bad);
        for diagnostic in [error, bare] {
            let text = human(&diagnostic, &sources, false);
            assert!(!text.contains(|c: char| c != '\n' && c.is_control()), "{text:?}");
            assert!(!text.contains('\u{202e}') && text.contains('␛'), "{text:?}");
            assert!(!human(&diagnostic, &sources, true).contains("\u{1b}]"));
        }
    }

    #[test]
    fn help_without_a_place_has_no_frame() {
        let text = human(&Diagnostic::error("a::b", "m").help("h"), &SourceMap::new(), false);
        assert_eq!(text, "error[a::b]: m\n  = help: h\n");
    }

    #[test]
    fn input_is_not_echoed_at_length() {
        let sources = SourceMap::new();
        let file = sources.add("a.pp", format!("$a = {}\n", "9".repeat(1 << 20)));
        let text = format!("the number {} is too large", "9".repeat(1 << 20));
        let at = TextRange::new(5, 5 + (1 << 20)).in_file(file);
        let error = Diagnostic::error("a::b", text.clone()).labelled(at, text.clone());
        let error = error.help(text.clone()).related(at, text);
        assert!(human(&error, &sources, false).len() < 5_000);
        assert!(json(&error, &sources).to_string().len() < 5_000);
        let log = crate::ci::sarif(&[error], &sources, &[], "1").to_string();
        assert!(log.len() < 8_000, "{}", log.len());
    }

    #[test]
    fn of_very_many_places_the_first_are_shown() {
        let sources = SourceMap::new();
        let file = sources.add("a.pp", "a\n".repeat(5000));
        let at = |line: u32| TextRange::new(line * 2, line * 2 + 1).in_file(file);
        let error = Diagnostic::error("a::b", "again").at(at(0));
        let error = (1..5000).fold(error, |error, line| error.related(at(line), "here"));
        let text = human(&error, &sources, false);
        assert!(text.contains("4979 more places are not shown") && text.len() < 3000, "{text}");
        assert_eq!(json(&error, &sources)["related"].as_array().map(Vec::len), Some(20));
    }

    #[test]
    fn a_place_of_the_peer_stays_in_json() {
        let sources = SourceMap::new();
        let file = sources.add("a.pp", "a {\n  b\n");
        let at = |start, end| TextRange::new(start, end).in_file(file);
        let error = Diagnostic::error("a::b", "end").at(at(8, 8)).move_to(at(2, 3), "not closed");
        assert!(human(&error, &sources, false).contains("a.pp:1:3"));
        let shown = json(&error, &sources);
        assert_eq!((&shown["line"], &shown["related"][0]["line"]), (&json!(3), &json!(1)));
        assert_eq!(error.peer_span(), Some(at(8, 8)));
    }

    #[test]
    fn odd_ranges_do_not_panic() {
        let sources = SourceMap::new();
        let f = sources.add("", "ä\n");
        for (s, e) in [(0, 1), (1, 9), (5, 3), (2, 3)] {
            let d = Diagnostic::warning("x::y", "m").at(TextRange::new(s, e).in_file(f));
            assert!(human(&d, &sources, true).contains('m'));
        }
    }
}
