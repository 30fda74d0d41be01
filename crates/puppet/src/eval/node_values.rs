//! Parts of facts and of other values of the node, which are inputs of a compile.
//!
//! An expression such as `$facts['os']['family']` depends on that entry, not on all facts. While
//! inputs are recorded, the value in front of brackets is evaluated without a note, and the
//! outermost brackets note the whole path. The same is done for the functions `dig` and `get`.

use ecow::EcoString;
use ordain_source::inputs::{self, is_recording};

use crate::error::EvalResult;
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::state::node_values::{PathInProgress, extend_path};
use crate::syntax::{Expr, ExprId, ExprList};
use crate::value::Value;

impl Compiler<'_> {
    /// Evaluates the value in front of brackets. Returns also its path, if it is a hash of the node.
    /// The caller has to note the path.
    pub(super) fn eval_base(
        &mut self,
        f: &Frame,
        id: ExprId,
    ) -> EvalResult<(Value, Option<String>)> {
        if !is_recording() {
            return Ok((self.eval(f, id)?, None));
        }
        match &f.program[id] {
            Expr::Var(name) => {
                if let Some((name, value)) = self.hash_of_node(f, name)
                    && (!self.scopes.has_pending() || self.refuse_pending(f, id, &name).is_ok())
                {
                    return Ok((value, Some(name)));
                }
                Ok((self.eval(f, id)?, None))
            }
            Expr::Access(_) => {
                self.path_in_progress = PathInProgress { is_inner: true, path: None };
                let value = self.eval(f, id)?;
                Ok((value, self.path_in_progress.path.take()))
            }
            _ => Ok((self.eval(f, id)?, None)),
        }
    }

    /// A hash in the top scope that a variable refers to.
    fn hash_of_node(&self, f: &Frame, name: &EcoString) -> Option<(String, Value)> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let value = self.scopes.top_variable(f.scope, name)?;
        matches!(value, Value::Hash(_)).then(|| (name.to_owned(), value.clone()))
    }

    /// Ends an access: passes its path on, or notes it.
    pub(super) fn end_access(
        &mut self,
        is_inner: bool,
        path: Option<String>,
        (value, keys): (&Value, &[Value]),
    ) {
        let Some(mut path) = path else { return };
        match (value, keys) {
            (Value::Hash(_), [key @ Value::Str(_)]) => {
                extend_path(&mut path, value, std::slice::from_ref(key));
                if is_inner {
                    self.path_in_progress.path = Some(path);
                    return;
                }
            }
            _ => {}
        }
        inputs::note_value(&path);
    }

    /// Evaluates the arguments of `dig` or `get`, and notes the entry that they select.
    pub(super) fn eval_args_of_path(
        &mut self,
        f: &Frame,
        name: &str,
        args: ExprList,
    ) -> EvalResult<Vec<Value>> {
        let list = f.program.list(args);
        let Some(&first) = list.first().filter(|first| {
            matches!(f.program[**first], Expr::Var(_) | Expr::Access(_))
        }) else {
            return self.eval_args(f, args);
        };
        let (value, path) = self.eval_base(f, first)?;
        let mut all = vec![value];
        let rest = self.eval_arg_list(f, &list[1..], &mut all);
        if let Some(mut path) = path {
            match (name, all.get(1)) {
                ("get", Some(Value::Str(keys))) => {
                    // A key in quotes or a number ends the path early, which is safe.
                    let is_plain = |key: &&str| !key.contains(['"', '\'']) && !key.is_empty();
                    let keys = keys.split('.').take_while(is_plain).map(Value::str);
                    extend_path(&mut path, &all[0], &keys.collect::<Vec<_>>());
                }
                ("dig", Some(_)) => extend_path(&mut path, &all[0], &all[1..]),
                _ => {}
            }
            inputs::note_value(&path);
        }
        rest.map(|()| all)
    }
}
