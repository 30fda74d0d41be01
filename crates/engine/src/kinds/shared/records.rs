//! Files of lines some of which are records, such as `/etc/hosts`, `/etc/fstab` or a list of keys.
//!
//! Only the line of a record is changed; all other lines stay as they are.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_graph::Resource;
use rustc_hash::FxHashMap;

use crate::kind::KindError;
use crate::kind::params::Params;
use crate::kinds::shared::instances::unwanted;
use crate::system::file_cache::{Cached, read_bytes};
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::{Owner, editing, rewrite};

/// A parsed line.
pub(crate) trait Record: Sized {
    /// The record of a line and its name; `None` if the line is blank, a comment or something else.
    fn parse(line: &str) -> Option<(String, Self)>;

    /// The line, without its end.
    fn print(&self) -> String;
}

/// A file's records.
pub(crate) struct Records<R> {
    text: Vec<u8>,
    records: Vec<Entry<R>>,
    /// Of several records with the same name the last one wins.
    names: FxHashMap<String, usize>,
}

struct Entry<R> {
    name: String,
    record: R,
    /// Of the line, its end included.
    range: Range<usize>,
}

impl<R: Record> Records<R> {
    /// The records of a text; those without a name are numbered after the file name.
    pub(crate) fn parse(text: Vec<u8>, path: &Path) -> Self {
        let mut records = Vec::new();
        let mut names = FxHashMap::default();
        let (mut start, mut unnamed) = (0, 0);
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let range = start..start + line.len();
            start = range.end;
            let line = String::from_utf8_lossy(line);
            let Some((name, record)) = R::parse(line.trim_end_matches(['\n', '\r'])) else {
                continue;
            };
            let name = if name.is_empty() {
                unnamed += 1;
                format!("{}:unnamed-{unnamed}", path.display())
            } else {
                name
            };
            names.insert(name.clone(), records.len());
            records.push(Entry { name, record, range });
        }
        Self { text, records, names }
    }

    /// The record of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&R> {
        self.names.get(name).map(|at| &self.records[*at].record)
    }

    /// The names of all records, in the order of their lines.
    pub(crate) fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        let counts = |(at, entry): &(usize, &Entry<R>)| self.names.get(&entry.name) == Some(at);
        self.records.iter().enumerate().filter(counts).map(|(_, entry)| entry.name.as_str())
    }

    /// The text with the record of this name replaced or removed.
    fn with(&self, name: &str, record: Option<&R>) -> Vec<u8> {
        let mut text = self.text.clone();
        let range = self.names.get(name).map(|at| self.records[*at].range.clone());
        match (range, record) {
            (Some(range), Some(record)) => {
                let end = if text[range.clone()].ends_with(b"\n") { "\n" } else { "" };
                text.splice(range, (record.print() + end).into_bytes());
            }
            (Some(_), None) => {
                for entry in self.records.iter().rev().filter(|entry| entry.name == name) {
                    text.drain(entry.range.clone());
                }
            }
            (None, Some(record)) => {
                if !text.is_empty() && !text.ends_with(b"\n") {
                    text.push(b'\n');
                }
                text.extend_from_slice(record.print().as_bytes());
                text.push(b'\n');
            }
            (None, None) => {}
        }
        text
    }
}

/// The record files of a kind, each read once until it changes.
pub(crate) struct RecordFiles<R> {
    cached: Cached<Records<R>>,
}

impl<R> Default for RecordFiles<R> {
    fn default() -> Self {
        Self { cached: Cached::default() }
    }
}

impl<R: Record> RecordFiles<R> {
    /// The records of a file of the machine; empty if it does not exist.
    pub(crate) fn read(&self, host: &Host, path: &Path) -> Result<Arc<Records<R>>, KindError> {
        let real = host.path(path);
        self.cached.get(std::slice::from_ref(&real), || match read_bytes(&real) {
            Ok(text) => Ok(Records::parse(text.unwrap_or_default(), path)),
            Err(e) => Err(KindError::new(format!("Could not read {}: {e}", path.display()))),
        })
    }

    /// Replaces a record by the result of `change`, or removes it on `None`. `new` has owner and
    /// mode of a new file.
    pub(crate) fn change(
        &self,
        host: &Host,
        path: &Path,
        new: Owner,
        name: &str,
        change: impl FnOnce(Option<&R>) -> Option<R>,
    ) -> Result<(), KindError> {
        let _editing = editing(path);
        // Another resource may have written since the comparison, within the same clock tick.
        self.cached.clear();
        let records = self.read(host, path)?;
        let text = records.with(name, change(records.get(name)).as_ref());
        let written = rewrite(host, path, &text, new);
        self.cached.clear();
        written.map_err(|e| KindError::new(format!("Could not write {}: {e}", path.display())))
    }
}

impl<R: Record> RecordFiles<R> {
    /// The records of a file as resources that remove them.
    pub(crate) fn unwanted(
        &self,
        host: &Host,
        path: &str,
        kind: &str,
    ) -> Result<Vec<Resource>, KindError> {
        let file = self.read(host, Path::new(path))?;
        Ok(file.names().map(|name| unwanted(kind, name, &[])).collect())
    }
}

/// The record file of a resource.
pub(crate) struct Table<R> {
    files: Arc<RecordFiles<R>>,
    path: PathBuf,
}

impl<R: Record> Table<R> {
    /// The file of the attribute `target`, else this one.
    pub(crate) fn of(p: &mut Params<'_>, files: &Arc<RecordFiles<R>>, default: &str) -> Self {
        let path = p.text("target").unwrap_or_else(|| default.to_string()).into();
        Self { files: Arc::clone(files), path }
    }

    /// The paths to watch for changes of records.
    pub(crate) fn watches(&self) -> Vec<Watch> {
        vec![Watch::Path(self.path.clone())]
    }

    /// The records.
    pub(crate) fn read(&self, host: &Host) -> Result<Arc<Records<R>>, KindError> {
        self.files.read(host, &self.path)
    }

    /// Replaces a record by the result of `change`. A new file is readable by all.
    pub(crate) fn change(
        &self,
        host: &Host,
        name: &str,
        change: impl FnOnce(Option<&R>) -> Option<R>,
    ) -> Result<(), KindError> {
        let new = Owner { mode: 0o644, ids: None };
        self.files.change(host, &self.path, new, name, change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Word(String);

    impl Record for Word {
        fn parse(line: &str) -> Option<(String, Self)> {
            let (name, rest) = line.split_once('=')?;
            Some((name.to_string(), Self(rest.to_string())))
        }

        fn print(&self) -> String {
            format!("w={}", self.0)
        }
    }

    #[test]
    fn all_other_lines_stay() {
        let text = b"# c\nw=1\n\xff\nw=2\n=a\n=b";
        let records = Records::<Word>::parse(text.to_vec(), Path::new("/f"));
        let names: Vec<&str> = records.names().collect();
        assert_eq!(names, ["w", "/f:unnamed-1", "/f:unnamed-2"]);
        assert_eq!(records.with("w", Some(&Word("3".into()))), b"# c\nw=1\n\xff\nw=3\n=a\n=b");
        assert_eq!(records.with("w", None), b"# c\n\xff\n=a\n=b");
        assert_eq!(records.with("/f:unnamed-2", None), b"# c\nw=1\n\xff\nw=2\n=a\n");
        assert_eq!(records.with("new", Some(&Word("4".into()))).last_chunk(), Some(b"=b\nw=4\n"));
        assert_eq!(records.with("new", None), text);
    }
}
