//! `yumrepo`: a package repository of yum and dnf.

mod ini;

use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, software};
use regex::Regex;

use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::instances::unwanted;
use crate::system::file_cache::read_text;
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::watch::Watch;
use crate::system::write::{Owner, editing, remove, rewrite, set_mode};
use ini::Ini;

/// The values that a setting takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Anything.
    Any,
    /// A boolean in one of yum's spellings; written with a capital.
    Bool,
    /// An address.
    Url,
    /// Several addresses, separated by blanks.
    Urls,
    /// An address, or that there is none.
    Proxy,
    /// A text that matches this pattern.
    Pattern(&'static str),
}

/// The settings, with the types of their values.
const SETTINGS: &[(&str, Form)] = &[
    ("assumeyes", Form::Bool),
    ("bandwidth", Form::Pattern(r"^\d+[kMG]?$")),
    ("baseurl", Form::Urls),
    ("cost", Form::Pattern(r"^\d+$")),
    ("deltarpm_metadata_percentage", Form::Pattern(r"^\d+$")),
    ("deltarpm_percentage", Form::Pattern(r"^\d+$")),
    ("descr", Form::Any),
    ("enabled", Form::Bool),
    ("enablegroups", Form::Bool),
    ("exclude", Form::Any),
    ("failovermethod", Form::Pattern("^(roundrobin|priority)$")),
    ("gpgcakey", Form::Url),
    ("gpgcheck", Form::Bool),
    ("gpgkey", Form::Urls),
    ("http_caching", Form::Pattern("^(packages|all|none)$")),
    ("include", Form::Url),
    ("includepkgs", Form::Any),
    ("keepalive", Form::Bool),
    ("metadata_expire", Form::Pattern("^([0-9]+[dhm]?|never)$")),
    ("metalink", Form::Url),
    ("minrate", Form::Pattern(r"^\d+$")),
    ("mirrorlist", Form::Url),
    ("mirrorlist_expire", Form::Pattern("^[0-9]+$")),
    ("module_hotfixes", Form::Bool),
    ("password", Form::Any),
    ("payload_gpgcheck", Form::Bool),
    ("priority", Form::Pattern(r"^-?\d+$")),
    ("protect", Form::Bool),
    ("proxy", Form::Proxy),
    ("proxy_password", Form::Any),
    ("proxy_username", Form::Any),
    ("repo_gpgcheck", Form::Bool),
    ("retries", Form::Pattern("^[0-9]+$")),
    ("s3_enabled", Form::Bool),
    ("skip_if_unavailable", Form::Bool),
    ("sslcacert", Form::Any),
    ("sslclientcert", Form::Any),
    ("sslclientkey", Form::Any),
    ("sslverify", Form::Bool),
    ("throttle", Form::Pattern(r"^\d+[kMG%]?$")),
    ("timeout", Form::Pattern(r"^\d+$")),
    ("username", Form::Any),
];

/// Settings whose values are never shown.
const SECRETS: [&str; 2] = ["password", "proxy_password"];

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Yumrepo;

/// The desired state.
struct YumrepoInstance {
    name: String,
    present: bool,
    target: Option<String>,
    /// Settings and values; `None` if the setting should be absent.
    settings: Vec<(&'static str, Option<String>)>,
    secrets: Vec<String>,
}

/// A file with a section of a repository.
struct RepositoryFile {
    path: PathBuf,
    ini: Ini,
}

impl Kind for Yumrepo {
    fn schema(&self) -> &KindSchema {
        &software::YUMREPO
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["inifile"], &[]);
        let name = p.name();
        if name.is_empty() || name.contains(['[', ']', '\n', '\r', '/']) || name == "main" {
            p.error("name", format!("'{name}' is not a valid repository name"));
        }
        let settings = SETTINGS.iter();
        let settings =
            settings.filter_map(|(name, form)| Some((*name, setting(&mut p, name, *form)?)));
        let settings = settings.collect();
        let mut secrets = p.secrets();
        secrets.extend(SECRETS.map(str::to_string));
        let repo = YumrepoInstance {
            name,
            present: p.choice("ensure") != Some("absent"),
            target: p.text("target").filter(|target| target != "absent"),
            settings,
            secrets,
        };
        p.finish(Box::new(repo) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let mut out = Vec::new();
        for path in files(host)? {
            let ini = read(host, &path)?.unwrap_or_default();
            let names = ini.sections().filter(|name| *name != "main");
            out.extend(names.map(|name| unwanted("Yumrepo", name, &[])));
        }
        Ok(out)
    }

