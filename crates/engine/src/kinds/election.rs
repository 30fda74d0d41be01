//! `mgmt::schedule`: makes this host a candidate in an election.

use std::path::PathBuf;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, graph};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::shared_kv::Key;
use crate::system::election::{Options as CandidateOptions, Strategy};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Election;

impl Kind for Election {
    fn schema(&self) -> &KindSchema {
        &graph::MGMT_SCHEDULE
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let namespace = p.text("namespace").filter(|text| !text.is_empty());
        let namespace = namespace.unwrap_or_else(|| p.name());
        if namespace.is_empty() {
            p.error("name", "the namespace must not be empty");
        }
        let mut strategy = None;
        if p.text("strategy").is_some_and(|text| !text.is_empty()) {
            strategy = p.choice("strategy").map(|name| match name {
                "alpha" => Strategy::Alpha,
                _ => Strategy::Rr,
            });
        }
        let ttl = p.integer("ttl", "ttl must be a number").unwrap_or(0);
        let max = p.integer("max", "max must be a number").unwrap_or(0);
        let persist = p.boolean("persist");
        if persist && ttl > 0 {
            p.error("ttl", "can't combine persist with ttl");
        }
        let withdraw = p.boolean("withdraw");
        for name in ["strategy", "max", "ttl"] {
            if withdraw && p.has(name) {
                p.error("withdraw", format!("can't combine withdraw with {name}"));
            }
        }
        if withdraw && p.boolean("persist") {
            p.error("withdraw", "can't combine withdraw with persist");
        }
        let host = p.text("host").unwrap_or_default();
        // As in mgmt, numbers that are not positive count as unset.
        let positive = |number: i64| u64::try_from(number).ok().filter(|number| *number > 0);
        let options =
            CandidateOptions { strategy, max: positive(max), persist, ttl: positive(ttl) };
        let key = Key::of_schedule(&namespace);
        let candidate = Candidate { key, host, withdraw, options };
        p.finish(Box::new(candidate) as Box<dyn Instance>)
    }
}

struct Candidate {
    key: Key,
    host: String,
    withdraw: bool,
    options: CandidateOptions,
}

impl Instance for Candidate {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(PathBuf::from(self.key.path()))]
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut differences = Differences::new(&[]);
        let found = self.key.get(host, Some(&self.host))?;
        let name = Value::str(self.host.as_str());
        let wanted = self.options.to_text();
        match (found, self.withdraw) {
            (None, false) => differences.property("host", Value::Null, name),
            (Some(_), true) => differences.property("host", name, Value::Null),
            // Without a store there is no election that options could decide.
            (Some(found), false) if host.shared.is_some() && found != wanted => {
                let (found, wanted) = (Value::str(found.as_str()), Value::str(wanted.as_str()));
                differences.property("options", found, wanted);
            }
            _ => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let value = self.options.to_text();
        let value = (!self.withdraw).then_some(value.as_str());
        self.key.set(host, Some(&self.host), value, self.options.lease())
    }
}
