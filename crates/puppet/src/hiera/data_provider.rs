//! The data provider of a module or an environment, the setting before version 5 of `hiera.yaml`:
//! `data_provider` in a module's `metadata.json`, and `environment_data_provider` in
//! `environment.conf`.

use std::path::Path;
use std::sync::Arc;

use super::config::{Config, Owner};
use super::lookup::Lookup;
use crate::error::{EvalResult, plain};
use crate::hiera::files::ENVIRONMENT_SETTING;
use ordain_graph::language::Strict;

impl Lookup<'_, '_> {
    /// The configuration of a layer, after its data provider has changed that of its `hiera.yaml`
    /// (`lookup_adapter.rb`, `initialize_module_provider` and `initialize_env_provider`).
    ///
    /// # Errors
    /// If there is no such data provider.
    pub(super) fn configured(
        &mut self,
        owner: &Owner,
        config: Option<Arc<Config>>,
    ) -> EvalResult<Option<Arc<Config>>> {
        let Some(path) = self.settings_path(owner) else { return Ok(config) };
        let Some(root) = path.parent() else { return Ok(config) };
        let env = self.c.env;
        let Some(name) = env.hiera.data_provider(env.world.as_ref(), &path) else {
            return Ok(config);
        };
        self.warn_of_provider(owner, &path, &name, config.as_deref());
        match &*name {
            _ if config.as_ref().is_some_and(|config| config.version >= 5) => Ok(config),
            "none" => Ok(None),
            "hiera" => Ok(config.or_else(|| Some(Arc::new(Config::without_file(root))))),
            "function" => {
                let function = match owner {
                    Owner::Module(module) => format!("{module}::data"),
                    _ => "environment::data".to_owned(),
                };
                self.warn_deprecated(
                    "legacy_provider_function",
                    format!(
                        "Using of legacy data provider function '{function}'. Please convert to a \
                         'data_hash' function"
                    ),
                    None,
                );
                Ok(Some(Arc::new(Config::of_function(root, &function))))
            }
            _ => {
                let layer =
                    if matches!(owner, Owner::Module(_)) { "module" } else { "environment" };
                plain(format!(
                    "Environment '{}', cannot find {layer}_data_provider '{name}'",
                    env.name
                ))
            }
        }
    }

    /// Warns that the setting is deprecated, and whether it has an effect.
    fn warn_of_provider(
        &mut self,
        owner: &Owner,
        path: &Path,
        name: &str,
        config: Option<&Config>,
    ) {
        let is_ignored = config.is_some_and(|config| config.version >= 5);
        let instead = match config {
            None => " A 'hiera.yaml' file should be used instead",
            Some(_) => "",
        };
        if let Owner::Module(module) = owner {
            let mut text =
                format!("Defining \"data_provider\": \"{name}\" in metadata.json is deprecated.");
            text.push_str(match is_ignored {
                true => " It is ignored since a 'hiera.yaml' with version >= 5 is present",
                false => instead,
            });
            let what = format!("metadata.json#data_provider-{module}");
            return self.warn_deprecated(&what, text, Some(path));
        }
        let mut text =
            format!("Defining {ENVIRONMENT_SETTING}='{name}' in environment.conf is deprecated");
        if !is_ignored {
            text = format!("{text}.{instead}");
        }
        self.warn_deprecated("environment.conf#data_provider", text, Some(path));
        if let (true, Some(file), true) = (is_ignored, self.config_path(owner), name != "hiera") {
            let file = file.display();
            let text = format!(
                "The {ENVIRONMENT_SETTING}='{name}' setting is ignored since '{file}' version >= 5"
            );
            self.warn_deprecated("environment.conf#data_provider_overridden", text, Some(path));
        }
    }

    /// Warns once of a deprecation, unless warnings are off.
    fn warn_deprecated(&mut self, what: &str, mut text: String, file: Option<&Path>) {
        if self.c.settings.strict == Strict::Off {
            return;
        }
        match file {
            Some(file) => text.push_str(&format!("\n   (file: {})", file.display())),
            None => text.push_str("\n   (file & line not available)"),
        }
        self.warn_once(what, text);
    }
}
