//! Elections among hosts, as mgmt's scheduler holds them.
//!
//! There is no leader: each candidate computes the result from the candidates and the last result,
//! and writes it unless another one was faster.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How hosts are elected.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The hosts whose names come first.
    Alpha,
    /// The elected hosts stay as long as they are candidates; then others follow by name.
    #[default]
    Rr,
}

/// The seconds after which a candidate that is gone is no candidate, unless it says otherwise.
pub const DEFAULT_TTL: u64 = 10;

/// The options of a candidate. Options that are not set have no say.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Options {
    /// The strategy; [`Strategy::Rr`] by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// The number of elected hosts; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// Whether the host stays a candidate when it is gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub persist: bool,
    /// The seconds after which a host that is gone is no candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

impl Options {
    /// The options as the value of a candidate.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The options of a candidate. An unknown form has no options.
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The seconds for which the store keeps the candidate without a renewal.
    pub fn lease(&self) -> Option<u64> {
        (!self.persist).then(|| self.ttl.unwrap_or(DEFAULT_TTL))
    }

    /// Whether the candidate is removed when its host ends in an orderly way. One that names a time
    /// stays for it.
    pub(crate) fn ends_with_host(&self) -> bool {
        !self.persist && self.ttl.is_none()
    }
}

/// The elected hosts. If the candidates have different options, those of the last one by name win.
pub(crate) fn elect(candidates: &BTreeMap<String, String>, last: &[String]) -> Vec<String> {
    let (mut strategy, mut max) = (Strategy::default(), 1);
    for options in candidates.values().map(|text| Options::parse(text)) {
        strategy = options.strategy.unwrap_or(strategy);
        max = options.max.unwrap_or(max);
    }
    let mut hosts: Vec<String> = match strategy {
        Strategy::Alpha => Vec::new(),
        Strategy::Rr => {
            last.iter().filter(|host| candidates.contains_key(*host)).cloned().collect()
        }
    };
    let others: Vec<String> =
        candidates.keys().filter(|host| !hosts.contains(host)).cloned().collect();
    hosts.extend(others);
    hosts.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elected(candidates: &[(&str, Options)], last: &[&str]) -> Vec<String> {
        let all = candidates.iter().map(|(host, options)| ((*host).to_owned(), options.to_text()));
        let last: Vec<String> = last.iter().map(|&host| host.to_owned()).collect();
        elect(&all.collect(), &last)
    }

    #[test]
    fn the_elected_stay_unless_the_names_decide() {
        let of = |strategy, max| Options { strategy, max: Some(max), ..Options::default() };
        let (rr, alpha) = (of(None, 2), of(Some(Strategy::Alpha), 2));
        let all = |options: &Options| ["a", "b", "c"].map(|host| (host, options.clone()));
        assert_eq!(elected(&all(&rr), &[]), ["a", "b"]);
        assert_eq!(elected(&all(&rr), &["c", "b"]), ["c", "b"]);
        assert_eq!(elected(&all(&rr), &["c", "gone"]), ["c", "a"]);
        assert_eq!(elected(&all(&alpha), &["c", "b"]), ["a", "b"]);
        assert_eq!(elected(&[("b", Options::default())], &["a"]), ["b"]);
        assert!(elected(&[], &["a"]).is_empty());
    }
}
