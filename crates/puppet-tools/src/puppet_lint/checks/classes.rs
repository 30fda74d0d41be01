//! Checks of classes, defined types, nodes and conditionals.

use ordain_source::{Safety, TextRange};

use crate::puppet_lint::finding::{Finding, Level, TextFix};
use crate::puppet_lint::pass::{Note, Pass, quote, range, replace};
use crate::puppet_lint::structure::Definition;
use crate::puppet_lint::token::{Direction, Kind, Tokens};

fn word(definition: &Definition) -> &'static str {
    if definition.is_class { "class" } else { "defined type" }
}

pub(super) fn autoloader_layout(pass: &mut Pass<'_, '_>) {
    let mut notes = Vec::new();
    for definition in &pass.structure().definitions {
        let name = pass.tokens[definition.name].value;
        if !pass.full_path.ends_with(&expected_path(name, pass.is_relative)) {
            let text = format!("{name} not in autoload module layout");
            let note = Note::warning(definition.name, text);
            notes.push(Note { level: Level::Error, ..note });
        }
    }
    pass.add_all(notes);
}

/// The end of the path from which a name is loaded; without the module if it is relative.
fn expected_path(name: &str, is_relative: bool) -> String {
    let module = name.split("::").next().unwrap_or(name);
    let rest = name.strip_prefix(module).and_then(|rest| rest.strip_prefix("::"));
    let below = match rest.filter(|rest| !rest.is_empty()) {
        Some(rest) => format!("manifests/{}.pp", rest.replace("::", "/")),
        None => "manifests/init.pp".to_owned(),
    };
    if is_relative { below } else { format!("/{module}/{below}") }
}

pub(super) fn inherits_params(pass: &mut Pass<'_, '_>) {
    let inherited = pass.structure().definitions.iter().filter(|d| d.is_class);
    let inherited: Vec<usize> = inherited.filter_map(|d| d.inherited).collect();
    for i in inherited {
        if pass.tokens[i].value.ends_with("::params") {
            pass.warn(i, "class inheriting from params class");
        }
    }
}

pub(super) fn inherits(pass: &mut Pass<'_, '_>) {
    let module = |name: &str| name.split("::").find(|part| !part.is_empty()).map(str::to_owned);
    let mut found = Vec::new();
    for definition in pass.structure().definitions.iter().filter(|d| d.is_class) {
        let Some(inherited) = definition.inherited else { continue };
        let of = |i: usize| module(pass.tokens[i].value);
        if of(inherited) != of(definition.name) {
            found.push(inherited);
        }
    }
    found.into_iter().for_each(|i| pass.warn(i, "class inherits across module namespaces"));
}

pub(super) fn code_on_top_scope(pass: &mut Pass<'_, '_>) {
    let mut covered: Vec<(usize, usize)> =
        pass.structure().definitions.iter().map(|d| (d.start, d.end)).collect();
    covered.sort_unstable();
    let (mut next, mut until) = (0, 0);
    for i in 0..pass.tokens.len() {
        while next < covered.len() && covered[next].0 <= i {
            until = until.max(covered[next].1 + 1);
            next += 1;
        }
        let token = &pass.tokens[i];
        if i >= until && !token.kind.is_formatting() {
            let text = format!("code outside of class or define block - {}", token.value);
            pass.warn(i, text);
        }
    }
}

pub(super) fn dash(pass: &mut Pass<'_, '_>) {
    let mut notes = Vec::new();
    for definition in &pass.structure().definitions {
        if pass.tokens[definition.name].value.contains('-') {
            let text = format!("{} name containing a dash", word(definition));
            let note = Note::warning(definition.name, text);
            notes.push(Note { level: Level::Error, ..note });
        }
    }
    pass.add_all(notes);
}

pub(super) fn uppercase(pass: &mut Pass<'_, '_>) {
    let mut notes = Vec::new();
    for definition in &pass.structure().definitions {
        let token = &pass.tokens[definition.name];
        if token.value.bytes().any(|b| b.is_ascii_uppercase()) {
            let text = format!("{} '{}' contains illegal uppercase", word(definition), token.value);
            let lower = pass.text[token.start as usize..token.end as usize].to_lowercase();
            let fix = replace(Safety::Unsafe, "write it in small letters", range(token), lower);
            let note = Note::warning(definition.name, text).fix(Some(fix));
            notes.push(Note { level: Level::Error, ..note });
        }
    }
    pass.add_all(notes);
}

pub(super) fn nested(pass: &mut Pass<'_, '_>) {
    let mut notes = Vec::new();
    for class in pass.structure().definitions.iter().filter(|d| d.is_class) {
        for i in class.start + 1..=class.end {
            let word = match pass.tokens[i].kind {
                Kind::Class => "class",
                Kind::Define => "defined type",
                _ => continue,
            };
            if pass.tokens.next_code_kind(i) != Some(Kind::LBrace) {
                notes.push(Note::warning(i, format!("{word} defined inside a class")));
            }
        }
    }
    pass.add_all(notes);
}

