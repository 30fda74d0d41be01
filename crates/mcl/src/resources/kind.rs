//! Kinds and their fields, written as constants.

/// The range of the numbers of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// That of the type.
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

/// The default of a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DefaultValue {
    /// The zero value of its type; optional fields are unset.
    Zero,
    /// A text.
    Str(&'static str),
    /// A number.
    Int(i64),
    /// A flag.
    Bool(bool),
}

/// A field of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: &'static str,
    /// Its name in the output of the original.
    pub print: &'static str,
    /// Whether it can be unset.
    pub is_optional: bool,
    /// The range of its numbers.
    pub width: Width,
    /// Its default.
    pub default: DefaultValue,
}

/// A kind of resource.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Its traits.
    pub traits: &'static [&'static str],
    /// The sent values with their types; `?` after a type marks one that may be missing.
    pub sends: &'static [(&'static str, &'static str)],
    /// Its fields.
    pub fields: &'static [Field],
}

impl Kind {
    /// Whether it can do something.
    pub fn has(&self, what: &str) -> bool {
        self.traits.contains(&what)
    }
}

/// A field without a default.
pub(super) const fn field(name: &'static str, ty: &'static str, print: &'static str) -> Field {
    Field { name, ty, print, is_optional: false, width: Width::Full, default: DefaultValue::Zero }
}

impl Field {
    pub(super) const fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    pub(super) const fn width(self, width: Width) -> Self {
        Self { width, ..self }
    }

    pub(super) const fn text(self, value: &'static str) -> Self {
        Self { default: DefaultValue::Str(value), ..self }
    }

    pub(super) const fn number(self, value: i64) -> Self {
        Self { default: DefaultValue::Int(value), ..self }
    }

    pub(super) const fn flag(self, value: bool) -> Self {
        Self { default: DefaultValue::Bool(value), ..self }
    }
}
