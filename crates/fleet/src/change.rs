//! Changes of nodes, and what equal changes have in common.

use ordain_functions::digest::sha256_bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The digest of a change. Equal changes of different nodes have the same.
pub type Digest = [u8; 16];

/// A change of a node between the two sides. Values are JSON as in graph documents, without secrets:
/// the text of a secret is in none of the fields.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// The node gets a resource.
    Added {
        /// Its name.
        resource: String,
        /// Its attributes.
        attributes: Vec<(String, Json)>,
    },
    /// The node loses a resource.
    Removed {
        /// Its name.
        resource: String,
        /// Its attributes.
        attributes: Vec<(String, Json)>,
    },
    /// An attribute of a resource has another value.
    Attribute {
        /// The name of the resource.
        resource: String,
        /// The name of the attribute.
        attribute: String,
        /// The value before; none if it was not set.
        before: Option<Json>,
        /// The value after; none if it is not set.
        after: Option<Json>,
        /// The comparison by structure, if the values are documents.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<DocumentChange>,
    },
    /// A file that a resource copies from a module has another content.
    File {
        /// The name of the resource.
        resource: String,
        /// The address of the file.
        source: String,
        /// The content before; none if there was no such file.
        before: Option<Content>,
        /// The content after; none if there is no such file.
        after: Option<Content>,
        /// The comparison by structure, if the contents are documents.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<DocumentChange>,
    },
    /// Two resources have another order, or one notifies the other.
    Order {
        /// The earlier resource.
        from: String,
        /// The later resource.
        to: String,
        /// The relation before; none if there was none.
        before: Option<Relation>,
        /// The relation after; none if there is none.
        after: Option<Relation>,
    },
    /// Resources form a cycle, which they did not before.
    CycleAdded {
        /// The resources.
        cycle: String,
    },
    /// A cycle is gone.
    CycleRemoved {
        /// The resources.
        cycle: String,
    },
    /// The node compiled before and fails now.
    Fails {
        /// The error.
        message: String,
        /// Its place.
        place: Option<String>,
    },
    /// The node failed before and compiles now.
    FailsNoMore {
        /// The error that it had.
        message: String,
        /// Its place.
        place: Option<String>,
    },
    /// The node fails on both sides.
    StillFails {
        /// The error before.
        before: String,
        /// The error after.
        message: String,
        /// The place of the error after.
        place: Option<String>,
    },
}

/// The comparison of two documents by structure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DocumentChange {
    /// The format: `json` or `yaml`.
    pub format: String,
    /// The differences; none if only the layout differs.
    pub differences: Vec<DocumentDifference>,
}

/// A difference of two documents.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DocumentDifference {
    /// The path inside of the document.
    pub path: String,
    /// The value before, if there was one.
    pub before: Option<Json>,
    /// The value after, if there is one.
    pub after: Option<Json>,
}

impl DocumentDifference {
    fn shorten(&mut self, max_length: usize) {
        for value in self.before.iter_mut().chain(&mut self.after) {
            shorten(value, max_length);
        }
    }
}

/// Replaces long texts by their digests.
fn shorten(value: &mut Json, max_length: usize) {
    match value {
        Json::String(text) if text.len() > max_length => {
            let digest = sha256_bytes(text.as_bytes());
            let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            *value = serde_json::json!({ "sha256": sha256, "size": text.len() });
        }
        Json::Array(items) => items.iter_mut().for_each(|item| shorten(item, max_length)),
        Json::Object(map) => map.values_mut().for_each(|item| shorten(item, max_length)),
        _ => {}
    }
}

/// The content of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// A text.
    Text(String),
    /// Bytes that are no text, or a long text: the SHA-256 in hexadecimal and the size in bytes.
    Digest {
        /// The SHA-256.
        sha256: String,
        /// The size.
        size: usize,
    },
    /// The metadata that a file server has of a file, directory or link, without its content.
    Metadata {
        /// `file`, `directory`, `link`, `fifo` or `socket`.
        #[serde(rename = "type")]
        kind: String,
        /// The checksum of a file's content, such as `{sha256}0a1b`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checksum: Option<String>,
        /// The target of a link.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// Mode, owner and group, if the resource copies them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permissions: Option<String>,
    },
}

/// A relation of two resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The first comes before the second.
    Before,
    /// The first comes before the second, and its changes refresh it.
    Notify,
}

/// The kind of a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChangeKind {
    /// A node fails now.
    Fails,
    /// A cycle is new.
    CycleAdded,
    /// A resource is new.
    Added,
    /// A resource is gone.
    Removed,
    /// An attribute or a file differs.
    Changed,
    /// An order or a notification differs.
    Order,
    /// A cycle is gone.
    CycleRemoved,
    /// A node fails no more.
    FailsNoMore,
    /// A node fails on both sides.
    StillFails,
}

