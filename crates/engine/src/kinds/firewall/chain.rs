//! `firewallchain`: a chain, its policy, and the purge of its rules.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ordain_data::Value;
use ordain_functions::regex::{Dialect, Regex, compile};
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, firewall};
use rustc_hash::FxHasher;

use super::rule::{Chain, Rule};
use super::tables::{Protocol, Rulesets};
use super::{INTERVAL, packages, removal, tables, turn};
use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::{
    Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult, own_identity,
};
use crate::kinds::shared::instances::inherit;
use crate::system::host::Host;

/// The chains that the kernel has in each table.
const BUILT_IN: [(&str, &[&str]); 6] = [
    ("filter", &["INPUT", "FORWARD", "OUTPUT"]),
    ("nat", &["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"]),
    ("mangle", &["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"]),
    ("raw", &["PREROUTING", "OUTPUT"]),
    ("rawpost", &["POSTROUTING"]),
    ("security", &["INPUT", "FORWARD", "OUTPUT"]),
];

/// The names of built-in chains of any table.
const RESERVED: [&str; 6] = ["INPUT", "OUTPUT", "FORWARD", "PREROUTING", "POSTROUTING", "BROUTING"];

/// The kind `firewallchain`.
#[derive(Clone, Default)]
pub struct Firewallchain {
    rulesets: Rulesets,
}

impl Kind for Firewallchain {
    fn schema(&self) -> &KindSchema {
        &firewall::FIREWALLCHAIN
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let title = p.name();
        let (chain, table, protocol) = parts(&mut p, &title);
        let is_built_in = RESERVED.contains(&chain.as_str());
        check_place(&mut p, &chain, &table);
        let policy = p.choice("policy");
        if policy.is_some() && !is_built_in {
            let text = format!(
                "'policy' can only be set on Internal Chains. Setting for '{title}' is invalid"
            );
            p.error("policy", text);
        }
        let mut flag =
            |name: &str| p.has(name) && p.one_of(name, &["true", "false"]) == Some("true");
        let (purges, spares_foreign) = (flag("purge"), flag("ignore_foreign"));
        let ignored = ignored(&mut p);
        let managed = ManagedChain {
            chain,
            table,
            protocol,
            present: p.choice("ensure") != Some("absent"),
            is_built_in,
            policy,
            purges,
            spares_foreign,
            ignored,
            declared_rules: declared_rules(context),
            declared: resource.clone(),
            rulesets: self.rulesets.clone(),
            log: Mutex::default(),
        };
        p.finish(Box::new(managed) as Box<dyn Instance>)
    }
}

/// The names of the declared rules.
fn declared_rules(context: &ParseContext<'_>) -> BTreeSet<String> {
    let rules = (context.of_kind)("firewall");
    rules.into_iter().map(|rule| own_identity(&firewall::FIREWALL, rule)).collect()
}

/// The parts of `CHAIN:TABLE:PROTOCOL`.
fn parts(p: &mut Params<'_>, title: &str) -> (String, String, Protocol) {
    let mut words = title.rsplitn(3, ':');
    let (protocol, table, chain) = (words.next(), words.next(), words.next());
    let protocol = protocol.and_then(Protocol::of);
    let is_word = |word: &str| {
        !word.is_empty() && !word.starts_with(['-', '!']) && !word.contains(char::is_whitespace)
    };
    let found = chain.filter(|chain| is_word(chain)).zip(table).zip(protocol);
    match found {
        Some(((chain, table), protocol)) => (chain.to_string(), table.to_string(), protocol),
        None => {
            let text = format!(
                "'{title}' is no CHAIN:TABLE:PROTOCOL with the protocol IPv4 or IPv6; chains of \
                 ethernet are not supported"
            );
            p.error("name", text);
            (String::new(), "filter".to_string(), Protocol::Ipv4)
        }
    }
}

fn check_place(p: &mut Params<'_>, chain: &str, table: &str) {
    let Some((_, chains)) = BUILT_IN.iter().find(|(name, _)| *name == table) else {
        p.error("name", format!("'{table}' is no table"));
        return;
    };
    if RESERVED.contains(&chain) && !chains.contains(&chain) {
        let text = format!("{} are the only inbuilt chains of table '{table}'", chains.join(", "));
        p.error("name", text);
    }
}

