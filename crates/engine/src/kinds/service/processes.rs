//! The process table, for services that have no status command.

use std::fs;
use std::path::Path;

use regex::Regex;

use crate::kind::tools::is_live;
use crate::system::host::Host;

/// The id of a process whose command line matches, except this one. For a directory that stands for
/// a machine, only processes inside it count.
pub(super) fn find(host: &Host, pattern: &Regex) -> Option<i32> {
    let entries = fs::read_dir(host.path(Path::new("/proc"))).ok()?;
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let mut ids: Vec<i32> =
        entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok()).collect();
    ids.sort_unstable();
    let is_inside = |id: &i32| {
        is_live(host) || fs::read_link(format!("/proc/{id}/root")).is_ok_and(|r| r == host.root)
    };
    ids.into_iter().filter(|id| *id != own && is_inside(id)).find(|id| {
        let line = fs::read(host.path(Path::new(&format!("/proc/{id}/cmdline"))));
        let line = line.unwrap_or_default();
        let words: Vec<_> = line.split(|b| *b == 0).map(String::from_utf8_lossy).collect();
        pattern.is_match(words.join(" ").trim_end())
    })
}
