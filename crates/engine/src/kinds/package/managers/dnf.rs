//! dnf, and yum, whose command line it adopted.

use std::cmp::Ordering;

use super::model::{
    Features, InstalledPackage, Manager, ManagerContext, PackageRequest, arguments, batch_command,
    texts,
};
use super::rpm;
use crate::kind::{BatchCommand, KindError};
use crate::kinds::package::model::Ensure;

/// One of the two.
pub(super) struct Dnf {
    name: &'static str,
    tools: &'static [&'static str],
    upgrade: &'static str,
}

pub(super) const DNF: Dnf = Dnf { name: "dnf", tools: &["dnf"], upgrade: "upgrade" };
pub(super) const YUM: Dnf = Dnf { name: "yum", tools: &["yum"], upgrade: "update" };

/// The exit status of `check-update` if there are updates.
const UPDATES: i32 = 100;

impl Manager for Dnf {
    fn name(&self) -> &'static str {
        self.name
    }

    fn tools(&self) -> &'static [&'static str] {
        self.tools
    }

    fn features(&self) -> Features {
        Features { versions: true, purge: true, install_only: true, ..Features::default() }
    }

    rpm::database_methods!();

    fn latest(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<String, KindError> {
        let repositories = repositories(request);
        let command = arguments(&[&["-y", "check-update"], &repositories, &[&found.name]]);
        let output = at.ask(&command)?;
        let newest = || found.versions.last().cloned().unwrap_or_default();
        match output.status {
            0 => Ok(newest()),
            UPDATES => {
                let update = update_of(&found.name, &output.stdout_text());
                let update = update.filter(|version| !found.versions.contains(version));
                Ok(update.map_or_else(newest, with_epoch))
            }
            _ => Err(at.fail(&command, output)),
        }
    }

    fn install(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: Option<&InstalledPackage>,
    ) -> Result<(), KindError> {
        let options = texts(&request.install_options);
        let known = |name: &str| at.run(&arguments(&[&["-y"], &options, &["list", name]]));
        if !request.allow_virtual && request.source.is_none() {
            known(&request.name)?;
        }
        let (operation, wanted) = match (&request.ensure, &request.source) {
            (Ensure::Latest, _) if found.is_some() => (self.upgrade, request.name.clone()),
            (Ensure::Version(version), source) => {
                self.version(at, request, version, source, found)?
            }
            (_, Some(source)) => ("install", source.clone()),
            _ => ("install", request.name.clone()),
        };
        at.run(&arguments(&[&["-y"], &options, &[operation, &wanted]])).map(drop)
    }

    fn install_several(
        &self,
        _: &ManagerContext<'_>,
        request: &PackageRequest,
    ) -> Result<Option<BatchCommand>, KindError> {
        let is_plain =
            matches!(request.ensure, Ensure::Present | Ensure::Latest) && request.allow_virtual;
        let options = texts(&request.install_options);
        Ok(is_plain
            .then(|| batch_command(&arguments(&[&["-y"], &options, &["install"]]), &request.name)))
    }

    fn remove_several(
        &self,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Option<BatchCommand> {
        let is_purge = request.ensure == Ensure::Purged;
        is_purge.then(|| batch_command(&["-y", "remove"], &found.name))
    }

    fn remove(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<(), KindError> {
        if request.ensure == Ensure::Purged {
            return at.run(&["-y", "remove", &found.name]).map(drop);
        }
        // This fails if other packages depend on it.
        let versions = found.versions.iter().map(|v| format!("{}-{v}", found.name));
        let versions: Vec<String> = versions.collect();
        let named = [found.name.as_str()];
        let several = if versions.len() > 1 { texts(&versions) } else { named.to_vec() };
        at.beside("rpm")?.run(&arguments(&[&["-e"], &several])).map(drop)
    }
}

impl Dnf {
    /// The operation for a version, and its argument.
    fn version(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        version: &str,
        source: &Option<String>,
        found: Option<&InstalledPackage>,
    ) -> Result<(&'static str, String), KindError> {
        let version = match source {
            Some(_) => version.to_string(),
            None => rpm::best(version, self.known(at, request)?),
        };
        let operation = match found.and_then(|f| f.versions.last()) {
            Some(_) if request.install_only => "install",
            Some(now) => match rpm::compare(&version, now) {
                Ordering::Less => "downgrade",
                Ordering::Greater => self.upgrade,
                Ordering::Equal => "install",
            },
            None => "install",
        };
        let wanted = source.clone().unwrap_or_else(|| with_version(&request.name, &version));
        Ok((operation, wanted))
    }

    /// All versions that there are.
    fn known(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
    ) -> Result<Vec<String>, KindError> {
        let is_range = |v: &str| v.contains(['<', '>']);
        if !matches!(&request.ensure, Ensure::Version(v) if is_range(v)) {
            return Ok(Vec::new());
        }
        let repositories = repositories(request);
        let command = ["-y", "list", &request.name, "--showduplicates"];
        let output = at.ask(&arguments(&[&command, &repositories]))?.stdout_text();
        let available = output.lines().skip_while(|l| l.trim() != "Available Packages").skip(1);
        Ok(available.filter_map(|l| Some(l.split_whitespace().nth(1)?.to_string())).collect())
    }
}

/// A version with its epoch, as Puppet names updates, even if the epoch is 0.
fn with_epoch(version: String) -> String {
    if version.contains(':') { version } else { format!("0:{version}") }
}

/// `name-version`; an architecture in the name moves to the end.
fn with_version(name: &str, version: &str) -> String {
    const ARCHITECTURES: &[&str] = &[
        "noarch", "x86_64", "i386", "i586", "i686", "aarch64", "armv7hl", "ppc64le", "s390x",
        "riscv64",
    ];
    match name.rsplit_once('.').filter(|(_, end)| ARCHITECTURES.contains(end)) {
        Some((name, architecture)) => format!("{name}-{version}.{architecture}"),
        None => format!("{name}-{version}"),
    }
}

/// The options that select repositories.
fn repositories(request: &PackageRequest) -> Vec<&str> {
    let names = ["--enablerepo=", "--disablerepo=", "--disableexcludes=", "--repo="];
    let of = |option: &&str| names.iter().any(|n| option.starts_with(n));
    request.install_options.iter().map(String::as_str).filter(of).collect()
}

/// The version that a package would be updated to. Long names are followed by a line break.
fn update_of(name: &str, text: &str) -> Option<String> {
    let end = |l: &&str| !["Obsoleting", "Security:", "Update"].iter().any(|w| l.starts_with(w));
    let lines: Vec<&str> = text.lines().take_while(end).collect();
    // The lines before the empty line do not belong to the table.
    let start = lines.iter().position(|l| l.trim().is_empty()).map_or(0, |at| at + 1);
    let words: Vec<&str> = lines[start..].iter().flat_map(|l| l.split_whitespace()).collect();
    let row = words.chunks_exact(3).find(|row| {
        row[0] == name || row[0].rsplit_once('.').is_some_and(|(bare, _)| bare == name)
    })?;
    Some(row[1].strip_prefix("0:").unwrap_or(row[1]).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_read() {
        let text = "Last metadata expiration check: 0:00:01 ago on Sun.\n\n\
            alpha.noarch                 2.0-1                 local\n\
            a-package-with-quite-a-long-name-indeed.x86_64\n\
            \x20                         1:3.0-4.el9           updates\n\
            Obsoleting Packages\nbeta.noarch  9-9  local\n    old.noarch 1-1 @local\n";
        assert_eq!(update_of("alpha", text).as_deref(), Some("2.0-1"));
        assert_eq!(update_of("alpha.noarch", text).as_deref(), Some("2.0-1"));
        let long = "a-package-with-quite-a-long-name-indeed";
        assert_eq!(update_of(long, text).as_deref(), Some("1:3.0-4.el9"));
        assert_eq!(update_of("beta", text), None);
        assert_eq!(with_version("glibc.i686", "2.0-1"), "glibc-2.0-1.i686");
        assert_eq!(with_version("python3.11", "2.0-1"), "python3.11-2.0-1");
    }
}
