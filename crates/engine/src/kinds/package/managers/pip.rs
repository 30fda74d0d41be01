//! pip of Python.

use serde::Deserialize;

use ordain_functions::version::{PythonVersion, compare_python};

use super::model::{
    Features, InstalledPackage, Manager, ManagerContext, PackageList, PackageRequest, arguments,
    texts,
};
use crate::kind::KindError;
use crate::kinds::package::model::Ensure;
use crate::kinds::package::version::{Order, Range};

pub(super) struct Pip {
    name: &'static str,
    tools: &'static [&'static str],
}

pub(super) const PIP: Pip = Pip { name: "pip", tools: &["pip", "pip-python", "pip2", "pip-2"] };
pub(super) const PIP3: Pip = Pip { name: "pip3", tools: &["pip3"] };

/// A version that no package has, so that pip lists the known ones.
const IMPOSSIBLE: &str = "==9!0dev0+x";

/// A package as pip lists it.
#[derive(Deserialize)]
struct PipPackage {
    name: String,
    version: String,
}

impl Manager for Pip {
    fn name(&self) -> &'static str {
        self.name
    }

    fn tools(&self) -> &'static [&'static str] {
        self.tools
    }

    fn features(&self) -> Features {
        Features { versions: true, command: true, ..Features::default() }
    }

    fn plain_name<'n>(&self, name: &'n str) -> &'n str {
        match name.split_once('[') {
            Some((plain, extras)) if extras.ends_with(']') && !extras.contains(' ') => plain,
            _ => name,
        }
    }

    fn list(&self, at: &ManagerContext<'_>) -> Result<PackageList, KindError> {
        let command = ["list", "--format=json", "--disable-pip-version-check"];
        let output = at.run(&command)?;
        let listed: Vec<PipPackage> = serde_json::from_slice(&output.stdout)
            .map_err(|e| KindError::new(format!("pip's list is not understood: {e}")))?;
        let mut all = PackageList::default();
        for package in &listed {
            all.add(&normalized(&package.name), &package.name, &package.version);
        }
        Ok(all)
    }

    fn find(
        &self,
        _: &ManagerContext<'_>,
        all: &PackageList,
        request: &PackageRequest,
    ) -> Result<Option<InstalledPackage>, KindError> {
        Ok(all.get(&normalized(self.plain_name(&request.name))).cloned())
    }

    fn fits(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        wanted: &str,
        found: &InstalledPackage,
    ) -> Result<bool, KindError> {
        let range = Range::parse(wanted, Order::Python);
        if range.is_some_and(|range| found.versions.iter().any(|v| range.contains(v))) {
            return Ok(true);
        }
        if !request.source.as_ref().is_some_and(|s| is_repository(s)) {
            return Ok(false);
        }
        // A package from a repository has a revision besides its version.
        let frozen = at.run(&["freeze", "--all", "--disable-pip-version-check"])?.stdout_text();
        let name = normalized(&found.name);
        let revision = |line: &str| {
            let (package, address) = line.split_once(" @ ")?;
            let is_it = normalized(self.plain_name(package)) == name;
            let (_, revision) = address.rsplit_once('@').filter(|_| is_it)?;
            Some(revision.split('#').next() == Some(wanted))
        };
        Ok(frozen.lines().find_map(revision).unwrap_or(false))
    }

    fn latest(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<String, KindError> {
        let mut known = known(at, request)?;
        let early = request.install_options.iter().any(|o| o == "--pre");
        let is_final = |v: &String| PythonVersion::parse(v).is_some_and(|v| !v.is_prerelease());
        if !early && known.iter().any(is_final) {
            known.retain(is_final);
        }
        let newest = known.pop();
        let newest = newest
            .ok_or_else(|| KindError::new(format!("pip knows no version of {}", request.name)))?;
        // The same version may have several spellings.
        let same = |v: &&String| compare_python(v, &newest).is_some_and(|o| o.is_eq());
        Ok(found.versions.iter().find(same).unwrap_or(&newest).clone())
    }

    fn install(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        _: Option<&InstalledPackage>,
    ) -> Result<(), KindError> {
        let mut upgrade: &[&str] = &[];
        let wanted = match (&request.ensure, &request.source) {
            (ensure, Some(source)) => from_source(request, source, ensure),
            (Ensure::Latest, None) => {
                upgrade = &["--upgrade"];
                request.name.clone()
            }
            (Ensure::Version(version), None) => {
                format!("{}{}", request.name, self.exactly(at, request, version)?)
            }
            _ => request.name.clone(),
        };
        let options = texts(&request.install_options);
        let start = ["install", "-q", "--disable-pip-version-check"];
        at.run(&arguments(&[&start, &options, upgrade, &[&wanted]])).map(drop)
    }

    fn remove(
        &self,
        at: &ManagerContext<'_>,
        _: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<(), KindError> {
        let options = ["uninstall", "-y", "-q", "--disable-pip-version-check"];
        at.run(&arguments(&[&options, &[&found.name]])).map(drop)
    }
}

impl Pip {
    /// The requirement for a version or a range: the best available version.
    fn exactly(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        wanted: &str,
    ) -> Result<String, KindError> {
        let Some(range) = Range::parse(wanted, Order::Python).filter(Range::is_open) else {
            return Ok(format!("=={wanted}"));
        };
        let mut known = known(at, request)?;
        known.retain(|version| range.contains(version));
        Ok(match known.pop() {
            Some(best) => format!("=={best}"),
            // Then pip reports the error.
            None => wanted.split_whitespace().collect::<Vec<_>>().join(","),
        })
    }
}

/// A normalized name: see PEP 503.
fn normalized(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// Whether a source is a repository, where versions are revisions.
fn is_repository(source: &str) -> bool {
    source.split_once("://").is_some_and(|(scheme, _)| scheme.contains('+'))
}

fn from_source(request: &PackageRequest, source: &str, ensure: &Ensure) -> String {
    let revision = match ensure {
        Ensure::Version(version) if is_repository(source) => format!("@{version}"),
        _ => String::new(),
    };
    // A path takes no fragment.
    let name =
        if source.contains("://") { format!("#egg={}", request.name) } else { String::new() };
    format!("{source}{revision}{name}")
}

/// The versions that pip knows, in their order.
fn known(at: &ManagerContext<'_>, request: &PackageRequest) -> Result<Vec<String>, KindError> {
    let name = format!("{}{IMPOSSIBLE}", request.name);
    let options = texts(&request.install_options);
    let start = ["install", "--disable-pip-version-check", &name];
    let output = at.ask(&arguments(&[&start, &options]))?;
    let text = format!("{}\n{}", output.stdout_text(), String::from_utf8_lossy(&output.stderr));
    let listed = text.split_once("(from versions: ").and_then(|(_, rest)| rest.split_once(')'));
    let listed = listed.map_or("none", |(versions, _)| versions);
    let mut versions: Vec<String> =
        listed.split(", ").filter(|v| *v != "none").map(str::to_string).collect();
    versions.sort_by(|a, b| Order::Python.compare(a, b));
    Ok(versions)
}
