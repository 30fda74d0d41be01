//! Metadata of the sources of files when a graph was compiled: the part of a static catalog that
//! lets an agent compare its files without asking, and get the content of that time later.

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

/// The files behind the sources of `File` resources, by the titles of these.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ServedFiles {
    /// The identity of the code that the files belong to.
    pub code_id: Option<EcoString>,
    /// One file for a resource.
    pub single: ByTitle<FileMetadata>,
    /// The files below the directories that a resource copies, by source.
    pub recursive: ByTitle<Vec<ServedTree>>,
}

/// Entries by the titles of resources, in the order of these.
pub type ByTitle<T> = IndexMap<EcoString, T, FxBuildHasher>;

/// A source and the files below it.
pub type ServedTree = (EcoString, Vec<FileMetadata>);

impl ServedFiles {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.single.is_empty() && self.recursive.is_empty()
    }

    /// The file of a resource.
    pub fn file(&self, title: &str) -> Option<&FileMetadata> {
        self.single.get(title)
    }

    /// The trees that a resource copies.
    pub fn trees(&self, title: &str) -> &[ServedTree] {
        self.recursive.get(title).map_or(&[], Vec::as_slice)
    }
}

/// Metadata of a served file, in the form of Puppet's catalogs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileMetadata {
    /// Where it is, or where the directory is that it was found below.
    pub path: String,
    /// Where it is below `path`.
    pub relative_path: Option<String>,
    /// `manage` or `follow`.
    #[serde(default)]
    pub links: String,
    /// The owner's number.
    pub owner: Option<u32>,
    /// The group's number.
    pub group: Option<u32>,
    /// The permissions.
    pub mode: Option<u32>,
    /// The checksum of its content.
    pub checksum: ServedChecksum,
    /// `file`, `directory`, `link`, `fifo` or `socket`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where a link leads.
    pub destination: Option<String>,
    /// Where the content is served, with the version of the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_uri: Option<String>,
    /// The source that it was found by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A digest or another sign of change, with its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ServedChecksum {
    /// The way it was made.
    #[serde(rename = "type")]
    pub kind: String,
    /// `{sha256}…`; nothing for a link that does not lead to a file.
    pub value: Option<String>,
}

impl FileMetadata {
    /// The name of the digest and the digest of a file's content, if it is one.
    pub fn digest(&self) -> Option<(&str, &str)> {
        let kind = self.checksum.kind.as_str();
        let of_content = kind.starts_with("sha") || kind.starts_with("md5");
        let value = self.checksum.value.as_deref()?;
        let hex = value.rsplit_once('}').map_or(value, |(_, hex)| hex);
        (self.kind == "file" && of_content).then_some((kind, hex))
    }
}
