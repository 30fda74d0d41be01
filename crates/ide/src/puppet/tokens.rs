//! Highlighted names, and links to files.

use super::names::Symbol;
use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::{Link, Token, TokenKind};

/// The names of a manifest or template.
pub(crate) fn tokens(file: &File) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    for name in &file.names.names {
        let kind = match name.symbol {
            Symbol::Class(_) => TokenKind::Class,
            Symbol::Type(_) => TokenKind::Type,
            Symbol::Function(_) => TokenKind::Function,
            Symbol::Local { .. } => TokenKind::Variable,
            Symbol::Member { .. } => match is_attribute(file, name.range.end) {
                true => TokenKind::Attribute,
                false => TokenKind::Variable,
            },
            Symbol::Key(_) | Symbol::Fact(_) | Symbol::Template(_) | Symbol::File(_) => continue,
        };
        let is_behind = out.last().is_none_or(|last| last.range.end <= name.range.start);
        if is_behind && name.range.end > name.range.start {
            out.push(Token { range: name.range, kind, is_definition: name.is_definition });
        }
    }
    out
}

/// Whether an arrow follows a name.
fn is_attribute(file: &File, end: u32) -> bool {
    let rest = file.text.get(end as usize..).unwrap_or_default().trim_start();
    rest.starts_with("=>") || rest.starts_with("+>")
}

/// The templates and files that a file names and that exist.
pub(crate) fn links(analysis: &Analysis, file: &File) -> Vec<Link> {
    let target = |symbol: &Symbol| match symbol {
        Symbol::Template(name) => analysis.module_file(&file.path, "templates", name),
        Symbol::File(name) => analysis.module_file(&file.path, "files", name),
        _ => None,
    };
    let link =
        |name: &super::names::Name| Some(Link { range: name.range, path: target(&name.symbol)? });
    file.names.names.iter().filter_map(link).collect()
}
