//! Commands that a kind runs on the machine as a user, in a directory of the machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::FileType;

use crate::kind::KindError;
use crate::kind::tools::{check, in_root, start_failure};
use crate::system::accounts;
use crate::system::host::Host;
use crate::system::path::{is, own_ids};
use crate::system::runner::{Invocation, Launch, Outcome, RunAs};

/// Where programs are looked for besides the directories of `PATH`.
const PLACES: [&str; 6] =
    ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// Variables about the user of a process.
const USER_VARIABLES: [&str; 6] = ["HOME", "LOGNAME", "MAIL", "SHELL", "USER", "USERNAME"];

/// The surroundings of a command.
#[derive(Clone, Default, Debug)]
pub(crate) struct CommandContext {
    /// Its directory.
    pub(crate) cwd: Option<PathBuf>,
    /// The user that it runs as.
    pub(crate) user: Option<String>,
    /// The group that it runs as.
    pub(crate) group: Option<String>,
    /// Its umask.
    pub(crate) umask: Option<u32>,
    /// Variables that it sees.
    pub(crate) environment: Vec<(String, String)>,
    /// Its input.
    pub(crate) stdin: Vec<u8>,
    /// The time that it may take; without end if there is none.
    pub(crate) timeout: Option<Duration>,
    /// Whether neither its arguments nor its output may be shown.
    pub(crate) secret: bool,
    /// Whether variables about the user of this process are hidden from it.
    pub(crate) hides_own_user: bool,
    /// Whether standard error is written into standard output.
    pub(crate) merges_output: bool,
}

/// The path of a program of the machine.
///
/// # Errors
/// When there is none of this name.
pub(crate) fn find_program(host: &Host, name: &str) -> Result<String, KindError> {
    let own = std::env::var("PATH").unwrap_or_default();
    let places = own.split(':').filter(|place| place.starts_with('/')).chain(PLACES);
    let runs = |path: &String| {
        host.stat(Path::new(path))
            .is_ok_and(|stat| is(&stat, FileType::RegularFile) && stat.st_mode & 0o111 != 0)
    };
    let found = places.map(|place| format!("{place}/{name}")).find(runs);
    found.ok_or_else(|| KindError::new(format!("Could not find command '{name}'")))
}

impl CommandContext {
    /// The identity for a user and a group by name or number; none if neither is set.
    fn identity(&self, host: &Host) -> Result<Option<RunAs>, KindError> {
        let unknown = |what: &str, name: &str| KindError::new(format!("Invalid {what}: {name}"));
        let user = self
            .user
            .as_deref()
            .map(|name| accounts::user(host, name).ok_or_else(|| unknown("user", name)));
        let group = self
            .group
            .as_deref()
            .map(|name| accounts::group(host, name).ok_or_else(|| unknown("group", name)));
        let own = own_ids();
        Ok(match (user.transpose()?, group.transpose()?) {
            (None, None) => None,
            (Some(user), group) => Some(RunAs {
                uid: user.uid,
                gid: group.unwrap_or(user.gid),
                groups: Some(accounts::groups_of(host, user)),
            })
            .filter(|run| run.uid != own.0 || group.is_some_and(|gid| gid != own.1)),
            (None, Some(gid)) => (gid != own.1).then_some(RunAs { uid: own.0, gid, groups: None }),
        })
    }

    /// Runs a command, whose first word is the name of a program or its path; any status is fine.
    ///
    /// # Errors
    /// When it cannot be started, or takes too long.
    pub(crate) fn ask(&self, host: &Host, words: &[&str]) -> Result<Outcome, KindError> {
        let invocation = self.invocation(host, words)?;
        let outcome = host.run(&invocation).map_err(|e| self.failed(words, &e))?;
        start_failure(host, &outcome).map_or(Ok(outcome), |why| Err(self.failed(words, &why)))
    }

    /// The same for a command that has to succeed.
    ///
    /// # Errors
    /// When it fails.
    pub(crate) fn run(&self, host: &Host, words: &[&str]) -> Result<Outcome, KindError> {
        let outcome = self.ask(host, words)?;
        check(&Invocation::new(words.iter().copied()), outcome, self.secret)
    }

    fn failed(&self, words: &[&str], why: &dyn std::fmt::Display) -> KindError {
        let line = if self.secret { "[redacted]".to_string() } else { words.join(" ") };
        KindError::new(format!("Execution of '{line}' failed: {why}"))
    }

    fn invocation(&self, host: &Host, words: &[&str]) -> Result<Invocation, KindError> {
        let (program, arguments) = words.split_first().unwrap_or((&"", &[]));
        let program = match program.starts_with('/') {
            true => (*program).to_string(),
            false => find_program(host, program)?,
        };
        if let Some(cwd) = &self.cwd
            && !host.stat(cwd).is_ok_and(|stat| is(&stat, FileType::Directory))
        {
            let text = format!("Working directory {} does not exist!", cwd.display());
            return Err(KindError::new(text));
        }
        let run_as = self.identity(host)?;
        if run_as.is_some() && !rustix::process::geteuid().is_root() {
            return Err(KindError::new("Only root can execute commands as other users"));
        }
        let locale = [("LC_ALL", "C"), ("LANG", "C")].map(|(n, v)| (n.to_string(), v.to_string()));
        let all = locale.into_iter().chain(self.environment.iter().cloned());
        let own = |name: &OsString| !USER_VARIABLES.iter().any(|hidden| name == hidden);
        let others = || std::env::vars_os().filter(|(name, _)| own(name)).collect();
        let invocation = Invocation {
            launch: Launch {
                env: self.hides_own_user.then(others),
                argv: std::iter::once(program.into())
                    .chain(arguments.iter().map(OsString::from))
                    .collect(),
                set_env: all.map(|(name, value)| (name.into(), value.into())).collect(),
                cwd: self.cwd.clone(),
                run_as,
                umask: self.umask,
                ..Launch::default()
            },
            stdin: self.stdin.clone(),
            merge_stderr: self.merges_output,
            timeout: self.timeout,
        };
        in_root(host, invocation).map_err(|e| self.failed(words, &e))
    }
}
