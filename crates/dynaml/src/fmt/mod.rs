//! The formatter: indentation, and blanks inside of `(( … ))`.
//!
//! YAML has no layout that all its writers accept, so values, quotes, comments, anchors, the order of
//! keys and line breaks stay. The trees before and after are compared; a text whose tree would
//! change keeps its indentation.

mod blanks;
mod lines;

use ordain_data::yaml::{Error, Kind, Node, NodeId, Style, Tree};

use crate::value::is_expression;
use lines::{OFF, ON};

/// Formats a template or stub.
///
/// # Errors
/// When the text is no valid YAML.
pub fn format(text: &str) -> Result<String, Error> {
    let trees = Tree::parse_all(text)?;
    let spaced = expressions(text, &trees);
    let spaced = if is_same(&trees, &spaced) { spaced } else { text.to_owned() };
    Ok(match lines::indented(&spaced) {
        Some(indented) if is_same(&trees, &indented) => indented,
        _ => spaced,
    })
}

/// Whether a text is surely a template: it has an expression with blanks behind the brackets. Other
/// programs write variables as `((name))`.
pub fn is_template(text: &str) -> bool {
    if !text.contains("(( ") {
        return false;
    }
    let Ok(trees) = Tree::parse_all(text) else { return false };
    trees.iter().any(|tree| {
        nodes(tree).any(|(_, node)| match &node.kind {
            Kind::Scalar(text, style) => {
                *style != Style::Block
                    && is_expression(text)
                    && text.starts_with("(( ")
                    && text.ends_with(" ))")
            }
            _ => false,
        })
    })
}

fn nodes(tree: &Tree) -> impl Iterator<Item = (NodeId, &Node)> {
    let count = u32::try_from(tree.len()).unwrap_or(u32::MAX);
    (0..count).map(NodeId).map(|id| (id, tree.node(id)))
}

/// The text with one form of blanks in its expressions.
fn expressions(text: &str, trees: &[Tree]) -> String {
    let fixed = fixed_ranges(text);
    let mut out = String::with_capacity(text.len());
    let (mut done, mut template_end) = (0, 0);
    for (tree, id) in trees.iter().flat_map(|tree| nodes(tree).map(move |(id, _)| (tree, id))) {
        let node = tree.node(id);
        if is_marked(tree, id) {
            template_end = template_end.max(node.span.end as usize);
        }
        let Kind::Scalar(value, Style::Plain | Style::Quoted) = &node.kind else { continue };
        let (start, end) = (node.span.start as usize, node.span.end as usize);
        let Some(written) = text.get(start..end) else { continue };
        let is_fixed = fixed.iter().any(|range| range.contains(&start));
        if start < done.max(template_end) || is_fixed || !is_expression(value) {
            continue;
        }
        if let Some(new) = blanks::scalar(written) {
            out.push_str(&text[done..start]);
            out.push_str(&new);
            done = end;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// Whether a map or list has a marker, such as `<<: (( &template ))`. spiff prints the expressions of
/// templates as they are written.
fn is_marked(tree: &Tree, id: NodeId) -> bool {
    let is_marker = |id: NodeId| match &tree.node(id).kind {
        Kind::Scalar(text, _) => is_expression(text) && text[2..].trim_start().starts_with('&'),
        _ => false,
    };
    match &tree.node(id).kind {
        Kind::Map => tree.children(id).any(is_marker),
        Kind::List => tree.children(id).any(|item| {
            is_marker(item)
                || tree.node(item).kind == Kind::Map && tree.children(item).any(is_marker)
        }),
        _ => false,
    }
}

/// The ranges in which the formatter is off.
fn fixed_ranges(text: &str) -> Vec<std::ops::Range<usize>> {
    let (mut out, mut offset, mut open) = (Vec::new(), 0, None);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let indent = line.len() - line.trim_start_matches(' ').len();
        if let Some((start, least)) = open
            && !trimmed.is_empty()
            && (trimmed == ON || indent < least)
        {
            out.push(start..offset);
            open = None;
        }
        if trimmed == OFF && open.is_none() {
            open = Some((offset, indent));
        }
        offset += line.len();
    }
    out.extend(open.map(|(start, _)| start..offset));
    out
}

/// Whether a text has these trees, apart from blanks in expressions.
fn is_same(trees: &[Tree], text: &str) -> bool {
    let Ok(others) = Tree::parse_all(text) else { return false };
    trees.len() == others.len()
        && trees.iter().zip(&others).all(|(tree, other)| {
            tree.len() == other.len()
                && nodes(tree).zip(nodes(other)).all(|((a, one), (b, two))| {
                    let is_same = match (&one.kind, &two.kind) {
                        (Kind::Scalar(one, style), Kind::Scalar(two, other)) => {
                            style == other && (one == two || blanks::are_same(one, two))
                        }
                        (one, two) => one == two,
                    };
                    is_same && tree.tag(a) == other.tag(b) && tree.children(a).eq(other.children(b))
                })
        })
}
