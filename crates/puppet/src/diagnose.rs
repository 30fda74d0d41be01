//! Errors of the evaluation as diagnostics.

use crate::error::EvalError;
use crate::state::Compiler;
use crate::syntax::advice::advise;
use crate::syntax::code_of;
use ordain_source::{Diagnostic, Severity, Span};

/// The diagnostics of an error: one, or all errors of a file that does not parse.
pub(crate) fn diagnose(compiler: &Compiler<'_>, error: &EvalError) -> Vec<Diagnostic> {
    if !error.diagnostics.is_empty() {
        return error.diagnostics.clone();
    }
    let issue = error.issue.as_deref().unwrap_or("");
    let code = match error.code {
        Some(code) => code.to_string(),
        None if issue.is_empty() => "puppet::catalog".to_string(),
        None => code_of(issue),
    };
    let mut out = Diagnostic::new(Severity::Error, code, error.message.clone());
    if !issue.is_empty() {
        out = out.issue(issue.to_string());
    }
    if let Some(span) = error.span {
        out = out.at(span);
    }
    let begins_it = |span: &Span| {
        error.span.is_some_and(|s| s.file == span.file && s.range.start == span.range.start)
    };
    if let Some((span, _)) =
        error.focus.as_ref().filter(|(span, text)| text.is_empty() && begins_it(span))
    {
        out = out.at(*span);
    } else if let Some((span, text)) = &error.focus {
        out = out.move_to(*span, text.clone());
        // Shows the expression that failed, unless it surrounds the focus or is data.
        let asking = error.span.filter(|asking| {
            let is_around =
                asking.range.start <= span.range.start && asking.range.end >= span.range.end;
            let source = compiler.env.sources.file(asking.file);
            let is_data = source.path.extension().is_some_and(|e| e == "yaml" || e == "json");
            error.is_asking && !is_data && (asking.file != span.file || !is_around)
        });
        if let Some(asking) = asking {
            out = out.related(asking, "asked for here");
        }
    }
    for (span, text) in &error.related {
        out = out.related(*span, text.clone());
    }
    for help in &error.help {
        out = out.help(help.clone());
    }
    let file = error.span.map(|span| compiler.env.sources.file(span.file));
    vec![advise(out, file.as_deref().map(|f| f.text.as_ref()))]
}
