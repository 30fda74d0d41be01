//! The check of the plug-in `param-docs`: each parameter has documentation, and each documentation has
//! a parameter.

use crate::puppet_lint::pass::{Note, Pass};
use crate::puppet_lint::structure::Definition;
use crate::puppet_lint::token::{Kind, Token, Tokens};

/// The name under which defined types document their title.
const TITLE: &str = "name/title";

fn name_at_start(text: &str) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// A comment without the blanks at its start.
fn trimmed(comment: &str) -> &str {
    comment.trim_start_matches([' ', '\t', '\r', '\n', '\x0b', '\x0c'])
}

/// The parameter that a comment documents, in one of three notations: `[*name*]`, `$name:: ` and
/// `@param name`.
fn documented(comment: &str) -> Option<&str> {
    let text = trimmed(comment);
    if let Some((name, rest)) = text.strip_prefix("[*").and_then(name_at_start) {
        return rest.starts_with("*]").then_some(name);
    }
    if let Some((name, rest)) = text.strip_prefix('$').and_then(name_at_start) {
        return rest.starts_with(":: ").then_some(name);
    }
    let text = text.strip_prefix("@param ")?;
    if !text.starts_with('[') {
        return whole_name(text);
    }
    // A type may contain brackets and blanks: the last end of one before a name counts.
    let ends = text.rmatch_indices("] ").map(|(at, _)| at + 2).filter(|end| *end > 3);
    { ends }.find_map(|end| whole_name(&text[end..]))
}

/// The name at the start of a text, with a blank or nothing behind it.
fn whole_name(text: &str) -> Option<&str> {
    let (name, rest) = name_at_start(text)?;
    (rest.is_empty() || rest.starts_with(' ')).then_some(name)
}

/// Whether a comment says that a class is private.
fn is_private(comment: &str) -> bool {
    let rest = trimmed(comment).strip_prefix("@api ").map(|rest| rest.trim_start_matches(' '));
    rest.and_then(|rest| rest.strip_prefix("private")).is_some_and(|rest| trimmed(rest).is_empty())
}

/// The column of the documented name: after the blanks and the word of the notation.
fn column(token: &Token<'_>) -> u32 {
    let text = trimmed(token.value);
    let rest = text.strip_prefix("@param").map_or(text, trimmed);
    token.column + (token.value.chars().count() - rest.chars().count()) as u32 + 1
}

/// The variables of a definition that are parameters.
fn parameters(tokens: &Tokens<'_>, definition: &Definition) -> Vec<usize> {
    let Some((start, end)) = definition.params else { return Vec::new() };
    let (mut found, mut nesting, mut is_inside) = (Vec::new(), 0_i64, false);
    for i in start..end {
        match tokens[i].kind {
            Kind::Variable if !is_inside => {
                found.push(i);
                (nesting, is_inside) = (0, true);
            }
            Kind::LParen | Kind::LBrack | Kind::LBrace if is_inside => nesting += 1,
            Kind::RParen | Kind::RBrack | Kind::RBrace if is_inside => nesting -= 1,
            Kind::Comma if nesting <= 0 => is_inside = false,
            _ => {}
        }
    }
    found
}

/// The documented parameters above a definition with their comments, the nearest first.
type Documented<'t> = Vec<(&'t str, Vec<usize>)>;

/// The documentation above a definition, up to the start of the file, and whether it is private.
fn documentation<'t>(tokens: &Tokens<'t>, definition: &Definition) -> (Documented<'t>, bool) {
    let (mut found, mut private): (Documented<'t>, bool) = (Vec::new(), false);
    for i in (0..definition.start).rev().filter(|i| tokens[*i].kind == Kind::Comment) {
        let value: &'t str = tokens[i].value;
        if is_private(value) {
            private = true;
            continue;
        }
        let Some(name) = documented(value) else { continue };
        let is_title = !definition.is_class && matches!(name, "name" | "title");
        let name = if is_title { TITLE } else { name };
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, places)) => places.push(i),
            None => found.push((name, vec![i])),
        }
    }
    (found, private)
}

pub(super) fn check(pass: &mut Pass<'_, '_>) {
    let tokens = pass.tokens;
    let mut found: Vec<(Note, Option<u32>)> = Vec::new();
    for definition in &pass.structure().definitions {
        let (documented, is_private) = documentation(tokens, definition);
        if !pass.budget.take(definition.start + documented.len()) {
            break;
        }
        let kind = if definition.is_class { "class" } else { "defined type" };
        let owner = tokens[definition.name].value;
        let params = parameters(tokens, definition);
        for (name, places) in documented.iter().filter(|(_, places)| places.len() > 1) {
            let text = format!("Duplicate {kind} parameter documentation for {owner}::{name}");
            let all = places.iter().map(|i| (Note::warning(*i, &*text), Some(column(&tokens[*i]))));
            found.extend(all);
        }
        let has = |name: &str| params.iter().any(|i| tokens[*i].value == name);
        let is_lost = |name: &str| (definition.is_class || name != TITLE) && !has(name);
        for (name, places) in documented.iter().filter(|(name, _)| is_lost(name)) {
            let text = format!("No matching {kind} parameter for documentation of {owner}::{name}");
            found.push((Note::warning(places[0], text), Some(column(&tokens[places[0]]))));
        }
        let is_missing = |i: &&usize| documented.iter().all(|(name, _)| *name != tokens[**i].value);
        for i in params.iter().filter(|_| !is_private).filter(is_missing) {
            let name = tokens[*i].value;
            let text = format!("missing documentation for {kind} parameter {owner}::{name}");
            found.push((Note::warning(*i, text), None));
        }
    }
    for (note, column) in found {
        pass.add(note);
        if let (Some(column), Some(last)) = (column, pass.found.last_mut()) {
            last.column = column;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_document_parameters() {
        assert_eq!(documented(" [*port*] The port"), Some("port"));
        assert_eq!(documented(" $port:: The port"), Some("port"));
        assert_eq!(documented(" $port::x"), None);
        assert_eq!(documented(" @param port The port"), Some("port"));
        assert_eq!(documented(" @param port"), Some("port"));
        assert_eq!(documented(" @param [Hash[String, Array[String] ]] port"), Some("port"));
        assert_eq!(documented(" @param [] port"), None);
        assert_eq!(documented(" @param port: x"), None);
        assert_eq!(documented(" @params port"), None);
        assert!(is_private("@api  private "));
        assert!(!is_private("@api privately"));
    }
}
