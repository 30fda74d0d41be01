//! Answers in the types of the protocol.

use std::collections::HashMap;
use std::path::Path;

use lsp_types as lsp;
use ordain_source::{Diagnostic, Severity, SourceMap, Span, TextRange};

use super::{plan, uri};
use crate::file::File;
use crate::lines::{Lines, Position};
use crate::snapshot::Analysis;
use crate::types::{
    Action, CallItem, CompletionItem, Edit, Fold, InlayHint, ItemKind, Lens, OutlineItem, Place,
    SignatureHelp, Token, TokenKind,
};

/// The kinds of tokens, in the order of their numbers in the protocol.
pub(super) const TOKEN_TYPES: [lsp::SemanticTokenType; 5] = [
    lsp::SemanticTokenType::CLASS,
    lsp::SemanticTokenType::TYPE,
    lsp::SemanticTokenType::FUNCTION,
    lsp::SemanticTokenType::VARIABLE,
    lsp::SemanticTokenType::PROPERTY,
];

pub(super) fn from_position(position: lsp::Position) -> Position {
    Position { line: position.line, column: position.character }
}

fn position(lines: &Lines, offset: u32) -> lsp::Position {
    let Position { line, column } = lines.position(offset);
    lsp::Position::new(line, column)
}

pub(super) fn range(lines: &Lines, range: TextRange) -> lsp::Range {
    lsp::Range::new(position(lines, range.start), position(lines, range.end))
}

/// The offsets of a range of an editor.
pub(super) fn to_range(lines: &Lines, range: lsp::Range) -> TextRange {
    lines.range(from_position(range.start), from_position(range.end))
}

/// The diagnostics of a file.
pub(super) fn diagnostics(
    lines: &Lines,
    found: &[Diagnostic],
    sources: &SourceMap,
) -> Vec<lsp::Diagnostic> {
    found.iter().map(|found| diagnostic(lines, found, sources)).collect()
}

