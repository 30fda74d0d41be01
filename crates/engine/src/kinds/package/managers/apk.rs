//! apk of Alpine.

use std::cmp::Ordering;
use std::path::Path;

use super::model::{
    Features, InstalledPackage, Manager, ManagerContext, PackageList, PackageRequest, arguments,
    batch_command, texts,
};
use crate::kind::{BatchCommand, KindError};
use crate::kinds::package::model::Ensure;
use crate::system::file_cache::read_text;

pub(super) struct Apk;

/// The database: paragraphs of lines that begin with a letter and a colon.
const DATABASE: &[&str] = &["/lib/apk/db/installed", "/usr/lib/apk/db/installed"];

impl Manager for Apk {
    fn name(&self) -> &'static str {
        "apk"
    }

    fn tools(&self) -> &'static [&'static str] {
        &["apk"]
    }

    fn features(&self) -> Features {
        Features { versions: true, purge: true, uninstall_options: true, ..Features::default() }
    }

    fn database(&self) -> &'static [&'static str] {
        DATABASE
    }

    fn list(&self, at: &ManagerContext<'_>) -> Result<PackageList, KindError> {
        let mut all = PackageList::default();
        for path in DATABASE {
            let failed = |e| KindError::new(format!("Could not read {path}: {e}"));
            let text = read_text(&at.host.path(Path::new(path))).map_err(failed)?;
            let text = text.unwrap_or_default();
            let mut name = "";
            for line in text.lines() {
                match line.split_once(':') {
                    Some(("P", value)) => name = value,
                    Some(("V", version)) => all.add(name, name, version),
                    // The version comes before or after the name, but in the same paragraph.
                    _ => {}
                }
            }
        }
        Ok(all)
    }

    fn fits(
        &self,
        at: &ManagerContext<'_>,
        _: &PackageRequest,
        wanted: &str,
        found: &InstalledPackage,
    ) -> Result<bool, KindError> {
        let now = found.versions.last().map_or("", String::as_str);
        if let Some(prefix) = wanted.strip_prefix('~') {
            let rest = now.strip_prefix(prefix);
            return Ok(rest.is_some_and(|r| !r.starts_with(|c: char| c.is_ascii_digit())));
        }
        match split_operator(wanted) {
            None => Ok(wanted == now),
            Some((operator, bound)) => {
                let order = compare(at, now, bound)?;
                Ok((order == Ordering::Equal && operator.contains('='))
                    || (order == Ordering::Less && operator.contains('<'))
                    || (order == Ordering::Greater && operator.contains('>')))
            }
        }
    }

    fn latest(
        &self,
        at: &ManagerContext<'_>,
        _: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<String, KindError> {
        let output = at.run(&["version", "-l", "<"])?.stdout_text();
        let now = found.versions.last().map_or("", String::as_str);
        let installed = format!("{}-{now}", found.name);
        let newer = output.lines().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (words.first() == Some(&installed.as_str())).then(|| words.get(2).copied()).flatten()
        });
        Ok(newer.unwrap_or(now).to_string())
    }

    fn install(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        _: Option<&InstalledPackage>,
    ) -> Result<(), KindError> {
        let wanted = match (&request.ensure, &request.source) {
            (_, Some(source)) => source.clone(),
            (Ensure::Version(v), None) if v.starts_with('~') || split_operator(v).is_some() => {
                format!("{}{v}", request.name)
            }
            (Ensure::Version(version), None) => format!("{}={version}", request.name),
            _ => request.name.clone(),
        };
        let upgrade: &[&str] = if request.ensure == Ensure::Latest { &["--upgrade"] } else { &[] };
        let options = texts(&request.install_options);
        at.run(&arguments(&[&["add", "--no-progress"], upgrade, &options, &[&wanted]])).map(drop)
    }

    fn install_several(
        &self,
        _: &ManagerContext<'_>,
        request: &PackageRequest,
    ) -> Result<Option<BatchCommand>, KindError> {
        let is_plain = request.ensure == Ensure::Present;
        let options = texts(&request.install_options);
        Ok(is_plain.then(|| {
            batch_command(&arguments(&[&["add", "--no-progress"], &options]), &request.name)
        }))
    }

    fn remove(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<(), KindError> {
        let purge: &[&str] = if request.ensure == Ensure::Purged { &["--purge"] } else { &[] };
        let options = texts(&request.uninstall_options);
        let command = arguments(&[&["del", "--no-progress"], purge, &options, &[&found.name]]);
        let output = at.run(&command)?;
        // apk keeps packages that others need, and still succeeds.
        if output.stdout_text().contains("not removed due to") {
            return Err(at.fail(&command, output));
        }
        Ok(())
    }
}

/// An operator and the version behind it.
fn split_operator(wanted: &str) -> Option<(&str, &str)> {
    let end = wanted.find(|c| !"<>=".contains(c))?;
    (end > 0).then(|| wanted.split_at(end))
}

/// Compares versions with apk itself.
fn compare(at: &ManagerContext<'_>, a: &str, b: &str) -> Result<Ordering, KindError> {
    let output = at.run(&["version", "-t", a, b])?.stdout_text();
    match output.trim() {
        "<" => Ok(Ordering::Less),
        "=" => Ok(Ordering::Equal),
        ">" => Ok(Ordering::Greater),
        other => Err(KindError::new(format!("apk does not compare {a} with {b}: {other}"))),
    }
}
