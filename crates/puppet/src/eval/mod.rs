//! Evaluation: from a program and a node to values and a catalog. Each construct has a file.

pub mod access;
pub mod arithmetic;
pub mod calls;
mod closures;
pub mod collect;
pub mod control;
pub(crate) mod deferred_calls;
pub mod epp;
pub mod erb;
pub mod interface;
pub(crate) mod invariants;
mod members;
pub mod models;
mod node_values;
pub mod relations;
pub mod resources;
mod ruby_numbers;
mod signatures;
pub mod strings;
pub mod type_definitions;
pub mod type_names;
pub mod variables;

use std::sync::Arc;

use ecow::EcoString;

pub use crate::state::frame::STACK_SIZE;
pub use crate::state::log::{LogEntry, LogLevel};
pub use crate::state::settings::Settings;
pub use crate::state::used::{Branch, UsedCode};
pub use ordain_graph::language::Strict;

use crate::error::{Blame, EvalError, EvalResult, PlainError, UnknownName, Unwind};
use crate::eval::ruby_numbers::{is_for_ruby, is_ruby_number};
use crate::load::literal_part::given_part;
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::syntax::{BinaryOp, CallForm, Expr, ExprId, ExprList, Program};
use crate::types::refusal::answered;
use crate::validation::label;
use crate::value::compare;
use crate::value::{HashValue, Value};

