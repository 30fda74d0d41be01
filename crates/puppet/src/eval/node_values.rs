//! Parts of facts and of other values of the node, which are inputs of a compile.
//!
//! An expression such as `$facts['os']['family']` depends on that entry, not on all facts. While
//! inputs are recorded, the value in front of brackets is evaluated without a note, and the
//! outermost brackets note the whole path. The same is done for the functions `dig` and `get`.

use ordain_source::inputs::is_recording;

use crate::error::EvalResult;
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::state::node_values::extend_path;
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
                let plain = name.strip_prefix("::").unwrap_or(name);
                if let Some(value @ Value::Hash(_)) = self.scopes.top_variable(f.scope, plain)
                    && (!self.scopes.has_pending() || self.refuse_pending(f, id, name).is_ok())
                {
                    let value = value.clone();
                    let mut path = std::mem::take(&mut self.path_in_progress.spare);
                    path.push_str(plain);
                    return Ok((value, Some(path)));
                }
                Ok((self.eval(f, id)?, None))
            }
            Expr::Access(_) => {
                self.path_in_progress.is_inner = true;
                self.path_in_progress.path = None;
                let value = self.eval(f, id)?;
                Ok((value, self.path_in_progress.path.take()))
            }
            _ => Ok((self.eval(f, id)?, None)),
        }
    }

    /// Ends an access: passes its path on, or notes it.
    pub(super) fn end_access(
        &mut self,
        is_inner: bool,
        path: Option<String>,
        (value, keys): (&Value, &[Value]),
    ) {
        let Some(mut path) = path else { return };
        if let (Value::Hash(_), [Value::Str(_)]) = (value, keys) {
            extend_path(&mut path, value, keys);
            if is_inner {
                self.path_in_progress.path = Some(path);
                return;
            }
        }
        self.path_in_progress.note(path);
    }

    /// Evaluates the arguments of `dig` or `get`, and notes the entry that they select.
    pub(super) fn eval_args_of_path(
        &mut self,
        f: &Frame,
        name: &str,
        args: ExprList,
    ) -> EvalResult<Vec<Value>> {
        let list = f.program.list(args);
        let Some(&first) = list
            .first()
            .filter(|first| matches!(f.program[**first], Expr::Var(_) | Expr::Access(_)))
        else {
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
            self.path_in_progress.note(path);
        }
        rest.map(|()| all)
    }
}
