//! The code that is evaluated, and how deep it may nest.

use crate::error::{EvalError, Unwind};
use crate::syntax::Program;
use crate::value::closure::ScopeId;
use ordain_source::{FileId, Span, TextRange};
use std::sync::Arc;

/// The maximal nesting of expressions. Compiles run on threads whose stack is large enough for it.
pub(crate) const MAX_DEPTH: u32 = 24_000;

/// The stack size of a thread for `MAX_DEPTH`. The system only backs used pages with memory.
pub const STACK_SIZE: usize = 1 << 30;

/// The code that is being evaluated and the scope it sees.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The program with the code.
    pub program: Arc<Program>,
    /// The scope.
    pub scope: ScopeId,
}

/// The error of a jump without a target.
pub(crate) fn misplaced(jump: &str, span: Span) -> Box<Unwind> {
    let text = format!("{jump}() from context where this is illegal");
    EvalError { is_jump: true, ..EvalError::without_issue(text, span) }.into()
}

/// The error of an evaluation that ended here, where a jump has no target.
#[allow(clippy::boxed_local, reason = "errors travel boxed, so that results stay small")]
pub fn final_error(unwind: Box<Unwind>) -> EvalError {
    let nowhere = Span { file: FileId(0), range: TextRange::default() };
    let unwind = match *unwind {
        Unwind::Next(_, span) => misplaced("next", span),
        Unwind::Return(_, span) => misplaced("return", span),
        Unwind::Break(span) => misplaced("break", span),
        other => Box::new(other),
    };
    match *unwind {
        Unwind::Error(error) => error,
        Unwind::Plain(error) => {
            let mut out = EvalError::new("", error.message, nowhere);
            out.issue = error.issue.map(Into::into);
            out.span = None;
            out.help.extend(error.help);
            (out.related, out.focus) = (error.related, error.focus);
            out
        }
        _ => EvalError::new("RUNTIME_ERROR", "jump from context where this is illegal", nowhere),
    }
}
