//! The settings of a deploy: those of `r10k.yaml`, or of the command line.

mod document;
mod model;
mod read;

use std::path::Path;

use ordain_source::{Diagnostic, SourceMap};

use crate::error::Error;

pub(crate) use model::{Access, ForgeSettings, GitSettings, Purge, Source, check_remote};
pub use model::{DEFAULT_REVISIONS, Settings};

impl Settings {
    /// Reads an `r10k.yaml`. The second value has warnings about settings that have no effect.
    ///
    /// # Errors
    /// When the file cannot be read, or a setting is wrong or unsupported.
    pub fn read(path: &Path, texts: &SourceMap) -> Result<(Self, Vec<Diagnostic>), Error> {
        read::read(path, true, texts)
    }

    /// Like [`Self::read`], for [`install`](crate::install()): the sources may be missing.
    ///
    /// # Errors
    /// When the file cannot be read, or a setting is wrong or unsupported.
    pub fn read_for_install(
        path: &Path,
        texts: &SourceMap,
    ) -> Result<(Self, Vec<Diagnostic>), Error> {
        read::read(path, false, texts)
    }
}
