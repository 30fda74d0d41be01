//! The cached results of earlier comparisons of the same sources.
//!
//! The cache has the records of compiles, and the changes between pairs of them. Contents of files and
//! facts are in it as digests, and changes without secrets, as in all formats.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ordain_driver::inputs::{ChangedInputs, CompileRecord, RecordTable, TableRecord};
use ordain_driver::puppet::shared::SharedEnvironment;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::change::{Digest, short_digest};
use crate::collect::FoundChange;
use crate::nodes::FleetNode;

/// The compiles and the comparisons of a node that are kept: the latest ones.
const MAX_PER_NODE: usize = 4;

/// The largest file, in bytes. A larger one is not written, so the next comparison begins anew.
const MAX_FILE: usize = 128 << 20;

/// The most bytes in the directory. The oldest files are removed.
const MAX_DIRECTORY: u64 = 512 << 20;

/// The start of the names of the files.
const PREFIX: &str = "fleet-";

/// The first line of the file. The other lines are the changes: the digest in 32 hexadecimal digits,
/// and the change in JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    table: RecordTable,
    /// Resources and the addresses of module files that they copy.
    sources: Vec<(String, String)>,
    nodes: BTreeMap<String, StoredNode>,
}

/// The changes of a file. Texts are most of it, so each change is only parsed on first use.
#[derive(Debug, Default)]
struct StoredChanges {
    bytes: Vec<u8>,
    /// The end of each change in `bytes`, behind its line break.
    ends: Vec<usize>,
    parsed: Vec<OnceLock<Option<(Digest, FoundChange)>>>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct StoredNode {
    /// The number of the next compile.
    next: u32,
    compiles: Vec<StoredCompile>,
    /// The numbers of two compiles, and of their changes.
    comparisons: Vec<(u32, u32, Vec<u32>)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredCompile {
    number: u32,
    /// The digest of everything that was known about the node.
    node: Digest,
    record: TableRecord,
    sources: Vec<u32>,
}

/// A compile whose inputs are known.
#[derive(Debug)]
pub(crate) struct Learned {
    pub(crate) record: TableRecord,
    /// The resources that copy module files, with the addresses.
    pub(crate) sources: Vec<(String, String)>,
}

/// A node with its compiles, of both sides or one for both, and the numbers of the changes of its
/// graphs.
pub(crate) type LearnedNode<'n> = (&'n FleetNode, Vec<Learned>, Vec<u32>);

/// A node whose compiles on both sides are known.
pub(crate) struct Known<'c> {
    /// The changes of the graphs.
    pub(crate) changes: Vec<&'c (Digest, FoundChange)>,
    /// The resources that copy the same module files on both sides, with the addresses.
    pub(crate) sources: Vec<&'c (String, String)>,
}

/// The cache of the sources at a path.
pub(crate) struct Cache {
    file: PathBuf,
    stored: Stored,
    changes: StoredChanges,
    /// The table, to which compiles of this comparison are added.
    table: Mutex<RecordTable>,
    before: ChangedInputs,
    after: ChangedInputs,
}

impl Cache {
    /// Opens the cache of sources. `key` has everything besides files and nodes that compiles depend
    /// on. A file that cannot be read counts as empty.
    pub(crate) fn open(
        dir: &Path,
        key: &str,
        before: &SharedEnvironment,
        after: &SharedEnvironment,
    ) -> Option<Self> {
        let digest = short_digest(key.as_bytes());
        let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let file = dir.join(format!("{PREFIX}{name}.json"));
        let bytes = fs::metadata(&file).ok().filter(|found| found.len() <= MAX_FILE as u64);
        let bytes = bytes.and_then(|_| fs::read(&file).ok());
        let (mut stored, changes) = bytes.and_then(parse).unwrap_or_default();
        let table = std::mem::take(&mut stored.table);
        Some(Self {
            before: before.changed_inputs(&table)?,
            after: after.changed_inputs(&table)?,
            table: Mutex::new(table),
            file,
            stored,
            changes,
        })
    }

