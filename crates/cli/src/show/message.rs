//! Rewrites error messages for people, who see the places as source excerpts.
//!
//! Messages are those of the original program of each language, and JSON has them unchanged. Text
//! output leaves out places that the excerpts show, and corrects typos of those programs.

use ordain_source::{Diagnostic, SourceMap, Span};

/// Typos of other programs and their corrections, with enough context that they do not match a
/// name.
const TYPOS: &[(&str, &str)] = &[
    (" reqires one or two arguments", " requires one or two arguments"),
    ("ambigious tag resolution", "ambiguous tag resolution"),
    ("argument for substraction must", "argument for subtraction must"),
    ("cannot parse lamba expression", "cannot parse lambda expression"),
    ("comparision ", "comparison "),
    ("encyption key", "encryption key"),
    ("encyption method", "encryption method"),
    ("got unkown hash type", "got unknown hash type"),
    ("integer or interger string", "integer or integer string"),
    ("matches contraint", "matches constraint"),
    ("must be a provate wireguard", "must be a private wireguard"),
    ("must be preceeded by", "must be preceded by"),
    ("only be retreived from", "only be retrieved from"),
    ("Please direcly use", "Please directly use"),
    ("std::none as implemenation", "std::none as implementation"),
    ("value of arument pair", "value of argument pair"),
];

/// The diagnostic with its message for people.
pub(crate) fn humanize(diagnostic: &Diagnostic, sources: &SourceMap) -> Diagnostic {
    let mut out = diagnostic.clone();
    let labels = diagnostic.primary.iter().chain(&diagnostic.related).map(|label| label.span);
    let spans = labels.chain(diagnostic.peer);
    let places: Vec<String> = spans.map(|span| place_text(span, sources)).collect();
    for place in places {
        // The word before a place is removed with it.
        for before in [" at ", " "] {
            out.message = out.message.replace(&format!("{before}{place}"), "");
        }
    }
    if let Some(rest) = out.message.strip_prefix("Could not find parent resource type '::")
        && let Some((class, _)) = rest.split_once("' of type hostclass")
    {
        out.message = format!("There is no class `{class}` to inherit from");
    }
    for (typo, correction) in TYPOS.iter().filter(|(typo, _)| diagnostic.message.contains(typo)) {
        out.message = out.message.replace(typo, correction);
    }
    let message = &out.message;
    let named = message.strip_prefix("Error while evaluating a").and_then(|m| m.split_once(", "));
    if let Some((what, rest)) = named
        && what.len() < 40
        && !rest.is_empty()
    {
        out.message = rest.to_string();
    }
    out
}

/// A place as messages contain it.
fn place_text(span: Span, sources: &SourceMap) -> String {
    let file = sources.file(span.file);
    let line = file.line(span.range.start);
    if file.has_path() {
        format!("(file: {}, line: {line})", file.path.display())
    } else {
        format!("(line: {line})")
    }
}

#[cfg(test)]
mod tests {
    use ordain_source::TextRange;

    use super::*;

    #[test]
    fn a_parent_is_a_class() {
        let text = "Could not find parent resource type '::baze' of type hostclass in production";
        let shown = humanize(&Diagnostic::error("a::b", text), &SourceMap::new());
        assert_eq!(shown.message, "There is no class `baze` to inherit from");
    }

    #[test]
    fn slips_of_other_programs_are_mended() {
        let error = Diagnostic::error("a::b", "invalid empty encyption key");
        let shown = humanize(&error, &SourceMap::new());
        assert_eq!(shown.message, "invalid empty encryption key");
        let name = Diagnostic::error("a::b", "no file `encyption`");
        assert_eq!(humanize(&name, &SourceMap::new()), name);
        assert!(TYPOS.windows(2).all(|w| w[0].0.to_lowercase() < w[1].0.to_lowercase()));
    }

    #[test]
    fn places_that_are_shown_are_not_told() {
        let sources = SourceMap::new();
        let file = sources.add("a.pp", "x\ny\n");
        let place = |line| format!("(file: a.pp, line: {line})");
        let text = format!(
            "Error while evaluating a Resource Statement, Duplicate declaration: N[x] is already \
             declared at {}; cannot redeclare {}, see {}",
            place(1),
            place(2),
            place(3)
        );
        let error = Diagnostic::error("a::b", text)
            .at(TextRange::new(2, 3).in_file(file))
            .related(TextRange::new(0, 1).in_file(file), "here");
        let want = "Duplicate declaration: N[x] is already declared; cannot redeclare, see \
                    (file: a.pp, line: 3)";
        assert_eq!(humanize(&error, &sources).message, want);
    }
}
