//! The requests of editors, each answered by one question to the analysis.

use std::path::PathBuf;

use lsp_server::{ErrorCode, Request, Response};
use lsp_types as lsp;
use lsp_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare,
    CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest, DocumentLinkRequest,
    DocumentSymbolRequest, FoldingRangeRequest, Formatting, GotoDefinition, HoverRequest,
    InlayHintRequest, PrepareRenameRequest, RangeFormatting, References, Rename, Request as Method,
    SemanticTokensFullRequest, SignatureHelpRequest, WorkspaceSymbolRequest,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::{convert, plan, uri};
use crate::error::Error;
use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::Edit;

/// The command that chooses the node whose values are shown.
pub(super) const CHOOSE_NODE: &str = "ordain.chooseNode";

/// The abilities of the server.
pub(super) fn capabilities() -> lsp::ServerCapabilities {
    let sync = lsp::TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
        save: Some(lsp::TextDocumentSyncSaveOptions::Supported(true)),
        ..lsp::TextDocumentSyncOptions::default()
    };
    let letters = |all: &[&str]| Some(all.iter().map(|c| (*c).to_owned()).collect());
    let tokens = lsp::SemanticTokensOptions {
        legend: lsp::SemanticTokensLegend {
            token_types: convert::TOKEN_TYPES.to_vec(),
            token_modifiers: vec![lsp::SemanticTokenModifier::DEFINITION],
        },
        full: Some(lsp::SemanticTokensFullOptions::Bool(true)),
        ..lsp::SemanticTokensOptions::default()
    };
    lsp::ServerCapabilities {
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: letters(&["$", ":", "'", "[", ".", "{"]),
            ..lsp::CompletionOptions::default()
        }),
        signature_help_provider: Some(lsp::SignatureHelpOptions {
            trigger_characters: letters(&["(", ","]),
            ..lsp::SignatureHelpOptions::default()
        }),
        call_hierarchy_provider: Some(lsp::CallHierarchyServerCapability::Simple(true)),
        code_lens_provider: Some(lsp::CodeLensOptions { resolve_provider: Some(false) }),
        inlay_hint_provider: Some(lsp::OneOf::Left(true)),
        execute_command_provider: Some(lsp::ExecuteCommandOptions {
            commands: vec![CHOOSE_NODE.into(), plan::PLAN.into(), plan::EXPLAIN.into()],
            ..lsp::ExecuteCommandOptions::default()
        }),
        code_action_provider: Some(lsp::CodeActionProviderCapability::Options(
            lsp::CodeActionOptions {
                code_action_kinds: Some(vec![lsp::CodeActionKind::QUICKFIX]),
                ..lsp::CodeActionOptions::default()
            },
        )),
        definition_provider: Some(lsp::OneOf::Left(true)),
        references_provider: Some(lsp::OneOf::Left(true)),
        document_highlight_provider: Some(lsp::OneOf::Left(true)),
        document_symbol_provider: Some(lsp::OneOf::Left(true)),
        workspace_symbol_provider: Some(lsp::OneOf::Left(true)),
        document_formatting_provider: Some(lsp::OneOf::Left(true)),
        document_range_formatting_provider: Some(lsp::OneOf::Left(true)),
        document_link_provider: Some(lsp::DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        }),
        folding_range_provider: Some(lsp::FoldingRangeProviderCapability::Simple(true)),
        rename_provider: Some(lsp::OneOf::Right(lsp::RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        })),
        semantic_tokens_provider: Some(
            lsp::SemanticTokensServerCapabilities::SemanticTokensOptions(tokens),
        ),
        ..lsp::ServerCapabilities::default()
    }
}

