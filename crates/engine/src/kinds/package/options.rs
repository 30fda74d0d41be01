//! Options and variables for the tools.

use ordain_data::Value;

use crate::kind::params::{Params, scalar};

/// The arguments from an attribute of texts and maps; maps become `key=value`.
pub(super) fn parse(p: &mut Params<'_>, name: &str) -> Vec<String> {
    let Some(value) = p.raw(name) else { return Vec::new() };
    let items = match value {
        Value::List(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    let mut options = Vec::new();
    for item in &items {
        match item {
            Value::Str(text) => options.push(text.to_string()),
            Value::Map(map) => {
                let mut pairs: Vec<String> = map
                    .iter()
                    .filter_map(|(k, v)| Some(format!("{}={}", scalar(k)?, scalar(v)?)))
                    .collect();
                pairs.sort();
                options.append(&mut pairs);
            }
            _ => p.error(name, "Expected either a string or hash of options"),
        }
    }
    options
}

/// Variables written `NAME=value`.
pub(super) fn environment(p: &mut Params<'_>) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    for item in p.list("environment").unwrap_or_default() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        match item.split_once('=') {
            Some((name, value)) if !name.is_empty() && name.chars().all(word) => {
                variables.push((name.to_string(), value.to_string()));
            }
            // The value may be secret without its name.
            _ if p.secrets().iter().any(|s| s == "environment") => {
                p.error("environment", "Invalid environment setting [redacted]");
            }
            _ => p.error("environment", format!("Invalid environment setting '{item}'")),
        }
    }
    variables
}
