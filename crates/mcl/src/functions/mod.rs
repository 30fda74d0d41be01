//! The built-in functions: one table, and one file per family.
//!
//! A row of the table ([`Builtin`]) has the name of a function, its signature in types of mcl, its
//! properties, and its implementation. The type checker, the function engine, templates and the
//! manual all read the table:
//!
//! ```
//! use ordain_mcl::functions;
//! let found = functions::find("strings.to_upper").unwrap();
//! assert_eq!(found.signature().to_string(), "func(a str) str");
//! ```
//!
//! Functions access the outside only through [`Environment`]. Streaming functions do not run by
//! themselves: each call registers events ([`Call::watch`]), and the driver of the engine calls the
//! function again after such an event. So a test can play any events in any order without waiting.

pub mod environment;
pub(crate) mod shape;
mod table;

mod collections;
mod convert;
mod datetime;
mod demo;
mod deploy;
pub mod deprecated;
mod encoding;
mod errors;
mod global;
mod golang;
mod iter;
mod math;
mod net;
mod operators;
mod os;
mod strings;
mod sys;
mod world;

use std::any::Any;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::types::{FuncType, Type};
use crate::value::{Map, Str, Struct, Value};

pub use environment::{Environment, Watch};
pub use operators::Operator;
pub(crate) use shape::argument_name;
pub use shape::{KnownArg, instantiate, validate};
pub use table::{all, find, in_module, is_module};

/// The reason why a function has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// The error in the original's words.
    pub message: EcoString,
    /// Whether `<|>` may catch it. Other errors end the program.
    pub is_catchable: bool,
    /// Whether it is no error, but a value that is not available yet.
    pub is_waiting: bool,
}

impl Fault {
    /// An error that ends the program.
    pub fn fatal(message: impl Into<EcoString>) -> Self {
        Self { message: message.into(), is_catchable: false, is_waiting: false }
    }

    /// An error that `<|>` catches.
    pub fn catchable(message: impl Into<EcoString>) -> Self {
        Self { message: message.into(), is_catchable: true, is_waiting: false }
    }

    /// There is no value yet; one of the watches will provide it.
    pub fn waiting() -> Self {
        let message = "the value is not there yet".into();
        Self { message, is_catchable: false, is_waiting: true }
    }
}

/// The result of a call.
pub type Outcome = Result<Value, Fault>;

/// Gives all functions.
pub type AllFunctions = fn() -> &'static [Builtin];

/// One call of a function.
pub struct Call<'a> {
    /// The arguments.
    pub args: &'a [&'a Value],
    /// The signature of the function with the types of this call.
    pub signature: &'a FuncType,
    /// The environment of the program.
    pub environment: &'a dyn Environment,
    /// All functions, for functions that call others by name.
    pub functions: AllFunctions,
    /// The directory of the calling module below the root of the deploy, such as `/modules/x`.
    /// Empty for the root itself.
    pub base: &'a str,
    /// The state of the function between calls at this place of the program.
    pub state: &'a mut State,
    /// The events after which the function is called again with the same arguments.
    pub watches: &'a mut Vec<Watch>,
}

/// The state of a function between calls at one place of a program.
#[derive(Default)]
pub struct State(Option<Box<dyn Any + Send>>);

impl State {
    /// The kept state, or the initial one.
    #[expect(clippy::expect_used, reason = "the state was just set to a value of the type")]
    pub fn get<T: Default + Send + 'static>(&mut self) -> &mut T {
        let is_fitting = self.0.as_ref().is_some_and(|kept| kept.is::<T>());
        if !is_fitting {
            self.0 = Some(Box::new(T::default()));
        }
        let kept = self.0.as_mut().and_then(|kept| kept.downcast_mut());
        kept.expect("the kept state has the type of the initial one")
    }
}

impl<'a> Call<'a> {
    /// An argument.
    ///
    /// # Errors
    /// If there is none, which the type checker prevents.
    pub fn value(&self, index: usize) -> Result<&'a Value, Fault> {
        let missing = || Fault::fatal(format!("argument {index} is missing"));
        self.args.get(index).copied().ok_or_else(missing)
    }

    fn typed<T>(
        &self,
        index: usize,
        kind: &str,
        get: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<T, Fault> {
        let value = self.value(index)?;
        let wrong = || Fault::fatal(format!("argument {index} is {}, not {kind}", value.kind()));
        get(value).ok_or_else(wrong)
    }

    /// An argument that is a `str`.
    ///
    /// # Errors
    /// If it has another type, which the type checker prevents.
    pub fn str(&self, index: usize) -> Result<&'a Str, Fault> {
        self.typed(index, "str", Value::as_str)
    }

    /// An argument of type `str` as bytes.
    ///
    /// # Errors
    /// As of [`Call::str`].
    pub fn bytes(&self, index: usize) -> Result<&'a [u8], Fault> {
        self.str(index).map(Str::as_bytes)
    }

    /// An argument of type `str` as text, with replacement characters for invalid UTF-8.
    ///
    /// # Errors
    /// As of [`Call::str`].
    pub fn text(&self, index: usize) -> Result<std::borrow::Cow<'a, str>, Fault> {
        self.str(index).map(Str::to_text)
    }

    /// An argument that is an `int`.
    ///
    /// # Errors
    /// As of [`Call::str`].
    pub fn int(&self, index: usize) -> Result<i64, Fault> {
        self.typed(index, "int", Value::as_int)
    }

    /// An argument that is a `float`.
    ///
    /// # Errors
    /// As of [`Call::str`].
    pub fn float(&self, index: usize) -> Result<f64, Fault> {
        self.typed(index, "float", Value::as_float)
    }

    /// An argument that is a `bool`.
    ///
    /// # Errors
    /// As of [`Call::str`].
    pub fn bool(&self, index: usize) -> Result<bool, Fault> {
        self.typed(index, "bool", Value::as_bool)
    }

    /// An argument that is a list.
    ///
    /// # Errors
    /// As of [`Call::str`].
    pub fn list(&self, index: usize) -> Result<&'a [Value], Fault> {
        self.typed(index, "list", Value::as_list)
    }

    /// An argument that is a map.
    ///
    /// # Errors
    /// As of [`Call::str`].
    pub fn map(&self, index: usize) -> Result<&'a Map, Fault> {
        self.typed(index, "map", Value::as_map)
    }

    /// An argument that is a struct.
    ///
    /// # Errors
    /// As of [`Call::str`].
    pub fn record(&self, index: usize) -> Result<&'a Struct, Fault> {
        self.typed(index, "struct", Value::as_struct)
    }

    /// Registers an event for the next call. Events of earlier calls are dropped.
    pub fn watch(&mut self, watch: Watch) {
        self.watches.push(watch);
    }
}

