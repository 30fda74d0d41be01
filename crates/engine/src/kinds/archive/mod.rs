//! `archive`: a file that is fetched, and unpacked if asked to.

mod download;
mod extract;
mod model;
mod parse;

use std::path::Path;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, modules};

use crate::kind::differences::{Differences, changes};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;
use crate::system::watch::Watch;
use model::{ArchiveInstance, State};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Archive;

impl Kind for Archive {
    fn schema(&self) -> &KindSchema {
        &modules::ARCHIVE
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        parse::parse(resource, context).map(|archive| Box::new(archive) as Box<dyn Instance>)
    }
}

/// The value of `creates` in messages while the archive is not unpacked.
const NOT_EXTRACTED: &str = "archive not extracted";

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
