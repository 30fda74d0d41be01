//! Puppet's type system (upstream `lib/puppet/pops/types`): the types themselves, and how values are
//! tested against them, inferred, converted and described.

pub mod accepts;
pub mod aliases;
pub mod assignable;
pub mod builtin;
pub mod display;
pub mod format;
pub mod generalize;
pub mod infer;
pub(crate) mod init;
pub mod inner;
pub mod instance;
pub mod label;
pub mod library;
pub mod mismatch;
pub mod models;
pub mod new;
pub mod normalize;
pub mod object;
mod parameter_errors;
pub(crate) mod parameters;
pub(crate) mod range;
pub mod references;
pub mod refusal;
pub mod regexp;
pub mod ruby_classes;
mod semver;
pub mod signature;
pub mod simple_name;
pub mod specialize;
#[cfg(test)]
mod tests;
pub(crate) mod text_reader;
pub mod type_set;
pub(crate) mod undecided;
pub mod uri;
pub mod variant;

pub use crate::model::{
    AttributeRole, CallableType, FloatRange, InitType, ObjectAttribute, ObjectFunction, ObjectType,
    Parameterized, StructMember, Type, TypeAlias, TypeSet,
};
pub use assignable::is_assignable;
pub use generalize::generalize;
pub use infer::{common_type, infer, infer_set};
pub use instance::is_instance;
pub use library::{builtin, parse_static};
pub use normalize::normalize;
pub use range::{IntRange, SizeRange};
pub use regexp::Regexp;
pub use specialize::specialize;
use std::fmt;
use std::hash::{Hash, Hasher};

impl PartialEq for InitType {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.target == other.target && self.arguments == other.arguments
    }
}

impl Eq for InitType {}

impl Hash for InitType {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.target.hash(state);
        self.arguments.hash(state);
    }
}

impl fmt::Debug for InitType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InitType").field(&self.target).field(&self.arguments).finish()
    }
}

impl PartialEq for FloatRange {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.from.to_bits() == other.from.to_bits() && self.to.to_bits() == other.to.to_bits()
    }
}

impl Eq for FloatRange {}

impl Hash for FloatRange {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.from.to_bits());
        state.write_u64(self.to.to_bits());
    }
}

impl AttributeRole {
    /// The keyword in a definition; `None` for plain attributes.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Normal => None,
            Self::Constant => Some("constant"),
            Self::Derived => Some("derived"),
            Self::GivenOrDerived => Some("given_or_derived"),
            Self::Reference => Some("reference"),
        }
    }
}

impl PartialEq for TypeAlias {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for TypeAlias {}

impl Hash for TypeAlias {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

// The target may refer back to the alias, so it is left out.
impl fmt::Debug for TypeAlias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &Self) -> bool {
        // A type is inside itself by its alias only, and aliases are compared by name.
        std::ptr::eq(self, other)
            || self.name == other.name
                && self.parent == other.parent
                && self.type_parameters == other.type_parameters
                && self.attributes == other.attributes
                && self.functions == other.functions
                && self.equality == other.equality
    }
}

impl Eq for ObjectType {}

impl Hash for ObjectType {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
