//! `firewall` and `firewallchain`: rules and chains of iptables, as the module firewall manages them
//! in its version 8. Rules are found by their comments, which are the names of their resources.

mod chain;
mod options;
mod place;
mod rule;
mod tables;
mod values;
mod write;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{AttributeType, KindSchema, firewall};

pub use chain::Firewallchain;

use self::options::{OPTIONS, Shape};
use self::rule::{Rule, Ruleset, Texts, is_name, is_unmanaged};
use self::tables::{Protocol, Rulesets};
use crate::kind::differences::{Differences, texts};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::kinds::shared::instances::unwanted;
use crate::system::host::Host;

/// The interval of checks.
const INTERVAL: Duration = Duration::from_secs(30);

/// Held while rules are changed: a position depends on the other rules.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The packages whose programs the kinds run.
fn packages() -> impl Iterator<Item = ResourceRef> {
    let names = ["iptables", "iptables-persistent", "iptables-services"];
    names.into_iter().map(|name| ResourceRef { kind: "Package".into(), title: name.into() })
}

/// The kind `firewall`.
#[derive(Clone, Default)]
pub struct Firewall {
    rulesets: Rulesets,
}

impl Kind for Firewall {
    fn schema(&self) -> &KindSchema {
        &firewall::FIREWALL
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let name = p.name();
        let present = p.choice("ensure") != Some("absent");
        let line = p.text("line");
        if line.is_some() && present {
            p.error("line", "line is read only");
        }
        if !is_name(&name, true) && line.is_none() {
            p.error("name", format!("'{name}' is no number with words"));
        }
        if present && is_unmanaged(&name) {
            let text = "Rule name cannot start with 9000-9999, as this range is reserved for \
                        unmanaged rules.";
            p.error("name", text);
        }
        let protocol = p.choice("protocol").and_then(Protocol::of).unwrap_or(Protocol::Ipv4);
        let mut wanted = wanted(&mut p);
        wanted.entry("proto").or_insert_with(|| vec!["tcp".to_string()]);
        wanted.insert("name", vec![name.clone()]);
        write::check(&mut p, &wanted, protocol);
        let managed = ManagedRule {
            table: p.choice("table").unwrap_or("filter").to_string(),
            chain: chain_name(&mut p, "chain").unwrap_or_else(|| "INPUT".to_string()),
            jumps: ["jump", "goto"].iter().filter_map(|name| chain_name(&mut p, name)).collect(),
            name,
            present,
            line,
            protocol,
            wanted,
            rulesets: self.rulesets.clone(),
            log: Mutex::default(),
        };
        p.finish(Box::new(managed) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let mut all = Vec::new();
        for protocol in Protocol::ALL {
            let rules = self.rulesets.get(host, protocol)?;
            all.extend(rules.rules.iter().map(|rule| removal(rule, protocol)));
        }
        Ok(all)
    }

    fn instance_poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(INTERVAL)
    }
}

/// A resource that removes a rule.
fn removal(rule: &Rule, protocol: Protocol) -> Resource {
    let attributes = [
        ("line", Value::str(rule.line.as_str())),
        ("table", Value::str(rule.table.as_str())),
        ("chain", Value::str(rule.chain.as_str())),
        ("protocol", Value::str(protocol.name())),
    ];
    unwanted("Firewall", &rule.name, &attributes)
}

/// The name of a chain, which no program takes for an option.
fn chain_name(p: &mut Params<'_>, attribute: &str) -> Option<String> {
    let name = p.text(attribute)?;
    if name.is_empty() || name.starts_with(['-', '!']) || name.contains(char::is_whitespace) {
        p.error(attribute, format!("'{name}' is no name of a chain"));
    }
    Some(name)
}

