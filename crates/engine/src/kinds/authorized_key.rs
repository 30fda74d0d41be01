//! `mgmt::ssh::authorized_key`: a line of a file of keys.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, accounts};

use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::line::{has_line, with_line, without};
use crate::kinds::shared::account_files::AccountFiles;
use crate::system::file_cache::read_bytes;
use crate::system::host::Host;
use crate::system::path::own_ids;
use crate::system::path::resolve;
use crate::system::watch::Watch;
use crate::system::write::{Owner, editing, make_directory, rewrite};

/// The kind.
#[derive(Default)]
pub struct AuthorizedKey {
    accounts: Arc<AccountFiles>,
}

impl Kind for AuthorizedKey {
    fn schema(&self) -> &KindSchema {
        &accounts::MGMT_SSH_AUTHORIZED_KEY
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let mut text = |name: &str| p.text(name).filter(|text| !text.is_empty());
        let (content, ty, key) = (text("content"), text("type"), text("key"));
        let (comment, user, file) = (text("comment"), text("user"), text("file"));
        let options = p.list("options").unwrap_or_default();
        let line = match (&content, &ty, &key) {
            (Some(content), ..) => parse_line(content, None),
            (None, Some(ty), Some(key)) => {
                let options = Some(options.join(",")).filter(|options| !options.is_empty());
                let words = [options.as_deref(), Some(ty), Some(key), comment.as_deref()];
                let words: Vec<&str> = words.into_iter().flatten().collect();
                parse_line(&words.join(" "), Some(ty))
            }
            _ => parse_line(&p.name(), None),
        };
        let line = line.unwrap_or_else(|why| {
            let field = if content.is_some() { "content" } else { "key" };
            p.error(field, why);
            String::new()
        });
        let default = || format!("~{}/.ssh/authorized_keys", user.as_deref().unwrap_or_default());
        let file = file.unwrap_or_else(default);
        if !file.starts_with(['/', '~']) || file.ends_with('/') {
            p.error("file", "file must be absolute, or begin with ~, and not end with a slash");
        }
        let line = KeyLine {
            accounts: Arc::clone(&self.accounts),
            line,
            file,
            present: p.choice("state") != Some("absent"),
            user,
            mkdir: !p.has("mkdir") || p.boolean("mkdir"),
            secrets: p.secrets(),
        };
        p.finish(Box::new(line) as Box<dyn Instance>)
    }
}

/// Parses a line: options, type, key, comment. A type in the line has to match `ty`.
fn parse_line(text: &str, ty: Option<&str>) -> Result<String, String> {
    let line = text.trim();
    if line.is_empty() || line.starts_with('#') {
        return Err("comment or empty line".to_string());
    }
    if line.contains(['\n', '\r']) {
        return Err("the key must be one line".to_string());
    }
    // Options may precede the type, and may be quoted.
    let starts = [Some(0), options_end(line)];
    let found = starts.into_iter().flatten().find_map(|at| {
        let (options, rest) = line.split_at(at);
        let rest = rest.trim_start();
        let mut words = rest.splitn(2, [' ', '\t']);
        let after = words.nth(1)?.trim_start();
        let (key, comment) = after.split_once([' ', '\t']).unwrap_or((after, ""));
        let own = type_of(key)?;
        Some((options.trim(), own, key, comment.trim()))
    });
    let Some((options, own, key, comment)) = found else {
        return Err("no key found".to_string());
    };
    if ty.is_some_and(|ty| ty != own) {
        return Err("type does not match key".to_string());
    }
    let parts = [options, &own, key, comment];
    Ok(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
}

/// The end of the options at the start of a line: the first space outside quotes.
fn options_end(line: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in line.char_indices() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            ' ' | '\t' if !quoted => return Some(at),
            _ => {}
        }
        escaped = false;
    }
    None
}

/// The type that a key contains: the first string of its encoded data.
fn type_of(key: &str) -> Option<String> {
    let bytes = STANDARD.decode(key).ok()?;
    let (length, rest) = bytes.split_first_chunk()?;
    let name = rest.get(..u32::from_be_bytes(*length) as usize)?;
    let is_word = |c: &u8| c.is_ascii_alphanumeric() || b"-@.".contains(c);
    let rest = &rest[name.len()..];
    if name.is_empty() || rest.is_empty() || !name.iter().all(is_word) {
        return None;
    }
    String::from_utf8(name.to_vec()).ok()
}

struct KeyLine {
    accounts: Arc<AccountFiles>,
    line: String,
    file: String,
    present: bool,
    user: Option<String>,
    mkdir: bool,
    secrets: Vec<String>,
}

