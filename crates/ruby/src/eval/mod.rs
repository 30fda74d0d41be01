//! Evaluation of trees, one file per construct.
//!
//! Steps, memory and stack are limited; the use of the stack is measured.

pub(crate) mod args;
mod assign;
mod block;
mod call;
mod control;
pub(crate) mod error;
pub(crate) mod interp;
mod iterate;
mod literals;
mod matching;
mod operators;
mod text;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::budget;

use crate::host::Host;
use crate::syntax::{Block, Expr, Kind, Program};
use crate::value::{Env, Foreign, MethodFrame, Proc, ProcBody, Text, Value};
use args::Args;
use error::{Error, Eval, Unwind};
use interp::Library;

pub use interp::Limits;
pub(crate) use interp::{Defined, Frame, Interp};
pub(crate) use operators::arithmetic;

/// Evaluates a program and returns its output.
pub(crate) fn run(
    program: &Program,
    host: &mut dyn Host,
    library: &'static dyn Library,
    limits: &mut Limits,
    capacity: usize,
) -> Result<EcoString, Error> {
    let mut interp = Interp::new(host, library, limits);
    interp.out =
        Rc::new(Text { text: RefCell::new(EcoString::with_capacity(capacity)), ..Text::default() });
    interp.ivars = vec![None; program.ivars.len()];
    interp.ivar_names = program.ivars.clone();
    let frame = Frame {
        env: Env::new(program.locals, None),
        method: Rc::new(MethodFrame { id: 0, block: None, is_method: false }),
        home: 0,
    };
    let result = interp.eval(&frame, &program.body);
    interp.end(limits);
    match result {
        Ok(_) => Ok(interp.out.get()),
        Err(unwind) => Err(interp.outcome(*unwind)),
    }
}

/// The call of a method of a file.
pub(crate) struct MethodCall<'c> {
    /// The methods that the file defines.
    pub defined: &'c Defined,
    /// The parameters and the body of the method.
    pub body: &'c Block,
    pub args: Vec<Value>,
    /// The block of the call, a value of the host.
    pub block: Option<Rc<Foreign>>,
    /// Whether string literals are frozen.
    pub frozen_literals: bool,
}

/// Calls a method of a file.
pub(crate) fn call_method(
    call: MethodCall<'_>,
    host: &mut dyn Host,
    library: &'static dyn Library,
    limits: &mut Limits,
) -> Result<Value, Error> {
    let mut interp = Interp::new(host, library, limits);
    interp.defined.clone_from(call.defined);
    interp.frozen_literals = call.frozen_literals;
    let block = call
        .block
        .map(|foreign| Rc::new(Proc { body: ProcBody::Foreign(foreign), is_lambda: false }));
    let args = Args { list: call.args, block, has_keywords: false };
    let result = interp.call_body(call.body, args);
    interp.end(limits);
    result.map_err(|unwind| interp.outcome(*unwind))
}

