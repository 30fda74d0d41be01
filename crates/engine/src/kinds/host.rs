//! `host`: an entry of `/etc/hosts`.

use std::net::Ipv6Addr;
use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, machine};

use crate::kind::differences::{Differences, texts};
use crate::kind::params::Params;
use crate::kind::report::quoted;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::records::{Record, RecordFiles, Table};
use crate::system::host::Host as Machine;
use crate::system::watch::Watch;

/// The file of entries.
const HOSTS: &str = "/etc/hosts";

/// The kind `host`.
#[derive(Default)]
pub struct Host {
    files: Arc<RecordFiles<Line>>,
}

/// The desired state.
struct HostEntry {
    table: Table<Line>,
    name: String,
    present: bool,
    ip: Option<String>,
    aliases: Option<Vec<String>>,
    comment: Option<String>,
    secrets: Vec<String>,
}

/// A line of the file that is an entry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Line {
    ip: String,
    name: String,
    aliases: Vec<String>,
    comment: String,
}

impl Kind for Host {
    fn schema(&self) -> &KindSchema {
        &machine::HOST
    }

    fn parse(&self, resource: &Resource, _context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["parsed"], &[]);
        let name = p.name();
        check_name(&mut p, &name);
        let present = p.choice("ensure") != Some("absent");
        let ip = p.text("ip");
        if let Some(ip) = &ip
            && !is_address(ip)
        {
            p.error("ip", format!("Invalid IP address {ip:?}"));
        }
        let aliases = p.list("host_aliases");
        check_aliases(&mut p, aliases.as_deref().unwrap_or_default());
        let comment = p.text("comment");
        if comment.as_ref().is_some_and(|c| c.contains(['\n', '\r'])) {
            p.error("comment", "Comment cannot include newline");
        }
        let table = Table::of(&mut p, &self.files, HOSTS);
        let secrets = p.secrets();
        let entry = HostEntry { table, name, present, ip, aliases, comment, secrets };
        p.finish(Box::new(entry) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Machine) -> Result<Vec<Resource>, KindError> {
        self.files.unwanted(host, HOSTS, "Host")
    }

    fn instance_watches(&self, _: &Machine) -> Vec<Watch> {
        vec![Watch::Path(HOSTS.into())]
    }
}

fn check_name(p: &mut Params<'_>, name: &str) {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let is_part = |part: &str| {
        part.chars().all(|c| word(c) || c == '-') && part.starts_with(word) && part.ends_with(word)
    };
    if name.is_empty() || !name.split('.').all(is_part) {
        p.error("name", "Invalid host name");
    }
}

fn check_aliases(p: &mut Params<'_>, aliases: &[String]) {
    if aliases.iter().any(|a| a.is_empty()) {
        let hint = "Use an empty array to delete all host_aliases";
        p.error("host_aliases", format!("Host aliases cannot be an empty string. {hint}"));
    } else if aliases.iter().any(|a| a.contains(char::is_whitespace)) {
        p.error("host_aliases", "Host aliases cannot include whitespace");
    }
}

/// An IPv4 address (parts may have leading zeros) or an IPv6 address, possibly with a zone.
fn is_address(text: &str) -> bool {
    let is_part = |part: &str| {
        (1..=3).contains(&part.len())
            && part.bytes().all(|b| b.is_ascii_digit())
            && part.parse::<u16>().is_ok_and(|n| n <= 255)
    };
    let v4 = text.split('.').count() == 4 && text.split('.').all(is_part);
    let (address, zone) = text.split_once('%').unwrap_or((text, "x"));
    v4 || (address.parse::<Ipv6Addr>().is_ok()
        && !zone.is_empty()
        && !zone.contains(char::is_whitespace))
}

impl Record for Line {
    fn parse(line: &str) -> Option<(String, Self)> {
        let (fields, comment) = line.split_once('#').unwrap_or((line, ""));
        if !fields.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'a'..='f' | ':')) {
            return None;
        }
        let mut words = fields.split_whitespace();
        let (ip, name) = (words.next()?.to_string(), words.next()?.to_string());
        let aliases = words.map(str::to_string).collect();
        let comment = comment.trim().to_string();
        Some((name.clone(), Self { ip, name, aliases, comment }))
    }

    fn print(&self) -> String {
        let mut line = format!("{}\t{}", self.ip, self.name);
        if !self.aliases.is_empty() {
            line.push('\t');
            line.push_str(&self.aliases.join(" "));
        }
        if !self.comment.is_empty() {
            line.push_str("\t# ");
            line.push_str(&self.comment);
        }
        line
    }
}

impl HostEntry {
    /// The desired entry, given the current one.
    fn desired(&self, now: &Line) -> Line {
        Line {
            ip: self.ip.clone().unwrap_or_else(|| now.ip.clone()),
            name: self.name.clone(),
            aliases: self.aliases.clone().unwrap_or_else(|| now.aliases.clone()),
            comment: self.comment.clone().unwrap_or_else(|| now.comment.clone()),
        }
    }

    fn compare_present(&self, now: &Line) -> Vec<Change> {
        let mut differences = Differences::new(&self.secrets);
        if let Some(ip) = self.ip.as_ref().filter(|ip| **ip != now.ip) {
            differences.property("ip", Value::str(now.ip.as_str()), Value::str(ip.as_str()));
        }
        if let Some(aliases) = self.aliases.as_ref().filter(|a| **a != now.aliases) {
            let (before, after) = (now.aliases.join(" "), Value::str(aliases.join(" ")));
            let message = format!("host_aliases changed {before} to {}", quoted(&after));
            differences.property_as("host_aliases", texts(&now.aliases), texts(aliases), message);
        }
        if let Some(comment) = self.comment.as_ref().filter(|c| **c != now.comment) {
            let before = Value::str(now.comment.as_str());
            differences.property("comment", before, Value::str(comment.as_str()));
        }
        differences.finish()
    }
}

impl Instance for HostEntry {
    fn watches(&self, _: &Machine) -> Vec<Watch> {
        self.table.watches()
    }

    fn compare(&self, host: &Machine) -> Result<Vec<Change>, KindError> {
        let file = self.table.read(host)?;
        let found = file.get(&self.name);
        let mut differences = Differences::new(&self.secrets);
        match (found, self.present) {
            (Some(now), true) => return Ok(self.compare_present(now)),
            (None, false) => {}
            (None, true) if self.ip.is_none() => {
                return Err(KindError::new("ip is a required attribute for hosts"));
            }
            (None, true) => differences.create("absent", Value::str("present")),
            (Some(_), false) => differences.remove(Value::str("present"), "absent", "removed"),
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Machine, _changes: &[Change]) -> Result<(), KindError> {
        self.table.change(host, &self.name, |now| {
            self.present.then(|| self.desired(now.unwrap_or(&Line::default())))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn addresses() {
        for good in ["1.2.3.4", "010.0.0.1", "::1", "fe80::1%eth0", "::ffff:1.2.3.4", "a:b::"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["", "1.2.3", "1.2.3.256", "1.2.3.4\n", "1:2", "fe80::1%", "x", "1.2.3.4.5"] {
            assert!(!is_address(bad), "{bad}");
        }
    }

    #[test]
    fn lines_are_parsed_and_printed() {
        let (name, line) = Line::parse("10.0.0.1  a   b c # two words ").unwrap();
        assert_eq!(name, "a");
        assert_eq!(line.print(), "10.0.0.1\ta\tb c\t# two words");
        assert_eq!(Line::parse("# 10.0.0.1 a"), None);
        assert_eq!(Line::parse("10.0.0.1"), None);
        assert_eq!(Line::parse(""), None);
    }
}
