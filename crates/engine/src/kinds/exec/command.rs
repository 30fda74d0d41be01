//! Command lines: finding the program, and running it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::FileType;

use crate::kind::tools::{in_root, start_failure};
use crate::system::host::Host;
use crate::system::path::is;
use crate::system::runner::{Invocation, Launch, Outcome};

/// The interpreter of a command that is given as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Provider {
    /// The program is found in the search path; a shell interprets the rest only if it needs one.
    Posix,
    /// `/bin/sh -c`.
    Shell,
}

/// A command as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CommandLine {
    /// One text.
    Text(String),
    /// Program and arguments.
    Argv(Vec<String>),
}

/// The reason why a command did not complete.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    /// The time was over.
    #[error("Command exceeded timeout")]
    TimedOut,
    /// It could not be started.
    #[error("{0}")]
    Other(String),
}

/// The environment in which the command and its checks run.
#[derive(Clone, Debug)]
pub(super) struct ExecutionContext {
    pub(super) provider: Provider,
    pub(super) path: Vec<String>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) environment: Vec<(String, String)>,
    /// Whether the environment of this process is hidden from it.
    pub(super) clean: bool,
    pub(super) user: Option<String>,
    pub(super) group: Option<String>,
    pub(super) umask: Option<u32>,
    pub(super) timeout: Option<Duration>,
}

/// Characters with a special meaning in a shell.
const SHELL_CHARACTERS: &str = "*?{}[]<>()~&|\\$;'`\"\n#=%";

/// Words with which a command needs a shell.
const SHELL_WORDS: &[&str] = &[
    ".", ":", "alias", "bg", "break", "case", "cd", "command", "continue", "do", "done", "elif",
    "else", "esac", "eval", "exec", "exit", "export", "fc", "fg", "fi", "for", "function",
    "getopts", "hash", "if", "in", "jobs", "local", "read", "readonly", "return", "select", "set",
    "shift", "source", "then", "time", "times", "trap", "type", "typeset", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "while",
];

impl CommandLine {
    /// The text for messages.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Argv(argv) => argv.join(" "),
        }
    }

    /// The program: the first word, or the text in quotes at the start.
    pub(super) fn program(&self) -> &str {
        let text = match self {
            Self::Argv(argv) => return argv.first().map_or("", String::as_str),
            Self::Text(text) => text.trim_start(),
        };
        for quote in ['"', '\''] {
            if let Some((inner, _)) = text.strip_prefix(quote).and_then(|r| r.split_once(quote)) {
                return inner;
            }
        }
        text.split_whitespace().next().unwrap_or("")
    }

    /// The program if its path is absolute.
    pub(super) fn absolute_program(&self) -> Option<String> {
        let program = self.program();
        program.starts_with('/').then(|| program.to_string())
    }

    /// Whether the program is found without a search path.
    pub(super) fn qualified(&self) -> bool {
        self.program().starts_with('/')
    }

    fn argv(&self, provider: Provider) -> Vec<OsString> {
        let text = match self {
            Self::Argv(argv) => return argv.iter().map(OsString::from).collect(),
            Self::Text(text) => text,
        };
        let mut words = text.split_whitespace().peekable();
        let first = words.peek().copied().unwrap_or_default();
        let needs_shell = provider == Provider::Shell
            || text.contains(|c| SHELL_CHARACTERS.contains(c))
            || SHELL_WORDS.contains(&first);
        if needs_shell {
            return ["/bin/sh", "-c", text].iter().map(OsString::from).collect();
        }
        words.map(OsString::from).collect()
    }
}

