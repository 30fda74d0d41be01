//! `file`: files, directories and links with their content, owner, group and mode.
//!
//! Every file is written under a temporary name with its owner and mode, and then renamed. Replaced
//! files can be kept as backups. Paths are resolved by file descriptors, and links that another
//! user created are not followed.

mod apply;
mod backup;
pub(crate) mod checksum;
mod compare;
mod copied;
mod digest;
mod fragments;
pub(crate) mod glob;
mod mode;
mod model;
mod parse;
mod recurse;
mod reversal;
mod selinux_changes;
mod selinux_context;
mod source;
mod web;

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::PoisonError;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, files};
use rustc_hash::FxHasher;

use crate::kind::ReversalAttributes;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::system::host::Host;
use crate::system::watch::Watch;
pub(crate) use copied::CopiedContent;
pub(crate) use digest::set_digest;
use model::{FileInstance, Recurse};
use source::Source;
pub(crate) use web::Address;

/// The kind.
#[derive(Clone, Debug)]
pub struct File {
    /// The directory, on the machine, of copies that a filebucket keeps.
    pub bucket: PathBuf,
}

impl Default for File {
    fn default() -> Self {
        Self { bucket: PathBuf::from("/var/lib/ordain/bucket") }
    }
}

impl Kind for File {
    fn schema(&self) -> &KindSchema {
        &files::FILE
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        parse::parse(resource, context, &self.bucket).map(|f| Box::new(f) as Box<dyn Instance>)
    }
}

impl Instance for FileInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        self.autorequires.clone()
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        let watch = match self.recursion.mode {
            Recurse::No => Watch::Path,
            Recurse::Both | Recurse::Remote => Watch::Tree,
        };
        let sources = self.sources.iter().filter_map(Source::file);
        let own = std::iter::once(self.path.as_path()).chain(sources).map(|p| watch(p.into()));
        // A fragment with a slash at its end is a directory.
        let fragments = self.fragments.iter().map(|fragment| match fragment.strip_suffix('/') {
            Some(directory) => Watch::Tree(directory.into()),
            None => Watch::Path(fragment.into()),
        });
        own.chain(fragments).collect()
    }

    fn remarks(&self, host: &Host) -> Vec<String> {
        self.context_remark(host).into_iter().collect()
    }

    fn context_fingerprint(&self) -> Option<u64> {
        let takes_more = self.recursion.mode != Recurse::No
            || !self.sources.is_empty()
            || !self.fragments.is_empty()
            || self.backup.bucket().is_some();
        if !takes_more {
            return None;
        }
        let mut hasher = FxHasher::default();
        self.below.hash(&mut hasher);
        self.declared_files.hash(&mut hasher);
        self.backup.bucket().hash(&mut hasher);
        self.sources.iter().for_each(|source| source.file().hash(&mut hasher));
        Some(hasher.finish())
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        compare::compare(self, host)
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        apply::apply(self, host, changes)
    }

    fn reversal(&self, host: &Host) -> Result<Option<ReversalAttributes>, KindError> {
        reversal::of(self, host).map(Some)
    }

    fn observed(&self, host: &Host) -> Result<Option<Vec<(&'static str, Value)>>, KindError> {
        compare::observed(self, host).map(Some)
    }

    fn recover(&self, host: &Host) -> Result<(), KindError> {
        apply::recover(self, host)
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn generate(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        match &self.declared {
            Some(declared) => recurse::generate(self, declared, host),
            None => Ok(Vec::new()),
        }
    }

    fn is_container(&self) -> bool {
        true
    }
}
