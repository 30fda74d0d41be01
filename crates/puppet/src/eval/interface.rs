//! What built-in functions, templates and Hiera ask of a compile.

use std::path::PathBuf;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;

use crate::eval::closure::Closure;
use crate::eval::error::{EvalResult, plain};
use crate::eval::scope::ScopeId;
use crate::eval::{Compiler, LogEntry, LogLevel};
use crate::types::Type;
use crate::value::Value;

/// What becomes of a class that is named to `include` and its kin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inclusion {
    /// It is evaluated.
    Include,
    /// It is also contained in the calling class.
    Contain,
    /// The calling resource also requires it.
    Require,
}

impl Compiler<'_> {
    /// Calls a lambda with these arguments; `next` gives its value.
    ///
    /// # Errors
    /// When the arguments do not fit, and those of its body.
    pub fn call_closure(&mut self, _closure: &Arc<Closure>, _args: &[Value]) -> EvalResult {
        plain("lambdas cannot be called yet")
    }

    /// Calls a function by name: built-in, or written in Puppet.
    ///
    /// # Errors
    /// When there is none, its arguments do not fit, or it fails.
    pub fn call_function(
        &mut self,
        name: &str,
        _args: Vec<Value>,
        _block: Option<Arc<Closure>>,
        _scope: ScopeId,
        _span: Span,
    ) -> EvalResult {
        plain(format!("Unknown function: '{name}'."))
    }

    /// Logs a message with the prefix of the scope.
    pub fn log(
        &mut self,
        level: LogLevel,
        message: impl Into<String>,
        _scope: ScopeId,
        span: Span,
    ) {
        let source = String::new();
        self.logs.push(LogEntry { level, message: message.into(), source, span: Some(span) });
    }

    /// A warning of the compile itself, without a scope's prefix.
    pub fn warn(&mut self, message: impl Into<String>, span: Option<Span>) {
        let source = String::new();
        let level = LogLevel::Warning;
        self.logs.push(LogEntry { level, message: message.into(), source, span });
    }

    /// The value of a variable, qualified or not, searched from a scope; `None` if there is none.
    pub fn variable(&mut self, scope: ScopeId, name: &str) -> Option<Value> {
        self.scopes.lookup(scope, name).cloned()
    }

    /// The type that a text names, such as `Array[Stdlib::Port]`.
    ///
    /// # Errors
    /// When the text is no type.
    pub fn type_of_text(&mut self, text: &str, _span: Span) -> EvalResult<Type> {
        plain(format!("The expression <{text}> is not a valid type specification."))
    }

    /// Includes, contains or requires classes; gives the list of references.
    ///
    /// # Errors
    /// When a name is no class, or its evaluation fails.
    pub fn include(
        &mut self,
        _names: &[Value],
        _how: Inclusion,
        _scope: ScopeId,
        _span: Span,
    ) -> EvalResult {
        plain("classes cannot be included yet")
    }

    /// Declares resources of a type, as `create_resources` does: titles with their attributes. The
    /// type's name may begin with `@` or `@@`.
    ///
    /// # Errors
    /// As for the resource expression.
    pub fn create_resources(
        &mut self,
        _kind: &str,
        _resources: &[(EcoString, Value)],
        _defaults: &Value,
        _scope: ScopeId,
        _span: Span,
    ) -> EvalResult {
        plain("resources cannot be created yet")
    }

    /// Whether a reference is to something declared so far, and a name to a known type or class.
    pub fn is_defined(&mut self, _what: &Value, _scope: ScopeId) -> EvalResult<bool> {
        Ok(false)
    }

    /// The parameter of a declared resource; `None` if the resource does not exist.
    pub fn resource_parameter(&mut self, _reference: &Type, _name: &str) -> Option<Value> {
        None
    }

    /// The whole set of parameters of a declared resource; `None` if the resource does not exist.
    pub fn resource_parameters(&mut self, _reference: &Type) -> Option<Vec<(EcoString, Value)>> {
        None
    }

    /// Marks virtual resources to be realised.
    pub fn realize(&mut self, _references: &[Value], _span: Span) -> EvalResult<()> {
        plain("resources cannot be realised yet")
    }

    /// Adds tags to what contains the calling code.
    pub fn tag(&mut self, _tags: &[EcoString], _scope: ScopeId) -> EvalResult<()> {
        plain("tags cannot be set yet")
    }

    /// Whether the catalog, or what contains the calling code, has all these tags.
    pub fn tagged(&mut self, _tags: &[EcoString], _scope: ScopeId) -> bool {
        false
    }

    /// The file that `module/name` or an absolute path means, in a folder of the module such as
    /// `files` or `templates`.
    pub fn find_in_module(&mut self, _name: &str, _folder: &str) -> Option<PathBuf> {
        None
    }

    /// The directory of a module.
    pub fn module_directory(&mut self, _module: &str) -> Option<PathBuf> {
        None
    }

    /// Evaluates an EPP template with these parameters.
    ///
    /// # Errors
    /// When it does not parse or fails.
    pub fn epp(
        &mut self,
        _name: &str,
        _args: Option<&Value>,
        _scope: ScopeId,
        _span: Span,
    ) -> EvalResult {
        plain("templates cannot be evaluated yet")
    }

    /// Evaluates EPP text with these parameters.
    ///
    /// # Errors
    /// When it does not parse or fails.
    pub fn inline_epp(
        &mut self,
        _text: &str,
        _args: Option<&Value>,
        _scope: ScopeId,
        _span: Span,
    ) -> EvalResult {
        plain("templates cannot be evaluated yet")
    }

    /// The names of the modules that the calling code and its caller belong to; empty if to none.
    pub fn calling_modules(&self, scope: ScopeId) -> (EcoString, EcoString) {
        (self.scopes.get(scope).module.clone(), EcoString::new())
    }

    /// A setting's value, as `$settings::name` gives it.
    pub fn setting(&self, name: &str) -> Option<Value> {
        self.settings.values.get(name).cloned()
    }

    /// Whether a function of this name can be called.
    pub fn has_function(&mut self, _name: &str) -> bool {
        false
    }
}
