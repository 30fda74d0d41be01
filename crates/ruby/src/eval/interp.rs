//! The state of an evaluation: limits, instance variables and methods.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::budget::{scaled, scaled_size};
use rustc_hash::FxHashMap;

use super::args::Args;
use super::error::{Error, Eval, Unwind};
use crate::class::Class;
use crate::host::Host;
use crate::stack;
use crate::syntax::{Define, Slot};
use crate::value::{Env, Exception, MatchData, MethodFrame, Text, Value};

/// The limits of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of expressions and iterations.
    pub steps: u64,
    /// The maximum number of allocated bytes in total.
    pub memory: usize,
    /// The maximum stack use in bytes.
    pub stack: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: scaled(6_000_000), memory: scaled_size(128 << 20), stack: 1 << 20 }
    }
}

/// The methods that a program defines.
pub(crate) type Defined = FxHashMap<EcoString, Arc<Define>>;

/// A program being evaluated.
pub(crate) struct Interp<'h> {
    pub host: &'h mut dyn Host,
    /// The methods of the built-in classes.
    pub library: &'static dyn Library,
    pub out: Rc<Text>,
    pub line: u32,
    /// `$~`
    pub last_match: Option<Rc<MatchData>>,
    /// `$!`
    pub last_error: Option<Rc<Exception>>,
    pub globals: FxHashMap<EcoString, Value>,
    pub(crate) defined: Defined,
    /// Whether string literals are frozen.
    pub(super) frozen_literals: bool,
    pub(super) ivars: Vec<Option<Value>>,
    pub(super) ivar_names: Vec<EcoString>,
    /// The variables that blocks capture. They are cleared at the end, because they may reference
    /// each other.
    captured: Vec<Weak<Env>>,
    next_id: u64,
    pub(super) steps: u64,
    memory: usize,
    base: usize,
    stack: usize,
}

/// The context of an expression.
#[derive(Clone)]
pub(crate) struct Frame {
    pub env: Rc<Env>,
    pub method: Rc<MethodFrame>,
    /// The call that got this block.
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
        // Dropping the old value may clear another environment, so this one must not be borrowed.
        drop(vars);
        drop(old);
    }
}

impl<'h> Interp<'h> {
    pub(super) fn new(
        host: &'h mut dyn Host,
        library: &'static dyn Library,
        limits: &Limits,
    ) -> Self {
        Self {
            host,
            library,
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

    /// Breaks reference cycles and stores the number of remaining steps.
    pub(super) fn end(&mut self, limits: &mut Limits) {
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
    pub(super) fn outcome(&self, unwind: Unwind) -> Error {
        let exception = |class: Class, message: &str| {
            let message = message.into();
            let line = self.line;
            let (class_name, host_error) = (None, None);
            Error::Exception(Rc::new(Exception { class, class_name, message, line, host_error }))
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
        self.raise_named(class, None, message.into())
    }

    /// An exception here, whose class may have a name of the host.
    pub(crate) fn raise_named(
        &self,
        class: Class,
        class_name: Option<EcoString>,
        message: EcoString,
    ) -> Box<Unwind> {
        let line = self.line;
        let exception = Exception { class, class_name, message, line, host_error: None };
        Box::new(Unwind::Raise(Rc::new(exception)))
    }

    pub(crate) fn unsupported<T>(&self, what: impl Into<String>) -> Eval<T> {
        Err(Box::new(Unwind::Unsupported { what: what.into(), line: self.line }))
    }

    pub(crate) fn limit<T>(&self, what: &'static str) -> Eval<T> {
        Err(Box::new(Unwind::Limit { what, line: self.line }))
    }

    /// The number of remaining steps.
    pub(crate) fn steps_left(&self) -> u64 {
        self.steps
    }

    /// Counts steps.
    pub(crate) fn steps(&mut self, n: usize) -> Eval<()> {
        match self.steps.checked_sub(n as u64) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => self.limit("too many steps"),
        }
    }

    /// Counts allocated bytes.
    pub(crate) fn charge(&mut self, bytes: usize) -> Eval<()> {
        match self.memory.checked_sub(bytes) {
            Some(left) => {
                self.memory = left;
                Ok(())
            }
            None => self.limit("too much memory"),
        }
    }

    /// Counts allocated items.
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

    /// Allocates a text.
    pub(crate) fn text(&mut self, text: impl Into<EcoString>) -> Eval {
        let text = text.into();
        self.charge(text.len())?;
        Ok(Value::str(text))
    }

    /// Allocates an array.
    pub(crate) fn list(&mut self, items: Vec<Value>) -> Eval {
        /// The bytes of a list without its items.
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

    /// `@name`. The host is asked for it once.
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

pub(crate) type Body = fn(&mut Interp<'_>, &Value, &mut Args) -> Eval;

/// A method.
pub(crate) struct Method {
    pub name: &'static str,
    pub min: u8,
    /// `None`: any number.
    pub max: Option<u8>,
    /// Whether it returns an enumerator if it gets no block.
    pub enumerates: bool,
    pub body: Body,
}

/// A method with its minimum and maximum number of arguments; -1 means any number.
pub(crate) const fn m(name: &'static str, min: u8, max: i8, body: Body) -> Method {
    let max = if max < 0 { None } else { Some(max as u8) };
    Method { name, min, max, enumerates: false, body }
}

/// A method that returns an enumerator if it gets no block.
pub(crate) const fn e(name: &'static str, min: u8, max: i8, body: Body) -> Method {
    let max = if max < 0 { None } else { Some(max as u8) };
    Method { name, min, max, enumerates: true, body }
}

/// The methods of the built-in classes. The evaluator gets them through this trait, because the
/// tables are in a higher module.
pub(crate) trait Library: Sync {
    /// The method of a class.
    fn method(&self, class: Class, name: &str) -> Option<&'static Method>;

    /// The function of this name, such as `sprintf`: a private method of everything.
    fn function(&self, name: &str) -> Option<&'static Method>;

    /// The method of a class itself, such as `File.basename`.
    fn class_method(&self, class: Class, name: &str) -> Option<&'static Method>;

    /// Whether Ruby has a method that the tables lack.
    fn is_missing(&self, receiver: &Value, name: &str) -> bool;

    /// Whether Ruby has a function that the tables lack.
    fn is_missing_function(&self, name: &str) -> bool;
}
