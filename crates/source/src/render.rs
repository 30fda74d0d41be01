//! Renderers of diagnostics: for people with a source excerpt, and one JSON object a line.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::files::SourceMap;

/// The widest source line that an excerpt shows; longer ones are shown without an excerpt.
const EXCERPT_WIDTH: usize = 400;

/// The diagnostic as people read it: message, excerpt with labels, help. Ends in a newline.
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let files: Vec<_> = labels(diagnostic).map(|(l, _)| sources.file(l.span.file)).collect();
    let paths: Vec<String> = files.iter().map(|f| f.path.display().to_string()).collect();
    let mut group = Group::with_title(
        level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.as_ref()),
    );
    let mut distant = Vec::new();
    let mut used: Vec<usize> = Vec::new();
    for (i, (label, _)) in labels(diagnostic).enumerate() {
        if used.contains(&i) {
            continue;
        }
        if has_long_line(&files[i], label) {
            let at = files[i].line_col(label.span.range.start);
            distant.push(format!("at {}:{}:{} {}", paths[i], at.line, at.column, label.text));
            continue;
        }
        let mut snippet = Snippet::source(files[i].text.as_ref()).fold(true);
        if files[i].has_path() {
            snippet = snippet.path(paths[i].as_str());
        }
        for (j, (other, is_primary)) in labels(diagnostic).enumerate().skip(i) {
            if other.span.file != label.span.file || has_long_line(&files[j], other) {
                continue;
            }
            used.push(j);
            let kind = if is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = clamp(other, &files[j].text);
            let text = (!other.text.is_empty()).then_some(other.text.as_str());
            snippet = snippet.annotation(kind.span(range).label(text));
        }
        group = group.element(snippet);
    }
    for text in &distant {
        group = group.element(Level::NOTE.message(text.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = renderer.render(&[group]);
    out.push('\n');
    out
}

/// The diagnostic as a JSON object: `severity`, `code`, `issue`, `message`, `file`, `line`,
/// `column`, `related` (list of `file`, `line`, `column`, `text`), `help`.
pub fn json(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let mut out = json!({
        "severity": diagnostic.severity.word(),
        "code": diagnostic.code,
        "issue": diagnostic.issue,
        "message": diagnostic.message,
    });
    if let Some(label) = &diagnostic.primary {
        place(&mut out, label, sources);
    }
    let related = diagnostic.related.iter().map(|label| {
        let mut at = json!({ "text": label.text });
        place(&mut at, label, sources);
        at
    });
    out["related"] = related.collect();
    out["help"] = json!(diagnostic.help);
    out
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

fn has_long_line(file: &crate::SourceFile, label: &Label) -> bool {
    let first = file.line(label.span.range.start);
    file.line_text(first).len() > EXCERPT_WIDTH
}

/// The label's bytes, cut to the text, to character borders, and to its first line.
fn clamp(label: &Label, text: &str) -> std::ops::Range<usize> {
    let floor = |mut i: usize| {
        i = i.min(text.len());
        while !text.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    let start = floor(label.span.range.start as usize);
    let end = floor(label.span.range.end as usize).max(start);
    let line_end = text[start..end].find('\n').map_or(end, |n| start + n);
    start..line_end.max(start)
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
    fn odd_ranges_do_not_panic() {
        let sources = SourceMap::new();
        let f = sources.add("", "ä\n");
        for (s, e) in [(0, 1), (1, 9), (5, 3), (2, 3)] {
            let d = Diagnostic::warning("x::y", "m").at(TextRange::new(s, e).in_file(f));
            assert!(human(&d, &sources, true).contains('m'));
        }
    }
}
