//! Checks of the community's plug-ins, except those of blanks and of parameters.

use ordain_source::{Safety, TextRange};

use crate::puppet_lint::finding::{Level, TextFix};
use crate::puppet_lint::pass::{Note, Pass, quote, range, replace};
use crate::puppet_lint::structure::Resource;
use crate::puppet_lint::token::{Direction, Kind, Token, Tokens};

/// A range of tokens whose last element may lack a comma.
struct Elements {
    end: usize,
    opener: Kind,
}

pub(super) fn trailing_comma(pass: &mut Pass<'_, '_>) {
    let tokens = pass.tokens;
    let mut found = Vec::new();
    pass.each_resource(|resource, _, _| {
        found.push(Elements { end: resource.end, opener: Kind::Colon });
    });
    for i in 0..tokens.len() {
        let kind = tokens[i].kind;
        let before = tokens.previous_code_kind(i);
        let elements = match kind {
            Kind::LBrack if !matches!(before, Some(Kind::ClassRef | Kind::Type)) => {
                first_of(tokens, i, Kind::RBrack).map(|end| Elements { end, opener: kind })
            }
            Kind::LBrace if before.is_some_and(opens_hash) => {
                braces_end(tokens, i).map(|end| Elements { end, opener: kind })
            }
            Kind::ClassRef if is_defaults(tokens, i) => {
                first_of(tokens, i, Kind::RBrace).map(|end| Elements { end, opener: Kind::LBrace })
            }
            _ => continue,
        };
        let end = elements.as_ref().map_or(tokens.len(), |elements| elements.end);
        if !pass.budget.take(end - i) {
            break;
        }
        found.extend(elements);
    }
    for elements in found {
        missing_comma(pass, &elements);
    }
}

fn first_of(tokens: &Tokens<'_>, from: usize, kind: Kind) -> Option<usize> {
    (from + 1..tokens.len()).find(|i| tokens[*i].kind == kind)
}

fn opens_hash(before: Kind) -> bool {
    matches!(before, Kind::Equals | Kind::IsEqual | Kind::FArrow | Kind::LParen)
}

/// The brace that closes one.
fn braces_end(tokens: &Tokens<'_>, open: usize) -> Option<usize> {
    let mut level = 0_i64;
    (open + 1..tokens.len()).find(|i| {
        match tokens[*i].kind {
            Kind::LBrace => level += 1,
            Kind::RBrace => level -= 1,
            _ => {}
        }
        level < 0
    })
}

/// Whether a type begins default values of resources.
fn is_defaults(tokens: &Tokens<'_>, i: usize) -> bool {
    let is_other = |kind| matches!(kind, Kind::RShift | Kind::Match | Kind::NoMatch);
    tokens.next_code_kind(i) == Some(Kind::LBrace)
        && tokens.previous_code_kind(i).is_some_and(|kind| !is_other(kind))
}

fn missing_comma(pass: &mut Pass<'_, '_>, elements: &Elements) {
    let tokens = pass.tokens;
    let mut last = tokens.previous_code(elements.end);
    if last.is_some_and(|i| matches!(tokens[i].kind, Kind::Heredoc | Kind::HeredocEnd)) {
        while last.is_some_and(|i| tokens[i].kind != Kind::HeredocOpen) {
            last = last.and_then(|i| tokens.previous_code(i));
        }
    }
    let Some(last) = last else { return };
    let is_missing = tokens[last].kind != elements.opener
        && tokens[elements.end].kind != Kind::Semic
        && tokens[last].kind != Kind::Comma
        && tokens.get(last + 1).is_some_and(|t| t.kind == Kind::Newline);
    if is_missing {
        let end = tokens[last].end;
        let fix = replace(Safety::Safe, "add a comma", TextRange::new(end, end), ",");
        let note = Note::warning(last + 1, "missing trailing comma after last element");
        pass.add(note.fix(Some(fix)));
    }
}

pub(super) fn unquoted_in_case(pass: &mut Pass<'_, '_>) {
    unquoted_before(pass, Kind::Case, Kind::Colon, "unquoted string in case");
}

pub(super) fn unquoted_in_selector(pass: &mut Pass<'_, '_>) {
    unquoted_before(pass, Kind::QMark, Kind::FArrow, "unquoted string in selector");
}

