//! Kinds that other programs implement.
//!
//! [`ExternalProvider`] is the contract: the engine prepares resources with a provider, and lets it
//! observe and change the machine. [`ExternalKind`] makes a kind of the engine from it. The programs
//! of manifests ([`read`]) are one provider, processes of other languages are more.

mod group;
mod kind;
mod manifest;
mod names;
mod provider;

use std::path::Path;

use crate::kind::{Kind, Registry};
pub use kind::ExternalKind;
pub use manifest::{ManifestError, read};
pub use provider::{
    Answer, Applied, Call, ExternalProvider, KindDescription, Observation, PrepareRequest,
    PreparedResource, ResourceNumber, SharedProvider,
};

/// An external kind as front ends see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalType {
    /// Its name, such as `owner::name`.
    pub name: String,
    /// The attribute that defaults to the title.
    pub namevar: String,
    /// The attributes; `None` if it accepts any.
    pub attributes: Option<Vec<String>>,
}

impl ExternalKind {
    /// The kind as front ends see it.
    pub fn described(&self) -> ExternalType {
        let schema = self.schema();
        let names = || schema.attributes.iter().map(|a| a.name.to_string()).collect();
        ExternalType {
            name: schema.name.to_string(),
            namevar: schema.name_attribute().to_string(),
            attributes: (!schema.is_open).then(names),
        }
    }
}

/// Adds the kinds of all manifests of a directory.
///
/// # Errors
/// As of [`read`].
pub fn register(registry: &mut Registry, dir: &Path) -> Result<(), ManifestError> {
    for kind in read(dir)? {
        registry.add(Box::new(kind));
    }
    Ok(())
}
