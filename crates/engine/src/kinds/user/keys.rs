//! `purge_ssh_keys`: undeclared keys in `authorized_keys` files.

use std::path::Path;

use ordain_data::Value;
use ordain_graph::Resource;

use crate::kind::KindError;
use crate::kind::params::{Params, inspect, scalar};
use crate::kinds::shared::instances::unwanted;
use crate::kinds::ssh_authorized_key::names_in;
use crate::system::file_cache::read_bytes;
use crate::system::host::Host;

/// The files to purge.
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
            let text = read_bytes(&host.path(Path::new(&path)))
                .map_err(|e| KindError::new(format!("Could not read {path}: {e}")))?;
            let names = names_in(text.unwrap_or_default(), Path::new(&path));
            let place = [("user", Value::str(user)), ("target", Value::str(path.as_str()))];
            let keys = names.iter().map(|name| unwanted("Ssh_authorized_key", name, &place));
            resources.extend(keys);
        }
        Ok(resources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_by_their_comments() {
        let text = "# c\nssh-rsa AAAA me@home\nfrom=\"a b\" ssh-ed25519 BBBB\n\njunk\nssh-rsa\n";
        let names = names_in(text.as_bytes().to_vec(), Path::new("/k"));
        assert_eq!(names, ["/k:unnamed-1", "me@home"]);
    }
}
