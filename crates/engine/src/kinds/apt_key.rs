//! `apt_key`: a key in the keyrings of apt-key.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, modules};
use ureq::http::Method;

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult, own_identity};
use crate::kinds::file::Address;
use crate::kinds::http::fetch::{Connection, connected_agent, failed};
use crate::kinds::shared::command::CommandContext;
use crate::kinds::shared::instances::unwanted;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The program that keeps the keys.
const APT_KEY: &str = "apt-key";

/// The program that reads keys.
const GPG: &str = "/usr/bin/gpg";

/// The keyring that keys are added to.
const KEYRING: &str = "/etc/apt/trusted.gpg";

/// The directory of further keyrings.
const KEYRINGS: &str = "/etc/apt/trusted.gpg.d";

/// The maximum size of a key in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The number of digits of a fingerprint.
const FINGERPRINT: usize = 40;

/// How long a list of keys counts while no keyring changes. Keys expire by themselves.
const LIST_AGE: Duration = Duration::from_secs(60);

/// The kind.
#[derive(Default)]
pub struct AptKey {
    lists: Arc<Lists>,
}

impl Kind for AptKey {
    fn schema(&self) -> &KindSchema {
        &modules::APT_KEY
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["apt_key"], &[]);
        let id = p.text("id").unwrap_or_else(|| p.title().to_string());
        let id = digits(&id).unwrap_or_else(|| {
            p.error(
                "id",
                format!("'{id}' is neither a fingerprint nor the last 16 or 8 digits of one"),
            );
            String::new()
        });
        let present = p.choice("ensure").map(|word| word == "present");
        let refresh = p.boolean("refresh");
        if refresh && present == Some(false) {
            p.error("refresh", "ensure => absent and refresh => true are mutually exclusive");
        }
        let origin = origin(&mut p);
        let lists = Arc::clone(&self.lists);
        let key = KeyInstance { lists, id, present, refresh, origin };
        p.finish(Box::new(key) as Box<dyn Instance>)
    }

    fn identity(&self, resource: &Resource) -> String {
        let name = own_identity(self.schema(), resource);
        digits(&name).unwrap_or(name)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let keys = self.lists.keys(host)?;
        Ok(keys.iter().map(|key| unwanted("Apt_key", &key.fingerprint, &[])).collect())
    }

    fn instance_watches(&self, _: &Host) -> Vec<Watch> {
        watches()
    }
}

/// The digits of an id in capitals; `None` if it is none.
fn digits(id: &str) -> Option<String> {
    let id = id.strip_prefix("0x").unwrap_or(id);
    let is_id =
        matches!(id.len(), 8 | 16 | FINGERPRINT) && id.bytes().all(|b| b.is_ascii_hexdigit());
    is_id.then(|| id.to_ascii_uppercase())
}

/// Where a key comes from.
enum Origin {
    /// The key itself.
    Content(String),
    /// A file of the machine.
    File(PathBuf),
    /// A document on a web server.
    Web { address: Address, insecure: bool },
    /// A document that curl fetches.
    Ftp(String),
    /// A server of keys, and options for it.
    Server(String, Option<String>),
}

/// Reads the attributes that say where the key comes from.
fn origin(p: &mut Params<'_>) -> Origin {
    let (content, source) = (p.text("content"), p.text("source"));
    let server = p.text_or("server", "keyserver.ubuntu.com");
    if server.is_empty() || server.starts_with('-') || server.contains(char::is_whitespace) {
        p.error("server", format!("'{server}' is no name or address of a server"));
    }
    let (options, insecure) = (p.text("options"), p.boolean("weak_ssl"));
    if content.is_some() && source.is_some() {
        p.error("source", "The properties content and source are mutually exclusive.");
    }
    if let Some(content) = content {
        return Origin::Content(content);
    }
    let Some(source) = source else { return Origin::Server(server, options) };
    if source.starts_with('/') {
        return Origin::File(source.into());
    }
    if source.starts_with("ftp://") {
        return Origin::Ftp(source);
    }
    let is_web = source.starts_with("http://") || source.starts_with("https://");
    if let Some(address) = Address::parse(&source).filter(|_| is_web) {
        return Origin::Web { address, insecure };
    }
    p.error("source", "source must be a path or an address of http, https or ftp");
    Origin::Content(String::new())
}

