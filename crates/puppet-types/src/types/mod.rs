//! Puppet's type system (upstream `lib/puppet/pops/types`): the types themselves, and how values are
//! tested against them, inferred, converted and described.

pub mod assignable;
pub mod display;
pub mod format;
pub mod infer;
pub mod instance;
pub mod label;
pub mod mismatch;
pub mod modelled;
pub mod new;
pub mod normalize;
pub mod object;
pub mod parse;
mod range;
pub mod references;
pub mod refusal;
pub mod regexp;
pub mod ruby_classes;
mod semver;
pub mod signature;
#[cfg(test)]
mod tests;
mod text_reader;
pub mod type_set;
pub mod uri;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use ecow::EcoString;

use crate::value::{SemVerRange, Value};

pub use assignable::is_assignable;
pub use infer::{common_type, generalize, infer, infer_set};
pub use instance::is_instance;
pub use normalize::normalize;
pub use parse::{builtin, parse_static, specialize};
pub use range::{IntRange, SizeRange};
pub use regexp::Regexp;
pub use type_set::TypeSet;

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Everything.
    Any,
    /// Internal: agrees with everything, both ways.
    Unit,
    /// `undef` only.
    Undef,
    /// `default` only.
    Default,
    /// Integers and floats.
    Numeric,
    /// `Scalar`
    Scalar,
    /// `ScalarData`
    ScalarData,
    /// `Data`
    Data,
    /// `RichData`
    RichData,
    /// `RichDataKey`
    RichDataKey,
    /// `NotUndef[T]`
    NotUndef(Option<Arc<Type>>),
    /// `Optional[T]`
    Optional(Option<Arc<Type>>),
    /// `Variant[T, …]`
    Variant(Arc<[Type]>),
    /// `Integer[from, to]`
    Integer(IntRange),
    /// `Float[from, to]`, infinite if open, by their bits.
    Float(FloatRange),
    /// `Boolean`, `Boolean[true]`
    Boolean(Option<bool>),
    /// `String[min, max]`
    String(SizeRange),
    /// The type of one text; prints as `String`.
    Literal(EcoString),
    /// `Enum[…]`, sorted.
    Enum {
        /// The texts.
        values: Arc<[EcoString]>,
        /// Whether case is ignored.
        caseless: bool,
    },
    /// `Pattern[…]`
    Pattern(Arc<[Arc<Regexp>]>),
    /// `Regexp[r]`
    Regexp(Option<Arc<Regexp>>),
    /// `Collection[min, max]`
    Collection(SizeRange),
    /// `Array[T, min, max]`
    Array(Arc<Type>, SizeRange),
    /// `Hash[K, V, min, max]`
    Hash(Arc<(Type, Type)>, SizeRange),
    /// `Tuple[T, …, min, max]`; the size is `None` if not given.
    Tuple(Arc<[Type]>, Option<SizeRange>),
    /// `Struct[{…}]`
    Struct(Arc<[StructMember]>),
    /// `Iterable[T]`
    Iterable(Option<Arc<Type>>),
    /// `Iterator[T]`
    Iterator(Option<Arc<Type>>),
    /// `Callable[…]`
    Callable(Option<Arc<CallableType>>),
    /// `Type[T]`
    Type(Option<Arc<Type>>),
    /// `Init[T, …]`
    Init(Option<Arc<(Type, Vec<Value>)>>),
    /// `CatalogEntry`
    CatalogEntry,
    /// `Resource`, `File`, `File['x']`: the kind with capital segments, and the title.
    Resource {
        /// The kind; `None` for any.
        kind: Option<EcoString>,
        /// The title; `None` for any.
        title: Option<EcoString>,
    },
    /// `Class`, `Class['a']`: the name in lower case without a leading `::`.
    Class(Option<EcoString>),
    /// `Sensitive[T]`
    Sensitive(Option<Arc<Type>>),
    /// `Binary`
    Binary,
    /// `Timestamp[from, to]`
    Timestamp(Option<(i128, i128)>),
    /// `Timespan[from, to]`
    Timespan(Option<(i128, i128)>),
    /// `SemVer[range, …]`, the ranges' texts.
    SemVer(Arc<[SemVerRange]>),
    /// `SemVerRange`
    SemVerRange,
    /// `URI`, `URI[parts]`
    Uri(Option<Arc<Value>>),
    /// `Runtime[runtime, name]`
    Runtime(Option<Arc<(EcoString, EcoString)>>),
    /// An object type.
    Object(Arc<ObjectType>),
    /// An object type whose type parameters are given.
    Parameterized(Arc<Parameterized>),
    /// `TypeSet[{…}]`
    TypeSet(Arc<TypeSet>),
    /// A named alias.
    Alias(Arc<TypeAlias>),
    /// A name that nothing defines.
    Reference(EcoString),
}

