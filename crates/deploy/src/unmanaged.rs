//! Copies files that no source has from the current revision, as the purge levels allow.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::RegexSet;

use crate::error::{Error, Result};
use crate::files;
use crate::settings::Purge;

/// Entries of an environment that are never copied.
const NOT_CARRIED: [&str; 2] = [".git", ".r10k-deploy.json"];

/// The paths in an environment that come from its sources.
#[derive(Default)]
pub(crate) struct Managed {
    /// Files of the branch and their parent directories.
    pub(crate) tracked: BTreeSet<PathBuf>,
    /// Directories of modules that are not local.
    pub(crate) modules: BTreeSet<PathBuf>,
    /// Directories of modules that are local.
    pub(crate) local: BTreeSet<PathBuf>,
    /// Directories that contain modules.
    pub(crate) containers: BTreeSet<PathBuf>,
}

impl Managed {
    pub(crate) fn add_tracked(&mut self, files: Vec<PathBuf>) {
        for file in files {
            self.tracked.extend(file.ancestors().map(Path::to_path_buf));
        }
    }

    pub(crate) fn add_module(&mut self, path: &Path, is_local: bool) {
        let list = if is_local { &mut self.local } else { &mut self.modules };
        list.insert(path.to_path_buf());
        let parent = path.parent().unwrap_or(Path::new(""));
        self.tracked.extend(parent.ancestors().map(Path::to_path_buf));
        if !parent.as_os_str().is_empty() {
            self.containers.insert(parent.to_path_buf());
        }
    }
}

/// Copies the unmanaged files to a new revision.
pub(crate) struct UnmanagedFiles<'c> {
    old: &'c Path,
    new: &'c Path,
    managed: &'c Managed,
    purge: &'c Purge,
    allowed: RegexSet,
}

/// How to treat the entries of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// According to the purge levels.
    Levels,
    /// The directory contains modules.
    Container,
    /// Everything is copied.
    Stay,
}

impl<'c> UnmanagedFiles<'c> {
    pub(crate) fn new(
        old: &'c Path,
        new: &'c Path,
        managed: &'c Managed,
        purge: &'c Purge,
    ) -> Result<Self> {
        let allowed = RegexSet::new(purge.allowed.iter().map(|pattern| glob(pattern)))
            .map_err(|error| Error::new(format!("`purge_allowlist`: {error}")))?;
        Ok(Self { old, new, managed, purge, allowed })
    }

    pub(crate) fn run(&self) -> Result<()> {
        self.directory(Path::new(""), Rule::Levels)
    }

    fn directory(&self, path: &Path, rule: Rule) -> Result<()> {
        for name in files::names(&self.old.join(path))? {
            let at = path.join(&name);
            let is_top = path.as_os_str().is_empty();
            if is_top && NOT_CARRIED.iter().any(|skipped| name == *skipped)
                || self.managed.modules.contains(&at)
            {
                continue;
            }
            let is_directory = fs::symlink_metadata(self.old.join(&at)).is_ok_and(|m| m.is_dir());
            let is_allowed = at.to_str().is_some_and(|text| self.allowed.is_match(text));
            if self.managed.tracked.contains(&at) {
                if is_directory {
                    let rule = match rule {
                        _ if self.managed.containers.contains(&at) => Rule::Container,
                        Rule::Container => Rule::Stay,
                        Rule::Levels if is_allowed => Rule::Stay,
                        rule => rule,
                    };
                    self.directory(&at, rule)?;
                }
                continue;
            }
            let stays = match rule {
                Rule::Levels => !self.purge.environment || is_allowed,
                Rule::Container => !self.purge.puppetfile || self.managed.local.contains(&at),
                Rule::Stay => true,
            };
            if stays {
                self.copy(&at)?;
            }
        }
        Ok(())
    }

    fn copy(&self, path: &Path) -> Result<()> {
        let parent = path.parent().unwrap_or(Path::new(""));
        let (Ok(parent), Some(name)) =
            (files::directory_inside(self.new, parent), path.file_name())
        else {
            // The new revision has a file or a link where the old one had a directory.
            return Ok(());
        };
        let target = parent.join(name);
        match fs::symlink_metadata(&target) {
            Ok(_) => Ok(()),
            Err(_) => files::copy(&self.old.join(path), &target),
        }
    }
}

/// Converts a glob to a regular expression: `*` and `?` match within one directory, `**/` matches
/// any number of directories.
fn glob(pattern: &str) -> String {
    let mut out = String::from("^");
    let mut rest = pattern.trim_start_matches('/');
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            out.push_str("(?:.*/)?");
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => {
                rest = rest.trim_start_matches('*');
                out.push_str("[^/]*");
            }
            '?' => out.push_str("[^/]"),
            '[' if rest.contains(']') => {
                let (class, after) = rest.split_once(']').unwrap_or((rest, ""));
                let (sign, class) = match class.strip_prefix(['!', '^']) {
                    Some(class) => ("^", class),
                    None => ("", class),
                };
                let class = class.replace('\\', r"\\").replace('[', r"\[").replace("&&", r"&\&");
                out.push_str(&format!("[{sign}{class}]"));
                rest = after;
            }
            c => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out.push('$');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_the_shell() {
        let matches = |pattern: &str, path: &str| {
            regex::Regex::new(&glob(pattern)).expect("a pattern").is_match(path)
        };
        assert!(matches("*.pp", "a.pp") && !matches("*.pp", "a/b.pp"));
        assert!(matches("**/*.pp", "a/b/c.pp") && matches("**/*.pp", "a.pp"));
        assert!(matches("a?[b-d]", "axc") && !matches("a?[!b-d]", "axc"));
        assert!(matches(".resource_types", ".resource_types") && !matches("a.b", "aXb"));
    }
}
