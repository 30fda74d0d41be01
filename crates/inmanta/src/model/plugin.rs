//! The interface of plugin functions.
//!
//! A plugin is a function that is built in or written in Python. The evaluator checks the arguments
//! against the [`Signature`] before a call, and the result afterwards.

use std::any::Any;
use std::rc::Rc;

use ecow::EcoString;
use ordain_source::World;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::diagnostics::{Class, Error, Exception, Result as ErrorResult};
use crate::location::Location;
use crate::model::identity::Identity;
use crate::types::TypeExpr;
use crate::value::{InstanceId, Names, Reference, Value, VarId};

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: EcoString,
    /// Its type.
    pub ty: TypeExpr,
    /// Whether it is optional.
    pub has_default: bool,
    /// The default, if it is known here. Otherwise the plugin itself knows it.
    pub default: Option<Value>,
    /// Whether it is keyword-only.
    pub keyword_only: bool,
    /// Whether instances of dataclasses are passed as objects of their Python classes.
    pub converts: bool,
}

impl Param {
    /// Creates a required parameter.
    pub fn new(name: &str, ty: TypeExpr) -> Self {
        Self {
            name: name.into(),
            ty,
            has_default: false,
            default: None,
            keyword_only: false,
            converts: false,
        }
    }

    /// Adds a default.
    pub fn or(mut self, default: Value) -> Self {
        self.has_default = true;
        self.default = Some(default);
        self
    }
}

/// The signature of a plugin.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The namespace and the name: `std::print`.
    pub name: EcoString,
    /// The parameters: positional ones first, then keyword-only ones.
    pub params: Vec<Param>,
    /// The parameter that takes further positional arguments, if there is one.
    pub rest: Option<Param>,
    /// The parameter that takes further keyword arguments, if there is one.
    pub keywords: Option<Param>,
    /// The type of the result.
    pub returns: TypeExpr,
    /// Whether it accepts unknown arguments. Otherwise an unknown argument makes the result
    /// unknown.
    pub allow_unknown: bool,
    /// Whether it gets the compiler's context, which conditions of typedefs do not have.
    pub has_context: bool,
    /// The replacement, if it is deprecated; `Some("")` if there is none.
    pub deprecated: Option<EcoString>,
    /// The file of the definition, for messages; empty for built-in plugins.
    pub file: EcoString,
    /// The line in that file.
    pub line: u32,
}

