//! `ssh_authorized_key`: a key for logging in as a user.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, accounts};

use crate::kind::differences::{Differences, texts};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::account_files::AccountFiles;
use crate::kinds::shared::records::{Record, RecordFiles, Records};
use crate::kinds::sshkey::key_type;
use crate::system::host::Host;
use crate::system::path::own_ids;
use crate::system::path::resolve;
use crate::system::watch::Watch;
use crate::system::write::{Owner, make_directory, set_mode};

/// Types of keys that users have.
const TYPES: &[&str] = &[
    "ssh-dss",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "ssh-ed25519",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "sk-ssh-ed25519@openssh.com",
    "ssh-rsa-cert-v01@openssh.com",
    "ssh-ed25519-cert-v01@openssh.com",
    "ssh-dss-cert-v01@openssh.com",
    "ecdsa-sha2-nistp256-cert-v01@openssh.com",
    "ecdsa-sha2-nistp384-cert-v01@openssh.com",
    "ecdsa-sha2-nistp521-cert-v01@openssh.com",
];

/// The kind `ssh_authorized_key`.
#[derive(Default)]
pub struct SshAuthorizedKey {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    files: RecordFiles<Key>,
    accounts: AccountFiles,
}

/// A line of a file of keys.
#[derive(Clone, PartialEq, Eq, Default)]
struct Key {
    options: Vec<String>,
    kind: String,
    key: String,
    /// Empty if the key has no name.
    comment: String,
}

impl Record for Key {
    fn parse(line: &str) -> Option<(String, Self)> {
        let line = line.trim_start();
        if line.starts_with('#') {
            return None;
        }
        let (options, rest) = split_options(line)?;
        let mut parts = rest.splitn(3, [' ', '\t']).map(str::trim);
        let kind = parts.next()?.to_string();
        let key = parts.next().filter(|key| !key.is_empty())?.to_string();
        let comment = parts.next().unwrap_or_default().to_string();
        Some((comment.clone(), Self { options: parse_options(options), kind, key, comment }))
    }

    fn print(&self) -> String {
        let options = self.options.join(",");
        let parts = [options.as_str(), &self.kind, &self.key, &self.comment];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// The names of the keys in a file, the last first. Keys without a name are counted from the
/// beginning, and keep their names while later ones are removed.
pub(super) fn names_in(text: Vec<u8>, path: &Path) -> Vec<String> {
    Records::<Key>::parse(text, path).names().rev().map(str::to_string).collect()
}

/// The options before a key, and the rest from the key type on.
fn split_options(line: &str) -> Option<(&str, &str)> {
    let is_type = |text: &str| {
        let word = text.split([' ', '\t']).next().unwrap_or_default();
        TYPES.contains(&word)
    };
    if is_type(line) {
        return Some(("", line));
    }
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in line.char_indices() {
        match c {
            '\\' if quoted => escaped = !escaped,
            '"' if !escaped => quoted = !quoted,
            ' ' | '\t' if !quoted => {
                let rest = line[at..].trim_start();
                return is_type(rest).then_some((&line[..at], rest));
            }
            _ => escaped = false,
        }
    }
    None
}

/// Options separated by commas outside quotes.
fn parse_options(text: &str) -> Vec<String> {
    let mut options = Vec::new();
    let (mut quoted, mut escaped, mut start) = (false, false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '\\' if quoted => escaped = !escaped,
            '"' if !escaped => quoted = !quoted,
            ',' if !quoted => {
                options.push(text[start..at].trim().to_string());
                start = at + 1;
            }
            _ => escaped = false,
        }
    }
    options.push(text[start..].trim().to_string());
    options.retain(|option| !option.is_empty());
    options
}

/// Whether this is one option: a word, or a word with a value in quotes.
fn is_option(text: &str) -> bool {
    let (word, value) = text.split_once('=').map_or((text, None), |(w, v)| (w, Some(v)));
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_value = |v: &str| v.len() >= 2 && v.starts_with('"') && v.ends_with('"');
    !word.is_empty()
        && word.chars().all(is_word)
        && value.is_none_or(is_value)
        && !text.contains(['\n', '\r'])
}

/// The desired state.
struct KeyInstance {
    shared: Arc<Shared>,
    name: String,
    present: bool,
    kind: Option<&'static str>,
    key: Option<String>,
    options: Vec<String>,
    user: Option<String>,
    target: Option<PathBuf>,
    drop_privileges: bool,
    secrets: Vec<String>,
}

impl Kind for SshAuthorizedKey {
    fn schema(&self) -> &KindSchema {
        &accounts::SSH_AUTHORIZED_KEY
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["parsed"], &[]);
        let name = p.name();
        if name.contains(['\n', '\r']) {
            p.error("name", "name must be one line");
        }
        let given = p.text("type");
        let kind = given.as_ref().and_then(|given| key_type(given, TYPES));
        if let (Some(given), None) = (given, kind) {
            p.invalid("type", &Value::str(given), TYPES);
        }
        let key = p.text("key");
        if key.as_ref().is_some_and(|key| key.contains(char::is_whitespace)) {
            p.error("key", "Key must not contain whitespace");
        }
        let options = p.list("options").unwrap_or_default();
        let options: Vec<String> = options.into_iter().filter(|o| o != "absent").collect();
        for option in options.iter().filter(|option| !is_option(option)) {
            let message = format!(
                "Option {option} is not valid. A single option must either be of the form 'option' \
                 or 'option=\"value\"'. Multiple options must be provided as an array"
            );
            p.error("options", message);
        }
        let target = p.text("target").filter(|t| t != "absent").map(PathBuf::from);
        let user = p.text("user");
        if target.is_none() && user.is_none() {
            p.error_of_all("Attribute 'user' or 'target' is mandatory");
        }
        let instance = KeyInstance {
            shared: self.shared.clone(),
            name,
            present: p.choice("ensure") != Some("absent"),
            kind,
            key,
            options,
            user,
            target,
            drop_privileges: !p.has("drop_privileges") || p.boolean("drop_privileges"),
            secrets: p.secrets(),
        };
        p.finish(Box::new(instance) as Box<dyn Instance>)
    }
}

