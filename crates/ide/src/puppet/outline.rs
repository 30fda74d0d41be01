//! The outline and the folds of manifests and templates.

use ordain_puppet::syntax::*;
use ordain_puppet::validation::walk::{Node, children};
use ordain_source::TextRange;
use ordain_syntax::ListRef;

use crate::lines::Lines;
use crate::types::{Fold, ItemKind, OutlineItem};
use crate::words::scan::{self, Token};

/// The maximal nesting of the outline, which resources in conditions do not add to.
const MAX_DEPTH: usize = 32;

/// The classes, defines, functions, types, nodes and resources of a program.
pub(crate) fn outline(program: &Program) -> Vec<OutlineItem> {
    let mut out = below(program, Node::Expr(program.body), 0);
    let is_broken = program.exprs.iter().any(|(_, expr)| matches!(expr, Expr::Error));
    let known = program.definitions.len();
    let written = unfinished(&program.text);
    if is_broken || written.len() > known {
        let is_known = |item: &OutlineItem| {
            let ranges = program.definitions.iter().map(|&id| program.range(id));
            ranges.into_iter().any(|range| range.start == item.range.start)
        };
        out.extend(written.into_iter().filter(|item| !is_known(item)));
        out.sort_by_key(|item| item.range.start);
    }
    out
}

