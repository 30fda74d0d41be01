//! Checks of resources and their attributes.

use ordain_source::{Safety, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::puppet_lint::finding::{Level, TextFix};
use crate::puppet_lint::pass::{Note, Pass, quote, range, replace};
use crate::puppet_lint::structure::Resource;
use crate::puppet_lint::token::{Direction, Kind, Tokens};

pub(super) fn selector(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        for i in resource.start..=resource.end {
            if tokens[i].kind != Kind::FArrow {
                continue;
            }
            let value = tokens.next_code(i).filter(|n| tokens[*n].kind == Kind::Variable);
            if value.and_then(|n| tokens.next_code_kind(n)) == Some(Kind::QMark) {
                notes.push(Note::warning(i, "selector inside resource block"));
            }
        }
    });
}

pub(super) fn duplicate_params(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        let mut seen: FxHashMap<i64, FxHashSet<&str>> = FxHashMap::default();
        let mut level = 0;
        for i in resource.start..=resource.end {
            match tokens[i].kind {
                Kind::LBrace => level += 1,
                Kind::RBrace => {
                    seen.remove(&level);
                    level -= 1;
                }
                Kind::FArrow => {
                    let name = tokens.previous_code(i).filter(|n| tokens[*n].kind == Kind::Name);
                    let Some(name) = name else { continue };
                    if !seen.entry(level).or_default().insert(tokens[name].value) {
                        let note = Note::warning(name, "duplicate parameter found in resource");
                        notes.push(Note { level: Level::Error, ..note });
                    }
                }
                _ => {}
            }
        }
    });
}

pub(super) fn ensure_first(pass: &mut Pass<'_, '_>) {
    let text = pass.text;
    pass.each_resource(|resource, tokens, notes| {
        if tokens[resource.type_token].kind == Kind::Class {
            return;
        }
        let place = resource.params.iter().position(|i| tokens[*i].value == "ensure");
        let Some(place) = place.filter(|place| *place > 0) else { return };
        let (first, ensure) = (resource.params[0], resource.params[place]);
        let fix = swapped(text, tokens, resource, first, ensure);
        let note = Note::warning(ensure, "ensure found on line but it's not the first attribute");
        notes.push(note.fix(fix));
    });
}

/// The first attribute and `ensure` in each other's place.
fn swapped(
    text: &str,
    tokens: &Tokens<'_>,
    resource: &Resource,
    first: usize,
    ensure: usize,
) -> Option<TextFix> {
    let whole = |name: usize| {
        let ends = [Kind::Comma, Kind::Semic, Kind::RBrace];
        let end = tokens.find(name, Direction::Next, &ends, resource.end - name)?;
        let last = tokens.previous_code(end)?;
        // A comment would move with the attribute, or stay, and nobody knows which is right.
        let has_comment = tokens[name..last].iter().any(|token| token.kind.is_comment());
        (!has_comment).then(|| TextRange::new(tokens[name].start, tokens[last].end))
    };
    let (first, ensure) = (whole(first)?, whole(ensure)?);
    let written = |at: TextRange| text[at.start as usize..at.end as usize].to_owned();
    Some(TextFix {
        safety: Safety::Safe,
        title: "swap it with the first attribute".to_owned(),
        edits: vec![(first, written(ensure)), (ensure, written(first))],
    })
}

/// The values of parameters of a name: the name and its value.
fn values(
    tokens: &Tokens<'_>,
    resource: &Resource,
    name: &'static str,
) -> impl Iterator<Item = (usize, usize)> {
    let params = resource.params.iter().filter(move |i| tokens[**i].value == name);
    let value = |i: usize| tokens.next_code(i).and_then(|arrow| tokens.next_code(arrow));
    let pairs: Vec<_> = params.filter_map(|i| value(*i).map(|value| (*i, value))).collect();
    pairs.into_iter()
}

pub(super) fn symlink_target(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        if tokens[resource.type_token].value != "file" {
            return;
        }
        for (name, value) in values(tokens, resource, "ensure") {
            if !tokens[value].value.starts_with('/') {
                continue;
            }
            let before = name.checked_sub(1).map(|i| &tokens[i]);
            let indent = before.filter(|t| t.kind == Kind::Indent).map_or(" ", |t| t.value);
            let line = if indent == " " { "" } else { "\n" };
            let at = TextRange::new(tokens[value].start, tokens[value].start);
            let text = format!("symlink,{line}{indent}target => ");
            let fix = replace(Safety::Unsafe, "write symlink and a target", at, text);
            let note = Note::warning(value, "symlink target specified in ensure attr");
            notes.push(note.fix(Some(fix)));
        }
    });
}

fn has_mode(tokens: &Tokens<'_>, resource: &Resource) -> bool {
    matches!(tokens[resource.type_token].value, "file" | "concat")
}

pub(super) fn file_mode(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        if !has_mode(tokens, resource) {
            return;
        }
        for (_, i) in values(tokens, resource, "mode") {
            let token = &tokens[i];
            let is_computed = [Kind::Variable, Kind::Undef, Kind::FunctionName];
            if is_computed.contains(&token.kind) || is_mode(token.value) {
                break;
            }
            let is_short = token.value.len() == 3 && token.value.bytes().all(is_octal);
            let fix = is_short.then(|| {
                let text = format!("'0{}'", token.value);
                replace(Safety::Unsafe, "write four digits", range(token), text)
            });
            let text = "mode should be represented as a 4 digit octal value or symbolic mode";
            notes.push(Note::warning(i, text).fix(fix));
        }
    });
}

fn is_octal(byte: u8) -> bool {
    (b'0'..=b'7').contains(&byte)
}

/// Whether a text is a mode of four digits or a symbolic one.
fn is_mode(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let is_symbolic = |part: &str| {
        let rest = part.trim_start_matches(['u', 'g', 'o', 'a']);
        let sign = |c: char| matches!(c, '-' | '=' | '+');
        rest.starts_with(sign) && rest.chars().all(|c| sign(c) || "rstwxXugo".contains(c))
    };
    (text.len() == 4 && text.bytes().all(is_octal)) || text.split(',').all(is_symbolic)
}

pub(super) fn unquoted_mode(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        if !has_mode(tokens, resource) {
            return;
        }
        for (_, i) in values(tokens, resource, "mode") {
            // Puppet takes no number for a mode, so the quotes change its meaning.
            let safety = match tokens[i].kind {
                Kind::Name => Safety::Safe,
                Kind::Number => Safety::Unsafe,
                _ => continue,
            };
            let fix = quote(safety, &tokens[i]);
            notes.push(Note::warning(i, "unquoted file mode").fix(Some(fix)));
        }
    });
}

pub(super) fn unquoted_title(pass: &mut Pass<'_, '_>) {
    let tokens = pass.tokens;
    let last_list = (0..tokens.len()).rev().find(|i| tokens[*i].kind == Kind::LBrack);
    let mut found = Vec::new();
    for colon in pass.all(Kind::Colon) {
        let Some(before) = colon.checked_sub(1) else { continue };
        if tokens[before].kind == Kind::RBrack {
            // puppet-lint looks at the last list of the file.
            let start = last_list.map_or(0, |list| list + 1);
            if pass.budget.take(colon.saturating_sub(start)) {
                found.extend(start..before);
            }
        } else if tokens.next_code_kind(colon).is_some_and(|kind| kind != Kind::LBrace) {
            found.push(before);
        }
    }
    for i in found.into_iter().filter(|i| tokens[*i].kind == Kind::Name) {
        let fix = quote(Safety::Safe, &tokens[i]);
        pass.add(Note::warning(i, "unquoted resource title").fix(Some(fix)));
    }
}
