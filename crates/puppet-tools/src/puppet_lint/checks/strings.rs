//! Checks of strings and variables.

use ordain_source::{Safety, TextRange};

use crate::puppet_lint::pass::{Note, Pass, range, replace};
use crate::puppet_lint::token::{Kind, Token};

pub(super) fn double_quoted(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::DoubleQuoted) {
        let token = &pass.tokens[i];
        if needs_double_quotes(token) {
            continue;
        }
        // Escapes such as `\u` mean a character in double quotes only.
        let safety = if token.value.contains('\\') { Safety::Unsafe } else { Safety::Safe };
        let text = format!("'{}'", token.value);
        let fix = replace(safety, "write single quotes", range(token), text);
        let note = Note::warning(i, "double quoted string containing no variables");
        pass.add(note.fix(Some(fix)));
    }
}

/// Whether a text has an escape, a quote, or an indent as wide as its own.
fn needs_double_quotes(token: &Token<'_>) -> bool {
    let text = token.value;
    if text.contains(['\'', '\r', '\n', '\t']) {
        return true;
    }
    let escapes = ["\\$", "\\\"", "\\'", "\\t", "\\s", "\\n", "\\\\"];
    if escapes.iter().any(|escape| text.contains(escape)) {
        return true;
    }
    // puppet-lint takes so many spaces for a line end.
    let indent = token.column as usize;
    let mut run = 0;
    text.len() >= indent
        && text.bytes().any(|b| {
            run = if b == b' ' { run + 1 } else { 0 };
            run == indent
        })
}

pub(super) fn only_variable(pass: &mut Pass<'_, '_>) {
    for start in pass.all(Kind::StringStart) {
        let tokens = pass.tokens;
        let variable = start + 1;
        let is_variable = tokens
            .get(variable)
            .is_some_and(|t| matches!(t.kind, Kind::Variable | Kind::BareVariable));
        if !tokens[start].value.is_empty() || !is_variable {
            continue;
        }
        let mut end = start + 2;
        while tokens.get(end).is_some_and(|t| t.kind == Kind::LBrack) {
            end += 3;
        }
        let Some(last) = tokens.get(end).filter(|t| t.kind == Kind::StringEnd) else { continue };
        if !last.value.is_empty() || tokens.next_code_kind(end) == Some(Kind::FArrow) {
            continue;
        }
        let inner = TextRange::new(tokens[variable].start, tokens[end - 1].end);
        let inner = &pass.text[inner.start as usize..inner.end as usize];
        let sign = if inner.starts_with('$') { "" } else { "$" };
        let at = TextRange::new(tokens[start].start, last.end);
        let fix = replace(Safety::Unsafe, "remove the quotes", at, format!("{sign}{inner}"));
        let note = Note::warning(variable, "string containing only a variable");
        pass.add(note.fix(Some(fix)));
    }
}

pub(super) fn puppet_url(pass: &mut Pass<'_, '_>) {
    let is_url = |_, token: &Token<'_>| token.value.starts_with("puppet://");
    for i in pass.find_all([Kind::SingleQuoted, Kind::DoubleQuoted, Kind::StringStart], is_url) {
        let token = &pass.tokens[i];
        let rest = &token.value["puppet://".len()..];
        // A line end ends the search for the path.
        let slash = rest.find(['/', '\n']).filter(|at| rest.as_bytes()[*at] == b'/');
        let path = slash.map(|at| &rest[at + 1..]);
        if path.is_some_and(|path| path.starts_with("modules/")) {
            continue;
        }
        let quote = token.start + 1 + "puppet://".len() as u32;
        let fix = slash.map(|at| {
            let at = quote + at as u32 + 1;
            replace(Safety::Unsafe, "add modules/", TextRange::new(at, at), "modules/")
        });
        pass.add(Note::warning(i, "puppet:// URL without modules/ found").fix(fix));
    }
}

pub(super) fn quoted_booleans(pass: &mut Pass<'_, '_>) {
    let is_boolean = |_, token: &Token<'_>| matches!(token.value, "true" | "false");
    for i in pass.find_all([Kind::SingleQuoted, Kind::DoubleQuoted], is_boolean) {
        let token = &pass.tokens[i];
        let fix = replace(Safety::Unsafe, "remove the quotes", range(token), token.value);
        pass.add(Note::warning(i, "quoted boolean value found").fix(Some(fix)));
    }
}

pub(super) fn single_quoted(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::SingleQuoted) {
        let before = i.checked_sub(2).map(|i| pass.tokens[i].value);
        let is_template = before
            .is_some_and(|text| text.contains("inline_epp") || text.contains("inline_template"));
        if pass.tokens[i].value.contains("${") && !is_template {
            pass.error(i, "single quoted string containing a variable found");
        }
    }
}

pub(super) fn not_enclosed(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::BareVariable) {
        let token = &pass.tokens[i];
        // Puppet ends the name at a dash, and a line end may come before it.
        let name = token.value.trim_start_matches(['\n', '$']);
        let name = &name[..name.find('-').unwrap_or(name.len())];
        let start = token.end - (token.value.trim_start_matches(['\n', '$']).len() as u32);
        let at = TextRange::new(start, start + name.len() as u32);
        let fix = replace(Safety::Safe, "enclose it in braces", at, format!("{{{name}}}"));
        pass.add(Note::warning(i, "variable not enclosed in {}").fix(Some(fix)));
    }
}

/// The variables whose name without indexes has a character.
pub(super) fn variables(pass: &Pass<'_, '_>, is_odd: fn(char) -> bool) -> Vec<usize> {
    pass.find_all([Kind::Variable, Kind::BareVariable], |_, token| {
        token.value.contains(is_odd) && without_indexes(token.value).contains(is_odd)
    })
}

/// A name without its brackets.
fn without_indexes(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(open) = rest.find('[') {
        // At least one character is between the brackets.
        let Some(close) = rest[open + 1..].char_indices().skip(1).find(|(_, c)| *c == ']') else {
            break;
        };
        out.push_str(&rest[..open]);
        rest = &rest[open + 1 + close.0 + 1..];
    }
    out + rest
}

pub(super) fn variable_dash(pass: &mut Pass<'_, '_>) {
    for i in variables(pass, |c| c == '-') {
        pass.warn(i, "variable contains a dash");
    }
}

pub(super) fn variable_uppercase(pass: &mut Pass<'_, '_>) {
    for i in variables(pass, |c| c.is_ascii_uppercase()) {
        pass.warn(i, "variable contains an uppercase letter");
    }
}
