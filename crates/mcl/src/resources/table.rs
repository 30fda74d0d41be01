//! The kinds of resources with their fields, by what they are about.

mod local;
mod machines;
mod network;

use super::{Field, Given, Kind, Width};

/// A field that is set only if the program says so.
const fn field(name: &'static str, ty: &'static str, print: &'static str) -> Field {
    Field { name, ty, print, is_optional: false, width: Width::Full, default: Given::Zero }
}

impl Field {
    const fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    const fn width(self, width: Width) -> Self {
        Self { width, ..self }
    }

    const fn text(self, value: &'static str) -> Self {
        Self { default: Given::Str(value), ..self }
    }

    const fn number(self, value: i64) -> Self {
        Self { default: Given::Int(value), ..self }
    }

    const fn flag(self, value: bool) -> Self {
        Self { default: Given::Bool(value), ..self }
    }
}

/// All kinds.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    [local::LOCAL, machines::MACHINES, network::NETWORK].into_iter().flatten()
}
