//! `map`, `select`, `filter`, `sum`, `catch`, `sync`: lambdas applied to elements.

use std::rc::Rc;

use ecow::EcoString;

use super::evaluator::{Env, Evaluator, Info};
use super::reference::Resolved;
use super::tree::{Children, NodeLookup};
use crate::diagnostics::stop::{Eval, OperandOutcome, Stop};
use crate::syntax::ast::{Expr, ExprId, MapKind};
use crate::value::{Bound, Callable, Lambda, Value};

/// The elements of a list or map: index or key, and the element.
struct Elements {
    items: Vec<(Value, Bound)>,
    map: bool,
}

impl Evaluator<'_> {
    pub(crate) fn mapping(
        &mut self,
        kind: MapKind,
        source: ExprId,
        lambda: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let mut waiting = OperandOutcome::default();
        let elements = self.elements(source, env, info);
        let elements = waiting.take(elements)?;
        let lambda = self.element_lambda(lambda, env, info, "mapping requires a lambda value");
        let lambda = waiting.take(lambda)?;
        waiting.end()?;
        let (Some(elements), Some(lambda)) = (elements, lambda) else {
            return Err(Stop::silent());
        };
        let params = parameters(&lambda);
        if params.is_some_and(|n| n > 2) {
            return Err(Stop::failed("mapping expression take a maximum of 2 arguments"));
        }
        let elements = match elements {
            Source::Found(elements) if kind.takes(elements.map) => elements,
            other => return Err(self.no_elements(kind, &other)),
        };
        let two = params == Some(2);
        let mut out: Vec<(EcoString, Value)> = Vec::new();
        for (key, element) in elements.items {
            let mut args = vec![(None, element.clone())];
            if two {
                args.insert(0, (None, key.clone().into()));
            }
            let Some(result) = self.apply_defined(&lambda, args, env, info)? else { continue };
            let name = match (&key, kind.gives_map()) {
                (_, false) => EcoString::new(),
                (Value::Str(name), true) if elements.map => name.clone(),
                _ => self.element_key(element.clone())?,
            };
            if kind.chooses() {
                if result.truth() {
                    let element = self.bound_value(element)?;
                    out.push((name, element));
                }
            } else if !matches!(result, Value::Null) {
                out.push((name, result));
            }
        }
        self.bounded(if kind.gives_map() {
            Value::map(out)
        } else {
            Value::list(out.into_iter().map(|e| e.1))
        })
    }

    /// The error for a source that this kind of mapping does not support.
    fn no_elements(&self, kind: MapKind, source: &Source) -> Stop {
        let (word, [open, close]) = kind.text();
        let found = match source {
            Source::Found(elements) if elements.map => "map",
            Source::Found(_) => "list",
            Source::Other(value) => value.kind(),
        };
        let plus = format!("{word}{open}{close} does not support {found} values");
        Stop::failed(self.words("map or list required for mapping", &plus))
    }

    /// The key that an element of a list gets in a map.
    fn element_key(&mut self, element: Bound) -> Eval<EcoString> {
        match self.bound_value(element)? {
            Value::Str(text) => Ok(text),
            other => Err(Stop::failed(format!(
                "list element must be string, but found {}",
                other.kind()
            ))),
        }
    }

    pub(crate) fn bound_value(&mut self, bound: Bound) -> Eval<Value> {
        match bound {
            Bound::Value(item) => Ok(item.value),
            Bound::Node(id) => {
                let path = self.path(id);
                Ok(self.resolved_value(Resolved::Node(id), || path.clone())?.value)
            }
        }
    }

    /// Applies a lambda; `None` if the result is undefined.
    pub(crate) fn apply_defined(
        &mut self,
        lambda: &Rc<Lambda>,
        args: Vec<super::lambda::Argument>,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Option<Value>> {
        let before = std::mem::take(&mut info.undefined);
        let result = self.apply(lambda, args, env, info);
        let undefined = std::mem::replace(&mut info.undefined, before);
        result.map(|value| (!undefined).then_some(value))
    }

    fn elements(&mut self, source: ExprId, env: &Env, info: &mut Info) -> Eval<Source> {
        match self.spot(source, env, info)? {
            Resolved::Value(item) => Ok(match item.value {
                Value::List(list) => {
                    let items = list.items.iter().map(|i| Bound::Value(i.clone()));
                    Elements::found(items.zip(0..).map(|(b, n)| (Value::Int(n), b)), false)
                }
                Value::Map(map) => {
                    let items = map.entries().iter();
                    let items =
                        items.map(|(k, i)| (Value::Str(k.clone()), Bound::Value(i.clone())));
                    Elements::found(items, true)
                }
                other => Source::Other(other),
            }),
            Resolved::Node(id) => {
                let children = self.children(id)?;
                match &*children {
                    Children::Map(entries) => {
                        let mut items = Vec::new();
                        for (key, child) in entries {
                            if !self.is_undefined(*child)? {
                                items.push((Value::Str(key.clone()), Bound::Node(*child)));
                            }
                        }
                        Ok(Elements::found(items, true))
                    }
                    Children::List(entries, ..) => {
                        let mut items = Vec::new();
                        for child in entries {
                            if !self.is_undefined(*child)? {
                                let n = i64::try_from(items.len()).unwrap_or(i64::MAX);
                                items.push((Value::Int(n), Bound::Node(*child)));
                            }
                        }
                        Ok(Elements::found(items, false))
                    }
                }
            }
        }
    }

    /// Whether a node is undefined; only evaluated if its expression can be.
    fn is_undefined(&mut self, id: crate::ids::InstId) -> Eval<bool> {
        if !self.may_be_undefined(id) {
            return Ok(false);
        }
        match self.reach(id) {
            Ok(NodeLookup::Undefined) => Ok(true),
            Err(stop) if stop.is_suspend() => Err(stop),
            _ => Ok(false),
        }
    }

    fn element_lambda(
        &mut self,
        lambda: ExprId,
        env: &Env,
        info: &mut Info,
        message: &str,
    ) -> Eval<Rc<Lambda>> {
        let inline = matches!(self.sources.exprs[lambda], Expr::Lambda(_));
        match self.eval(lambda, env, info)? {
            Value::Lambda(lambda) if inline => {
                // An inline lambda does not rebind `_`.
                let Some(outer) = env.locals.get("_").cloned() else { return Ok(lambda) };
                let names = vec![(super::lambda::INLINE.into(), outer)];
                let mut next = Lambda {
                    callable: lambda.callable.clone(),
                    bound: lambda.bound.clone(),
                    first: lambda.first.clone(),
                    defaults: lambda.defaults.clone(),
                    captured: lambda.captured.clone(),
                    place: lambda.place,
                };
                next.captured = next.captured.with(names);
                Ok(Rc::new(next))
            }
            Value::Lambda(lambda) => Ok(lambda),
            _ => Err(Stop::failed(message)),
        }
    }

    pub(crate) fn sum(
        &mut self,
        source: ExprId,
        init: ExprId,
        lambda: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let mut waiting = OperandOutcome::default();
        let elements = self.elements(source, env, info);
        let elements = waiting.take(elements)?;
        let total = self.eval(init, env, info);
        let total = waiting.take(total)?;
        let lambda = self.element_lambda(lambda, env, info, "sum requires a lambda value");
        let lambda = waiting.take(lambda)?;
        waiting.end()?;
        let (Some(elements), Some(mut total), Some(lambda)) = (elements, total, lambda) else {
            return Err(Stop::silent());
        };
        let params = parameters(&lambda);
        if params.is_some_and(|n| n < 2) {
            return Err(Stop::failed("mapping expression take a minimum of 2 arguments"));
        }
        if params.is_some_and(|n| n > 3) {
            return Err(Stop::failed("mapping expression take a maximum of 3 arguments"));
        }
        let Source::Found(elements) = elements else {
            return Err(Stop::failed("map or list required for sum"));
        };
        for (key, element) in elements.items {
            let mut args = vec![(None, total.into()), (None, element)];
            if params == Some(3) {
                args.insert(1, (None, key.into()));
            }
            total = self.apply(&lambda, args, env, info)?;
        }
        Ok(total)
    }

    pub(crate) fn catch_with(
        &mut self,
        expr: ExprId,
        lambda: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let (value, error) = self.caught(expr, env, info)?;
        let lambda = self.element_lambda(lambda, env, info, "catch requires a lambda value")?;
        let error = error.map_or(Value::Null, Value::Str);
        let mut args = vec![(None, value.unwrap_or_default().into())];
        if parameters(&lambda) != Some(1) {
            args.push((None, error.into()));
        }
        self.apply(&lambda, args, env, info)
    }

    /// The value of an expression, or the text of its failure.
    pub(crate) fn caught(
        &mut self,
        expr: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<(Option<Value>, Option<EcoString>)> {
        match self.aside(info, |this, info| this.eval_defined(expr, env, info)) {
            Ok(Some(value)) => Ok((Some(value), None)),
            Ok(None) => Ok((None, Some("value undefined".into()))),
            Err(Stop::Failed(issue)) => Ok((None, Some(issue.text.clone()))),
            Err(stop) => Err(stop),
        }
    }

    /// Waits until a condition holds. Constant conditions are evaluated once.
    pub(crate) fn wait_for(&mut self, sync: &Sync, env: &Env, info: &mut Info) -> Eval<Value> {
        const MAX_LENGTH: i64 = 300;
        const POLL_INTERVAL: std::time::Duration = std::time::Duration::from_millis(200);
        let seconds = match sync.timeout {
            None => MAX_LENGTH,
            Some(timeout) => match self.eval(timeout, env, info)? {
                Value::Int(n) => n,
                Value::Null => MAX_LENGTH,
                _ => return Err(Stop::failed("integer operand required")),
            },
        };
        let timeout = std::time::Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
        let mut waited = std::time::Duration::ZERO;
        loop {
            let before = self.cache.uncached;
            let (found, error) = self.caught(sync.expr, env, info)?;
            let inner = Sync::names(env, found.as_ref(), error.as_ref());
            let args = (found.clone().unwrap_or_default(), error.clone());
            let around = if sync.inline { env } else { &inner };
            if self.condition(sync, around, &args, info)? {
                return self.sync_value(sync, &inner, found, &args, info);
            }
            if self.cache.uncached == before || waited >= timeout {
                let text = error.unwrap_or_else(|| "sync timeout reached".into());
                return Err(Stop::failed(text));
            }
            std::thread::sleep(POLL_INTERVAL);
            waited += POLL_INTERVAL;
        }
    }

    fn condition(
        &mut self,
        sync: &Sync,
        env: &Env,
        args: &(Value, Option<EcoString>),
        info: &mut Info,
    ) -> Eval<bool> {
        let condition = match self.eval(sync.condition, env, info)? {
            Value::Lambda(lambda) => self.apply_caught(&lambda, args, env, info)?,
            _ if sync.inline => {
                return Err(Stop::failed("sync condition must evaluate to a lambda value"));
            }
            other => other,
        };
        match condition {
            Value::Bool(b) => Ok(b),
            _ => Err(Stop::failed("condition must evaluate to bool")),
        }
    }

    fn sync_value(
        &mut self,
        sync: &Sync,
        env: &Env,
        found: Option<Value>,
        args: &(Value, Option<EcoString>),
        info: &mut Info,
    ) -> Eval<Value> {
        let Some(value) = sync.value else {
            return match (found, &args.1) {
                (Some(value), _) => Ok(value),
                (None, error) => Err(Stop::failed(error.clone().unwrap_or_default())),
            };
        };
        match self.eval(value, env, info)? {
            Value::Lambda(lambda) if sync.inline => self.apply_caught(&lambda, args, env, info),
            _ if sync.inline => {
                Err(Stop::failed("sync value expression must evaluate to lambda expression"))
            }
            other => Ok(other),
        }
    }

    /// Applies a lambda to a value and, if it has a second parameter, to the error.
    fn apply_caught(
        &mut self,
        lambda: &Rc<Lambda>,
        (value, error): &(Value, Option<EcoString>),
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let mut args = vec![(None, value.clone().into())];
        match parameters(lambda) {
            Some(1) => {}
            Some(2) | None => {
                args.push((None, error.clone().map_or(Value::Null, Value::Str).into()));
            }
            Some(n) => {
                return Err(Stop::failed(format!(
                    "lambda expression for sync condition must take one or two arguments, found {n}"
                )));
            }
        }
        self.apply(lambda, args, env, info)
    }
}

/// The parts of a `sync`.
pub(crate) struct Sync {
    pub(crate) expr: ExprId,
    pub(crate) condition: ExprId,
    pub(crate) value: Option<ExprId>,
    pub(crate) timeout: Option<ExprId>,
    /// Whether condition and value are lambdas, as in `sync[e|condition|value|timeout]`.
    pub(crate) inline: bool,
}

impl Sync {
    /// The names for a value, and for a condition outside a lambda.
    fn names(env: &Env, value: Option<&Value>, error: Option<&EcoString>) -> Env {
        let mut names: Vec<(EcoString, Bound)> = vec![
            ("valid".into(), Value::Bool(error.is_none()).into()),
            ("error".into(), Value::Str(error.cloned().unwrap_or_default()).into()),
        ];
        names.extend(value.map(|v| ("value".into(), v.clone().into())));
        env.with(names)
    }
}

/// Elements, or a value without elements.
enum Source {
    Found(Elements),
    Other(Value),
}

impl Elements {
    fn found(items: impl IntoIterator<Item = (Value, Bound)>, map: bool) -> Source {
        Source::Found(Self { items: items.into_iter().collect(), map })
    }
}

/// The number of remaining parameters of a lambda; unlimited for a built-in function.
pub fn parameters(lambda: &Lambda) -> Option<usize> {
    match &lambda.callable {
        Callable::Body(expr) if expr.varargs => None,
        Callable::Body(expr) => Some(expr.params.len() - lambda.bound.len()),
        Callable::Builtin(_) => None,
    }
}