impl Signature {
    /// Creates a signature without parameters, with any result.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            params: Vec::new(),
            rest: None,
            keywords: None,
            returns: TypeExpr::Any,
            allow_unknown: false,
            has_context: false,
            deprecated: None,
            file: EcoString::new(),
            line: 0,
        }
    }

    /// Checks the number and the names of arguments.
    ///
    /// # Errors
    /// Python's error, if there are too few or too many.
    pub fn check_count(
        &self,
        positional: usize,
        is_named: &dyn Fn(&str) -> bool,
    ) -> ErrorResult<()> {
        let name = &self.name;
        let fail = |message: String| Err(Error::new(Class::Runtime, message));
        let places = self.params.iter().filter(|p| !p.keyword_only).count();
        if self.rest.is_none() && positional > places {
            let count = positional;
            return fail(format!(
                "{name}() takes {places} positional arguments but {count} were given"
            ));
        }
        for (is_keyword, sort) in [(false, "positional"), (true, "keyword-only")] {
            let missing: Vec<String> = self
                .params
                .iter()
                .enumerate()
                .filter(|(i, param)| {
                    param.keyword_only == is_keyword
                        && (is_keyword || *i >= positional)
                        && !param.has_default
                        && !is_named(&param.name)
                })
                .map(|(_, param)| format!("'{}'", param.name))
                .collect();
            match missing.as_slice() {
                [] => {}
                [only] => {
                    return fail(format!("{name}() missing 1 required {sort} argument: {only}"));
                }
                [first @ .., last] => {
                    let (count, first) = (missing.len(), first.join(", "));
                    return fail(format!(
                        "{name}() missing {count} required {sort} arguments: {first} and {last}"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The arguments of a call, checked against the signature.
#[derive(Clone, Default, Debug)]
pub struct Arguments {
    /// The argument or the default of each parameter; `None` if neither is known.
    pub values: Vec<Option<Value>>,
    /// The number of positional arguments.
    pub positional: usize,
    /// Further positional arguments.
    pub rest: Vec<Value>,
    /// Further named arguments.
    pub keywords: Vec<(EcoString, Value)>,
}

impl Arguments {
    /// The argument for a parameter; `null` where there is none.
    pub fn get(&self, index: usize) -> &Value {
        const NULL: &Value = &Value::Null;
        self.values.get(index).and_then(Option::as_ref).unwrap_or(NULL)
    }
}

/// The reasons why a call has no result.
#[derive(Debug)]
pub enum Stop {
    /// It needs variables without a value. It is called again when they have values.
    Unset(Vec<VarId>),
    /// It used an unknown value, so its result is unknown.
    Unknown(Value),
    /// A Python exception.
    Raised {
        /// The class.
        class: Exception,
        /// The message.
        text: String,
    },
    /// A `PluginException`.
    Explicit {
        /// Its message.
        message: String,
        /// Its class and text as Python prints them.
        python: String,
    },
    /// An error of the compiler itself.
    Error(Box<Error>),
}

impl Stop {
    /// A `PluginException`.
    pub fn explicit(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::Explicit { python: format!("inmanta.ast.PluginException: {message}"), message }
    }

    /// A Python exception.
    pub fn raised(class: Exception, text: impl Into<String>) -> Self {
        Self::Raised { class, text: text.into() }
    }
}

impl From<Box<Error>> for Stop {
    fn from(error: Box<Error>) -> Self {
        Self::Error(error)
    }
}

/// The origin of an instance that Python code created.
#[derive(Clone, Debug)]
pub enum Origin {
    /// An object of a dataclass.
    Object,
    /// A reference to one.
    Reference(Rc<Reference>),
}

/// Values that plugins keep from one call to the next, one for each type.
#[derive(Default)]
pub struct PluginState(FxHashMap<std::any::TypeId, Box<dyn Any>>);

impl PluginState {
    /// The value of a type; its default at first.
    #[expect(clippy::expect_used, reason = "each value has the type that is its key")]
    pub fn get<T: Any + Default>(&mut self) -> &mut T {
        let value =
            self.0.entry(std::any::TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        value.downcast_mut().expect("each value has the type that is its key")
    }
}

/// An entity as Python code sees it. Entities are full names.
#[derive(Clone, Debug, Serialize)]
pub struct EntityOutline {
    /// Its parents.
    pub parents: Vec<String>,
    /// All entities that it extends.
    pub ancestors: Vec<String>,
    /// Its own attributes.
    pub own: Vec<AttributeOutline>,
    /// The names of all attributes, with inherited ones.
    pub names: Vec<String>,
}

/// An attribute of an entity as Python code sees it.
#[derive(Clone, Debug, Serialize)]
pub struct AttributeOutline {
    /// Its name.
    pub name: String,
    /// The minimum and maximum number of instances, if it is a relation.
    pub relation: Option<(u32, Option<u32>)>,
    /// The entity and the name of the inverse relation.
    pub end: Option<(String, String)>,
    /// Whether it holds a list.
    pub is_many: bool,
    /// Whether `null` is allowed.
    pub is_nullable: bool,
}

/// The interface of the compiler for plugins.
pub trait Context: Names {
    /// Files, environment and time.
    fn world(&self) -> &dyn World;
    /// The state that plugins keep from one call to the next.
    fn state(&mut self) -> &mut PluginState;
    /// The value of an attribute.
    ///
    /// # Errors
    /// [`Stop::Unset`] without a value yet, [`Stop::Unknown`] for an unknown value, an error of
    /// class `OptionalValueException` for an unset optional relation, and one of class
    /// `NotFoundException` if the entity has no such attribute.
    fn attribute(&mut self, instance: InstanceId, name: &str) -> Result<Value, Stop>;
    /// The names of the attributes and relations of an instance.
    fn attribute_names(&self, instance: InstanceId) -> Vec<EcoString>;
    /// Whether an attribute holds instances.
    fn is_relation(&self, instance: InstanceId, name: &str) -> bool {
        let _ = (instance, name);
        false
    }
    /// Whether an instance belongs to an entity, by its full name, or to a descendant; `None` if
    /// there is no such entity.
    fn is_instance(&self, instance: InstanceId, entity: &str) -> Option<bool>;
    /// The entity of a full name; `None` if there is no such entity.
    fn entity(&self, name: &str) -> Option<EntityOutline> {
        let _ = name;
        None
    }
    /// The value of a name that is visible at the call.
    ///
    /// # Errors
    /// If there is no such name, or if it has no value yet.
    fn lookup(&mut self, name: &str) -> Result<Value, Stop>;
    /// The value of a name that is visible at the call, if it is known and reading it has no
    /// effects.
    fn peek(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }
    /// The value of a variable at the top level of a namespace.
    ///
    /// # Errors
    /// If there is no such name, or if it has no value yet.
    fn lookup_in(&mut self, namespace: &str, name: &str) -> Result<Value, Stop>;
    /// The full name of the namespace of the call.
    fn namespace(&self) -> &str;
    /// The place of the call.
    fn location(&self) -> Location;
    /// Marks a text as secret. Output hides attributes that contain it.
    fn secret(&mut self, text: &str) {
        let _ = text;
    }
    /// Writes a line to standard output.
    fn print(&mut self, line: &str);
    /// Logs a warning: `component` is padded in front of the text.
    fn warn(&mut self, component: &str, text: &str);
    /// The directory of the project.
    fn project_directory(&self) -> &std::path::Path;
    /// The directory of a module that is loaded.
    fn module_directory(&self, module: &str) -> Option<&std::path::Path>;
    /// A setting of the compiler's configuration.
    fn setting(&self, section: &str, key: &str) -> Option<&str>;
    /// A fact of a resource from the settings.
    fn fact(&self, resource: &str, name: &str) -> Option<Value>;
    /// How the resource classes of modules make ids.
    fn identities(&self) -> &[Identity] {
        &[]
    }
    /// Records an unknown parameter of a resource.
    fn unknown_parameter(&mut self, resource: &str, name: &str);
    /// Creates an instance and runs its implementations.
    ///
    /// # Errors
    /// If the entity or an attribute does not exist, or a value does not fit.
    fn construct(
        &mut self,
        entity: &str,
        attributes: &[(EcoString, Value)],
        origin: Option<&Origin>,
    ) -> Result<Value, Stop>;
    /// The type of an attribute's values.
    fn attribute_type(&mut self, entity: &str, name: &str) -> TypeExpr {
        let _ = (entity, name);
        TypeExpr::Any
    }
    /// Calls another plugin by its full name.
    ///
    /// # Errors
    /// The error of the call.
    fn call(
        &mut self,
        plugin: &str,
        positional: &[Value],
        named: &[(EcoString, Value)],
    ) -> Result<Value, Stop>;
    /// The full names of all plugins.
    fn plugin_names(&self) -> Vec<EcoString>;
}

/// A plugin function.
pub trait Plugin {
    /// Its signature.
    fn signature(&self) -> &Signature;
    /// Calls it.
    ///
    /// # Errors
    /// If the call has no result.
    fn call(&self, context: &mut dyn Context, arguments: &Arguments) -> Result<Value, Stop>;
    /// Whether a call may have effects outside of the model, so that the order of calls matters.
    fn touches_world(&self) -> bool {
        true
    }
    /// Whether it is written in Python.
    fn is_python(&self) -> bool {
        false
    }
    /// Whether it can be called. Of a plugin that a check finds in the text of a module, only the
    /// signature is known.
    fn is_callable(&self) -> bool {
        true
    }
    /// Whether calls can be batched.
    fn is_batched(&self) -> bool {
        false
    }
    /// Adds a call to the batch. The calls run in their order when the first result is requested;
    /// all results must be requested, in the same order. Returns whether there is room for more.
    fn prepare(&self, context: &mut dyn Context, arguments: &Arguments) -> bool {
        let _ = (context, arguments);
        false
    }
    /// The result of the next call of the batch.
    ///
    /// # Errors
    /// If the call has no result.
    fn call_prepared(
        &self,
        context: &mut dyn Context,
        arguments: &Arguments,
    ) -> Result<Value, Stop> {
        self.call(context, arguments)
    }
}

/// A built-in plugin.
pub struct Native {
    /// Whether it has effects outside of the model.
    pub touches_world: bool,
    /// Its signature.
    pub signature: Signature,
    /// The function.
    pub run: fn(&mut dyn Context, &Arguments) -> Result<Value, Stop>,
}

impl Plugin for Native {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn call(&self, context: &mut dyn Context, arguments: &Arguments) -> Result<Value, Stop> {
        (self.run)(context, arguments)
    }

    fn touches_world(&self) -> bool {
        self.touches_world
    }
}
