//! Parts that all package managers share.

use std::path::Path;

use crate::kind::params::Params;
use crate::kind::tools::is_live;
use crate::system::host::Host;

/// `ensure`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ensure {
    Present,
    Absent,
    Purged,
    Latest,
    Version(String),
}

/// Refuses names that tools would interpret as options, patterns or lists.
pub(super) fn check_name(p: &mut Params<'_>, name: &str) {
    let bad = |c: char| c.is_whitespace() || c.is_control() || "*?[]^$=,;|".contains(c);
    if name.is_empty() || name.starts_with('-') || name.contains(bad) {
        p.error("name", format!("Invalid package name {name:?}"));
    }
}

/// The path of the first of these tools that the machine has.
pub(super) fn locate(host: &Host, tools: &[&str]) -> Option<String> {
    let own = std::env::var("PATH").unwrap_or_default();
    let own = own.split(':').filter(|d| is_live(host) && d.starts_with('/'));
    let usual = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];
    let places: Vec<&str> = own.chain(usual).collect();
    let mut paths = tools.iter().flat_map(|tool| places.iter().map(move |p| format!("{p}/{tool}")));
    paths.find(|path| host.path(Path::new(path)).is_file())
}