/// The answer to a request.
pub(super) fn answer(analysis: &Analysis, request: Request) -> Response {
    let id = request.id.clone();
    let result = match request.method.as_str() {
        Completion::METHOD => with(request, |params: lsp::CompletionParams| {
            completion(analysis, &params.text_document_position)
        }),
        HoverRequest::METHOD => with(request, |params: lsp::HoverParams| {
            at(analysis, &params.text_document_position_params, |file, offset| {
                let hover = analysis.hover(&file.path, offset)?;
                Some(lsp::Hover {
                    contents: lsp::HoverContents::Markup(lsp::MarkupContent {
                        kind: lsp::MarkupKind::Markdown,
                        value: hover.markdown,
                    }),
                    range: Some(convert::range(&file.lines, hover.range)),
                })
            })
        }),
        SignatureHelpRequest::METHOD => with(request, |params: lsp::SignatureHelpParams| {
            at(analysis, &params.text_document_position_params, |file, offset| {
                analysis.signatures(&file.path, offset).map(convert::signatures)
            })
        }),
        GotoDefinition::METHOD => with(request, |params: lsp::GotoDefinitionParams| {
            at(analysis, &params.text_document_position_params, |file, offset| {
                let places = analysis.definitions(&file.path, offset);
                Some(convert::locations(analysis, &places))
            })
        }),
        References::METHOD => with(request, |params: lsp::ReferenceParams| {
            let with_definition = params.context.include_declaration;
            at(analysis, &params.text_document_position, |file, offset| {
                let places = analysis.references(&file.path, offset, with_definition);
                Some(convert::locations(analysis, &places))
            })
        }),
        DocumentHighlightRequest::METHOD => {
            with(request, |params: lsp::DocumentHighlightParams| {
                at(analysis, &params.text_document_position_params, |file, offset| {
                    let ranges = analysis.highlights(&file.path, offset).into_iter();
                    let highlight = |range| lsp::DocumentHighlight {
                        range: convert::range(&file.lines, range),
                        kind: None,
                    };
                    Some(ranges.map(highlight).collect::<Vec<_>>())
                })
            })
        }
        PrepareRenameRequest::METHOD => with(request, |params: lsp::TextDocumentPositionParams| {
            let Some((file, offset)) = place(analysis, &params) else { return Ok(Json::Null) };
            let range = analysis.prepare_rename(&file.path, offset)?;
            json(lsp::PrepareRenameResponse::Range(convert::range(&file.lines, range)))
        }),
        Rename::METHOD => with(request, |params: lsp::RenameParams| {
            let Some((file, offset)) = place(analysis, &params.text_document_position) else {
                return Err(Error::NotRenamable);
            };
            let edits: Vec<Edit> = analysis.rename(&file.path, offset, &params.new_name)?;
            json(convert::edits(analysis, edits))
        }),
        CallHierarchyPrepare::METHOD => with(request, |params: lsp::CallHierarchyPrepareParams| {
            at(analysis, &params.text_document_position_params, |file, offset| {
                let item = analysis.call_item(&file.path, offset)?;
                Some(convert::call_item(analysis, item).into_iter().collect::<Vec<_>>())
            })
        }),
        CallHierarchyIncomingCalls::METHOD => {
            with(request, |params: lsp::CallHierarchyIncomingCallsParams| {
                calls(analysis, &params.item, |file, offset| {
                    let found = analysis.incoming_calls(&file.path, offset).into_iter();
                    let call =
                        |(from, ranges): (_, Vec<_>)| convert::incoming(analysis, from, &ranges);
                    found.filter_map(call).collect::<Vec<_>>()
                })
            })
        }
        CallHierarchyOutgoingCalls::METHOD => {
            with(request, |params: lsp::CallHierarchyOutgoingCallsParams| {
                calls(analysis, &params.item, |file, offset| {
                    let found = analysis.outgoing_calls(&file.path, offset).into_iter();
                    let call =
                        |(to, ranges): (_, Vec<_>)| convert::outgoing(analysis, file, to, &ranges);
                    found.filter_map(call).collect::<Vec<_>>()
                })
            })
        }
        _ => whole_file(analysis, request),
    };
    match result {
        Ok(result) => Response { id, result: Some(result), error: None },
        Err(Error::Protocol(message)) if message.is_empty() => {
            Response::new_err(id, ErrorCode::MethodNotFound as i32, "unknown method".into())
        }
        Err(error @ Error::Protocol(_)) => {
            Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string())
        }
        Err(error) => Response::new_err(id, ErrorCode::RequestFailed as i32, error.to_string()),
    }
}

