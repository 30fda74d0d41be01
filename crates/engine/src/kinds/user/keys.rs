//! `purge_ssh_keys`: keys in `authorized_keys` files that nobody declared.

use std::path::Path;

use ordain_data::Value;
use ordain_graph::{Attribute, Containment, OriginId, Resource, ResourceRef};

use crate::host::Host;
use crate::kind::KindError;
use crate::kinds::cached::read_text;
use crate::kinds::params::{Params, inspect, scalar};

/// What starts the type of a key.
const KEY_TYPES: &[&str] = &["ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-"];

/// Which files to purge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Purge {
    /// None.
    #[default]
    Nothing,
    /// The usual file in the home directory.
    Usual,
    /// These; `~/` and `%h/` stand for the home directory.
    Files(Vec<String>),
}

/// Reads the attribute.
pub(super) fn parse(p: &mut Params<'_>) -> Purge {
    let Some(value) = p.raw("purge_ssh_keys") else { return Purge::Nothing };
    match scalar(value).as_deref() {
        Some("true") => return Purge::Usual,
        Some("false") => return Purge::Nothing,
        _ => {}
    }
    let items = match value {
        Value::List(items) => items.to_vec(),
        Value::Str(_) => vec![value.clone()],
        _ => {
            let shown = inspect(value);
            let allowed = "true, false, or an array of file names";
            p.error("purge_ssh_keys", format!("purge_ssh_keys must be {allowed}, not {shown}"));
            return Purge::Nothing;
        }
    };
    let mut files = Vec::new();
    for item in items {
        let Some(path) = item.as_str() else {
            let message = "Each entry for purge_ssh_keys must be a string";
            p.error("purge_ssh_keys", format!("{message}, not {}", item.kind()));
            continue;
        };
        if !["/", "~/", "%h/"].iter().any(|start| path.starts_with(start)) {
            p.error("purge_ssh_keys", format!("Paths to keyfiles must be absolute, not {path}"));
        }
        files.push(path.to_string());
    }
    Purge::Files(files)
}

impl Purge {
    /// The keys in the files, each as a resource that shall be absent.
    pub(super) fn resources(
        &self,
        host: &Host,
        user: &str,
        home: Option<&str>,
    ) -> Result<Vec<Resource>, KindError> {
        let files = match self {
            Self::Nothing => Vec::new(),
            Self::Usual => vec!["~/.ssh/authorized_keys".to_string()],
            Self::Files(files) => files.clone(),
        };
        let mut resources = Vec::new();
        for file in files {
            let in_home = file.strip_prefix("~/").or_else(|| file.strip_prefix("%h/"));
            let path = match (in_home, home) {
                (Some(rest), Some(home)) => format!("{home}/{rest}"),
                (Some(_), None) => continue,
                (None, _) => file,
            };
            let text = read_text(&host.path(Path::new(&path)))
                .map_err(|e| KindError::new(format!("Could not read {path}: {e}")))?;
            let names = key_names(&text.unwrap_or_default(), &path);
            resources.extend(names.into_iter().map(|name| absent_key(name, user, &path)));
        }
        Ok(resources)
    }
}

/// The comments of the keys in a file, which are their names.
fn key_names(text: &str, path: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut unnamed = 0;
    for line in text.lines().filter(|l| !l.trim_start().starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Options with blanks in quotes may stand before the type.
        let is_type = |w: &&str| KEY_TYPES.iter().any(|t| w.starts_with(t));
        let Some(at) = words.iter().position(is_type) else { continue };
        if words.len() < at + 2 {
            continue;
        }
        let name = words[at + 2..].join(" ");
        if name.is_empty() {
            unnamed += 1;
            names.push(format!("{path}:unnamed-{unnamed}"));
        } else {
            names.push(name);
        }
    }
    names
}

fn absent_key(name: String, user: &str, path: &str) -> Resource {
    let origin = OriginId(0);
    let attribute = |name: &str, value: &str| Attribute {
        name: name.into(),
        value: Value::str(value),
        origin,
        losers: Vec::new(),
    };
    Resource {
        id: ResourceRef { kind: "Ssh_authorized_key".into(), title: name.into() },
        containment: Containment::Leaf,
        attributes: vec![
            attribute("ensure", "absent"),
            attribute("user", user),
            attribute("target", path),
        ],
        tags: Vec::new(),
        exported: false,
        is_virtual: false,
        origin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_by_their_comments() {
        let text = "# c\nssh-rsa AAAA me@home\nfrom=\"a b\" ssh-ed25519 BBBB\n\njunk\nssh-rsa\n";
        assert_eq!(key_names(text, "/k"), ["me@home", "/k:unnamed-1"]);
    }
}
