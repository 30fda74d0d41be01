//! The definitions of values and types.
//!
//! They are in one file because they contain each other: a value can be a type, a type can contain
//! values, and an instance has both. Their functions are in [`crate::value`] and [`crate::types`],
//! which also re-export the definitions.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_functions::uri::Uri;
use ordain_functions::version::{Range, Version};
use ordain_puppet_syntax::definitions::ModelDef;
use ordain_puppet_syntax::{ExprId, Lambda, Program};
use ordain_source::Span;
use ordain_syntax::Idx;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::types::models::{Feature, TypeModel};
use crate::types::range::{IntRange, SizeRange};
use crate::types::regexp::Regexp;

/// A hash, in the order its entries were made.
pub type HashValue = IndexMap<Value, Value, FxBuildHasher>;

/// A value of the language.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `undef`
    #[default]
    Undef,
    /// `default`
    Default,
    /// A truth value.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    Str(EcoString),
    /// A list.
    Array(Arc<Vec<Value>>),
    /// A hash.
    Hash(Arc<HashValue>),
    /// A regular expression.
    Regexp(Arc<Regexp>),
    /// A type; references to resources and classes are types.
    Type(Arc<Type>),
    /// A reference to a resource or class as the value of a parameter. It differs from the type
    /// that it was made from: it is shown differently, and is never equal to it.
    Reference(Arc<Type>),
    /// A value that must not be shown.
    Sensitive(Arc<Value>),
    /// Bytes.
    Binary(Arc<Vec<u8>>),
    /// Nanoseconds since 1970.
    Timestamp(Arc<i128>),
    /// A duration in nanoseconds.
    Timespan(Arc<i128>),
    /// A version.
    SemVer(Arc<Version>),
    /// A range of versions.
    SemVerRange(Arc<SemVerRange>),
    /// A URI.
    Uri(Arc<Uri>),
    /// A lambda.
    Callable(Arc<Closure>),
    /// An instance of an object type: `Deferred`, `Error`, a user's own.
    Object(Arc<Object>),
    /// An instance of a type with features.
    Instance(Arc<Instance>),
    /// A lazy sequence, as `reverse_each` and `step` give without a lambda: its items, made already,
    /// and the type of its items.
    Iterator(Arc<IteratorValue>),
    /// An object of Ruby that the language has no kind of value for: a symbol, a time, a range.
    Runtime(Arc<RuntimeObject>),
}

/// An object of Ruby, as Puppet code sees it: by its class and its own text.
#[derive(Clone, Debug)]
pub struct RuntimeObject {
    /// The name of its class, if that has one.
    pub class: Option<EcoString>,
    /// The classes and modules that its class inherits from, nearest first; empty for built-in
    /// classes of Ruby.
    pub ancestors: Vec<EcoString>,
    /// The result of its `to_s`.
    pub text: EcoString,
    /// The result of its `inspect`.
    pub inspect: EcoString,
    /// The number that the `ruby` process knows it by.
    pub number: Option<u64>,
    /// Whether it equals objects with the same class and `inspect`; others equal themselves alone.
    pub is_by_value: bool,
}

/// A range of versions as it was written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SemVerRange {
    /// The source.
    pub text: EcoString,
    /// The range.
    pub range: Range,
}

/// An instance of an object type.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its type.
    pub kind: Arc<ObjectType>,
    /// The values of its attributes, by name, parents' first.
    pub values: IndexMap<EcoString, Value, FxBuildHasher>,
}

/// The type of the attributes of resource types.
pub(crate) const PARAM_NAME: &str = "Puppet::Resource::Param";

/// The type of resource types.
pub(crate) const RESOURCE_TYPE_NAME: &str = "Puppet::Resource::ResourceType3";

/// The name of the type of contexts.
pub const CONTEXT: &str = "Puppet::LookupContext";

impl ObjectType {
    /// Whether instances behave like objects of a Ruby class: they are compared by identity, do not
    /// show their attributes, and are made from values in order.
    pub(crate) fn has_ruby_class(&self) -> bool {
        matches!(self.name.as_str(), PARAM_NAME | RESOURCE_TYPE_NAME | CONTEXT)
    }
}

impl Object {
    /// The name of an attribute of a resource type, which is its text; `None` for other objects.
    pub(crate) fn param_name(&self) -> Option<&str> {
        let name = || self.values.get("name").and_then(Value::as_str);
        if self.kind.name == PARAM_NAME { name() } else { None }
    }
}

/// The items of an iterator.
#[derive(Clone, Debug)]
pub struct IteratorValue {
    /// The elements.
    pub items: Vec<Value>,
    /// The type of the items, or of the walk if it is a walk over a tree.
    pub element: Arc<Type>,
    /// The number of items by upstream's count. It is one too small for ranges of integers, and
    /// rounded down for steps. Slices are limited to it.
    pub stated_len: usize,
}

