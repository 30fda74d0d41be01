//! `mysql_plugin`: a plugin of the server.

use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, databases};

use super::{INTERVAL, client, required};
use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;

/// The kind `mysql_plugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MysqlPlugin;

impl Kind for MysqlPlugin {
    fn schema(&self) -> &KindSchema {
        &databases::MYSQL_PLUGIN
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["mysql"], &[]);
        let name = p.name();
        let present = p.choice("ensure") != Some("absent");
        let library = p.text("soname");
        p.finish(Box::new(Plugin { name, present, library }) as Box<dyn Instance>)
    }
}

struct Plugin {
    name: String,
    present: bool,
    /// The file of its library.
    library: Option<String>,
}

impl Plugin {
    /// The library of the plugin, if it is installed; a built-in plugin has none.
    fn now(&self, host: &Host) -> Result<Option<String>, KindError> {
        let sql = format!(
            "SELECT COALESCE(PLUGIN_LIBRARY, '') FROM information_schema.PLUGINS \
             WHERE PLUGIN_NAME = {} AND PLUGIN_STATUS <> 'NOT INSTALLED'",
            client::literal(&self.name)
        );
        let rows = client::query(host, &sql)?;
        Ok(rows.into_iter().next().and_then(|row| row.into_iter().next()))
    }
}

impl Instance for Plugin {
    fn autorequires(&self) -> Vec<ResourceRef> {
        required(false)
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        let now = if client::exists(host) { self.now(host)? } else { None };
        if let Some(now) = to.ensure(now, self.present)
            && let Some(wanted) = self.library.as_ref().filter(|wanted| **wanted != now)
        {
            to.property("soname", Value::str(now.as_str()), Value::str(wanted.as_str()));
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let name = client::identifier(&self.name);
        let uninstall = format!("UNINSTALL PLUGIN {name}");
        let library = self.library.clone().unwrap_or_else(|| format!("{}.so", self.name));
        let install = format!("INSTALL PLUGIN {name} SONAME {}", client::literal(&library));
        let statements = match (changes(made, "ensure"), self.present) {
            (true, true) => vec![install],
            (true, false) => vec![uninstall],
            // Another library means another plugin.
            (false, _) if changes(made, "soname") => vec![uninstall, install],
            (false, _) => Vec::new(),
        };
        client::execute(host, &statements, false)
    }
}