impl ExecutionContext {
    /// Runs a command to its end, in its own directory or the common one; with `merge`, both
    /// outputs come as one.
    pub(super) fn run(
        &self,
        command: &CommandLine,
        cwd: Option<&Path>,
        merged: bool,
        host: &Host,
    ) -> Result<Outcome, RunError> {
        let invocation = self.invocation(command, cwd, merged, host)?;
        let failed = |why: String| RunError::Other(format!("{}: {why}", command.program()));
        let outcome = host.run(&invocation).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => RunError::TimedOut,
            _ => failed(error.to_string()),
        })?;
        start_failure(host, &outcome).map_or(Ok(outcome), |why| Err(failed(why)))
    }

    /// The command that [`ExecutionContext::run`] runs.
    pub(super) fn invocation(
        &self,
        command: &CommandLine,
        cwd: Option<&Path>,
        merged: bool,
        host: &Host,
    ) -> Result<Invocation, RunError> {
        // Checked here and not when attributes are read, so that everybody can make a plan.
        if self.user.is_some() && !rustix::process::geteuid().is_root() {
            let text = "Only root can execute commands as other users";
            return Err(RunError::Other(text.into()));
        }
        let mut argv = command.argv(self.provider);
        if self.provider == Provider::Posix {
            let program = self.find(command.program(), host).map_err(RunError::Other)?;
            let is_program = |a: &OsString| a.to_str() == Some(command.program());
            if let Some(first) = argv.first_mut().filter(|a| is_program(a)) {
                *first = program;
            }
        }
        let shown = cwd.or(self.cwd.as_deref());
        if let Some(shown) = shown
            && !host.stat(shown).is_ok_and(|stat| is(&stat, FileType::Directory))
        {
            let text = format!("Working directory {} does not exist!", shown.display());
            return Err(RunError::Other(text));
        }
        let invocation = Invocation {
            launch: Launch {
                argv,
                env: Some(self.child_environment()),
                cwd: shown.map(Path::to_path_buf),
                run_as: self.identity(host).map_err(RunError::Other)?,
                umask: self.umask,
                ..Launch::default()
            },
            merge_stderr: merged,
            timeout: self.timeout,
            ..Invocation::default()
        };
        let failed = |why: String| RunError::Other(format!("{}: {why}", command.program()));
        in_root(host, invocation).map_err(|e| failed(e.to_string()))
    }

    /// The environment of this process without variables about its user, plus the declared
    /// variables.
    fn child_environment(&self) -> Vec<(OsString, OsString)> {
        let own = std::env::vars_os()
            .filter(|(name, _)| !["HOME", "USER", "LOGNAME"].iter().any(|hidden| name == hidden));
        let mut env: Vec<(OsString, OsString)> =
            if self.clean { Vec::new() } else { own.collect() };
        let mut set = |name: &str, value: &str| {
            env.retain(|(n, _)| n != name);
            env.push((name.into(), value.into()));
        };
        if !self.path.is_empty() && !self.clean {
            set("PATH", &self.path.join(":"));
        }
        for (name, value) in &self.environment {
            set(name, value);
        }
        env
    }

    /// The path of the program, which has to exist and be executable.
    fn find(&self, program: &str, host: &Host) -> Result<OsString, String> {
        if program.starts_with('/') {
            let found = host.stat(Path::new(program));
            let found = found.map_err(|_| format!("Could not find command '{program}'"))?;
            if is(&found, FileType::Directory) {
                return Err(format!("'{program}' is a directory, not a file"));
            }
            if found.st_mode & 0o111 == 0 {
                return Err(format!("'{program}' is not executable"));
            }
            return Ok(program.into());
        }
        let candidates = self.path.iter().map(|dir| Path::new(dir).join(program));
        let runs = |path: &Path| {
            host.stat(path)
                .is_ok_and(|stat| is(&stat, FileType::RegularFile) && stat.st_mode & 0o111 != 0)
        };
        let found = candidates.into_iter().find(|path| runs(path));
        found.map(OsString::from).ok_or_else(|| format!("Could not find command '{program}'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> CommandLine {
        CommandLine::Text(text.into())
    }

    #[test]
    fn the_program_is_the_first_word_or_what_is_quoted() {
        assert_eq!(text("  /bin/ls -l").program(), "/bin/ls");
        assert_eq!(text("'/opt/my prog' -l").program(), "/opt/my prog");
        assert_eq!(text("").program(), "");
    }

    #[test]
    fn a_shell_comes_in_only_where_it_is_needed() {
        assert_eq!(text("/bin/echo a b").argv(Provider::Posix).len(), 3);
        assert_eq!(text("/bin/echo $HOME").argv(Provider::Posix)[0], "/bin/sh");
        assert_eq!(text("/bin/echo a").argv(Provider::Shell)[0], "/bin/sh");
        let list = CommandLine::Argv(vec!["/bin/echo".into(), "$HOME".into()]);
        assert_eq!(list.argv(Provider::Shell)[0], "/bin/echo");
    }
}
