//! Blocks, lambdas, and the binding of arguments to parameters.

use std::rc::Rc;
use std::sync::Arc;

use super::args::Args;
use super::error::{Eval, Unwind};
use super::{Frame, Interp};
use crate::class::Class;
use crate::syntax::{Block, ParamTarget, Params, Slot};
use crate::value::{Env, MethodFrame, Proc, ProcBody, Value};

fn slot(index: u32) -> Slot {
    Slot { depth: 0, index }
}

impl Interp<'_> {
    pub(super) fn make_lambda(&mut self, f: &Frame, block: &Arc<Block>) -> Value {
        self.capture(&f.env);
        let body = ProcBody::Block {
            block: Arc::clone(block),
            env: Rc::clone(&f.env),
            method: Rc::clone(&f.method),
            home: 0,
        };
        Value::Proc(Rc::new(Proc { body, is_lambda: true }))
    }

    /// Calls a block with values.
    pub(crate) fn call_block(&mut self, proc: &Proc, values: &[Value]) -> Eval {
        match &proc.body {
            ProcBody::Block { block, env, method, home } if block.is_simple && !proc.is_lambda => {
                self.steps(1)?;
                self.check_stack()?;
                let env = Env::new(block.locals, Some(Rc::clone(env)));
                bind_simple(&env, &block.params, values);
                let frame = Frame { env, method: Rc::clone(method), home: *home };
                finish(self.eval(&frame, &block.body))
            }
            _ => self.call_proc(proc, Args { list: values.to_vec(), ..Args::default() }),
        }
    }

    /// Calls a block with one value.
    pub(crate) fn yield_one(&mut self, proc: &Proc, value: Value) -> Eval {
        self.call_block(proc, &[value])
    }

    /// Calls a block or lambda with arguments.
    pub(crate) fn call_proc(&mut self, proc: &Proc, mut args: Args) -> Eval {
        self.steps(1)?;
        self.check_stack()?;
        match &proc.body {
            ProcBody::Block { block, env, method, home } => {
                let env = Env::new(block.locals, Some(Rc::clone(env)));
                if !proc.is_lambda {
                    let frame = Frame { env, method: Rc::clone(method), home: *home };
                    self.bind(&frame, block, args, false)?;
                    return finish(self.eval(&frame, &block.body));
                }
                let id = self.fresh_id();
                let method =
                    MethodFrame { id, block: method.block.clone(), is_method: method.is_method };
                let frame = Frame { env, method: Rc::new(method), home: id };
                self.bind(&frame, block, args, true)?;
                match finish(self.eval(&frame, &block.body)) {
                    Err(unwind) => match *unwind {
                        Unwind::Return(to, value) | Unwind::Break(to, value) if to == id => {
                            Ok(value)
                        }
                        other => Err(Box::new(other)),
                    },
                    result => result,
                }
            }
            ProcBody::Symbol(name) => {
                if args.list.is_empty() {
                    return self.raise(Class::ARGUMENT_ERROR, "no receiver given");
                }
                let receiver = args.list.remove(0);
                self.dispatch(&receiver, name, args)
            }
            ProcBody::Method(receiver, name) => match receiver {
                Value::Main => self.call_function(name, args, false),
                receiver => self.dispatch(receiver, name, args),
            },
            ProcBody::Foreign(foreign) => {
                let args = Args { list: args.list, ..Args::default() };
                self.dispatch(&Value::Foreign(Rc::clone(foreign)), &"call".into(), args)
            }
            ProcBody::WithObject(block, object) => {
                self.call_block(block, &[as_one(&args.list), object.clone()])
            }
            ProcBody::WithIndex(block, next) => {
                let index = next.get();
                next.set(index + 1);
                self.call_block(block, &[as_one(&args.list), Value::Int(index)])
            }
            ProcBody::Collect(items) => {
                self.charge_items(2)?;
                items.borrow_mut().push(as_one(&args.list));
                Ok(Value::Nil)
            }
        }
    }

    /// Binds arguments to parameters. Methods and lambdas require the right number of arguments.
    pub(super) fn bind(
        &mut self,
        f: &Frame,
        block: &Block,
        args: Args,
        is_strict: bool,
    ) -> Eval<()> {
        let params = &block.params;
        let Args { mut list, block: given_block, has_keywords } = args;
        let wants_keywords = !params.keywords.is_empty() || params.keyword_rest.is_some();
        let keywords = match list.last() {
            Some(Value::Hash(_)) if wants_keywords && (has_keywords || !is_strict) => list.pop(),
            _ => None,
        };
        let fixed = params.required.len() + params.after.len();
        let positional = fixed + params.optional.len();
        if is_strict {
            let most = if params.rest.is_some() { None } else { Some(positional) };
            if list.len() < fixed || most.is_some_and(|most| list.len() > most) {
                self.line = block.line;
                self.wrong_count(list.len(), fixed, most)?;
            }
        } else if let [Value::Array(array)] = list.as_slice()
            && (positional > 1 || positional == 1 && params.rest.is_some() || params.trailing_comma)
        {
            list = array.get();
        }
        self.bind_positional(f, params, list)?;
        self.bind_keywords(f, block, keywords)?;
        if let Some(index) = params.block {
            let value = match given_block {
                Some(proc) => {
                    if let ProcBody::Block { env, .. } = &proc.body {
                        self.capture(env);
                    }
                    self.capture(&f.env);
                    Value::Proc(proc)
                }
                None => Value::Nil,
            };
            f.env.set(slot(index), value);
        }
        Ok(())
    }

    fn bind_positional(&mut self, f: &Frame, params: &Params, list: Vec<Value>) -> Eval<()> {
        let fixed = params.required.len() + params.after.len();
        let mut spare = list.len().saturating_sub(fixed);
        let mut values = list.into_iter();
        for param in &params.required {
            self.bind_target(f, param, values.next().unwrap_or_default())?;
        }
        for (index, default) in &params.optional {
            let value = if spare > 0 {
                spare -= 1;
                values.next().unwrap_or_default()
            } else {
                self.eval(f, default)?
            };
            f.env.set(slot(*index), value);
        }
        if let Some(rest) = params.rest {
            let items: Vec<Value> = values.by_ref().take(spare).collect();
            if let Some(index) = rest {
                let list = self.list(items)?;
                f.env.set(slot(index), list);
            }
        }
        for param in &params.after {
            self.bind_target(f, param, values.next().unwrap_or_default())?;
        }
        Ok(())
    }

    fn bind_target(&mut self, f: &Frame, param: &ParamTarget, value: Value) -> Eval<()> {
        match param {
            ParamTarget::Plain(index) => f.env.set(slot(*index), value),
            ParamTarget::Apart(target) => self.assign(f, target, value)?,
        }
        Ok(())
    }

    fn bind_keywords(&mut self, f: &Frame, block: &Block, given: Option<Value>) -> Eval<()> {
        let params = &block.params;
        if params.keywords.is_empty() && params.keyword_rest.is_none() {
            return Ok(());
        }
        let mut entries = given.and_then(|hash| hash.as_entries()).unwrap_or_default();
        let mut missing = Vec::new();
        for keyword in &params.keywords {
            let at = entries
                .iter()
                .position(|(key, _)| matches!(key, Value::Symbol(name) if *name == keyword.name));
            let value = match (at, &keyword.default) {
                (Some(at), _) => entries.remove(at).1,
                (None, Some(default)) => self.eval(f, default)?,
                (None, None) => {
                    missing.push(format!(":{}", keyword.name));
                    Value::Nil
                }
            };
            f.env.set(slot(keyword.slot), value);
        }
        self.line = if missing.is_empty() { self.line } else { block.line };
        if !missing.is_empty() {
            let s = if missing.len() == 1 { "" } else { "s" };
            let text = format!("missing keyword{s}: {}", missing.join(", "));
            return self.raise(Class::ARGUMENT_ERROR, text);
        }
        match params.keyword_rest {
            Some(Some(index)) => f.env.set(slot(index), Value::hash(entries)),
            Some(None) => {}
            None if !entries.is_empty() => {
                let s = if entries.len() == 1 { "" } else { "s" };
                let names: Vec<_> = entries.iter().map(|(k, _)| self.short_inspect(k)).collect();
                let text = format!("unknown keyword{s}: {}", names.join(", "));
                return self.raise(Class::ARGUMENT_ERROR, text);
            }
            None => {}
        }
        Ok(())
    }
}

/// The values that a block gets, as one value.
fn as_one(values: &[Value]) -> Value {
    match values {
        [one] => one.clone(),
        many => Value::array(many.to_vec()),
    }
}

/// Turns `next` in a block into its value.
fn finish(result: Eval) -> Eval {
    match result {
        Err(unwind) => match *unwind {
            Unwind::Next(value) => Ok(value),
            other => Err(Box::new(other)),
        },
        result => result,
    }
}

/// Binds parameters that are plain names. A single array is spread over several parameters.
fn bind_simple(env: &Env, params: &Params, values: &[Value]) {
    let mut vars = env.vars.borrow_mut();
    let required = &params.required;
    let mut put = |values: &mut dyn Iterator<Item = Value>| {
        for (param, value) in required.iter().zip(values) {
            if let ParamTarget::Plain(index) = param {
                vars[*index as usize] = value;
            }
        }
    };
    match values {
        [Value::Array(array)] if required.len() > 1 || params.trailing_comma => {
            put(&mut array.items.borrow().iter().cloned());
        }
        values => put(&mut values.iter().cloned()),
    }
}