impl Change {
    /// Its kind.
    pub fn kind(&self) -> ChangeKind {
        match self {
            Self::Added { .. } => ChangeKind::Added,
            Self::Removed { .. } => ChangeKind::Removed,
            Self::Attribute { .. } | Self::File { .. } => ChangeKind::Changed,
            Self::Order { .. } => ChangeKind::Order,
            Self::CycleAdded { .. } => ChangeKind::CycleAdded,
            Self::CycleRemoved { .. } => ChangeKind::CycleRemoved,
            Self::Fails { .. } => ChangeKind::Fails,
            Self::FailsNoMore { .. } => ChangeKind::FailsNoMore,
            Self::StillFails { .. } => ChangeKind::StillFails,
        }
    }

    /// The name of its resource, if it has one; of an order, the earlier one.
    pub fn resource(&self) -> Option<&str> {
        match self {
            Self::Added { resource, .. }
            | Self::Removed { resource, .. }
            | Self::Attribute { resource, .. }
            | Self::File { resource, .. } => Some(resource),
            Self::Order { from, .. } => Some(from),
            _ => None,
        }
    }

    /// The name of its attribute, if it is about one.
    pub fn attribute(&self) -> Option<&str> {
        match self {
            Self::Attribute { attribute, .. } => Some(attribute),
            Self::File { .. } => Some("content"),
            _ => None,
        }
    }

    /// Whether the node is no different: it fails on both sides with the same error.
    pub fn is_no_difference(&self) -> bool {
        matches!(self, Self::StillFails { before, message, .. } if before == message)
    }

    /// The change with the SHA-256 and the size in place of each text that is longer than
    /// `max_length` bytes.
    pub fn shortened(mut self, max_length: usize) -> Self {
        match &mut self {
            Self::Added { attributes, .. } | Self::Removed { attributes, .. } => {
                attributes.iter_mut().for_each(|(_, value)| shorten(value, max_length));
            }
            Self::Attribute { before, after, document, .. } => {
                for value in before.iter_mut().chain(after) {
                    shorten(value, max_length);
                }
                let differences = document.iter_mut().flat_map(|all| &mut all.differences);
                differences.for_each(|difference| difference.shorten(max_length));
            }
            _ => {}
        }
        self
    }

    /// The digest, which does not depend on the order of keys and attributes.
    pub fn digest(&self) -> Digest {
        let mut change = self.clone();
        if let Self::Added { attributes, .. } | Self::Removed { attributes, .. } = &mut change {
            attributes.sort_by(|a, b| a.0.cmp(&b.0));
        }
        let mut text = String::new();
        // A change has no maps with other keys than texts, so it always is JSON.
        write_sorted(&serde_json::to_value(&change).unwrap_or_default(), &mut text);
        short_digest(text.as_bytes())
    }
}

/// The first bytes of the SHA-256.
pub(crate) fn short_digest(bytes: &[u8]) -> Digest {
    let mut out = [0; 16];
    out.copy_from_slice(&sha256_bytes(bytes)[..16]);
    out
}

/// Writes JSON with sorted keys.
fn write_sorted(json: &Json, out: &mut String) {
    match json {
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (key, value) in entries {
                out.push_str(&Json::from(key.as_str()).to_string());
                out.push(':');
                write_sorted(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Json::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_texts_are_digests() {
        let attribute = |before: Json, after: Json| Change::Attribute {
            resource: "File[/a]".into(),
            attribute: "content".into(),
            before: Some(before),
            after: Some(after),
            document: None,
        };
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let short = json!([{ "sha256": digest, "size": 3 }, 1]);
        let change = attribute(json!(["abc", 1]), json!("ab"));
        assert_eq!(change.clone().shortened(2), attribute(short, json!("ab")));
        assert_eq!(change.clone().shortened(3), change);
    }

    #[test]
    fn the_digest_does_not_depend_on_the_order_of_keys() {
        let added = |attributes: Vec<(&str, Json)>| Change::Added {
            resource: "File[/a]".into(),
            attributes: attributes.into_iter().map(|(n, v)| (n.to_owned(), v)).collect(),
        };
        let one = added(vec![("a", json!({"x": 1, "y": [2, 3]})), ("b", json!(1))]);
        let two = added(vec![("b", json!(1)), ("a", json!({"y": [2, 3], "x": 1}))]);
        assert_eq!(one.digest(), two.digest());
        let other = added(vec![("b", json!(1)), ("a", json!({"y": [3, 2], "x": 1}))]);
        assert_ne!(one.digest(), other.digest());
    }
}