    fn table(&self) -> MutexGuard<'_, RecordTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the compiles of a node on both sides, and their changes.
    pub(crate) fn find(&self, node: &FleetNode, environment: &str) -> Option<Known<'_>> {
        let stored = self.stored.nodes.get(&node.name)?;
        let digest = node.digest();
        let mut request = None;
        let table = self.table();
        let mut is_current = |compile: &StoredCompile, changed: &ChangedInputs| {
            if !table.has_current_code(&compile.record, changed) {
                return false;
            }
            // Facts that no compile reads, such as the uptime, may differ.
            compile.node == digest || {
                let request = request.get_or_insert_with(|| {
                    let facts = node.parse().ok()?;
                    Some(facts.request(&node.name, environment))
                });
                let request = request.as_ref();
                request.is_some_and(|r| r.is_current(&table, &compile.record, changed))
            }
        };
        let compiles = || stored.compiles.iter().rev();
        let before = compiles().find(|compile| is_current(compile, &self.before))?;
        let after = compiles().find(|compile| is_current(compile, &self.after))?;
        let mut numbers: &[u32] = &[];
        if before.number != after.number {
            let ends = (before.number, after.number);
            let known = stored.comparisons.iter().find(|known| (known.0, known.1) == ends)?;
            numbers = &known.2;
        }
        let change = |number: &u32| self.changes.get(*number);
        let both = after.sources.iter().filter(|number| before.sources.contains(number));
        let source = |number: &u32| self.stored.sources.get(*number as usize);
        Some(Known {
            changes: numbers.iter().map(change).collect::<Option<_>>()?,
            sources: both.map(source).collect::<Option<_>>()?,
        })
    }

    /// Adds the record of a compile to the table. `None` if it cannot be repeated.
    pub(crate) fn record(&self, record: &CompileRecord) -> Option<TableRecord> {
        self.table().add(record)
    }

    /// Adds the compiles of nodes, with the numbers of the changes of their graphs in `changes`, and
    /// writes the file. `digests` has the digest of each change.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn save(
        self,
        learned: Vec<LearnedNode<'_>>,
        changes: &[FoundChange],
        digests: &[Digest],
    ) -> io::Result<()> {
        if learned.is_empty() {
            return Ok(());
        }
        let (mut stored, mut stored_changes) = (self.stored, self.changes);
        stored.table = self.table.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut sources: FxHashMap<(String, String), u32> =
            stored.sources.iter().cloned().zip(0..).collect();
        let mut added: FxHashMap<u32, u32> = FxHashMap::default();
        for (node, compiles, numbers) in learned {
            let digest = node.digest();
            let known = stored.nodes.entry(node.name.clone()).or_default();
            let mut ends = Vec::new();
            for compile in compiles {
                let own = compile.sources.into_iter().map(|pair| {
                    *sources.entry(pair).or_insert_with_key(|pair| {
                        stored.sources.push(pair.clone());
                        stored.sources.len() as u32 - 1
                    })
                });
                let own: Vec<u32> = own.collect();
                ends.push(known.add(digest, compile.record, own));
            }
            if let [before, after] = ends[..] {
                let number = |number: u32| match added.entry(number) {
                    Entry::Occupied(known) => Ok(*known.get()),
                    Entry::Vacant(entry) => {
                        let change = (&digests[number as usize], &changes[number as usize]);
                        stored_changes.add(change).map(|number| *entry.insert(number))
                    }
                };
                let numbers = numbers.into_iter().map(number).collect::<io::Result<_>>()?;
                known.comparisons.retain(|known| (known.0, known.1) != (before, after));
                known.comparisons.push((before, after, numbers));
                let more = known.comparisons.len().saturating_sub(MAX_PER_NODE);
                known.comparisons.drain(..more);
            }
        }
        write(&self.file, &stored, &stored_changes.bytes)
    }
}

/// Parses a file. `None` if it was damaged.
fn parse(mut bytes: Vec<u8>) -> Option<(Stored, StoredChanges)> {
    let header = bytes.iter().position(|byte| *byte == b'\n')?;
    let stored = serde_json::from_slice(&bytes[..header]).ok()?;
    bytes.drain(..=header);
    let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let ends: Vec<usize> = breaks.map(|(at, _)| at + 1).collect();
    let parsed = ends.iter().map(|_| OnceLock::new()).collect();
    Some((stored, StoredChanges { bytes, ends, parsed }))
}

impl StoredChanges {
    /// The change with a number, and its digest. `None` if there is none, or it is damaged.
    fn get(&self, number: u32) -> Option<&(Digest, FoundChange)> {
        let number = number as usize;
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        let parse = || {
            let (hex, change) = self.bytes[start..end].split_at_checked(2 * size_of::<Digest>())?;
            let digest = u128::from_str_radix(str::from_utf8(hex).ok()?, 16).ok()?;
            Some((digest.to_be_bytes(), serde_json::from_slice(change).ok()?))
        };
        self.parsed[number].get_or_init(parse).as_ref()
    }

    /// Adds a change. Returns its number.
    fn add(&mut self, (digest, change): (&Digest, &FoundChange)) -> io::Result<u32> {
        let digest = u128::from_be_bytes(*digest);
        write!(self.bytes, "{digest:032x}")?;
        serde_json::to_writer(&mut self.bytes, change).map_err(io::Error::other)?;
        self.bytes.push(b'\n');
        self.ends.push(self.bytes.len());
        self.parsed.push(OnceLock::new());
        Ok(self.ends.len() as u32 - 1)
    }
}

impl StoredNode {
    /// Adds a compile, unless it is known. Returns its number.
    fn add(&mut self, node: Digest, record: TableRecord, sources: Vec<u32>) -> u32 {
        let is_same = |known: &&mut StoredCompile| known.record == record;
        if let Some(known) = self.compiles.iter_mut().find(is_same) {
            known.node = node;
            return known.number;
        }
        let number = self.next;
        self.next += 1;
        self.compiles.push(StoredCompile { number, node, record, sources });
        let more = self.compiles.len().saturating_sub(MAX_PER_NODE);
        self.compiles.drain(..more);
        number
    }
}

/// Writes the file in one step, so that concurrent comparisons read an old or a new one.
fn write(file: &Path, stored: &Stored, changes: &[u8]) -> io::Result<()> {
    let mut header = serde_json::to_vec(stored).map_err(io::Error::other)?;
    header.push(b'\n');
    let Some(dir) = file.parent() else { return Ok(()) };
    if header.len() + changes.len() > MAX_FILE {
        return match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let temporary = dir.join(format!(".{name}.{}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    let written = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut out| out.write_all(&header).and_then(|()| out.write_all(changes)))
        .and_then(|()| fs::rename(&temporary, file));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written?;
    prune(dir, file)
}

/// Removes the oldest files of the directory until the rest fits.
fn prune(dir: &Path, newest: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_ours = name.to_string_lossy().trim_start_matches('.').starts_with(PREFIX);
        if is_ours && entry.path() != newest {
            let found = entry.metadata()?;
            files.push((found.modified()?, found.len(), entry.path()));
        }
    }
    files.sort();
    let mut total: u64 = files.iter().map(|file| file.1).sum::<u64>();
    total += fs::metadata(newest)?.len();
    for (_, size, path) in files {
        if total <= MAX_DIRECTORY {
            break;
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => total -= size,
        }
    }
    Ok(())
}
