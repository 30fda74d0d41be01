//! Facts and other values of a node as inputs.

use ecow::EcoString;
use ordain_data::{Value as Data, json};
use ordain_functions::digest::sha256_bytes;
use ordain_source::inputs::PART;
use serde::{Deserialize, Serialize};

/// The first bytes of a SHA-256: enough to tell values apart that nobody has chosen for it, since
/// nodes only decide about their own catalogs.
pub(super) type Digest = [u8; 16];

pub(super) fn digest(bytes: &[u8]) -> Digest {
    let mut out = [0; 16];
    out.copy_from_slice(&sha256_bytes(bytes)[..16]);
    out
}

/// A value that a compile has looked up, with its state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ValueInput {
    /// The name of a variable, and keys separated by [`PART`].
    pub(super) path: String,
    pub(super) state: ValueState,
}

/// The number of parts of a path that exist, and a digest of the value where the path ends: at its
/// end, or at a value that is no map. `None` if a map lacks the next part.
pub(super) type ValueState = (u32, Option<Digest>);

/// The values that a compile can read about its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeValues<'a> {
    pub(crate) facts: &'a Data,
    pub(crate) trusted: &'a Data,
    pub(crate) server_facts: &'a Data,
    pub(crate) parameters: &'a [(EcoString, Data)],
    pub(crate) classes: &'a [(EcoString, Data)],
}

impl<'a> NodeValues<'a> {
    /// The variable of the top scope that the node brings.
    fn variable(&self, name: &str) -> Option<&'a Data> {
        match name {
            "facts" => Some(self.facts),
            "trusted" => Some(self.trusted),
            "server_facts" => Some(self.server_facts),
            _ => {
                let mut parameters = self.parameters.iter();
                let given = parameters.find(|(known, _)| known == name);
                given.map_or_else(|| self.facts.get(name), |(_, value)| Some(value))
            }
        }
    }

    /// The state of a value.
    pub(super) fn state(&self, path: &str) -> ValueState {
        let mut parts = path.split(PART);
        let name = parts.next().unwrap_or_default();
        let Some(mut at) = self.variable(name) else { return (0, None) };
        let mut depth = 1;
        for part in parts {
            if at.as_map().is_none() {
                break;
            }
            match at.get(part) {
                Some(inner) => at = inner,
                None => return (depth, None),
            }
            depth += 1;
        }
        (depth, Some(digest(json::compact(at).as_bytes())))
    }

    /// The digest of all values but the classes.
    pub(super) fn all(&self) -> Digest {
        let mut text = String::new();
        for value in [self.facts, self.trusted, self.server_facts] {
            text.push_str(&json::compact(value));
            text.push('\n');
        }
        entries(self.parameters, &mut text);
        digest(text.as_bytes())
    }

    /// The digest of the classes of the classifier.
    pub(super) fn classes(&self) -> Digest {
        let mut text = String::new();
        entries(self.classes, &mut text);
        digest(text.as_bytes())
    }
}

fn entries(entries: &[(EcoString, Data)], out: &mut String) {
    for (name, value) in entries {
        out.push_str(name);
        out.push(PART);
        out.push_str(&json::compact(value));
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn state(facts: &str, path: &str) -> ValueState {
        let facts = json::read(facts).unwrap();
        let nothing = Data::default();
        let values = NodeValues {
            facts: &facts,
            trusted: &nothing,
            server_facts: &nothing,
            parameters: &[("role".into(), Data::str("web"))],
            classes: &[],
        };
        values.state(&path.replace('/', &PART.to_string()))
    }

    #[test]
    fn a_missing_value_is_told_from_one_that_has_no_entries() {
        let facts = r#"{"os": {"family": "Debian"}, "role": "db"}"#;
        assert_eq!(state(facts, "facts/os/family"), (3, Some(digest(br#""Debian""#))));
        assert_eq!(state(facts, "os/family").0, 2);
        assert_eq!(state(facts, "facts/os/name"), (2, None));
        assert_eq!(state(facts, "facts/os/family/x"), state(facts, "facts/os/family"));
        assert_eq!(state(facts, "absent/x"), (0, None));
        // A parameter of the classifier wins.
        assert_eq!(state(facts, "role"), (1, Some(digest(br#""web""#))));
    }
}
