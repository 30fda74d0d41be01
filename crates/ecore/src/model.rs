//! The model. The words are Ecore's, without the `E` that its classes begin with.

use ecow::EcoString;

/// A package (`EPackage`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Package {
    /// Its name.
    pub name: EcoString,
    /// The URI that tells it from all others.
    pub ns_uri: EcoString,
    /// The prefix that documents use for it.
    pub ns_prefix: EcoString,
    /// Notes.
    pub annotations: Vec<Annotation>,
    /// Its classes, enumerations and data types, in order.
    pub classifiers: Vec<Classifier>,
    /// Packages inside of it.
    pub packages: Vec<Package>,
}

/// A note (`EAnnotation`): texts by their keys.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Annotation {
    /// Whose note it is.
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

/// What a package defines.
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
    /// Whether it has no instances of its own.
    pub is_abstract: bool,
    /// Whether it is an interface.
    pub is_interface: bool,
    /// The classes that it inherits from.
    pub super_types: Vec<TypeRef>,
    /// Notes.
    pub annotations: Vec<Annotation>,
    /// Its own attributes and references, in order.
    pub features: Vec<Feature>,
    /// Its own operations, in order. Those that have no notes are not read, as they have no code.
    pub operations: Vec<Operation>,
}

/// What objects of a class can be asked to do (`EOperation`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Operation {
    /// Its name.
    pub name: EcoString,
    /// What it gives; nothing if it gives nothing, or the file does not say.
    pub kind: Option<TypeRef>,
    /// Notes.
    pub annotations: Vec<Annotation>,
    /// What it is given, in order.
    pub parameters: Vec<Parameter>,
}

/// What an operation is given (`EParameter`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: EcoString,
    /// What it is; nothing if the file does not say.
    pub kind: Option<TypeRef>,
}

/// An enumeration (`EEnum`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Enumeration {
    /// Its name.
    pub name: EcoString,
    /// Its literals, in order.
    pub literals: Vec<Literal>,
    /// Notes.
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
    /// Notes.
    pub annotations: Vec<Annotation>,
}

/// What a type is named by.
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
    /// What its values are; nothing if the file does not say.
    pub kind: Option<TypeRef>,
    /// The fewest values.
    pub lower: i64,
    /// The most values; -1 if there is no limit, -2 if it is not known.
    pub upper: i64,
    /// Whether values have an order.
    pub is_ordered: bool,
    /// Whether no value comes twice.
    pub is_unique: bool,
    /// Whether it can be set.
    pub is_changeable: bool,
    /// Whether nothing is stored for it.
    pub is_volatile: bool,
    /// Whether it is left out of documents.
    pub is_transient: bool,
    /// Whether being empty differs from not being set.
    pub is_unsettable: bool,
    /// Whether it follows from others.
    pub is_derived: bool,
    /// The text of its default.
    pub default: Option<EcoString>,
    /// Notes.
    pub annotations: Vec<Annotation>,
    /// What only attributes or only references have.
    pub of: FeatureRole,
}

/// What only attributes or only references have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FeatureRole {
    /// `EAttribute`
    Attribute(Attribute),
    /// `EReference`
    Reference(Reference),
}

/// What attributes have besides.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Attribute {
    /// Whether it names its object.
    pub is_id: bool,
}

/// What references have besides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// Whether what it refers to is part of its object.
    pub is_containment: bool,
    /// Whether links into other documents are followed.
    pub resolves_proxies: bool,
    /// The reference of the other class that says the same from there.
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

/// The annotation of a source among others.
pub fn annotation<'a>(all: &'a [Annotation], source: &str) -> Option<&'a Annotation> {
    all.iter().find(|one| one.source == source)
}