/// Requests about a file, or about all of them.
fn whole_file(analysis: &Analysis, request: Request) -> Result<Json, Error> {
    match request.method.as_str() {
        DocumentSymbolRequest::METHOD => with(request, |params: lsp::DocumentSymbolParams| {
            of(analysis, &params.text_document, |file| {
                let items = analysis.outline(&file.path).into_iter();
                items.map(|item| convert::symbol(&file.lines, item)).collect::<Vec<_>>()
            })
        }),
        FoldingRangeRequest::METHOD => with(request, |params: lsp::FoldingRangeParams| {
            of(analysis, &params.text_document, |file| {
                let folds = analysis.folds(&file.path).into_iter();
                folds.map(convert::fold).collect::<Vec<_>>()
            })
        }),
        SemanticTokensFullRequest::METHOD => with(request, |params: lsp::SemanticTokensParams| {
            of(analysis, &params.text_document, |file| {
                let data = convert::tokens(&file.lines, &analysis.tokens(&file.path));
                lsp::SemanticTokens { result_id: None, data }
            })
        }),
        DocumentLinkRequest::METHOD => with(request, |params: lsp::DocumentLinkParams| {
            of(analysis, &params.text_document, |file| {
                let link = |link: crate::types::Link| lsp::DocumentLink {
                    range: convert::range(&file.lines, link.range),
                    target: uri::of(&link.path),
                    tooltip: None,
                    data: None,
                };
                analysis.links(&file.path).into_iter().map(link).collect::<Vec<_>>()
            })
        }),
        CodeLensRequest::METHOD => with(request, |params: lsp::CodeLensParams| {
            of(analysis, &params.text_document, |file| {
                let lenses = analysis.lenses(&file.path).into_iter();
                lenses.map(|lens| convert::lens(&file.lines, lens)).collect::<Vec<_>>()
            })
        }),
        InlayHintRequest::METHOD => with(request, |params: lsp::InlayHintParams| {
            of(analysis, &params.text_document, |file| {
                let range = convert::to_range(&file.lines, params.range);
                let hints = analysis.inlay_hints(&file.path, range).into_iter();
                hints.map(|hint| convert::inlay_hint(&file.lines, hint)).collect::<Vec<_>>()
            })
        }),
        CodeActionRequest::METHOD => with(request, |params: lsp::CodeActionParams| {
            of(analysis, &params.text_document, |file| code_actions(analysis, file, &params))
        }),
        Formatting::METHOD => with(request, |params: lsp::DocumentFormattingParams| {
            formatting(analysis, &params.text_document, None)
        }),
        RangeFormatting::METHOD => with(request, |params: lsp::DocumentRangeFormattingParams| {
            formatting(analysis, &params.text_document, Some(params.range))
        }),
        WorkspaceSymbolRequest::METHOD => with(request, |params: lsp::WorkspaceSymbolParams| {
            let found = analysis.symbols(&params.query).into_iter();
            let symbol =
                |(item, path): (_, PathBuf)| convert::workspace_symbol(analysis, item, &path);
            json(found.filter_map(symbol).collect::<Vec<_>>())
        }),
        _ => Err(Error::Protocol(String::new())),
    }
}

fn with<P: DeserializeOwned>(
    request: Request,
    answer: impl FnOnce(P) -> Result<Json, Error>,
) -> Result<Json, Error> {
    let params = serde_json::from_value(request.params);
    answer(params.map_err(|error| Error::Protocol(error.to_string()))?)
}

fn json(value: impl Serialize) -> Result<Json, Error> {
    serde_json::to_value(value).map_err(|error| Error::Protocol(error.to_string()))
}

/// The file and offset of a position; `None` if the file is unknown.
fn place<'a>(
    analysis: &'a Analysis,
    params: &lsp::TextDocumentPositionParams,
) -> Option<(&'a File, u32)> {
    let file = analysis.file(&uri::path(&params.text_document.uri)?)?;
    Some((file, file.lines.offset(convert::from_position(params.position))))
}

