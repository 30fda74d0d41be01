//! Compares and sets the SELinux context of a file.

use std::path::Path;

use rustix::fs::{FileType, Stat};

use super::model::FileInstance;
use super::selinux_context::{DeclaredContext, PROPERTIES, Parts};
use crate::kind::KindError;
use crate::kind::tools::{command, in_root, start_failure};
use crate::system::host::Host;
use crate::system::path::Place;
use crate::system::selinux_label::{are_managed, read, write};

/// The program that reads the contexts of the policy.
const MATCHPATHCON: &str = "matchpathcon";

/// The context that the policy has for a path, empty if it has none; `None` if the program is
/// missing.
fn of_policy(host: &Host, path: &Path, kind: &str) -> Result<Option<String>, KindError> {
    let failed =
        |why: String| KindError::new(format!("Execution of '{MATCHPATHCON}' failed: {why}"));
    let places = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    let programs = places.map(|dir| Path::new(dir).join(MATCHPATHCON));
    let Some(program) = programs.into_iter().find(|path| host.stat(path).is_ok()) else {
        return Ok(None);
    };
    let mut invocation = command([program.as_os_str(), "-n".as_ref()]);
    if !kind.is_empty() {
        invocation.launch.argv.extend(["-m".into(), kind.into()]);
    }
    invocation.launch.argv.push(path.as_os_str().to_owned());
    let invocation = in_root(host, invocation).map_err(|e| failed(e.to_string()))?;
    let outcome = host.run(&invocation).map_err(|e| failed(e.to_string()))?;
    if let Some(why) = start_failure(host, &outcome) {
        return Err(failed(why));
    }
    // A path without a context in the policy is no error.
    let output = outcome.stdout_text();
    let context = if outcome.success() { output.trim() } else { "" };
    Ok(Some(if context == "<<none>>" { String::new() } else { context.to_owned() }))
}

/// The name of a file type for `matchpathcon`.
fn kind_of(mode: u32) -> &'static str {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => "file",
        FileType::Directory => "dir",
        FileType::Symlink => "lnk_file",
        FileType::Fifo => "pipe",
        FileType::Socket => "sock_file",
        FileType::CharacterDevice => "chr_file",
        FileType::BlockDevice => "blk_file",
        _ => "",
    }
}

/// A range with the names of its levels replaced by the levels.
fn range_of_label(host: &Host, label: &str) -> String {
    let read = |path: &str| std::fs::read_to_string(host.path(path.as_ref())).unwrap_or_default();
    let config = read("/etc/selinux/config");
    let policy = config.lines().find_map(|line| line.trim().strip_prefix("SELINUXTYPE="));
    let policy = policy.map_or("targeted", str::trim);
    if policy.contains('/') {
        return label.to_owned();
    }
    let table = read(&format!("/etc/selinux/{policy}/setrans.conf"));
    let lines = table.lines().map(|line| line.split_whitespace().collect::<String>());
    let mut pairs = lines.filter(|line| !line.starts_with('#'));
    pairs
        .find_map(|line| {
            let (range, name) = line.split_once('=')?;
            (name == label).then(|| range.to_owned())
        })
        .unwrap_or_else(|| label.to_owned())
}

/// A part of a context that differs: its attribute, the current and the desired value.
type PartChange = (&'static str, Option<String>, String);

impl FileInstance {
    /// The desired parts of the context of this file: those that are declared, or else those of the
    /// policy for the path. `mode` has the type of the file.
    pub(super) fn wanted_context(&self, host: &Host, mode: u32) -> Result<Parts, KindError> {
        let DeclaredContext { parts, ignore_defaults } = &self.context;
        let mut wanted = parts.clone();
        if !ignore_defaults && parts.0.iter().any(Option::is_none) {
            // Without the program there are no defaults, which `remarks` says.
            let default = of_policy(host, &self.path, kind_of(mode))?.unwrap_or_default();
            wanted = wanted.or(&Parts::parse(&default)?);
        }
        wanted.0[3] = wanted.0[3].take().map(|range| range_of_label(host, &range));
        Ok(wanted)
    }

    /// The parts of a context that differ, with the current and the desired value.
    pub(super) fn context_changes(
        &self,
        host: &Host,
        place: &Place,
        stat: &Stat,
    ) -> Result<Vec<PartChange>, KindError> {
        if !are_managed(host, &self.path) {
            return Ok(Vec::new());
        }
        let mut now = self.context_at(place)?;
        now.0[3] = now.0[3].take().map(|range| range_of_label(host, &range));
        let wanted = self.wanted_context(host, stat.st_mode)?;
        let parts = PROPERTIES.into_iter().zip(now.0.into_iter().zip(wanted.0));
        let differing = parts.filter_map(|(name, (is, should))| {
            let should = should.filter(|should| is.as_ref() != Some(should))?;
            Some((name, is, should))
        });
        Ok(differing.collect())
    }

    /// The parts of the context of a place.
    pub(super) fn context_at(&self, place: &Place) -> Result<Parts, KindError> {
        Parts::parse(&read(place).map_err(|e| self.error("read the context of", &e))?)
    }

    /// Sets the managed parts of a context. The others are those of `before`, or those that the
    /// system gave a new file.
    pub(super) fn set_context(
        &self,
        host: &Host,
        place: &Place,
        mode: u32,
        before: Option<&Parts>,
    ) -> Result<(), KindError> {
        if !are_managed(host, &self.path) {
            return Ok(());
        }
        let now = self.context_at(place)?;
        let wanted = self.wanted_context(host, mode)?;
        let wanted = before.map_or_else(|| wanted.clone(), |before| wanted.or(before));
        if wanted.is_empty() {
            return Ok(());
        }
        let Some(context) = wanted.or(&now).whole() else {
            let path = self.path.display();
            let text = format!(
                "Could not set a part of the context of {path}: it has no context yet, so user, \
                 role and type are needed"
            );
            return Err(KindError::new(text));
        };
        if now.whole().as_ref() == Some(&context) {
            return Ok(());
        }
        write(place, &context).map_err(|e| self.error("set the context of", &e))
    }

    /// The reason why the policy's defaults are unknown, if they would be used.
    pub(super) fn context_remark(&self, host: &Host) -> Option<String> {
        let counts = !self.context.parts.is_empty()
            && !self.context.ignore_defaults
            && self.context.parts.0.iter().take(3).any(Option::is_none);
        if !counts || !are_managed(host, &self.path) {
            return None;
        }
        let known = of_policy(host, &self.path, "").ok().flatten();
        known.is_none().then(|| {
            format!(
                "{MATCHPATHCON} is missing: the parts of the context that are not declared stay"
            )
        })
    }
}