/// The id of a scope in the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// The scope of the compile: facts, node parameters, the site program.
    pub const TOP: Self = Self(0);
}

/// A lambda as a value: its code and the scope that it sees.
#[derive(Debug)]
pub struct Closure {
    /// The program that contains it.
    pub program: Arc<Program>,
    /// Its code.
    pub lambda: Idx<Lambda>,
    /// The scope in which the lambda was written.
    pub scope: ScopeId,
    /// Its parameters, their types evaluated.
    pub signature: Arc<Signature>,
}

/// The parameters of something callable.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Signature {
    /// Parameters in order; the last takes all the rest if `rest`.
    pub params: Vec<SignatureParam>,
    /// Whether the last parameter takes all the rest.
    pub rest: bool,
    /// The type of the block it takes: a callable, or an optional one.
    pub block: Option<Type>,
    /// The name of the block parameter.
    pub block_name: EcoString,
    /// The return type, if declared.
    pub returns: Option<Type>,
    /// The first stated type that is not a type; above, it is [`Type::Any`].
    pub no_type: Option<NoType>,
}

/// One parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SignatureParam {
    /// Its name.
    pub name: EcoString,
    /// Its type.
    pub kind: Type,
    /// Whether it may be left out.
    pub optional: bool,
}

/// A value in the place of a type. It is only an error when a call needs the type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NoType {
    /// The index of its parameter; behind the last one, the return type.
    pub at: usize,
    /// The type of the value.
    pub got: EcoString,
    /// The class of the value.
    pub class: EcoString,
    /// The place of the value.
    pub span: Span,
}

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
    Init(Option<Arc<InitType>>),
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

/// The parameters of `Init[T, …]`.
#[derive(Clone)]
pub struct InitType {
    /// The type whose instances are made.
    pub target: Type,
    /// The arguments behind the first one.
    pub arguments: Vec<Value>,
    /// Finds the signatures by which instances of a type are made. Tests of types need them, but
    /// are on a floor below the conversions.
    pub signatures: fn(&Type) -> Vec<Signature>,
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

/// One key of a struct type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructMember {
    /// The key.
    pub name: EcoString,
    /// Whether the key may be missing.
    pub optional: bool,
    /// Written as `NotUndef['key']`.
    pub key_not_undef: bool,
    /// The type of the value.
    pub kind: Type,
}

/// The parameters and return type of a callable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallableType {
    /// The types of the parameters; the last one repeats up to the maximal size.
    pub params: Vec<Type>,
    /// The number of arguments.
    pub size: SizeRange,
    /// The block it takes, a callable or an optional one.
    pub block: Option<Type>,
    /// The return type, if declared.
    pub returns: Option<Type>,
}

/// A named alias. Its target is set after it exists, so that it may refer to itself.
pub struct TypeAlias {
    /// Its name.
    pub name: EcoString,
    /// Its target.
    pub target: OnceLock<Type>,
}

/// An object type.
#[derive(Debug)]
pub struct ObjectType {
    /// Its name; empty for an anonymous type.
    pub name: EcoString,
    /// Its parent, an object type or an alias of one.
    pub parent: Option<Type>,
    /// Its own attributes in order, constants included.
    pub attributes: Vec<ObjectAttribute>,
    /// The names of attributes that decide equality, if they are declared.
    pub equality: Option<Vec<EcoString>>,
    /// Whether instances of different types may be equal.
    pub equality_include_type: bool,
    /// Its own functions in order.
    pub functions: Vec<ObjectFunction>,
    /// Names of type parameters with their types.
    pub type_parameters: Vec<(EcoString, Type)>,
    /// The value of `checks`, which has no effect.
    pub checks: Option<Value>,
    /// Annotations: hashes by their types.
    pub annotations: Option<Value>,
    /// The features, if it is a type with features.
    pub model: Option<Arc<LoadedModel>>,
}

/// A function of an object type.
#[derive(Clone, PartialEq, Debug)]
pub struct ObjectFunction {
    /// Its name.
    pub name: EcoString,
    /// Its parameters and return type.
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
    /// Its role.
    pub role: AttributeRole,
    /// The default, or the value of a constant.
    pub value: Option<Value>,
    /// Whether types that inherit it must leave it as it is.
    pub is_final: bool,
    /// Whether it takes the place of the parent's.
    pub overrides: bool,
    /// Annotations: hashes by their types.
    pub annotations: Option<Value>,
}

/// The role of an attribute of an object type.
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

