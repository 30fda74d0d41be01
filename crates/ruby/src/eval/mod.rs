//! Evaluation: a tree is walked, a file a construct.
//!
//! Everything that a program can make grow has a budget: steps, memory, and the stack, which is
//! measured.

mod assign;
mod block;
mod call;
mod control;
pub(crate) mod error;
mod literals;
mod operators;
mod text;

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::budget::{self, scaled, scaled_size};
use rustc_hash::FxHashMap;

use crate::class::Class;
use crate::host::Host;
use crate::methods::Args;
use crate::stack;
use crate::syntax::{Block, Define, Expr, Kind, Program, Slot};
use crate::value::{
    Env, Exception, Foreign, MatchData, MethodFrame, NativeBlock, Proc, ProcBody, Text, Value,
};
use error::{Error, Eval, Unwind};

pub(crate) use operators::arithmetic;

/// What a program may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many expressions and rounds of loops.
    pub steps: u64,
    /// How many bytes may be made, in all.
    pub memory: usize,
    /// How many bytes of stack.
    pub stack: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: scaled(6_000_000), memory: scaled_size(128 << 20), stack: 1 << 20 }
    }
}

/// The methods a program defined.
pub(crate) type Defined = FxHashMap<EcoString, Arc<Define>>;

/// A program being evaluated.
pub(crate) struct Interp<'h> {
    pub host: &'h mut dyn Host,
    pub out: Rc<Text>,
    pub line: u32,
    /// `$~`
    pub last_match: Option<Rc<MatchData>>,
    /// `$!`
    pub last_error: Option<Rc<Exception>>,
    pub globals: FxHashMap<EcoString, Value>,
    pub(crate) defined: Defined,
    /// Whether literals of texts are frozen.
    frozen_literals: bool,
    ivars: Vec<Option<Value>>,
    ivar_names: Vec<EcoString>,
    /// What blocks hold on to; emptied at the end, because they hold on to each other.
    captured: Vec<Weak<Env>>,
    next_id: u64,
    steps: u64,
    memory: usize,
    base: usize,
    stack: usize,
}

/// Where an expression is evaluated.
#[derive(Clone)]
pub(crate) struct Frame {
    pub env: Rc<Env>,
    pub method: Rc<MethodFrame>,
    /// The call that this block was given to.
    pub home: u64,
}

impl Env {
    pub(crate) fn new(locals: usize, parent: Option<Rc<Env>>) -> Rc<Self> {
        Rc::new(Self { vars: RefCell::new(vec![Value::Nil; locals]), parent })
    }

    fn at(&self, depth: u32) -> &Self {
        let mut env = self;
        for _ in 0..depth {
            let Some(parent) = &env.parent else { break };
            env = parent;
        }
        env
    }

    pub(crate) fn get(&self, slot: Slot) -> Value {
        self.at(slot.depth).vars.borrow().get(slot.index as usize).cloned().unwrap_or_default()
    }

    pub(crate) fn set(&self, slot: Slot, value: Value) {
        let mut vars = self.at(slot.depth).vars.borrow_mut();
        let index = slot.index as usize;
        if index >= vars.len() {
            vars.resize(index + 1, Value::Nil);
        }
        let old = std::mem::replace(&mut vars[index], value);
        // What goes may end in an environment being emptied, so not while this one is borrowed.
        drop(vars);
        drop(old);
    }
}

/// Evaluates a program and gives what it printed.
pub(crate) fn run(
    program: &Program,
    host: &mut dyn Host,
    limits: &mut Limits,
    capacity: usize,
) -> Result<EcoString, Error> {
    let mut interp = Interp::new(host, limits);
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

/// What a method of a file is called with.
pub(crate) struct MethodCall<'c> {
    /// The methods that the file defines.
    pub defined: &'c Defined,
    /// The parameters and the body of the method.
    pub body: &'c Block,
    pub args: Vec<Value>,
    /// The value of the host that stands for the block of the call.
    pub block: Option<Rc<Foreign>>,
    /// Whether literals of texts are frozen.
    pub frozen_literals: bool,
}

/// Calls a method of a file.
pub(crate) fn call_method(
    call: MethodCall<'_>,
    host: &mut dyn Host,
    limits: &mut Limits,
) -> Result<Value, Error> {
    let mut interp = Interp::new(host, limits);
    interp.defined.clone_from(call.defined);
    interp.frozen_literals = call.frozen_literals;
    let block = call.block.map(|foreign| {
        let code: NativeBlock = Box::new(move |interp, args| {
            let name = "call".into();
            let list = args.to_vec();
            interp.dispatch(
                &Value::Foreign(Rc::clone(&foreign)),
                &name,
                Args { list, ..Args::default() },
            )
        });
        Rc::new(Proc { body: ProcBody::Native(code), is_lambda: false })
    });
    let args = Args { list: call.args, block, has_keywords: false };
    let result = interp.call_body(call.body, args);
    interp.end(limits);
    result.map_err(|unwind| interp.outcome(*unwind))
}

impl<'h> Interp<'h> {
    fn new(host: &'h mut dyn Host, limits: &Limits) -> Self {
        Self {
            host,
            out: Rc::default(),
            line: 1,
            last_match: None,
            last_error: None,
            globals: FxHashMap::default(),
            defined: Defined::default(),
            frozen_literals: false,
            ivars: Vec::new(),
            ivar_names: Vec::new(),
            captured: Vec::new(),
            next_id: 1,
            steps: limits.steps,
            memory: limits.memory,
            base: stack::address(),
            stack: limits.stack,
        }
    }

