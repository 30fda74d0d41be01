//! npm of Node.js; only what is installed for the whole machine.

use ordain_functions::version::{Range, Version};
use serde_json::Value as Json;

use super::{At, Features, Found, Installed, Manager, Wish, arguments, texts};
use crate::kind::KindError;
use crate::kinds::package::Ensure;

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

    fn list(&self, at: &At<'_>) -> Result<Installed, KindError> {
        let command = ["list", "--json", "--global", "--depth=0"];
        // Trouble with one package makes it fail, but it lists all the same.
        let said = at.ask(&command)?;
        let text = said.stdout_text();
        let text = text.find('{').map_or("", |start| &text[start..]);
        let Ok(json) = serde_json::from_str::<Json>(text) else {
            return Err(at.fail(&command, said));
        };
        let mut all = Installed::default();
        for (name, package) in json["dependencies"].as_object().into_iter().flatten() {
            // What is only needed has no version.
            if let Some(version) = package["version"].as_str() {
                all.add(name, name, version);
            }
        }
        Ok(all)
    }

    fn fits(
        &self,
        at: &At<'_>,
        wish: &Wish,
        wanted: &str,
        found: &Found,
    ) -> Result<bool, KindError> {
        if found.versions.iter().any(|version| version == wanted) {
            return Ok(true);
        }
        let versions = || found.versions.iter().filter_map(|v| v.parse::<Version>().ok());
        if let Ok(range) = wanted.parse::<Range>() {
            return Ok(versions().any(|version| range.includes(&version)));
        }
        // Neither a version nor a range is a tag.
        Ok(found.versions.contains(&self.view(at, wish, wanted)?))
    }

    fn latest(&self, at: &At<'_>, wish: &Wish, _: &Found) -> Result<String, KindError> {
        self.view(at, wish, "latest")
    }

    fn install(&self, at: &At<'_>, wish: &Wish, _: Option<&Found>) -> Result<(), KindError> {
        let wanted = match (&wish.ensure, &wish.source) {
            (_, Some(source)) => source.clone(),
            (Ensure::Version(version), None) => format!("{}@{version}", wish.name),
            (Ensure::Latest, None) => format!("{}@latest", wish.name),
            _ => wish.name.clone(),
        };
        let options = texts(&wish.install_options);
        at.run(&arguments(&[&["install", "--global"], &options, &[&wanted]])).map(drop)
    }

    fn remove(&self, at: &At<'_>, wish: &Wish, found: &Found) -> Result<(), KindError> {
        let options = texts(&wish.uninstall_options);
        at.run(&arguments(&[&["uninstall", "--global"], &options, &[&found.name]])).map(drop)
    }
}

impl Npm {
    /// The version that a tag stands for; of a source, the one that it has.
    fn view(&self, at: &At<'_>, wish: &Wish, tag: &str) -> Result<String, KindError> {
        let package = match &wish.source {
            Some(source) => source.clone(),
            None => format!("{}@{tag}", wish.name),
        };
        let said = at.run(&["view", &package, "version"])?.stdout_text();
        let version = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
        version
            .map(str::to_string)
            .ok_or_else(|| KindError::new(format!("npm knows no version of {package}")))
    }
}
