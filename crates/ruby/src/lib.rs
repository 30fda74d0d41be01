//! An interpreter for a subset of Ruby and ERB. A host provides variables and functions.
//!
//! A [`Template`] is parsed once and rendered any number of times, in any thread. Its [`Host`]
//! provides instance variables, methods of `self`, and values with methods of their own. Steps,
//! memory and stack are limited ([`Limits`]).
//!
//! Code beyond the subset is no error of the program: [`Error::Unsupported`] and
//! [`SyntaxError::is_unsupported`] mean that a real Ruby may run it.
//!
//! ```
//! use ordain_ruby::{Foreign, Host, HostError, Limits, Template, Trim, Value};
//!
//! struct Names;
//!
//! impl Host for Names {
//!     fn variable(&mut self, name: &str) -> Option<Value> {
//!         (name == "names").then(|| Value::array(vec![Value::str("a"), Value::str("b")]))
//!     }
//!
//!     fn call(
//!         &mut self,
//!         _: Option<&Foreign>,
//!         _: &str,
//!         _: &[Value],
//!     ) -> Result<Option<Value>, HostError> {
//!         Ok(None)
//!     }
//! }
//!
//! let text = "<% @names.each do |n| -%>\n<%= n.upcase %>;\n<% end -%>\n";
//! let template = Template::parse(text, Trim::Explicit).map_err(|e| e.message)?;
//! let text = template.render(&mut Names, &mut Limits::default()).map_err(|e| format!("{e:?}"))?;
//! assert_eq!(text, "A;\nB;\n");
//! # Ok::<(), String>(())
//! ```

mod class;
mod erb;
mod eval;
mod function;
mod host;
mod methods;
mod script;
mod stack;
mod syntax;
pub mod tree;
mod value;

use ecow::EcoString;

use methods::BuiltIn;

pub use class::Class;
pub use erb::Trim;
pub use eval::Limits;
pub use eval::error::Error;
pub use function::{Dispatch, Function, Interface, MethodArg, Param};
pub use host::{BlockCall, HOST_CLASS, Host, HostError};
pub use script::Script;
pub use syntax::SyntaxError;
pub use value::{
    Array, Enumerator, Exception, Foreign, Hash, MatchData, Proc, Range, Regexp, Text, Time, Value,
};

/// A parsed template.
#[derive(Debug)]
pub struct Template {
    program: syntax::Program,
    length: usize,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// When it is no valid Ruby, or beyond the subset.
    pub fn parse(text: &str, trim: Trim) -> Result<Self, SyntaxError> {
        let compiled = erb::compile(text, trim);
        let program = syntax::parse(&compiled.source, &compiled.texts)?;
        Ok(Self { program, length: text.len() })
    }

    /// Renders the template. Afterwards `limits` has the steps that are left.
    ///
    /// # Errors
    /// When the program raises an exception, is beyond the subset, or uses up a budget.
    pub fn render(&self, host: &mut dyn Host, limits: &mut Limits) -> Result<EcoString, Error> {
        eval::run(&self.program, host, &BuiltIn, limits, self.length)
    }
}
