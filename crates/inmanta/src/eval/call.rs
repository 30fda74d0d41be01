//! Calls of plugins, and casts.

use std::rc::Rc;

use ecow::EcoString;

use super::net::Net;
use super::state::call::{CallArguments, CheckedArguments};
use super::state::ids::{Place, ScopeId, UnitId};
use super::state::unit::{Values, Work};
use crate::diagnostics::{Class, Error, Fault, Result, Warning};
use crate::model::plugin::{Arguments, Param, Signature, Stop};
use crate::syntax::ast::{Callee, ExprId, ExprKind};
use crate::types::{Type, TypeId};
use crate::value::{Value, VarId};

impl Net<'_> {
    /// Runs a call. Returns whether it is done; otherwise it runs again.
    pub(super) fn run_call(
        &mut self,
        unit: UnitId,
        expr: ExprId,
        target: VarId,
        arguments: Option<Rc<CallArguments>>,
        scope: ScopeId,
    ) -> Result<bool> {
        let place = Place::expr(expr);
        let given = match arguments {
            Some(given) => given,
            None => {
                let requires = self.units[unit as usize].requires.clone();
                let mut values = self.read(&requires, place)?;
                let given = self
                    .arguments(expr, scope, &mut values)
                    .map_err(|error| self.through(error, place))?;
                Rc::new(given)
            }
        };
        let ExprKind::Call(call) = self.program.ast.exprs[expr].kind else { return Ok(true) };
        let result = match self.program.ast.calls[call].callee {
            Callee::Cast(ty) => self
                .cast(expr, TypeId(ty), &given.positional, &given.named)
                .map_err(|error| self.replaced(error, place))
                .map(Some)?,
            Callee::Plugin(plugin) => self
                .call_plugin(unit, expr, plugin, &given, scope)
                .map_err(|error| self.replaced(error, place))?,
            Callee::Unresolved => None,
        };
        let Some(value) = result else {
            if let Work::Call { arguments, .. } = &mut self.units[unit as usize].work {
                *arguments = Some(given);
            }
            return Ok(false);
        };
        self.set(target, &value, place, true).map_err(|error| self.replaced(error, place))?;
        Ok(true)
    }

    pub(super) fn arguments(
        &mut self,
        expr: ExprId,
        scope: ScopeId,
        values: &mut Values,
    ) -> Result<CallArguments> {
        let ExprKind::Call(call) = self.program.ast.exprs[expr].kind else {
            return Ok(CallArguments::default());
        };
        let call = self.program.ast.calls[call].clone();
        let mut given = CallArguments::default();
        for argument in self.program.ast.lists.list(call.positional).to_vec() {
            given.positional.push(self.execute(argument, scope, values)?);
        }
        let named = self.program.ast.lists.list(call.named).to_vec();
        for (name, argument) in call.names.iter().zip(named) {
            let name = self.program.ast.symbols.name(*name).clone();
            given.named.push((name, self.execute(argument, scope, values)?));
        }
        for splat in self.program.ast.lists.list(call.splats).to_vec() {
            let Value::Dict(dict) = self.execute(splat, scope, values)? else { continue };
            for (name, value) in dict.iter() {
                if given.named.iter().any(|(known, _)| known == name) {
                    let message = format!("Keyword argument {name} repeated in function call");
                    let error = Error::new(Class::Runtime, message);
                    return Err(self.error_at(Place::expr(expr), error));
                }
                given.named.push((name.clone(), value.clone()));
            }
        }
        Ok(given)
    }

    /// Evaluates a cast.
    pub(super) fn cast(
        &mut self,
        expr: ExprId,
        ty: TypeId,
        positional: &[Value],
        named: &[(EcoString, Value)],
    ) -> Result<Value> {
        let fail = |net: &Self, message: String| {
            Err(net.error_at(Place::expr(expr), Error::new(Class::Runtime, message)))
        };
        if !named.is_empty() {
            return fail(self, "Only positional arguments allowed in type cast".into());
        }
        let [value] = positional else {
            let texts: Vec<String> = positional.iter().map(|v| v.repr(self)).collect();
            let message = format!(
                "Illegal arguments {}: type cast expects exactly 1 argument",
                texts.join(",")
            );
            return fail(self, message);
        };
        if value.is_unknown() {
            return Ok(value.clone());
        }
        let cast = match self.program.types.get(ty) {
            Type::String => Some(Value::str(match value {
                Value::Bool(true) => "true".into(),
                Value::Bool(false) => "false".into(),
                value => value.text(self),
            })),
            Type::Bool => Some(Value::Bool(!matches!(value, Value::Null) && value.is_truthy())),
            Type::Int => super::operators::to_int(value),
            Type::Float => super::operators::to_float(value),
            _ => match value {
                Value::Int(_) | Value::BigInt(_) => Some(value.clone()),
                Value::Bool(b) => Some(Value::Int(i64::from(*b))),
                value => super::operators::to_float(value),
            },
        };
        cast.map_or_else(
            || {
                let ty = self.program.type_text(ty);
                let message = format!("Failed to cast '{}' to {ty}", value.text(self));
                Err(Error::new(Class::Runtime, message))
            },
            Ok,
        )
    }

    fn call_plugin(
        &mut self,
        unit: UnitId,
        expr: ExprId,
        plugin: u32,
        given: &CallArguments,
        scope: ScopeId,
    ) -> Result<Option<Value>> {
        *self.calls.entry(plugin).or_default() += 1;
        let entry = self.program.plugins[plugin as usize].plugin.clone();
        let is_next = self.batch.front().is_some_and(|call| call.unit == unit);
        let call = if is_next { self.batch.pop_front() } else { None };
        let (arguments, is_prepared) = match call {
            Some(call) => (call.arguments, true),
            None => {
                let CheckedArguments { arguments, has_unknown, missing } =
                    self.check_arguments(plugin, given)?;
                if !missing.is_empty() {
                    self.call_again(unit, missing);
                    return Ok(None);
                }
                if has_unknown && !entry.signature().allow_unknown {
                    return Ok(Some(self.unknown()));
                }
                if self.settings.is_check && entry.touches_world() {
                    self.needs_plugin = true;
                    let message = format!("{} is not called", entry.signature().name);
                    return Err(Error::new(Class::Runtime, message));
                }
                let is_prepared = self.start_batch(plugin, &arguments);
                (arguments, is_prepared)
            }
        };
        self.warn_deprecated(entry.signature());
        self.call_site.push((expr, scope));
        let outcome = match is_prepared {
            true => entry.call_prepared(self, &arguments),
            false => entry.call(self, &arguments),
        };
        self.call_site.pop();
        match outcome {
            Ok(value) => {
                self.check_result(plugin, &value)?;
                Ok(Some(value))
            }
            Err(Stop::Unknown(value)) => Ok(Some(value)),
            Err(Stop::Unset(vars)) => {
                self.call_again(unit, vars);
                Ok(None)
            }
            Err(stop) => {
                let name = self.called_name(expr);
                Err(self.plugin_error(expr, stop, &format!("in plugin {name}")))
            }
        }
    }

    /// Runs the unit of a call again once some variables have values.
    fn call_again(&mut self, unit: UnitId, vars: Vec<VarId>) {
        // Each variable notifies the unit once, so it runs after the last one.
        self.units[unit as usize].waits = 1;
        for var in vars {
            self.units[unit as usize].requires.push(var);
            self.wait(unit, var);
        }
        self.wake(unit);
    }

    fn called_name(&self, expr: ExprId) -> String {
        match self.program.ast.exprs[expr].kind {
            ExprKind::Call(call) => {
                self.program.name(self.program.ast.calls[call].name.symbol).to_owned()
            }
            _ => String::new(),
        }
    }

    fn plugin_error(&self, expr: ExprId, stop: Stop, place: &str) -> Box<Error> {
        let error = match stop {
            Stop::Raised { class, text } => {
                let mut error = Error::new(Class::External, format!("Exception {place}"));
                error.python = Some(if text.is_empty() {
                    class.to_string()
                } else {
                    format!("{class}: {text}")
                });
                error
            }
            Stop::Explicit { message, python } => {
                let text = format!("PluginException {place}\n{message}");
                let mut error = Error::new(Class::ExplicitPlugin, text);
                error.python = Some(python);
                error.fault = Some(Fault::Refused(message));
                error
            }
            Stop::Error(error) if error.class == Class::PluginType => return error,
            Stop::Error(error) if error.class.is_runtime() => {
                Error::new(Class::Wrapping, format!("Exception {place}")).caused_by(error)
            }
            Stop::Error(error) => return error,
            Stop::Unset(_) => Error::new(Class::Runtime, "a value is needed that is not set"),
            Stop::Unknown(_) => Error::new(Class::Runtime, "a value is needed that is not known"),
        };
        self.error_at(Place::expr(expr), error)
    }

    fn warn_deprecated(&mut self, signature: &Signature) {
        let Some(by) = &signature.deprecated else { return };
        let mut text = format!("Plugin '{}' is deprecated.", signature.name);
        if !by.is_empty() {
            text.push_str(&format!(" It should be replaced by '{by}'."));
        }
        self.program.warnings.push(Warning {
            class: "PluginDeprecationWarning".into(),
            text,
            at: None,
        });
    }

    fn check_result(&mut self, plugin: u32, value: &Value) -> Result<()> {
        let ty = self.program.plugins[plugin as usize].returns;
        if value.is_unknown() {
            return Ok(());
        }
        self.validate(value, ty).map_err(|cause| {
            let name = &self.program.plugins[plugin as usize].plugin.signature().name;
            let message = format!(
                "Return value {} of plugin {name} has incompatible type. Expected type: {}",
                value.text(self),
                self.program.type_name(ty)
            );
            Error::new(Class::PluginType, message).caused_by(cause)
        })
    }

    /// Checks arguments against a signature.
    pub(super) fn check_plugin_arguments(
        &mut self,
        plugin: u32,
        positional: &[Value],
        named: &[(EcoString, Value)],
    ) -> Result<CheckedArguments> {
        let given = CallArguments { positional: positional.to_vec(), named: named.to_vec() };
        self.check_arguments(plugin, &given)
    }

    pub(super) fn check_arguments(
        &mut self,
        plugin: u32,
        given: &CallArguments,
    ) -> Result<CheckedArguments> {
        let entry = self.program.plugins[plugin as usize].plugin.clone();
        let signature = entry.signature();
        let is_named = |name: &str| given.named.iter().any(|(known, _)| known == name);
        signature.check_count(given.positional.len(), &is_named)?;
        let mut checked = CheckedArguments::default();
        let arguments = &mut checked.arguments;
        *arguments = Arguments {
            values: signature.params.iter().map(|param| param.default.clone()).collect(),
            ..Arguments::default()
        };
        let places = signature.params.iter().filter(|p| !p.keyword_only).count();
        arguments.positional = given.positional.len().min(places);
        for (i, value) in given.positional.iter().enumerate() {
            let (param, ty) = match signature.params.get(i).filter(|p| !p.keyword_only) {
                Some(param) => (param, self.program.plugins[plugin as usize].params[i]),
                None => match &signature.rest {
                    Some(param) => (param, self.program.plugins[plugin as usize].rest),
                    None => continue,
                },
            };
            if self.check_argument(&mut checked, signature, (param, ty), value)? {
                return Ok(checked);
            }
            let arguments = &mut checked.arguments;
            if i < places {
                arguments.values[i] = Some(value.clone());
            } else {
                arguments.rest.push(value.clone());
            }
        }
        self.check_named_arguments(plugin, signature, given, checked)
    }

    /// Checks the named arguments after the positional ones.
    fn check_named_arguments(
        &mut self,
        plugin: u32,
        signature: &Signature,
        given: &CallArguments,
        mut checked: CheckedArguments,
    ) -> Result<CheckedArguments> {
        for (name, value) in &given.named {
            let Some(i) = signature.params.iter().position(|p| p.name == *name) else {
                let ty = self.program.plugins[plugin as usize].keywords;
                let Some(param) = &signature.keywords else {
                    let message = format!(
                        "{}() got an unexpected keyword argument: '{name}'",
                        signature.name
                    );
                    return Err(Error::new(Class::Runtime, message));
                };
                if self.check_argument(&mut checked, signature, (param, ty), value)? {
                    return Ok(checked);
                }
                checked.arguments.keywords.push((name.clone(), value.clone()));
                continue;
            };
            if i < checked.arguments.positional {
                let message =
                    format!("{}() got multiple values for argument '{name}'", signature.name);
                return Err(Error::new(Class::Runtime, message));
            }
            let ty = self.program.plugins[plugin as usize].params[i];
            if self.check_argument(&mut checked, signature, (&signature.params[i], ty), value)? {
                return Ok(checked);
            }
            checked.arguments.values[i] = Some(value.clone());
        }
        Ok(checked)
    }

    /// Checks an argument. Returns whether variables need a value before the next argument is
    /// checked.
    fn check_argument(
        &mut self,
        checked: &mut CheckedArguments,
        signature: &Signature,
        (param, ty): (&Param, TypeId),
        value: &Value,
    ) -> Result<bool> {
        if value.is_unknown() {
            checked.has_unknown = true;
            return Ok(false);
        }
        let mut result = self.validate(value, ty).map(|()| Vec::new());
        if result.is_ok() && param.converts && !self.program.dataclasses.is_empty() {
            result = self.check_fields(value, ty);
        }
        checked.missing = result.map_err(|cause| {
            let (name, plugin) = (&param.name, &signature.name);
            let is_reference = matches!(value, Value::Reference(_));
            let is_unexpected = is_reference && !self.takes_references(ty);
            let message = if cause.class == Class::UnexpectedReference || is_unexpected {
                let verb = if is_reference { "is" } else { "contains" };
                format!(
                    "Value {} for argument {name} of plugin {plugin} {verb} a reference. To allow \
                     references, use `| Reference[...]` in your type annotation.",
                    value.repr(self)
                )
            } else {
                format!(
                    "Value {} for argument {name} of plugin {plugin} has incompatible type. \
                     Expected type: {}",
                    value.repr(self),
                    self.program.type_name(ty)
                )
            };
            Error::new(Class::PluginType, message).caused_by(cause)
        })?;
        Ok(!checked.missing.is_empty())
    }

    /// Calls a plugin in the condition of a typedef.
    pub(super) fn call_directly(
        &mut self,
        expr: ExprId,
        plugin: u32,
        positional: &[Value],
        named: &[(EcoString, Value)],
    ) -> Result<Value> {
        let entry = self.program.plugins[plugin as usize].plugin.clone();
        let CheckedArguments { arguments, has_unknown, missing } =
            self.check_plugin_arguments(plugin, positional, named)?;
        let fail = |net: &Self, message: &str| {
            Err(net.error_at(Place::expr(expr), Error::new(Class::Runtime, message)))
        };
        if has_unknown && !entry.signature().allow_unknown {
            return fail(self, "Received unknown value during direct execution");
        }
        if entry.signature().has_context {
            return fail(self, "Context Aware functions are not allowed in direct execution");
        }
        self.needs_plugin |= !entry.is_callable();
        self.warn_deprecated(entry.signature());
        self.call_site.push((expr, ScopeId::TOP));
        let outcome = match missing.is_empty() {
            true => entry.call(self, &arguments),
            false => Err(Stop::Unset(missing)),
        };
        self.call_site.pop();
        match outcome {
            Ok(value) => {
                self.check_result(plugin, &value)?;
                Ok(value)
            }
            Err(Stop::Unknown(value)) => Ok(value),
            Err(stop) => {
                let name = self.called_name(expr);
                Err(self.plugin_error(
                    expr,
                    stop,
                    &format!("in direct execution for plugin {name}"),
                ))
            }
        }
    }
}
