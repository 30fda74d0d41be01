//! Reports that are not delivered yet. Each is a file, named by its number.

use std::path::{Path, PathBuf};

use crate::error::AgentError;
use crate::home::{Home, make_private, read_limited, write_private};

/// The maximum length of all reports that wait, in bytes.
pub const MAX_BYTES: u64 = 64 << 20;
/// The file with the number of reports that were dropped.
const DROPPED: &str = "dropped";

/// The reports that wait.
#[derive(Debug)]
pub struct Spool {
    dir: PathBuf,
    max_bytes: u64,
}

impl Spool {
    /// The spool of an agent.
    ///
    /// # Errors
    /// When its directory cannot be made.
    pub fn open(home: &Home) -> Result<Self, AgentError> {
        Self::at(home.path("spool"), MAX_BYTES)
    }

    fn at(dir: PathBuf, max_bytes: u64) -> Result<Self, AgentError> {
        make_private(&dir)?;
        Ok(Self { dir, max_bytes })
    }

    /// Adds a report. The oldest ones are dropped if there is too much. Returns the number of those.
    ///
    /// # Errors
    /// When the report is longer than all may be, or cannot be written.
    pub fn add(&self, report: &[u8]) -> Result<u64, AgentError> {
        let length = report.len() as u64;
        if length > self.max_bytes {
            let text = format!("the report is longer than {} bytes", self.max_bytes);
            return Err(AgentError::damaged(&self.dir, text));
        }
        let waiting = self.numbers();
        let next = waiting.last().map_or(1, |last| last.saturating_add(1));
        let mut total: u64 = waiting.iter().map(|number| self.length(*number)).sum();
        let mut dropped = 0;
        for number in &waiting {
            if total.saturating_add(length) <= self.max_bytes {
                break;
            }
            total = total.saturating_sub(self.length(*number));
            self.remove(*number)?;
            dropped += 1;
        }
        if dropped > 0 {
            self.note_dropped(dropped)?;
        }
        write_private(&self.path(next), report)?;
        Ok(dropped)
    }

    /// The oldest report that waits, and its number.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn oldest(&self) -> Result<Option<(u64, Vec<u8>)>, AgentError> {
        let Some(number) = self.numbers().into_iter().next() else { return Ok(None) };
        let report = read_limited(&self.path(number), self.max_bytes)?;
        Ok(report.map(|report| (number, report)))
    }

    /// Removes a report that was delivered or refused.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, number: u64) -> Result<(), AgentError> {
        let path = self.path(number);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(AgentError::file(&path)(error))
            }
            _ => Ok(()),
        }
    }

    /// The number of reports that wait.
    pub fn count(&self) -> usize {
        self.numbers().len()
    }

    /// The number of reports that were dropped since the last call.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn take_dropped(&self) -> Result<u64, AgentError> {
        let dropped = self.dropped()?;
        if dropped > 0 {
            let path = self.dir.join(DROPPED);
            std::fs::remove_file(&path).map_err(AgentError::file(&path))?;
        }
        Ok(dropped)
    }

    fn dropped(&self) -> Result<u64, AgentError> {
        let text = read_limited(&self.dir.join(DROPPED), 64)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&text).trim().parse().unwrap_or(0))
    }

    fn note_dropped(&self, more: u64) -> Result<(), AgentError> {
        let sum = self.dropped()?.saturating_add(more);
        write_private(&self.dir.join(DROPPED), sum.to_string().as_bytes())
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("{number:020}.json"))
    }

    fn length(&self, number: u64) -> u64 {
        std::fs::metadata(self.path(number)).map_or(0, |metadata| metadata.len())
    }

    /// The numbers of the reports in order.
    fn numbers(&self) -> Vec<u64> {
        let number = |path: &Path| path.file_stem()?.to_str()?.parse().ok();
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut numbers: Vec<u64> = entries.filter_map(|entry| number(&entry.path())).collect();
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_oldest_reports_are_dropped_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::at(dir.path().join("spool"), 100).unwrap();
        for n in 0..5u8 {
            assert_eq!(spool.add(&[n; 30]).unwrap(), if n < 3 { 0 } else { 1 });
        }
        assert_eq!(spool.count(), 3);
        let (number, report) = spool.oldest().unwrap().unwrap();
        assert_eq!((number, report), (3, vec![2; 30]));
        assert_eq!(spool.add(&[9; 90]).unwrap(), 3);
        assert_eq!((spool.take_dropped().unwrap(), spool.take_dropped().unwrap()), (5, 0));
        assert!(spool.add(&[0; 101]).is_err());
        let (number, _) = spool.oldest().unwrap().unwrap();
        spool.remove(number).unwrap();
        assert!(spool.oldest().unwrap().is_none());
    }
}
