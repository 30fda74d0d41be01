//! `archive`: a file that is fetched, and unpacked if asked to.

mod download;
mod extract;
mod parse;

use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, modules};
use rustix::fs::FileType;

use crate::kind::differences::{Differences, changes};
use crate::kind::{AttributeError, Change, Instance, Kind, KindError, ParseContext};
use crate::kinds::file::checksum::Algorithm;
use crate::system::host::Host;
use crate::system::path::{is, resolve};
use crate::system::watch::Watch;
use crate::system::write::remove;
use download::Download;
use extract::Extraction;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Archive;

impl Kind for Archive {
    fn schema(&self) -> &KindSchema {
        &modules::ARCHIVE
    }

    fn parse(
        &self,
        resource: &Resource,
        context: &ParseContext<'_>,
    ) -> Result<Box<dyn Instance>, Vec<AttributeError>> {
        parse::parse(resource, context).map(|archive| Box::new(archive) as Box<dyn Instance>)
    }
}

/// The value of `creates` in messages while the archive is not unpacked.
const NOT_EXTRACTED: &str = "archive not extracted";

/// The desired state.
struct ArchiveInstance {
    path: PathBuf,
    present: bool,
    download: Download,
    /// How content is compared, if it is.
    algorithm: Option<Algorithm>,
    /// The name of the algorithm, for messages.
    algorithm_name: String,
    verify: bool,
    extraction: Option<Extraction>,
    creates: Option<PathBuf>,
    cleanup: bool,
    /// The declared directory for unpacked files, for messages.
    extract_path: String,
    secrets: Vec<String>,
}

impl ArchiveInstance {
    fn exists(&self, host: &Host) -> bool {
        std::fs::metadata(host.path(&self.path)).is_ok()
    }

    fn is_extracted(&self, host: &Host) -> bool {
        self.creates.as_ref().is_some_and(|path| host.stat(path).is_ok())
    }

    /// The digest of the archive, if it is compared by one.
    fn digest(&self, host: &Host) -> Result<Option<String>, KindError> {
        let Some(algorithm) = self.algorithm else { return Ok(None) };
        let hex = std::fs::File::open(host.path(&self.path)).and_then(|file| algorithm.hex(file));
        let failed = |e| KindError::new(format!("Could not read {}: {e}", self.path.display()));
        hex.map(Some).map_err(failed)
    }

    /// Whether the archive is there with its content; else the digests that differ.
    fn state(&self, host: &Host) -> Result<State, KindError> {
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
    fn message(&self, state: &State) -> String {
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

    fn fetch(&self, host: &Host) -> Result<(), KindError> {
        let algorithm = self.algorithm.filter(|_| self.verify);
        self.download.fetch(host, &self.path, algorithm)
    }

    fn remove(&self, host: &Host) -> Result<(), KindError> {
        let place = host.keep(&self.path, false).and_then(|()| resolve(host, &self.path, false));
        let failed = |e| KindError::new(format!("Could not remove {}: {e}", self.path.display()));
        let place = place.map_err(failed)?;
        if place.stat().map_err(failed)?.is_some_and(|stat| is(&stat, FileType::Directory)) {
            return Err(KindError::new(format!("{} is a directory", self.path.display())));
        }
        remove(host, &place).map_err(failed)
    }

    fn extract(&self, host: &Host) -> Result<(), KindError> {
        self.extraction.as_ref().map_or(Ok(()), |extraction| extraction.run(host, &self.path))
    }
}

/// The state of the archive.
enum State {
    Missing,
    Right,
    Other { now: String, wanted: String },
}

impl Instance for ArchiveInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let named =
            |kind: &str, title: &str| ResourceRef { kind: kind.into(), title: title.into() };
        let parent = self.path.parent().unwrap_or(Path::new("/")).to_string_lossy();
        let files = [&parent, &*self.extract_path, "/root/.aws/config", "/root/.aws/credentials"];
        let files = files.into_iter().filter(|path| !path.is_empty());
        let tools = ["install_aws_cli", "install_gsutil"];
        files.map(|path| named("File", path)).chain(tools.map(|name| named("Exec", name))).collect()
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        let paths = [Some(&self.path), self.creates.as_ref()];
        let files = self.download.files().map(Path::to_path_buf);
        paths.into_iter().flatten().cloned().chain(files).map(Watch::Path).collect()
    }

    fn context_fingerprint(&self) -> Option<u64> {
        Some(self.download.fingerprint())
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&self.secrets);
        if self.present && self.is_extracted(host) && !self.exists(host) {
            return Ok(to.finish());
        }
        let state = self.state(host)?;
        let is_there = matches!(state, State::Right);
        match (is_there, self.present) {
            (false, true) => {
                to.create_as("absent", Value::str("present"), self.message(&state));
            }
            (true, false) => {
                let message = format!("remove archive: {} ", self.path.display());
                to.remove(Value::str("present"), "absent", &message);
            }
            (true, true) if self.extraction.is_some() && !self.is_extracted(host) => {
                if let Some(creates) = &self.creates {
                    let creates = creates.to_string_lossy();
                    let message = format!(
                        "creates changed '{NOT_EXTRACTED}' to extracting in {} to create {creates}",
                        self.extract_path
                    );
                    let after = Value::str(creates.as_ref());
                    to.property_as("creates", Value::str(NOT_EXTRACTED), after, message);
                }
            }
            _ => {}
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if made.is_empty() {
            return Ok(());
        }
        if !self.present {
            return self.remove(host);
        }
        if changes(made, "creates") {
            return self.extract(host);
        }
        if !matches!(self.state(host)?, State::Right) {
            self.fetch(host)?;
        }
        self.extract(host)?;
        if self.cleanup && self.is_extracted(host) {
            self.remove(host)?;
        }
        Ok(())
    }
}