fn diagnostic(lines: &Lines, found: &Diagnostic, sources: &SourceMap) -> lsp::Diagnostic {
    let primary = found.primary.as_ref();
    let mut message = found.message.clone();
    let label = primary.map(|label| label.text.as_str()).filter(|text| !text.is_empty());
    for line in label.into_iter().chain(found.help.iter().map(String::as_str)) {
        message.push('\n');
        message.push_str(line);
    }
    let related = found.related.iter().filter_map(|label| {
        let location = span(label.span, sources)?;
        Some(lsp::DiagnosticRelatedInformation { location, message: label.text.clone() })
    });
    let related: Vec<_> = related.collect();
    let is_unused = found.code.contains("::unused-");
    lsp::Diagnostic {
        range: primary.map_or_else(lsp::Range::default, |label| range(lines, label.span.range)),
        severity: Some(match found.severity {
            Severity::Error => lsp::DiagnosticSeverity::ERROR,
            Severity::Warning => lsp::DiagnosticSeverity::WARNING,
            Severity::Note => lsp::DiagnosticSeverity::INFORMATION,
        }),
        code: Some(lsp::NumberOrString::String(found.code.to_string())),
        source: Some("ordain".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: is_unused.then(|| vec![lsp::DiagnosticTag::UNNECESSARY]),
        ..lsp::Diagnostic::default()
    }
}

fn span(span: Span, sources: &SourceMap) -> Option<lsp::Location> {
    let file = sources.file(span.file);
    let lines = Lines::new(std::sync::Arc::clone(&file.text));
    Some(lsp::Location::new(uri::of(&file.path)?, range(&lines, span.range)))
}

/// The location of a place, if its file can be read.
pub(super) fn location(analysis: &Analysis, place: &Place) -> Option<lsp::Location> {
    let uri = uri::of(&place.path)?;
    if let Some(file) = analysis.file(&place.path) {
        return Some(lsp::Location::new(uri, range(&file.lines, place.range())));
    }
    let lines = Lines::new(analysis.read(&place.path)?);
    Some(lsp::Location::new(uri, range(&lines, place.range())))
}

pub(super) fn locations(analysis: &Analysis, places: &[Place]) -> Vec<lsp::Location> {
    places.iter().filter_map(|place| location(analysis, place)).collect()
}

fn symbol_kind(kind: ItemKind) -> lsp::SymbolKind {
    match kind {
        ItemKind::Class => lsp::SymbolKind::CLASS,
        ItemKind::Type => lsp::SymbolKind::STRUCT,
        ItemKind::Function => lsp::SymbolKind::FUNCTION,
        ItemKind::Variable | ItemKind::Fact => lsp::SymbolKind::VARIABLE,
        ItemKind::Attribute => lsp::SymbolKind::PROPERTY,
        ItemKind::Resource => lsp::SymbolKind::OBJECT,
        ItemKind::DataType => lsp::SymbolKind::INTERFACE,
        ItemKind::Key => lsp::SymbolKind::KEY,
        ItemKind::Module => lsp::SymbolKind::MODULE,
        ItemKind::Value | ItemKind::Keyword => lsp::SymbolKind::CONSTANT,
    }
}

/// An entry of the outline with all below it.
pub(super) fn symbol(lines: &Lines, item: OutlineItem) -> lsp::DocumentSymbol {
    let children = item.children.into_iter().map(|child| symbol(lines, child));
    let children: Vec<lsp::DocumentSymbol> = children.collect();
    let selection = TextRange::new(
        item.name_range.start.clamp(item.range.start, item.range.end),
        item.name_range.end.clamp(item.range.start, item.range.end),
    );
    // Clients reject an empty name.
    let name = if item.name.trim().is_empty() { "…".to_owned() } else { item.name };
    #[allow(deprecated, reason = "the protocol's type has a field that is replaced by `tags`")]
    lsp::DocumentSymbol {
        name,
        detail: (!item.detail.is_empty()).then_some(item.detail),
        kind: symbol_kind(item.kind),
        tags: None,
        deprecated: None,
        range: range(lines, item.range),
        selection_range: range(lines, selection),
        children: (!children.is_empty()).then_some(children),
    }
}

pub(super) fn workspace_symbol(
    analysis: &Analysis,
    item: OutlineItem,
    path: &Path,
) -> Option<lsp::WorkspaceSymbol> {
    let place = Place::new(path, item.name_range);
    Some(lsp::WorkspaceSymbol {
        name: item.name,
        kind: symbol_kind(item.kind),
        tags: None,
        container_name: Some(analysis.relative(path).display().to_string()),
        location: lsp::OneOf::Left(location(analysis, &place)?),
        data: None,
    })
}

pub(super) fn fold(fold: Fold) -> lsp::FoldingRange {
    lsp::FoldingRange {
        start_line: fold.start,
        end_line: fold.end,
        kind: fold.is_comment.then_some(lsp::FoldingRangeKind::Comment),
        ..lsp::FoldingRange::default()
    }
}

fn completion_kind(kind: ItemKind) -> lsp::CompletionItemKind {
    match kind {
        ItemKind::Class => lsp::CompletionItemKind::CLASS,
        ItemKind::Type | ItemKind::DataType => lsp::CompletionItemKind::STRUCT,
        ItemKind::Function => lsp::CompletionItemKind::FUNCTION,
        ItemKind::Variable => lsp::CompletionItemKind::VARIABLE,
        ItemKind::Attribute | ItemKind::Key => lsp::CompletionItemKind::PROPERTY,
        ItemKind::Fact => lsp::CompletionItemKind::CONSTANT,
        ItemKind::Resource => lsp::CompletionItemKind::VALUE,
        ItemKind::Module => lsp::CompletionItemKind::MODULE,
        ItemKind::Value => lsp::CompletionItemKind::ENUM_MEMBER,
        ItemKind::Keyword => lsp::CompletionItemKind::KEYWORD,
    }
}

pub(super) fn completion(range: lsp::Range, item: CompletionItem) -> lsp::CompletionItem {
    let markup = |value| {
        lsp::Documentation::MarkupContent(lsp::MarkupContent {
            kind: lsp::MarkupKind::Markdown,
            value,
        })
    };
    lsp::CompletionItem {
        kind: Some(completion_kind(item.kind)),
        detail: (!item.detail.is_empty()).then_some(item.detail),
        documentation: (!item.documentation.is_empty()).then(|| markup(item.documentation)),
        filter_text: Some(item.label.clone()),
        label: item.label,
        text_edit: Some(lsp::CompletionTextEdit::Edit(lsp::TextEdit::new(range, item.insert))),
        ..lsp::CompletionItem::default()
    }
}

pub(super) fn signatures(help: SignatureHelp) -> lsp::SignatureHelp {
    let fits = |params: usize| params > help.argument as usize;
    let active = help.signatures.iter().position(|one| fits(one.params.len())).unwrap_or(0);
    let signature = |one: crate::types::SignatureText| {
        let last = (one.params.len() as u32).saturating_sub(1);
        let param = |label: String| lsp::ParameterInformation {
            label: lsp::ParameterLabel::Simple(label),
            documentation: None,
        };
        lsp::SignatureInformation {
            label: one.label,
            documentation: (!one.documentation.is_empty())
                .then_some(lsp::Documentation::String(one.documentation)),
            active_parameter: (!one.params.is_empty()).then_some(help.argument.min(last)),
            parameters: Some(one.params.into_iter().map(param).collect()),
        }
    };
    lsp::SignatureHelp {
        signatures: help.signatures.into_iter().map(signature).collect(),
        active_signature: Some(active as u32),
        active_parameter: Some(help.argument),
    }
}

/// Edits by file.
#[allow(clippy::mutable_key_type, reason = "the protocol's type has addresses as keys")]
pub(super) fn edits(analysis: &Analysis, edits: Vec<Edit>) -> lsp::WorkspaceEdit {
    let mut changes: HashMap<lsp::Uri, Vec<lsp::TextEdit>> = HashMap::new();
    for edit in edits {
        if let Some(location) = location(analysis, &edit.place) {
            let edit = lsp::TextEdit::new(location.range, edit.text);
            changes.entry(location.uri).or_default().push(edit);
        }
    }
    lsp::WorkspaceEdit { changes: Some(changes), ..lsp::WorkspaceEdit::default() }
}

/// An entry of the call hierarchy.
pub(super) fn call_item(analysis: &Analysis, item: CallItem) -> Option<lsp::CallHierarchyItem> {
    let file = analysis.file(&item.path)?;
    Some(lsp::CallHierarchyItem {
        name: item.name,
        kind: symbol_kind(item.kind),
        tags: None,
        detail: Some(analysis.relative(&item.path).display().to_string()),
        uri: uri::of(&item.path)?,
        range: range(&file.lines, item.range.cover(item.name_range)),
        selection_range: range(&file.lines, item.name_range),
        data: None,
    })
}

/// A use of an entry of the call hierarchy; its places are in the file of the user.
pub(super) fn incoming(
    analysis: &Analysis,
    from: CallItem,
    ranges: &[TextRange],
) -> Option<lsp::CallHierarchyIncomingCall> {
    let lines = &analysis.file(&from.path)?.lines;
    let from_ranges = ranges.iter().map(|place| range(lines, *place)).collect();
    Some(lsp::CallHierarchyIncomingCall { from: call_item(analysis, from)?, from_ranges })
}

/// A use by an entry of the call hierarchy; its places are in the file of that entry.
pub(super) fn outgoing(
    analysis: &Analysis,
    file: &File,
    to: CallItem,
    ranges: &[TextRange],
) -> Option<lsp::CallHierarchyOutgoingCall> {
    let from_ranges = ranges.iter().map(|place| range(&file.lines, *place)).collect();
    Some(lsp::CallHierarchyOutgoingCall { to: call_item(analysis, to)?, from_ranges })
}

/// A text above a line, with the command that shows a plan or without one.
pub(super) fn lens(lines: &Lines, lens: Lens) -> lsp::CodeLens {
    let arguments = lens.plan.map(|node| {
        let uri = uri::of(&lens.place.path);
        vec![serde_json::json!({"node": node, "uri": uri})]
    });
    let command = if arguments.is_some() { plan::PLAN } else { "" };
    let command = lsp::Command { title: lens.text, command: command.into(), arguments };
    lsp::CodeLens { range: range(lines, lens.place.range()), command: Some(command), data: None }
}

pub(super) fn inlay_hint(lines: &Lines, hint: InlayHint) -> lsp::InlayHint {
    lsp::InlayHint {
        position: position(lines, hint.offset),
        label: lsp::InlayHintLabel::String(hint.label),
        kind: hint.is_type.then_some(lsp::InlayHintKind::TYPE),
        text_edits: None,
        tooltip: (!hint.tooltip.is_empty()).then_some(lsp::InlayHintTooltip::String(hint.tooltip)),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

/// A quick fix, with the diagnostics of the editor that it solves.
pub(super) fn action(
    analysis: &Analysis,
    file: &File,
    context: &lsp::CodeActionContext,
    action: Action,
) -> lsp::CodeAction {
    let place = range(&file.lines, action.diagnostic);
    let code = Some(lsp::NumberOrString::String(action.code));
    let solved = context.diagnostics.iter().filter(|d| d.range == place && d.code == code);
    lsp::CodeAction {
        title: action.title,
        kind: Some(lsp::CodeActionKind::QUICKFIX),
        diagnostics: Some(solved.cloned().collect()),
        edit: Some(edits(analysis, action.edits)),
        is_preferred: Some(action.is_fix),
        ..lsp::CodeAction::default()
    }
}

/// Tokens, each relative to the one before.
pub(super) fn tokens(lines: &Lines, tokens: &[Token]) -> Vec<lsp::SemanticToken> {
    let mut last = lsp::Position::default();
    let mut out = Vec::with_capacity(tokens.len());
    for token in tokens {
        let range = range(lines, token.range);
        // The protocol has no tokens of several lines.
        if range.start.line != range.end.line {
            continue;
        }
        let same_line = range.start.line == last.line;
        let column = if same_line { last.character } else { 0 };
        out.push(lsp::SemanticToken {
            delta_line: range.start.line - last.line,
            delta_start: range.start.character - column,
            length: range.end.character - range.start.character,
            token_type: match token.kind {
                TokenKind::Class => 0,
                TokenKind::Type => 1,
                TokenKind::Function => 2,
                TokenKind::Variable => 3,
                TokenKind::Attribute => 4,
            },
            token_modifiers_bitset: u32::from(token.is_definition),
        });
        last = range.start;
    }
    out
}
