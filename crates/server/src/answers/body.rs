//! The text of a stored catalog.
//!
//! The head of a catalog has its version and its id, which are new in each answer, as after a
//! compile. The rest is compressed once: a reply for an agent that accepts compression is the head,
//! uncompressed, and the stored bytes.

use std::io::{Read, Write};

use bytes::Bytes;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use serde_json::{Value as Json, json};

/// A catalog without the parts of its head that are new in each answer.
#[derive(Debug)]
pub(crate) struct CatalogBody {
    /// The text before the version.
    before: Bytes,
    /// The text after the id, up to the resources.
    after: Bytes,
    /// The text from the resources on, in the form of RFC 1951.
    rest: Bytes,
    /// The checksum and the length of that text.
    checksum: Crc,
}

/// The parts of a head that are new in each answer.
#[derive(Debug)]
pub(crate) struct Head {
    /// The version: a number or text.
    pub(crate) version: Json,
    /// The id of the code, if the catalog names it.
    pub(crate) code_id: Option<String>,
    /// The id of the catalog.
    pub(crate) uuid: String,
}

/// The keys around the parts that are new. Texts inside of JSON have no quotes without a backslash,
/// so these are keys.
const VERSION: &[u8] = b"\"version\":";
const FORMAT: &[u8] = b",\"catalog_format\":";
const RESOURCES: &[u8] = b"\"resources\":";
/// The longest head that is searched.
const MAX_HEAD: usize = 64 << 10;
/// The longest block without compression.
const MAX_BLOCK: usize = 0xffff;

impl CatalogBody {
    /// Splits a catalog; `None` if it has another form.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let find = |key: &[u8], from: usize| {
            let head = text.get(from..text.len().min(MAX_HEAD))?;
            head.windows(key.len()).position(|window| window == key).map(|at| from + at)
        };
        let version = find(VERSION, 0)? + VERSION.len();
        let format = find(FORMAT, version)?;
        let resources = find(RESOURCES, format)?;
        let rest = &text[resources..];
        let mut checksum = Crc::new();
        checksum.update(rest);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(rest).ok()?;
        Some(Self {
            before: Bytes::copy_from_slice(&text[..version]),
            after: Bytes::copy_from_slice(&text[format..resources]),
            rest: encoder.finish().ok()?.into(),
            checksum,
        })
    }

    /// The number of bytes in memory.
    pub(crate) fn size(&self) -> usize {
        self.before.len() + self.after.len() + self.rest.len() + 128
    }

    fn head(&self, head: &Head) -> Vec<u8> {
        let Head { version, code_id, uuid } = head;
        let mut out = self.before.to_vec();
        let own =
            format!("{version},\"code_id\":{},\"catalog_uuid\":{}", json!(code_id), json!(uuid));
        out.extend_from_slice(own.as_bytes());
        out.extend_from_slice(&self.after);
        out
    }

    /// The whole text.
    pub(crate) fn text(&self, head: &Head) -> Bytes {
        let mut out = self.head(head);
        let mut rest = flate2::read::DeflateDecoder::new(&self.rest[..]);
        // The bytes are those of the encoder, and have been in memory since.
        let _ = rest.read_to_end(&mut out);
        out.into()
    }

    /// The whole text in the form of gzip (RFC 1952).
    pub(crate) fn gzip(&self, head: &Head) -> Bytes {
        let head = self.head(head);
        let mut out = Vec::with_capacity(head.len() + self.rest.len() + 64);
        // The time is unknown, and so is the system.
        out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
        for block in head.chunks(MAX_BLOCK) {
            // A block without compression that is not the last one; it begins at a whole byte, and
            // so does what follows.
            out.push(0);
            // A block is at most as long as the field says.
            let length = u16::try_from(block.len()).unwrap_or_default();
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(&(!length).to_le_bytes());
            out.extend_from_slice(block);
        }
        out.extend_from_slice(&self.rest);
        let mut checksum = Crc::new();
        checksum.update(&head);
        checksum.combine(&self.checksum);
        out.extend_from_slice(&checksum.sum().to_le_bytes());
        out.extend_from_slice(&checksum.amount().to_le_bytes());
        out.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(version: Json, uuid: &str) -> Head {
        Head { version, code_id: None, uuid: uuid.to_string() }
    }

    #[test]
    fn an_answer_is_the_catalog_with_another_version_and_id() {
        let text = |version: &str, uuid: &str| {
            let tags = r#"["a\"version\":", "b"]"#;
            let rest: String = (0..20_000).map(|n| format!(",{{\"title\":\"{n}\"}}")).collect();
            format!(
                r#"{{"tags":{tags},"name":"n","version":{version},"code_id":null,"catalog_uuid":"{uuid}","catalog_format":2,"environment":"e","resources":[{{}}{rest}],"version":1}}"#
            )
        };
        let body = CatalogBody::of(text("1", "u").as_bytes()).unwrap();
        let head = head(json!("two \"2\""), "v");
        let wanted = text(r#""two \"2\"""#, "v");
        assert_eq!(body.text(&head), wanted);
        let mut found = String::new();
        let packed = body.gzip(&head);
        flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut found).unwrap();
        assert_eq!(found, wanted);
        assert!(packed.len() < wanted.len() / 2);
    }

    #[test]
    fn a_long_head_has_several_blocks() {
        let mut body = CatalogBody::of(
            br#"{"version":1,"code_id":null,"catalog_uuid":"u","catalog_format":2,"resources":[]}"#,
        )
        .unwrap();
        body.before = Bytes::from(format!("{{\"tags\":[\"{}\"],\"version\":", "t".repeat(200_000)));
        let head = head(json!(2), "v");
        let mut found = Vec::new();
        flate2::read::GzDecoder::new(&body.gzip(&head)[..]).read_to_end(&mut found).unwrap();
        assert_eq!(found, body.text(&head));
    }

    #[test]
    fn other_texts_are_no_catalogs() {
        assert!(CatalogBody::of(b"{}").is_none());
        assert!(CatalogBody::of(br#"{"resources":[],"version":1}"#).is_none());
    }
}
