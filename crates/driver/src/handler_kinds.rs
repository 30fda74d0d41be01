//! Kinds of resources that handlers of Inmanta's modules deploy, for graphs that are planned or
//! applied.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ordain_engine::kinds::external::KindDescription;
use ordain_inmanta::python::Deployment;
use ordain_plugins::{Language, ProviderProgram};
use ordain_providers::{ProcessProvider, ProviderError, ProviderSettings};
use ordain_source::TouchedPaths;

use crate::module_kinds::library_files;
use crate::options::Options;

/// Seconds for one resource in the provider process, unless a request allows more.
const SECONDS: u32 = 60;
/// Bytes of memory of the provider process.
const MEMORY: u64 = 2 << 30;
/// The file with the parameters and facts of resources, below the state directory.
const PARAMETERS: &str = "inmanta/parameters.json";

/// Kinds of a graph that handlers of modules deploy.
#[derive(Clone, Debug)]
pub(crate) struct HandlerKinds {
    deployment: Deployment,
    /// The Python files of the modules, with the times of their last changes.
    libraries: BTreeMap<PathBuf, (SystemTime, u64)>,
}

impl HandlerKinds {
    /// The kinds of a compiled model. The compile depends on the code of their handlers.
    pub(crate) fn new(deployment: Deployment, touched: &TouchedPaths) -> Self {
        let libraries = library_files(deployment.directories.iter().cloned(), "py", touched);
        Self { deployment, libraries }
    }

    /// The description of their process.
    pub(crate) fn deployment(&self) -> &Deployment {
        &self.deployment
    }

    /// Whether a provider process for the other can serve this, if it has these kinds, too.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let shared = |one: &Self, name: &str| one.deployment.environment.get(name).cloned();
        self.libraries == other.libraries
            && self.deployment.interpreters == other.deployment.interpreters
            && self.deployment.kinds.is_subset(&other.deployment.kinds)
            && ["modules", "modulepath", "agent"]
                .iter()
                .all(|name| shared(self, name) == shared(other, name))
    }

    /// The members of the first request.
    pub(crate) fn environment(
        &self,
        options: &Options,
    ) -> serde_json::Map<String, serde_json::Value> {
        let mut environment = self.deployment.environment.clone();
        environment.insert("noop".into(), options.is_noop.into());
        let state = options.state_dir.as_deref();
        let state = state.map(|dir| std::path::absolute(dir).unwrap_or_else(|_| dir.into()));
        let state = state.map(|dir| dir.display().to_string());
        environment.insert("statedir".into(), state.into());
        environment
    }

    pub(crate) fn provider(&self, options: &Options) -> ProcessProvider {
        let chosen = std::env::var(Language::Python.variable()).ok();
        let own = self.deployment.interpreters.iter().map(|path| path.display().to_string());
        let interpreters = Language::Python.interpreters(chosen, &own.collect::<Vec<_>>());
        ProcessProvider::new(ProviderSettings {
            program: ProviderProgram::python(SECONDS, MEMORY),
            interpreters,
            environment: self.environment(options),
            is_read_only: false,
        })
    }

    /// The kinds as the provider process describes them. Kinds that cannot be used have the reason.
    pub(crate) fn descriptions(
        &self,
        provider: &ProcessProvider,
        options: &Options,
    ) -> Vec<KindDescription> {
        let names: Vec<String> = self.deployment.kinds.iter().cloned().collect();
        let unusable = |name: &String, why: &str, help: Option<&str>| {
            let text = format!("handlers in Python deploy {name}, and {why}");
            KindDescription::unusable(name, text, help)
        };
        let failed =
            |name: &String, error: &ProviderError| unusable(name, &error.to_string(), error.help());
        if options.machine.as_deref().is_some_and(|root| root != Path::new("/")) {
            let why = "they act on the running system, not on a directory";
            return names.iter().map(|name| unusable(name, why, None)).collect();
        }
        match provider.kinds(&names) {
            Ok(found) => names
                .iter()
                .zip(found)
                .map(|(name, found)| {
                    found.unwrap_or_else(|| unusable(name, "no module has a class for it", None))
                })
                .collect(),
            Err(error) => names.iter().map(|name| failed(name, &error)).collect(),
        }
    }
}

/// The file with the parameters and facts that handlers have set, if the state directory is known.
pub(crate) fn parameters_file(options: &Options) -> Option<PathBuf> {
    options.state_dir.as_deref().map(|dir: &Path| dir.join(PARAMETERS))
}
