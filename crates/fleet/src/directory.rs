//! Directories and layers that stand in place of others.

use std::io;
use std::path::{Path, PathBuf};

use ordain_driver::Layer;
use ordain_source::layer::{FileLayer, LayerListing, absolute};
use ordain_source::world::EntryKind;
use ordain_source::{HostWorld, World};

/// Shows the files of one directory at the path of another one. Both sides of a comparison then have
/// the same paths, so that paths make no difference.
pub(crate) struct MappedDirectory {
    shown: PathBuf,
    real: PathBuf,
    host: HostWorld,
}

impl MappedDirectory {
    /// Shows `real` at `shown`.
    pub(crate) fn new(shown: &Path, real: &Path) -> Self {
        Self { shown: absolute(shown), real: absolute(real), host: HostWorld::new() }
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        Some(self.real.join(path.strip_prefix(&self.shown).ok()?))
    }
}

impl FileLayer for MappedDirectory {
    fn kind(&self, path: &Path) -> Option<Option<EntryKind>> {
        Some(self.host.kind(&self.real(path)?))
    }

    fn read(&self, path: &Path) -> Option<io::Result<Vec<u8>>> {
        Some(self.host.read(&self.real(path)?))
    }

    fn list(&self, path: &Path) -> Option<LayerListing> {
        Some(LayerListing::Whole(self.host.list(&self.real(path)?)))
    }

    fn read_link(&self, path: &Path) -> Option<io::Result<PathBuf>> {
        Some(self.host.read_link(&self.real(path)?))
    }

    fn resolve(&self, path: &Path) -> Option<Option<PathBuf>> {
        let found = self.host.resolve(&self.real(path)?);
        Some(found.map(|found| match found.strip_prefix(&self.real) {
            Ok(rest) => self.shown.join(rest),
            Err(_) => found,
        }))
    }
}

/// Shows the files that a layer has below one directory at the path of another one.
pub(crate) struct MovedLayer {
    shown: PathBuf,
    real: PathBuf,
    layer: Layer,
}

impl MovedLayer {
    /// Shows at `shown` the files that the layer has at `real`.
    pub(crate) fn new(shown: &Path, real: &Path, layer: Layer) -> Self {
        Self { shown: absolute(shown), real: absolute(real), layer }
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        Some(self.real.join(path.strip_prefix(&self.shown).ok()?))
    }
}

impl FileLayer for MovedLayer {
    fn kind(&self, path: &Path) -> Option<Option<EntryKind>> {
        self.layer.0.kind(&self.real(path)?)
    }

    fn read(&self, path: &Path) -> Option<io::Result<Vec<u8>>> {
        self.layer.0.read(&self.real(path)?)
    }

    fn list(&self, path: &Path) -> Option<LayerListing> {
        self.layer.0.list(&self.real(path)?)
    }

    fn read_link(&self, path: &Path) -> Option<io::Result<PathBuf>> {
        self.layer.0.read_link(&self.real(path)?)
    }

    fn resolve(&self, path: &Path) -> Option<Option<PathBuf>> {
        let found = self.layer.0.resolve(&self.real(path)?)?;
        Some(found.map(|found| match found.strip_prefix(&self.real) {
            Ok(rest) => self.shown.join(rest),
            Err(_) => found,
        }))
    }
}