/// The code of a function.
#[derive(Clone, Copy)]
pub enum Run {
    /// Values in, a value out.
    Values(fn(&mut Call<'_>) -> Outcome),
    /// Calls a function value for the items of lists. The function engine builds a node for each.
    Iterate(Iteration),
}

/// Functions that call a function value for each item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Iteration {
    /// `iter.map`
    Map,
    /// `iter.filter`
    Filter,
    /// `iter.reduce`
    Reduce,
    /// `iter.zip`
    Zip,
}

/// The source of the signature of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// It is that of the table.
    Fixed,
    /// It depends on the arguments: [`instantiate`].
    Variable,
}

/// A built-in function.
#[derive(Clone, Copy)]
pub struct Builtin {
    /// The import path of its module, a dot, its name; no dot for global ones: `golang/strings.index`.
    pub name: &'static str,
    /// Its signature as text, with ` | ` between alternatives.
    pub text: &'static str,
    /// The source of its signature.
    pub shape: Shape,
    /// Whether the function is pure: equal arguments always give equal values.
    pub is_pure: bool,
    /// Whether it streams: new values arrive without new arguments.
    pub is_streaming: bool,
    /// Whether `<|>` can catch some of its errors.
    pub is_catchable: bool,
    /// Whether the original builds no node for a call of it.
    pub is_speculated: bool,
    /// Its documentation, a sentence.
    pub doc: &'static str,
    /// Its code.
    pub run: Run,
}

impl Builtin {
    /// A pure function with a fixed signature.
    const fn pure(
        name: &'static str,
        text: &'static str,
        doc: &'static str,
        run: fn(&mut Call<'_>) -> Outcome,
    ) -> Self {
        Self {
            name,
            text,
            shape: Shape::Fixed,
            is_pure: true,
            is_streaming: false,
            is_catchable: false,
            is_speculated: true,
            doc,
            run: Run::Values(run),
        }
    }

    /// A function that reads the machine once when it is called.
    const fn impure(
        name: &'static str,
        text: &'static str,
        doc: &'static str,
        run: fn(&mut Call<'_>) -> Outcome,
    ) -> Self {
        Self { is_pure: false, is_speculated: false, ..Self::pure(name, text, doc, run) }
    }

    /// A streaming function.
    const fn stream(
        name: &'static str,
        text: &'static str,
        doc: &'static str,
        run: fn(&mut Call<'_>) -> Outcome,
    ) -> Self {
        Self { is_streaming: true, ..Self::impure(name, text, doc, run) }
    }

    /// Some of its errors can be caught.
    const fn catchable(self) -> Self {
        Self { is_catchable: true, ..self }
    }

    /// Its signature depends on the arguments.
    const fn variable(self) -> Self {
        Self { shape: Shape::Variable, ..self }
    }

    /// It calls a function value for each item.
    const fn iterate(self, iteration: Iteration) -> Self {
        Self { run: Run::Iterate(iteration), ..self }
    }

    /// Its first signature, which is the only one of [`Shape::Fixed`] functions.
    pub fn signature(&self) -> Type {
        self.signatures().next().unwrap_or(Type::Var(1))
    }

    /// Its signatures, as far as they can be expressed.
    pub fn signatures(&self) -> impl Iterator<Item = Type> {
        self.text.split(" | ").filter_map(|text| crate::types::parse(text).ok())
    }

    /// The module and the name in it; the module of global functions is empty.
    pub fn parts(&self) -> (&'static str, &'static str) {
        self.name.rsplit_once('.').unwrap_or(("", self.name))
    }

    /// Whether only the compiler may call it.
    pub fn is_internal(&self) -> bool {
        self.name.starts_with('_')
    }
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.text)
    }
}

/// Functions by name.
type Names = FxHashMap<&'static str, usize>;
