//! The files of a deployed revision at the paths of its environment.
//!
//! `ordain deploy` makes an environment a link to a revision. A compile sees the files of a single
//! revision, even if the link changes, and the paths in its catalog stay the same after each deploy.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_deploy::PinnedRevision;
use ordain_driver::Layer;
use ordain_source::layer::{FileLayer, LayerListing, absolute};
use ordain_source::{EntryKind, HostWorld, World};

/// The files of a revision.
#[derive(Debug)]
pub(crate) struct RevisionFiles {
    /// The link.
    environment: PathBuf,
    revision: PinnedRevision,
    host: HostWorld,
}

impl RevisionFiles {
    /// Shows the files of a revision in the directory of its environment.
    pub(super) fn new(environment: &Path, revision: PinnedRevision) -> Self {
        let environment = absolute(environment);
        Self { environment, revision, host: HostWorld::new() }
    }

    /// The id of the revision.
    pub(crate) fn id(&self) -> &str {
        &self.revision.id
    }

    /// The files as an option of a compile.
    pub(super) fn layer(files: &Arc<Self>) -> Layer {
        Layer(Arc::clone(files) as Arc<dyn FileLayer>)
    }

    /// Maps a path of the environment to its file in the revision. Returns `None` for other paths.
    pub(super) fn place(&self, path: &Path) -> Option<PathBuf> {
        let below = path.strip_prefix(&self.environment).ok()?;
        Some(match below.as_os_str().is_empty() {
            true => self.revision.directory.clone(),
            false => self.revision.directory.join(below),
        })
    }
}

impl FileLayer for RevisionFiles {
    fn kind(&self, path: &Path) -> Option<Option<EntryKind>> {
        self.place(path).map(|place| self.host.kind(&place))
    }

    fn read(&self, path: &Path) -> Option<io::Result<Vec<u8>>> {
        self.place(path).map(|place| self.host.read(&place))
    }

    fn list(&self, path: &Path) -> Option<LayerListing> {
        self.place(path).map(|place| LayerListing::Whole(self.host.list(&place)))
    }

    fn read_link(&self, path: &Path) -> Option<io::Result<PathBuf>> {
        self.place(path).map(|place| self.host.read_link(&place))
    }

    fn resolve(&self, path: &Path) -> Option<Option<PathBuf>> {
        self.place(path).map(|place| self.host.resolve(&place))
    }
}