/// Finds bare words before the separators of options.
fn unquoted_before(pass: &mut Pass<'_, '_>, keyword: Kind, separator: Kind, message: &str) {
    for start in pass.all(keyword) {
        for (from, to) in option_ranges(pass.tokens, start) {
            if !pass.budget.take(to - from) {
                return;
            }
            let separators = (from..=to).filter(|i| pass.tokens[*i].kind == separator);
            for at in separators.collect::<Vec<_>>() {
                words_before(pass, at, message);
            }
        }
    }
}

/// The tokens of a `case` or selector outside of the bodies of its options.
fn option_ranges(tokens: &Tokens<'_>, keyword: usize) -> Vec<(usize, usize)> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_i64, keyword);
    for i in keyword + 1..tokens.len() {
        match tokens[i].kind {
            Kind::LBrace => {
                depth += 1;
                if depth == 2 {
                    found.push((start, i));
                }
            }
            Kind::RBrace => {
                if depth == 2 {
                    start = i;
                }
                depth -= 1;
                if depth == 0 {
                    found.push((start, i));
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

fn words_before(pass: &mut Pass<'_, '_>, separator: usize, message: &str) {
    let is_end = |kind| matches!(kind, Kind::Newline | Kind::LBrace);
    let words: Vec<usize> =
        (0..separator).rev().take_while(|i| !is_end(pass.tokens[*i].kind)).collect();
    if !pass.budget.take(words.len()) {
        return;
    }
    for i in words {
        let token = &pass.tokens[i];
        let is_word = token.kind == Kind::Name
            || (token.kind == Kind::ClassRef && !token.value.contains("::"));
        if is_word {
            // The name of a type matches values of the type, its text does not.
            let safety = if token.kind == Kind::Name { Safety::Safe } else { Safety::Unsafe };
            let fix = quote(safety, token);
            pass.add(Note::warning(i, message).fix(Some(fix)));
        }
    }
}

pub(super) fn leading_zero(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::Number) {
        let token = &pass.tokens[i];
        let mut bytes = token.value.bytes();
        if bytes.next() == Some(b'0') && bytes.next().is_some_and(|b| b.is_ascii_digit()) {
            let fix = quote(Safety::Unsafe, token);
            pass.add(Note::warning(i, "unquoted number with leading zero").fix(Some(fix)));
        }
    }
}

/// The name of an attribute in a resource.
fn attribute(tokens: &Tokens<'_>, resource: &Resource, name: &str) -> Option<usize> {
    (resource.start..=resource.end).find(|i| {
        tokens[*i].kind == Kind::Name
            && tokens[*i].value == name
            && tokens.next_code_kind(*i) == Some(Kind::FArrow)
    })
}

/// The word or text that is the value of `ensure` in a resource of a type.
fn ensured(tokens: &Tokens<'_>, resource: &Resource, kind: &str) -> Option<usize> {
    if tokens[resource.type_token].value != kind {
        return None;
    }
    let ensure = attribute(tokens, resource, "ensure")?;
    let value = tokens.next_code(tokens.next_code(ensure)?)?;
    let is_word =
        matches!(tokens[value].kind, Kind::Name | Kind::DoubleQuoted | Kind::SingleQuoted);
    is_word.then_some(value)
}

/// The fix that writes another word in the same quotes.
fn other_word(token: &Token<'_>, word: &str) -> TextFix {
    let quotes = u32::from(token.kind != Kind::Name);
    let at = TextRange::new(token.start + quotes, token.end - quotes);
    replace(Safety::Unsafe, &format!("write {word}"), at, word)
}

pub(super) fn file_ensure(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        let Some(value) = ensured(tokens, resource, "file") else { return };
        if tokens[value].value == "present" {
            let is_link = attribute(tokens, resource, "target").is_some();
            let fix = other_word(&tokens[value], if is_link { "link" } else { "file" });
            let note = Note::warning(value, "ensure set to present on file resource");
            notes.push(note.fix(Some(fix)));
        }
    });
}

pub(super) fn package_ensure(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        let Some(value) = ensured(tokens, resource, "package") else { return };
        if tokens[value].value == "latest" {
            let fix = other_word(&tokens[value], "installed");
            let note = Note::warning(value, "ensure set to latest on a package resource");
            notes.push(note.fix(Some(fix)));
        }
    });
}

pub(super) fn variable_capital(pass: &mut Pass<'_, '_>) {
    for i in super::strings::variables(pass, |c| c.is_ascii_uppercase()) {
        let token = &pass.tokens[i];
        let lower = pass.text[token.start as usize..token.end as usize].to_lowercase();
        let fix = replace(Safety::Unsafe, "write it in small letters", range(token), lower);
        pass.add(Note::warning(i, "variable contains a capital letter").fix(Some(fix)));
    }
}

