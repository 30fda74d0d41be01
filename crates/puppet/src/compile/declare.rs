//! The operations that the compile of a catalog offers to the evaluator.

use std::sync::Arc;

use ecow::EcoString;

use crate::catalog::resource::KnownKind;
use crate::catalog::values::Declaration;
use crate::catalog::{Declared, Param, PendingOverride, ResourceId};
use crate::error::EvalResult;
use crate::state::Compiler;
use crate::state::declare::Declare;
use crate::syntax::definitions::TypeDef;

impl Declare for Compiler<'_> {
    #[inline]
    fn declare_resource(
        &mut self,
        kind: &str,
        title: &EcoString,
        params: Vec<Param>,
        at: Declaration,
    ) -> EvalResult<ResourceId> {
        self.declare(kind, title, params, at)
    }

    #[inline]
    fn declare_class(
        &mut self,
        def: Arc<TypeDef>,
        params: Vec<Param>,
        declared: Declared,
        at: Declaration,
    ) -> EvalResult<ResourceId> {
        self.add_class(def, params, declared, at)
    }

    #[inline]
    fn evaluate_body(&mut self, id: ResourceId) -> EvalResult<()> {
        self.evaluate(id)
    }

    #[inline]
    fn find_class(&mut self, name: &str) -> EvalResult<Option<Arc<TypeDef>>> {
        self.class_named(name)
    }

    #[inline]
    fn find_resource_type(&mut self, name: &str) -> EvalResult<Option<Arc<KnownKind>>> {
        self.resource_type(name)
    }

    #[inline]
    fn declared_type(&mut self, name: &str) -> EvalResult<Arc<KnownKind>> {
        self.known_kind(name)
    }

    #[inline]
    fn override_resource(&mut self, id: ResourceId, over: &PendingOverride) -> EvalResult<()> {
        self.apply_override(id, over)
    }
}
