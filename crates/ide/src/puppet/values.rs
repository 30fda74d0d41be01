//! The values of the parameters of classes that Hiera has for the chosen node.

use ordain_puppet::syntax::{Definition, Expr};
use ordain_puppet::validation::names::plain;
use ordain_source::TextRange;

use super::definitions::Found;
use super::{hover, outline};
use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::InlayHint;

/// The maximal length of a value in a line, in characters.
const MAX_LENGTH: usize = 60;

/// The values of the parameters in a range of a file.
pub(crate) fn hints(analysis: &Analysis, file: &File, range: TextRange) -> Vec<InlayHint> {
    let mut out = Vec::new();
    let Some(program) = file.program().filter(|_| analysis.node.name.is_some()) else { return out };
    for &id in &program.definitions {
        let Expr::Definition(definition) = &program[id] else { continue };
        let definition = program.definition(*definition);
        let Definition::Class { name, .. } = definition else { continue };
        let class = plain(name);
        let found = Found { file, program, id, definition };
        for param in found.params() {
            let end = param.default.map_or(param.range.end, |id| outline::extent(program, id).end);
            if end < range.start || range.end < end || analysis.is_cancelled() {
                continue;
            }
            let key = format!("{class}::{}", param.name);
            let Some(value) = analysis.node_value(&file.path, &key) else { continue };
            let text = value.text.filter(|_| !hover::is_secret(&key, ""));
            out.push(InlayHint {
                offset: end,
                label: format!("= {}", text.as_deref().map_or_else(|| "(not shown)".into(), cut)),
                tooltip: value.sources.join("; "),
                is_type: false,
            });
        }
    }
    out
}

/// The start of a long text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LENGTH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