/// A type set.
#[derive(Debug)]
pub struct TypeSet {
    /// Its name; empty for an anonymous type.
    pub name: EcoString,
    /// The source of the name.
    pub authority: EcoString,
    pub(crate) pcore_uri: Option<EcoString>,
    pub(crate) pcore_version: Version,
    pub(crate) version: Option<Version>,
    pub(crate) types: OnceLock<Vec<(EcoString, Type)>>,
    /// Other sets, by the names that they have here.
    pub references: Vec<(EcoString, TypeSetReference)>,
    pub(crate) annotations: Option<Value>,
}

/// Another type set that one refers to.
#[derive(Debug)]
pub struct TypeSetReference {
    /// The name of the other.
    pub name: EcoString,
    /// The authority of its name.
    pub authority: EcoString,
    /// The versions of it that will do.
    pub range: Range,
    pub(crate) text: EcoString,
    pub(crate) set: OnceLock<Arc<TypeSet>>,
}

/// Patterns of titles, each with the attributes that its groups give.
pub type TitlePatterns = Vec<(Arc<Regexp>, Vec<Option<EcoString>>)>;

/// A type in its evaluated form.
pub struct LoadedModel {
    /// Its definition.
    pub model: TypeModel,
    /// The definition.
    pub def: Arc<ModelDef>,
    /// Its features and rules, once they are resolved.
    pub layout: OnceLock<Layout>,
}

/// The features and rules of a type.
#[derive(Default)]
pub struct Layout {
    /// All features, inherited ones first.
    pub slots: Vec<Arc<Slot>>,
    /// Their places by name.
    pub index: FxHashMap<EcoString, usize>,
    /// The values that instances begin with.
    pub defaults: Vec<Option<Value>>,
    /// All invariants, inherited ones first.
    pub rules: Vec<Arc<Rule>>,
    /// The feature that links find an object by.
    pub id: Option<usize>,
    /// The features that name a resource of the type, together if there are several.
    pub namevars: Vec<usize>,
    /// The patterns that take titles of resources apart.
    pub patterns: TitlePatterns,
    /// All functions, inherited ones first.
    pub functions: Vec<Arc<Method>>,
}

/// A feature.
pub struct Slot {
    /// Its definition.
    pub feature: Feature,
    /// The type that declares it.
    pub owner: EcoString,
    /// The type of a value; for a reference, its type.
    pub kind: Type,
    /// The name of the type that a reference refers to, in lower case.
    pub target: EcoString,
    /// Whether its value is a list.
    pub is_many: bool,
    /// The code that checks each value.
    pub check: Option<Code>,
    /// The code that computes it.
    pub derived: Option<Code>,
    /// The code that turns a value that is set into the stored one.
    pub set: Option<Code>,
    /// The code that turns the stored value into the one that is read.
    pub get: Option<Code>,
}

/// A function of a type.
pub struct Method {
    /// Its name.
    pub name: EcoString,
    /// The type that declares it.
    pub owner: EcoString,
    /// The program that contains it.
    pub program: Arc<Program>,
    /// The lambda that it is.
    pub lambda: ExprId,
    /// The place of the definition.
    pub span: Span,
}

/// An invariant.
pub struct Rule {
    /// The program that contains it.
    pub program: Arc<Program>,
    /// The place of the definition.
    pub span: Span,
    /// The title that is written before it.
    pub title: Option<ExprId>,
    /// The code that tests an object.
    pub code: Code,
}

/// Code that can be run.
#[derive(Clone)]
pub struct Code {
    /// The program that contains it.
    pub program: Arc<Program>,
    /// The evaluated expression.
    pub body: ExprId,
    /// The one parameter that takes anything, if there is no more to the parameters.
    pub param: Option<EcoString>,
    /// A lambda with parameters of any other form.
    pub lambda: Option<ExprId>,
    /// The number of parameters.
    pub arity: usize,
}

/// An object. While it is made, the compile has its values; then they are put in and stay.
pub struct Instance {
    /// Its type, which has a model.
    pub kind: Arc<ObjectType>,
    /// The index of the compile's list of values for this object while it is made.
    pub draft: usize,
    /// Its values, once it is finished.
    pub state: OnceLock<State>,
    /// The name of the containing object in messages; empty if there is none.
    pub(crate) container: Mutex<EcoString>,
}

/// The values of a finished object.
#[derive(Default)]
pub struct State {
    /// The values that are kept, a feature each; `None` where it is not set.
    pub values: Box<[Option<Value>]>,
    /// The values of derived features that were computed so far.
    pub memo: OnceLock<Box<[OnceLock<Value>]>>,
    /// Links of an object that was read from data.
    pub links: Option<Box<Links>>,
}

/// The objects of one document by the texts of links to them.
pub type Document = OnceLock<FxHashMap<EcoString, Weak<Instance>>>;

/// Links as texts, whose objects are looked up when they are used.
pub struct Links {
    /// The objects that links can refer to.
    pub document: Arc<Document>,
    /// The places of features, with the texts of the links in them.
    pub texts: Vec<(usize, Vec<EcoString>)>,
}