impl Interp<'_> {
    /// Evaluates an expression.
    pub(crate) fn eval(&mut self, f: &Frame, expr: &Expr) -> Eval {
        if self.steps == 0 {
            self.line = expr.line;
            return self.limit("too many steps");
        }
        if budget::check().is_err() {
            self.line = expr.line;
            return self.limit("too much memory");
        }
        self.steps -= 1;
        match &expr.kind {
            Kind::Nil => Ok(Value::Nil),
            Kind::True => Ok(Value::Bool(true)),
            Kind::False => Ok(Value::Bool(false)),
            Kind::Int(i) => Ok(Value::Int(*i)),
            Kind::Float(x) => Ok(Value::Float(*x)),
            Kind::Str(text) => {
                let text = text.clone();
                let value = self.text(text)?;
                Ok(if self.frozen_literals { value.frozen() } else { value })
            }
            Kind::Symbol(name) => Ok(Value::Symbol(name.clone())),
            Kind::SelfValue => Ok(Value::Main),
            Kind::Local(slot) => Ok(f.env.get(*slot)),
            Kind::Instance(n) => Ok(self.instance(*n)),
            Kind::Text(text) => self.print(text),
            Kind::Sequence(all) => self.sequence(f, all),
            Kind::Output => Ok(Value::Str(Rc::clone(&self.out))),
            _ => self.eval_compound(f, expr),
        }
    }

    fn eval_compound(&mut self, f: &Frame, expr: &Expr) -> Eval {
        self.check_stack()?;
        let line = expr.line;
        match &expr.kind {
            Kind::Emit(inner) => self.emit(f, inner),
            Kind::Call(call) => self.eval_call(f, call, line),
            Kind::Binary(op, left, right) => self.binary(f, *op, left, right, line),
            Kind::And(left, right) => {
                let left = self.eval(f, left)?;
                if left.truthy() { self.eval(f, right) } else { Ok(left) }
            }
            Kind::Or(left, right) => {
                let left = self.eval(f, left)?;
                if left.truthy() { Ok(left) } else { self.eval(f, right) }
            }
            Kind::Not(inner) => Ok(Value::Bool(!self.eval(f, inner)?.truthy())),
            Kind::If { condition, then, otherwise } => {
                if self.eval(f, condition)?.truthy() {
                    return self.eval(f, then);
                }
                otherwise.as_ref().map_or(Ok(Value::Nil), |e| self.eval(f, e))
            }
            Kind::While { condition, body, until, body_first } => {
                self.while_loop(f, condition, body, *until, *body_first)
            }
            Kind::For { target, items, body } => self.for_loop(f, target, items, body, line),
            Kind::Case(case) => self.case(f, case),
            Kind::Begin(begin) => self.begin(f, begin),
            Kind::Assign(target, value) => self.eval_assign(f, target, value),
            Kind::OpAssign(target, op, value) => self.op_assign(f, target, *op, value, line),
            Kind::Yield(args) => self.eval_yield(f, args, line),
            Kind::Return(value) => {
                let value = self.optional(f, value.as_deref())?;
                Err(Box::new(Unwind::Return(f.method.id, value)))
            }
            Kind::Break(value) => {
                let value = self.optional(f, value.as_deref())?;
                Err(Box::new(Unwind::Break(f.home, value)))
            }
            Kind::Next(value) => {
                let value = self.optional(f, value.as_deref())?;
                Err(Box::new(Unwind::Next(value)))
            }
            Kind::Retry => Err(Box::new(Unwind::Retry)),
            Kind::Define(define) => {
                self.defined.insert(define.name.clone(), Arc::clone(define));
                Ok(Value::Symbol(define.name.clone()))
            }
            Kind::Lambda(block) => Ok(self.make_lambda(f, block)),
            Kind::Splat(inner) => {
                let items = self.splat(f, inner)?;
                self.list(items)
            }
            _ => self.literal(f, expr),
        }
    }

    fn optional(&mut self, f: &Frame, value: Option<&Expr>) -> Eval {
        value.map_or(Ok(Value::Nil), |value| self.eval(f, value))
    }

    fn sequence(&mut self, f: &Frame, all: &[Expr]) -> Eval {
        let mut last = Value::Nil;
        for expr in all {
            last = self.eval(f, expr)?;
        }
        Ok(last)
    }

    fn print(&mut self, text: &str) -> Eval {
        self.charge(text.len())?;
        self.out.text.borrow_mut().push_str(text);
        Ok(Value::Nil)
    }

    /// `<%= … %>`
    fn emit(&mut self, f: &Frame, inner: &Expr) -> Eval {
        let value = self.eval(f, inner)?;
        if let Value::Str(text) = &value {
            let length = text.text.borrow().len();
            self.charge(length)?;
            if Rc::ptr_eq(text, &self.out) {
                let copy = text.get();
                self.out.text.borrow_mut().push_str(&copy);
            } else {
                self.out.text.borrow_mut().push_str(&text.text.borrow());
            }
            return Ok(Value::Nil);
        }
        self.line = inner.line;
        let text = self.display(&value)?;
        self.print(&text)
    }
}
