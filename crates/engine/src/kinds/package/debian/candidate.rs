//! Candidates of apt: one `apt-cache policy` for all packages that want the latest version.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::status::Database;
use crate::kind::KindError;
use crate::kind::tools::{inside, run};
use crate::system::file_cache::Cached;
use crate::system::host::Host;

/// Files that determine candidates besides the installed version.
const SOURCES: &[&str] = &[
    "/var/lib/apt/lists",
    "/etc/apt/sources.list",
    "/etc/apt/sources.list.d",
    "/etc/apt/preferences",
    "/etc/apt/preferences.d",
];

/// The maximum number of names in one query, which bounds the command line.
const MAX_QUERY_NAMES: usize = 2000;

/// The candidate of a package, and the installed version at the time of the query.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct CachedCandidate {
    installed: Option<String>,
    candidate: Option<String>,
}

/// Results of apt, kept until its lists change.
#[derive(Default)]
pub(super) struct Candidates {
    /// All names that will be asked for.
    wanted: Mutex<BTreeSet<String>>,
    answers: Cached<Mutex<BTreeMap<String, CachedCandidate>>>,
}

impl Candidates {
    /// Includes a package in the common query.
    pub(super) fn want(&self, name: &str) {
        let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        wanted.insert(name.to_string());
    }

    /// The version that apt would install, if any.
    pub(super) fn of(
        &self,
        host: &Host,
        database: &Database,
        name: &str,
    ) -> Result<Option<String>, KindError> {
        let paths: Vec<_> = SOURCES.iter().map(|p| host.path(Path::new(p))).collect();
        let answers = self.answers.get(&paths, || Ok::<_, KindError>(Mutex::default()))?;
        let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        let current = |name: &str| database.find(name).map(|e| e.state.text().to_string());
        let is_fresh = |answer: Option<&CachedCandidate>, name: &str| {
            // The candidate depends on the installed version, but not on the installation itself.
            let now = current(name);
            answer.is_some_and(|a| a.installed == now || (a.candidate == now && now.is_some()))
        };
        if !is_fresh(answers.get(name), name) {
            let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            let mut stale: Vec<&str> = wanted
                .iter()
                .map(String::as_str)
                .filter(|n| *n != name && !is_fresh(answers.get(*n), n))
                .collect();
            stale.push(name);
            for batch in stale.chunks(MAX_QUERY_NAMES) {
                let found = ask(host, batch)?;
                for name in batch {
                    let candidate = found.get(*name).cloned();
                    let answer = CachedCandidate { installed: current(name), candidate };
                    answers.insert((*name).to_string(), answer);
                }
            }
        }
        Ok(answers.get(name).and_then(|a| a.candidate.clone()))
    }
}

/// The candidates of these names.
fn ask(host: &Host, names: &[&str]) -> Result<BTreeMap<String, String>, KindError> {
    let argv = ["/usr/bin/apt-cache", "policy", "--"].iter().chain(names);
    let outcome = run(host, &inside(host, argv.copied()))?;
    Ok(parse(&outcome.stdout_text(), names))
}

fn parse(text: &str, names: &[&str]) -> BTreeMap<String, String> {
    let mut by_header = BTreeMap::new();
    let mut header = "";
    for line in text.lines() {
        if !line.starts_with(' ') {
            header = line.trim_end().trim_end_matches(':');
        } else if let Some(version) = line.trim().strip_prefix("Candidate:") {
            let version = version.trim();
            if version != "(none)" {
                by_header.insert(header, version);
            }
        }
    }
    // apt omits the machine's own architecture from its output.
    let find = |name: &str| {
        let bare = name.split(':').next().unwrap_or_default();
        by_header.get(name).or_else(|| by_header.get(bare))
    };
    let found = names.iter().filter_map(|n| Some(((*n).to_string(), find(n)?.to_string())));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        let text = "a:\n  Installed: 1\n  Candidate: 2\n  Version table:\n     2 500\n\
            b:\n  Installed: (none)\n  Candidate: (none)\nc:i386:\n  Candidate: 4\n";
        let found = parse(text, &["a", "b", "c:i386", "a:amd64", "d"]);
        let found: Vec<_> = found.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(found, [("a", "2"), ("a:amd64", "2"), ("c:i386", "4")]);
    }
}
