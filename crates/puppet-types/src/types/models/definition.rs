//! The description of a type with features, as it is written.

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_source::Span;

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeModel {
    /// Its name, such as `My::Role`.
    pub name: EcoString,
    /// The name of the type that it inherits from.
    pub parent: Option<EcoString>,
    /// Whether it cannot be instantiated.
    pub is_abstract: bool,
    /// Its own features in order, after those of the parent.
    pub features: Vec<Feature>,
    /// Its own invariants in order, after those of the parent.
    pub invariants: Vec<Invariant>,
    /// Its own functions in order.
    pub functions: Vec<Function>,
    /// The patterns that take titles of its resources apart, each as it is between its slashes.
    pub title_patterns: Vec<EcoString>,
    /// Notes for tools, by their source.
    pub annotations: Annotations,
    /// The place of the definition, if it is in a file.
    pub span: Option<Span>,
}

/// An attribute or reference of a type.
#[derive(Clone, PartialEq, Debug)]
pub struct Feature {
    /// Its name.
    pub name: EcoString,
    /// The kind of its values.
    pub kind: FeatureKind,
    /// The number of its values.
    pub multiplicity: Multiplicity,
    /// Its default: a scalar, or a list of them.
    pub default: Option<Data>,
    /// Whether being empty differs from not being set.
    pub unsettable: bool,
    /// Whether it is left out where instances are written; derived features always are.
    pub transient: bool,
    /// Whether the creator of an instance may set it.
    pub setable: bool,
    /// Whether links find the object by it.
    pub id: bool,
    /// Whether a resource of the type is named by it.
    pub namevar: bool,
    /// The check of each value.
    pub check: Option<Logic>,
    /// The code that computes it.
    pub derived: Option<Logic>,
    /// The code that turns a value that is set into the stored one.
    pub set: Option<Logic>,
    /// The code that turns the stored value into the one that is read.
    pub get: Option<Logic>,
    /// Notes for tools, by their source.
    pub annotations: Annotations,
    /// The place of the definition, if it is in a file.
    pub span: Option<Span>,
}

/// The kind of the values of a feature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FeatureKind {
    /// `attr`: plain values.
    Attribute(ValueType),
    /// `has`: instances of a type.
    Reference {
        /// The name of the type.
        target: EcoString,
        /// Whether the instances are part of this one; else they are linked to.
        containment: bool,
    },
}

/// The type of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueType {
    /// None is given: anything.
    Any,
    /// `Integer`
    Integer,
    /// `Float`
    Float,
    /// `String`
    String,
    /// `Boolean`
    Boolean,
    /// `enum[a, b]`, in the order that is written.
    Enum(Vec<EcoString>),
    /// Any other type, by its text.
    Other(EcoString),
}

/// The number of values of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Multiplicity {
    /// The fewest.
    pub lower: i64,
    /// The most; `None` if there is no limit.
    pub upper: Option<i64>,
}

impl Multiplicity {
    /// The multiplicity for `min` and `max`, both optional. `max` is `Some(None)` if it is
    /// `unbound`.
    #[inline]
    pub fn of(min: Option<i64>, max: Option<Option<i64>>) -> Self {
        let lower = min.unwrap_or(0);
        let upper = max.unwrap_or(if lower > 1 { None } else { Some(1) });
        Self { lower, upper }
    }

    /// Whether the feature is a list.
    #[inline]
    pub fn is_many(self) -> bool {
        self.upper.is_none_or(|upper| upper > 1)
    }
}

/// A piece of code of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Logic {
    /// Its text: a block, a lambda or an expression.
    pub source: EcoString,
    /// The place in the code, if there is one.
    pub span: Option<Span>,
}

/// Notes for tools that the language does not look at: keys and values, by the tool.
pub type Annotations = Vec<(EcoString, Vec<(EcoString, Data)>)>;

/// A function of a type, which objects are asked with a dot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: EcoString,
    /// Its parameters, return type and body: the source behind the name.
    pub logic: Logic,
    /// The place of the definition, if it is in a file.
    pub span: Option<Span>,
}

/// A condition on a whole object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// The text of its title as it is written, with quotes.
    pub title: Option<EcoString>,
    /// The condition.
    pub logic: Logic,
}

impl TypeModel {
    /// A type without features.
    pub fn new(name: impl Into<EcoString>) -> Self {
        Self {
            name: name.into(),
            parent: None,
            is_abstract: false,
            features: Vec::new(),
            invariants: Vec::new(),
            functions: Vec::new(),
            title_patterns: Vec::new(),
            annotations: Vec::new(),
            span: None,
        }
    }
}

impl Feature {
    /// A feature of one optional value.
    pub fn new(name: impl Into<EcoString>, kind: FeatureKind) -> Self {
        Self {
            name: name.into(),
            kind,
            multiplicity: Multiplicity { lower: 0, upper: Some(1) },
            default: None,
            unsettable: false,
            transient: false,
            setable: true,
            id: false,
            namevar: false,
            check: None,
            derived: None,
            set: None,
            get: None,
            annotations: Vec::new(),
            span: None,
        }
    }

    /// Whether its values are parts of the object.
    #[inline]
    pub fn is_containment(&self) -> bool {
        matches!(self.kind, FeatureKind::Reference { containment: true, .. })
    }

    /// Whether it refers to other objects.
    #[inline]
    pub fn is_reference(&self) -> bool {
        matches!(self.kind, FeatureKind::Reference { .. })
    }
}

impl Logic {
    /// Code that is not in a file.
    #[inline]
    pub fn new(source: impl Into<EcoString>) -> Self {
        Self { source: source.into(), span: None }
    }
}