/// A key on the machine.
struct Key {
    fingerprint: String,
    is_expired: bool,
    /// Whether one of its subkeys is usable; `None` without subkeys.
    has_usable_subkey: Option<bool>,
}

impl Key {
    /// Whether it is of no use any more. As in the module, a key without a usable subkey counts too.
    fn is_expired(&self) -> bool {
        self.is_expired || self.has_usable_subkey == Some(false)
    }
}

/// A file with keys: its path, its size and the time of its last change.
type Keyring = (PathBuf, u64, Option<SystemTime>);

/// The keys of the machine. A list costs a process of gpg for each keyring, so the last one is used
/// again until a keyring changes.
#[derive(Default)]
struct Lists {
    last: Mutex<Option<List>>,
}

struct List {
    time: Instant,
    keyrings: Vec<Keyring>,
    keys: Arc<Vec<Key>>,
}

impl Lists {
    /// All keys that apt-key knows.
    fn keys(&self, host: &Host) -> Result<Arc<Vec<Key>>, KindError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let keyrings = keyrings(host);
        if let Some(list) = &*last
            && list.keyrings == keyrings
            && list.time.elapsed() < LIST_AGE
        {
            return Ok(Arc::clone(&list.keys));
        }
        let options = ["--list-keys", "--with-colons", "--fingerprint", "--fixed-list-mode"];
        let words = [[APT_KEY, "adv", "--no-tty"].as_slice(), &options].concat();
        let text = CommandContext::default().run(host, &words)?.stdout_text();
        let keys = Arc::new(parse_keys(&text));
        *last = Some(List { time: Instant::now(), keyrings, keys: Arc::clone(&keys) });
        Ok(keys)
    }

    fn forget(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The files that may hold keys.
fn keyrings(host: &Host) -> Vec<Keyring> {
    let directory = std::fs::read_dir(host.path(Path::new(KEYRINGS))).into_iter().flatten();
    let paths = directory.flatten().map(|entry| entry.path());
    let state = |path: PathBuf| {
        let meta = std::fs::metadata(&path).ok()?;
        Some((path, meta.len(), meta.modified().ok()))
    };
    let mut found: Vec<Keyring> =
        paths.chain([host.path(Path::new(KEYRING))]).filter_map(state).collect();
    found.sort();
    found
}

/// The keys in a list by gpg, in its format with colons.
fn parse_keys(text: &str) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let field = |n: usize| fields.get(n).copied().unwrap_or_default();
        if field(0) == "pub" {
            keys.push(Key {
                fingerprint: String::new(),
                is_expired: field(1) == "e",
                has_usable_subkey: None,
            });
        }
        let Some(key) = keys.last_mut() else { continue };
        match field(0) {
            // Those of subkeys follow.
            "fpr" if key.fingerprint.is_empty() => key.fingerprint = field(9).to_string(),
            "sub" => *key.has_usable_subkey.get_or_insert(false) |= field(1) == "-",
            _ => {}
        }
    }
    keys.retain(|key| !key.fingerprint.is_empty());
    keys
}

/// The events after which there may be other keys.
fn watches() -> Vec<Watch> {
    vec![Watch::Path(KEYRING.into()), Watch::Tree(KEYRINGS.into())]
}

/// A parsed resource.
struct KeyInstance {
    lists: Arc<Lists>,
    /// The digits of the id in capitals.
    id: String,
    /// Whether it should be there; `None` if that does not matter.
    present: Option<bool>,
    refresh: bool,
    origin: Origin,
}

impl KeyInstance {
    /// The content of the key; `None` if a server of keys has it.
    fn content(&self, host: &Host) -> Result<Option<Vec<u8>>, KindError> {
        Ok(Some(match &self.origin {
            Origin::Server(..) => return Ok(None),
            Origin::Content(content) => content.clone().into_bytes(),
            Origin::File(path) => {
                let failed = |e| KindError::new(format!("Could not read {}: {e}", path.display()));
                std::fs::File::open(host.path(path)).and_then(read_key).map_err(failed)?
            }
            Origin::Web { address, insecure } => {
                let failed =
                    |e| KindError::new(format!("Could not fetch {}: {e}", address.shown()));
                download(host, address, *insecure).map_err(failed)?
            }
            Origin::Ftp(address) => {
                let words = ["curl", "-fsSL", "--", address];
                CommandContext::default().run(host, &words)?.stdout
            }
        }))
    }

