//! Checks of arrows between resources and of those after the names of attributes.

use ordain_source::{Safety, TextRange};

use crate::puppet_lint::finding::TextFix;
use crate::puppet_lint::pass::{Note, Pass, range, replace};
use crate::puppet_lint::structure::Resource;
use crate::puppet_lint::token::{Kind, Tokens};

pub(super) fn right_to_left(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::OutEdge) {
        pass.warn(i, "right-to-left (<-) relationship");
    }
}

pub(super) fn operand_line(pass: &mut Pass<'_, '_>) {
    for i in pass.find_all([Kind::InEdge, Kind::InEdgeSub], |_, _| true) {
        let Some(next) = pass.tokens.next_code(i) else { continue };
        if pass.tokens[next].line != pass.tokens[i].line {
            let fix = moved_arrow(pass.tokens, i, next);
            pass.add(
                Note::warning(i, "arrow should be on the right operand's line").fix(Some(fix)),
            );
        }
    }
}

/// The arrow in front of its right operand.
fn moved_arrow(tokens: &Tokens<'_>, arrow: usize, right: usize) -> TextFix {
    let (mut start, end) = (tokens[arrow].start, tokens[arrow].end);
    let blank = arrow.checked_sub(1).map(|i| &tokens[i]).filter(|t| t.kind == Kind::Whitespace);
    let is_last =
        tokens.get(arrow + 1).is_none_or(|t| matches!(t.kind, Kind::Newline | Kind::Whitespace));
    if let Some(blank) = blank.filter(|_| is_last) {
        start = blank.start;
    }
    let insert = TextRange::new(tokens[right].start, tokens[right].start);
    TextFix {
        safety: Safety::Safe,
        title: "move it to the line of the right operand".to_owned(),
        edits: vec![
            (TextRange::new(start, end), String::new()),
            (insert, format!("{} ", tokens[arrow].value)),
        ],
    }
}

/// The arrows between a pair of braces.
#[derive(Default)]
struct Group {
    arrows: Vec<usize>,
    /// The column that the arrows should have.
    column: u32,
    /// The column of the first parameter.
    first: Option<u32>,
}

pub(super) fn alignment(pass: &mut Pass<'_, '_>) {
    pass.each_resource(|resource, tokens, notes| {
        let mut arrows =
            (resource.start..=resource.end).filter(|i| tokens[*i].kind == Kind::FArrow);
        let first = arrows.next().map(|i| tokens[i].line);
        let last = arrows.next_back().map(|i| tokens[i].line);
        if last.is_some() && first != last {
            align(resource, tokens, notes);
        }
    });
}

fn align(resource: &Resource, tokens: &Tokens<'_>, notes: &mut Vec<Note>) {
    let mut groups = vec![Group::default()];
    let mut level: isize = 0;
    for i in resource.start..=resource.end {
        // As in Ruby, an index below zero counts from the end.
        let index = if level < 0 { groups.len() as isize + level } else { level };
        let Some(group) = groups.get_mut(index.max(0) as usize).filter(|_| index >= 0) else {
            return;
        };
        match tokens[i].kind {
            Kind::FArrow => add_arrow(group, tokens, i),
            Kind::LBrace => {
                level += 1;
                groups.push(Group::default());
            }
            Kind::RBrace | Kind::Semic => {
                let done = std::mem::take(group);
                report(&done, tokens, notes);
                level -= 1;
            }
            _ => {}
        }
    }
}

fn add_arrow(group: &mut Group, tokens: &Tokens<'_>, arrow: usize) {
    let Some(param) = tokens.previous_code(arrow) else { return };
    let start = param_start(tokens, param);
    let length: u32 = (start..=param).map(|i| tokens.written_length(i)).sum();
    let first = *group.first.get_or_insert(tokens[start].column);
    let shares_line =
        group.arrows.last().is_some_and(|last| tokens[*last].line == tokens[arrow].line);
    let column = match shares_line {
        true => first + length + 1,
        false => tokens[param].column + tokens.written_length(param) + 1,
    };
    group.column = group.column.max(column);
    group.arrows.push(arrow);
}

/// The first token of a parameter name, which may be a string of several.
fn param_start(tokens: &Tokens<'_>, param: usize) -> usize {
    if tokens[param].kind != Kind::StringEnd {
        return param;
    }
    (0..param).rev().find(|i| tokens[*i].kind == Kind::StringStart).unwrap_or(param)
}

fn report(group: &Group, tokens: &Tokens<'_>, notes: &mut Vec<Note>) {
    let line = |arrow: &usize| tokens[*arrow].line;
    let is_on_several = group.arrows.first().map(line) != group.arrows.last().map(line);
    if !is_on_several {
        return;
    }
    let mut before = None;
    for arrow in &group.arrows {
        let token = &tokens[*arrow];
        let is_first = before != Some(token.line);
        before = Some(token.line);
        if token.column == group.column {
            continue;
        }
        let text = format!(
            "indentation of => is not properly aligned (expected in column {}, but found it in column {})",
            group.column, token.column
        );
        let fix = match is_first {
            true => aligned(tokens, *arrow, group.column),
            false => on_own_line(tokens, *arrow, group),
        };
        notes.push(Note::warning(*arrow, text).fix(fix));
    }
}

const TITLE: &str = "align it with the other arrows";

/// The blanks before an arrow that put it in a column.
fn aligned(tokens: &Tokens<'_>, arrow: usize, column: u32) -> Option<TextFix> {
    let token = &tokens[arrow];
    let blank = arrow.checked_sub(1).map(|i| &tokens[i]).filter(|t| t.kind == Kind::Whitespace);
    let now = blank.map_or(0, |t| t.value.chars().count() as u32);
    let width = (now + column).checked_sub(token.column)?;
    let at = blank.map_or(TextRange::new(token.start, token.start), range);
    Some(replace(Safety::Safe, TITLE, at, " ".repeat(width as usize)))
}

/// A line of its own for a further arrow on a line.
fn on_own_line(tokens: &Tokens<'_>, arrow: usize, group: &Group) -> Option<TextFix> {
    let param = tokens.previous_code(arrow)?;
    let start = param_start(tokens, param);
    if tokens[param + 1..arrow].iter().any(|t| t.kind != Kind::Whitespace) {
        return None;
    }
    let indent = group.first? - 1;
    let length: u32 = (start..=param).map(|i| tokens.written_length(i)).sum();
    let width = (group.column - 1).checked_sub(indent + length)?;
    let before = start.checked_sub(1).map(|i| &tokens[i]).filter(|t| t.kind == Kind::Whitespace);
    let at = tokens[start].start;
    let at = before.map_or(TextRange::new(at, at), range);
    let line = format!("\n{}", " ".repeat(indent as usize));
    let gap = TextRange::new(tokens[param].end, tokens[arrow].start);
    Some(TextFix {
        safety: Safety::Safe,
        title: TITLE.to_owned(),
        edits: vec![(at, line), (gap, " ".repeat(width as usize))],
    })
}
