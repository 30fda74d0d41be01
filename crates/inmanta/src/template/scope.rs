//! Resolves names in contexts and scopes.

use std::cell::RefCell;
use std::rc::Rc;

use ecow::EcoString;

use super::ast::{Load, Symbols, Target};
use super::fault::{Fault, Res, type_error, value_error};
use super::runtime::Runtime;
use super::value::{Context, Frame, LoadedTemplate, Names, Object, Proxy, Resolver, Scope, Val};
use crate::diagnostics::{Class, Exception};
use crate::model::plugin::Stop;
use crate::value::Value;

impl Context {
    /// Creates a context for a template.
    pub(super) fn new(
        template: &LoadedTemplate,
        parent: Rc<Names>,
        resolver: Resolver,
    ) -> Rc<Self> {
        let blocks = template.template.blocks.iter();
        Rc::new(Self {
            parent,
            vars: RefCell::default(),
            exported: RefCell::default(),
            blocks: RefCell::new(blocks.map(|(k, v)| (k.clone(), vec![v.clone()])).collect()),
            autoescape: Rc::default(),
            resolver,
            name: template.name.clone(),
        })
    }

    /// All names with a value, except globals.
    pub(super) fn all(&self) -> Rc<Names> {
        let vars = self.vars.borrow();
        if vars.is_empty() {
            return self.parent.clone();
        }
        let mut all = (*self.parent).clone();
        all.extend(vars.iter().map(|(name, value)| (name.clone(), value.clone())));
        Rc::new(all)
    }

    pub(super) fn set(&self, name: &EcoString, value: Val) {
        self.vars.borrow_mut().insert(name.clone(), value);
        self.exported.borrow_mut().retain(|other| other != name);
    }

    pub(super) fn export(&self, name: &EcoString, value: Val) {
        self.set(name, value);
        if !name.starts_with('_') {
            self.exported.borrow_mut().push(name.clone());
        }
    }
}

impl Scope {
    pub(super) fn with<T>(&self, name: &str, act: impl FnOnce(&mut Option<Val>) -> T) -> Option<T> {
        let mut scope = self;
        loop {
            if let Some(at) = scope.symbols.all.iter().position(|symbol| symbol.name == name) {
                return scope.values.borrow_mut().get_mut(at).map(act);
            }
            scope = scope.parent.as_deref()?;
        }
    }
}

impl Frame {
    pub(super) fn inner(&self, scope: Rc<Scope>) -> Self {
        Self { scope, is_top: false, ..self.clone() }
    }
}

