//! Requests of agents for the metadata of files.

use crate::files::mounts;
use crate::url::Parameters;

/// A request for the metadata of a file, or of everything below a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MetadataRequest {
    /// The path and the query, without the environment.
    text: String,
    pub(super) mount: String,
    /// The path on the mount.
    pub(super) path: Vec<String>,
    pub(super) query: Parameters,
    /// Whether it asks for a listing.
    pub(super) is_listing: bool,
}

impl MetadataRequest {
    /// The request for an address such as `puppet:///modules/m/a`. `None` if the address is of
    /// another server, or is no path.
    pub(super) fn of(address: &str, is_listing: bool, query: &[(&str, String)]) -> Option<Self> {
        let path = address.strip_prefix("puppet:///")?;
        let mut parts = path.split('/').filter(|part| !part.is_empty()).map(str::to_string);
        let mount = parts.next()?;
        let path: Vec<String> = parts.collect();
        if path.iter().any(|part| part == "." || part == "..") {
            return None;
        }
        let api = if is_listing { "file_metadatas" } else { "file_metadata" };
        let mut text = format!("/puppet/v3/{api}");
        for part in std::iter::once(&mount).chain(&path) {
            text.push('/');
            escape(part, &mut text);
        }
        // The root of a mount ends with a slash.
        text.push_str(if path.is_empty() { "/?" } else { "?" });
        let mut encoded = String::new();
        for (name, value) in query {
            encoded.push_str(name);
            encoded.push('=');
            escape(value, &mut encoded);
            encoded.push('&');
        }
        text.push_str(&encoded);
        let query = Parameters::decode(&encoded).ok()?;
        Some(Self { text, mount, path, query, is_listing })
    }

    /// The path and the query for an environment.
    pub(super) fn target(&self, environment: &str) -> String {
        let mut target = format!("{}environment=", self.text);
        escape(environment, &mut target);
        target
    }

    /// Whether all nodes of an environment get the same reply.
    pub(super) fn is_same_for_all(&self) -> bool {
        mounts::is_of_modules(&self.mount)
    }
}

/// Appends a text with percent escapes.
fn escape(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
}