pub(super) fn topscope_variable(pass: &mut Pass<'_, '_>) {
    if pass.structure().definitions.is_empty() {
        return;
    }
    for i in pass.all(Kind::Variable) {
        let token = &pass.tokens[i];
        let Some(name) = token.value.strip_prefix("::") else { continue };
        let Some((module, _)) = name.split_once("::") else { continue };
        let is_word = module.len() > 1
            && !module.starts_with(|c: char| c.is_ascii_uppercase())
            && module.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if is_word {
            let text = format!("use ${name} instead of ${}", token.value);
            let sign = token.start + u32::from(token.has_dollar);
            let at = TextRange::new(sign, sign + 2);
            let fix = replace(Safety::Unsafe, "remove the leading ::", at, "");
            pass.add(Note::warning(i, text).fix(Some(fix)));
        }
    }
}

pub(super) fn anchor(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        if tokens[resource.type_token].value == "anchor" {
            notes.push(Note::warning(resource.type_token, "manifest includes anchor resource"));
        }
    });
}

pub(super) fn version_comparison(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::Variable) {
        let name = pass.tokens[i].value;
        if !(name.ends_with("version") || name.ends_with("release")) {
            continue;
        }
        let Some(sign) = pass.tokens.next_code(i) else { continue };
        let is_number = || pass.tokens.next_code_kind(sign) == Some(Kind::Number);
        let is_comparison = match pass.tokens[sign].kind {
            Kind::GreaterEqual | Kind::Greater | Kind::LessEqual | Kind::Less => true,
            Kind::IsEqual | Kind::NotEqual => is_number(),
            _ => false,
        };
        if is_comparison {
            pass.warn(i, "version compared as number");
        }
    }
}

pub(super) fn exec_idempotency(pass: &mut Pass<'_, '_>) {
    let text = "exec without idempotency. set at least one of the attributes: \
                onlyif, unless, creates, refreshonly";
    pass.each_resource(|resource, tokens, notes| {
        if tokens[resource.type_token].value != "exec" {
            return;
        }
        let mut at = resource.start.saturating_sub(1);
        let kinds = [Kind::Name, Kind::Keyword];
        while let Some(name) = tokens.find(at, Direction::Next, &kinds, resource.end - at) {
            let is_guard =
                ["onlyif", "unless", "creates", "refreshonly"].contains(&tokens[name].value);
            if is_guard && tokens.next_code_kind(name) == Some(Kind::FArrow) {
                return;
            }
            at = name;
        }
        notes.push(Note::warning(resource.start, text));
    });
}

/// The fix that removes `::` at the start of a class name.
fn without_colons(tokens: &Tokens<'_>, i: usize) -> TextFix {
    let quotes = u32::from(tokens[i].kind == Kind::SingleQuoted);
    let start = tokens[i].start + quotes;
    let at = TextRange::new(start, start + 2);
    replace(Safety::Unsafe, "remove the leading ::", at, "")
}

fn is_absolute(tokens: &Tokens<'_>, i: usize) -> bool {
    matches!(tokens[i].kind, Kind::Name | Kind::SingleQuoted) && tokens[i].value.starts_with("::")
}

pub(super) fn absolute_inclusion(pass: &mut Pass<'_, '_>) {
    let tokens = pass.tokens;
    let mut found = Vec::new();
    for i in 0..tokens.len() {
        let next = tokens.next_code(i);
        let begun = found.len();
        match tokens[i].kind {
            Kind::Name | Kind::FunctionName
                if matches!(tokens[i].value, "include" | "contain" | "require") =>
            {
                let Some(next) = next.filter(|n| tokens[*n].kind != Kind::FArrow) else { continue };
                included(tokens, next, &mut found);
            }
            Kind::Class => {
                let Some(next) = next.filter(|n| tokens[*n].kind == Kind::LBrace) else { continue };
                let end = first_of(tokens, next, Kind::Colon).unwrap_or(tokens.len());
                if !pass.budget.take(end - next) {
                    break;
                }
                found.extend((next..end).filter(|n| is_absolute(tokens, *n)));
            }
            Kind::Inherits => {
                found.extend(
                    next.filter(|n| tokens[*n].kind == Kind::Name && is_absolute(tokens, *n)),
                );
            }
            _ => {}
        }
        if !pass.budget.take(found.len() - begun) {
            break;
        }
    }
    for i in found {
        let fix = without_colons(tokens, i);
        pass.add(Note::warning(i, "class included by absolute name (::$class)").fix(Some(fix)));
    }
}