impl Runtime<'_> {
    /// Converts a value of the model; `path` is for messages.
    pub(super) fn of_model(&mut self, value: &Value, path: &str) -> Res<Val> {
        self.handed(value, path, false)
    }

    /// Converts an argument of the call.
    pub(super) fn argument(&mut self, value: &Value, path: &str) -> Res<Val> {
        self.handed(value, path, true)
    }

    /// Converts a part of a value of the model.
    pub(super) fn inside(&mut self, value: &Value, path: &str, outer: &Proxy) -> Res<Val> {
        self.handed(value, path, outer.is_argument)
    }

    pub(super) fn handed(&mut self, value: &Value, path: &str, is_argument: bool) -> Res<Val> {
        Ok(match value {
            Value::Null => Val::None,
            Value::Bool(truth) => Val::Bool(*truth),
            Value::Int(number) => Val::Int(*number),
            Value::BigInt(number) => Val::Big(number.clone()),
            Value::Float(number) => Val::Float(*number),
            Value::Str(text) => Val::Str(text.clone()),
            Value::Unknown(_) => return Err(Stop::Unknown(value.clone()).into()),
            Value::Reference(_) => {
                let shown = value.repr(&*self.model);
                let text = format!(
                    "Encountered reference in Jinja template for variable {path} (= `{shown}`)"
                );
                return Err(Stop::explicit(text).into());
            }
            Value::List(_) | Value::Dict(_) | Value::Instance(_) | Value::Object(_) => {
                let (value, path) = (value.clone(), path.into());
                Val::Proxy(Rc::new(Proxy { value, path, is_argument }))
            }
        })
    }

    /// The value of a name that the template does not assign.
    pub(super) fn resolve(&mut self, name: &EcoString, context: &Context) -> Res<Option<Val>> {
        match context.resolver {
            Resolver::None => {
                return Err(Fault::Raised(Exception::KeyError, "'{{resolver'".into()));
            }
            Resolver::Model => {
                match self.model.lookup(name) {
                    Ok(value) => return self.of_model(&value, name).map(Some),
                    Err(Stop::Error(error)) if error.class == Class::OptionalValue => {
                        return Ok(None);
                    }
                    Err(Stop::Error(error)) if error.class == Class::NotFound => {}
                    Err(stop) => return Err(stop.into()),
                }
                if self.model.module_directory(name).is_some() {
                    return Ok(Some(Val::object(Object::Model(name.clone()))));
                }
            }
            Resolver::Arguments => {}
        }
        if let Some(value) = context.vars.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        if let Some(value) = context.parent.get(name) {
            return Ok(Some(value.clone()));
        }
        let globals = ["range", "dict", "lipsum", "cycler", "joiner", "namespace"];
        let found = globals.into_iter().find(|global| global == name);
        Ok(found.map(|name| Val::object(Object::Function(name))))
    }

    /// Creates a scope.
    pub(super) fn enter(
        &mut self,
        symbols: &Symbols,
        parent: Option<&Rc<Scope>>,
        context: &Context,
    ) -> Res<Rc<Scope>> {
        let mut values = Vec::with_capacity(symbols.all.len());
        for symbol in symbols.all.iter() {
            values.push(match symbol.load {
                Load::Parameter | Load::Undefined => None,
                Load::Resolve => self.resolve(&symbol.name, context)?,
                Load::Alias => {
                    parent.and_then(|parent| parent.with(&symbol.name, |v| v.clone())).flatten()
                }
            });
        }
        let (symbols, parent) = (symbols.clone(), parent.cloned());
        Ok(Rc::new(Scope { symbols, values: RefCell::new(values), parent }))
    }

    /// The value of a name in a scope.
    pub(super) fn name(&mut self, name: &EcoString, frame: &Frame) -> Res<Val> {
        let found = match frame.scope.with(name, |value| value.clone()) {
            Some(found) => found,
            None => self.resolve(name, &frame.context)?,
        };
        Ok(found.unwrap_or_else(|| Val::missing(name)))
    }

    pub(super) fn put(&self, name: &str, value: Val, scope: &Scope) {
        scope.with(name, |place| *place = Some(value));
    }

    /// Assigns a value to a target. Assignments at the top level are exported.
    pub(super) fn assign(&mut self, target: &Target, value: Val, frame: &Frame) -> Res<()> {
        match target {
            Target::Name(name) => {
                if frame.is_top {
                    frame.context.export(name, value.clone());
                }
                self.put(name, value, &frame.scope);
                Ok(())
            }
            Target::Attribute(name, attribute) => {
                if let Val::Object(object) = self.name(name, frame)?
                    && let Object::Namespace(entries) = &*object
                {
                    entries.borrow_mut().set(attribute, value);
                }
                Ok(())
            }
            Target::Tuple(targets) => {
                let items = self.unpacked(&value, targets.len())?;
                targets.iter().zip(items).try_for_each(|(t, v)| self.assign(t, v, frame))
            }
        }
    }

    pub(super) fn unpacked(&mut self, value: &Val, count: usize) -> Res<Vec<Val>> {
        let items = self.iterate(value).map_err(|fault| {
            if fault.is(&Exception::TypeError) {
                type_error(format!("cannot unpack non-iterable {} object", value.type_name()))
            } else {
                fault
            }
        })?;
        let mut found = Vec::new();
        while let Some(item) = items.next(self)? {
            if found.len() == count {
                return Err(value_error(format!("too many values to unpack (expected {count})")));
            }
            found.push(item);
        }
        if found.len() < count {
            let text =
                format!("not enough values to unpack (expected {count}, got {})", found.len());
            return Err(value_error(text));
        }
        Ok(found)
    }

    /// Checks that the target of an assignment with a dot is a namespace.
    pub(super) fn check_namespaces(&mut self, target: &Target, frame: &Frame) -> Res<()> {
        match target {
            Target::Name(_) => Ok(()),
            Target::Attribute(name, _) => {
                let found = self.name(name, frame)?;
                let is_namespace =
                    matches!(&found, Val::Object(o) if matches!(&**o, Object::Namespace(_)));
                if is_namespace {
                    return Ok(());
                }
                let text = "cannot assign attribute on non-namespace object";
                Err(Fault::Raised(Exception::TemplateRuntime, text.into()))
            }
            Target::Tuple(items) => {
                items.iter().try_for_each(|item| self.check_namespaces(item, frame))
            }
        }
    }

    /// The variables of the scopes, for included templates.
    pub(super) fn locals(&self, frame: &Frame) -> Names {
        let mut found = Names::default();
        let mut scope = Some(&frame.scope);
        while let Some(here) = scope {
            for (symbol, value) in here.symbols.all.iter().zip(here.values.borrow().iter()) {
                if let Some(value) = value
                    && symbol.is_stored
                {
                    found.entry(symbol.name.clone()).or_insert_with(|| value.clone());
                }
            }
            scope = here.parent.as_ref();
        }
        found
    }

    pub(super) fn all_names(&self, frame: &Frame) -> Rc<Names> {
        let locals = self.locals(frame);
        let all = frame.context.all();
        if locals.is_empty() {
            return all;
        }
        let mut names = (*all).clone();
        names.extend(locals);
        Rc::new(names)
    }
}
