//! The resources in which the agent crashed. It leaves them out after its restart.

use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::AgentError;
use crate::home::{Home, read_limited, write_private};

/// A resource is tried again after this time, since the state of the machine may have been the cause.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);
/// The maximum length of the file, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// A crash of the agent in a resource.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Crash {
    /// The resource, such as `File[/etc/motd]`.
    pub resource: String,
    /// Equal for equal attributes of the resource.
    pub digest: u64,
    /// The place in Ordain's source.
    pub place: String,
}

/// The file of crashes of one program. Another version of the program may have no such error.
#[derive(Debug)]
pub struct Crashes {
    path: PathBuf,
    program: String,
}

#[derive(Serialize, Deserialize)]
struct CrashFile {
    version: u64,
    program: String,
    crashes: Vec<TimedCrash>,
}

#[derive(Serialize, Deserialize)]
struct TimedCrash {
    /// Seconds since 1970.
    time: i64,
    #[serde(flatten)]
    crash: Crash,
}

impl Crashes {
    /// The crashes of a program, by its version and commit.
    pub fn new(home: &Home, program: &str) -> Self {
        Self { path: home.path("crashes.json"), program: program.to_string() }
    }

    /// The crashes of the last day.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn recent(&self, now: Timestamp) -> Result<Vec<Crash>, AgentError> {
        Ok(self.read(now)?.into_iter().map(|timed| timed.crash).collect())
    }

    /// Records a crash. Returns whether it is new: a restart does not help against one that happens
    /// again although its resource is left out.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn record(&self, crash: Crash, now: Timestamp) -> Result<bool, AgentError> {
        // A damaged file is replaced.
        let mut crashes = self.read(now).unwrap_or_default();
        let is_same = |known: &TimedCrash| {
            known.crash.resource == crash.resource && known.crash.digest == crash.digest
        };
        if crashes.iter().any(is_same) {
            return Ok(false);
        }
        crashes.push(TimedCrash { time: now.as_second(), crash });
        let file = CrashFile { version: 1, program: self.program.clone(), crashes };
        let text =
            serde_json::to_vec(&file).map_err(|error| AgentError::damaged(&self.path, error))?;
        write_private(&self.path, &text)?;
        Ok(true)
    }

    fn read(&self, now: Timestamp) -> Result<Vec<TimedCrash>, AgentError> {
        let Some(text) = read_limited(&self.path, MAX_FILE)? else { return Ok(Vec::new()) };
        let file: CrashFile = serde_json::from_slice(&text)
            .map_err(|error| AgentError::damaged(&self.path, error))?;
        let mut crashes = file.crashes;
        if file.program != self.program || file.version != 1 {
            crashes.clear();
        }
        // A clock that was set back makes no crash last longer.
        crashes.retain(|timed| {
            now.as_second().abs_diff(timed.time) < LIFETIME.unsigned_abs().as_secs()
        });
        Ok(crashes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn crash(resource: &str, digest: u64) -> Crash {
        Crash { resource: resource.into(), digest, place: "a.rs:1:2".into() }
    }

    #[test]
    fn a_crash_is_known_for_a_day_to_the_program_that_had_it() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(&dir.path().join("agent"), &dir.path().join("agent.key")).unwrap();
        let crashes = Crashes::new(&home, "1.0.0 (abc)");
        let start: Timestamp = "2026-11-24T23:30:00Z".parse().unwrap();
        let hours = |number| start + SignedDuration::from_hours(number);
        assert_eq!(crashes.recent(start).unwrap(), []);
        assert!(crashes.record(crash("File[/a]", u64::MAX), start).unwrap());
        assert!(crashes.record(crash("File[/b]", 1), hours(2)).unwrap());
        assert!(!crashes.record(crash("File[/a]", u64::MAX), hours(3)).unwrap());
        assert!(crashes.record(crash("File[/a]", 2), hours(3)).unwrap());

        let again = Crashes::new(&home, "1.0.0 (abc)");
        let found = again.recent(hours(23)).unwrap();
        assert_eq!(
            found,
            [crash("File[/a]", u64::MAX), crash("File[/b]", 1), crash("File[/a]", 2)]
        );
        assert_eq!(again.recent(hours(25)).unwrap(), [crash("File[/b]", 1), crash("File[/a]", 2)]);
        assert_eq!(again.recent(hours(-30)).unwrap(), []);
        assert_eq!(Crashes::new(&home, "1.0.1 (abc)").recent(hours(3)).unwrap(), []);
    }

    #[test]
    fn a_damaged_file_is_an_error_with_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(&dir.path().join("agent"), &dir.path().join("agent.key")).unwrap();
        std::fs::write(home.path("crashes.json"), "{").unwrap();
        let error = Crashes::new(&home, "1").recent(Timestamp::UNIX_EPOCH).unwrap_err();
        assert!(error.to_string().contains("crashes.json: EOF"), "{error}");
    }
}
