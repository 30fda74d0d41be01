//! Checks of the plug-in `manifest_whitespace`: blanks around brackets, names and arrows.

use ordain_source::{Safety, TextRange};

use crate::puppet_lint::finding::{Level, TextFix};
use crate::puppet_lint::pass::{Note, Pass, range, replace};
use crate::puppet_lint::token::{Direction, Kind, Tokens};

fn is_blank(kind: Kind) -> bool {
    matches!(kind, Kind::Whitespace | Kind::Indent | Kind::Newline)
}

fn is_single_space(tokens: &Tokens<'_>, i: usize) -> bool {
    tokens.get(i).is_some_and(|t| t.kind == Kind::Whitespace && t.value == " ")
}

/// The token before that is no blank.
fn before(tokens: &Tokens<'_>, i: usize) -> Option<usize> {
    (0..i).rev().find(|n| !is_blank(tokens[*n].kind))
}

/// The token after that is no blank.
fn after(tokens: &Tokens<'_>, i: usize) -> Option<usize> {
    (i + 1..tokens.len()).find(|n| !is_blank(tokens[*n].kind))
}

/// Tokens that may follow a closing bracket without a blank.
fn follows_bracket(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::RBrack
            | Kind::RParen
            | Kind::Semic
            | Kind::Comma
            | Kind::Colon
            | Kind::Dot
            | Kind::Newline
            | Kind::StringMiddle
            | Kind::StringEnd
            | Kind::LBrack
            | Kind::HeredocMiddle
            | Kind::HeredocEnd
    )
}

/// The blanks between two tokens as another text; nothing if they are that already.
fn between(pass: &Pass<'_, '_>, from: usize, to: usize, text: &str) -> Option<TextFix> {
    let at = TextRange::new(pass.tokens[from].end, pass.tokens[to].start);
    let now = pass.text.get(at.start as usize..at.end as usize)?;
    (now != text && now.trim().is_empty()).then(|| TextFix {
        safety: Safety::Safe,
        title: "change the blanks".to_owned(),
        edits: vec![(at, text.to_owned())],
    })
}

/// The blanks between two tokens with at most one line end; `else_text` if there is none.
fn one_line_end(pass: &Pass<'_, '_>, from: usize, to: usize, else_text: &str) -> Option<TextFix> {
    let has_line_end = (from + 1..to).any(|i| pass.tokens[i].kind == Kind::Newline);
    if !has_line_end {
        return between(pass, from, to, else_text);
    }
    let indent = Some(to - 1).filter(|i| pass.tokens[*i].kind == Kind::Indent);
    let indent = indent.map_or("", |i| pass.tokens[i].value);
    between(pass, from, to, &format!("\n{indent}"))
}

/// A fix without a blank token.
fn removed(pass: &Pass<'_, '_>, i: usize) -> Option<TextFix> {
    let at = range(&pass.tokens[i]);
    is_blank(pass.tokens[i].kind).then(|| replace(Safety::Safe, "remove it", at, ""))
}

fn report(pass: &mut Pass<'_, '_>, token: usize, message: &str, fix: Option<TextFix>) {
    let note = Note::warning(token, message).fix(fix);
    pass.add(Note { level: Level::Error, ..note });
}

pub(super) fn arrow_after(pass: &mut Pass<'_, '_>) {
    for arrow in pass.all(Kind::FArrow) {
        let next = arrow + 1;
        let Some(kind) = pass.tokens.get(next).map(|t| t.kind) else { continue };
        if is_single_space(pass.tokens, next) {
            continue;
        }
        let code = after(pass.tokens, arrow).filter(|_| kind != Kind::Newline);
        let fix = code.filter(|code| *code <= next + 1);
        let fix = fix.and_then(|code| between(pass, arrow, code, " "));
        report(pass, next, "there should be a single space after an arrow", fix);
    }
}

pub(super) fn inherits_before(pass: &mut Pass<'_, '_>) {
    for inherits in pass.all(Kind::Inherits) {
        let text = "there should be a single space between the inherits statement and the name";
        name_after(pass, inherits, text);
    }
}

pub(super) fn class_before(pass: &mut Pass<'_, '_>) {
    let starts: Vec<usize> = pass.structure().definitions.iter().map(|d| d.start).collect();
    let text = "there should be a single space between the class or defined resource statement \
                and the name";
    starts.into_iter().for_each(|start| name_after(pass, start, text));
}

/// The name after a keyword, in the next few tokens.
fn name_of(pass: &Pass<'_, '_>, keyword: usize) -> Option<usize> {
    let found =
        pass.tokens.find(keyword, Direction::Next, &[Kind::Name, Kind::FunctionName], usize::MAX);
    pass.budget.take(found.unwrap_or(pass.tokens.len()) - keyword).then_some(found)?
}

fn name_after(pass: &mut Pass<'_, '_>, keyword: usize, message: &str) {
    let Some(name) = name_of(pass, keyword) else { return };
    if name != keyword + 2 || !is_single_space(pass.tokens, keyword + 1) {
        let fix = between(pass, keyword, name, " ");
        report(pass, keyword + 1, message, fix);
    }
}