/// The declared attributes of the rule.
fn wanted(p: &mut Params<'_>) -> BTreeMap<&'static str, Texts> {
    let mut all = BTreeMap::new();
    for row in OPTIONS.iter().filter(|row| row.name != "name") {
        if !p.has(row.name) {
            continue;
        }
        let texts = match row.shape {
            Shape::Flag | Shape::Module => {
                let value = p.one_of(row.name, &["true", "false"]);
                value.iter().map(|word| (*word).to_string()).collect()
            }
            _ => p.list(row.name).unwrap_or_default(),
        };
        check_words(p, row.name, &texts);
        if texts.iter().any(|text: &String| text.is_empty() || text.contains(char::is_control)) {
            p.error(row.name, format!("{} has an empty text or a control character", row.name));
        }
        all.insert(row.name, texts);
    }
    all
}

/// Refuses words that an attribute does not know. `! ` before a word negates it.
fn check_words(p: &mut Params<'_>, name: &str, texts: &[String]) {
    let schema = firewall::FIREWALL.attribute(name).map(|attribute| attribute.ty);
    let Some(AttributeType::Choice(words)) = schema else { return };
    let plain = |text: &String| text.strip_prefix("! ").unwrap_or(text).to_string();
    if !texts.iter().map(plain).all(|text| words.contains(&text.as_str())) {
        p.one_of(name, words);
    }
}

struct ManagedRule {
    name: String,
    present: bool,
    /// The printed rule, of a rule that is purged.
    line: Option<String>,
    protocol: Protocol,
    table: String,
    chain: String,
    /// The chains that it leads to.
    jumps: Vec<String>,
    wanted: BTreeMap<&'static str, Texts>,
    rulesets: Rulesets,
    log: Mutex<Vec<LogLine>>,
}

impl ManagedRule {
    /// The rule of the machine with this name.
    fn find<'a>(&self, all: &'a Ruleset) -> Result<Option<&'a Rule>, KindError> {
        if let Some(line) = &self.line {
            let is_own = |rule: &&Rule| rule.table == self.table && rule.line == *line;
            return Ok(all.rules.iter().find(is_own));
        }
        let mut own = all.rules.iter().filter(|rule| rule.name == self.name);
        let found = own.next();
        if own.next().is_some() {
            let text = format!("Several rules have the comment '{}'", self.name);
            return Err(KindError::new(text));
        }
        Ok(found)
    }

    fn is_ipv6(&self) -> bool {
        self.protocol == Protocol::Ipv6
    }

    /// The differences of a rule that exists.
    fn differences(&self, host: &Host, rule: &Rule) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        for (name, now, wanted) in
            [("table", &rule.table, &self.table), ("chain", &rule.chain, &self.chain)]
        {
            if now != wanted {
                to.property(name, Value::str(now.as_str()), Value::str(wanted.as_str()));
            }
        }
        for (&name, wanted) in &self.wanted {
            if name == "name" {
                continue;
            }
            let now = observed(rule, name);
            let written = values::written(name, wanted, self.is_ipv6())?;
            let is_unset = wanted.iter().all(|text| text == "false") && now.is_empty();
            let forms = [&now, &written].map(|texts| {
                let texts = values::written(name, texts, self.is_ipv6()).unwrap_or_default();
                values::comparable(host, name, &texts)
            });
            if !is_unset && forms[0] != forms[1] {
                to.property(name, shown(&now), shown(&written));
            }
        }
        Ok(to.finish())
    }

    /// Puts the rule in its chain; replaces `before`, if that is in the same place.
    fn put(&self, host: &Host, all: &Ruleset, before: Option<&Rule>) -> Result<(), KindError> {
        let words = write::words(&self.wanted, self.is_ipv6())?;
        let names = all.names(&self.table, &self.chain);
        let stays = before.is_some_and(|rule| rule.table == self.table && rule.chain == self.chain);
        let replaced = names.iter().position(|name| *name == self.name).filter(|_| stays);
        let (option, position) = match replaced {
            Some(at) => ("-R", at + 1),
            None => ("-I", place::of_new(&names, &self.name)),
        };
        let position = position.to_string();
        let first = [option, self.chain.as_str(), position.as_str()];
        let all: Vec<&str> = first.into_iter().chain(words.iter().map(String::as_str)).collect();
        tables::run(host, self.protocol, &self.table, &all)?;
        match before.filter(|_| !stays) {
            Some(rule) => self.delete(host, rule),
            None => Ok(()),
        }
    }

    fn delete(&self, host: &Host, rule: &Rule) -> Result<(), KindError> {
        let words = rule.words.iter().skip(1).map(String::as_str);
        let words: Vec<&str> = std::iter::once("-D").chain(words).collect();
        tables::run(host, self.protocol, &rule.table, &words)
    }
}

/// The values of an attribute of a rule.
fn observed(rule: &Rule, name: &str) -> Texts {
    let values =
        if name == "set_dscp_class" { rule.values.get("set_dscp") } else { rule.values.get(name) };
    match values {
        Some(numbers) if name == "set_dscp_class" => {
            numbers.iter().filter_map(|number| values::dscp_class(number)).collect()
        }
        Some(texts) => texts.clone(),
        None => values::default(name).map(str::to_string).into_iter().collect(),
    }
}

/// Values as plans show them.
fn shown(values: &[String]) -> Value {
    match values {
        [] => Value::Null,
        [one] => Value::str(one.as_str()),
        all => texts(all),
    }
}

impl Instance for ManagedRule {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let protocol = self.protocol.name();
        let chain = |name: &String| ResourceRef {
            kind: "Firewallchain".into(),
            title: format!("{name}:{}:{protocol}", self.table).into(),
        };
        let chains = std::iter::once(&self.chain).chain(&self.jumps).map(chain);
        chains.chain(packages()).collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let all = self.rulesets.get(host, self.protocol)?;
        let mut to = Differences::new(&[]);
        let now = self.find(&all)?;
        if now.is_none() && self.present {
            // A rule that cannot be written is an error before anything changes.
            write::words(&self.wanted, self.is_ipv6())?;
        }
        match to.ensure(now, self.present) {
            Some(rule) => self.differences(host, rule),
            None => Ok(to.finish()),
        }
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if made.is_empty() {
            return Ok(());
        }
        let _turn = turn();
        let all = tables::read(host, self.protocol)?;
        let rule = self.find(&all)?;
        match (rule, self.present) {
            (rule, true) => self.put(host, &all, rule)?,
            (Some(rule), false) => self.delete(host, rule)?,
            (None, false) => return Ok(()),
        }
        let warning = tables::persist(host, self.protocol);
        self.log.lock().unwrap_or_else(PoisonError::into_inner).extend(warning);
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_verified(&self) -> bool {
        // Another rule may be printed as the purged one.
        self.line.is_none()
    }
}
