//! Types as signatures write them.

use ecow::EcoString;

use super::TypeId;

/// A type in a signature. Its names are resolved in the namespace of the plugin.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeExpr {
    /// All values except references.
    Any,
    /// `null` only.
    Null,
    /// All numbers. The model language has a deprecated name for this type.
    Number,
    /// A name of the model language, such as `string`, `list` or `std::Host`.
    Named(EcoString),
    /// The type of an attribute that is declared with this name.
    Written(EcoString),
    /// A list of elements of a type.
    List(Box<TypeExpr>),
    /// A dict with values of a type.
    Dict(Box<TypeExpr>),
    /// The type or `null`.
    Nullable(Box<TypeExpr>),
    /// One of several types.
    Union(Vec<TypeExpr>),
    /// A reference to a value of the type.
    Reference(Box<TypeExpr>),
    /// A Python dataclass: the possible full names of its entity, and its name in messages.
    Dataclass(Vec<EcoString>, EcoString),
    /// A resolved type.
    Known(TypeId),
}

impl TypeExpr {
    /// Parses a type of the model language: `T`, `T[]`, `T?`, `T[]?`.
    pub fn model(text: &str) -> Self {
        let text = text.trim();
        if let Some(inner) = text.strip_suffix('?') {
            return Self::Nullable(Box::new(Self::model(inner)));
        }
        if let Some(inner) = text.strip_suffix("[]") {
            return Self::List(Box::new(Self::model(inner)));
        }
        match text {
            "any" => Self::Any,
            "null" => Self::Null,
            _ => Self::Named(text.into()),
        }
    }

    /// This type, or a reference to a value of it.
    pub fn or_reference(self) -> Self {
        Self::Union(vec![Self::Reference(Box::new(self.clone())), self])
    }
}