    fn instance_watches(&self, host: &Host) -> Vec<Watch> {
        watches(host)
    }
}

/// A declared setting; the inner `None` means `absent`.
fn setting(p: &mut Params<'_>, name: &'static str, form: Form) -> Option<Option<String>> {
    let text = p.text(name)?;
    if text == "absent" {
        return Some(None);
    }
    let ok = match form {
        Form::Any => true,
        Form::Bool => {
            ["true", "false", "0", "1", "no", "yes"].contains(&text.to_lowercase().as_str())
        }
        Form::Url => is_url(&text),
        Form::Urls => text.split_whitespace().all(is_url),
        Form::Proxy => text.is_empty() || text == "_none_" || is_url(&text),
        Form::Pattern(pattern) => Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(&text)),
    };
    if !ok && matches!(form, Form::Url | Form::Urls | Form::Proxy) {
        p.error(name, "Must be a valid URL");
    } else if !ok {
        p.error(name, format!("Invalid value {text:?}"));
    } else if text.contains(['\n', '\r']) {
        p.error(name, format!("{name} must be one line"));
    }
    Some(Some(if form == Form::Bool { capitalized(&text) } else { text }))
}

fn is_url(text: &str) -> bool {
    let schemes = ["file", "http", "https", "ftp"];
    text.split_once(':').is_some_and(|(scheme, rest)| schemes.contains(&scheme) && !rest.is_empty())
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + &chars.as_str().to_lowercase()
}

/// The name of a setting in the file.
fn key(setting: &str) -> &str {
    if setting == "descr" { "name" } else { setting }
}

fn read(host: &Host, path: &Path) -> Result<Option<Ini>, KindError> {
    let text = read_text(&host.path(path))
        .map_err(|e| KindError::new(format!("Could not read {}: {e}", path.display())))?;
    Ok(text.map(|text| Ini::parse(&text)))
}

/// The main file of yum.
const MAIN: &str = "/etc/yum.conf";

/// The existing directories of repositories.
fn directories(host: &Host) -> Result<Vec<PathBuf>, KindError> {
    let declared = read(host, Path::new(MAIN))?.and_then(|main| main.get("main", "reposdir"));
    let dirs: Vec<PathBuf> = match declared {
        Some(list) => list.split([' ', ',']).filter(|d| !d.is_empty()).map(PathBuf::from).collect(),
        None => ["/etc/yum.repos.d", "/etc/yum/repos.d"].map(PathBuf::from).to_vec(),
    };
    Ok(dirs.into_iter().filter(|dir| host.path(dir).is_dir()).collect())
}

/// The files that repositories are in.
fn files(host: &Host) -> Result<Vec<PathBuf>, KindError> {
    let mut files = vec![PathBuf::from(MAIN)];
    for dir in directories(host)? {
        let entries = std::fs::read_dir(host.path(&dir))
            .map_err(|e| KindError::new(format!("Could not list {}: {e}", dir.display())))?;
        let names = entries.flatten().map(|entry| entry.file_name());
        let is_repo =
            |name: &std::ffi::OsString| Path::new(name).extension().is_some_and(|e| e == "repo");
        let mut names: Vec<_> = names.filter(is_repo).collect();
        names.sort();
        files.extend(names.into_iter().map(|name| dir.join(name)));
    }
    Ok(files)
}

/// The paths to watch for changes of repositories.
fn watches(host: &Host) -> Vec<Watch> {
    let dirs = directories(host).unwrap_or_default().into_iter().map(Watch::Tree);
    dirs.chain([Watch::Path(MAIN.into())]).collect()
}

