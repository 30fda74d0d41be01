//! `mgmt::hostname`: the static, the transient and the pretty name of the machine.

use std::path::Path;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, machine};

use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::tools::{POLL_INTERVAL, is_live, path_of};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::file_cache::read_text;
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::{Owner, rewrite};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hostname;

const STATIC: &str = "/etc/hostname";
const INFO: &str = "/etc/machine-info";
const LIVE: &str = "/proc/sys/kernel/hostname";
/// The line of `/etc/machine-info` with the pretty name.
const PRETTY: &str = "PRETTY_HOSTNAME=";

impl Kind for Hostname {
    fn schema(&self) -> &KindSchema {
        &machine::MGMT_HOSTNAME
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let name = p.name();
        let all = p.text("hostname").filter(|name| !name.is_empty()).unwrap_or(name);
        let mut of = |name: &str| {
            let text = p.text(name).unwrap_or_else(|| all.clone());
            if text.contains(char::is_control) {
                p.error(name, format!("{name} must be one line"));
            }
            Some(text).filter(|text| !text.is_empty())
        };
        let names = HostNames {
            pretty: of("pretty_hostname"),
            fixed: of("static_hostname"),
            transient: of("transient_hostname"),
        };
        for (attribute, name) in
            [("static_hostname", &names.fixed), ("transient_hostname", &names.transient)]
        {
            if name.as_ref().is_some_and(|name| !is_name(name)) {
                p.error(attribute, "a name of a machine has letters, digits, dashes and dots");
            }
        }
        p.finish(Box::new(names) as Box<dyn Instance>)
    }
}

fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.len() <= 64 && !name.starts_with('-') && name.bytes().all(allowed)
}

struct HostNames {
    pretty: Option<String>,
    fixed: Option<String>,
    transient: Option<String>,
}

fn read(host: &Host, path: &str) -> Result<String, KindError> {
    let text = read_text(&host.path(Path::new(path)))
        .map_err(|e| KindError::new(format!("Could not read {path}: {e}")))?;
    Ok(text.unwrap_or_default())
}

fn write(host: &Host, path: &str, text: &str) -> Result<(), KindError> {
    rewrite(host, Path::new(path), text.as_bytes(), Owner { mode: 0o644, ids: None })
        .map_err(|e| KindError::new(format!("Could not write {path}: {e}")))
}

/// The first line that is no comment.
fn fixed_name(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default()
}

/// The name for people, without its quotes.
fn pretty_name(info: &str) -> String {
    let Some(value) = info.lines().rev().find_map(|line| line.strip_prefix(PRETTY)) else {
        return String::new();
    };
    let value = value.trim();
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let mut out = String::new();
    let mut escaped = false;
    for letter in inner.unwrap_or(value.trim_matches('\'')).chars() {
        if letter == '\\' && !escaped {
            escaped = true;
        } else {
            escaped = false;
            out.push(letter);
        }
    }
    out
}

/// The content of `/etc/machine-info` with another pretty name.
fn with_pretty_name(info: &str, name: &str) -> String {
    let mut out = String::new();
    for line in info.lines().filter(|line| !line.starts_with(PRETTY)) {
        out.extend([line, "\n"]);
    }
    out.extend([PRETTY, "\""]);
    for letter in name.chars() {
        if "\"\\$`".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push_str("\"\n");
    out
}

impl Instance for HostNames {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        let paths = [(&self.fixed, STATIC), (&self.pretty, INFO)].into_iter();
        paths.filter(|(name, _)| name.is_some()).map(|(_, path)| Watch::Path(path.into())).collect()
    }

    fn poll_interval(&self, host: &Host) -> Option<Duration> {
        (self.transient.is_some() && is_live(host)).then_some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut differences = Differences::new(&[]);
        let mut differ = |property: &str, now: &str, wanted: &str| {
            if now != wanted {
                let now = if now.is_empty() { Value::Null } else { Value::str(now) };
                differences.property(property, now, Value::str(wanted));
            }
        };
        if let Some(wanted) = &self.pretty {
            differ("pretty_hostname", &pretty_name(&read(host, INFO)?), wanted);
        }
        if let Some(wanted) = &self.fixed {
            differ("static_hostname", fixed_name(&read(host, STATIC)?), wanted);
        }
        // A directory that stands for a machine has no transient name.
        if let Some(wanted) = self.transient.as_ref().filter(|_| is_live(host)) {
            differ("transient_hostname", read(host, LIVE)?.trim_end(), wanted);
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, todo: &[Change]) -> Result<(), KindError> {
        let of = |name: &'static str, wanted| changes(todo, name).then_some(wanted).flatten();
        if let Some(wanted) = of("pretty_hostname", self.pretty.as_deref()) {
            write(host, INFO, &with_pretty_name(&read(host, INFO)?, wanted))?;
        }
        if let Some(wanted) = of("static_hostname", self.fixed.as_deref()) {
            write(host, STATIC, &format!("{wanted}\n"))?;
        }
        if let Some(wanted) = of("transient_hostname", self.transient.as_deref()) {
            let command = crate::kind::tools::command([path_of("hostname").as_str(), wanted]);
            crate::kind::tools::run(host, &command)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_people_may_hold_anything() {
        let info = with_pretty_name("CHASSIS=vm\nPRETTY_HOSTNAME=old\n", "Tom's \"$HOME\" \\ box");
        assert!(info.starts_with("CHASSIS=vm\nPRETTY_HOSTNAME=\"Tom's \\\"\\$HOME"));
        assert_eq!(pretty_name(&info), "Tom's \"$HOME\" \\ box");
        assert_eq!(pretty_name("PRETTY_HOSTNAME=plain\n"), "plain");
        assert_eq!(pretty_name("PRETTY_HOSTNAME='two words'\n"), "two words");
        assert_eq!(fixed_name("# a comment\n\nh1\n"), "h1");
    }
}
