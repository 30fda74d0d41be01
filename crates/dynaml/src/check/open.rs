//! Texts that lack the end of an expression.

use ordain_data::yaml::{Kind, NodeId, Tree};
use ordain_source::{Diagnostic, FileId};

use crate::diagnostics::codes::OPEN_EXPRESSION;

/// Texts that begin like expressions but are none, because they do not end like them.
pub(crate) fn open_expressions(tree: &Tree, file: FileId, out: &mut Vec<Diagnostic>) {
    for n in (0..tree.len()).filter_map(|n| u32::try_from(n).ok()) {
        let node = tree.node(NodeId(n));
        let Kind::Scalar(text, _) = &node.kind else { continue };
        let begins = text.strip_prefix("((").is_some_and(|t| t.starts_with(char::is_whitespace));
        if !begins || text.ends_with("))") {
            continue;
        }
        let (message, help) = if text.trim_end().ends_with("))") {
            (
                "the text after `))` makes this a plain text, not an expression",
                "a block without a line break at its end begins with `|-` or `>-`",
            )
        } else if text.contains("))") {
            // With interpolation it would be one.
            continue;
        } else {
            ("`((` without `))` at the end is a text and no expression", "close it with `))`")
        };
        let found = Diagnostic::warning(OPEN_EXPRESSION, message);
        out.push(found.at(node.span.in_file(file)).help(help));
    }
}