/// An answer about a position; `null` if there is none.
fn at<T: Serialize>(
    analysis: &Analysis,
    params: &lsp::TextDocumentPositionParams,
    answer: impl FnOnce(&File, u32) -> Option<T>,
) -> Result<Json, Error> {
    json(place(analysis, params).and_then(|(file, offset)| answer(file, offset)))
}

/// An answer about an entry of the call hierarchy; `null` if its file is unknown.
fn calls<T: Serialize>(
    analysis: &Analysis,
    item: &lsp::CallHierarchyItem,
    answer: impl FnOnce(&File, u32) -> T,
) -> Result<Json, Error> {
    let file = uri::path(&item.uri).and_then(|path| analysis.file(&path));
    let start = convert::from_position(item.selection_range.start);
    json(file.map(|file| answer(file, file.lines.offset(start))))
}

/// An answer about a file; `null` if it is unknown.
fn of<T: Serialize>(
    analysis: &Analysis,
    document: &lsp::TextDocumentIdentifier,
    answer: impl FnOnce(&File) -> T,
) -> Result<Json, Error> {
    let file = uri::path(&document.uri).and_then(|path| analysis.file(&path));
    json(file.map(answer))
}

fn completion(
    analysis: &Analysis,
    params: &lsp::TextDocumentPositionParams,
) -> Result<Json, Error> {
    at(analysis, params, |file, offset| {
        let found = analysis.completions(&file.path, offset);
        let range = convert::range(&file.lines, found.range);
        let items = found.items.into_iter().map(|item| convert::completion(range, item));
        // Proposals depend on the typed text, so the editor has to ask again.
        Some(lsp::CompletionList { is_incomplete: true, items: items.collect() })
    })
}

/// The quick fixes of a range, with the diagnostics that they solve.
fn code_actions(
    analysis: &Analysis,
    file: &File,
    params: &lsp::CodeActionParams,
) -> Vec<lsp::CodeAction> {
    let kinds = params.context.only.iter().flatten();
    let is_wanted = |kind: &lsp::CodeActionKind| {
        kind.as_str().is_empty() || *kind == lsp::CodeActionKind::QUICKFIX
    };
    if params.context.only.is_some() && !kinds.into_iter().any(is_wanted) {
        return Vec::new();
    }
    let range = convert::to_range(&file.lines, params.range);
    let actions = analysis.actions(&file.path, range).into_iter();
    actions.map(|action| convert::action(analysis, file, &params.context, action)).collect()
}

/// One edit that replaces the lines that change, all or those of a range.
fn formatting(
    analysis: &Analysis,
    document: &lsp::TextDocumentIdentifier,
    range: Option<lsp::Range>,
) -> Result<Json, Error> {
    let file = uri::path(&document.uri).and_then(|path| analysis.file(&path));
    let Some(file) = file else { return Ok(Json::Null) };
    let new = match range {
        None => analysis.formatted(&file.path, None)?,
        Some(lsp::Range { start, end }) => {
            // A selection of whole lines ends at the start of the next one.
            let is_whole = end.character == 0 && end.line > start.line;
            let last = end.line - u32::from(is_whole);
            analysis.formatted_lines(&file.path, (start.line, last))?
        }
    };
    let Some(new) = new else { return Ok(Json::Null) };
    if *new == *file.text {
        return json(Vec::<lsp::TextEdit>::new());
    }
    let old: Vec<&str> = file.text.split_inclusive('\n').collect();
    let lines: Vec<&str> = new.split_inclusive('\n').collect();
    let before = old.iter().zip(&lines).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(lines.len()) - before;
    let backward = old.iter().rev().zip(lines.iter().rev());
    let after = backward.take(rest).take_while(|(a, b)| a == b).count();
    let start = file.lines.start(before as u32);
    let end = file.lines.start((old.len() - after) as u32);
    let range = convert::range(&file.lines, ordain_source::TextRange::new(start, end));
    let text = lines[before..lines.len() - after].concat();
    json(vec![lsp::TextEdit::new(range, text)])
}
