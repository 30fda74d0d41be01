//! npm of Node.js; only global packages.

use ordain_functions::version::{Range, Version};
use serde_json::Value as Json;

use super::model::{
    Features, InstalledPackage, Manager, ManagerContext, PackageList, PackageRequest, arguments,
    texts,
};
use crate::kind::KindError;
use crate::kinds::package::model::Ensure;

pub(super) struct Npm;

impl Manager for Npm {
    fn name(&self) -> &'static str {
        "npm"
    }

    fn tools(&self) -> &'static [&'static str] {
        &["npm"]
    }

    fn features(&self) -> Features {
        Features { versions: true, uninstall_options: true, ..Features::default() }
    }

    fn list(&self, at: &ManagerContext<'_>) -> Result<PackageList, KindError> {
        let command = ["list", "--json", "--global", "--depth=0"];
        // A problem with one package makes it fail, but it still lists all.
        let output = at.ask(&command)?;
        let text = output.stdout_text();
        let text = text.find('{').map_or("", |start| &text[start..]);
        let Ok(json) = serde_json::from_str::<Json>(text) else {
            return Err(at.fail(&command, output));
        };
        let mut all = PackageList::default();
        for (name, package) in json["dependencies"].as_object().into_iter().flatten() {
            // A missing dependency has no version.
            if let Some(version) = package["version"].as_str() {
                all.add(name, name, version);
            }
        }
        Ok(all)
    }

    fn fits(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        wanted: &str,
        found: &InstalledPackage,
    ) -> Result<bool, KindError> {
        if found.versions.iter().any(|version| version == wanted) {
            return Ok(true);
        }
        let versions = || found.versions.iter().filter_map(|v| v.parse::<Version>().ok());
        if let Ok(range) = wanted.parse::<Range>() {
            return Ok(versions().any(|version| range.includes(&version)));
        }
        // Neither a version nor a range is a tag.
        Ok(found.versions.contains(&self.view(at, request, wanted)?))
    }

    fn latest(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        _: &InstalledPackage,
    ) -> Result<String, KindError> {
        self.view(at, request, "latest")
    }

    fn install(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        _: Option<&InstalledPackage>,
    ) -> Result<(), KindError> {
        let wanted = match (&request.ensure, &request.source) {
            (_, Some(source)) => source.clone(),
            (Ensure::Version(version), None) => format!("{}@{version}", request.name),
            (Ensure::Latest, None) => format!("{}@latest", request.name),
            _ => request.name.clone(),
        };
        let options = texts(&request.install_options);
        at.run(&arguments(&[&["install", "--global"], &options, &[&wanted]])).map(drop)
    }

    fn remove(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<(), KindError> {
        let options = texts(&request.uninstall_options);
        at.run(&arguments(&[&["uninstall", "--global"], &options, &[&found.name]])).map(drop)
    }
}

impl Npm {
    /// The version that a tag stands for; of a source, its version.
    fn view(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        tag: &str,
    ) -> Result<String, KindError> {
        let package = match &request.source {
            Some(source) => source.clone(),
            None => format!("{}@{tag}", request.name),
        };
        let output = at.run(&["view", &package, "version"])?.stdout_text();
        let version = output.lines().rev().map(str::trim).find(|line| !line.is_empty());
        version
            .map(str::to_string)
            .ok_or_else(|| KindError::new(format!("npm knows no version of {package}")))
    }
}
