//! Nodes as they pass from one process to another.

use std::sync::Arc;

use ordain_data::{Map, Value as Data};
use ordain_functions::digest::sha256_bytes;
use serde::{Deserialize, Serialize};

use super::{Facts, FleetNode};

/// A node with its facts.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireNode {
    name: String,
    facts: WireFacts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<WireFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireFacts {
    Text(WireFile),
    Parsed(WireData, Option<WireData>),
    Stored,
}

/// The path of a file for messages, and its content.
#[derive(Debug, Serialize, Deserialize)]
struct WireFile {
    path: std::path::PathBuf,
    content: WireBytes,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireBytes {
    Text(String),
    /// Each character is a byte.
    Bytes(String),
}

/// A value, as the sequence of its parts: values may be nested deeper than readers of JSON allow.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct WireData(Vec<Part>);

#[derive(Debug, Serialize, Deserialize)]
enum Part {
    #[serde(rename = "n")]
    Null,
    #[serde(rename = "t")]
    Bool(bool),
    #[serde(rename = "i")]
    Int(i64),
    #[serde(rename = "d")]
    BigInt(String),
    /// The bits of a floating point number.
    #[serde(rename = "f")]
    Float(u64),
    #[serde(rename = "s")]
    Str(String),
    #[serde(rename = "b")]
    Bytes(Vec<u8>),
    /// The number of items, which follow.
    #[serde(rename = "l")]
    List(usize),
    /// The number of entries, whose keys and values follow.
    #[serde(rename = "m")]
    Map(usize),
    /// The digest of a secret. Secrets are compared, never shown, so the digest can stand for it.
    #[serde(rename = "x")]
    Secret(String),
}

impl WireFile {
    fn of(path: &std::path::Path, bytes: &[u8]) -> Self {
        let content = match std::str::from_utf8(bytes) {
            Ok(text) => WireBytes::Text(text.to_owned()),
            Err(_) => WireBytes::Bytes(bytes.iter().map(|byte| char::from(*byte)).collect()),
        };
        Self { path: path.to_owned(), content }
    }

    fn bytes(self) -> Arc<[u8]> {
        match self.content {
            WireBytes::Text(text) => text.into_bytes().into(),
            // Characters above 255 are not written.
            WireBytes::Bytes(text) => text.chars().map(|c| u32::from(c) as u8).collect(),
        }
    }
}

impl WireNode {
    /// The form of a node for another process.
    pub(crate) fn of(node: &FleetNode) -> Self {
        let facts = match &node.facts {
            Facts::Text(path, bytes) => WireFacts::Text(WireFile::of(path, bytes)),
            Facts::Parsed(facts, trusted) => {
                WireFacts::Parsed(WireData::of(facts), trusted.as_ref().map(WireData::of))
            }
            Facts::Stored => WireFacts::Stored,
        };
        let data = node.data.as_ref().map(|(path, bytes)| WireFile::of(path, bytes));
        Self { name: node.name.clone(), facts, data }
    }

    /// The node. `read` reads a node whose facts are in the database; without any, its compile fails.
    pub(crate) fn node<E>(
        self,
        read: impl FnOnce(&str) -> Result<Option<FleetNode>, E>,
    ) -> Result<FleetNode, E> {
        let facts = match self.facts {
            WireFacts::Text(file) => {
                let path = file.path.clone();
                Facts::Text(path, file.bytes())
            }
            WireFacts::Parsed(facts, trusted) => {
                Facts::Parsed(facts.data(), trusted.map(WireData::data))
            }
            WireFacts::Stored => read(&self.name)?.map_or(Facts::Stored, |node| node.facts),
        };
        let data = self.data.map(|file| (file.path.clone(), file.bytes()));
        Ok(FleetNode { name: self.name, facts, data })
    }
}

impl WireData {
    /// The form of a value for another process. Secrets become digests.
    pub(crate) fn of(value: &Data) -> Self {
        let mut parts = Vec::new();
        add(value, &mut parts);
        Self(parts)
    }

    /// The value.
    pub(crate) fn data(self) -> Data {
        data(&mut self.0.into_iter()).unwrap_or_default()
    }
}

/// Adds the parts of a value.
fn add(value: &Data, parts: &mut Vec<Part>) {
    parts.push(match value {
        Data::Null => Part::Null,
        Data::Bool(flag) => Part::Bool(*flag),
        Data::Int(number) => Part::Int(*number),
        Data::BigInt(digits) => Part::BigInt(digits.to_string()),
        Data::Float(number) => Part::Float(number.to_bits()),
        Data::Str(text) => Part::Str(text.to_string()),
        Data::Bytes(bytes) => Part::Bytes(bytes.to_vec()),
        Data::List(items) => Part::List(items.len()),
        Data::Map(map) => Part::Map(map.len()),
        Data::Secret(value) => {
            let digest = sha256_bytes(ordain_data::json::compact(value).as_bytes());
            Part::Secret(digest.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    });
    match value {
        Data::List(items) => items.iter().for_each(|item| add(item, parts)),
        Data::Map(map) => map.iter().for_each(|(key, value)| {
            add(key, parts);
            add(value, parts);
        }),
        _ => {}
    }
}

/// The value of the next parts. `None` if there are none.
fn data(parts: &mut impl Iterator<Item = Part>) -> Option<Data> {
    Some(match parts.next()? {
        Part::Null => Data::Null,
        Part::Bool(flag) => Data::Bool(flag),
        Part::Int(number) => Data::Int(number),
        Part::BigInt(digits) => Data::BigInt(digits.into()),
        Part::Float(bits) => Data::Float(f64::from_bits(bits)),
        Part::Str(text) => Data::str(text),
        Part::Bytes(bytes) => Data::Bytes(bytes.into()),
        Part::List(items) => Data::list((0..items).map_while(|_| data(parts))),
        Part::Map(entries) => {
            let entry = |_| Some((data(parts)?, data(parts)?));
            Data::Map(Arc::new((0..entries).map_while(entry).collect::<Map>()))
        }
        Part::Secret(digest) => Data::Secret(Arc::new(Data::str(digest))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_went() {
        let pairs = [
            (Data::str("a"), Data::list([Data::Null, Data::Bool(true), Data::Int(-1)])),
            (Data::Int(2), Data::Float(0.1)),
            (Data::Null, Data::BigInt("123456789012345678901".into())),
            (Data::list([]), Data::Bytes(vec![0, 255].into())),
        ];
        let map = Data::Map(Arc::new(pairs.into_iter().collect()));
        let deep = (0..1000).fold(map, |inner, _| Data::list([inner, Data::str("x")]));
        let text = serde_json::to_string(&WireData::of(&deep)).unwrap_or_default();
        let back: WireData = serde_json::from_str(&text).unwrap_or(WireData(Vec::new()));
        assert_eq!(back.data(), deep);
        assert_eq!(WireData(Vec::new()).data(), Data::Null);
    }

    #[test]
    fn secrets_become_digests() {
        let secret = |text: &str| Data::Secret(Arc::new(Data::str(text)));
        let sent = |text: &str| WireData::of(&secret(text)).data();
        assert_eq!(sent("one"), sent("one"));
        assert_ne!(sent("one"), sent("two"));
        assert!(matches!(sent("one"), Data::Secret(_)) && sent("one") != secret("one"));
    }
}
