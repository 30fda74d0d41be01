//! Expressions: one function per construct, or the module that has it.

use std::rc::Rc;

use ordain_source::limits::most_items;

use super::evaluator::{Env, Evaluator, Info};
use super::mapping::Sync;
use super::operators::whole_numbers;
use super::reference::{Depth, Resolved, full_path};
use super::whole::local_name;
use crate::diagnostics::stop::{Eval, FailureKind, OperandOutcome, Stop};
use crate::options::Dialect;
use crate::syntax::ast::{Arg, BinaryOp, Expr, ExprId, PathStep, Reference};
use crate::value::{Bound, Flags, Item, List, Names, Value};

impl Evaluator<'_> {
    /// The value of an expression. Its effects on its node are added to `info`.
    ///
    /// # Errors
    /// When it has no value.
    pub fn eval(&mut self, id: ExprId, env: &Env, info: &mut Info) -> Eval<Value> {
        let mut id = id;
        loop {
            self.step()?;
            match &self.sources.exprs[id] {
                Expr::Int(n) => return Ok(Value::Int(*n)),
                Expr::Str(text) => return Ok(Value::Str(text.clone())),
                Expr::Ref(reference) => {
                    if let Some(name) = local_name(reference)
                        && let Some(Bound::Value(item)) = env.local(name)
                    {
                        return Ok(item.value.clone());
                    }
                    let reference = Rc::clone(reference);
                    return self.eval_reference(&reference, env);
                }
                Expr::Binary(op, a, b) => {
                    let (op, a, b) = (*op, *a, *b);
                    return match self.whole_number(id, env) {
                        Some(number) => Ok(Value::Int(number)),
                        None => self.binary(op, a, b, env, info),
                    };
                }
                Expr::Group(inner) => id = *inner,
                Expr::Cond(condition, yes, no) => {
                    let (condition, yes, no) = (*condition, *yes, *no);
                    let truth = match self.whole_comparison(condition, env) {
                        Some(truth) => truth,
                        None => self.is_true(condition, env, info)?,
                    };
                    id = if truth { yes } else { no };
                }
                Expr::Call { callee, args, curry } => {
                    let (callee, args, curry) = (*callee, Rc::clone(args), *curry);
                    return self.call(callee, &args, curry, env, info);
                }
                _ => return self.eval_rare(id, env, info),
            }
        }
    }

    /// A separate function, because its frame would otherwise be on the stack of every expression.
    #[inline(never)]
    fn eval_rare(&mut self, id: ExprId, env: &Env, info: &mut Info) -> Eval<Value> {
        match self.sources.exprs[id].clone() {
            Expr::Null => Ok(Value::Null),
            Expr::Undefined => {
                info.undefined = true;
                Ok(Value::Null)
            }
            Expr::Bool(b) => Ok(Value::Bool(b)),
            Expr::Float(x) => Ok(Value::Float(x)),
            Expr::Element => Ok(env.element.as_ref().map(|i| i.value.clone()).unwrap_or_default()),
            Expr::Not(e) => Ok(Value::Bool(!self.eval(e, env, info)?.truth())),
            Expr::List(items) => self.list_literal(&items, env, info),
            Expr::Range(from, to) => self.range(from, to, env, info),
            Expr::Map(assigns) => self.map_literal(&assigns, env, info),
            Expr::Scope(assigns, body) => self.scoped(&assigns, body, env, info),
            Expr::Merge(merge) => self.merge(&merge, env, info),
            Expr::Auto => self.auto(env),
            Expr::Lambda(lambda) => self.lambda_value(&lambda, env, info),
            Expr::LambdaRef(e) => self.lambda_reference(e, env, info),
            Expr::Instantiate(e) => self.instantiate(e, env, info),
            Expr::Mapping(kind, source, lambda) => {
                self.aside(info, |this, info| this.mapping(kind, source, lambda, env, info))
            }
            Expr::Sum(source, init, lambda) => {
                self.aside(info, |this, info| this.sum(source, init, lambda, env, info))
            }
            Expr::Catch(e, lambda) => self.catch_with(e, lambda, env, info),
            Expr::Sync(expr, condition, value, timeout) => {
                let sync = Sync { expr, condition, value, timeout, inline: true };
                self.wait_for(&sync, env, info)
            }
            Expr::Qualified(..) | Expr::Dynamic(..) | Expr::Projection { .. } => {
                self.selection(id, env, info)
            }
            Expr::Prefer(e) => self.eval(e, env, info),
            Expr::Marked(..) => Err(Stop::failed("markers stand before a whole expression")),
            Expr::Int(_)
            | Expr::Str(_)
            | Expr::Ref(_)
            | Expr::Binary(..)
            | Expr::Group(_)
            | Expr::Cond(..)
            | Expr::Call { .. } => self.eval(id, env, info),
        }
    }

    /// Evaluates an expression in which `merge` does not mark the result as merged.
    pub(crate) fn aside<T>(
        &mut self,
        info: &mut Info,
        evaluate: impl FnOnce(&mut Self, &mut Info) -> T,
    ) -> T {
        let before = (info.merged, info.redirect.clone(), info.replace, info.key.clone());
        let result = evaluate(self, info);
        (info.merged, info.redirect, info.replace, info.key) = before;
        result
    }

    fn eval_reference(&mut self, reference: &Reference, env: &Env) -> Eval<Value> {
        let item = match self.host_reference(reference, env)? {
            Some(item) => item,
            None => self.reference(reference, env)?,
        };
        Ok(item.value)
    }

    /// The value of an expression, or `None` if it is undefined.
    pub(crate) fn eval_defined(
        &mut self,
        id: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Option<Value>> {
        let before = std::mem::take(&mut info.undefined);
        let result = self.eval(id, env, info);
        let undefined = std::mem::replace(&mut info.undefined, before);
        result.map(|value| (!undefined).then_some(value))
    }

    /// Adds the expressions of values that cannot be concatenated to the error.
    #[inline(never)]
    fn name_operands(
        &self,
        stop: Stop,
        (a, left): (ExprId, &str),
        (b, right): (ExprId, &str),
    ) -> Stop {
        let is_plus = self.options.dialect == Dialect::SpiffPlusPlus;
        if !is_plus || stop.kind() != Some(&FailureKind::Concatenation) {
            return stop;
        }
        let (a, b) = (self.shown(a), self.shown(b));
        Stop::failed(format!("type '{right}'({b}) cannot be concatenated with type '{left}'({a})"))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        match op {
            BinaryOp::Or | BinaryOp::OrNull => self.alternative(op, a, b, env, info),
            BinaryOp::LogOr | BinaryOp::LogAnd => self.logic(op, a, b, env, info),
            _ => {
                let left = self.eval(a, env, info);
                if let Err(stop) = left {
                    return Err(self.without_left(stop, b, env, info));
                }
                // The second operand does not matter then.
                if op == BinaryOp::Mod && !matches!(left, Ok(Value::Int(_))) {
                    return Err(Stop::failed("integer operand required"));
                }
                let right = self.eval(b, env, info);
                if let (Ok(Value::Int(a)), Ok(Value::Int(b))) = (&left, &right)
                    && let Some(number) = op.arithmetic(*a, *b)
                {
                    return Ok(Value::Int(number));
                }
                self.operated(op, (a, left?), (b, right?))
            }
        }
    }

    /// An undefined operand becomes null: the operator may fail.
    #[cold]
    fn without_left(&mut self, stop: Stop, b: ExprId, env: &Env, info: &mut Info) -> Stop {
        let mut waiting = OperandOutcome::default();
        let all = || {
            waiting.take::<Value>(Err(stop))?;
            let right = self.eval(b, env, info);
            waiting.take(right)?;
            std::mem::take(&mut waiting).end()
        };
        all().err().unwrap_or_else(Stop::silent)
    }

    /// The value of an operator; errors name the operands by their expressions.
    #[inline(never)]
    fn operated(
        &mut self,
        op: BinaryOp,
        (a, left): (ExprId, Value),
        (b, right): (ExprId, Value),
    ) -> Eval<Value> {
        if let Some(value) = whole_numbers(op, &left, &right) {
            return Ok(value);
        }
        let kinds = (left.kind(), right.kind());
        let result = match (op, &self.sources.exprs[a]) {
            (BinaryOp::Concat, Expr::Binary(BinaryOp::Concat, ..)) => {
                self.concatenate(left, right, true)
            }
            _ => self.operate(op, left, right),
        };
        result.map_err(|stop| self.name_operands(stop, (a, kinds.0), (b, kinds.1)))
    }

    #[inline(never)]
    fn alternative(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        match self.eval_defined(a, env, info) {
            Ok(Some(Value::Null)) if op == BinaryOp::OrNull => {}
            Ok(Some(value)) => return Ok(value),
            Ok(None) | Err(Stop::Failed(_)) => {}
            Err(stop) => return Err(stop),
        }
        info.replace = false;
        self.eval(b, env, info)
    }

    #[inline(never)]
    fn logic(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let left = self.eval(a, env, info)?;
        let decided = left.truth() == (op == BinaryOp::LogOr);
        let right = match self.eval(b, env, info) {
            Err(Stop::Failed(_)) if decided && !matches!(left, Value::Int(_)) => {
                return Ok(Value::Bool(op == BinaryOp::LogOr));
            }
            other => other?,
        };
        Ok(match (left, right, op) {
            (Value::Int(a), Value::Int(b), BinaryOp::LogOr) => Value::Int(a | b),
            (Value::Int(a), Value::Int(b), _) => Value::Int(a & b),
            (a, b, BinaryOp::LogOr) => Value::Bool(a.truth() || b.truth()),
            (a, b, _) => Value::Bool(a.truth() && b.truth()),
        })
    }

    #[inline(never)]
    fn is_true(&mut self, condition: ExprId, env: &Env, info: &mut Info) -> Eval<bool> {
        Ok(self.eval_defined(condition, env, info)?.is_some_and(|v| v.truth()))
    }

    /// The values of a list's items or a call's arguments.
    pub(crate) fn values(&mut self, args: &[Arg], env: &Env, info: &mut Info) -> Eval<Vec<Value>> {
        let mut waiting = OperandOutcome::default();
        let mut out = Vec::with_capacity(args.len());
        for arg in args {
            let result = self.eval(arg.value, env, info);
            match waiting.take(result)? {
                Some(Value::List(list)) if arg.expand => {
                    out.extend(list.items.iter().map(|i| i.value.clone()));
                }
                Some(Value::Null) if arg.expand => {}
                Some(_) if arg.expand => {
                    return Err(Stop::failed("argument expansion required list argument"));
                }
                Some(value) => out.push(value),
                None => {}
            }
        }
        waiting.end()?;
        Ok(out)
    }

    #[inline(never)]
    fn list_literal(&mut self, items: &[Arg], env: &Env, info: &mut Info) -> Eval<Value> {
        let values = self.values(items, env, info)?;
        self.bounded(Value::list(values))
    }

    #[inline(never)]
    fn range(
        &mut self,
        from: Option<ExprId>,
        to: Option<ExprId>,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let mut waiting = OperandOutcome::default();
        let mut ends = [None, None];
        for (end, expr) in ends.iter_mut().zip([from, to]) {
            let Some(expr) = expr else {
                return Err(Stop::failed("a range needs both ends"));
            };
            let result = self.aside(info, |this, info| this.eval(expr, env, info));
            *end = waiting.take(result)?;
        }
        waiting.end()?;
        let [Some(Value::Int(from)), Some(Value::Int(to))] = ends else {
            return Err(Stop::failed("integer operand required"));
        };
        if from.abs_diff(to) >= most_items() as u64 {
            return Err(Stop::failed(format!("the range {from}..{to} is too long")));
        }
        let numbers: Vec<Item> = if from <= to {
            (from..=to).map(|n| Value::Int(n).into()).collect()
        } else {
            (to..=from).rev().map(|n| Value::Int(n).into()).collect()
        };
        Ok(Value::List(List::new(numbers, None)))
    }

    fn map_literal(
        &mut self,
        assigns: &[(ExprId, ExprId)],
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        // A merge in a map literal does not prevent stubs from replacing the whole map.
        let merged = info.merged;
        let entries = self.assignments(assigns, env, info)?;
        info.merged = merged;
        self.bounded(Value::map(entries))
    }

    fn assignments(
        &mut self,
        assigns: &[(ExprId, ExprId)],
        env: &Env,
        info: &mut Info,
    ) -> Eval<Vec<(ecow::EcoString, Value)>> {
        let mut entries = Vec::with_capacity(assigns.len());
        for (key, value) in assigns {
            let Value::Str(key) = self.eval(*key, env, info)? else {
                return Err(Stop::failed("assignment target must evaluate to string"));
            };
            let value = self.eval_defined(*value, env, info)?.unwrap_or_default();
            entries.push((key, value));
        }
        Ok(entries)
    }

    fn scoped(
        &mut self,
        assigns: &[(ExprId, ExprId)],
        body: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let names = self.aside(info, |this, info| this.assignments(assigns, env, info))?;
        let names: Names = names.into_iter().map(|(k, v)| (k, Bound::from(v))).collect();
        self.eval(body, &env.with(names), info)
    }

    /// The target of a reference, or of a path into one, without waiting for its complete value.
    pub(crate) fn spot(&mut self, id: ExprId, env: &Env, info: &mut Info) -> Eval<Resolved> {
        match self.sources.exprs[id].clone() {
            Expr::Ref(reference) => match self.host_reference(&reference, env)? {
                Some(item) => Ok(Resolved::Value(item)),
                None => self.resolve(&reference, env, Depth::Shape),
            },
            Expr::Group(e) => self.spot(e, env, info),
            _ => {
                let value = self.eval(id, env, info)?;
                Ok(Resolved::Value(Item { value, flags: Flags::default() }))
            }
        }
    }

    /// Paths, indices and projections of any expression.
    #[inline(never)]
    fn selection(&mut self, id: ExprId, env: &Env, info: &mut Info) -> Eval<Value> {
        match self.sources.exprs[id].clone() {
            Expr::Qualified(base, path) => {
                let item = Item::from(self.eval(base, env, info)?);
                let mut spot = Resolved::Value(item);
                for n in 0..path.len() {
                    let shown = |n: usize| crate::syntax::print::print_path(&path[..n]);
                    let next = self.step_into(&spot, &path[n], || shown(n))?;
                    spot = next.ok_or_else(|| Stop::not_found(shown(n + 1)))?;
                }
                Ok(self.resolved_value(spot, String::new)?.value)
            }
            Expr::Dynamic(base, index) => self.indexed(base, &index, env, info),
            Expr::Projection { base, slice, rest } => self.projection(base, slice, rest, env, info),
            _ => Err(Stop::silent()),
        }
    }

    fn indexed(
        &mut self,
        base: Option<ExprId>,
        index: &[Arg],
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let mut waiting = OperandOutcome::default();
        let spot = match base {
            Some(base) => self.resolve_base(base, env, info),
            None => Ok(Resolved::Node(self.root(env.place))),
        };
        let spot = waiting.take(spot)?;
        let steps = self.aside(info, |this, info| this.values(index, env, info));
        let steps = waiting.take(steps)?;
        waiting.end()?;
        let (Some(mut spot), Some(steps)) = (spot, steps) else { return Err(Stop::silent()) };
        let shown = base.map(|b| self.shown(b)).unwrap_or_default();
        for step in steps {
            spot = self.index_step(spot, &step, &shown)?;
        }
        Ok(self.resolved_value(spot, || shown.clone())?.value)
    }

    /// The base of an index or path: a reference need not be complete.
    fn resolve_base(&mut self, base: ExprId, env: &Env, info: &mut Info) -> Eval<Resolved> {
        match self.sources.exprs[base].clone() {
            Expr::Ref(reference) => match self.host_reference(&reference, env)? {
                Some(item) => Ok(Resolved::Value(item)),
                None => self.resolve(&reference, env, Depth::Shape),
            },
            _ => Ok(Resolved::Value(self.eval(base, env, info)?.into())),
        }
    }

    fn index_step(&mut self, spot: Resolved, step: &Value, shown: &str) -> Eval<Resolved> {
        let step = match step {
            Value::Int(n) => {
                if !self.is_list_spot(&spot)? {
                    return Err(Stop::failed("index requires array expression"));
                }
                PathStep::Index(*n)
            }
            Value::Str(key) => PathStep::Key(key.clone()),
            Value::List(list) => {
                let mut at = spot;
                for item in &list.items {
                    at = self.index_step(at, &item.value, shown)?;
                }
                return Ok(at);
            }
            _ => return Err(Stop::failed("index or field name required for reference qualifier")),
        };
        let path = crate::syntax::print::print_path(std::slice::from_ref(&step));
        let next = self.step_into(&spot, &step, || shown.to_owned())?;
        next.ok_or_else(|| Stop::not_found(path))
    }

    fn is_list_spot(&mut self, spot: &Resolved) -> Eval<bool> {
        use super::tree::{Children, NodeLookup};
        Ok(match spot {
            Resolved::Value(item) => matches!(item.value, Value::List(_)),
            Resolved::Node(id) => match self.reach(*id) {
                Ok(NodeLookup::Value(item)) => matches!(item.value, Value::List(_)),
                Ok(NodeLookup::Node(node, _)) => {
                    matches!(&*self.children(node)?, Children::List(..))
                }
                _ => true,
            },
        })
    }

    /// The canonical text of an expression.
    pub(crate) fn shown(&self, id: ExprId) -> String {
        match &self.sources.exprs[id] {
            Expr::Ref(reference) => full_path(reference),
            _ => crate::syntax::print::print(&self.sources.exprs, id),
        }
    }

    fn projection(
        &mut self,
        base: ExprId,
        slice: Option<(Option<ExprId>, Option<ExprId>)>,
        rest: ExprId,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let value = self.eval(base, env, info)?;
        let items: Vec<Item> = match (&value, slice) {
            (Value::List(list), None) => list.items.clone(),
            (Value::Map(map), None) => map.entries().iter().map(|e| e.1.clone()).collect(),
            (Value::List(list), Some((from, to))) => {
                let ends = self.slice_ends(from, to, list.items.len(), env, info)?;
                list.items[ends].to_vec()
            }
            (_, None) => {
                return Err(Stop::failed("only map or list allowed for projection"));
            }
            (_, Some(_)) => return Err(Stop::failed("slice requires array expression")),
        };
        if matches!(self.sources.exprs[rest], Expr::Element) {
            return Ok(Value::List(List::new(items, None)));
        }
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let inner = Env { element: Some(Rc::new(item)), ..env.clone() };
            out.push(self.eval(rest, &inner, info)?);
        }
        Ok(Value::list(out))
    }

    fn slice_ends(
        &mut self,
        from: Option<ExprId>,
        to: Option<ExprId>,
        len: usize,
        env: &Env,
        info: &mut Info,
    ) -> Eval<std::ops::Range<usize>> {
        let length = i64::try_from(len).unwrap_or(i64::MAX);
        let mut ends = [0, length - 1];
        let given = [from.is_some(), to.is_some()];
        for (end, expr) in ends.iter_mut().zip([from, to]) {
            if let Some(expr) = expr {
                let value = self.aside(info, |this, info| this.eval(expr, env, info))?;
                let Value::Int(n) = value else {
                    return Err(Stop::failed("integer operand required"));
                };
                *end = n;
            }
        }
        let [mut a, mut b] = ends;
        if given == [true, true] && (a < 0) != (b < 0) {
            return Err(Stop::failed(
                "mixed negative and non-negative range not possible for slice",
            ));
        }
        for end in [&mut a, &mut b] {
            if *end < 0 {
                *end += length;
            }
        }
        if a > b && (given == [true, true] || len == 0) {
            return Ok(0..0);
        }
        for end in [b, a] {
            if end < 0 || end >= length {
                return Err(Stop::failed(format!("slice out of range ({end} >= length {len})")));
            }
        }
        let start = usize::try_from(a).unwrap_or(0);
        let end = usize::try_from(b).unwrap_or(0);
        Ok(if start > end { 0..0 } else { start..end + 1 })
    }
}
