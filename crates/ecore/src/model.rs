//! The Ecore model. Names are Ecore's without the leading `E`.

use ecow::EcoString;

/// A package (`EPackage`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Package {
    /// Its name.
    pub name: EcoString,
    /// The URI that identifies it.
    pub ns_uri: EcoString,
    /// The prefix that documents use for it.
    pub ns_prefix: EcoString,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its classes, enumerations and data types, in order.
    pub classifiers: Vec<Classifier>,
    /// Its subpackages.
    pub packages: Vec<Package>,
}

/// An annotation (`EAnnotation`): texts by key.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Annotation {
    /// The URI of the tool that the annotation is for.
    pub source: EcoString,
    /// Keys and texts, in order.
    pub details: Vec<(EcoString, EcoString)>,
}

impl Annotation {
    /// The text of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.details.iter().find(|(name, _)| name == key).map(|(_, text)| text.as_str())
    }
}

/// A classifier of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Classifier {
    /// `EClass`
    Class(Class),
    /// `EEnum`
    Enumeration(Enumeration),
    /// `EDataType`
    DataType(DataType),
}

impl Classifier {
    /// Its name.
    pub fn name(&self) -> &EcoString {
        match self {
            Self::Class(class) => &class.name,
            Self::Enumeration(one) => &one.name,
            Self::DataType(one) => &one.name,
        }
    }
}

/// A class (`EClass`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Class {
    /// Its name.
    pub name: EcoString,
    /// Whether it cannot be instantiated.
    pub is_abstract: bool,
    /// Whether it is an interface.
    pub is_interface: bool,
    /// The classes that it inherits from.
    pub super_types: Vec<TypeRef>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its own attributes and references, in order.
    pub features: Vec<Feature>,
    /// Its own operations, in order. Operations without annotations are not read, as they have no
    /// code.
    pub operations: Vec<Operation>,
}

/// An operation of a class (`EOperation`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Operation {
    /// Its name.
    pub name: EcoString,
    /// The result type; `None` if it returns nothing, or the file does not have it.
    pub kind: Option<TypeRef>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of an operation (`EParameter`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: EcoString,
    /// Its type; `None` if the file does not have it.
    pub kind: Option<TypeRef>,
}

/// An enumeration (`EEnum`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Enumeration {
    /// Its name.
    pub name: EcoString,
    /// Its literals, in order.
    pub literals: Vec<Literal>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// A literal of an enumeration (`EEnumLiteral`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Literal {
    /// Its name in programs.
    pub name: EcoString,
    /// Its number.
    pub value: i32,
    /// Its text in documents; `None` if that is the name.
    pub text: Option<EcoString>,
}

impl Literal {
    /// Its text in documents.
    pub fn text(&self) -> &EcoString {
        self.text.as_ref().unwrap_or(&self.name)
    }
}

/// A data type (`EDataType`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DataType {
    /// Its name.
    pub name: EcoString,
    /// The class that holds its values in Java.
    pub instance_class: Option<EcoString>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// A reference to a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeRef {
    /// A type of Ecore, such as `EString`.
    Ecore(EcoString),
    /// A type of XML Schema, such as `AnyURI`.
    Xml(EcoString),
    /// A classifier of the same document: the names of its packages from the outermost, then its own.
    Local(Vec<EcoString>),
}

/// An attribute or reference of a class (`EStructuralFeature`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feature {
    /// Its name.
    pub name: EcoString,
    /// The type of its values; `None` if the file does not have it.
    pub kind: Option<TypeRef>,
    /// The minimum number of values.
    pub lower: i64,
    /// The maximum number of values; -1 if unbounded, -2 if unspecified.
    pub upper: i64,
    /// Whether the values are ordered.
    pub is_ordered: bool,
    /// Whether the values are unique.
    pub is_unique: bool,
    /// Whether it can be set.
    pub is_changeable: bool,
    /// Whether it has no storage.
    pub is_volatile: bool,
    /// Whether it is not serialized.
    pub is_transient: bool,
    /// Whether an empty value differs from an unset one.
    pub is_unsettable: bool,
    /// Whether it is computed from other features.
    pub is_derived: bool,
    /// The text of its default.
    pub default: Option<EcoString>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// The properties that only attributes or only references have.
    pub of: FeatureRole,
}

/// The properties that only attributes or only references have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FeatureRole {
    /// `EAttribute`
    Attribute(Attribute),
    /// `EReference`
    Reference(Reference),
}

/// The properties of attributes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Attribute {
    /// Whether it identifies its object.
    pub is_id: bool,
}

/// The properties of references.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// Whether the target is part of the object.
    pub is_containment: bool,
    /// Whether links into other documents are resolved.
    pub resolves_proxies: bool,
    /// The opposite reference in the other class.
    pub opposite: Option<FeatureRef>,
}

impl Default for Reference {
    fn default() -> Self {
        Self { is_containment: false, resolves_proxies: true, opposite: None }
    }
}

/// A feature of a class of the same document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeatureRef {
    /// The names of the packages of the class, then its own.
    pub class: Vec<EcoString>,
    /// The name of the feature.
    pub feature: EcoString,
}

impl Feature {
    /// An attribute or reference with Ecore's defaults.
    pub fn new(name: impl Into<EcoString>, of: FeatureRole) -> Self {
        Self {
            name: name.into(),
            kind: None,
            lower: 0,
            upper: 1,
            is_ordered: true,
            is_unique: true,
            is_changeable: true,
            is_volatile: false,
            is_transient: false,
            is_unsettable: false,
            is_derived: false,
            default: None,
            annotations: Vec::new(),
            of,
        }
    }

    /// Whether it may have several values.
    pub fn is_many(&self) -> bool {
        self.upper > 1 || self.upper < 0
    }
}

/// The annotation with a source.
pub fn annotation<'a>(all: &'a [Annotation], source: &str) -> Option<&'a Annotation> {
    all.iter().find(|one| one.source == source)
}
