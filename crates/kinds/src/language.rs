//! The names, fields and traits of kinds in each language.

use crate::schema::{AttributeSchema, AttributeType, KindSchema};

/// A resource type of Puppet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuppetType {
    /// The name.
    pub name: &'static str,
    /// Whether no module can replace it.
    pub is_core: bool,
    /// Whether two resources may not have the same name.
    pub is_isomorphic: bool,
    /// Attributes that only Puppet's type has: the engine refuses them, or reads them for every
    /// kind.
    pub own: &'static [AttributeSchema],
}

/// A type of this name, without attributes of its own.
pub(crate) const fn puppet(name: &'static str) -> PuppetType {
    PuppetType { name, is_core: false, is_isomorphic: true, own: &[] }
}

/// An attribute that only the language has.
pub(crate) const fn only(name: &'static str) -> AttributeSchema {
    AttributeSchema::new(name, AttributeType::Any, "")
}

/// The attribute that chooses a provider. The engine reads it for every kind.
pub(crate) const PROVIDER: AttributeSchema = only("provider");

impl PuppetType {
    pub(crate) const fn core(self) -> Self {
        Self { is_core: true, ..self }
    }

    pub(crate) const fn not_isomorphic(self) -> Self {
        Self { is_isomorphic: false, ..self }
    }

    pub(crate) const fn own(self, own: &'static [AttributeSchema]) -> Self {
        Self { own, ..self }
    }
}

/// The range of the numbers of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// The full range of the type.
    Full,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// A float of 32 bits.
    F32,
}

/// The value of a field before the program sets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultValue {
    /// The zero value of its type; optional fields are unset.
    Zero,
    /// A text.
    Str(&'static str),
    /// A number.
    Int(i64),
    /// A boolean.
    Bool(bool),
}

/// A field of a kind of mcl.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MclField {
    /// The name.
    pub name: &'static str,
    /// The type, as mcl writes it.
    pub ty: &'static str,
    /// The name in mgmt's own output.
    pub print: &'static str,
    /// Whether it can be unset.
    pub is_optional: bool,
    /// The range of its numbers.
    pub width: Width,
    /// The value before the program sets it.
    pub default: DefaultValue,
    /// The words that it takes; empty if it takes any text.
    pub words: &'static [&'static str],
    /// The attribute of the kind that it sets, if it sets one.
    pub attribute: Option<&'static str>,
}

/// A field of an attribute, named like it.
pub(crate) const fn field(ty: &'static str, print: &'static str) -> MclField {
    named("", ty, print)
}

/// A field with a name of its own.
pub(crate) const fn named(name: &'static str, ty: &'static str, print: &'static str) -> MclField {
    let (width, default) = (Width::Full, DefaultValue::Zero);
    MclField { name, ty, print, is_optional: false, width, default, words: &[], attribute: None }
}

impl MclField {
    pub(crate) const fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    pub(crate) const fn width(self, width: Width) -> Self {
        Self { width, ..self }
    }

    pub(crate) const fn text(self, value: &'static str) -> Self {
        Self { default: DefaultValue::Str(value), ..self }
    }

    pub(crate) const fn number(self, value: i64) -> Self {
        Self { default: DefaultValue::Int(value), ..self }
    }

    pub(crate) const fn flag(self, value: bool) -> Self {
        Self { default: DefaultValue::Bool(value), ..self }
    }

    pub(crate) const fn words(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    pub(crate) const fn sets(self, attribute: &'static str) -> Self {
        Self { attribute: Some(attribute), ..self }
    }

    /// The same as the field of an attribute.
    pub(crate) const fn of(self, attribute: &'static str) -> Self {
        Self { name: attribute, attribute: Some(attribute), ..self }
    }
}

/// The fields that can be received from other resources during a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receives {
    /// All fields.
    All,
    /// The fields of these names.
    Fields(&'static [&'static str]),
}

/// A kind of mcl.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MclKind {
    /// The name.
    pub name: &'static str,
    /// The traits, such as `edgeable`.
    pub traits: &'static [&'static str],
    /// The values it sends, with types; a trailing `?` marks one that may be missing.
    pub sends: &'static [(&'static str, &'static str)],
    /// The fields that can be received during a run.
    pub receives: Receives,
    /// The fields, where they differ from the attributes of the kind.
    pub fields: Option<&'static [MclField]>,
}

/// A kind of this name. Its fields are those of the attributes.
pub(crate) const fn mcl(name: &'static str) -> MclKind {
    MclKind { name, traits: &[], sends: &[], receives: Receives::Fields(&[]), fields: None }
}

impl MclKind {
    pub(crate) const fn traits(self, traits: &'static [&'static str]) -> Self {
        Self { traits, ..self }
    }

    pub(crate) const fn sends(self, sends: &'static [(&'static str, &'static str)]) -> Self {
        Self { sends, ..self }
    }

    pub(crate) const fn receives(self, fields: &'static [&'static str]) -> Self {
        Self { receives: Receives::Fields(fields), ..self }
    }

    pub(crate) const fn receives_all(self) -> Self {
        Self { receives: Receives::All, ..self }
    }

    pub(crate) const fn fields(self, fields: &'static [MclField]) -> Self {
        Self { fields: Some(fields), ..self }
    }

    /// The fields, in mgmt's order.
    pub fn fields_of(&self, kind: &KindSchema) -> Vec<MclField> {
        match self.fields {
            Some(fields) => fields.to_vec(),
            None => kind.attributes.iter().filter_map(AttributeSchema::mcl_field).collect(),
        }
    }

    /// Whether a field can be received during a run.
    pub fn can_receive(&self, field: &str) -> bool {
        match self.receives {
            Receives::All => true,
            Receives::Fields(fields) => fields.contains(&field),
        }
    }
}

/// An entity of a module of Inmanta that becomes a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InmantaEntity {
    /// The full name, such as `fs::File`.
    pub name: &'static str,
    /// The attributes of the entity that set attributes of the kind: theirs, and the kind's.
    pub attributes: &'static [(&'static str, &'static str)],
    /// Values that the entity sets by itself: attribute of the kind, and value.
    pub constants: &'static [(&'static str, &'static str)],
}

/// An entity with the attributes that it sets.
pub(crate) const fn entity(
    name: &'static str,
    attributes: &'static [(&'static str, &'static str)],
) -> InmantaEntity {
    InmantaEntity { name, attributes, constants: &[] }
}

impl InmantaEntity {
    pub(crate) const fn constants(
        self,
        constants: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { constants, ..self }
    }

    /// The attribute of the entity that sets an attribute of the kind.
    pub fn source_of(&self, attribute: &str) -> Option<&'static str> {
        let mut all = self.attributes.iter();
        all.find(|(_, sets)| *sets == attribute).map(|(name, _)| *name)
    }

    /// The value that the entity sets by itself.
    pub fn constant(&self, attribute: &str) -> Option<&'static str> {
        let mut all = self.constants.iter();
        all.find(|(name, _)| *name == attribute).map(|(_, value)| *value)
    }
}