impl Compiler<'_> {
    /// Evaluates an expression. An error without a place gets the place of the expression.
    ///
    /// # Errors
    /// Of the expression, and the jumps `next`, `return` and `break`.
    pub fn eval(&mut self, f: &Frame, id: ExprId) -> EvalResult {
        self.step(f, id, |c| c.eval_node(f, id))
    }

    /// Evaluates one expression, within the limits of the compile.
    #[inline]
    fn step<T>(
        &mut self,
        f: &Frame,
        id: ExprId,
        work: impl FnOnce(&mut Self) -> EvalResult<T>,
    ) -> EvalResult<T> {
        if self.budget.is_too_deep() {
            return Err(self.error(f, id, "RUNTIME_ERROR", "stack level too deep"));
        }
        if let Err(exceeded) = self.budget.steps.take(1) {
            return Err(self.error(f, id, "RUNTIME_ERROR", exceeded.to_string()));
        }
        self.budget.depth += 1;
        let result = work(self);
        self.budget.depth -= 1;
        match result {
            Err(unwind) if matches!(*unwind, Unwind::Plain(_)) => Err(self.locate(f, id, unwind)),
            other => other,
        }
    }

    fn eval_node(&mut self, f: &Frame, id: ExprId) -> EvalResult {
        let program = &f.program;
        match &program[id] {
            Expr::Nop | Expr::Undef => Ok(Value::Undef),
            Expr::Default => Ok(Value::Default),
            Expr::Bool(b) => Ok(Value::Bool(*b)),
            Expr::Int { value, .. } => Ok(Value::Int(*value)),
            Expr::Float(x) => Ok(Value::Float(*x)),
            Expr::Str(s) | Expr::Name(s) => Ok(Value::Str(s.clone())),
            Expr::Ref(name) => self.eval_type_name(f, id, name),
            Expr::Regex(source) => Ok(self.regex(f, id, source)),
            Expr::Var(name) => self.eval_variable(f, id, name),
            Expr::Concat(parts) => {
                self.eval_concat(f, *parts).inspect(|v| self.budget.charge_result(v))
            }
            Expr::Text(inner) => self.eval_text(f, *inner),
            Expr::Heredoc { syntax, text } => self.eval_heredoc(f, syntax, *text),
            Expr::List(items) => Ok(Value::Array(Arc::new(self.eval_items(f, *items)?))),
            Expr::Hash(entries) => self.eval_hash(f, id, *entries),
            Expr::Access(parts) => self.eval_access(f, id, *parts),
            Expr::Binary { op, left, right } => self
                .eval_binary(f, id, *op, *left, *right)
                .inspect(|v| self.budget.charge_result(v)),
            Expr::And(l, r) => {
                Ok(Value::Bool(self.eval(f, *l)?.is_true() && self.eval(f, *r)?.is_true()))
            }
            Expr::Or(l, r) => {
                Ok(Value::Bool(self.eval(f, *l)?.is_true() || self.eval(f, *r)?.is_true()))
            }
            Expr::Not(e) => Ok(Value::Bool(!self.eval(f, *e)?.is_true())),
            Expr::Minus(e) => self.eval_minus(f, *e),
            Expr::Splat(e) => self.eval_splat(f, *e),
            Expr::Paren(e) => self.eval(f, *e),
            Expr::Assign { op, left, right } => self.eval_assign(f, id, *op, *left, *right),
            Expr::Relation { arrow, left, right } => {
                self.eval_relation(f, id, *arrow, *left, *right)
            }
            Expr::Block(statements) => self.eval_block(f, *statements),
            Expr::If(test, then, other) => self.eval_if(f, *test, *then, *other, true),
            Expr::Unless(test, then, other) => self.eval_if(f, *test, *then, *other, false),
            Expr::Case(test, options) => self.eval_case(f, *test, *options),
            Expr::Selector(test, options) => self.eval_selector(f, id, *test, *options),
            Expr::Call(call) => {
                self.eval_call(f, id, program.call(*call)).inspect(|v| self.budget.charge_result(v))
            }
            Expr::Dot(left, right) => {
                self.eval_dot(f, id, *left, *right).inspect(|v| self.budget.charge_result(v))
            }
            Expr::Lambda(_) => Err(PlainError::new("a lambda is no value").into()),
            _ => self.eval_declaration(f, id),
        }
    }

    /// Evaluates expressions that declare resources or write a template.
    fn eval_declaration(&mut self, f: &Frame, id: ExprId) -> EvalResult {
        match &f.program[id] {
            Expr::Resource { form, kind, bodies } => {
                self.eval_resource(f, id, *form, *kind, *bodies)
            }
            Expr::ResourceDefaults { kind, attributes, .. } => {
                self.eval_resource_defaults(f, id, *kind, *attributes)
            }
            Expr::ResourceOverride { resources, attributes, .. } => {
                self.eval_resource_override(f, id, *resources, *attributes)
            }
            Expr::Collect { exported, kind, query, attributes } => {
                self.eval_collect(f, id, *exported, *kind, *query, *attributes)
            }
            Expr::Definition(_) => Ok(Value::Undef),
            Expr::Invariant { title, body } => self.eval_invariant(f, id, *title, *body),
            Expr::Epp { params, body, .. } => self.eval_epp_program(f, *params, *body),
            Expr::RenderText(text) => {
                self.render_text(text);
                self.budget.steps.charge(1 + text.len() as u64 / 16);
                Ok(Value::Undef)
            }
            Expr::Render(e) => self.eval_render(f, *e),
            // Definitions have no value, and error nodes are not code.
            _ => Err(self.error(f, id, "SYNTAX_ERROR", "Syntax error")),
        }
    }

    fn eval_items(&mut self, f: &Frame, items: ExprList) -> EvalResult<Vec<Value>> {
        let items = f.program.list(items);
        let mut out = Vec::with_capacity(items.len());
        for &item in items {
            let mut bare = item;
            while let Expr::Paren(inner) = f.program[bare] {
                bare = inner;
            }
            if let Expr::Splat(inner) = f.program[bare] {
                out.extend(self.eval_unfolded(f, inner)?);
            } else {
                out.push(self.eval(f, item)?);
            }
        }
        Ok(out)
    }

    fn eval_hash(&mut self, f: &Frame, id: ExprId, entries: ExprList) -> EvalResult {
        let entries = f.program.list(entries);
        let mut out = HashValue::with_capacity_and_hasher(entries.len() / 2, Default::default());
        for pair in entries.chunks_exact(2) {
            let key = self.eval(f, pair[0])?;
            let value = self.eval(f, pair[1])?;
            out.insert(key, value);
        }
        let _ = id;
        Ok(Value::Hash(Arc::new(out)))
    }

    fn eval_splat(&mut self, f: &Frame, inner: ExprId) -> EvalResult {
        Ok(Value::array(self.eval_unfolded(f, inner)?))
    }

    /// The items that a splat expands to.
    pub(crate) fn eval_unfolded(&mut self, f: &Frame, inner: ExprId) -> EvalResult<Vec<Value>> {
        Ok(match self.eval(f, inner)? {
            Value::Array(items) => items.to_vec(),
            Value::Hash(entries) => {
                entries.iter().map(|(k, v)| Value::array([k.clone(), v.clone()])).collect()
            }
            Value::Iterator(iterator) => iterator.items.clone(),
            Value::Undef => Vec::new(),
            other => vec![other],
        })
    }

    fn eval_minus(&mut self, f: &Frame, operand: ExprId) -> EvalResult {
        let value = self.eval(f, operand)?;
        if is_ruby_number(&value) {
            return self.negate_in_ruby(&value, f.program.span(operand));
        }
        let outcome = arithmetic::negate(&value, self.settings.strict)?;
        Ok(self.outcome_value(f, operand, outcome))
    }

    fn eval_binary(
        &mut self,
        f: &Frame,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> EvalResult {
        let l = self.eval(f, left)?;
        let r = self.eval(f, right)?;
        match op {
            BinaryOp::Eq
            | BinaryOp::NotEq
            | BinaryOp::Less
            | BinaryOp::LessEq
            | BinaryOp::Greater
            | BinaryOp::GreaterEq => {
                if is_ruby_number(&l) || is_ruby_number(&r) {
                    let answer = self.compare_in_ruby(op, &l, &r, f.program.span(id))?;
                    if let Some(answer) = answer {
                        return Ok(Value::Bool(answer));
                    }
                }
                compare::compare(op, &l, &r).map(Value::Bool)
            }
            BinaryOp::Match | BinaryOp::NotMatch => {
                let outcome = answered(|| compare::matches(&l, &r))??;
                let matched = outcome.matched;
                self.set_matches(f.scope, outcome.groups);
                Ok(Value::Bool(matched == (op == BinaryOp::Match)))
            }
            BinaryOp::In => {
                self.budget.charge_search(&r);
                let outcome = answered(|| compare::contains(&l, &r))?;
                self.set_matches(f.scope, outcome.groups);
                Ok(Value::Bool(outcome.matched))
            }
            _ if is_for_ruby(&l, &r) => {
                let outcome = self.ruby_arithmetic(op, &l, &r, f.program.span(id))?;
                Ok(self.outcome_value(f, id, outcome))
            }
            _ => {
                let outcome = arithmetic::binary(op, &l, &r, self.settings.strict)?;
                Ok(self.outcome_value(f, id, outcome))
            }
        }
    }

    /// The value of an outcome; its warnings are logged.
    pub(crate) fn outcome_value(
        &mut self,
        f: &Frame,
        id: ExprId,
        outcome: arithmetic::Outcome,
    ) -> Value {
        for warning in outcome.warnings {
            self.warn_at(warning, f.program.span(id));
        }
        outcome.value
    }

    fn regex(&mut self, f: &Frame, id: ExprId, source: &EcoString) -> Value {
        Value::Regexp(self.programs.regex(&f.program, id, source))
    }

    /// An error at an expression.
    pub(crate) fn error(
        &self,
        f: &Frame,
        id: ExprId,
        issue: &'static str,
        message: impl Into<String>,
    ) -> Box<Unwind> {
        EvalError::new(issue, message, f.program.span(id)).into()
    }

    /// Gives an error the place of an expression if it has none. An error without an issue code is
    /// wrapped.
    #[allow(clippy::boxed_local, reason = "errors travel boxed, so that results stay small")]
    pub(crate) fn locate(&self, f: &Frame, id: ExprId, unwind: Box<Unwind>) -> Box<Unwind> {
        match *unwind {
            Unwind::Plain(error) => {
                let is_wrapped = error.issue.is_none();
                let given = given_part(&f.program, id, &error.path);
                let is_part = !error.path.is_empty();
                let part = match is_part && !is_wrapped {
                    true => given,
                    false => blamed(&f.program, id, error.blame),
                };
                let span = f.program.span(part);
                let name = || Some(f.program.span(unknown_name(&f.program, id, &error)?));
                let focus = match is_part && is_wrapped {
                    true => Some(f.program.span(given)),
                    false => name(),
                };
                let focus = focus.map(|span| (span, String::new()));
                let mut located = match error.issue {
                    Some(issue) => EvalError::new(issue, error.message, span),
                    None => {
                        let what = label::a_an(&label::label(&f.program, id));
                        let mut text = format!("Error while evaluating {what}, ");
                        let prefix = text.len();
                        text.push_str(&error.message);
                        EvalError { prefix, ..EvalError::new("RUNTIME_ERROR", text, span) }
                    }
                };
                located.help.extend(error.help);
                (located.related, located.focus) = (error.related, error.focus.or(focus));
                located.into()
            }
            other => Box::new(other),
        }
    }
}

