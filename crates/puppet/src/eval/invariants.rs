//! `invariant "title" { … }` as a statement.

use crate::catalog::values::kind_text;
use crate::error::{EvalResult, Unwind};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::Frame;
use crate::syntax::{Expr, ExprId};
use crate::value::Value;
use crate::value::text::to_text;

/// The result of a check or an invariant.
pub(crate) enum Verdict {
    /// It is as it should be.
    Accepted,
    /// It does not hold, without a message of its own.
    Refused,
    /// It does not hold; the message comes from the check.
    Because(String),
}

impl Verdict {
    /// The result of a check from its value; `None` if the value is not allowed.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Undef | Value::Bool(true) => Some(Self::Accepted),
            Value::Bool(false) => Some(Self::Refused),
            Value::Str(message) => Some(Self::Because(message.to_string())),
            _ => None,
        }
    }
}

/// The message of a violated invariant without a title.
pub(crate) const UNTITLED: &str = "Illegal invariant";

impl Compiler<'_> {
    pub(super) fn eval_invariant(
        &mut self,
        f: &Frame,
        id: ExprId,
        title: ExprId,
        body: ExprId,
    ) -> EvalResult {
        let value = match f.program[body] {
            Expr::Lambda(_) => {
                let closure = self.closure(f, body)?;
                self.call_closure(&closure, &[])?
            }
            _ => match self.eval(f, body) {
                Err(unwind) => match *unwind {
                    Unwind::Next(value, _) => value,
                    other => return Err(Box::new(other)),
                },
                Ok(value) => value,
            },
        };
        let reason = match Verdict::of(&value) {
            Some(Verdict::Accepted) => return Ok(Value::Undef),
            Some(Verdict::Because(reason)) => reason,
            Some(Verdict::Refused) if matches!(f.program[title], Expr::Nop) => UNTITLED.to_owned(),
            Some(Verdict::Refused) => to_text(&self.eval(f, title)?).to_string(),
            None => {
                let text = format!(
                    "an invariant must return a String, Boolean or undef, got {}",
                    kind_text(&value)
                );
                return Err(self.error(f, id, "TYPE_BAD_CHECK_RESULT", text));
            }
        };
        let within = self.scopes.get(f.scope).resource;
        let within = match self.catalog.resources.get(within.0 as usize) {
            Some(resource) if !(resource.is_class() && resource.title == "main") => {
                format!("{}: ", resource.reference())
            }
            _ => String::new(),
        };
        let text = format!("{within}Invariant failed: {reason}");
        Err(self.error(f, id, "INVARIANT_FAILED", text))
    }
}
