//! `selboolean` and `selmodule`: booleans and modules of the SELinux policy.

mod module;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, machine};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::tools::{POLL_INTERVAL, inside, run};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;
pub use module::Selmodule;

/// The kind `selboolean`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selboolean;

impl Kind for Selboolean {
    fn schema(&self) -> &KindSchema {
        &machine::SELBOOLEAN
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["getsetsebool"], &[]);
        let value = p.choice("value");
        let setting = Setting {
            name: name(&mut p),
            value: value.map(|word| if matches!(word, "on" | "true") { "on" } else { "off" }),
            persistent: p.boolean("persistent"),
        };
        p.finish(Box::new(setting) as Box<dyn Instance>)
    }
}

/// A name that tools cannot mistake for an option.
fn name(p: &mut Params<'_>) -> String {
    let name = p.name();
    if name.is_empty() || name.starts_with('-') || name.contains(char::is_whitespace) {
        p.error("name", format!("'{name}' is not a valid SELinux name"));
    }
    name
}

struct Setting {
    name: String,
    value: Option<&'static str>,
    persistent: bool,
}

impl Instance for Setting {
    fn poll_interval(&self, _: &Host) -> Option<std::time::Duration> {
        Some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let Some(wanted) = self.value else { return Ok(Vec::new()) };
        let output = run(host, &inside(host, ["/usr/sbin/getsebool", &self.name]))?.stdout_text();
        let now = output.trim().rsplit(' ').next().filter(|word| matches!(*word, "on" | "off"));
        let Some(now) = now else {
            let text = format!("Invalid response '{}' returned from getsebool", output.trim());
            return Err(KindError::new(text));
        };
        let mut differences = Differences::new(&[]);
        if now != wanted {
            differences.property("value", Value::str(now), Value::str(wanted));
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let Some(wanted) = self.value else { return Ok(()) };
        let mut argv = vec!["/usr/sbin/setsebool"];
        argv.extend(self.persistent.then_some("-P"));
        argv.extend([self.name.as_str(), wanted]);
        run(host, &inside(host, argv)).map(drop)
    }
}