    /// Refuses a key with another fingerprint than that of the manifest.
    fn check(&self, host: &Host, content: &[u8]) -> Result<(), KindError> {
        if self.id.len() != FINGERPRINT {
            return Ok(());
        }
        let context = CommandContext { stdin: content.to_vec(), ..CommandContext::default() };
        let words = [GPG, "--no-tty", "--with-fingerprint", "--with-colons"];
        let text = context.ask(host, &words)?.stdout_text();
        let found = text.lines().filter_map(|line| line.strip_prefix("fpr:")?.split(':').nth(8));
        let found: Vec<&str> = found.collect();
        if found.contains(&self.id.as_str()) {
            return Ok(());
        }
        let text = match found.as_slice() {
            [] => "it has no key of gpg".to_string(),
            found => format!("its key has the fingerprint {}", found.join(", ")),
        };
        Err(KindError::new(format!("content or source is not the key {}: {text}", self.id)))
    }

    fn add(&self, host: &Host) -> Result<(), KindError> {
        if let Some(content) = self.content(host)? {
            self.check(host, &content)?;
            let context = CommandContext { stdin: content, ..CommandContext::default() };
            return context.run(host, &[APT_KEY, "add", "-"]).map(drop);
        }
        let Origin::Server(server, options) = &self.origin else { return Ok(()) };
        let mut words = vec![APT_KEY, "adv", "--no-tty", "--keyserver", server];
        if let Some(options) = options {
            words.extend(["--keyserver-options", options]);
        }
        words.extend(["--recv-keys", &self.id]);
        CommandContext::default().run(host, &words).map(drop)
    }

    fn remove(&self, host: &Host) -> Result<(), KindError> {
        for key in self.lists.keys(host)?.iter().filter(|key| key.fingerprint.ends_with(&self.id)) {
            CommandContext::default().run(host, &[APT_KEY, "del", &key.fingerprint])?;
        }
        Ok(())
    }
}

/// Reads a key within the maximum size.
fn read_key(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    reader.take(MAX_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(content)
}

/// Fetches a key from a web server.
fn download(host: &Host, address: &Address, insecure: bool) -> io::Result<Vec<u8>> {
    let connection = Connection { insecure, redirects: 10, ..Connection::default() };
    let agent = connected_agent(&host.root, &connection);
    let response = agent.run(address.request(&Method::GET, None)?).map_err(failed)?;
    let status = response.status();
    if !status.is_success() {
        return Err(io::Error::other(format!("HTTP Error Code {}", status.as_u16())));
    }
    read_key(response.into_body().into_with_config().limit(u64::MAX).reader())
}

impl Instance for KeyInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let Origin::File(path) = &self.origin else { return Vec::new() };
        vec![ResourceRef { kind: "File".into(), title: path.to_string_lossy().as_ref().into() }]
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        watches()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        let Some(present) = self.present else { return Ok(to.finish()) };
        let keys = self.lists.keys(host)?;
        let found = keys.iter().find(|key| key.fingerprint.ends_with(&self.id));
        to.ensure(found.filter(|key| !(self.refresh && key.is_expired())), present);
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if made.is_empty() {
            return Ok(());
        }
        for path in [KEYRING, KEYRINGS].map(Path::new) {
            let failed = |e| KindError::new(format!("Could not read {}: {e}", path.display()));
            host.keep_tree(path).map_err(failed)?;
        }
        let done = match self.present {
            Some(true) => self.add(host),
            _ => self.remove(host),
        };
        self.lists.forget();
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subkeys_decide_on_the_expiry() {
        let text = "tru::1\npub:-:4096:1:AA:1:2::-:\nfpr:::::::::AAAA:\nsub:e:1:\nfpr:::::::::AAAB:\n\
                    pub:-:4096:1:BB:1:2::-:\nfpr:::::::::BBBB:\nsub:e:1:\nsub:-:1:\n\
                    pub:e:255:22:CC:1:2::-:\nfpr:::::::::CCCC:\npub:-:\n";
        let found: Vec<_> =
            parse_keys(text).into_iter().map(|key| (key.is_expired(), key.fingerprint)).collect();
        let wanted = [(true, "AAAA"), (false, "BBBB"), (true, "CCCC")];
        assert_eq!(found, wanted.map(|(is_expired, name)| (is_expired, name.to_string())));
    }
}