impl KeyInstance {
    /// The file; `None` for the file of a user who does not exist.
    fn file(&self, host: &Host) -> Result<Option<PathBuf>, KindError> {
        if let Some(target) = &self.target {
            return Ok(Some(target.clone()));
        }
        let accounts = self.shared.accounts.read(host)?;
        let user = self.user.as_ref().and_then(|user| accounts.user(user));
        Ok(user.map(|user| Path::new(&user.home).join(".ssh/authorized_keys")))
    }

    fn read(&self, host: &Host) -> Result<Option<Arc<Records<Key>>>, KindError> {
        self.file(host)?.map(|file| self.shared.files.read(host, &file)).transpose()
    }

    fn desired(&self, now: Option<&Key>) -> Key {
        let kind = self.kind.map(str::to_string);
        Key {
            options: self.options.clone(),
            kind: kind.or_else(|| now.map(|now| now.kind.clone())).unwrap_or_default(),
            key: self.key.clone().or_else(|| now.map(|now| now.key.clone())).unwrap_or_default(),
            comment: now.map_or_else(|| self.name.clone(), |now| now.comment.clone()),
        }
    }

    fn compare_key(&self, now: &Key) -> Vec<Change> {
        let mut to = Differences::new(&self.secrets);
        if let Some(kind) = self.kind.filter(|kind| *kind != now.kind) {
            to.property("type", Value::str(now.kind.as_str()), Value::str(kind));
        }
        if let Some(key) = self.key.as_ref().filter(|key| **key != now.key) {
            to.property("key", Value::str(now.key.as_str()), Value::str(key.as_str()));
        }
        if self.options != now.options {
            let value = |o: &[String]| if o.is_empty() { Value::Null } else { texts(o) };
            to.property("options", value(&now.options), value(&self.options));
        }
        to.finish()
    }