/// Absolute names up to the end of the line, outside of calls.
fn included(tokens: &Tokens<'_>, from: usize, found: &mut Vec<usize>) {
    let mut calls = 0_u32;
    for i in from..tokens.len() {
        match tokens[i].kind {
            Kind::Newline => return,
            Kind::Name | Kind::FunctionName | Kind::SingleQuoted => {
                match tokens.next_code_kind(i) {
                    Some(Kind::LParen) => calls += 1,
                    Some(Kind::RParen) if calls > 0 => calls -= 1,
                    _ if calls == 0 && tokens[i].value.starts_with("::") => found.push(i),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

pub(super) fn absolute_reference(pass: &mut Pass<'_, '_>) {
    let tokens = pass.tokens;
    for i in pass.all(Kind::Type) {
        let next = tokens.next_code(i).filter(|n| tokens[*n].kind == Kind::LBrack);
        let Some(next) = next.filter(|_| tokens[i].value == "Class") else { continue };
        let end = first_of(tokens, next, Kind::RBrack).unwrap_or(tokens.len());
        if !pass.budget.take(end - next) {
            return;
        }
        for name in (next..end).filter(|n| is_absolute(tokens, *n)) {
            let fix = without_colons(tokens, name);
            pass.add(Note::warning(name, "absolute class name reference").fix(Some(fix)));
        }
    }
}

/// Calls a function for each type in the values of metaparameters that refer to resources: with the
/// place of the type.
fn each_reference(pass: &mut Pass<'_, '_>, visit: fn(&Tokens<'_>, usize, &mut Vec<Note>)) {
    const NAMES: [&str; 6] = ["require", "subscribe", "notify", "before", "consume", "export"];
    pass.each_resource(|resource, tokens, notes| {
        for (n, param) in resource.params.iter().enumerate() {
            if !NAMES.contains(&tokens[*param].value) {
                continue;
            }
            let Some(arrow) = tokens.next_code(*param) else { continue };
            let end = resource.params.get(n + 1).copied().unwrap_or(resource.end + 1);
            for i in arrow + 1..end {
                let is_reference = tokens[i].kind == Kind::ClassRef
                    && tokens.get(i + 1).is_some_and(|t| t.kind == Kind::LBrack);
                if is_reference && i + 2 < tokens.len() {
                    visit(tokens, i + 2, notes);
                }
            }
        }
    });
}

pub(super) fn unquoted_reference(pass: &mut Pass<'_, '_>) {
    each_reference(pass, |tokens, title, notes| {
        if tokens[title].kind == Kind::Name {
            let fix = quote(Safety::Safe, &tokens[title]);
            let note = Note::warning(title, "unquoted title in resource reference");
            notes.push(Note { level: Level::Error, ..note.fix(Some(fix)) });
        }
    });
}

pub(super) fn capital_reference(pass: &mut Pass<'_, '_>) {
    each_reference(pass, |tokens, title, notes| {
        if tokens[title].kind == Kind::ClassRef {
            let note = Note::warning(title, "resource reference with title with capital letter");
            notes.push(Note { level: Level::Error, ..note });
        }
    });
}

/// Whether a blank is between a type and its bracket.
fn has_gap(tokens: &Tokens<'_>, i: usize) -> bool {
    tokens.get(i + 1).is_some_and(|t| t.kind == Kind::Whitespace)
        && tokens.next_code_kind(i) == Some(Kind::LBrack)
}

const GAP: &str = "whitespce between reference type and title";

pub(super) fn spaced_reference(pass: &mut Pass<'_, '_>) {
    let references: Vec<usize> =
        pass.all(Kind::ClassRef).into_iter().filter(|i| has_gap(pass.tokens, *i)).collect();
    let mut count = 0;
    pass.each_resource(|_, _, _| count += 1);
    // The plug-in reports each of them once for each resource of the file.
    for _ in 0..count {
        if !pass.budget.take(references.len() * 100) {
            return;
        }
        references.iter().for_each(|i| pass.error(*i, GAP));
    }
}

pub(super) fn spaced_chain(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::Type) {
        if has_gap(pass.tokens, i) {
            pass.error(i, GAP);
        }
    }
}
