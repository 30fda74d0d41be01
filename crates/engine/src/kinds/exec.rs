//! `exec`: runs a command, unless its checks say that it need not run.

mod command;
mod model;
mod parse;
mod saved_output;

use std::path::Path;
use std::sync::{Arc, PoisonError};

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, software};
use ordain_process::interruption;

use crate::kind::{
    Action, Change, Instance, Kind, KindError, Level, LogLine, LogSource, ParseContext, ParseResult,
};
use crate::system::accounts;
use crate::system::host::Host;
use crate::system::path::own_ids;
use crate::system::runner::{Invocation, Outcome, RunAs};
use crate::system::watch::{Program, Watch};
use command::{CommandLine, ExecutionContext};
use model::{Checks, ExecInstance, LogOutput};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exec;

impl Kind for Exec {
    fn schema(&self) -> &KindSchema {
        &software::EXEC
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        parse::parse(resource).map(|exec| Box::new(exec) as Box<dyn Instance>)
    }
}

impl ExecInstance {
    /// Whether no check says that the command need not run.
    fn wanted(&self, host: &Host) -> Result<bool, KindError> {
        if self.is_outdated(host)? {
            return Ok(true);
        }
        if self.creates.iter().any(|p| host.stat(p).is_ok()) {
            return Ok(false);
        }
        for check in &self.unless {
            let cwd = self.checks.unless_cwd.as_deref();
            if self.check("unless", check, cwd, host)?.is_some() {
                return Ok(false);
            }
        }
        let mut last = None;
        for check in &self.onlyif {
            last = self.check("onlyif", check, self.checks.onlyif_cwd.as_deref(), host)?;
            if last.is_none() {
                return Ok(false);
            }
        }
        let Checks { onlyif_output, onlyif_stdout, .. } = &self.checks;
        let is = |wanted: &Option<String>, written: Option<String>| {
            wanted.as_ref().is_some_and(|wanted| *wanted == written.unwrap_or_default())
        };
        let written =
            last.map(|outcome| saved_output::SavedOutput::of(&outcome)).unwrap_or_default();
        Ok(!is(onlyif_output, written.output) && !is(onlyif_stdout, written.stdout))
    }

