//! Blocks of Ruby code as arguments of Puppet functions, such as `call_function('map', list) { …
//! }`.
//!
//! A function takes a lambda of Puppet code. So a lambda is made that calls the block through a
//! function that no other code can call.

use std::path::Path;
use std::sync::Arc;

use ordain_source::Span;
use serde_json::{Value as Json, json};

use crate::error::{EvalResult, plain};
use crate::plugins::state::Callee;
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::Frame;
use crate::syntax::Expr;
use crate::value::Value;
use crate::value::closure::{Closure, ScopeId};

/// The function that lambdas for Ruby blocks call.
pub(crate) const RUBY_BLOCK: &str = "ruby_block_of_ordain";

/// The maximal number of parameters of a block that is represented exactly.
const MAX_PARAMS: i64 = 16;

impl Compiler<'_> {
    /// The lambda for a block of Ruby code.
    pub(super) fn ruby_block(
        &mut self,
        number: u64,
        arity: Option<&Json>,
        scope: ScopeId,
    ) -> EvalResult<Arc<Closure>> {
        let arity = arity.and_then(Json::as_i64).unwrap_or(-1);
        let arity = if (0..=MAX_PARAMS).contains(&arity) { arity } else { -1 };
        let program = match self.ruby.blocks.get(&(number, arity)) {
            Some(program) => Arc::clone(program),
            None => {
                let names: Vec<String> = (0..arity).map(|i| format!("$p{i}")).collect();
                let (params, args) = match arity {
                    -1 => ("*$rest".to_owned(), "$rest".to_owned()),
                    _ => (names.join(", "), format!("[{}]", names.join(", "))),
                };
                let code = format!("with() |{params}| {{ {RUBY_BLOCK}({number}, {args}) }}");
                let program = Arc::clone(&self.env.parse_code(Path::new(""), &code).program);
                self.ruby.blocks.insert((number, arity), Arc::clone(&program));
                program
            }
        };
        let lambda = match &program[program.body] {
            Expr::Call(call) => program.call(*call).lambda,
            _ => None,
        };
        let f = Frame { program: Arc::clone(&program), scope };
        match lambda {
            Some(lambda) => self.closure(&f, lambda),
            None => plain("a Ruby block cannot be given to this function"),
        }
    }

    /// Calls the block of Ruby code behind a lambda.
    pub(crate) fn call_ruby_block(
        &mut self,
        args: &[Value],
        (scope, span): (ScopeId, Span),
    ) -> EvalResult {
        let (Some(Value::Int(number)), Some(given), true) =
            (args.first(), args.get(1).and_then(Value::as_array), self.ruby.session.is_some())
        else {
            return plain(format!("Unknown function: '{RUBY_BLOCK}'."));
        };
        let callee = Callee { what: "a block of Ruby code", place: "Ruby" };
        self.with_shared_values(|this| {
            let (base, given) = this.share(given, scope);
            let answer = this.converse(callee, span, json!(["block", number, base, given]))?;
            this.unpack_value(&answer)
        })
    }
}
