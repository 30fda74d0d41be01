//! Compares texts that are documents by their structure.

use std::path::Path;

use ordain_data::diff::{Rules, compare};
use ordain_data::yaml::{self, Schema};
use ordain_data::{Value, json};
use ordain_graph::json::{Secrets, write_value};

use crate::change::{DocumentChange, DocumentDifference};

/// The most differences of a document that are listed. The text shows more.
const MAX_DIFFERENCES: usize = 50;

/// Texts above this size are compared by lines only.
const MAX_SIZE: usize = 1 << 20;

/// Compares two texts, if the name of the file or their first character shows that they are
/// documents, and both can be read.
pub(super) fn document(name: &str, before: &str, after: &str) -> Option<DocumentChange> {
    if before.len() > MAX_SIZE || after.len() > MAX_SIZE {
        return None;
    }
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    let begins = |text: &str| text.trim_start().starts_with(['{', '[']);
    let (format, read): (_, fn(&str) -> Option<Value>) = match ending {
        Some("yaml" | "yml") => ("yaml", |text| yaml::read(text, Schema::Core).ok()),
        Some("json") => ("json", |text| json::read(text).ok()),
        _ if begins(before) && begins(after) => ("json", |text| json::read(text).ok()),
        _ => return None,
    };
    let found = compare(&read(before)?, &read(after)?, &Rules::default());
    let value = |value: &Option<Value>| Some(write_value(value.as_ref()?, Secrets::Omit));
    let differences = found.iter().take(MAX_DIFFERENCES).map(|found| DocumentDifference {
        path: found.path.join("."),
        before: value(&found.left),
        after: value(&found.right),
    });
    Some(DocumentChange { format: format.to_owned(), differences: differences.collect() })
}