/// The bounds of a float type.
#[derive(Clone, Copy, Debug)]
pub struct FloatRange {
    /// Lower end, negative infinity if open.
    pub from: f64,
    /// Upper end, infinity if open.
    pub to: f64,
}

impl FloatRange {
    /// Every float.
    pub const ANY: Self = Self { from: f64::NEG_INFINITY, to: f64::INFINITY };
}

impl PartialEq for FloatRange {
    fn eq(&self, other: &Self) -> bool {
        self.from.to_bits() == other.from.to_bits() && self.to.to_bits() == other.to.to_bits()
    }
}

impl Eq for FloatRange {}

impl Hash for FloatRange {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.from.to_bits());
        state.write_u64(self.to.to_bits());
    }
}

/// One key of a struct type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructMember {
    /// The key.
    pub name: EcoString,
    /// Whether the key may be missing.
    pub optional: bool,
    /// Written as `NotUndef['key']`.
    pub key_not_undef: bool,
    /// What the value must be.
    pub kind: Type,
}

/// What a callable takes and gives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallableType {
    /// Types of the parameters; the last repeats up to the largest size.
    pub params: Vec<Type>,
    /// How many arguments.
    pub size: SizeRange,
    /// The block it takes, a callable or an optional one.
    pub block: Option<Type>,
    /// What it gives, if said.
    pub returns: Option<Type>,
}

/// A named alias. What it stands for is set after it exists, so that it may refer to itself.
pub struct TypeAlias {
    /// Its name.
    pub name: EcoString,
    /// What it stands for.
    pub target: OnceLock<Type>,
}

/// An object type.
#[derive(Debug)]
pub struct ObjectType {
    /// Its name; empty if it has none.
    pub name: EcoString,
    /// Its parent, an object type or an alias of one.
    pub parent: Option<Type>,
    /// Its own attributes in order, constants included.
    pub attributes: Vec<ObjectAttribute>,
    /// Names of attributes that decide equality, if said.
    pub equality: Option<Vec<EcoString>>,
    /// Whether instances of different types may be equal.
    pub equality_include_type: bool,
    /// Its own functions in order.
    pub functions: Vec<ObjectFunction>,
    /// Names of type parameters with their types.
    pub type_parameters: Vec<(EcoString, Type)>,
    /// What was given as `checks`, which means nothing.
    pub checks: Option<Value>,
    /// Annotations: hashes by their types.
    pub annotations: Option<Value>,
    /// Set if it is written with features of its own.
    pub model: Option<Arc<modelled::Modelled>>,
}

/// A function of an object type.
#[derive(Clone, PartialEq, Debug)]
pub struct ObjectFunction {
    /// Its name.
    pub name: EcoString,
    /// What it takes and gives.
    pub kind: Type,
    /// Whether types that inherit it must leave it as it is.
    pub is_final: bool,
    /// Whether it takes the place of the parent's.
    pub overrides: bool,
    /// Annotations: hashes by their types.
    pub annotations: Option<Value>,
}

/// `T[args]` of an object type with type parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Parameterized {
    /// The object type.
    pub base: Arc<ObjectType>,
    /// The parameters that are given, by name.
    pub parameters: Vec<(EcoString, Value)>,
}

/// An attribute of an object type.
#[derive(Clone, PartialEq, Debug)]
pub struct ObjectAttribute {
    /// Its name.
    pub name: EcoString,
    /// Its type.
    pub kind: Type,
    /// What it is.
    pub role: AttributeRole,
    /// Its value if none is given, or the value of a constant.
    pub value: Option<Value>,
    /// Whether types that inherit it must leave it as it is.
    pub is_final: bool,
    /// Whether it takes the place of the parent's.
    pub overrides: bool,
    /// Annotations: hashes by their types.
    pub annotations: Option<Value>,
}

/// What an attribute of an object type is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AttributeRole {
    /// Given when an instance is made.
    Normal,
    /// The same for all instances.
    Constant,
    /// Computed.
    Derived,
    /// Computed unless given.
    GivenOrDerived,
    /// Refers to another object.
    Reference,
}

impl AttributeRole {
    /// The word for it in a definition; the usual one has none.
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
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for TypeAlias {}

impl Hash for TypeAlias {
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
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