pub(super) fn class_after(pass: &mut Pass<'_, '_>) {
    let starts: Vec<usize> = pass.structure().definitions.iter().map(|d| d.start).collect();
    for start in starts {
        let Some(name) = name_of(pass, start) else { continue };
        let Some(next) = after(pass.tokens, name) else { continue };
        if next != name + 2 || !is_single_space(pass.tokens, name + 1) {
            let fix = between(pass, name, next, " ");
            let text = "there should be a single space between the class or resource name and the next item";
            report(pass, name, text, fix);
        }
    }
}

pub(super) fn closing_brace_before(pass: &mut Pass<'_, '_>) {
    for brace in pass.all(Kind::RBrace) {
        let tokens = pass.tokens;
        let Some(code) = before(tokens, brace) else { continue };
        let last = tokens[brace - 1].kind;
        let is_fine = last == Kind::LBrace
            || (tokens[code].kind != Kind::LBrace
                && is_single_space(tokens, brace - 1)
                && code + 2 == brace)
            || (last == Kind::Indent && code + 3 == brace)
            || (last == Kind::Newline && code + 2 == brace);
        if !is_fine {
            let space = if tokens[code].kind == Kind::LBrace { "" } else { " " };
            let fix = one_line_end(pass, code, brace, space);
            let text = "there should be a single space or newline before a closing brace";
            report(pass, code + 1, text, fix);
        }
    }
}

pub(super) fn closing_brace_after(pass: &mut Pass<'_, '_>) {
    let text = "there should be either a bracket, punctuation mark, closing quote or a newline \
                after a closing brace, or whitespace and none of the aforementioned";
    closing_after(pass, Kind::RBrace, text);
}

pub(super) fn closing_bracket_after(pass: &mut Pass<'_, '_>) {
    let text = "there should be either a bracket, punctuation mark, closing quote or a newline \
                after a closing bracket, or whitespace and none of the aforementioned";
    closing_after(pass, Kind::RBrack, text);
}

fn closing_after(pass: &mut Pass<'_, '_>, kind: Kind, message: &str) {
    for bracket in pass.all(kind) {
        let Some(next) = pass.tokens.get(bracket + 1).map(|t| t.kind) else { continue };
        if follows_bracket(next) {
            continue;
        }
        let mut fix = None;
        if next == Kind::Whitespace {
            let Some(code) = after(pass.tokens, bracket) else { continue };
            if !follows_bracket(pass.tokens[code].kind) {
                continue;
            }
            fix = between(pass, bracket, code, "").filter(|_| code == bracket + 2);
        }
        report(pass, bracket + 1, message, fix);
    }
}

pub(super) fn closing_bracket_before(pass: &mut Pass<'_, '_>) {
    for bracket in pass.all(Kind::RBrack) {
        let tokens = pass.tokens;
        let Some(code) = before(tokens, bracket) else { continue };
        let last = tokens[bracket - 1].kind;
        let is_fine = !is_blank(last)
            || (last == Kind::Indent && code + 3 == bracket)
            || (last == Kind::Newline && code + 2 == bracket);
        if !is_fine {
            let fix = one_line_end(pass, code, bracket, "");
            let text = "there should be no whitespace or a single newline before a closing bracket";
            report(pass, code + 1, text, fix);
        }
    }
}

pub(super) fn opening_brace_before(pass: &mut Pass<'_, '_>) {
    for brace in pass.all(Kind::LBrace) {
        let tokens = pass.tokens;
        let Some(code) = before(tokens, brace) else { continue };
        let last = tokens[brace - 1].kind;
        let kind = tokens[code].kind;
        let on_new_line = matches!(last, Kind::Indent | Kind::Newline);
        if (kind == Kind::Comma && on_new_line) || matches!(kind, Kind::Comment | Kind::Colon) {
            continue;
        }
        let has_line_end = (code..brace).any(|i| tokens[i].kind == Kind::Newline);
        let is_spaced = code + 2 == brace && is_single_space(tokens, brace - 1);
        let is_fine = match kind {
            Kind::LParen | Kind::LBrack => code + 1 == brace || has_line_end,
            Kind::LBrace => has_line_end || is_spaced,
            _ => is_spaced,
        };
        if !is_fine {
            let space = if matches!(kind, Kind::LParen | Kind::LBrack) { "" } else { " " };
            let fix = between(pass, code, brace, space).filter(|_| !kind.is_comment());
            report(pass, brace, "there should be a single space before an opening brace", fix);
        }
    }
}

pub(super) fn opening_brace_after(pass: &mut Pass<'_, '_>) {
    for brace in pass.all(Kind::LBrace) {
        let tokens = pass.tokens;
        let mut next = brace + 1;
        let Some(mut kind) = tokens.get(next).map(|t| t.kind) else { continue };
        if is_single_space(tokens, next)
            || matches!(kind, Kind::RBrace | Kind::LBrack | Kind::LBrace)
        {
            continue;
        }
        if kind == Kind::Newline {
            next += 1;
            match tokens.get(next).map(|t| t.kind) {
                Some(Kind::Newline) => kind = Kind::Newline,
                _ => continue,
            }
        }
        let code = after(tokens, brace);
        let fix = match kind {
            Kind::Newline => removed(pass, next),
            _ => code.filter(|code| *code <= next + 1).and_then(|c| between(pass, brace, c, " ")),
        };
        let text = "there should be a single space or single newline after an opening brace";
        report(pass, next, text, fix);
    }
}

