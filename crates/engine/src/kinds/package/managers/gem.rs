//! gem of Ruby.

use ordain_functions::version::compare_gem;

use super::model::{
    Features, InstalledPackage, Manager, ManagerContext, PackageList, PackageRequest, arguments,
    texts,
};
use crate::kind::KindError;
use crate::kinds::package::model::Ensure;
use crate::system::runner::Outcome;

pub(super) struct Gem;

impl Manager for Gem {
    fn name(&self) -> &'static str {
        "gem"
    }

    fn tools(&self) -> &'static [&'static str] {
        &["gem"]
    }

    fn features(&self) -> Features {
        Features { versions: true, uninstall_options: true, command: true, ..Features::default() }
    }

    fn list(&self, at: &ManagerContext<'_>) -> Result<PackageList, KindError> {
        let output = at.run(&["list", "--local"]);
        let output = output.map_err(|e| KindError::new(format!("Could not list gems: {e}")))?;
        let mut all = PackageList::default();
        for (name, versions) in output.stdout_text().lines().filter_map(split) {
            for version in versions {
                all.add(name, name, version);
            }
        }
        Ok(all)
    }

    fn fits(
        &self,
        _: &ManagerContext<'_>,
        _: &PackageRequest,
        wanted: &str,
        found: &InstalledPackage,
    ) -> Result<bool, KindError> {
        let requirements = requirements(wanted);
        let fits = |version: &String| requirements.iter().all(|r| meets(version, r));
        Ok(found.versions.iter().any(fits))
    }

    fn latest(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        _: &InstalledPackage,
    ) -> Result<String, KindError> {
        let missing = || KindError::new(format!("gem knows no version of {}", request.name));
        if let Some(file) = request.source.as_deref().and_then(|s| file_of(s)) {
            // As YAML, with `version:` on a line of its own.
            let output = at.run(&["specification", file, "version"])?.stdout_text();
            let version = output.lines().find_map(|l| l.trim().strip_prefix("version:"));
            return version.map(|v| v.trim().trim_matches(['\'', '"']).into()).ok_or_else(missing);
        }
        let pattern = format!("\\A{}\\z", request.name);
        let source: Vec<&str> = request.source.iter().flat_map(|s| ["--source", s]).collect();
        let output =
            at.run(&arguments(&[&["list", "--remote"], &source, &[&pattern]]))?.stdout_text();
        let found = output.lines().filter_map(split).find(|(name, _)| *name == request.name);
        found.and_then(|(_, v)| Some(v.first()?.to_string())).ok_or_else(missing)
    }

    fn install(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        _: Option<&InstalledPackage>,
    ) -> Result<(), KindError> {
        let version = match &request.ensure {
            Ensure::Version(wanted) => vec!["-v".to_string(), requirements(wanted).join(", ")],
            _ => Vec::new(),
        };
        let what = match request.source.as_deref() {
            None => vec![request.name.as_str()],
            Some(source) if source.starts_with("puppet://") => {
                return Err(KindError::new("puppet:// URLs are not supported as gem sources"));
            }
            Some(source) => match file_of(source) {
                Some(file) => vec![file],
                None => vec!["--source", source, &request.name],
            },
        };
        let options = texts(&request.install_options);
        let version = texts(&version);
        let command = arguments(&[&["install"], &options, &version, &["--no-document"], &what]);
        succeed(at, &command, at.run(&command)?)
    }

    fn remove(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<(), KindError> {
        let options = texts(&request.uninstall_options);
        let start = ["uninstall", "--executables", "--all", &found.name];
        let command = arguments(&[&start, &options]);
        succeed(at, &command, at.run(&command)?)
    }
}

/// Some versions of gem fail with success.
fn succeed(at: &ManagerContext<'_>, command: &[&str], output: Outcome) -> Result<(), KindError> {
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("ERROR") || output.stdout_text().contains("ERROR") {
        return Err(at.fail(command, output));
    }
    Ok(())
}

