//! Reading the attributes of an `exec`.

use std::path::PathBuf;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;

use super::command::{CommandLine, ExecutionContext, Provider};
use super::model::{Checks, ExecInstance, LogOutput, WatchTriggers};
use crate::kind::AttributeError;
use crate::kind::params::{Params, reveal, scalar_text};

pub(super) fn parse(resource: &Resource) -> Result<ExecInstance, Vec<AttributeError>> {
    let mut attributes = Params::new(resource);
    let a = &mut attributes;
    let execution_context = execution_context(a);
    let command = command_of(a, "command").unwrap_or_else(|| CommandLine::Text(a.title().into()));
    let refresh = command_of(a, "refresh");
    let onlyif = checks(a, "onlyif");
    let unless = checks(a, "unless");
    let done = command_of(a, "done");
    let watch = command_of(a, "watch");
    let named = [
        ("command", Some(&command)),
        ("refresh", refresh.as_ref()),
        ("done", done.as_ref()),
        ("watch", watch.as_ref()),
    ];
    let named = named.into_iter().filter_map(|(name, c)| Some((name, c?)));
    let tests = onlyif.iter().map(|c| ("onlyif", c)).chain(unless.iter().map(|c| ("unless", c)));
    let all: Vec<_> = named.chain(tests).collect();
    for (name, line) in all {
        if execution_context.provider == Provider::Posix {
            check_qualified(a, name, line, &execution_context.path);
        }
    }
    let exec = ExecInstance {
        title: a.title().to_string(),
        checks: Checks {
            onlyif_cwd: directory(a, "onlyif_cwd"),
            onlyif_output: a.text("onlyif_output"),
            onlyif_stdout: a.text("onlyif_stdout"),
            unless_cwd: directory(a, "unless_cwd"),
            newer: paths(a, "newer"),
        },
        watch_triggers: WatchTriggers {
            watch_cwd: directory(a, "watch_cwd"),
            files: paths(a, "watch_files"),
            watch,
        },
        done_cwd: directory(a, "done_cwd"),
        keep_output: a.boolean("keep_output"),
        secret: ["command", "onlyif", "unless", "refresh", "environment", "watch"]
            .iter()
            .any(|n| a.is_secret(n)),
        creates: paths(a, "creates"),
        refreshonly: a.boolean("refreshonly"),
        returns: returns(a),
        skip_on_fail: a.boolean("skip_on_fail"),
        tries: tries(a),
        try_sleep: try_sleep(a),
        logoutput: logoutput(a),
        log: Default::default(),
        command,
        refresh,
        done,
        onlyif,
        unless,
        execution_context,
    };
    attributes.finish(exec)
}

fn execution_context(a: &mut Params<'_>) -> ExecutionContext {
    let provider = match a.index_of("provider", &["posix", "shell"]) {
        Some(1) => Provider::Shell,
        _ => Provider::Posix,
    };
    let path = a
        .list("path")
        .unwrap_or_default()
        .iter()
        .flat_map(|p| p.split(':'))
        .map(str::to_string)
        .collect();
    let cwd = directory(a, "cwd");
    let user = a.text("user");
    ExecutionContext {
        provider,
        path,
        cwd,
        environment: environment(a),
        clean: a.boolean("clean_environment"),
        user,
        group: a.text("group"),
        umask: umask(a),
        timeout: timeout(a),
    }
}

fn directory(a: &mut Params<'_>, name: &str) -> Option<PathBuf> {
    let path = a.text(name).map(PathBuf::from);
    if path.as_ref().is_some_and(|p| !p.is_absolute()) {
        a.error(name, format!("{name} must be a fully qualified path"));
    }
    path
}

fn environment(a: &mut Params<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for setting in a.list("environment").unwrap_or_default() {
        match setting.split_once('=') {
            Some((name, value)) => out.push((name.to_string(), value.to_string())),
            None => {
                let shown = if a.is_secret("environment") { "[redacted]" } else { &setting };
                a.error("environment", format!("Invalid environment setting '{shown}'"));
            }
        }
    }
    out
}

fn umask(a: &mut Params<'_>) -> Option<u32> {
    let text = a.text("umask")?;
    let digits = !text.is_empty() && text.len() <= 4;
    let umask = u32::from_str_radix(&text, 8).ok().filter(|_| digits);
    if umask.is_none() {
        a.error("umask", format!("The umask specification is invalid: \"{text}\""));
    }
    umask
}