pub(super) fn opening_bracket_before(pass: &mut Pass<'_, '_>) {
    for bracket in pass.all(Kind::LBrack) {
        let tokens = pass.tokens;
        let Some(last) = bracket.checked_sub(1).map(|i| tokens[i].kind) else { continue };
        if matches!(last, Kind::ClassRef | Kind::Variable | Kind::Name) {
            continue;
        }
        let Some(code) = before(tokens, bracket) else { continue };
        if is_bracket_placed(tokens, code, bracket) {
            continue;
        }
        let is_inside = matches!(tokens[code].kind, Kind::LParen | Kind::LBrack | Kind::LBrace);
        let fix = between(pass, code, bracket, if is_inside { "" } else { " " });
        report(pass, bracket, "there should be a single space before an opening bracket", fix);
    }
}

/// Whether the blanks before an opening bracket are those of the style.
fn is_bracket_placed(tokens: &Tokens<'_>, code: usize, bracket: usize) -> bool {
    let (kind, last) = (tokens[code].kind, tokens[bracket - 1].kind);
    let on_new_line = matches!(last, Kind::Indent | Kind::Newline);
    let is_spaced = code + 2 == bracket && is_single_space(tokens, bracket - 1);
    let may_begin_line =
        [Kind::Semic, Kind::Comma, Kind::Colon, Kind::Name, Kind::RBrack, Kind::RBrace];
    if kind == Kind::Comment || (on_new_line && may_begin_line.contains(&kind)) {
        return true;
    }
    let is_fine = match kind {
        Kind::RBrack
        | Kind::RBrace
        | Kind::RParen
        | Kind::LParen
        | Kind::LBrack
        | Kind::LBrace
        | Kind::Type => code + 1 == bracket || on_new_line,
        Kind::ClassRef | Kind::Variable => false,
        _ => is_spaced,
    };
    if is_fine || kind != Kind::LBrace {
        return is_fine;
    }
    // Without a token before the brace the plug-in says nothing.
    let Some(outer) = before(tokens, code) else { return true };
    matches!(tokens[outer].kind, Kind::Name | Kind::Pipe) && (on_new_line || is_spaced)
}

pub(super) fn opening_bracket_after(pass: &mut Pass<'_, '_>) {
    for bracket in pass.all(Kind::LBrack) {
        let tokens = pass.tokens;
        let mut next = bracket + 1;
        let Some(kind) = tokens.get(next).map(|t| t.kind).filter(|kind| is_blank(*kind)) else {
            continue;
        };
        if kind == Kind::Newline {
            next += 1;
            if tokens.get(next).is_none_or(|t| t.kind != Kind::Newline) {
                continue;
            }
        }
        let fix = removed(pass, next);
        let text = "there should be no whitespace or a single newline after an opening bracket";
        report(pass, next, text, fix);
    }
}

pub(super) fn two_empty_lines(pass: &mut Pass<'_, '_>) {
    // The number of line ends in a row, with only blanks between.
    let mut row = 0;
    for i in 0..pass.tokens.len() {
        match pass.tokens[i].kind {
            Kind::Newline => row += 1,
            kind if is_blank(kind) => continue,
            _ => row = 0,
        }
        if row >= 3 && pass.tokens[i].kind == Kind::Newline {
            let fix = removed(pass, i);
            report(pass, i, "there should be no two consecutive empty lines", fix);
        }
    }
}

pub(super) fn line_end_first(pass: &mut Pass<'_, '_>) {
    let count = pass.tokens.iter().take_while(|t| t.kind == Kind::Newline).count();
    for i in 0..count {
        let token = &pass.tokens[i];
        let at = TextRange::new(token.start, token.end);
        let fix = replace(Safety::Safe, "remove it", at, "");
        let text = "there should not be a newline at the beginning of a manifest";
        report(pass, i, text, Some(fix));
    }
}

pub(super) fn no_line_end_last(pass: &mut Pass<'_, '_>) {
    let Some(last) = pass.tokens.len().checked_sub(1) else { return };
    if pass.tokens[last].kind != Kind::Newline {
        let end = pass.text.len() as u32;
        let fix = replace(Safety::Safe, "add it", TextRange::new(end, end), "\n");
        let text = "there should be a single newline at the end of a manifest";
        report(pass, last, text, Some(fix));
    }
}

pub(super) fn line_ends_last(pass: &mut Pass<'_, '_>) {
    let count = pass.tokens.iter().rev().take_while(|t| t.kind == Kind::Newline).count();
    for i in (pass.tokens.len() - count + 1..pass.tokens.len()).rev() {
        let fix = removed(pass, i);
        report(pass, i, "there should be a single newline at the end of a manifest", fix);
    }
}
