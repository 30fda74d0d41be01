//! The native resource types of Puppet: the kinds with a name in Puppet, including kinds that the
//! engine does not apply.

use std::sync::LazyLock;

use ordain_graph::METAPARAMETERS;
use ordain_kinds::{Form, KindSchema, PuppetType};
use rustc_hash::FxHashMap;

/// A resource type.
#[derive(Debug)]
pub struct TypeSchema {
    /// Its name.
    pub name: &'static str,
    /// The name attribute.
    pub namevar: &'static str,
    /// Its attributes, metaparameters left out.
    pub attributes: Vec<&'static str>,
    /// Whether two resources may not have the same name.
    pub isomorphic: bool,
    is_core: bool,
    kind: &'static KindSchema,
}

impl TypeSchema {
    fn new(kind: &'static KindSchema, ty: PuppetType) -> Self {
        Self {
            name: ty.name,
            namevar: kind.name_attribute(),
            attributes: kind.puppet_attributes().map(|attribute| attribute.name).collect(),
            isomorphic: ty.is_isomorphic,
            is_core: ty.is_core,
            kind,
        }
    }

    /// Whether the type has an attribute or metaparameter of this name.
    #[inline]
    pub fn knows(&self, name: &str) -> bool {
        self.attributes.contains(&name) || is_metaparameter(name)
    }

    /// Whether no module can replace it.
    #[inline]
    pub fn is_core(&self) -> bool {
        self.is_core
    }

    /// The form of the values of an attribute, if it has one. Modules add providers.
    pub fn form(&self, attribute: &str) -> Option<Form> {
        if attribute == "provider" {
            return None;
        }
        self.kind.puppet_attributes().find(|known| known.name == attribute)?.value_form()
    }
}

/// Whether every resource has an attribute of this name.
#[inline]
pub fn is_metaparameter(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
}

/// The type of this name in lower case.
#[inline]
pub fn find(name: &str) -> Option<&'static TypeSchema> {
    static BY_NAME: LazyLock<FxHashMap<&str, &TypeSchema>> =
        LazyLock::new(|| TYPES.iter().map(|ty| (ty.name, ty)).collect());
    BY_NAME.get(name).copied()
}

/// All types.
pub static TYPES: LazyLock<Vec<TypeSchema>> = LazyLock::new(|| {
    let known = ordain_kinds::known();
    known.filter_map(|kind| Some(TypeSchema::new(kind, kind.puppet?))).collect()
});
