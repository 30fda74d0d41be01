//! Operators of numbers that only exist in the `ruby` process.

use ordain_source::Span;
use serde_json::json;

use crate::error::EvalResult;
use crate::plugins::state::Callee;
use crate::state::Compiler;
use crate::value::Value;

/// The result of an operation.
pub(crate) enum RubyAnswer {
    /// Its value.
    Value(Value),
    /// The left operand has no such operator.
    NoMethod,
    /// A division by zero.
    ZeroDivision,
}

impl Compiler<'_> {
    /// Applies an operator to a number in the process.
    ///
    /// # Errors
    /// Exceptions of Ruby.
    pub(crate) fn ask_ruby_number(
        &mut self,
        operator: &str,
        left: &Value,
        right: Option<&Value>,
        span: Span,
    ) -> EvalResult<RubyAnswer> {
        let what = format!("operator '{operator}'");
        let callee = Callee { what: &what, place: "Ruby" };
        self.with_ruby(callee, span, |this| {
            let operands: Vec<_> =
                [Some(left), right].into_iter().flatten().map(|v| this.pack_value(v)).collect();
            let answer = this.converse(callee, span, json!(["operate", operator, operands]))?;
            Ok(match answer[0].as_str() {
                Some("value") => RubyAnswer::Value(this.unpack_value(&answer[1])?),
                Some("zero") => RubyAnswer::ZeroDivision,
                _ => RubyAnswer::NoMethod,
            })
        })
    }
}