pub(super) fn parameter_order(pass: &mut Pass<'_, '_>) {
    let mut found = Vec::new();
    for definition in &pass.structure().definitions {
        let Some((start, end)) = definition.params else { continue };
        let (mut parens, mut brackets, mut has_default) = (0_u32, 0_u32, false);
        for i in start..end {
            match pass.tokens[i].kind {
                Kind::LParen => parens += 1,
                Kind::RParen => parens = parens.saturating_sub(1),
                Kind::LBrace | Kind::LBrack => brackets += 1,
                Kind::RBrace | Kind::RBrack => brackets = brackets.saturating_sub(1),
                Kind::Equals => has_default = true,
                _ => {}
            }
            let is_outside = parens == 0 && brackets == 0;
            if is_outside && has_default && is_parameter(pass.tokens, i) && is_required(pass, i) {
                found.push(i);
            }
        }
    }
    for i in found {
        pass.warn(i, "optional parameter listed before required parameter");
    }
}

fn is_parameter(tokens: &Tokens<'_>, i: usize) -> bool {
    let before = tokens.previous_code_kind(i);
    let may_precede = [Kind::LParen, Kind::Comma, Kind::Type, Kind::RBrack];
    tokens[i].kind == Kind::Variable && before.is_some_and(|kind| may_precede.contains(&kind))
}

fn is_required(pass: &Pass<'_, '_>, i: usize) -> bool {
    let tokens = pass.tokens;
    let next = tokens.next_code_kind(i);
    if !next.is_none_or(|kind| matches!(kind, Kind::Comma | Kind::RParen)) {
        return false;
    }
    let data_type = tokens.find(i, Direction::Previous, &[Kind::Type], usize::MAX);
    pass.budget.take(i - data_type.unwrap_or(0))
        && data_type.is_none_or(|t| tokens[t].value != "Optional")
        && tokens.previous_code_kind(i) != Some(Kind::Equals)
}

pub(super) fn case_without_default(pass: &mut Pass<'_, '_>) {
    let mut cases: Vec<(usize, usize)> = Vec::new();
    for start in pass.all(Kind::Case) {
        let end = pass.tokens.body_end(start + 1);
        if !pass.budget.take(end.unwrap_or(pass.tokens.len()) - start) {
            return;
        }
        cases.extend(end.map(|end| (start, end)));
    }
    for n in 0..cases.len() {
        if !has_default(pass.tokens, &cases, n) {
            pass.warn(cases[n].0, "case statement without a default case");
        }
    }
}

/// Whether a `case` has an option `default`. Those of `case` inside of it do not count.
fn has_default(tokens: &Tokens<'_>, cases: &[(usize, usize)], n: usize) -> bool {
    let (start, end) = cases[n];
    let mut later = cases[n + 1..].iter().peekable();
    let (mut i, mut depth) = (start, 0_i64);
    while i <= end {
        while later.peek().is_some_and(|(start, _)| *start < i) {
            later.next();
        }
        if let Some((_, inner)) = later.peek().filter(|(start, _)| *start == i) {
            i = inner + 1;
            continue;
        }
        match tokens[i].kind {
            Kind::LBrace => depth += 1,
            Kind::RBrace => depth -= 1,
            Kind::Default if depth == 1 => return true,
            _ => {}
        }
        i += 1;
    }
    false
}

pub(super) fn node_name(pass: &mut Pass<'_, '_>) {
    let mut brace = None;
    let tokens = pass.tokens;
    for node in pass.all(Kind::Node) {
        if brace.is_none_or(|brace| brace < node) {
            brace = (node..tokens.len()).find(|i| tokens[*i].kind == Kind::LBrace);
        }
        let Some(brace) = brace else {
            let token = &tokens[node];
            pass.found.push(Finding {
                check: pass.check.0,
                code: pass.check.1,
                is_syntax: true,
                level: Level::Error,
                message: "Syntax error (try running `puppet parser validate <file>`)".to_owned(),
                line: token.line,
                column: token.column,
                range: range(token),
                ignored: None,
                fix: None,
            });
            if !pass.budget.take(tokens.len() - node) {
                return;
            }
            continue;
        };
        if !pass.budget.take(brace - node) {
            return;
        }
        let names = (node..brace).filter(|i| tokens[*i].kind == Kind::Name);
        for i in names.filter(|i| tokens[*i].value != "default") {
            let fix = quoted_name(tokens, i);
            pass.add(Note::warning(i, "unquoted node name found").fix(Some(fix)));
        }
    }
}

/// The quotes around the whole name of a host, such as `web.example.org`.
fn quoted_name(tokens: &Tokens<'_>, i: usize) -> TextFix {
    let is_part = |i: usize| matches!(tokens[i].kind, Kind::Name | Kind::Number | Kind::Dot);
    let start = (0..i).rev().take_while(|n| is_part(*n)).last().unwrap_or(i);
    let end = (i + 1..tokens.len()).take_while(|n| is_part(*n)).last().unwrap_or(i);
    if start == end {
        return quote(Safety::Safe, &tokens[i]);
    }
    let name: String = tokens[start..=end].iter().map(|token| token.value).collect();
    let at = TextRange::new(tokens[start].start, tokens[end].end);
    replace(Safety::Safe, "put it in single quotes", at, format!("'{name}'"))
}