    /// Whether a watched file changed since the last run of the command.
    fn is_outdated(&self, host: &Host) -> Result<bool, KindError> {
        if self.checks.newer.is_empty() {
            return Ok(false);
        }
        let last = saved_output::last_run(host, &self.title);
        for path in &self.checks.newer {
            let changed = std::fs::metadata(host.path(path)).and_then(|meta| meta.modified());
            let changed = changed.map_err(|e| {
                KindError::new(format!("Could not look at {}: {e}", path.display()))
            })?;
            if last.is_none_or(|last| changed > last) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The output of a check, if it succeeded.
    fn check(
        &self,
        name: &str,
        check: &CommandLine,
        cwd: Option<&Path>,
        host: &Host,
    ) -> Result<Option<Outcome>, KindError> {
        let merged = self.checks.onlyif_stdout.is_none();
        match self.execution_context.run(check, cwd, merged, host) {
            Ok(outcome) => Ok(Some(outcome).filter(Outcome::success)),
            Err(command::RunError::TimedOut) => {
                let shown = self.shown(check);
                self.log(Some(Level::Error), format!("Check {name} {shown} exceeded timeout"));
                Ok(None)
            }
            Err(error) => Err(KindError::new(error.to_string())),
        }
    }

    /// The program whose output triggers checks of the resource.
    fn program(&self, watch: &CommandLine, host: &Host) -> Result<Program, KindError> {
        let name = format!("The watch command {}", self.shown(watch));
        let cwd = self.watch_triggers.watch_cwd.as_deref();
        let invocation = self.execution_context.invocation(watch, cwd, false, host);
        let invocation = invocation.map_err(|e| KindError::new(format!("{name}: {e}")))?;
        let invocation = Invocation { timeout: None, ..invocation };
        Ok(Program { name, invocation, is_secret: self.secret })
    }

    fn shown(&self, command: &CommandLine) -> String {
        if self.secret { "[command redacted]".into() } else { format!("'{}'", command.text()) }
    }

    fn log(&self, level: Option<Level>, message: String) {
        let line = LogLine { level, source: LogSource::Property("returns"), message };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn log_output(&self, outcome: &Outcome, failed: bool) {
        let wanted = match self.logoutput {
            LogOutput::Always => true,
            LogOutput::Never => false,
            LogOutput::OnFailure => failed,
        };
        if !wanted {
            return;
        }
        if self.secret {
            self.log(None, "[output redacted]".into());
            return;
        }
        for output in [&outcome.stdout, &outcome.stderr] {
            for line in String::from_utf8_lossy(output).lines() {
                self.log(None, line.to_string());
            }
        }
    }

    fn execute(&self, command: &CommandLine, host: &Host) -> Result<(), KindError> {
        let mut tries = 0;
        let outcome = loop {
            tries += 1;
            let outcome = self
                .execution_context
                .run(command, None, !self.keep_output, host)
                .map_err(|error| KindError::new(error.to_string()))?;
            if self.accepts(&outcome) || tries >= self.tries || !interruption::pause(self.try_sleep)
            {
                break outcome;
            }
        };
        let failed = !self.accepts(&outcome);
        self.log_output(&outcome, failed);
        if failed {
            let (shown, codes) = (self.shown(command), self.returns.join(","));
            let status = outcome.status;
            let text = format!("{shown} returned {status} instead of one of [{codes}]");
            return Err(if self.skip_on_fail {
                KindError::skip(text)
            } else {
                KindError::new(text)
            });
        }
        if let Some(done) = &self.done {
            self.finish(done, host)?;
        }
        if self.keep_output || !self.checks.newer.is_empty() {
            saved_output::save(host, &self.title, &saved_output::SavedOutput::of(&outcome))?;
        }
        Ok(())
    }

    /// Runs the `donecmd` after the command.
    fn finish(&self, done: &CommandLine, host: &Host) -> Result<(), KindError> {
        let outcome = self
            .execution_context
            .run(done, self.done_cwd.as_deref(), true, host)
            .map_err(|error| KindError::new(error.to_string()))?;
        self.log_output(&outcome, !outcome.success());
        if outcome.success() {
            return Ok(());
        }
        let (shown, status) = (self.shown(done), outcome.status);
        Err(KindError::new(format!("{shown} returned {status} after the command")))
    }

    fn accepts(&self, outcome: &Outcome) -> bool {
        self.returns.contains(&outcome.status.to_string())
    }
}

impl Instance for ExecInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let first = std::iter::once(&self.command).chain(&self.done);
        let commands = first.chain(&self.onlyif).chain(&self.unless);
        let programs = commands.filter_map(CommandLine::absolute_program);
        let cwd = self.execution_context.cwd.iter().map(|p| p.to_string_lossy().into_owned());
        let file = |title: String| ResourceRef { kind: "File".into(), title: title.into() };
        let mut wanted: Vec<ResourceRef> = cwd.chain(programs).map(file).collect();
        let is_name = |user: &&String| !user.bytes().all(|b| b.is_ascii_digit());
        if let Some(user) = self.execution_context.user.as_ref().filter(is_name) {
            wanted.push(ResourceRef { kind: "User".into(), title: user.into() });
        }
        wanted
    }

    fn watches(&self, host: &Host) -> Vec<Watch> {
        let paths = self.creates.iter().chain(&self.checks.newer).cloned().map(Watch::Path);
        let watch_triggers = self.watch_triggers.files.iter().map(|path| {
            let is_tree = path.as_os_str().as_encoded_bytes().ends_with(b"/");
            if is_tree { Watch::Tree(path.clone()) } else { Watch::Path(path.clone()) }
        });
        // An error of the command itself is reported when the resource is compared: its program or
        // its user may come with resources before it.
        let program =
            self.watch_triggers.watch.iter().filter_map(|watch| self.program(watch, host).ok());
        let program = program.map(|program| Watch::Program(Arc::new(program)));
        paths.chain(watch_triggers).chain(program).collect()
    }

    fn watches_move(&self) -> bool {
        self.watch_triggers.watch.is_some()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if let Some(watch) = self.watch_triggers.watch.as_ref().filter(|_| host.stays) {
            self.program(watch, host)?;
        }
        if self.refreshonly || !self.wanted(host)? {
            return Ok(Vec::new());
        }
        Ok(vec![Change {
            action: Action::Run,
            property: "returns".into(),
            before: Value::str("notrun"),
            after: Value::list(self.returns.iter().map(|r| Value::str(r.as_str()))),
            text: None,
            message: "executed successfully".into(),
        }])
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        self.execute(&self.command, host)
    }

    fn refreshable(&self) -> bool {
        true
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        if self.wanted(host)? {
            self.execute(self.refresh.as_ref().unwrap_or(&self.command), host)?;
        }
        Ok(())
    }

    fn sent(&self, host: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        if !self.keep_output {
            return Ok(Vec::new());
        }
        let saved_output = saved_output::load(host, &self.title)?.unwrap_or_default();
        let named = [
            ("output", saved_output.output),
            ("stdout", saved_output.stdout),
            ("stderr", saved_output.stderr),
        ];
        Ok(named.into_iter().filter_map(|(name, text)| Some((name, Value::str(text?)))).collect())
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ExecutionContext {
    /// The user that the command runs as, with all its groups.
    fn identity(&self, host: &Host) -> Result<Option<RunAs>, String> {
        let user = match &self.user {
            Some(name) => {
                Some(accounts::user(host, name).ok_or_else(|| format!("Invalid user: {name}"))?)
            }
            None => None,
        };
        let group = match &self.group {
            Some(name) => {
                Some(accounts::group(host, name).ok_or_else(|| format!("Invalid group: {name}"))?)
            }
            None => None,
        };
        let own = own_ids();
        Ok(match (user, group) {
            (None, None) => None,
            (Some(user), group) => Some(RunAs {
                uid: user.uid,
                gid: group.unwrap_or(user.gid),
                groups: Some(accounts::groups_of(host, user)),
            }),
            (None, Some(gid)) => Some(RunAs { uid: own.0, gid, groups: None }),
        })
    }
}
