//! Fields of kinds, written as constants.

use super::{DefaultValue, Field, Width};

/// A field that is set only if the program says so.
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
