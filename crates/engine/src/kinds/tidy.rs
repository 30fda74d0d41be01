//! `tidy`: removes files that are too old or too large, or all files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::hash::{Hash, Hasher};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_graph::protected::{self, TreeAction};
use ordain_kinds::{KindSchema, files};
use rustc_hash::FxHasher;

use crate::kind::params::{Params, inspect, scalar};
use crate::kind::{
    Change, Instance, Kind, KindError, Level, LogLine, LogSource, ParseContext, ParseResult,
};
use crate::kinds::file::glob;
use crate::kinds::shared::instances::{inherit, unwanted};
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::watch::Watch;

/// From this many on a recursion warns.
const WARNING_COUNT: usize = 1000;

/// The interval of checks for the age of files.
const AGE_CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tidy;

#[derive(Clone, Copy, PartialEq, Eq)]
enum AgeSource {
    Access,
    Change,
    Status,
}

struct TidyInstance {
    declared: Resource,
    path: PathBuf,
    /// Seconds.
    age: Option<u64>,
    /// Bytes.
    size: Option<u64>,
    since: AgeSource,
    matches: Option<Vec<String>>,
    /// The maximum depth; 0 is the path alone.
    depth: u32,
    max_files: usize,
    rmdirs: bool,
    /// Declared paths, which are not removed.
    files: Arc<BTreeSet<PathBuf>>,
    log: Mutex<Vec<LogLine>>,
}

impl Kind for Tidy {
    fn schema(&self) -> &KindSchema {
        &files::TIDY
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let path = p.text("path").unwrap_or_else(|| resource.id.title.to_string());
        if !path.starts_with('/') {
            p.error("path", format!("File paths must be fully qualified, not '{path}'"));
        }
        let path = PathBuf::from(protected::normal(&path));
        let depth = depth(&mut p);
        let matches = p.list("matches");
        if matches.is_some() && depth == 0 {
            p.error("matches", "Tidy can't use matches with recurse 0, false, or undef");
        }
        let days = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800)];
        let kilo = [("b", 1), ("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30), ("t", 1 << 40)];
        let max_files = p.integer("max_files", "max_files must be a number").unwrap_or_default();
        if max_files < 0 {
            p.error("max_files", format!("max_files cannot be {max_files}"));
        }
        let tidy = TidyInstance {
            path,
            age: quantity(&mut p, "age", "d", &days),
            size: quantity(&mut p, "size", "k", &kilo),
            since: match p.choice("type") {
                Some("mtime") => AgeSource::Change,
                Some("ctime") => AgeSource::Status,
                _ => AgeSource::Access,
            },
            matches,
            depth,
            max_files: usize::try_from(max_files).unwrap_or_default(),
            rmdirs: p.boolean("rmdirs"),
            files: (context.files)(),
            declared: resource.clone(),
            log: Mutex::default(),
        };
        p.finish(Box::new(tidy) as Box<dyn Instance>)
    }
}

fn depth(p: &mut Params<'_>) -> u32 {
    let Some(value) = p.raw("recurse") else { return 0 };
    let text = scalar(value).unwrap_or_default();
    match text.as_str() {
        "true" | "inf" => u32::MAX,
        "false" => 0,
        _ => text.parse().unwrap_or_else(|_| {
            p.error("recurse", format!("Invalid recurse value {}", inspect(value)));
            0
        }),
    }
}

