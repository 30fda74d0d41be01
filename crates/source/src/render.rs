//! Renderers of diagnostics: for people with a source excerpt, and one JSON object a line.

use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::files::{SourceFile, SourceMap};

/// The widest source line that an excerpt shows; longer ones are shown without an excerpt.
const EXCERPT_WIDTH: usize = 400;

/// The diagnostic as people read it: message, excerpt with labels, help. Ends in a newline.
///
/// What a message has on further lines stands indented below its first.
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let marks = marks(diagnostic, sources);
    let paths: Vec<String> = marks.iter().map(|m| m.file.path.display().to_string()).collect();
    let (title, more) = diagnostic.message.split_once('\n').unwrap_or((&diagnostic.message, ""));
    let mut group =
        Group::with_title(level.primary_title(title).id(diagnostic.code.as_ref()));
    let mut distant = Vec::new();
    let mut used: Vec<usize> = Vec::new();
    for (i, mark) in marks.iter().enumerate() {
        if used.contains(&i) {
            continue;
        }
        if mark.has_long_line() {
            let at = mark.file.line_col(mark.label.span.range.start);
            distant.push(format!("at {}:{}:{} {}", paths[i], at.line, at.column, mark.label.text));
            continue;
        }
        let mut snippet = Snippet::source(mark.file.text.as_ref()).fold(true);
        if mark.file.has_path() {
            snippet = snippet.path(paths[i].as_str());
        }
        for (j, other) in marks.iter().enumerate().skip(i) {
            if other.label.span.file != mark.label.span.file || other.has_long_line() {
                continue;
            }
            used.push(j);
            let kind =
                if other.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let text = (!other.label.text.is_empty()).then_some(other.label.text.as_str());
            snippet = snippet.annotation(kind.span(other.range()).label(text));
        }
        group = group.element(snippet);
    }
    for text in &distant {
        group = group.element(Level::NOTE.message(text.as_str()));
    }
    // Without an excerpt the renderer would draw its frame around nothing.
    let bare = marks.is_empty();
    for help in diagnostic.help.iter().filter(|_| !bare) {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = renderer.render(&[group]);
    out.push('\n');
    if !more.is_empty() {
        let at = out.find('\n').map_or(out.len(), |i| i + 1);
        let lines = more.lines().map(|line| format!("  {}\n", line.trim_end()));
        out.insert_str(at, &lines.collect::<String>());
    }
    for help in diagnostic.help.iter().filter(|_| bare) {
        let word = if colour { "\u{1b}[1mhelp\u{1b}[0m" } else { "help" };
        out.push_str(&format!("  = {word}: {help}\n"));
    }
    out
}

/// A label with its file.
struct Mark {
    label: Label,
    is_primary: bool,
    file: Arc<SourceFile>,
}

impl Mark {
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
    fn help_without_a_place_has_no_frame() {
        let text = human(&Diagnostic::error("a::b", "m").help("h"), &SourceMap::new(), false);
        assert_eq!(text, "error[a::b]: m\n  = help: h\n");
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