/// The part of an expression that spells the unknown name of an error.
fn unknown_name(program: &Program, id: ExprId, error: &PlainError) -> Option<ExprId> {
    match &program[id] {
        Expr::Call(call) if error.issue == Some("UNKNOWN_FUNCTION") => {
            let call = program.call(*call);
            (call.form != CallForm::Method).then_some(call.callee)
        }
        Expr::Call(call) => {
            let Some(UnknownName::IncludedClass(class)) = &error.unknown else { return None };
            literal(program, program.list(program.call(*call).args), class)
        }
        Expr::Resource { kind, bodies, .. } => match error.unknown.as_ref()? {
            UnknownName::ResourceType | UnknownName::RubyType => Some(*kind),
            UnknownName::DeclaredClass(class) => {
                let titles = program.bodies(*bodies).iter().map(|body| body.title);
                literal(program, &titles.collect::<Vec<_>>(), class)
            }
            UnknownName::IncludedClass(_) => None,
        },
        _ => None,
    }
}

/// The literal text among these expressions, and in lists among them, that is the name.
fn literal(program: &Program, among: &[ExprId], name: &str) -> Option<ExprId> {
    among.iter().copied().find_map(|id| match &program[id] {
        Expr::Str(text) | Expr::Name(text) => {
            text.trim_start_matches("::").eq_ignore_ascii_case(name).then_some(id)
        }
        Expr::List(items) => literal(program, program.list(*items), name),
        _ => None,
    })
}

/// The part of an expression that an error is about.
fn blamed(program: &Program, id: ExprId, blame: Blame) -> ExprId {
    match (&program[id], blame) {
        (Expr::Binary { left, .. }, Blame::Left) => *left,
        (Expr::Binary { right, .. }, Blame::Right) => *right,
        (Expr::Access(parts), Blame::Left) => program.list(*parts)[0],
        (Expr::Access(parts), Blame::Key(i)) => {
            program.list(*parts).get(i + 1).copied().unwrap_or(id)
        }
        (Expr::Minus(operand), Blame::Left | Blame::Right) => *operand,
        _ => id,
    }
}