/// A number with a unit, identified by its first letter.
///
/// Only texts are accepted, as in Puppet, because a bare 0 could mean nothing or everything.
fn quantity(p: &mut Params<'_>, name: &str, usual: &str, units: &[(&str, u64)]) -> Option<u64> {
    let value = p.raw(name)?;
    let shown = match value {
        _ if p.secrets().iter().any(|secret| secret == name) => "[redacted]".to_owned(),
        Value::Str(text) => text.to_string(),
        other => inspect(other),
    };
    let Value::Str(text) = value else {
        p.error(name, format!("Invalid tidy {name} {shown}; it is a text such as '1{usual}'"));
        return None;
    };
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let is_word = unit.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Some(number) = number.parse::<u64>().ok().filter(|_| is_word) else {
        p.error(name, format!("Invalid tidy {name} {shown}"));
        return None;
    };
    // Puppet interprets the last of several digits as the unit.
    if let (Some(last), "") = (text.get(1..).and_then(|rest| rest.chars().last()), unit) {
        p.error(name, format!("Invalid {name} unit '{last}'; '{text}{usual}' has one"));
        return None;
    }
    let unit = unit.get(..1).unwrap_or(usual).to_lowercase();
    let Some((_, factor)) = units.iter().find(|(known, _)| *known == unit) else {
        p.error(name, format!("Invalid {name} unit '{unit}'"));
        return None;
    };
    number.checked_mul(*factor).or(Some(u64::MAX))
}

