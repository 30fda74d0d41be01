//! Static checks of manifests, templates and the data of Hiera, one file at a time and all files of a
//! repository together.

pub(crate) mod files;
mod lint;
mod model_lint;
pub(crate) mod repository;

pub use lint::lint;
