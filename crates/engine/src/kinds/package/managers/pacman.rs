//! pacman of Arch. It installs the versions that its repositories have, and no others.

use std::collections::BTreeMap;

use super::{At, Features, Found, Installed, Manager, Wish, arguments, share, texts};
use crate::kind::{KindError, Share};
use crate::kinds::package::Ensure;

pub(super) struct Pacman;

impl Manager for Pacman {
    fn name(&self) -> &'static str {
        "pacman"
    }

    fn tools(&self) -> &'static [&'static str] {
        &["pacman"]
    }

    fn features(&self) -> Features {
        Features { purge: true, uninstall_options: true, ..Features::default() }
    }

    fn database(&self) -> &'static [&'static str] {
        // A directory a package: its times change with every one that comes or goes.
        &["/var/lib/pacman/local"]
    }

    fn watched(&self) -> &'static [&'static str] {
        // It is there while anything is installed or removed.
        &["/var/lib/pacman/db.lck"]
    }

    fn list(&self, at: &At<'_>) -> Result<Installed, KindError> {
        let mut all = Installed::default();
        let said = at.ask(&["--query"])?;
        // It fails, without a word, where nothing is installed.
        if !said.success() && String::from_utf8_lossy(&said.stderr).contains("error:") {
            return Err(at.fail(&["--query"], said));
        }
        for line in said.stdout_text().lines() {
            if let Some((name, version)) = line.split_once(' ') {
                all.add(name, name, version.trim());
            }
        }
        Ok(all)
    }

    fn find(&self, at: &At<'_>, all: &Installed, wish: &Wish) -> Result<Option<Found>, KindError> {
        if let Some(found) = all.get(&wish.name) {
            return Ok(Some(found.clone()));
        }
        // A group is there when all that is in it is.
        let members = group(at, &wish.name)?;
        if members.is_empty() || !wish.allow_virtual {
            return Ok(None);
        }
        let version =
            |name: &String| Some((name.clone(), all.get(name)?.versions.first()?.clone()));
        let versions: Option<BTreeMap<String, String>> = members.iter().map(version).collect();
        let found = |v| Found { name: wish.name.clone(), versions: vec![group_version(&v)] };
        Ok(versions.map(found))
    }

    fn fits(&self, _: &At<'_>, _: &Wish, wanted: &str, found: &Found) -> Result<bool, KindError> {
        Ok(found.versions.iter().any(|version| version == wanted))
    }

    fn latest(&self, at: &At<'_>, _: &Wish, found: &Found) -> Result<String, KindError> {
        let said = at.run(&["--sync", "--list"])?.stdout_text();
        let mut known = BTreeMap::new();
        for line in said.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [_, name, version, ..] = words[..] {
                // Of several repositories the first counts.
                known.entry(name.to_string()).or_insert_with(|| version.to_string());
            }
        }
        let missing = || KindError::new(format!("no repository has {}", found.name));
        let members = group(at, &found.name)?;
        if members.is_empty() || known.contains_key(&found.name) {
            return known.remove(&found.name).ok_or_else(missing);
        }
        known.retain(|name, _| members.contains(name));
        Ok(group_version(&known))
    }

    fn install(&self, at: &At<'_>, wish: &Wish, _: Option<&Found>) -> Result<(), KindError> {
        if let Some(source) = &wish.source {
            return at
                .run(&["--noconfirm", "--noprogressbar", "--upgrade", file_of(source)?])
                .map(drop);
        }
        self.refuse_group(at, wish, "install")?;
        let options = texts(&wish.install_options);
        let quiet = ["--noconfirm", "--needed", "--noprogressbar"];
        at.run(&arguments(&[&quiet, &options, &["--sync", &wish.name]])).map(drop)
    }

    fn install_several(&self, at: &At<'_>, wish: &Wish) -> Result<Option<Share>, KindError> {
        let is_plain = !self.refuse_group(at, wish, "install")?;
        let quiet = ["--noconfirm", "--needed", "--noprogressbar"];
        let options = texts(&wish.install_options);
        let common = arguments(&[&quiet, &options, &["--sync"]]);
        Ok(is_plain.then(|| share(&common, &wish.name)))
    }

    fn remove(&self, at: &At<'_>, wish: &Wish, _: &Found) -> Result<(), KindError> {
        let is_group = self.refuse_group(at, wish, "uninstall")?;
        let options = texts(&wish.uninstall_options);
        let recursive: &[&str] = if is_group { &["--recursive"] } else { &[] };
        let purge: &[&str] = if wish.ensure == Ensure::Purged { &["--nosave"] } else { &[] };
        let start = arguments(&[&["--noconfirm", "--noprogressbar"], &options, &["--remove"]]);
        at.run(&arguments(&[&start, recursive, purge, &[&wish.name]])).map(drop)
    }
}

impl Pacman {
    /// Whether the name is that of a group, which has to be allowed.
    fn refuse_group(&self, at: &At<'_>, wish: &Wish, doing: &str) -> Result<bool, KindError> {
        let name = &wish.name;
        let is_group = !group(at, name)?.is_empty();
        if is_group && !wish.allow_virtual {
            let why = "because allow_virtual is false.";
            return Err(KindError::new(format!("Refusing to {doing} package group {name}, {why}")));
        }
        Ok(is_group)
    }
}

/// The packages of a group; none if it is no group.
fn group(at: &At<'_>, name: &str) -> Result<Vec<String>, KindError> {
    let said = at.ask(&["--sync", "--groups", name])?.stdout_text();
    let member = |line: &str| {
        let (group, member) = line.split_once(' ')?;
        (group == name).then(|| member.trim().to_string())
    };
    Ok(said.lines().filter_map(member).collect())
}

/// The versions of what is in a group as one.
fn group_version(members: &BTreeMap<String, String>) -> String {
    let members: Vec<String> = members.iter().map(|(n, v)| format!("{n} {v}")).collect();
    members.join(", ")
}

/// What is handed to pacman for a source.
fn file_of(source: &str) -> Result<&str, KindError> {
    match source.split_once("://") {
        None => Ok(source),
        Some(("http" | "https" | "ftp", _)) => Ok(source),
        Some(("file", path)) => Ok(path),
        Some(("puppet", _)) => Err(KindError::new("puppet:// URL is not supported by pacman")),
        Some(_) => Err(KindError::new(format!("Source {source} is not supported by pacman"))),
    }
}