    /// The owner of the file, after creating the directory for it.
    fn make_ready(&self, host: &Host, file: &Path) -> Result<Owner, KindError> {
        let Some(user) = &self.user else {
            return Err(KindError::new("Cannot write SSH authorized keys without user"));
        };
        let Some(ids) = crate::system::accounts::user(host, user) else {
            return Err(KindError::new(format!("User '{user}' does not exist")));
        };
        if !self.drop_privileges && !is_trusted(host, file) {
            let message = "drop_privileges is false but the target path is not trusted";
            return Err(KindError::new(message));
        }
        let owner = Owner { mode: 0o600, ids: Some((ids.uid, ids.gid)) };
        if let Some(dir) = file.parent().filter(|_| self.drop_privileges) {
            let failed = |e: io::Error| {
                KindError::new(format!("Could not make directory {}: {e}", dir.display()))
            };
            let place = resolve(host, dir, true).map_err(failed)?;
            if place.stat().map_err(failed)?.is_none() {
                let ids = Some((ids.uid, ids.gid)).filter(|ids| *ids != own_ids());
                let ids = (ids.map(|ids| ids.0), ids.map(|ids| ids.1));
                host.keep(dir, true).map_err(failed)?;
                make_directory(&place, ids, 0o700).map_err(failed)?;
            }
        }
        Ok(owner)
    }
}

/// Whether nobody else can change any directory above a file.
fn is_trusted(host: &Host, file: &Path) -> bool {
    let own = own_ids().0;
    let dirs = file.ancestors().skip(1).filter(|dir| *dir != Path::new("/"));
    let is_own = |dir: &Path| {
        std::fs::metadata(host.path(dir))
            .is_ok_and(|meta| meta.is_dir() && meta.uid() == own && meta.mode() & 0o022 == 0)
    };
    dirs.into_iter().all(is_own)
}

impl Instance for KeyInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let user = |u: &String| ResourceRef { kind: "User".into(), title: u.as_str().into() };
        self.user.iter().map(user).collect()
    }

    fn watches(&self, host: &Host) -> Vec<Watch> {
        let file = self.file(host).ok().flatten();
        let accounts = crate::kinds::shared::account_files::watches()
            .into_iter()
            .filter(|_| self.target.is_none());
        file.map(Watch::Path).into_iter().chain(accounts).collect()
    }

    fn watches_move(&self) -> bool {
        self.target.is_none()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let file = self.read(host)?;
        let mut to = Differences::new(&self.secrets);
        let now = file.as_ref().and_then(|file| file.get(&self.name));
        if now.is_none() && self.present && (self.kind.is_none() || self.key.is_none()) {
            let message = "type and key are required attributes for new authorized keys";
            return Err(KindError::new(message));
        }
        match to.ensure(now, self.present) {
            Some(now) => Ok(self.compare_key(now)),
            None => Ok(to.finish()),
        }
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let Some(file) = self.file(host)? else {
            let user = self.user.as_deref().unwrap_or_default();
            return Err(KindError::new(format!("User '{user}' does not exist")));
        };
        let owner = self.make_ready(host, &file)?;
        self.shared.files.change(host, &file, owner, &self.name, |now| {
            self.present.then(|| self.desired(now))
        })?;
        let failed = |e| KindError::new(format!("Could not set mode of {}: {e}", file.display()));
        let place = resolve(host, &file, true).map_err(failed)?;
        let is_open = |s: rustix::fs::Stat| s.st_mode & 0o7777 != owner.mode;
        if place.stat().map_err(failed)?.is_some_and(is_open) {
            set_mode(host, &place, owner.mode).map_err(failed)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn keys_are_parsed_and_printed() {
        let line = r#"from="a,b c",command="x \"y\" ssh-rsa z",no-pty ssh-rsa AAAA me at home"#;
        let (name, key) = Key::parse(line).unwrap();
        assert_eq!(name, "me at home");
        let options = [r#"from="a,b c""#, r#"command="x \"y\" ssh-rsa z""#, "no-pty"];
        assert_eq!(key.options, options);
        assert_eq!(key.print(), line);
        assert_eq!(Key::parse("ssh-rsa AAAA").unwrap().1.print(), "ssh-rsa AAAA");
        for other in ["", "# ssh-rsa A b", "ssh-rsa", "junk", "1024 35 123 me", "a b ssh-rsa A"] {
            assert!(Key::parse(other).is_none(), "{other}");
        }
    }

    #[test]
    fn options_are_words_with_values_in_quotes() {
        for good in ["no-pty", r#"from="a b""#, r#"x="""#] {
            assert!(is_option(good), "{good}");
        }
        for bad in ["", "a b", "a=b", "=\"x\"", "a,b", "a=\"", "a\n"] {
            assert!(!is_option(bad), "{bad}");
        }
    }
}