impl TidyInstance {
    fn log(&self, level: Level, message: String) {
        let line = LogLine { level: Some(level), source: LogSource::Resource, message };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Refuses to empty protected directories, and without a limit of age or size also mounts
    /// below.
    fn refuse_to_empty(&self, host: &Host) -> std::io::Result<()> {
        let is_limited =
            self.matches.as_ref().is_some_and(|all| all.iter().all(|p| has_own_letter(p)));
        if self.depth == 0 || is_limited {
            return Ok(());
        }
        host.may(TreeAction::Empty, &self.path)?;
        match resolve(host, &self.path, false) {
            Ok(place) if self.age.is_none() && self.size.is_none() => {
                host.may_at(TreeAction::Empty, &place)
            }
            Ok(place) => host.may(TreeAction::Empty, &host.path_of(&place)?),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Whether this is to go, for itself.
    fn is_unwanted(&self, path: &Path, meta: &Metadata, now: i64) -> bool {
        if self.files.contains(path) || meta.is_dir() && !self.rmdirs {
            return false;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(patterns) = &self.matches
            && !patterns.iter().any(|pattern| glob::matches_any(pattern, &name))
        {
            return false;
        }
        let then = match self.since {
            AgeSource::Access => meta.atime(),
            AgeSource::Change => meta.mtime(),
            AgeSource::Status => meta.ctime(),
        };
        // A file from the future has no age yet.
        let age = u64::try_from(now.saturating_sub(then)).ok();
        let too_old = self.age.map(|limit| age.is_some_and(|age| age >= limit));
        let too_large = self.size.map(|limit| meta.size() >= limit);
        match (too_old, too_large) {
            (None, None) => true,
            (old, large) => old == Some(true) || large == Some(true),
        }
    }

    /// All examined paths. A directory precedes its content.
    fn candidates(&self, host: &Host) -> Result<BTreeMap<PathBuf, Metadata>, KindError> {
        let mut found = BTreeMap::new();
        let Ok(meta) = std::fs::symlink_metadata(host.path(&self.path)) else { return Ok(found) };
        let mut todo = Vec::new();
        if meta.is_dir() && self.depth > 0 {
            todo.push((self.path.clone(), 1));
        }
        found.insert(self.path.clone(), meta);
        while let Some((dir, depth)) = todo.pop() {
            let entries = match std::fs::read_dir(host.path(&dir)) {
                Ok(entries) => entries,
                // It was removed meanwhile, which is fine.
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                Err(e) => {
                    return Err(KindError::new(format!("Could not list {}: {e}", dir.display())));
                }
            };
            for entry in entries.flatten() {
                let path = dir.join(entry.file_name());
                let Ok(meta) = entry.metadata() else { continue };
                if meta.is_dir() && depth < self.depth {
                    todo.push((path.clone(), depth + 1));
                }
                found.insert(path, meta);
            }
            if self.max_files > 0 && found.len() > self.max_files {
                let (path, max) = (self.path.display(), self.max_files);
                let text = format!("{path} holds more files than max_files allows ({max})");
                return Err(KindError::new(text));
            }
        }
        // Listing a directory accesses it, so a listed directory is young, as for Puppet.
        if self.since == AgeSource::Access && self.rmdirs {
            for (path, meta) in found.iter_mut().filter(|(_, meta)| meta.is_dir()) {
                if let Ok(now) = std::fs::symlink_metadata(host.path(path)) {
                    *meta = now;
                }
            }
        }
        Ok(found)
    }

    /// The resources to remove, the deepest first.
    fn unwanted(&self, host: &Host) -> Result<Vec<PathBuf>, KindError> {
        let found = self.candidates(host)?;
        if self.max_files == 0 && found.len() > WARNING_COUNT {
            let (path, count) = (self.path.display(), found.len());
            let text = format!("{path} holds {count} files; `max_files` sets a limit");
            self.log(Level::Warning, text);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let mut kept: BTreeSet<&Path> = BTreeSet::new();
        let mut out = Vec::new();
        // In reverse order, the content of a directory precedes it.
        for (path, meta) in found.iter().rev() {
            let holds = meta.is_dir()
                && (kept.contains(path.as_path()) || self.has_more(host, path, &found));
            if self.is_unwanted(path, meta, now) && !holds {
                out.push(path.clone());
            } else if let Some(parent) = path.parent() {
                kept.insert(parent);
            }
        }
        Ok(out)
    }

    /// Whether a directory has content that was not examined, because it is too deep.
    fn has_more(&self, host: &Host, dir: &Path, found: &BTreeMap<PathBuf, Metadata>) -> bool {
        let entries = std::fs::read_dir(host.path(dir));
        entries.is_ok_and(|entries| {
            entries.flatten().any(|entry| !found.contains_key(&dir.join(entry.file_name())))
        })
    }
}

impl Instance for TidyInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        let path = self.path.clone();
        vec![if self.depth > 0 { Watch::Tree(path) } else { Watch::Path(path) }]
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        self.age.is_some().then_some(AGE_CHECK_INTERVAL)
    }

    fn context_fingerprint(&self) -> Option<u64> {
        let mut hasher = FxHasher::default();
        self.files.hash(&mut hasher);
        Some(hasher.finish())
    }

    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        Ok(Vec::new())
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn generate(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        self.refuse_to_empty(host).map_err(|e| KindError::new(format!("Not tidying: {e}")))?;
        let unwanted = self.unwanted(host)?;
        if !unwanted.is_empty() {
            self.log(Level::Notice, format!("Tidying {} files", unwanted.len()));
        }
        Ok(unwanted.iter().map(|path| absent(&self.declared, path)).collect())
    }
}

/// Whether a pattern contains a literal character, unlike `?*`.
fn has_own_letter(pattern: &str) -> bool {
    let mut in_set = false;
    pattern.chars().any(|c| match c {
        '[' => {
            in_set = true;
            false
        }
        ']' => {
            in_set = false;
            false
        }
        '*' | '?' => false,
        _ => !in_set,
    })
}

fn is_suffix(backup: &Value) -> bool {
    scalar(backup).is_some_and(|text| text.starts_with('.'))
}

/// The resource that removes a file; a directory only if it is still empty.
fn absent(declared: &Resource, path: &Path) -> Resource {
    // A copy beside it would be tidied up next.
    let in_bucket = |value: &&Value| {
        !matches!(scalar(value).as_deref(), None | Some("true" | "false" | "")) && !is_suffix(value)
    };
    let backup = declared.value("backup").filter(in_bucket).cloned();
    let backup = backup.unwrap_or(Value::Bool(false));
    let more = [("remove_empty", Value::Bool(true)), ("backup", backup)];
    let mut file = unwanted("File", &path.to_string_lossy(), &more);
    inherit(&mut file, declared);
    file.tags.clone_from(&declared.tags);
    file
}
