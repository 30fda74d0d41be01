//! Interpolated text and heredocs.

use crate::error::{EvalError, EvalResult};
use crate::state::Compiler;
use crate::state::budget::check_length;
use crate::state::frame::Frame;
use crate::syntax::{Expr, ExprId, ExprList};
use crate::validation::heredoc;
use crate::value::Value;
use crate::value::text::write_text;

/// The maximal size of the buffer that is reused, in bytes.
const KEPT: usize = 64 << 10;

impl Compiler<'_> {
    pub(crate) fn eval_concat(&mut self, f: &Frame, parts: ExprList) -> EvalResult {
        let mut out = std::mem::take(&mut self.text_buffer);
        out.clear();
        let written = self.write_parts(f, parts, &mut out);
        let text = written.map(|()| Value::from(out.as_str()));
        if out.capacity() <= KEPT {
            self.text_buffer = out;
        }
        text
    }

    fn write_parts(&mut self, f: &Frame, parts: ExprList, out: &mut String) -> EvalResult<()> {
        for &part in f.program.list(parts) {
            match &f.program[part] {
                Expr::Str(text) => out.push_str(text),
                Expr::Text(inner) => {
                    let value = self.eval(f, *inner)?;
                    self.budget.weigh_new(&value)?;
                    write_text(out, &value);
                }
                _ => {
                    let value = self.eval(f, part)?;
                    write_text(out, &value);
                }
            }
            check_length(out.len())?;
        }
        Ok(())
    }

    pub(crate) fn eval_text(&mut self, f: &Frame, inner: ExprId) -> EvalResult {
        let value = self.eval(f, inner)?;
        let mut out = String::new();
        write_text(&mut out, &value);
        Ok(Value::from(out))
    }

    /// The text of a heredoc. The syntax of text without interpolation was checked by the parser.
    pub(crate) fn eval_heredoc(&mut self, f: &Frame, syntax: &str, text: ExprId) -> EvalResult {
        let value = self.eval(f, text)?;
        if !syntax.is_empty()
            && !matches!(f.program[text], Expr::Str(_))
            && let Value::Str(produced) = &value
            && let Some(problem) = heredoc::embedded(syntax, produced)
        {
            let span = f.program.span(text);
            return Err(EvalError::new(problem.issue, problem.message, span).into());
        }
        Ok(value)
    }
}