fn timeout(a: &mut Params<'_>) -> Option<Duration> {
    let Some(text) = a.list("timeout").unwrap_or_default().into_iter().next() else {
        return Some(Duration::from_secs(300));
    };
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_nan() => {}
        // Nothing and less wait for ever.
        Ok(seconds) if seconds <= 0.0 => return None,
        Ok(seconds) => return Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => {}
    }
    a.error("timeout", "The timeout must be a number.");
    None
}

fn tries(a: &mut Params<'_>) -> u32 {
    let Some(text) = a.list("tries").unwrap_or_default().into_iter().next() else { return 1 };
    match text.parse::<i64>() {
        Ok(n) if n >= 1 => return u32::try_from(n).unwrap_or(u32::MAX),
        Ok(_) => a.error("tries", "Tries must be an integer >= 1"),
        Err(_) => a.error("tries", "Tries must be an integer"),
    }
    1
}

fn try_sleep(a: &mut Params<'_>) -> Duration {
    let Some(text) = a.list("try_sleep").unwrap_or_default().into_iter().next() else {
        return Duration::ZERO;
    };
    match text.parse::<f64>() {
        Ok(n) if n < 0.0 => a.error("try_sleep", "try_sleep cannot be a negative number"),
        Ok(n) => {
            if let Ok(sleep) = Duration::try_from_secs_f64(n) {
                return sleep;
            }
            a.error("try_sleep", "try_sleep must be a number");
        }
        Err(_) => a.error("try_sleep", "try_sleep must be a number"),
    }
    Duration::ZERO
}

fn logoutput(a: &mut Params<'_>) -> LogOutput {
    match a.index_of("logoutput", &["true", "false", "on_failure"]) {
        Some(0) => LogOutput::Always,
        Some(1) => LogOutput::Never,
        _ => LogOutput::OnFailure,
    }
}

fn returns(a: &mut Params<'_>) -> Vec<String> {
    let codes = a.list("returns").unwrap_or_default();
    for code in &codes {
        if code.parse::<i64>().is_err() {
            a.error("returns", format!("returns must be exit codes, not '{code}'"));
        }
    }
    if codes.is_empty() { vec!["0".into()] } else { codes }
}

fn paths(a: &mut Params<'_>, name: &str) -> Vec<PathBuf> {
    let paths = a.list(name).unwrap_or_default();
    for path in paths.iter().filter(|p| !p.starts_with('/')) {
        a.error(name, format!("{name} must be a fully qualified path, not '{path}'"));
    }
    paths.into_iter().map(PathBuf::from).collect()
}

fn command_of(a: &mut Params<'_>, name: &str) -> Option<CommandLine> {
    let value = a.raw(name)?;
    match value {
        Value::Str(text) => Some(CommandLine::Text(text.to_string())),
        Value::List(items) => Some(CommandLine::Argv(argv(a, name, items))),
        _ => {
            let class = a.type_name(name);
            let text =
                format!("Command must be a String or Array<String>, got value of class {class}");
            a.error(name, text);
            None
        }
    }
}

fn argv(a: &mut Params<'_>, name: &str, items: &[Value]) -> Vec<String> {
    let words: Option<Vec<String>> = items.iter().map(|v| scalar_text(reveal(v).0)).collect();
    match words {
        Some(words) if !words.is_empty() => words,
        _ => {
            a.error(name, format!("{name} as a list must hold text, the program first"));
            Vec::new()
        }
    }
}

/// Checks: a text is one command, a list is several; an inner list is the words of one command.
fn checks(a: &mut Params<'_>, name: &str) -> Vec<CommandLine> {
    let Some(value) = a.raw(name) else { return Vec::new() };
    let items = match value {
        Value::List(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    };
    let mut out = Vec::new();
    for item in items {
        match reveal(item).0 {
            Value::Str(text) => out.push(CommandLine::Text(text.to_string())),
            Value::List(words) => out.push(CommandLine::Argv(argv(a, name, words))),
            other => a.error(name, format!("{name} must be commands, not {}", other.kind())),
        }
    }
    out
}

fn check_qualified(a: &mut Params<'_>, name: &str, line: &CommandLine, path: &[String]) {
    if line.qualified() || !path.is_empty() {
        return;
    }
    let shown = if a.is_secret(name) { "[command redacted]".into() } else { line.text() };
    a.error(
        name,
        format!(
            "'{shown}' is not qualified and no path was specified. \
             Please qualify the command or specify a path."
        ),
    );
}
