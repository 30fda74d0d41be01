//! Native resource types, from all sources of their description.

use std::sync::{Arc, LazyLock};

use super::RubyType;
use crate::schema::{TypeSchema, find, is_metaparameter};
use crate::types::ObjectType;

/// A resource type that is not written in Puppet: built in, from a module, or both.
#[derive(Clone, Debug)]
pub struct NativeType {
    /// The entry of the table.
    pub table: Option<&'static TypeSchema>,
    /// The definition in a file of a module.
    pub ruby: Option<Arc<RubyType>>,
    /// The type with features, if it is written in the language.
    pub model: Option<Arc<ObjectType>>,
}

impl NativeType {
    /// Whether the type has an attribute or metaparameter of this name. `name` is also accepted for
    /// the name attribute.
    pub fn knows(&self, name: &str) -> bool {
        if self.model.is_some() {
            return is_metaparameter(name) || self.attributes().any(|known| known == name);
        }
        name == "name"
            || self.table.is_some_and(|t| t.knows(name))
            || self.ruby.as_ref().is_some_and(|r| r.knows(name))
            || is_metaparameter(name)
    }

    /// The name attribute; `None` if there are several.
    pub fn namevar(&self) -> Option<&str> {
        match (self.table, &self.ruby) {
            (_, Some(ruby)) if !ruby.open || self.table.is_none() => match &*ruby.namevars {
                [one] => Some(one),
                _ => None,
            },
            (table, _) => table.map(|t| t.namevar),
        }
    }

    /// Whether two resources may not have the same name.
    pub fn is_isomorphic(&self) -> bool {
        match (self.table, &self.ruby) {
            (Some(table), _) => table.isomorphic,
            (None, ruby) => ruby.as_ref().is_none_or(|r| r.isomorphic),
        }
    }

    /// The names of its attributes, without metaparameters.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        let table = self.table.into_iter().flat_map(|t| t.attributes.iter().copied());
        table.chain(self.ruby.iter().flat_map(|r| r.attributes.iter().map(|a| a.as_str())))
    }
}

/// The type of run stages.
pub static STAGE: LazyLock<NativeType> =
    LazyLock::new(|| NativeType { table: find("stage"), ruby: None, model: None });
