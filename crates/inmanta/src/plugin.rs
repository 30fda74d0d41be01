//! How plugin functions are declared and called.
//!
//! A plugin is a function outside of the language: built in, or written in Python. The evaluator
//! checks the arguments against the [`Signature`] before it calls, and the result after.

use std::rc::Rc;

use ecow::EcoString;
use ordain_source::World;

use crate::error::Error;
use crate::location::Location;
use crate::template::Renderer;
use crate::types::TypeId;
use crate::value::{InstanceId, Names, Reference, Value, VarId};

/// A type as a signature says it, before its names are looked up in the plugin's namespace.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeExpr {
    /// Everything but references.
    Any,
    /// `null` only.
    Null,
    /// Numbers of any kind; the name for them in the model language is deprecated.
    Number,
    /// A name of the model language, such as `string`, `list` or `std::Host`.
    Named(EcoString),
    /// The type that an attribute with this name as its type has.
    Written(EcoString),
    /// A list of elements of a type.
    List(Box<TypeExpr>),
    /// A dict with values of a type.
    Dict(Box<TypeExpr>),
    /// The type or `null`.
    Nullable(Box<TypeExpr>),
    /// One of several types.
    Union(Vec<TypeExpr>),
    /// A reference to a value of the type.
    Reference(Box<TypeExpr>),
    /// The first entity of these full names whose counterpart is a Python dataclass; the dataclass
    /// prints like this.
    Dataclass(Vec<EcoString>, EcoString),
    /// A type that was looked up.
    Known(TypeId),
}

impl TypeExpr {
    /// Reads the model language's way to write a type: `T`, `T[]`, `T?`, `T[]?`.
    pub fn model(text: &str) -> Self {
        let text = text.trim();
        if let Some(inner) = text.strip_suffix('?') {
            return Self::Nullable(Box::new(Self::model(inner)));
        }
        if let Some(inner) = text.strip_suffix("[]") {
            return Self::List(Box::new(Self::model(inner)));
        }
        match text {
            "any" => Self::Any,
            "null" => Self::Null,
            _ => Self::Named(text.into()),
        }
    }

    /// This type, or a reference to a value of it.
    pub fn or_reference(self) -> Self {
        Self::Union(vec![Self::Reference(Box::new(self.clone())), self])
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: EcoString,
    /// Its type.
    pub ty: TypeExpr,
    /// Whether it may be left out.
    pub has_default: bool,
    /// The value that it then has, where that can be said here; else whoever is called knows it.
    pub default: Option<Value>,
    /// Whether it can only be given by name.
    pub keyword_only: bool,
    /// Whether instances of dataclasses are handed over as objects of their Python classes.
    pub converts: bool,
}

impl Param {
    /// A parameter that must be given.
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

    /// The same with a default.
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
    /// The parameters: first those that can be given by position, then those by name only.
    pub params: Vec<Param>,
    /// The parameter that takes further positional arguments, if there is one.
    pub rest: Option<Param>,
    /// The parameter that takes further named arguments, if there is one.
    pub keywords: Option<Param>,
    /// The type of the result.
    pub returns: TypeExpr,
    /// Whether it is called with arguments that are not known; else the result is not known then.
    pub allow_unknown: bool,
    /// Whether it gets the compiler's context, which is not to be had in conditions of typedefs.
    pub has_context: bool,
    /// The plugin to use in its place, if it is deprecated: `Some("")` if none is named.
    pub deprecated: Option<EcoString>,
    /// Where it is defined, for messages; empty for plugins that are built in.
    pub file: EcoString,
    /// The line there.
    pub line: u32,
}

impl Signature {
    /// A plugin of this full name without parameters, of which the result may be anything.
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

