//! Manifests, templates and data of Hiera: names across files, and what editors show of them.

pub(crate) mod calls;
pub(crate) mod complete;
pub(crate) mod context;
pub(crate) mod definitions;
pub(crate) mod docs;
pub(crate) mod find;
pub(crate) mod functions;
pub(crate) mod hover;
pub(crate) mod lenses;
pub(crate) mod names;
pub(crate) mod near;
pub(crate) mod outline;
pub(crate) mod rename;
pub(crate) mod templates;
mod test_files;
pub(crate) mod tokens;
pub(crate) mod values;
