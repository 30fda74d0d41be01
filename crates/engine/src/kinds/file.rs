//! `file`: files, directories and links with their content, owner, group and mode.
//!
//! Everything is written beside its place and renamed into it, with owner and mode set before;
//! what is replaced can be kept as a backup. Paths are walked by file descriptors, and links that
//! another user planted are not followed.

mod apply;
mod backup;
pub(crate) mod checksum;
mod compare;
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
use rustc_hash::FxHasher;

use crate::kind::ReversalAttributes;
use crate::kind::{
    AttributeDoc, AttributeError, Change, Instance, Kind, KindError, LogLine, ParseContext,
};
use crate::system::host::Host;
use crate::system::watch::Watch;
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

const ATTRIBUTES: &[AttributeDoc] = &[
    AttributeDoc { name: "path", doc: "The absolute path" },
    AttributeDoc {
        name: "ensure",
        doc: "absent (or false), present, file, directory, link, or where a link leads",
    },
    AttributeDoc { name: "backup", doc: "What keeps replaced content: false, `.suffix`, a bucket" },
    AttributeDoc {
        name: "checksum",
        doc: "How content is compared: sha256 (default), md5, mtime, …",
    },
    AttributeDoc { name: "checksum_value", doc: "The digest that the content must have" },
    AttributeDoc { name: "content", doc: "The content: text or binary" },
    AttributeDoc { name: "force", doc: "Whether directories are removed or replaced" },
    AttributeDoc {
        name: "fragments",
        doc: "Files whose contents follow each other as the content",
    },
    AttributeDoc { name: "group", doc: "The group, by name or number" },
    AttributeDoc { name: "ignore", doc: "Patterns of names that a recursion leaves alone" },
    AttributeDoc { name: "links", doc: "manage (default) links themselves, or follow them" },
    AttributeDoc { name: "max_files", doc: "How many files a recursion may meet; 0 warns of many" },
    AttributeDoc { name: "mode", doc: "The mode as text: octal, or symbolic such as `u=rw,g+X`" },
    AttributeDoc { name: "owner", doc: "The owner, by name or number" },
    AttributeDoc { name: "purge", doc: "Whether a recursion removes what is not managed" },
    AttributeDoc { name: "recurse", doc: "Whether what is below is managed: true, false, remote" },
    AttributeDoc {
        name: "must_exist",
        doc: "Whether a path with nothing there is an error; false by default",
    },
    AttributeDoc {
        name: "parents",
        doc: "Whether a directory is made with those around it; false by default",
    },
    AttributeDoc { name: "recurselimit", doc: "How deep a recursion goes" },
    AttributeDoc {
        name: "remove_empty",
        doc: "Whether a directory without entries goes without force; false by default",
    },
    AttributeDoc { name: "replace", doc: "Whether existing content is replaced; true by default" },
    AttributeDoc {
        name: "selinux_ignore_defaults",
        doc: "Whether undeclared parts of the context stay; else they are the policy's; false",
    },
    AttributeDoc { name: "selrange", doc: "The range of the context of SELinux, such as s0" },
    AttributeDoc { name: "selrole", doc: "The role of the context of SELinux" },
    AttributeDoc { name: "seltype", doc: "The type of the context of SELinux, such as etc_t" },
    AttributeDoc {
        name: "seluser",
        doc: "The user of the context of SELinux; ignored where SELinux is off",
    },
    AttributeDoc { name: "show_diff", doc: "Whether differences of content are shown" },
    AttributeDoc { name: "source", doc: "Where content is copied from; the first that exists" },
    AttributeDoc { name: "source_permissions", doc: "ignore (default), use, use_when_creating" },
    AttributeDoc { name: "sourceselect", doc: "first (default), or all sources of a recursion" },
    AttributeDoc {
        name: "staging_location",
        doc: "Accepted; new content is always staged beside the file, so that it moves atomically",
    },
    AttributeDoc { name: "target", doc: "Where a link leads" },
    AttributeDoc { name: "validate_cmd", doc: "A command that must accept new content; % is it" },
    AttributeDoc { name: "validate_replacement", doc: "What stands for the new file; %" },
];

impl Kind for File {
    fn name(&self) -> &'static str {
        "file"
    }

    fn doc(&self) -> &'static str {
        "Manages files, directories and links"
    }

    fn attributes(&self) -> &'static [AttributeDoc] {
        ATTRIBUTES
    }

    fn parse(
        &self,
        resource: &Resource,
        context: &ParseContext<'_>,
    ) -> Result<Box<dyn Instance>, Vec<AttributeError>> {
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
