//! Metadata of file sources from the time of the compile: with it a static catalog lets an agent
//! compare its files without requests, and fetch the content of that time later.

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

/// The files behind the sources of `File` resources, by title.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ServedFiles {
    /// The id of the code version of the files.
    pub code_id: Option<EcoString>,
    /// One file for a resource.
    pub single: ByTitle<FileMetadata>,
    /// The files below copied directories, by source.
    pub recursive: ByTitle<Vec<ServedTree>>,
}

/// Entries by the titles of resources, in that order.
pub type ByTitle<T> = IndexMap<EcoString, T, FxBuildHasher>;

/// A source and the files below it.
pub type ServedTree = (EcoString, Vec<FileMetadata>);

impl ServedFiles {
    /// Whether there is no metadata.
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
    /// Its path, or that of the directory whose recursion found it.
    pub path: String,
    /// Its path relative to `path`.
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
    /// The target of a link.
    pub destination: Option<String>,
    /// The address of the content, with the version of the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_uri: Option<String>,
    /// The source that it was found by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A digest or another sign of change, with its type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ServedChecksum {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// `{sha256}…`; `None` for a link without a file as its target.
    pub value: Option<String>,
}

impl FileMetadata {
    /// The algorithm and the digest of a file's content, if it has one.
    pub fn digest(&self) -> Option<(&str, &str)> {
        let kind = self.checksum.kind.as_str();
        let of_content = kind.starts_with("sha") || kind.starts_with("md5");
        let value = self.checksum.value.as_deref()?;
        let hex = value.rsplit_once('}').map_or(value, |(_, hex)| hex);
        (self.kind == "file" && of_content).then_some((kind, hex))
    }
}
