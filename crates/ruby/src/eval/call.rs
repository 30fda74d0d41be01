//! Calls: receiver, arguments, block, and the choice of the method.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;

use super::args::Args;
use super::error::{Eval, Unwind};
use super::interp::Method;
use super::{Frame, Interp};
use crate::class::Class;
use crate::host::{BlockCall, HostError};
use crate::syntax::{Block, BlockArg, Call, Define, Expr, Kind};
use crate::value::{Enumerator, Env, Exception, Foreign, MethodFrame, Proc, ProcBody, Value};

impl Interp<'_> {
    pub(super) fn eval_call(&mut self, f: &Frame, call: &Call, line: u32) -> Eval {
        let receiver = match &call.receiver {
            None => None,
            Some(receiver) => {
                let receiver = self.eval(f, receiver)?;
                if call.safe && receiver.is_nil() {
                    return Ok(Value::Nil);
                }
                Some(receiver)
            }
        };
        let mut args = self.eval_args(f, call)?;
        let mut home = 0;
        match &call.block {
            BlockArg::None => {}
            BlockArg::Literal(block) => {
                home = self.fresh_id();
                let body = ProcBody::Block {
                    block: Arc::clone(block),
                    env: Rc::clone(&f.env),
                    method: Rc::clone(&f.method),
                    home,
                };
                args.block = Some(Rc::new(Proc { body, is_lambda: false }));
            }
            BlockArg::Pass(expr) => {
                let value = self.eval(f, expr)?;
                args.block = self.block_of(&value)?;
            }
            BlockArg::Forward => args.block = f.method.block.clone(),
        }
        self.line = line;
        let result = match &receiver {
            None => self.call_self(f, call, args),
            Some(Value::Main) => self.call_function(&call.name, args, false),
            Some(receiver) => self.dispatch(receiver, &call.name, args),
        };
        match result {
            Err(unwind) if home != 0 => match *unwind {
                Unwind::Break(to, value) if to == home => Ok(value),
                other => Err(Box::new(other)),
            },
            result => result,
        }
    }

    fn eval_args(&mut self, f: &Frame, call: &Call) -> Eval<Args> {
        let mut args = Args::default();
        if call.args.is_empty() {
            return Ok(args);
        }
        if !call.has_special {
            args.list.reserve(call.args.len());
            for arg in &call.args {
                args.list.push(self.eval(f, arg)?);
            }
            return Ok(args);
        }
        args.list = self.values(f, &call.args)?;
        if let Some(Expr { kind: Kind::Hash(hash), .. }) = call.args.last()
            && !hash.braces
        {
            args.has_keywords = true;
            if matches!(args.list.last(), Some(Value::Hash(hash)) if hash.len() == 0) {
                args.list.pop();
                args.has_keywords = false;
            }
        }
        Ok(args)
    }

    /// The block for `&value`.
    fn block_of(&mut self, value: &Value) -> Eval<Option<Rc<Proc>>> {
        let body = match value {
            Value::Nil => return Ok(None),
            Value::Proc(proc) => return Ok(Some(Rc::clone(proc))),
            Value::Symbol(name) => ProcBody::Symbol(name.clone()),
            other => {
                let class = self.class_name(other);
                let text = format!("wrong argument type {class} (expected Proc)");
                return self.raise(Class::TYPE_ERROR, text);
            }
        };
        Ok(Some(Rc::new(Proc { body, is_lambda: true })))
    }

    fn call_self(&mut self, f: &Frame, call: &Call, mut args: Args) -> Eval {
        match call.name.as_str() {
            "block_given?" => return Ok(Value::Bool(f.method.block.is_some())),
            "binding" | "local_variables" | "eval" | "__method__" => {
                return self.unsupported(format!("`{}'", call.name));
            }
            "proc" | "lambda" => {
                if let Some(proc) = args.block.take() {
                    self.capture(&f.env);
                    return Ok(Value::Proc(proc));
                }
            }
            _ => {}
        }
        self.call_function(&call.name, args, call.is_bare)
    }

    /// Calls a method of `self`.
    pub(crate) fn call_function(&mut self, name: &EcoString, args: Args, is_bare: bool) -> Eval {
        if let Some(define) = self.defined.get(name) {
            let define = Arc::clone(define);
            return self.call_defined(&define, args);
        }
        if args.block.is_none()
            && let Some(value) = self.call_host(None, name, &args.list)?
        {
            return Ok(value);
        }
        if let Some(method) =
            self.library.function(name).or_else(|| self.library.method(Class::OBJECT, name))
        {
            return self.invoke(method, &Value::Main, args);
        }
        let is_beyond = self.library.is_missing_function(name)
            || self.library.is_missing(&Value::Main, name)
            || args.block.is_some()
            || self.host.has_other_methods();
        if is_beyond {
            return self.unsupported(format!("`{name}'"));
        }
        let owner = self.host.self_name();
        if is_bare {
            let text = format!("undefined local variable or method `{name}' for {owner}");
            return self.raise(Class::NAME_ERROR, text);
        }
        self.raise(Class::NO_METHOD_ERROR, format!("undefined method `{name}' for {owner}"))
    }

    fn call_host(
        &mut self,
        receiver: Option<&Foreign>,
        name: &str,
        args: &[Value],
    ) -> Eval<Option<Value>> {
        self.host.at_line(self.line);
        let result = self.host.call(receiver, name, args);
        self.of_host(result)
    }

    /// The answer of the host, with its errors as exceptions.
    fn of_host<T>(&self, result: Result<T, HostError>) -> Eval<T> {
        match result {
            Ok(value) => Ok(value),
            Err(HostError::Raise { class, message, number }) => {
                let exception = Exception {
                    class: Class::HOST_ERROR,
                    class_name: Some(class),
                    message,
                    line: self.line,
                    host_error: number,
                };
                Err(Box::new(Unwind::Raise(Rc::new(exception))))
            }
            Err(HostError::Unsupported(what)) => self.unsupported(what),
            Err(HostError::Abort(error)) => Err(Box::new(Unwind::Host { error, line: self.line })),
        }
    }

    /// Calls a method of a value.
    pub(crate) fn dispatch(&mut self, receiver: &Value, name: &EcoString, args: Args) -> Eval {
        self.steps(1)?;
        match receiver {
            Value::Class(class) => {
                if let Some(method) = self.library.class_method(*class, name) {
                    return self.invoke(method, receiver, args);
                }
                if args.block.is_none() {
                    let result = self.host.call_class(class.name(), name, &args.list);
                    if let Some(value) = self.of_host(result)? {
                        return Ok(value);
                    }
                }
            }
            Value::Foreign(foreign) => {
                if let Some(value) = self.call_foreign(foreign, name, &args)? {
                    return Ok(value);
                }
            }
            _ => {}
        }
        if let Some(method) = self.library.method(receiver.class(), name) {
            return self.invoke(method, receiver, args);
        }
        self.no_method(receiver, name)
    }

    /// Calls a method of a value of the host, if it exists.
    fn call_foreign(&mut self, foreign: &Foreign, name: &str, args: &Args) -> Eval<Option<Value>> {
        let Some(block) = &args.block else {
            return self.call_host(Some(foreign), name, &args.list);
        };
        let begun = self.host.call_with_block(foreign, name, &args.list);
        match self.of_host(begun)? {
            None => Ok(None),
            Some(BlockCall::Done(value)) => Ok(Some(value)),
            Some(BlockCall::Yield(values)) => {
                let given = self.call_block(block, &values)?;
                let result = self.host.end_block_call(foreign, name, &args.list, given);
                self.of_host(result).map(Some)
            }
        }
    }

    /// Calls a method of a value, without a block.
    pub(crate) fn send(&mut self, receiver: &Value, name: &str, list: Vec<Value>) -> Eval {
        let args = Args { list, ..Args::default() };
        self.dispatch(receiver, &name.into(), args)
    }

    /// The error for a missing method.
    pub(crate) fn no_method(&mut self, receiver: &Value, name: &str) -> Eval {
        // Classes may have methods that the interpreter does not know.
        if matches!(receiver, Value::Class(_)) || self.library.is_missing(receiver, name) {
            let class = self.class_name(receiver);
            return self.unsupported(format!("the method `{name}' of {class}"));
        }
        let owner = self.describe(receiver);
        if self.library.function(name).is_some() || self.library.is_missing_function(name) {
            let text = format!("private method `{name}' called for {owner}");
            return self.raise(Class::NO_METHOD_ERROR, text);
        }
        self.raise(Class::NO_METHOD_ERROR, format!("undefined method `{name}' for {owner}"))
    }

    fn invoke(&mut self, method: &'static Method, receiver: &Value, mut args: Args) -> Eval {
        let given = args.list.len();
        if given < usize::from(method.min) || method.max.is_some_and(|max| given > usize::from(max))
        {
            return self.wrong_count(given, usize::from(method.min), method.max.map(usize::from));
        }
        if method.enumerates && args.block.is_none() {
            let enumerator = Enumerator {
                receiver: receiver.clone(),
                method: method.name.into(),
                args: args.list,
            };
            return Ok(Value::Enumerator(Rc::new(enumerator)));
        }
        (method.body)(self, receiver, &mut args)
    }

    pub(crate) fn wrong_count(&self, given: usize, min: usize, max: Option<usize>) -> Eval {
        let expected = match max {
            Some(max) if max == min => format!("{min}"),
            Some(max) => format!("{min}..{max}"),
            None => format!("{min}+"),
        };
        let text = format!("wrong number of arguments (given {given}, expected {expected})");
        self.raise(Class::ARGUMENT_ERROR, text)
    }

    /// Calls a method that the program defines.
    fn call_defined(&mut self, define: &Define, args: Args) -> Eval {
        self.call_body(&define.block, args)
    }

    /// Calls a method by its parameters and body.
    pub(super) fn call_body(&mut self, body: &Block, args: Args) -> Eval {
        self.check_stack()?;
        self.steps(1)?;
        let id = self.fresh_id();
        let method = MethodFrame { id, block: args.block.clone(), is_method: true };
        let frame = Frame { env: Env::new(body.locals, None), method: Rc::new(method), home: id };
        self.bind(&frame, body, args, true)?;
        match self.eval(&frame, &body.body) {
            Err(unwind) => match *unwind {
                Unwind::Return(to, value) if to == id => Ok(value),
                other => Err(Box::new(other)),
            },
            result => result,
        }
    }

    pub(super) fn eval_yield(&mut self, f: &Frame, args: &[Expr], line: u32) -> Eval {
        let values = self.values(f, args)?;
        self.line = line;
        match f.method.block.clone() {
            Some(block) => self.call_block(&block, &values),
            None => self.raise(Class::LOCAL_JUMP_ERROR, "no block given (yield)"),
        }
    }

    /// Whether a value has a method.
    pub(crate) fn responds(&mut self, value: &Value, name: &str, with_private: bool) -> Eval<bool> {
        let known = match value {
            Value::Class(class) => self.library.class_method(*class, name).is_some(),
            Value::Foreign(foreign) => self.host_responds(Some(foreign), name),
            Value::Main => self.defined.contains_key(name) || self.host_responds(None, name),
            _ => false,
        };
        let known = known
            || self.library.method(value.class(), name).is_some()
            || self.library.is_missing(value, name) && !matches!(value, Value::Foreign(_));
        Ok(known || with_private && self.library.function(name).is_some())
    }

    /// Whether the host has a method.
    pub(crate) fn host_responds(&mut self, receiver: Option<&Foreign>, name: &str) -> bool {
        let args = [Value::symbol(name)];
        matches!(self.host.call(receiver, "respond_to?", &args), Ok(Some(Value::Bool(true))))
    }
}
