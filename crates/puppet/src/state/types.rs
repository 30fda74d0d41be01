//! The types that a compile knows, and the type definitions that it is evaluating.

use crate::catalog::resource::KnownKind;
use crate::state::annotations::Annotations;
use crate::state::frame::Frame;
use crate::syntax::{ExprId, Program};
use crate::types::{TypeAlias, TypeSet};
use ecow::EcoString;
use ordain_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The types that a compile knows, and the type definitions that it is evaluating.
#[derive(Default)]
pub(crate) struct TypeState {
    /// Type aliases by names in lower case.
    pub(crate) aliases: FxHashMap<EcoString, Arc<TypeAlias>>,
    /// Resource types by the names that code uses for them.
    resource_types: FxHashMap<EcoString, Arc<KnownKind>>,
    /// The addresses of the programs whose parameter types were evaluated.
    with_parameters: FxHashSet<usize>,
    /// The class or define whose parameter types are being evaluated.
    pub(crate) parameters_of: Option<Span>,
    /// The number of definitions under way. Inside of them, names may be unknown.
    pub(crate) defining: u32,
    /// The type sets whose definitions are being evaluated, innermost last; `None` for a definition
    /// outside of any.
    pub(crate) open: Vec<Option<Arc<TypeSet>>>,
    /// The types of type sets that were not asked for yet.
    pub(crate) pending: FxHashMap<EcoString, Pending>,
    pub(crate) annotations: Annotations,
}

/// The definition of a type in a type set.
pub(crate) struct Pending {
    pub(crate) frame: Frame,
    pub(crate) id: ExprId,
    pub(crate) set: Arc<TypeSet>,
}

impl TypeState {
    /// The resource type that was found for a name.
    pub(crate) fn resource_type(&self, name: &str) -> Option<&Arc<KnownKind>> {
        self.resource_types.get(name)
    }

    /// Keeps the resource type that was found for a name.
    pub(crate) fn set_resource_type(&mut self, name: &str, kind: Arc<KnownKind>) {
        self.resource_types.insert(name.into(), kind);
    }

    /// Whether the parameter types of a program were evaluated.
    pub(crate) fn has_parameters_of(&self, program: &Arc<Program>) -> bool {
        self.with_parameters.contains(&(Arc::as_ptr(program) as usize))
    }

    /// Records that the parameter types of a program are evaluated; false if they were before.
    pub(crate) fn begin_parameters_of(&mut self, program: &Arc<Program>) -> bool {
        self.with_parameters.insert(Arc::as_ptr(program) as usize)
    }

    /// Drops the aliases whose targets are unknown, so that they are looked up again when used.
    pub(crate) fn forget_unresolved_aliases(&mut self) {
        self.aliases.retain(|_, alias| alias.target.get().is_some());
    }

    /// Whether the definition of a type is being evaluated.
    pub(crate) fn is_defining(&self) -> bool {
        self.defining > 0
    }
}
