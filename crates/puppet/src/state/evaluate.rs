//! The evaluator, as the floors below it see it.

use crate::catalog::resource::Inclusion;
use crate::error::EvalResult;
use crate::state::budget::Weight;
use crate::state::frame::Frame;
use crate::syntax::ExprId;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::models::Instance;
use crate::value::HashValue;
use crate::value::Value;
use crate::value::closure::Closure;
use crate::value::closure::ScopeId;
use ecow::EcoString;
use ordain_source::Span;
use std::path::Path;
use std::sync::Arc;

/// The operations that built-in functions, Hiera and code in Ruby ask of the evaluator. It implements
/// them on a floor above, since code that it evaluates calls them in turn.
pub trait Evaluate {
    /// Calls a function by name: built-in, or written in Puppet.
    ///
    /// # Errors
    /// When the function is unknown, its arguments do not fit, or it fails.
    fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        block: Option<Arc<Closure>>,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult;

    /// As [`Evaluate::call_closure`], with arguments that may have been weighed.
    fn call_with(&mut self, closure: &Arc<Closure>, args: &[Value], weight: Weight) -> EvalResult;

    /// A lambda as a value that can be called.
    fn closure(&mut self, f: &Frame, id: ExprId) -> EvalResult<Arc<Closure>>;

    /// Parses and evaluates the text of a type, such as `Array[Stdlib::Port]`.
    ///
    /// # Errors
    /// When the text is not a type.
    fn type_of_text(&mut self, text: &str, span: Span) -> EvalResult<Type>;

    /// The type of a name: built in, an alias, or a resource type.
    fn named_type(&mut self, name: &str) -> EvalResult<Type>;

    /// Makes an object of a type from a hash and an initialiser, both optional.
    ///
    /// # Errors
    /// When a value does not fit, a feature is missing, or an invariant does not hold.
    fn instantiate(
        &mut self,
        kind: &Arc<ObjectType>,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> EvalResult;

    /// Evaluates an EPP template with these parameters.
    ///
    /// # Errors
    /// When it is not found, does not parse or fails.
    fn epp(&mut self, name: &str, args: Option<&Value>, scope: ScopeId, span: Span) -> EvalResult;

    /// Evaluates EPP text with these parameters.
    ///
    /// # Errors
    /// When it does not parse or fails.
    fn inline_epp(
        &mut self,
        text: &str,
        args: Option<&Value>,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult;

    /// Renders the ERB template in a file.
    ///
    /// # Errors
    /// When it does not parse or fails.
    fn erb(&mut self, name: &str, path: &Path, scope: ScopeId, span: Span)
    -> EvalResult<EcoString>;

    /// Renders a text as an ERB template.
    ///
    /// # Errors
    /// When it does not parse or fails.
    fn inline_erb(&mut self, text: &EcoString, scope: ScopeId, span: Span)
    -> EvalResult<EcoString>;

    /// Whether a function of this name can be called.
    fn has_function(&mut self, name: &str) -> bool;

    /// The file of a function, if calls of this name run Ruby code.
    fn only_in_ruby(&self, name: &str) -> Option<Arc<crate::load::RubyFile>>;

    /// The return types of the signatures of a function of a module; `None` if one has none.
    ///
    /// # Errors
    /// Of the types, and when a file of the function cannot be loaded.
    fn return_types(&mut self, name: &str, span: Option<Span>) -> EvalResult<Option<Vec<Type>>>;

    /// Includes, contains or requires classes; gives the list of references.
    ///
    /// # Errors
    /// When a name is no class, or its evaluation fails.
    fn include(
        &mut self,
        names: &[Value],
        how: Inclusion,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult;

    /// Declares resources of a type, as `create_resources` does: titles with their attributes. The
    /// type's name may begin with `@` or `@@`.
    ///
    /// # Errors
    /// As for the resource expression.
    fn create_resources(
        &mut self,
        kind: &str,
        resources: &[(Value, Value)],
        defaults: &Value,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<()>;

    /// Whether a reference is to something declared so far, and a name to a known type or class.
    ///
    /// # Errors
    /// When a file that may define the name does not parse.
    fn is_defined(&mut self, what: &Value, scope: ScopeId) -> EvalResult<bool>;

    /// The parameter of a declared resource; `None` if the resource does not exist.
    fn resource_parameter(&mut self, reference: &Type, name: &str) -> Option<Value>;

    /// Marks virtual resources to be realised, including resources that are declared later.
    fn realize(&mut self, references: &[Value], span: Span);

    /// Adds tags to the class or define whose code calls this.
    ///
    /// # Errors
    /// When a text cannot be a tag.
    fn tag(&mut self, names: &[EcoString], scope: ScopeId) -> EvalResult<()>;

    /// Whether the catalog, or the class or define whose code calls this, has all these tags.
    fn tagged(&mut self, names: &[EcoString], scope: ScopeId) -> bool;

    /// Whether there is a class of this name in lower case.
    ///
    /// # Errors
    /// Of its file.
    fn has_class(&mut self, name: &str) -> EvalResult<bool>;

    /// The features of an object that are not derived, as its initialiser takes them.
    ///
    /// # Errors
    /// When computing one fails.
    fn features_of(&mut self, object: &Arc<Instance>) -> EvalResult<HashValue>;

    /// Replaces the deferred calls in a value by their results.
    ///
    /// # Errors
    /// Of the calls.
    fn resolve(&mut self, value: &Value, scope: ScopeId, span: Span) -> EvalResult;

    /// Calls a lambda with these arguments; `next` gives its value.
    ///
    /// # Errors
    /// When the arguments do not fit, and those of its body.
    fn call_closure(&mut self, closure: &Arc<Closure>, args: &[Value]) -> EvalResult {
        self.call_with(closure, args, Weight::Unknown)
    }
}