    /// That so many positional arguments and those of these names fit the parameters.
    ///
    /// # Errors
    /// In Python's words, if there are too few or too many.
    pub fn check_count(
        &self,
        positional: usize,
        is_named: &dyn Fn(&str) -> bool,
    ) -> crate::error::Result<()> {
        let name = &self.name;
        let fail = |message: String| Err(Error::new(crate::error::Class::Runtime, message));
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
    /// For each parameter its argument, or its default; `None` where neither is known.
    pub values: Vec<Option<Value>>,
    /// How many of the parameters were given by position.
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

/// Why a call did not give a value.
#[derive(Debug)]
pub enum Stop {
    /// It needs variables that have no value yet; it is called again when they have.
    Unset(Vec<VarId>),
    /// It met a value that is not known yet, and so its result is not known.
    Unknown(Value),
    /// A Python exception: its class, module-qualified if it is not built in, and its text.
    Raised {
        /// Such as `ValueError` or `json.decoder.JSONDecodeError`.
        class: String,
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
    pub fn raised(class: &str, text: impl Into<String>) -> Self {
        Self::Raised { class: class.into(), text: text.into() }
    }
}

impl From<Box<Error>> for Stop {
    fn from(error: Box<Error>) -> Self {
        Self::Error(error)
    }
}

/// The origin of an instance that Python code gives.
#[derive(Clone, Debug)]
pub enum Origin {
    /// An object of a dataclass.
    Object,
    /// A reference to one.
    Reference(Rc<Reference>),
}

/// The model and the world, as a plugin can reach them while it runs.
pub trait Context: Names {
    /// The outside world.
    fn world(&self) -> &dyn World;
    /// The renderer of templates, kept from one template to the next.
    fn renderer(&mut self) -> &mut Renderer;
    /// The value of an attribute.
    ///
    /// # Errors
    /// If it has no value yet ([`Stop::Unset`]), is an optional relation without a value (an error
    /// of class `OptionalValueException`), or is not known ([`Stop::Unknown`]). If the entity has
    /// no such attribute, an error of class `NotFoundException`.
    fn attribute(&mut self, instance: InstanceId, name: &str) -> Result<Value, Stop>;
    /// The names of the attributes and relations of an instance.
    fn attribute_names(&self, instance: InstanceId) -> Vec<EcoString>;
    /// Whether an attribute holds instances.
    fn is_relation(&self, instance: InstanceId, name: &str) -> bool {
        let _ = (instance, name);
        false
    }
    /// Whether an instance is of an entity of this full name or below; `None` if there is no such
    /// type.
    fn is_instance(&self, instance: InstanceId, entity: &str) -> Option<bool>;
    /// The full names of all entities above that of an instance.
    fn parent_names(&self, instance: InstanceId) -> Vec<EcoString> {
        let _ = instance;
        Vec::new()
    }
    /// The value of a name where the call stands.
    ///
    /// # Errors
    /// If there is no such name, or it has no value yet.
    fn lookup(&mut self, name: &str) -> Result<Value, Stop>;
    /// The value of a name where the call stands, if it is known and nobody learns of its use.
    fn peek(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }
    /// The value of a variable at the top level of a namespace.
    ///
    /// # Errors
    /// If there is no such name, or it has no value yet.
    fn lookup_in(&mut self, namespace: &str, name: &str) -> Result<Value, Stop>;
    /// The full name of the namespace where the call stands.
    fn namespace(&self) -> &str;
    /// The place of the call.
    fn location(&self) -> Location;
    /// Notes that a text is secret: attributes of resources with it in them are not shown.
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
    /// A fact of a resource that was handed to the compiler.
    fn fact(&self, resource: &str, name: &str) -> Option<Value>;
    /// Notes that a parameter of a resource is not known.
    fn unknown_parameter(&mut self, resource: &str, name: &str);
    /// Makes an instance with these attributes and runs its implementations.
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
    /// If it gives no value.
    fn call(&self, context: &mut dyn Context, arguments: &Arguments) -> Result<Value, Stop>;
    /// Whether a call may read or change anything outside of the model, so that it has to run in
    /// its turn with the calls of other plugins.
    fn touches_world(&self) -> bool {
        true
    }
    /// Whether it is code of a module.
    fn is_python(&self) -> bool {
        false
    }
    /// Whether several calls can be prepared, to run at once.
    fn is_batched(&self) -> bool {
        false
    }
    /// Prepares a call. The calls that are prepared run, in their order, when the first of them is
    /// asked for its result; all have to be asked, in the same order. Says whether there is room
    /// for more.
    fn prepare(&self, context: &mut dyn Context, arguments: &Arguments) -> bool {
        let _ = (context, arguments);
        false
    }
    /// The result of a call that was prepared.
    ///
    /// # Errors
    /// If it gives no value.
    fn call_prepared(
        &self,
        context: &mut dyn Context,
        arguments: &Arguments,
    ) -> Result<Value, Stop> {
        self.call(context, arguments)
    }
}

/// A plugin that is built in.
pub struct Native {
    /// Whether it reads or changes anything outside of the model.
    pub touches_world: bool,
    /// Its signature.
    pub signature: Signature,
    /// The function to run.
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