impl YumrepoInstance {
    /// The files that have it.
    fn find(&self, host: &Host) -> Result<Vec<RepositoryFile>, KindError> {
        let mut found = Vec::new();
        for path in files(host)? {
            let Some(ini) = read(host, &path)? else { continue };
            if ini.sections().any(|name| name == self.name) {
                found.push(RepositoryFile { path, ini });
            }
        }
        Ok(found)
    }

    /// The file that it is written to.
    fn place(&self, host: &Host) -> Result<PathBuf, KindError> {
        let dirs = directories(host)?;
        let Some(last) = dirs.last() else { return Ok(PathBuf::from(MAIN)) };
        let Some(target) = &self.target else {
            return Ok(last.join(format!("{}.repo", self.name)));
        };
        let target = Path::new(target);
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let name = if name.ends_with(".repo") { name.into_owned() } else { format!("{name}.repo") };
        let parent = target.parent().filter(|parent| dirs.iter().any(|dir| dir == parent));
        Ok(parent.unwrap_or(last).join(name))
    }

    /// The current section, if it is in the right file.
    fn current(&self, host: &Host) -> Result<Option<RepositoryFile>, KindError> {
        let mut found = self.find(host)?;
        if self.target.is_none() {
            return Ok(found.pop());
        }
        let place = self.place(host)?;
        Ok(found.into_iter().find(|found| found.path == place))
    }

    fn change(&self, host: &Host, path: &Path, ini: &Ini) -> Result<(), KindError> {
        let failed = |e| KindError::new(format!("Could not write {}: {e}", path.display()));
        if ini.is_empty() && path != Path::new(MAIN) {
            let kept = host.keep(path, false);
            let place = kept.and_then(|()| resolve(host, path, false));
            return place.and_then(|place| remove(host, &place)).map_err(failed);
        }
        rewrite(host, path, ini.text().as_bytes(), Owner { mode: 0o644, ids: None })
            .map_err(failed)?;
        let place = resolve(host, path, true).map_err(failed)?;
        if place.stat().map_err(failed)?.is_some_and(|stat| stat.st_mode & 0o777 != 0o644) {
            set_mode(host, &place, 0o644).map_err(failed)?;
        }
        Ok(())
    }
}

impl Instance for YumrepoInstance {
    fn watches(&self, host: &Host) -> Vec<Watch> {
        watches(host)
    }

    fn watches_move(&self) -> bool {
        true
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&self.secrets);
        if !self.present {
            if !self.find(host)?.is_empty() {
                to.remove(Value::str("present"), "absent", "removed");
            }
            return Ok(to.finish());
        }
        let Some(found) = self.current(host)? else {
            to.create("absent", Value::str("present"));
            return Ok(to.finish());
        };
        for (name, wanted) in &self.settings {
            let now = found.ini.get(&self.name, key(name));
            if now != *wanted {
                let value = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::str);
                to.property(name, value(&now), value(wanted));
            }
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let place = self.place(host)?;
        // Sections move between files, so one resource at a time edits them.
        let _editing = editing(Path::new(MAIN));
        if !self.present {
            for RepositoryFile { path, mut ini } in self.find(host)? {
                ini.remove(&self.name);
                self.change(host, &path, &ini)?;
            }
            return Ok(());
        }
        let (path, mut ini) = match self.current(host)? {
            Some(found) => (found.path, found.ini),
            None => {
                let mut ini = read(host, &place)?.unwrap_or_default();
                // The section moves here with its content.
                if let Some(old) = self.find(host)?.pop() {
                    ini.copy(&old.ini, &self.name);
                }
                (place, ini)
            }
        };
        let is_new = changes(made, "ensure");
        for (name, value) in self.settings.iter().filter(|(name, _)| is_new || changes(made, name))
        {
            ini.set(&self.name, key(name), value.as_deref());
        }
        if !ini.sections().any(|name| name == self.name) {
            ini.set(&self.name, "name", Some(&self.name));
        }
        self.change(host, &path, &ini)?;
        for RepositoryFile { path: other, mut ini } in self.find(host)? {
            if self.target.is_some() && other != path {
                ini.remove(&self.name);
                self.change(host, &other, &ini)?;
            }
        }
        Ok(())
    }
}
