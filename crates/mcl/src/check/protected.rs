//! Reports declarations of files that would remove protected paths.

use ecow::EcoString;
use ordain_graph::protected;
use ordain_source::Diagnostic;

use super::constants;
use super::program::{ModId, Module, Modules};
use crate::codes;
use crate::syntax::ast::{EntryKind, ExprId, ExprKind, Piece, ResourceNode, StmtKind};
use crate::value::Value;

/// The errors about files of a program that are known from literals.
pub fn refused(modules: &Modules) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for id in 0..modules.len() as u32 {
        let module = modules.get(ModId(id));
        for (_, stmt) in module.tree.stmts.iter() {
            if let StmtKind::Resource(resource) = &stmt.kind {
                found.extend(refusal(&module, resource));
            }
        }
    }
    found
}

fn refusal(module: &Module, resource: &ResourceNode) -> Option<Diagnostic> {
    let field = |name: &str| {
        resource.entries.iter().find_map(|entry| match &entry.kind {
            EntryKind::Field(field, value) if field.as_str() == name => Some((entry, *value)),
            _ => None,
        })
    };
    if resource.kind.as_str() != "file" {
        return None;
    }
    let at = field("path").map_or(resource.name, |(_, value)| value);
    let title = text(module, at)?;
    let is = |name: &str, wanted: &str| {
        let field = field(name).filter(|(entry, _)| entry.condition.is_none());
        field.and_then(|(_, value)| text(module, value)).is_some_and(|text| text == wanted)
    };
    let recurses = is("recurse", "true");
    // As in the lowering: a recursive removal is forced.
    let value = |name: &str| {
        let value = match name {
            "ensure" if is("state", "absent") => "absent",
            "force" if is("state", "absent") && recurses => "true",
            "purge" if recurses && title.ends_with('/') && is("purge", "true") => "true",
            "recurse" if recurses => "true",
            _ => return None,
        };
        Some(value.to_owned())
    };
    let (path, act) = protected::refusal("file", &title, value)?;
    let message = format!("`{path}` is not {}: a machine runs on it", act.done());
    let span = module.tree.exprs[at].range.in_file(module.file);
    let help = format!("`--allow-remove {path}` of plan and apply permits it");
    Some(Diagnostic::error(codes::RESOURCE, message).at(span).help(help))
}

/// The text of a literal or a constant.
fn text(module: &Module, id: ExprId) -> Option<EcoString> {
    match &module.tree.exprs[id].kind {
        ExprKind::Bool(value) => Some(value.to_string().into()),
        ExprKind::Str(pieces) => {
            let text = |piece: &Piece| match piece {
                Piece::Text(text) => Some(text.clone()),
                Piece::Var(_) => None,
            };
            pieces.iter().map(text).collect()
        }
        ExprKind::Var(name) => match constants::value(name)? {
            Value::Str(text) => std::str::from_utf8(text.as_bytes()).ok().map(Into::into),
            _ => None,
        },
        _ => None,
    }
}
