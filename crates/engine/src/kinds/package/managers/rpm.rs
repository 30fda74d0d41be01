//! The database of rpm, which dnf, yum and zypper share.

use std::cmp::Ordering;

use ordain_functions::version::{Evr, compare_rpm};

use super::model::{InstalledPackage, ManagerContext, PackageList, PackageRequest};
use crate::kind::KindError;
use crate::kinds::package::version::{Order, Range};

/// The possible paths of the database on different systems.
pub(in crate::kinds::package) const DATABASE: &[&str] = &[
    "/var/lib/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/Packages.db",
    "/var/lib/rpm/Packages.db",
    "/var/lib/rpm/Packages",
];

/// The methods of `Manager` that read the database, for the implementations of dnf and zypper.
macro_rules! database_methods {
    () => {
        fn database(&self) -> &'static [&'static str] {
            super::rpm::DATABASE
        }

        fn list(
            &self,
            at: &super::model::ManagerContext<'_>,
        ) -> Result<super::model::PackageList, KindError> {
            super::rpm::list(at)
        }

        fn find(
            &self,
            at: &super::model::ManagerContext<'_>,
            all: &super::model::PackageList,
            request: &super::model::PackageRequest,
        ) -> Result<Option<super::model::InstalledPackage>, KindError> {
            super::rpm::find(at, all, request)
        }

        fn fits(
            &self,
            _: &super::model::ManagerContext<'_>,
            request: &super::model::PackageRequest,
            wanted: &str,
            found: &super::model::InstalledPackage,
        ) -> Result<bool, KindError> {
            Ok(super::rpm::any_fits(request, wanted, found))
        }
    };
}
pub(super) use database_methods;

const FORMAT: &str = "%{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n";

/// A line in that format.
struct Line<'a> {
    name: &'a str,
    full: String,
    version: &'a str,
    release: &'a str,
    architecture: &'a str,
}

fn parse(line: &str) -> Option<Line<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, epoch, version, release, architecture] = words[..] else { return None };
    let epoch = if epoch == "0" { String::new() } else { format!("{epoch}:") };
    Some(Line { name, full: format!("{epoch}{version}-{release}"), version, release, architecture })
}

/// All packages, also by name and architecture, and by name and version.
pub(super) fn list(at: &ManagerContext<'_>) -> Result<PackageList, KindError> {
    let rpm = at.beside("rpm")?;
    let output = rpm.run(&["-qa", "--nosignature", "--nodigest", "--qf", FORMAT])?.stdout_text();
    let mut all = PackageList::default();
    for line in output.lines().filter_map(parse) {
        let Line { name, full, version, release, architecture } = &line;
        all.add(name, name, full);
        for key in [
            format!("{name}.{architecture}"),
            format!("{name}-{version}"),
            format!("{name}-{version}-{release}"),
            format!("{name}-{version}-{release}.{architecture}"),
        ] {
            all.add(&key, name, full);
        }
    }
    Ok(all)
}

/// A package of this name, or one that provides it.
pub(super) fn find(
    at: &ManagerContext<'_>,
    all: &PackageList,
    request: &PackageRequest,
) -> Result<Option<InstalledPackage>, KindError> {
    if let Some(found) = all.get(&request.name) {
        return Ok(Some(found.clone()));
    }
    if !request.allow_virtual {
        return Ok(None);
    }
    let rpm = at.beside("rpm")?;
    let quiet = ["--nosignature", "--nodigest", "--qf", FORMAT];
    let output = rpm.ask(&[&["-q", "--whatprovides", &request.name][..], &quiet].concat())?;
    let text = if output.success() { output.stdout_text() } else { String::new() };
    let line = text.lines().find_map(parse);
    Ok(line.map(|l| InstalledPackage { name: l.name.to_string(), versions: vec![l.full] }))
}

/// Whether a version matches the desired one, as far as it is specified, or is in the range.
pub(super) fn fits(wanted: &str, version: &str) -> bool {
    match Range::parse(wanted, Order::Rpm).filter(Range::is_open) {
        Some(range) => range.contains(version),
        None => compare(wanted, version) == Ordering::Equal,
    }
}

/// Whether any version fits. Several side by side fit only if the resource allows them.
pub(super) fn any_fits(request: &PackageRequest, wanted: &str, found: &InstalledPackage) -> bool {
    let versions = &found.versions;
    (versions.len() == 1 || request.install_only) && versions.iter().any(|v| fits(wanted, v))
}

/// Compares the desired with the installed version. An epoch or release is ignored if the desired
/// version has none.
pub(super) fn compare(wanted: &str, version: &str) -> Ordering {
    if Evr::parse(wanted).epoch.is_some() {
        return compare_rpm(wanted, version);
    }
    let bare = version.split_once(':').map_or(version, |(_, rest)| rest);
    compare_rpm(wanted, bare)
}

/// The best of these versions in the desired range; without a range, the desired version.
pub(super) fn best(wanted: &str, known: Vec<String>) -> String {
    let Some(range) = Range::parse(wanted, Order::Rpm).filter(Range::is_open) else {
        return wanted.to_string();
    };
    let inside = known.into_iter().filter(|version| range.contains(version));
    let best = inside.max_by(|a, b| compare_rpm(a, b));
    best.unwrap_or_else(|| wanted.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_exactly_as_they_are_said() {
        for wanted in ["1.0", "1.0-2", "1:1.0", "1:1.0-2", ">=1:0.9", ">1 <1:2"] {
            assert!(fits(wanted, "1:1.0-2"), "{wanted}");
        }
        for wanted in ["1.1", "1.0-1", "2:1.0", "<1.0", ">1:1.0-2"] {
            assert!(!fits(wanted, "1:1.0-2"), "{wanted}");
        }
        let known = || ["1.0-1", "1.5-1", "2.0-1"].map(str::to_string).to_vec();
        assert_eq!(best("<2.0", known()), "1.5-1");
        assert_eq!(best("1.0", known()), "1.0");
        assert_eq!(best(">3", known()), ">3");
    }
}
