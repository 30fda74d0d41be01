//! The compile of a catalog, as the evaluator sees it.

use crate::catalog::resource::KnownKind;
use crate::catalog::values::Declaration;
use crate::catalog::{Declared, Param, PendingOverride, ResourceId};
use crate::error::EvalResult;
use crate::syntax::definitions::TypeDef;
use ecow::EcoString;
use std::sync::Arc;

/// The operations on the catalog that the evaluator asks for. They are implemented on a floor above,
/// because they evaluate the bodies and parameters of classes and defines in turn.
pub(crate) trait Declare {
    /// Declares one resource; a class is evaluated at once.
    ///
    /// # Errors
    /// When the type is unknown, the resource is a duplicate, or a class fails.
    fn declare_resource(
        &mut self,
        kind: &str,
        title: &EcoString,
        params: Vec<Param>,
        at: Declaration,
    ) -> EvalResult<ResourceId>;

    /// Puts a class into the catalog, after the class that it inherits from.
    ///
    /// # Errors
    /// When an inherited class is unknown or the resource is a duplicate.
    fn declare_class(
        &mut self,
        def: Arc<TypeDef>,
        params: Vec<Param>,
        declared: Declared,
        at: Declaration,
    ) -> EvalResult<ResourceId>;

    /// Evaluates the body of a class, define instance or node, unless it was evaluated before.
    ///
    /// # Errors
    /// Of its parameters and its body.
    fn evaluate_body(&mut self, id: ResourceId) -> EvalResult<()>;

    /// The class of a name in lower case.
    ///
    /// # Errors
    /// When a file that may define it does not parse, or a type in that file is unknown.
    fn find_class(&mut self, name: &str) -> EvalResult<Option<Arc<TypeDef>>>;

    /// The resource type of a name in any case: native, a define, or a type with features.
    ///
    /// # Errors
    /// As for [`Declare::find_class`].
    fn find_resource_type(&mut self, name: &str) -> EvalResult<Option<Arc<KnownKind>>>;

    /// As [`Declare::find_resource_type`], for a declaration.
    ///
    /// # Errors
    /// When the type is unknown.
    fn declared_type(&mut self, name: &str) -> EvalResult<Arc<KnownKind>>;

    /// Merges an override into a resource.
    ///
    /// # Errors
    /// When the overriding code may not override the resource.
    fn override_resource(&mut self, id: ResourceId, over: &PendingOverride) -> EvalResult<()>;
}