fn ignored(p: &mut Params<'_>) -> Vec<Regex> {
    let mut all = Vec::new();
    for pattern in p.list("ignore").unwrap_or_default() {
        match compile(Dialect::Ruby, &pattern) {
            Ok(regex) => all.push(regex),
            Err(error) => p.error("ignore", error.to_string()),
        }
    }
    all
}

struct ManagedChain {
    chain: String,
    table: String,
    protocol: Protocol,
    present: bool,
    is_built_in: bool,
    policy: Option<&'static str>,
    purges: bool,
    /// Whether rules without a name of a resource stay.
    spares_foreign: bool,
    /// Rules that stay.
    ignored: Vec<Regex>,
    /// The names of the rules of the graph.
    declared_rules: BTreeSet<String>,
    declared: Resource,
    rulesets: Rulesets,
    log: Mutex<Vec<LogLine>>,
}

impl ManagedChain {
    fn is_ignored(&self, rule: &Rule) -> Result<bool, KindError> {
        let number = rule.name.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        if self.spares_foreign && number.parse::<u64>().is_ok_and(|number| number >= 9000) {
            return Ok(true);
        }
        for regex in &self.ignored {
            if regex.is_match(&rule.line).map_err(|e| KindError::new(e.to_string()))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn run(&self, host: &Host, words: &[&str]) -> Result<(), KindError> {
        tables::run(host, self.protocol, &self.table, words)
    }

    fn remove(&self, host: &Host) -> Result<(), KindError> {
        self.run(host, &["-F", &self.chain])?;
        match self.is_built_in {
            // It cannot be deleted.
            true => self.run(host, &["-P", &self.chain, "ACCEPT"]),
            false => self.run(host, &["-X", &self.chain]),
        }
    }

    fn has_rules(&self, rules: &[Rule]) -> bool {
        rules.iter().any(|rule| rule.table == self.table && rule.chain == self.chain)
    }

    fn removal_is_needed(&self, chain: &Chain, rules: &[Rule]) -> bool {
        let is_open = chain.policy.as_deref().is_none_or(|policy| policy == "accept");
        !self.is_built_in || !is_open || self.has_rules(rules)
    }
}

impl Instance for ManagedChain {
    fn autorequires(&self) -> Vec<ResourceRef> {
        packages().collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(INTERVAL)
    }

    fn context_fingerprint(&self) -> Option<u64> {
        if !self.purges {
            return None;
        }
        let mut hasher = FxHasher::default();
        self.declared_rules.hash(&mut hasher);
        Some(hasher.finish())
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let all = self.rulesets.get(host, self.protocol)?;
        let mut chains = all.chains.iter();
        let found = chains.find(|chain| chain.table == self.table && chain.name == self.chain);
        let mut to = Differences::new(&[]);
        match (found, self.present) {
            (None, true) => to.create("absent", Value::str("present")),
            (Some(chain), false) if self.removal_is_needed(chain, &all.rules) => {
                to.remove(Value::str("present"), "absent", "removed");
            }
            (Some(chain), true) => {
                let now = chain.policy.as_deref();
                if let Some(wanted) = self.policy.filter(|wanted| now != Some(wanted)) {
                    let now = now.map_or(Value::Null, Value::str);
                    to.property("policy", now, Value::str(wanted));
                }
            }
            _ => {}
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if made.is_empty() {
            return Ok(());
        }
        let _turn = turn();
        match (changes(made, "ensure"), self.present) {
            (true, false) => self.remove(host)?,
            // The kernel makes the chains of a table when somebody looks at it.
            (true, true) if self.is_built_in => self.run(host, &["-S"])?,
            (true, true) => self.run(host, &["-N", &self.chain])?,
            (false, _) => {}
        }
        if let Some(policy) = self.policy.filter(|_| self.present) {
            self.run(host, &["-P", &self.chain, &policy.to_uppercase()])?;
        }
        let warning = tables::persist(host, self.protocol);
        self.log.lock().unwrap_or_else(PoisonError::into_inner).extend(warning);
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn generate(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let mut all = Vec::new();
        if !self.purges {
            return Ok(all);
        }
        for rule in &self.rulesets.get(host, self.protocol)?.rules {
            let is_own = rule.table == self.table && rule.chain == self.chain;
            if !is_own || self.declared_rules.contains(&rule.name) || self.is_ignored(rule)? {
                continue;
            }
            let mut resource = removal(rule, self.protocol);
            inherit(&mut resource, &self.declared);
            all.push(resource);
        }
        Ok(all)
    }
}