impl KeyLine {
    /// The path of the file, by default in the home of the user.
    fn path(&self, host: &Host) -> Result<PathBuf, KindError> {
        let Some(rest) = self.file.strip_prefix('~') else {
            return Ok(PathBuf::from(&self.file));
        };
        let (user, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let home = if user.is_empty() {
            let own = crate::system::accounts::user_name(host, own_ids().0);
            self.home(host, &own)?
        } else {
            self.home(host, user)?
        };
        Ok(home.join(rest))
    }

    fn home(&self, host: &Host, user: &str) -> Result<PathBuf, KindError> {
        let accounts = self.accounts.read(host)?;
        let found = accounts.user(user).map(|user| PathBuf::from(&user.home));
        found.ok_or_else(|| KindError::new(format!("User '{user}' does not exist")))
    }

    fn read(&self, host: &Host, path: &Path) -> Result<Option<Vec<u8>>, KindError> {
        read_bytes(&host.path(path)).map_err(|e| failed("read", path, &e))
    }

    /// The directory of keys that has to be created.
    fn directory<'a>(&self, host: &Host, path: &'a Path) -> Option<&'a Path> {
        let dir = path.parent().filter(|_| self.mkdir && self.present)?;
        let is_of_keys = dir.file_name().is_some_and(|name| name == ".ssh");
        (is_of_keys && !host.path(dir).exists()).then_some(dir)
    }

    /// The owner of new files in a directory: the user, with the default group.
    fn owner(&self, host: &Host) -> Result<Option<u32>, KindError> {
        let Some(user) = &self.user else { return Ok(None) };
        let ids = crate::system::accounts::user(host, user);
        let ids = ids.ok_or_else(|| KindError::new(format!("User '{user}' does not exist")))?;
        Ok(Some(ids.uid).filter(|uid| *uid != own_ids().0))
    }
}

fn failed(what: &str, path: &Path, error: &io::Error) -> KindError {
    KindError::new(format!("Could not {what} {}: {error}", path.display()))
}

impl Instance for KeyLine {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let of = self.file.strip_prefix('~').and_then(|rest| rest.split('/').next());
        let of = of.filter(|name| !name.is_empty() && Some(*name) != self.user.as_deref());
        let names = [self.user.as_deref(), of];
        let user = |name: &str| ResourceRef { kind: "User".into(), title: name.into() };
        names.into_iter().flatten().map(user).collect()
    }

    fn watches(&self, host: &Host) -> Vec<Watch> {
        let file = self.path(host).ok().map(Watch::Path);
        let accounts = crate::kinds::shared::account_files::watches();
        let accounts = accounts.into_iter().filter(|_| self.file.starts_with('~'));
        file.into_iter().chain(accounts).collect()
    }

    fn watches_move(&self) -> bool {
        self.file.starts_with('~')
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let path = self.path(host)?;
        let text = self.read(host, &path)?.unwrap_or_default();
        let mut differences = Differences::new(&self.secrets);
        if let Some(dir) = self.directory(host, &path) {
            let dir = Value::str(dir.to_string_lossy());
            differences.property("mkdir", Value::Null, dir);
        }
        let line = Value::str(self.line.as_str());
        match (has_line(&text, &self.line), self.present) {
            (false, true) => differences.property("content", Value::Null, line),
            (true, false) => differences.property("content", line, Value::Null),
            _ => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, todo: &[Change]) -> Result<(), KindError> {
        let path = self.path(host)?;
        let uid = self.owner(host)?;
        if changes(todo, "mkdir")
            && let Some(dir) = self.directory(host, &path)
        {
            let made = host
                .keep(dir, true)
                .and_then(|()| make_directory(&resolve(host, dir, true)?, (uid, None), 0o700));
            made.map_err(|e| failed("make", dir, &e))?;
        }
        if !changes(todo, "content") {
            return Ok(());
        }
        let _editing = editing(&path);
        let text = self.read(host, &path)?;
        let is_there = text.is_some();
        let text = text.unwrap_or_default();
        let text =
            if self.present { with_line(text, &self.line) } else { without(&text, &self.line) };
        // An existing one keeps its owner.
        let group = || {
            let dir = path.parent().map(|dir| host.path(dir));
            dir.and_then(|dir| std::fs::metadata(dir).ok())
                .map_or(own_ids().1, |m| if m.mode() & 0o2000 == 0 { own_ids().1 } else { m.gid() })
        };
        let ids = uid.filter(|_| !is_there).map(|uid| (uid, group()));
        rewrite(host, &path, &text, Owner { mode: 0o600, ids })
            .map_err(|e| failed("write", &path, &e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";

    #[test]
    fn a_line_has_one_form() {
        let parse = |text: &str| parse_line(text, None);
        let plain = format!("ssh-ed25519 {KEY}");
        assert_eq!(parse(&plain).as_deref(), Ok(plain.as_str()));
        let spaced = format!("  ssh-ed25519\t {KEY}   me  here ");
        assert_eq!(parse(&spaced), Ok(format!("{plain} me  here")));
        let options = format!("no-pty,command=\"echo \\\"a b\\\" c\"   {plain} me");
        let wanted = format!("no-pty,command=\"echo \\\"a b\\\" c\" {plain} me");
        assert_eq!(parse(&options), Ok(wanted));
        for bad in ["", "# x", "ssh-ed25519", "ssh-ed25519 AAAA me", "a\nb"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse_line(&plain, Some("ssh-rsa")).is_err());
    }
}
