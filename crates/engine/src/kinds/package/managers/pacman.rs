//! pacman of Arch Linux. It installs only the current versions of its repositories.

use std::collections::BTreeMap;

use super::model::{
    Features, InstalledPackage, Manager, ManagerContext, PackageList, PackageRequest, arguments,
    batch_command, texts,
};
use crate::kind::{BatchCommand, KindError};
use crate::kinds::package::model::Ensure;

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
        // One directory per package: its times change with every installation and removal.
        &["/var/lib/pacman/local"]
    }

    fn watched(&self) -> &'static [&'static str] {
        // It exists while something is installed or removed.
        &["/var/lib/pacman/db.lck"]
    }

    fn list(&self, at: &ManagerContext<'_>) -> Result<PackageList, KindError> {
        let mut all = PackageList::default();
        let output = at.ask(&["--query"])?;
        // It fails without a message if nothing is installed.
        if !output.success() && String::from_utf8_lossy(&output.stderr).contains("error:") {
            return Err(at.fail(&["--query"], output));
        }
        for line in output.stdout_text().lines() {
            if let Some((name, version)) = line.split_once(' ') {
                all.add(name, name, version.trim());
            }
        }
        Ok(all)
    }

    fn find(
        &self,
        at: &ManagerContext<'_>,
        all: &PackageList,
        request: &PackageRequest,
    ) -> Result<Option<InstalledPackage>, KindError> {
        if let Some(found) = all.get(&request.name) {
            return Ok(Some(found.clone()));
        }
        // A group is installed if all its members are.
        let members = group(at, &request.name)?;
        if members.is_empty() || !request.allow_virtual {
            return Ok(None);
        }
        let version =
            |name: &String| Some((name.clone(), all.get(name)?.versions.first()?.clone()));
        let versions: Option<BTreeMap<String, String>> = members.iter().map(version).collect();
        let found =
            |v| InstalledPackage { name: request.name.clone(), versions: vec![group_version(&v)] };
        Ok(versions.map(found))
    }

    fn fits(
        &self,
        _: &ManagerContext<'_>,
        _: &PackageRequest,
        wanted: &str,
        found: &InstalledPackage,
    ) -> Result<bool, KindError> {
        Ok(found.versions.iter().any(|version| version == wanted))
    }

    fn latest(
        &self,
        at: &ManagerContext<'_>,
        _: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<String, KindError> {
        let output = at.run(&["--sync", "--list"])?.stdout_text();
        let mut known = BTreeMap::new();
        for line in output.lines() {
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

    fn install(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        _: Option<&InstalledPackage>,
    ) -> Result<(), KindError> {
        if let Some(source) = &request.source {
            return at
                .run(&["--noconfirm", "--noprogressbar", "--upgrade", file_of(source)?])
                .map(drop);
        }
        self.refuse_group(at, request, "install")?;
        let options = texts(&request.install_options);
        let quiet = ["--noconfirm", "--needed", "--noprogressbar"];
        at.run(&arguments(&[&quiet, &options, &["--sync", &request.name]])).map(drop)
    }

    fn install_several(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
    ) -> Result<Option<BatchCommand>, KindError> {
        let is_plain = !self.refuse_group(at, request, "install")?;
        let quiet = ["--noconfirm", "--needed", "--noprogressbar"];
        let options = texts(&request.install_options);
        let common = arguments(&[&quiet, &options, &["--sync"]]);
        Ok(is_plain.then(|| batch_command(&common, &request.name)))
    }

    fn remove(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        _: &InstalledPackage,
    ) -> Result<(), KindError> {
        let is_group = self.refuse_group(at, request, "uninstall")?;
        let options = texts(&request.uninstall_options);
        let recursive: &[&str] = if is_group { &["--recursive"] } else { &[] };
        let purge: &[&str] = if request.ensure == Ensure::Purged { &["--nosave"] } else { &[] };
        let start = arguments(&[&["--noconfirm", "--noprogressbar"], &options, &["--remove"]]);
        at.run(&arguments(&[&start, recursive, purge, &[&request.name]])).map(drop)
    }
}

impl Pacman {
    /// Whether the name is that of a group, which has to be allowed.
    fn refuse_group(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        doing: &str,
    ) -> Result<bool, KindError> {
        let name = &request.name;
        let is_group = !group(at, name)?.is_empty();
        if is_group && !request.allow_virtual {
            let why = "because allow_virtual is false.";
            return Err(KindError::new(format!("Refusing to {doing} package group {name}, {why}")));
        }
        Ok(is_group)
    }
}

/// The packages of a group; none if it is no group.
fn group(at: &ManagerContext<'_>, name: &str) -> Result<Vec<String>, KindError> {
    let output = at.ask(&["--sync", "--groups", name])?.stdout_text();
    let member = |line: &str| {
        let (group, member) = line.split_once(' ')?;
        (group == name).then(|| member.trim().to_string())
    };
    Ok(output.lines().filter_map(member).collect())
}

/// The versions of the members of a group, as one text.
fn group_version(members: &BTreeMap<String, String>) -> String {
    let members: Vec<String> = members.iter().map(|(n, v)| format!("{n} {v}")).collect();
    members.join(", ")
}

/// The argument of pacman for a source.
fn file_of(source: &str) -> Result<&str, KindError> {
    match source.split_once("://") {
        None => Ok(source),
        Some(("http" | "https" | "ftp", _)) => Ok(source),
        Some(("file", path)) => Ok(path),
        Some(("puppet", _)) => Err(KindError::new("puppet:// URL is not supported by pacman")),
        Some(_) => Err(KindError::new(format!("Source {source} is not supported by pacman"))),
    }
}
