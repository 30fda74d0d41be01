//! Converts errors and warnings to diagnostics.

use ordain_source::{Diagnostic, FileId, SourceFile, SourceMap, Span, TextRange};

use super::class::Class;
use super::codes::code;
use super::error::{Error, Fault};
use super::hints::with_hints;
use super::warning::{Lint, Warning};
use crate::location::Location;

/// The span of a place. For a whole line, leading and trailing blanks are left out.
pub(crate) fn span(at: Location, sources: &SourceMap) -> Option<Span> {
    if at.file == u32::MAX || at.line == 0 {
        return None;
    }
    let id = FileId(at.file);
    let file = sources.file(id);
    let start = offset(&file, at.line)?;
    let text = file.line_text(at.line);
    let within = |text: &str, column: u32| {
        text.char_indices().nth(column.saturating_sub(1) as usize).map_or(text.len(), |(i, _)| i)
    };
    let (from, to) = if at.is_range() {
        let end_start = offset(&file, at.end_line)?;
        let end = end_start + within(file.line_text(at.end_line), at.end_column) as u32;
        (start + within(text, at.column) as u32, end)
    } else {
        let blanks = text.len() - text.trim_start().len();
        (start + blanks as u32, start + text.trim_end().len().max(blanks) as u32)
    };
    Some(Span { file: id, range: TextRange::new(from, to.max(from)) })
}

/// The offset of a line.
fn offset(file: &SourceFile, line: u32) -> Option<u32> {
    let text = file.line_text(line);
    let base = file.text.as_ptr().addr();
    let at = text.as_ptr().addr();
    let end = file.text.len() as u32;
    match at >= base && at <= base + file.text.len() {
        true => Some((at - base) as u32),
        // The line after the last one begins at the end of the file.
        false => (line >= file.line(end)).then_some(end),
    }
}

/// The innermost cause, which is the actual fault.
fn root(error: &Error) -> &Error {
    let mut error = error;
    while let (true, Some(cause)) = (error.class != Class::Multi, error.causes.first()) {
        error = cause;
    }
    error
}

/// The focus of the error or of one of its causes.
fn focus(error: &Error) -> Option<&(Location, String)> {
    let own = error.background.as_ref().and_then(|background| background.focus.as_ref());
    own.or_else(|| error.causes.first().and_then(focus))
}

/// The attribute that an entity lacks, if the statement names it once.
fn attribute_within(error: &Error, place: Span, sources: &SourceMap) -> Option<Span> {
    let Some(Fault::UnknownAttribute(name)) = &error.fault else { return None };
    let name = name.as_str();
    let file = sources.file(place.file);
    let text = file.text.get(place.range.start as usize..place.range.end as usize)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found = text.match_indices(name).filter(|(at, _)| {
        text[..*at].ends_with('.') && !text[at + name.len()..].starts_with(is_word)
    });
    let (at, _) = found.next().filter(|_| found.clone().next().is_none())?;
    let start = place.range.start + at as u32;
    Some(TextRange::new(start, start + name.len() as u32).in_file(place.file))
}

/// Converts an error to diagnostics; several for a combined error.
pub fn errors(error: &Error, sources: &SourceMap) -> Vec<Diagnostic> {
    if error.class == Class::Multi {
        return error.causes.iter().flat_map(|cause| errors(cause, sources)).collect();
    }
    let cause = root(error);
    let mut message = cause.message.trim_end().to_owned();
    if let Some(python) = &cause.python {
        message = match cause.class {
            Class::Python => python.clone(),
            _ => format!("{message}: {python}"),
        };
    }
    let mut out = Diagnostic::error(code(cause.class), message).issue(error.class.name());
    let place = cause.location.or(error.location).and_then(|at| span(at, sources));
    if let Some(place) = place {
        out = out.at(place);
    }
    if let Some(other) = cause.other.and_then(|at| span(at, sources)) {
        out = out.related(other, "the other one");
    }
    // The outer place adds nothing if the focus names the attribute.
    if !std::ptr::eq(cause, error)
        && focus(error).is_none()
        && let Some(outer) = error.location.and_then(|at| span(at, sources))
        && Some(outer) != place
    {
        out = out.related(outer, error.message.clone());
    }
    if cause.class == Class::Parser
        && let Some(place) = place
    {
        out = with_hints(out, cause.fault.as_ref(), place, &sources.file(place.file));
    }
    if let Some((at, text)) = focus(error)
        && let Some(found) = span(*at, sources)
    {
        out = out.move_to(found, text.clone());
    } else if let Some(found) = place.and_then(|place| attribute_within(cause, place, sources)) {
        out = out.move_to(found, "");
    }
    if let Some(background) = &cause.background {
        for (at, text) in &background.places {
            if let Some(found) = span(*at, sources) {
                out = out.related(found, text.clone());
            }
        }
        for help in &background.help {
            out = out.help(help.clone());
        }
    }
    vec![out]
}

/// A warning as a diagnostic.
pub fn warning(found: &Warning, sources: &SourceMap) -> Diagnostic {
    let out =
        Diagnostic::warning("inmanta::warning", found.text.clone()).issue(found.class.to_string());
    match found.at.and_then(|at| span(at, sources)) {
        Some(at) => out.at(at),
        None => out,
    }
}

/// A lint as a diagnostic.
pub fn lint(found: &Lint, sources: &SourceMap) -> Diagnostic {
    let out = Diagnostic::warning("inmanta::doubtful", found.text.clone());
    match span(found.at, sources) {
        Some(at) => out.at(at),
        None => out,
    }
}
