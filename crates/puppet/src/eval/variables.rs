//! Reading and assigning variables, and the results of matches.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::inputs::note_value;
use ordain_source::suggest;

use crate::error::{EvalError, EvalResult, Unwind};
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::state::node::SETTINGS;
use crate::state::scope::ScopeKind;
use crate::state::scope::{RESERVED, UNEVALUATED, not_reserved};
use crate::syntax::{AssignOp, Expr, ExprId, ExprList};
use crate::types::Type;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;
use crate::value::{Key, Value};
use ordain_graph::language::Strict;

/// Variables that all code may read; `undef` if the compile has not set them.
const BUILT_IN: [&str; 2] = ["module_name", "caller_module_name"];

impl Compiler<'_> {
    pub(crate) fn eval_variable(&mut self, f: &Frame, id: ExprId, name: &EcoString) -> EvalResult {
        if name.as_bytes()[0].is_ascii_digit() {
            return Ok(self.match_variable(f.scope, name));
        }
        if self.scopes.has_pending() {
            self.refuse_pending(f, id, name)?;
        }
        if let Some(value) = self.find_variable(f.scope, name) {
            return Ok(value.clone());
        }
        if let Some(value) = self.logic_variable(f.scope, name)? {
            return Ok(value);
        }
        self.unknown_variable(f, id, name)
    }

    /// Refuses to read a parameter without a value.
    pub(super) fn refuse_pending(&self, f: &Frame, id: ExprId, name: &str) -> EvalResult<()> {
        let (from, name) = match name.rsplit_once("::") {
            None => (Some(f.scope), name),
            Some((class, rest)) => {
                let class = class.strip_prefix("::").unwrap_or(class);
                (self.scopes.of_class(class), rest)
            }
        };
        let Some(text) = from.and_then(|scope| self.scopes.refusal(scope, name)) else {
            return Ok(());
        };
        let mut error = EvalError::new("RUNTIME_ERROR", text, f.program.span(id));
        error.code = Some(UNEVALUATED);
        Err(error.into())
    }

    fn unknown_variable(&mut self, f: &Frame, id: ExprId, name: &str) -> EvalResult {
        if BUILT_IN.contains(&name.strip_prefix("::").unwrap_or(name)) {
            return Ok(Value::Undef);
        }
        let strictly = self.settings.strict_variables || self.settings.strict == Strict::Error;
        if !strictly {
            if self.settings.strict == Strict::Warning {
                self.warn_at(format!("Unknown variable: '{name}'."), f.program.span(id));
            }
            return Ok(Value::Undef);
        }
        let mut error = EvalError::new(
            "UNKNOWN_VARIABLE",
            format!("Unknown variable: '{name}'."),
            f.program.span(id),
        );
        error.help.extend(self.variable_help(f.scope, name));
        Err(error.into())
    }

    fn variable_help(&self, scope: ScopeId, name: &str) -> Option<String> {
        if let Some(fact) = crate::legacy_facts::replacement(name.trim_start_matches("::")) {
            return Some(format!(
                "this old fact is now {fact}; `--legacy-facts` gives the old ones too"
            ));
        }
        let mut known: Vec<&str> = Vec::new();
        let (class, rest) = name.rsplit_once("::").unwrap_or(("", name));
        let class = class.trim_start_matches("::");
        let mut at = match class {
            "" => Some(scope),
            _ => match self.scopes.of_class(class) {
                Some(id) => Some(id),
                None => return Some(format!("class `{class}` has not been evaluated here")),
            },
        };
        while let Some(id) = at {
            let scope = self.scopes.get(id);
            known.extend(scope.variables().map(|(n, _)| n.as_str()));
            at = scope.parent;
        }
        if class == SETTINGS {
            known.extend(self.setting_variables().variables().map(|(n, _)| n.as_str()));
        }
        let near = suggest::nearest(rest, known)?;
        let prefix = name.strip_suffix(rest).unwrap_or("");
        Some(format!("did you mean `${prefix}{near}`?"))
    }

    /// A group of the last match that is visible: of the scope or of those around it, up to a
    /// function.
    fn match_variable(&self, scope: ScopeId, name: &str) -> Value {
        let Ok(group) = name.parse::<usize>() else { return Value::Undef };
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = self.scopes.get(id);
            if let Some(matches) = scope.matches.last() {
                return matches.get(group).cloned().unwrap_or_default();
            }
            at = scope.parent.filter(|_| scope.kind != ScopeKind::Function);
        }
        Value::Undef
    }

    pub(crate) fn eval_assign(
        &mut self,
        f: &Frame,
        id: ExprId,
        op: AssignOp,
        left: ExprId,
        right: ExprId,
    ) -> EvalResult {
        if let Expr::Access(parts) = &f.program[left] {
            return self.eval_element_assign(f, left, op, *parts, right);
        }
        if op != AssignOp::Set {
            let sign = if op == AssignOp::Append { "+=" } else { "-=" };
            let text = format!(
                "The operator '{sign}' is no longer supported. See http://links.puppet.com/remove-plus-equals"
            );
            return Err(self.error(f, id, "APPENDS_DELETES_NO_LONGER_SUPPORTED", text));
        }
        let value = self.eval(f, right)?;
        match &f.program[left] {
            Expr::Var(name) => {
                self.check_reserved(f, id, name)?;
                self.assign(f, (id, left), name.clone(), value.clone())?;
            }
            Expr::List(targets) => self.assign_many(f, id, *targets, &value)?,
            _ => {
                return Err(self.error(f, left, "ILLEGAL_ASSIGNMENT", "Illegal attempt to assign"));
            }
        }
        Ok(value)
    }

    fn check_reserved(&self, f: &Frame, at: ExprId, name: &str) -> EvalResult<()> {
        if name == "server_facts" || (RESERVED.contains(&name) && f.scope == ScopeId::TOP) {
            let text = format!("Attempt to assign to a reserved variable name: '${name}'");
            return Err(self.error(f, at, "ILLEGAL_RESERVED_ASSIGNMENT", text));
        }
        not_reserved(name).map_err(|text| {
            let text = format!("Error while evaluating a '=' expression, {text}");
            self.error(f, at, "RUNTIME_ERROR", text)
        })
    }

    /// Sets the variable that an assignment names.
    fn assign(
        &mut self,
        f: &Frame,
        (at, target): (ExprId, ExprId),
        name: EcoString,
        value: Value,
    ) -> EvalResult<()> {
        self.check_reserved(f, at, &name)?;
        self.budget.weigh(&value)?;
        if self.assign_in_logic(f, at, &name, &value)? {
            return Ok(());
        }
        if f.scope == ScopeId::TOP {
            // A fact of this name would be in the way.
            note_value(&name);
        }
        if self.scopes.get_mut(f.scope).set(name.clone(), value) {
            return Ok(());
        }
        let builtin = RESERVED.contains(&name.as_str()) || name == "title" || name == "name";
        let text = if builtin {
            format!("Cannot reassign built in (or already assigned) variable '${name}'")
        } else {
            format!("Cannot reassign variable '${name}'")
        };
        let mut error = EvalError::new("ILLEGAL_REASSIGNMENT", text, f.program.span(at));
        error.focus = Some((f.program.span(target), "it has a value already".to_owned()));
        error.is_asking = false;
        Err(error.into())
    }

    fn assign_many(
        &mut self,
        f: &Frame,
        id: ExprId,
        targets: ExprList,
        value: &Value,
    ) -> EvalResult<()> {
        let targets: Vec<ExprId> = f.program.list(targets).to_vec();
        match value {
            Value::Hash(entries) => {
                for &target in &targets {
                    if let Expr::List(inner) = f.program[target] {
                        self.assign_nested(f, id, inner, entries)?;
                        continue;
                    }
                    let Expr::Var(name) = &f.program[target] else {
                        return Err(self.not_assignable(f, target));
                    };
                    let Some(found) = entries.get(&Key(name)) else {
                        let text = format!(
                            "No value for required key '{name}' in assignment to variables from hash"
                        );
                        return Err(self.error(f, id, "MISSING_MULTI_ASSIGNMENT_KEY", text));
                    };
                    self.assign(f, (id, target), name.clone(), found.clone())?;
                }
                Ok(())
            }
            Value::Type(kind) if matches!(**kind, Type::Class(Some(_))) => {
                self.assign_from_class(f, id, &targets, kind)
            }
            _ => self.assign_from_list(f, id, &targets, value),
        }
    }

    /// Assigns to a nested list of targets; the hash needs an entry with the list of names as its
    /// key.
    fn assign_nested(
        &mut self,
        f: &Frame,
        id: ExprId,
        targets: ExprList,
        entries: &crate::value::HashValue,
    ) -> EvalResult<()> {
        let names = f.program.list(targets).iter().map(|&t| match &f.program[t] {
            Expr::Var(name) => Value::Str(name.clone()),
            _ => Value::Undef,
        });
        let key = Value::array(names);
        match entries.get(&key) {
            Some(found) => self.assign_many(f, id, targets, &found.clone()),
            None => {
                let key = crate::types::format::ruby_inspect(&key);
                let text = format!(
                    "No value for required key '{key}' in assignment to variables from hash"
                );
                Err(self.error(f, id, "MISSING_MULTI_ASSIGNMENT_KEY", text))
            }
        }
    }

    fn assign_from_list(
        &mut self,
        f: &Frame,
        id: ExprId,
        targets: &[ExprId],
        value: &Value,
    ) -> EvalResult<()> {
        let single;
        let items = match value {
            Value::Array(items) => items.as_slice(),
            other => {
                single = [other.clone()];
                &single
            }
        };
        if items.len() != targets.len() {
            let text = format!(
                "Mismatched number of assignable entries and values, expected {}, got {}",
                targets.len(),
                items.len()
            );
            return Err(self.error(f, id, "ILLEGAL_MULTI_ASSIGNMENT_SIZE", text));
        }
        for (&target, item) in targets.iter().zip(items) {
            match &f.program[target] {
                Expr::Var(name) => self.assign(f, (id, target), name.clone(), item.clone())?,
                Expr::List(inner) => self.assign_many(f, id, *inner, item)?,
                _ => return Err(self.not_assignable(f, target)),
            }
        }
        Ok(())
    }

    fn assign_from_class(
        &mut self,
        f: &Frame,
        id: ExprId,
        targets: &[ExprId],
        kind: &Arc<Type>,
    ) -> EvalResult<()> {
        let Type::Class(Some(class)) = &**kind else { return Ok(()) };
        let key = ResourceKey::new("class", class);
        if self.catalog.find(&key).is_none() {
            let text = format!("Resource not found: Class['{class}']");
            let at = match f.program[id] {
                Expr::Assign { right, .. } => right,
                _ => id,
            };
            return Err(self.error(f, at, "UNKNOWN_RESOURCE", text));
        }
        for &target in targets {
            let Expr::Var(name) = &f.program[target] else {
                return Err(self.not_assignable(f, target));
            };
            let Some(value) = self.find_variable(f.scope, &format!("{class}::{name}")).cloned()
            else {
                let text = format!(
                    "No value for required variable '${class}::{name}' in assignment to variables from class reference"
                );
                return Err(self.error(f, target, "MISSING_MULTI_ASSIGNMENT_VARIABLE", text));
            };
            self.assign(f, (id, target), name.clone(), value)?;
        }
        Ok(())
    }

    fn not_assignable(&self, f: &Frame, at: ExprId) -> Box<Unwind> {
        let shown = f.program.text(f.program.range(at));
        let text = format!("Illegal attempt to assign to '{shown}'. Not an assignable reference");
        self.error(f, at, "ILLEGAL_ASSIGNMENT", text)
    }
}