/// The path of a source that is a file instead of a repository.
fn file_of(source: &str) -> Option<&str> {
    match source.split_once("://") {
        None => Some(source),
        Some(("file", path)) if path.ends_with(".gem") => Some(path),
        Some(_) => None,
    }
}

/// A line `name (2.0, default: 1.0 ruby java)`.
fn split<'l>(line: &'l str) -> Option<(&'l str, Vec<&'l str>)> {
    let (name, versions) = line.split_once(" (")?;
    let versions = versions.trim_end().strip_suffix(')')?;
    let plain = |v: &'l str| v.strip_prefix("default: ").unwrap_or(v).split_whitespace().next();
    let versions = versions.split(',').filter_map(|v| plain(v.trim()));
    Some((name.trim(), versions.collect()))
}

/// Requirements, separated by commas as gem has it, or by spaces.
fn requirements(wanted: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut operator = String::new();
    for word in wanted.split([',', ' ']).filter(|word| !word.is_empty()) {
        if word.chars().all(|c| "<>=!~".contains(c)) {
            operator = format!("{word} ");
        } else {
            out.push(format!("{operator}{word}"));
            operator.clear();
        }
    }
    out
}

/// Whether a version meets one requirement.
fn meets(version: &str, requirement: &str) -> bool {
    let end = requirement.find(|c| !"<>=!~".contains(c)).unwrap_or(requirement.len());
    let (operator, bound) = requirement.split_at(end);
    let bound = bound.trim();
    let order = compare_gem(version, bound);
    match operator {
        "" | "=" => order.is_eq(),
        "!=" => order.is_ne(),
        ">" => order.is_gt(),
        "<" => order.is_lt(),
        ">=" => order.is_ge(),
        "<=" => order.is_le(),
        "~>" => order.is_ge() && compare_gem(&release(version), &bump(bound)).is_lt(),
        _ => false,
    }
}

/// A version without its pre-release part.
fn release(version: &str) -> String {
    let is_number = |s: &&str| s.bytes().all(|b| b.is_ascii_digit());
    version.split(['.', '-']).take_while(is_number).collect::<Vec<_>>().join(".")
}

/// The first version that is too new for `~>`: without its last number, and the one before
/// incremented.
fn bump(version: &str) -> String {
    let release = release(version);
    let mut numbers: Vec<&str> = release.split('.').collect();
    if numbers.len() > 1 {
        numbers.pop();
    }
    let last = numbers.pop().and_then(|n| n.parse::<u64>().ok()).unwrap_or_default();
    let raised = last.saturating_add(1).to_string();
    numbers.into_iter().chain([raised.as_str()]).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        assert_eq!(split("a (1.0)"), Some(("a", vec!["1.0"])));
        let several = "json (2.7.1, default: 2.6.1, 1.0 ruby java)";
        assert_eq!(split(several), Some(("json", vec!["2.7.1", "2.6.1", "1.0"])));
        assert_eq!(split("*** LOCAL GEMS ***"), None);
    }

    #[test]
    fn requirements_are_met() {
        for (version, wanted) in [
            ("1.0", "1.0.0"),
            ("1.5", ">=1.0 <2.0"),
            ("1.5", ">= 1.0, < 2.0"),
            ("1.2.9", "~> 1.2.0"),
            ("1.9", "~>1.2"),
            ("2.0", "!= 1.0"),
        ] {
            assert!(requirements(wanted).iter().all(|r| meets(version, r)), "{version} {wanted}");
        }
        for (version, wanted) in [
            ("1.0", "1.1"),
            ("2.0", ">=1.0 <2.0"),
            ("1.3", "~> 1.2.0"),
            ("2.0.rc1", "~>1.2"),
            ("1.0", "x y"),
        ] {
            assert!(!requirements(wanted).iter().all(|r| meets(version, r)), "{version} {wanted}");
        }
    }
}
