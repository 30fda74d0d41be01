//! Lambdas: values, calls, currying; and the dispatch to built-in functions.

use std::rc::Rc;

use ecow::EcoString;

use super::evaluator::{Builtin, Call, Env, Evaluator, Implementation, Info};
use super::reference::{Resolved, full_path};
use super::whole::local_name;
use crate::diagnostics::stop::{Eval, OperandOutcome, Stop};
use crate::ids::{InstId, NOWHERE};
use crate::options::Dialect;
use crate::output::lambda::lambda_text;
use crate::syntax::ast::{Arg, Expr, ExprId, LambdaExpr, Param, PathStep, Reference};
use crate::value::{Bound, CallFrame, Callable, Item, Lambda, Names, Scope, Value};

/// The name of `_` in an inline lambda, which no program can use.
pub const INLINE: &str = "_ of the lambda around";

/// The number of frames that are kept for reuse.
const SPARE_FRAMES: usize = 64;

/// An argument of a call: its parameter's name, if given, and its value.
pub type Argument = (Option<EcoString>, Bound);

impl Evaluator<'_> {
    pub(crate) fn lambda_value(
        &mut self,
        lambda: &Rc<LambdaExpr>,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let mut defaults = Vec::new();
        for (at, param) in lambda.params.iter().enumerate() {
            defaults.push(match param.default {
                Some(default) => {
                    let value = self.aside(info, |this, info| this.eval(default, env, info));
                    Some(value.map_err(|stop| self.in_default(lambda, (at, default), stop))?)
                }
                None => None,
            });
        }
        let captured = env.locals.before(&self.instance_scope(env.place));
        Ok(Value::Lambda(Rc::new(Lambda {
            callable: Callable::Body(Rc::clone(lambda)),
            bound: Vec::new(),
            first: Vec::new(),
            defaults,
            captured,
            place: env.place,
        })))
    }

    /// The names around the template that a node belongs to.
    fn instance_scope(&self, place: InstId) -> Scope {
        let mut scope = Scope::default();
        let mut at = place;
        while at != NOWHERE {
            if let Some(found) = self.nodes[at].extra.as_ref().and_then(|e| e.scope.as_ref()) {
                scope = scope.before(found);
            }
            at = self.nodes[at].parent;
        }
        scope
    }

    pub(crate) fn lambda_reference(
        &mut self,
        expr: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        match self.eval(expr, env, info)? {
            value @ Value::Lambda(_) => Ok(value),
            Value::Str(text) => {
                let inner = text.strip_prefix("((").and_then(|t| t.strip_suffix("))"));
                let parsed = self.sources.parse(inner.unwrap_or(&text));
                let parsed = parsed.map_err(|e| {
                    Stop::failed(format!("cannot parse lamba expression '{text}': {}", e.message))
                })?;
                match self.sources.exprs[parsed].clone() {
                    Expr::Lambda(lambda) => self.lambda_value(&lambda, env, info),
                    _ => Err(Stop::failed(format!("'{text}' is no lambda expression"))),
                }
            }
            _ => Err(Stop::failed("lambda reference must resolve to lambda value or string")),
        }
    }

    /// The text a lambda prints as.
    pub fn lambda_text(&self, lambda: &Lambda) -> EcoString {
        lambda_text(&self.sources.exprs, lambda)
    }

    pub(crate) fn call(
        &mut self,
        callee: ExprId,
        args: &[Arg],
        curry: bool,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let lambda = match self.local_lambda(callee, env) {
            Some(lambda) => lambda,
            None => match self.callee(callee, args, curry, env, info)? {
                Callee::Lambda(lambda) => lambda,
                Callee::Called(value) => return Ok(value),
            },
        };
        if !curry && let Some(expr) = is_simple(&lambda, args) {
            let frame = self.positional(&expr.params, args, env, info)?;
            return self.enter(&expr, &lambda, frame, env, info);
        }
        let args = self.arguments(args, env, info)?;
        if curry {
            return self.curry(&lambda, args);
        }
        self.apply(&lambda, args, env, info)
    }

    /// The lambda that a name refers to. A bare name that does not begin with `_` is a built-in
    /// function.
    fn local_lambda(&mut self, callee: ExprId, env: &Env) -> Option<Rc<Lambda>> {
        let Expr::Ref(reference) = &self.sources.exprs[callee] else { return None };
        let name = local_name(reference).filter(|name| name.starts_with('_'))?;
        let Bound::Value(Item { value: Value::Lambda(lambda), .. }) = env.local(name)? else {
            return None;
        };
        let lambda = Rc::clone(lambda);
        self.charge(1);
        Some(lambda)
    }

    /// The called value; a built-in function is called at once.
    #[inline(never)]
    fn callee(
        &mut self,
        callee: ExprId,
        args: &[Arg],
        curry: bool,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Callee> {
        if let Some(name) = self.builtin_name(callee) {
            return self.call_builtin(&name, args, curry, env, info).map(Callee::Called);
        }
        match self.eval(callee, env, info) {
            Ok(Value::Lambda(lambda)) => Ok(Callee::Lambda(lambda)),
            Err(stop @ Stop::Blocked(_)) => {
                // A failing argument is the cause, even while the call waits.
                self.arguments(args, env, info)?;
                Err(match self.options.dialect {
                    Dialect::Spiff => stop,
                    // spiff++ does not name the node that the call waits for.
                    Dialect::SpiffPlusPlus => stop.without_words(),
                })
            }
            Err(stop) => Err(stop),
            Ok(_) => {
                let shown = self.shown(callee);
                Err(Stop::failed(format!(
                    "function call '{shown}' requires function name or lambda value"
                )))
            }
        }
    }

    /// The parameters with the values of the same number of arguments.
    fn positional(
        &mut self,
        params: &[Param],
        args: &[Arg],
        env: &Env,
        info: &mut Info,
    ) -> Eval<CallFrame> {
        let mut waiting = OperandOutcome::default();
        let mut frame = self.spare_frames.pop().unwrap_or_else(CallFrame::new);
        for (param, arg) in params.iter().zip(args) {
            if let Some(number) = self.whole_number(arg.value, env) {
                frame.push(param.name.clone(), Value::Int(number).into());
                continue;
            }
            let value = self.eval(arg.value, env, info);
            if let Some(value) = waiting.take(value)? {
                frame.push(param.name.clone(), value.into());
            }
        }
        waiting.end()?;
        Ok(frame)
    }

    /// The name, if a bare name is called: those are built-in functions.
    fn builtin_name(&self, callee: ExprId) -> Option<EcoString> {
        let Expr::Ref(reference) = &self.sources.exprs[callee] else { return None };
        match &reference.path[..] {
            [PathStep::Key(name)]
                if reference.tag.is_none() && !reference.absolute && !name.starts_with('_') =>
            {
                Some(name.clone())
            }
            _ => None,
        }
    }

    /// Whether this names a function that evaluates its arguments itself.
    pub(crate) fn is_lazy(&self, callee: ExprId) -> bool {
        let name = self.builtin_name(callee);
        name.and_then(|name| self.builtins.get(name.as_str()))
            .is_some_and(|builtin| matches!(builtin.implementation, Implementation::Lazy(_)))
    }

    #[inline(never)]
    fn call_builtin(
        &mut self,
        name: &str,
        args: &[Arg],
        curry: bool,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let builtins = Rc::clone(&self.builtins);
        let Some(builtin) = builtins.get(name) else {
            return Err(Stop::unknown_function(name));
        };
        if args.iter().any(|a| a.name.is_some()) {
            return Err(Stop::failed(format!("no named arguments for builtin function ({name})")));
        }
        match builtin.implementation {
            Implementation::Lazy(_) if curry => {
                Err(Stop::failed(format!("no currying for intrinsic builtin function ({name})")))
            }
            Implementation::Lazy(function) => function(self, args, env, info),
            Implementation::Eager(_) if curry => {
                let first = self.values(args, env, info)?;
                Ok(Value::Lambda(Rc::new(Lambda {
                    callable: Callable::Builtin(name.into()),
                    bound: Vec::new(),
                    first,
                    defaults: Vec::new(),
                    captured: Scope::default(),
                    place: env.place,
                })))
            }
            Implementation::Eager(function) => {
                let undefined = std::mem::take(&mut info.undefined);
                let values = self.values(args, env, info);
                info.undefined |= undefined;
                let values = values?;
                let result = function(&mut Call { ev: self, args: &values, env, info })?;
                self.count_made(&result)?;
                if builtin.is_rewriting {
                    self.pass_on_secrets(&values, &result);
                }
                self.bounded(result)
            }
        }
    }

    /// Marks the result of a rewriting function as secret if its argument is.
    fn pass_on_secrets(&mut self, args: &[Value], result: &Value) {
        if self.secrets.is_empty() {
            return;
        }
        let given = crate::lower::data(&self.sources.exprs, args);
        if given.iter().any(|data| self.secrets.is_in_value(data)) {
            let made = crate::lower::data(&self.sources.exprs, std::slice::from_ref(result));
            made.iter().for_each(|data| self.secrets.add_derived(data));
        }
    }

    fn arguments(&mut self, args: &[Arg], env: &Env, info: &mut Info) -> Eval<Vec<Argument>> {
        if args.iter().all(|a| a.name.is_none()) {
            let values = self.values(args, env, info)?;
            return Ok(values.into_iter().map(|v| (None, v.into())).collect());
        }
        let mut out = Vec::new();
        for arg in args {
            let values = self.values(std::slice::from_ref(arg), env, info)?;
            out.extend(values.into_iter().map(|v| (arg.name.clone(), v.into())));
        }
        Ok(out)
    }

    /// Binds arguments without calling.
    #[inline(never)]
    fn curry(&mut self, lambda: &Lambda, args: Vec<Argument>) -> Eval<Value> {
        let mut next = copy_of(lambda);
        let Callable::Body(expr) = &lambda.callable else {
            for (_, bound) in args {
                if let Bound::Value(item) = bound {
                    next.first.push(item.value);
                }
            }
            return Ok(Value::Lambda(Rc::new(next)));
        };
        let mut free: Vec<EcoString> = expr
            .params
            .iter()
            .map(|p| p.name.clone())
            .filter(|n| !lambda.bound.iter().any(|b| b.0 == *n))
            .collect();
        let mut positional = Vec::new();
        for (name, bound) in args {
            let Bound::Value(item) = bound else { continue };
            match name {
                Some(name) => {
                    let name = self.parameter(expr, &name)?;
                    free.retain(|n| *n != name);
                    next.bound.push((name, item.value));
                }
                None => positional.push(item.value),
            }
        }
        let count = positional.len();
        let open = expr.params.last().is_some_and(|p| free.last() == Some(&p.name));
        if expr.varargs && open && count >= free.len() {
            let rest = positional.split_off(free.len() - 1);
            positional.push(Value::list(rest));
        } else if expr.varargs
            && free.is_empty()
            && let Some((_, Value::List(list))) = next.bound.last_mut()
        {
            let more = positional.drain(..).map(Item::from);
            let items = list.items.iter().cloned().chain(more).collect();
            *list = crate::value::List::new(items, None);
        }
        for (at, value) in positional.into_iter().enumerate() {
            let Some(name) = free.get(at) else {
                return Err(self.arity(expr, lambda, count, free.len()));
            };
            next.bound.push((name.clone(), value));
        }
        Ok(Value::Lambda(Rc::new(next)))
    }

    /// The parameter that a name or number in a call refers to.
    fn parameter(&self, expr: &LambdaExpr, name: &str) -> Eval<EcoString> {
        if let Some(param) = expr.params.iter().find(|p| p.name == name) {
            return Ok(param.name.clone());
        }
        match name.parse::<usize>() {
            Ok(n) => n
                .checked_sub(1)
                .and_then(|n| expr.params.get(n))
                .map(|p| p.name.clone())
                .ok_or_else(|| {
                    Stop::failed(format!(
                        "argument index {n} too large for {} parameters",
                        expr.params.len()
                    ))
                }),
            Err(_) => {
                Err(Stop::failed(format!("no lambda parameter found for named argument {name}")))
            }
        }
    }

    fn arity(&self, expr: &LambdaExpr, lambda: &Lambda, found: usize, expected: usize) -> Stop {
        let _ = lambda;
        let defaults = expr.params.iter().filter(|p| p.default.is_some()).count();
        let optional = defaults + usize::from(expr.varargs);
        let spiff = format!("found {found} argument(s), but expects {expected}");
        if found > expected {
            return Stop::failed(spiff);
        }
        let plus = if optional > 0 {
            let least = expected.saturating_sub(optional);
            format!("expected at least {least} arguments ({optional} optional), but found {found}")
        } else {
            format!("expected {expected} arguments, but found {found}")
        };
        Stop::failed(self.words(&spiff, &plus))
    }

    /// Calls a lambda.
    #[inline(never)]
    pub(crate) fn apply(
        &mut self,
        lambda: &Rc<Lambda>,
        args: Vec<Argument>,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let expr = match &lambda.callable {
            Callable::Builtin(name) => return self.apply_builtin(name, lambda, args, env, info),
            Callable::Body(expr) => Rc::clone(expr),
        };
        let Some(frame) = self.bind(&expr, lambda, args)? else {
            return Err(Stop::silent());
        };
        match frame {
            Frame::Complete(names) => self.enter(&expr, lambda, CallFrame::of(names), env, info),
            Frame::Partial(lambda) => Ok(Value::Lambda(lambda)),
        }
    }

    /// Evaluates the body of a lambda whose parameters all have values.
    fn enter(
        &mut self,
        expr: &LambdaExpr,
        lambda: &Rc<Lambda>,
        frame: CallFrame,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        if self.calls >= self.options.call_depth {
            return Err(Stop::limit("lambda recursion too deep"));
        }
        let captured = &lambda.captured;
        let own = if captured.is_empty() { None } else { captured.get(INLINE).cloned() };
        let own = own.unwrap_or_else(|| Value::Lambda(Rc::clone(lambda)).into());
        let (locals, caller) = frame.enter(own, captured, env.locals.before(&env.caller));
        let inner = Env { place: env.place, merge: lambda.place, locals, caller, element: None };
        self.calls += 1;
        let mut result = self.eval(expr.body, &inner, info);
        self.calls -= 1;
        // In place, to avoid another copy of the result.
        if let Err(stop @ Stop::Failed(_)) = &mut result {
            *stop = self.in_lambda(lambda, &inner, stop.clone());
        }
        if self.spare_frames.len() < SPARE_FRAMES {
            self.spare_frames.extend(CallFrame::leave(inner.locals, inner.caller));
        }
        result
    }

    fn apply_builtin(
        &mut self,
        name: &str,
        lambda: &Lambda,
        args: Vec<Argument>,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let mut values = lambda.first.clone();
        for (_, bound) in args {
            let value = match bound {
                Bound::Value(item) => item.value,
                Bound::Node(id) => self.resolved_value(Resolved::Node(id), || self_path(id))?.value,
            };
            values.push(value);
        }
        let builtins = Rc::clone(&self.builtins);
        match builtins.get(name) {
            Some(Builtin {
                implementation: Implementation::Eager(function), is_rewriting, ..
            }) => {
                let result = function(&mut Call { ev: self, args: &values, env, info })?;
                self.count_made(&result)?;
                if *is_rewriting {
                    self.pass_on_secrets(&values, &result);
                }
                self.bounded(result)
            }
            _ => Err(Stop::unknown_function(name)),
        }
    }

    /// Gives every parameter its argument.
    #[inline(never)]
    fn bind(
        &mut self,
        expr: &Rc<LambdaExpr>,
        lambda: &Rc<Lambda>,
        args: Vec<Argument>,
    ) -> Eval<Option<Frame>> {
        let params = &expr.params;
        let mut slots: Vec<Option<Bound>> = vec![None; params.len()];
        for (name, value) in &lambda.bound {
            if let Some(at) = params.iter().position(|p| p.name == *name) {
                slots[at] = Some(value.clone().into());
            }
        }
        let free = slots.iter().filter(|s| s.is_none()).count();
        let found = args.len();
        let mut positional = Vec::with_capacity(found);
        let mut named = 0;
        for (name, bound) in args {
            match name {
                Some(name) => {
                    let name = self.parameter(expr, &name)?;
                    let at = params.iter().position(|p| p.name == name).unwrap_or(0);
                    if slots[at].is_some() {
                        return Err(Stop::failed(format!(
                            "named argument {name} given by name and index"
                        )));
                    }
                    if expr.varargs && at + 1 == params.len() && !is_list(&bound) {
                        return Err(Stop::failed(format!(
                            "named varargs argument {at} ({name}) must be a list"
                        )));
                    }
                    slots[at] = Some(bound);
                    named += 1;
                }
                None => positional.push(bound),
            }
        }
        let mut rest = positional.into_iter();
        self.fill_slots(expr, &mut slots, &mut rest)?;
        if rest.next().is_some() {
            return Err(self.arity(expr, lambda, found, free));
        }
        self.complete(expr, lambda, slots, named, found, free)
    }

    /// Fills free slots with positional arguments. A variadic parameter takes all remaining ones.
    fn fill_slots(
        &mut self,
        expr: &LambdaExpr,
        slots: &mut [Option<Bound>],
        rest: &mut std::vec::IntoIter<Bound>,
    ) -> Eval<()> {
        let last = expr.params.len().saturating_sub(1);
        for (at, slot) in slots.iter_mut().enumerate() {
            if slot.is_some() {
                continue;
            }
            let default = expr.varargs && at == last && expr.params[at].default.is_some();
            if default && rest.len() == 0 {
                continue;
            }
            if expr.varargs && at == last {
                let mut items = Vec::new();
                for bound in rest.by_ref() {
                    items.push(match bound {
                        Bound::Value(item) => item.value,
                        Bound::Node(id) => {
                            self.resolved_value(Resolved::Node(id), || self_path(id))?.value
                        }
                    });
                }
                *slot = Some(Value::list(items).into());
            } else {
                *slot = rest.next();
            }
        }
        if let (true, Some(Some(Bound::Value(item)))) = (expr.varargs, slots.last_mut())
            && let Value::List(list) = &mut item.value
        {
            let mut items = list.items.clone();
            for bound in rest.by_ref() {
                items.push(self.bound_value(bound)?.into());
            }
            *list = crate::value::List::new(items, None);
        }
        Ok(())
    }

    fn complete(
        &mut self,
        expr: &Rc<LambdaExpr>,
        lambda: &Rc<Lambda>,
        slots: Vec<Option<Bound>>,
        named: usize,
        found: usize,
        free: usize,
    ) -> Eval<Option<Frame>> {
        let optional = expr.varargs || expr.params.iter().any(|p| p.default.is_some());
        let mut names = Names::with_capacity(slots.len());
        let mut missing = None;
        for (at, (param, slot)) in expr.params.iter().zip(&slots).enumerate() {
            let default = lambda.defaults.get(at).cloned().flatten();
            match slot.clone().or_else(|| default.map(Bound::from)) {
                Some(bound) => names.push((param.name.clone(), bound)),
                None => missing = missing.or(Some(param.name.clone())),
            }
        }
        match missing {
            None => Ok(Some(Frame::Complete(names))),
            Some(name) if named > 0 => {
                Err(Stop::failed(format!("missing named argument for {name}")))
            }
            Some(_) if optional => Err(self.arity(expr, lambda, found, free)),
            Some(_) => {
                let mut next = copy_of(lambda);
                next.bound.clear();
                for (param, slot) in expr.params.iter().zip(slots) {
                    if let Some(Bound::Value(item)) = slot {
                        next.bound.push((param.name.clone(), item.value));
                    }
                }
                Ok(Some(Frame::Partial(Rc::new(next))))
            }
        }
    }

    /// `__.x` and `___.x`: from the node of the expression, and from outside the document.
    #[inline(never)]
    pub(crate) fn host_reference(
        &mut self,
        reference: &Reference,
        env: &Env,
    ) -> Eval<Option<Item>> {
        let Some(PathStep::Key(first)) = reference.path.first() else { return Ok(None) };
        if reference.absolute || reference.tag.is_some() || !first.starts_with("__") {
            return Ok(None);
        }
        let start = match first.as_str() {
            "__" => {
                let Some(PathStep::Key(next)) = reference.path.get(1) else { return Ok(None) };
                self.look_up_around(env.place, next)?.map(|s| (s, 2))
            }
            "___" => {
                let document = self.document(env.place);
                let root = self.root(env.place);
                match reference.path.get(1) {
                    Some(PathStep::Key(next)) => match document.bindings.outermost(next) {
                        Some(bound) => Some((bound.clone().into(), 2)),
                        None => Some((Resolved::Node(root), 1)),
                    },
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        let missing = || Stop::not_found(full_path(reference));
        let Some((mut spot, from)) = start else { return Err(missing()) };
        for step in &reference.path[from..] {
            spot = self.step_into(&spot, step, || full_path(reference))?.ok_or_else(missing)?;
        }
        Ok(Some(self.resolved_value(spot, || full_path(reference))?))
    }
}

/// The called expression.
enum Callee {
    /// This is still to be called.
    Lambda(Rc<Lambda>),
    /// The result of a built-in function.
    Called(Value),
}

/// The body of a lambda, if the call sets every parameter by position.
fn is_simple(lambda: &Lambda, args: &[Arg]) -> Option<Rc<LambdaExpr>> {
    let Callable::Body(expr) = &lambda.callable else { return None };
    let simple = !expr.varargs
        && lambda.bound.is_empty()
        && expr.params.len() == args.len()
        && args.iter().all(|a| a.name.is_none() && !a.expand);
    simple.then(|| Rc::clone(expr))
}

enum Frame {
    Complete(Names),
    Partial(Rc<Lambda>),
}

fn copy_of(lambda: &Lambda) -> Lambda {
    Lambda {
        callable: lambda.callable.clone(),
        bound: lambda.bound.clone(),
        first: lambda.first.clone(),
        defaults: lambda.defaults.clone(),
        captured: lambda.captured.clone(),
        place: lambda.place,
    }
}

fn is_list(bound: &Bound) -> bool {
    matches!(bound, Bound::Value(Item { value: Value::List(_), .. }))
}

fn self_path(id: InstId) -> String {
    format!("{id:?}")
}