    /// Takes apart what holds on to itself, and says how many steps are left.
    fn end(&mut self, limits: &mut Limits) {
        limits.steps = self.steps;
        for env in std::mem::take(&mut self.captured) {
            if let Some(env) = env.upgrade() {
                let vars = env.vars.take();
                drop(vars);
            }
        }
    }
}

impl Interp<'_> {
    fn outcome(&self, unwind: Unwind) -> Error {
        let exception = |class: Class, message: &str| {
            let message = message.into();
            let line = self.line;
            Error::Exception(Rc::new(Exception { class, class_name: None, message, line }))
        };
        match unwind {
            Unwind::Raise(exception) => Error::Exception(exception),
            Unwind::Unsupported { what, line } => Error::Unsupported { what, line },
            Unwind::Limit { what, line } => Error::Limit { what, line },
            Unwind::Host { error, line } => Error::Host { error, line },
            Unwind::Break(..) => exception(Class::LOCAL_JUMP_ERROR, "break from proc-closure"),
            Unwind::Throw(tag, _) => {
                let text = format!("uncaught throw {}", self.short_inspect(&tag));
                exception(Class::UNCAUGHT_THROW_ERROR, &text)
            }
            Unwind::Return(..) | Unwind::Next(_) | Unwind::Retry => {
                Error::Unsupported { what: "a jump out of the template".into(), line: self.line }
            }
        }
    }

    /// Raises an exception here.
    pub(crate) fn raise<T>(&self, class: Class, message: impl Into<EcoString>) -> Eval<T> {
        Err(self.exception(class, message))
    }

    pub(crate) fn exception(&self, class: Class, message: impl Into<EcoString>) -> Box<Unwind> {
        let message = message.into();
        let exception = Exception { class, class_name: None, message, line: self.line };
        Box::new(Unwind::Raise(Rc::new(exception)))
    }

    pub(crate) fn unsupported<T>(&self, what: impl Into<String>) -> Eval<T> {
        Err(Box::new(Unwind::Unsupported { what: what.into(), line: self.line }))
    }

    pub(crate) fn limit<T>(&self, what: &'static str) -> Eval<T> {
        Err(Box::new(Unwind::Limit { what, line: self.line }))
    }

    /// How many steps may still be taken.
    pub(crate) fn steps_left(&self) -> u64 {
        self.steps
    }

    /// Counts this many steps.
    pub(crate) fn steps(&mut self, n: usize) -> Eval<()> {
        match self.steps.checked_sub(n as u64) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => self.limit("too many steps"),
        }
    }

    /// Counts bytes that are being made.
    pub(crate) fn charge(&mut self, bytes: usize) -> Eval<()> {
        match self.memory.checked_sub(bytes) {
            Some(left) => {
                self.memory = left;
                Ok(())
            }
            None => self.limit("too much memory"),
        }
    }

    /// Counts items that are being made.
    pub(crate) fn charge_items(&mut self, items: usize) -> Eval<()> {
        self.steps(items / 8)?;
        self.charge(items.saturating_mul(size_of::<Value>()))
    }

    pub(crate) fn check_stack(&self) -> Eval<()> {
        if stack::used(self.base) > self.stack {
            return self.raise(Class::SYSTEM_STACK_ERROR, "stack level too deep");
        }
        Ok(())
    }

    pub(crate) fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// A new text that counts.
    pub(crate) fn text(&mut self, text: impl Into<EcoString>) -> Eval {
        let text = text.into();
        self.charge(text.len())?;
        Ok(Value::str(text))
    }

    /// A new array that counts.
    pub(crate) fn list(&mut self, items: Vec<Value>) -> Eval {
        /// What a list takes besides its items.
        const OWN: usize = 64;
        self.charge(OWN)?;
        self.charge_items(items.len())?;
        Ok(Value::array(items))
    }

    pub(crate) fn capture(&mut self, env: &Rc<Env>) {
        if self.captured.len() < 100_000 {
            self.captured.push(Rc::downgrade(env));
        }
    }

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

    /// `@name`, which is asked of the host once.
    pub(crate) fn instance(&mut self, n: u32) -> Value {
        let n = n as usize;
        if let Some(value) = &self.ivars[n] {
            return value.clone();
        }
        let value = self.host.variable(&self.ivar_names[n]).unwrap_or_default();
        self.ivars[n] = Some(value.clone());
        value
    }

    pub(crate) fn set_instance(&mut self, n: u32, value: Value) {
        self.ivars[n as usize] = Some(value);
    }

    /// `@name` by its name.
    pub(crate) fn instance_named(&mut self, name: &str) -> Option<Value> {
        if let Some(n) = self.ivar_names.iter().position(|other| other == name) {
            return Some(self.instance(n as u32));
        }
        let value = self.host.variable(name)?;
        self.ivar_names.push(name.into());
        self.ivars.push(Some(value.clone()));
        Some(value)
    }

    /// Sets `@name` by its name.
    pub(crate) fn set_instance_named(&mut self, name: &str, value: Value) {
        if let Some(n) = self.ivar_names.iter().position(|other| other == name) {
            self.ivars[n] = Some(value);
            return;
        }
        self.ivar_names.push(name.into());
        self.ivars.push(Some(value));
    }

    pub(crate) fn is_instance_set(&mut self, name: &str) -> bool {
        let known = self.ivar_names.iter().position(|other| other == name);
        match known.and_then(|n| self.ivars[n].as_ref()) {
            Some(value) if !value.is_nil() => true,
            _ => self.host.variable(name).is_some(),
        }
    }
}
