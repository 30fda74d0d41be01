//! zypper of SUSE.

use std::cmp::Ordering;

use super::model::{
    Features, InstalledPackage, Manager, ManagerContext, PackageRequest, arguments, batch_command,
};
use super::rpm;
use crate::kind::{BatchCommand, KindError};
use crate::kinds::package::model::Ensure;

pub(super) struct Zypper;

/// Options of zypper itself, not of `install`.
const GLOBAL: &[&str] = &["--no-gpg-check", "--no-gpg-checks", "--gpg-auto-import-keys"];

impl Manager for Zypper {
    fn name(&self) -> &'static str {
        "zypper"
    }

    fn tools(&self) -> &'static [&'static str] {
        &["zypper"]
    }

    fn features(&self) -> Features {
        Features { versions: true, ..Features::default() }
    }

    rpm::database_methods!();

    fn latest(
        &self,
        at: &ManagerContext<'_>,
        _: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<String, KindError> {
        let output = at.run(&["--non-interactive", "list-updates"])?.stdout_text();
        let update =
            rows(&output).find(|row| row.len() > 4 && row[0] == "v" && row[2] == found.name);
        let now = || found.versions.last().cloned().unwrap_or_default();
        Ok(update.map_or_else(now, |row| row[4].to_string()))
    }

    fn install(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: Option<&InstalledPackage>,
    ) -> Result<(), KindError> {
        let (global, options): (Vec<&str>, Vec<&str>) =
            request.install_options.iter().map(String::as_str).partition(|o| GLOBAL.contains(o));
        let mut own = vec!["--auto-agree-with-licenses", "--no-confirm"];
        let wanted = match (&request.ensure, &request.source) {
            (_, Some(source)) => source.clone(),
            (Ensure::Version(version), None) => {
                let version = rpm::best(version, known(at, request)?);
                let now = found.and_then(|f| f.versions.last());
                if now.is_some_and(|now| rpm::compare(&version, now) == Ordering::Less) {
                    own.push("--oldpackage");
                }
                format!("{}-{version}", request.name)
            }
            _ => request.name.clone(),
        };
        if !request.allow_virtual && wanted == request.name {
            own.push("--name");
        }
        let before = arguments(&[&["--quiet"], &global, &["install"], &own]);
        at.run(&arguments(&[&before, &options, &[&wanted]])).map(drop)
    }

    fn install_several(
        &self,
        _: &ManagerContext<'_>,
        request: &PackageRequest,
    ) -> Result<Option<BatchCommand>, KindError> {
        let is_plain = matches!(request.ensure, Ensure::Present | Ensure::Latest)
            && request.allow_virtual
            && request.install_options.is_empty();
        let common = ["--quiet", "install", "--auto-agree-with-licenses", "--no-confirm"];
        Ok(is_plain.then(|| batch_command(&common, &request.name)))
    }

    fn remove_several(&self, _: &PackageRequest, found: &InstalledPackage) -> Option<BatchCommand> {
        Some(batch_command(&["remove", "--no-confirm"], &found.name))
    }

    fn remove(
        &self,
        at: &ManagerContext<'_>,
        _: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<(), KindError> {
        at.run(&["remove", "--no-confirm", &found.name]).map(drop)
    }
}

/// All available versions, for a range.
fn known(at: &ManagerContext<'_>, request: &PackageRequest) -> Result<Vec<String>, KindError> {
    if !matches!(&request.ensure, Ensure::Version(v) if v.contains(['<', '>'])) {
        return Ok(Vec::new());
    }
    let options = ["search", "--match-exact", "--type", "package", "-s", &request.name];
    let output = at.run(&options)?.stdout_text();
    let named = rows(&output).filter(|row| row.len() > 3 && row[1] == request.name);
    Ok(named.map(|row| row[3].to_string()).collect())
}

/// The rows of a table.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().map(|line| line.split('|').map(str::trim).collect())
}
