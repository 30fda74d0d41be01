//! Comments that silence findings, in the syntax of puppet-lint.
//!
//! `# lint:ignore:unused_variable` after code silences its line. On a separate line it silences all
//! lines until `# lint:endignore`. The names are codes without `puppet::`, with `-` or `_`. For
//! checks that puppet-lint has as well, its names are accepted, too.

use ordain_source::{Diagnostic, Severity};

/// The beginning of a comment that silences findings.
const IGNORE: &str = "lint:ignore:";
/// The comment that ends the silenced lines.
const END: &str = "lint:endignore";

/// Checks of puppet-lint by the code that finds the same.
const SAME: [(&str, &str); 8] = [
    ("variable_scope", "unknown_variable"),
    ("single_quote_string_with_variables", "single_quoted_variable"),
    ("legacy_facts", "legacy_fact"),
    ("top_scope_facts", "legacy_fact"),
    ("unquoted_string_in_case", "unmatched_selector"),
    ("duplicate_params", "duplicate_attribute"),
    ("class_inherits_from_params_class", "unknown_class"),
    ("parameter_types", "type_mismatch"),
];

/// The findings that no comment of their file's text silences.
pub(crate) fn kept(mut found: Vec<Diagnostic>, text: &str) -> Vec<Diagnostic> {
    if found.is_empty() || !text.contains(IGNORE) {
        return found;
    }
    let silenced = Suppressions::read(text);
    found.retain(|d| {
        let at = d.primary.as_ref().map(|label| label.span.range.start as usize);
        d.severity == Severity::Error && is_of_parser(d)
            || at.is_none_or(|at| !silenced.covers(&d.code, at))
    });
    found
}

/// Whether a finding means that a file cannot be parsed.
fn is_of_parser(found: &Diagnostic) -> bool {
    found.code == "puppet::syntax-error"
}

/// The ranges of the text in which findings are silenced.
struct Suppressions<'t> {
    parts: Vec<(&'t str, usize, usize)>,
}

impl<'t> Suppressions<'t> {
    fn read(text: &'t str) -> Self {
        let mut parts: Vec<(&str, usize, usize)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.len();
            if let Some((code, comment)) = line.split_once('#') {
                let alone = code.trim().is_empty();
                if comment.trim_start().starts_with(END) {
                    open.drain(..).for_each(|i| parts[i].2 = start);
                }
                for name in names(comment) {
                    if alone {
                        open.push(parts.len());
                    }
                    parts.push((name, start, if alone { usize::MAX } else { end }));
                }
            }
            start = end;
        }
        Self { parts }
    }

    fn covers(&self, code: &str, at: usize) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|&(name, from, to)| from <= at && at < to && means(name, code))
    }
}

/// The names after `lint:ignore:`, in a comment that may have several.
fn names(comment: &str) -> impl Iterator<Item = &str> {
    comment.split(IGNORE).skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// Whether a name in a comment or on the command line refers to a code.
pub(crate) fn means(name: &str, code: &str) -> bool {
    let plain = |text: &str| text.rsplit("::").next().unwrap_or(text).replace('-', "_");
    let (name, code) = (plain(name), plain(code));
    name == code || SAME.iter().any(|(theirs, ours)| *theirs == name && *ours == code)
}

#[cfg(test)]
mod tests {
    use ordain_source::{FileId, TextRange};

    use super::*;

    fn left(text: &str, code: &'static str) -> Vec<usize> {
        let places = text.match_indices("HERE").map(|(at, _)| at);
        let found = places.map(|at| {
            let range = TextRange::new(at as u32, at as u32 + 4);
            Diagnostic::warning(code, "x").at(range.in_file(FileId(0)))
        });
        let kept = kept(found.collect(), text);
        let line = |d: &Diagnostic| {
            let at = d.primary.as_ref().map_or(0, |l| l.span.range.start as usize);
            text[..at].matches('\n').count() + 1
        };
        kept.iter().map(line).collect()
    }

    #[test]
    fn a_line_and_lines() {
        let text = "HERE # lint:ignore:unused_variable why\nHERE\n# lint:ignore:unused-variable \
                    lint:ignore:other\nHERE\nHERE\n# lint:endignore\nHERE\n";
        assert_eq!(left(text, "puppet::unused-variable"), [2, 7]);
        assert_eq!(left(text, "puppet::other"), [1, 2, 7]);
        assert_eq!(left(text, "puppet::unknown-class"), [1, 2, 4, 5, 7]);
    }

    #[test]
    fn names_of_puppet_lint() {
        assert!(left("HERE # lint:ignore:variable_scope", "puppet::unknown-variable").is_empty());
        assert_eq!(left("HERE # lint:ignore:140chars", "puppet::unknown-variable"), [1]);
    }
}
