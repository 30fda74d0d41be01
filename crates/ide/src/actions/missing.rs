//! A missing comma or colon. The parser decides: a sign is proposed if it can read more with it.

use std::path::Path;

use ordain_inmanta::syntax::ast::Ast;
use ordain_mcl::Edition;
use ordain_puppet::syntax;
use ordain_source::{Diagnostic, FileId, Severity, SourceMap, TextRange};

use super::change::Change;
use crate::file::File;
use crate::language::Language;
use crate::words::{self, scan};

/// The signs that are tried.
const SIGNS: [&str; 3] = [",", ":", " =>"];

/// The sign whose absence is the cause of a syntax error.
pub(super) fn sign(file: &File, found: &Diagnostic) -> Option<Change> {
    let is_syntax = found.code.ends_with("::syntax-error") || found.code.ends_with("::syntax");
    let reported = found.peer_span().filter(|_| is_syntax)?.range.start;
    let shown = found.primary.as_ref()?.span.range.end;
    let old = errors(file.language?, &file.path, &file.text)?;
    let before = code_end(file.language?, file.text.get(..reported as usize)?);
    let places = [before, shown as usize];
    let tried = SIGNS.iter().flat_map(|sign| places.iter().map(move |at| (*sign, *at)));
    for (sign, at) in tried {
        let (head, tail) = file.text.split_at_checked(at)?;
        let new = errors(file.language?, &file.path, &format!("{head}{sign}{tail}"))?;
        if is_better(&new, &old, sign.len() as u32) {
            let range = TextRange::new(at as u32, at as u32);
            let title = format!("Insert `{}`", sign.trim());
            return Some(Change { title, range, text: sign.to_owned() });
        }
    }
    None
}

/// Whether a text with a further sign has fewer errors, or reads on behind the first one.
fn is_better(new: &[u32], old: &[u32], length: u32) -> bool {
    let is_later = || match (new.first(), old.first()) {
        (Some(new), Some(old)) => *new > old + length && !is_near(*new, *old),
        _ => false,
    };
    new.len() < old.len() || new.len() == old.len() && is_later()
}

/// Whether an error has only moved by the sign and the next token.
fn is_near(new: u32, old: u32) -> bool {
    new < old + 8
}

/// The end of the code in a text, without comments behind it.
fn code_end(language: Language, text: &str) -> usize {
    let style = match language {
        Language::Mcl => words::mcl::STYLE,
        Language::Inmanta => words::inmanta::STYLE,
        _ => scan::PUPPET,
    };
    let mut end = 0;
    scan::scan(text, style, |token| {
        if token.kind != scan::Kind::Comment {
            end = token.range.end as usize;
        }
    });
    end
}

/// The places of the syntax errors of a text, or of the first one.
fn errors(language: Language, path: &Path, text: &str) -> Option<Vec<u32>> {
    match language {
        Language::Puppet => {
            let parsed = match path.extension().is_some_and(|end| end == "epp") {
                true => syntax::parse_epp(FileId(0), text),
                false => syntax::parse(FileId(0), text),
            };
            let errors = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            Some(errors.filter_map(|d| Some(d.peer_span()?.range.start)).collect())
        }
        Language::Mcl => {
            let error = ordain_mcl::syntax::parse(text, Edition::Wide).err();
            Some(error.into_iter().map(|error| error.range.start).collect())
        }
        Language::Inmanta => {
            let parsed =
                ordain_inmanta::syntax::parse(&mut Ast::default(), text, 0, &mut Vec::new());
            let Err(error) = parsed else { return Some(Vec::new()) };
            let sources = SourceMap::new();
            sources.add("", text);
            let found = ordain_inmanta::diagnostics::errors(&error, &sources);
            Some(found.iter().filter_map(|d| Some(d.peer_span()?.range.start)).collect())
        }
        Language::Erb | Language::Data | Language::Dynaml => None,
    }
}
