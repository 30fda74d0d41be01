//! The type definitions that a compile is evaluating.

use crate::state::annotations::Annotations;
use crate::state::frame::Frame;
use crate::syntax::ExprId;
use crate::types::TypeSet;
use ecow::EcoString;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The type definitions of a compile that are under way, and the annotations of types.
#[derive(Default)]
pub(crate) struct TypeState {
    /// How many definitions are being evaluated: in them a name may be unknown.
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
    /// Whether the definition of a type is being evaluated.
    pub(crate) fn is_defining(&self) -> bool {
        self.defining > 0
    }
}