/// Classes, defines and functions by their tokens. The tree lacks those whose end is missing.
fn unfinished(text: &str) -> Vec<OutlineItem> {
    let (mut out, mut keyword): (Vec<OutlineItem>, Option<Token<'_>>) = (Vec::new(), None);
    scan::puppet(text, |token| {
        let kind = keyword.and_then(|keyword| match keyword.text {
            "class" => Some(ItemKind::Class),
            "define" => Some(ItemKind::Type),
            "function" => Some(ItemKind::Function),
            _ => None,
        });
        let start = keyword.map_or(0, |keyword| keyword.range.start);
        let is_first =
            text[..start as usize].trim_end_matches([' ', '\t']).ends_with('\n') || start == 0;
        if let Some(kind) = kind.filter(|_| token.is_word() && is_first) {
            out.push(OutlineItem {
                name: token.text.to_owned(),
                detail: String::new(),
                kind,
                range: TextRange::new(start, token.range.end),
                name_range: token.range,
                children: Vec::new(),
            });
        }
        keyword = token.is_word().then_some(token);
    });
    out
}

/// The definitions of a program, without the contents of their bodies.
pub(crate) fn definitions(program: &Program) -> impl Iterator<Item = OutlineItem> {
    program.definitions.iter().filter_map(|&id| match &program[id] {
        Expr::Definition(definition) => {
            defined(program, id, program.definition(*definition), MAX_DEPTH)
        }
        _ => None,
    })
}

/// The entries below a node.
fn below(program: &Program, node: Node, depth: usize) -> Vec<OutlineItem> {
    let (mut out, mut rest, mut parts) = (Vec::new(), vec![node], Vec::new());
    while let Some(node) = rest.pop() {
        if let Node::Expr(id) = node {
            match &program[id] {
                Expr::Definition(definition) => {
                    let definition = program.definition(*definition);
                    out.extend(defined(program, id, definition, depth));
                    continue;
                }
                Expr::Resource { kind, bodies, .. } => {
                    out.extend(resources(program, id, *kind, *bodies));
                }
                _ => {}
            }
        }
        parts.clear();
        children(program, node, &mut parts);
        rest.extend(parts.drain(..).rev());
    }
    out
}

fn defined(
    program: &Program,
    id: ExprId,
    definition: &Definition,
    depth: usize,
) -> Option<OutlineItem> {
    let none = ListRef::default();
    let (name, kind, params, body) = match definition {
        Definition::Class { name, params, body, .. } => {
            (name.to_string(), ItemKind::Class, *params, Some(*body))
        }
        Definition::Define { name, params, body } => {
            (name.to_string(), ItemKind::Type, *params, Some(*body))
        }
        Definition::Function { name, params, body, .. } => {
            (name.to_string(), ItemKind::Function, *params, Some(*body))
        }
        Definition::Node { matches, body, .. } => {
            let names = program.list(*matches).iter();
            let names: Vec<&str> = names.map(|&id| program.text(program.range(id))).collect();
            (format!("node {}", names.join(", ")), ItemKind::Resource, none, Some(*body))
        }
        Definition::TypeAlias { name, .. } | Definition::TypeDefinition { name, .. } => {
            (name.to_string(), ItemKind::DataType, none, None)
        }
        Definition::TypeMapping { .. } => return None,
    };
    let range = program.range(id);
    let children = program.params(params).iter().map(|param| parameter(program, param));
    let mut children: Vec<OutlineItem> = children.collect();
    if let Some(body) = body.filter(|_| depth < MAX_DEPTH) {
        children.extend(below(program, Node::Expr(body), depth + 1));
    }
    let first_line = program.text(range).find(['\n', '{', '(']).unwrap_or(0) as u32;
    let name_range = TextRange::new(range.start, range.start + first_line);
    Some(OutlineItem { name, detail: String::new(), kind, range, name_range, children })
}

fn parameter(program: &Program, param: &Param) -> OutlineItem {
    let detail = param.kind.map_or("", |kind| program.text(extent(program, kind)));
    OutlineItem {
        name: format!("${}", param.name),
        detail: detail.to_owned(),
        kind: ItemKind::Attribute,
        range: param.range,
        name_range: param.range,
        children: Vec::new(),
    }
}

/// All of an expression. The range of an operator is only its sign.
pub(crate) fn extent(program: &Program, id: ExprId) -> TextRange {
    let mut range = program.range(id);
    let (mut rest, mut parts) = (vec![Node::Expr(id)], Vec::new());
    while let Some(node) = rest.pop() {
        if let Node::Expr(id) = node {
            range = range.cover(program.range(id));
        }
        parts.clear();
        children(program, node, &mut parts);
        rest.append(&mut parts);
    }
    range
}

fn resources(
    program: &Program,
    id: ExprId,
    kind: ExprId,
    bodies: ListRef<ResourceBody>,
) -> Vec<OutlineItem> {
    let kind_text = program.text(program.range(kind));
    let entry = |body: &ResourceBody| {
        let title_range = program.range(body.title);
        let title = program.text(title_range);
        let last = program.attributes(body.attributes).last().map(|last| last.range.end);
        let end = last.unwrap_or(title_range.end).max(title_range.end);
        let range = match bodies.len() {
            1 => program.range(id).cover(title_range),
            _ => TextRange::new(title_range.start, end),
        };
        OutlineItem {
            name: format!("{kind_text} {title}"),
            detail: String::new(),
            kind: ItemKind::Resource,
            range,
            name_range: title_range,
            children: Vec::new(),
        }
    };
    program.bodies(bodies).iter().map(entry).collect()
}

/// The lines of definitions, resources, blocks, lists and hashes, and of several comments in a row.
pub(crate) fn folds(program: &Program, lines: &Lines) -> Vec<Fold> {
    let mut out = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    scan::puppet(&program.text, |token| match token.text {
        "{" | "[" | "(" => open.push(lines.line(token.range.start)),
        "}" | "]" | ")" => {
            let Some(start) = open.pop() else { return };
            let end = lines.line(token.range.start);
            // The closing bracket stays visible.
            if end > start + 1 {
                out.push(Fold { start, end: end - 1, is_comment: false });
            }
        }
        _ => {}
    });
    out.extend(comments(program, lines));
    out.sort_unstable();
    out.dedup_by_key(|fold| fold.start);
    out
}

fn comments(program: &Program, lines: &Lines) -> Vec<Fold> {
    let mut out: Vec<Fold> = Vec::new();
    for comment in &program.comments {
        let start = lines.line(comment.start);
        let end = lines.line(comment.end.saturating_sub(1).max(comment.start));
        match out.last_mut() {
            Some(last) if last.end + 1 == start => last.end = end,
            _ => out.push(Fold { start, end, is_comment: true }),
        }
    }
    out.retain(|fold| fold.end > fold.start);
    out
}
