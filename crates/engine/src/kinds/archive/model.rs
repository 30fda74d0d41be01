//! A parsed `archive`, and the state of the file.

use std::path::PathBuf;

use rustix::fs::FileType;

use super::download::Download;
use super::extract::Extraction;
use crate::kind::KindError;
use crate::system::host::Host;
use crate::system::path::{is, resolve};
use crate::system::write::remove;
use ordain_functions::checksum::Algorithm;

/// The desired state.
pub(super) struct ArchiveInstance {
    pub(super) path: PathBuf,
    pub(super) present: bool,
    pub(super) download: Download,
    /// How content is compared, if it is.
    pub(super) algorithm: Option<Algorithm>,
    /// The name of the algorithm, for messages.
    pub(super) algorithm_name: String,
    pub(super) verify: bool,
    pub(super) extraction: Option<Extraction>,
    pub(super) creates: Option<PathBuf>,
    pub(super) cleanup: bool,
    /// The declared directory for unpacked files, for messages.
    pub(super) extract_path: String,
    pub(super) secrets: Vec<String>,
}

impl ArchiveInstance {
    pub(super) fn exists(&self, host: &Host) -> bool {
        std::fs::metadata(host.path(&self.path)).is_ok()
    }

    pub(super) fn is_extracted(&self, host: &Host) -> bool {
        self.creates.as_ref().is_some_and(|path| host.stat(path).is_ok())
    }

    /// The digest of the archive, if it is compared by one.
    pub(super) fn digest(&self, host: &Host) -> Result<Option<String>, KindError> {
        let Some(algorithm) = self.algorithm else { return Ok(None) };
        let hex = std::fs::File::open(host.path(&self.path)).and_then(|file| algorithm.hex(file));
        let failed = |e| KindError::new(format!("Could not read {}: {e}", self.path.display()));
        hex.map(Some).map_err(failed)
    }

    /// Whether the archive is there with its content; else the digests that differ.
    pub(super) fn state(&self, host: &Host) -> Result<State, KindError> {
        if !self.exists(host) {
            return Ok(State::Missing);
        }
        let Some(now) = self.digest(host)? else { return Ok(State::Right) };
        let wanted = self.download.checksum(host)?;
        Ok(match wanted.as_ref() == Some(&now) {
            true => State::Right,
            false => State::Other { now, wanted: wanted.unwrap_or_default() },
        })
    }

    /// The line for the log of an archive that is fetched.
    pub(super) fn message(&self, state: &State) -> String {
        let (path, kind) = (self.path.display(), &self.algorithm_name);
        if let State::Other { now, wanted } = state {
            return format!("replace archive: {path} from ({kind}){now} to ({kind}){wanted}");
        }
        let extract = match self.extraction {
            Some(_) => format!("and extracted in {}", self.extract_path),
            None => String::new(),
        };
        let cleanup = if self.cleanup { "with cleanup" } else { "without cleanup" };
        let source = self.download.shown();
        format!("download archive from {source} to {path} {extract} {cleanup}")
    }

    pub(super) fn fetch(&self, host: &Host) -> Result<(), KindError> {
        let algorithm = self.algorithm.filter(|_| self.verify);
        self.download.fetch(host, &self.path, algorithm)
    }

    pub(super) fn remove(&self, host: &Host) -> Result<(), KindError> {
        let place = host.keep(&self.path, false).and_then(|()| resolve(host, &self.path, false));
        let failed = |e| KindError::new(format!("Could not remove {}: {e}", self.path.display()));
        let place = place.map_err(failed)?;
        if place.stat().map_err(failed)?.is_some_and(|stat| is(&stat, FileType::Directory)) {
            return Err(KindError::new(format!("{} is a directory", self.path.display())));
        }
        remove(host, &place).map_err(failed)
    }

    pub(super) fn extract(&self, host: &Host) -> Result<(), KindError> {
        self.extraction.as_ref().map_or(Ok(()), |extraction| extraction.run(host, &self.path))
    }
}

/// The state of the archive.
pub(super) enum State {
    Missing,
    Right,
    Other { now: String, wanted: String },
}
