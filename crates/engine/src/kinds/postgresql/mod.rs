//! `postgresql_psql`: SQL that psql runs. The SQL is one argument of the program, or its input if it
//! is a secret; no shell reads it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, databases};

use crate::kind::params::{Params, reveal, scalar};
use crate::kind::{Action, Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::command::{CommandContext, find_program};
use crate::system::host::Host;

/// The interval of checks: each may ask the server.
const INTERVAL: Duration = Duration::from_secs(60);

/// The kind `postgresql_psql`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostgresqlPsql;

impl Kind for PostgresqlPsql {
    fn schema(&self) -> &KindSchema {
        &databases::POSTGRESQL_PSQL
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["ruby"], &[]);
        let name = p.name();
        let secrets = p.secrets();
        let is_sensitive = p.choice("sensitive") == Some("true");
        let text = |p: &mut Params<'_>, name: &str, default: &str| {
            p.text(name).filter(|text| !text.is_empty()).unwrap_or_else(|| default.to_string())
        };
        let cwd = PathBuf::from(text(&mut p, "cwd", "/tmp"));
        if !cwd.is_absolute() {
            p.error("cwd", "cwd must be an absolute path");
        }
        let (environment, remarks) = environment(&mut p);
        let context = CommandContext {
            cwd: Some(cwd),
            user: Some(text(&mut p, "psql_user", "postgres")),
            group: Some(text(&mut p, "psql_group", "postgres")),
            environment,
            secret: is_sensitive || !secrets.is_empty(),
            hides_own_user: true,
            merges_output: true,
            ..CommandContext::default()
        };
        let psql = Psql {
            command: p.text("command").unwrap_or(name),
            is_secret: is_sensitive || secrets.iter().any(|name| name == "command"),
            unless: p.text("unless"),
            onlyif: p.text("onlyif"),
            search_path: p.list("search_path").map(|schemas| schemas.join(",")),
            program: text(&mut p, "psql_path", "psql"),
            options: options(&mut p),
            refresh_only: p.choice("refreshonly") == Some("true"),
            instance: text(&mut p, "instance", "main"),
            context,
            remarks,
        };
        p.finish(Box::new(psql) as Box<dyn Instance>)
    }
}

/// The options that choose the server and the database.
fn options(p: &mut Params<'_>) -> Vec<String> {
    let mut options = Vec::new();
    for (attribute, option) in [("db", "-d"), ("port", "-p")] {
        if let Some(value) = p.text(attribute) {
            options.extend([option.to_string(), value]);
        }
    }
    options
}

/// The variables of psql, and warnings about them.
fn environment(p: &mut Params<'_>) -> (Vec<(String, String)>, Vec<String>) {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut remarks = Vec::new();
    match p.raw("connect_settings") {
        Some(Value::Map(map)) => {
            for (name, value) in map.iter() {
                let pair = scalar(name).zip(scalar(reveal(value).0));
                match pair.filter(|(name, _)| !name.is_empty() && !name.contains(['=', '\0'])) {
                    Some(pair) => all.push(pair),
                    None => p.error("connect_settings", "a setting must be a text"),
                }
            }
        }
        Some(_) => p.error("connect_settings", "connect_settings must be a hash"),
        None => {}
    }
    let is_secret = p.secrets().iter().any(|name| name == "environment");
    let is_word = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    for setting in p.list("environment").unwrap_or_default() {
        let Some((name, value)) = setting.split_once('=') else {
            let shown = if is_secret { "[redacted]" } else { &setting };
            p.error("environment", format!("Invalid environment setting '{shown}'"));
            continue;
        };
        if !is_word(name) || value.is_empty() {
            let shown = if is_secret { "[redacted]" } else { &setting };
            remarks.push(format!("Cannot understand environment setting {shown:?}"));
            continue;
        }
        let before = all.len();
        all.retain(|(known, _)| known != name);
        if all.len() < before {
            let shown = if is_secret || name == "NEWPGPASSWD" { "****" } else { value };
            remarks.push(format!("Overriding environment setting '{name}' with '{shown}'"));
        }
        all.push((name.to_string(), value.to_string()));
    }
    (all, remarks)
}

struct Psql {
    command: String,
    is_secret: bool,
    unless: Option<String>,
    onlyif: Option<String>,
    search_path: Option<String>,
    program: String,
    options: Vec<String>,
    refresh_only: bool,
    instance: String,
    context: CommandContext,
    remarks: Vec<String>,
}

impl Psql {
    /// Runs SQL; returns the output.
    fn run(&self, host: &Host, sql: &str, what: &str) -> Result<String, KindError> {
        let sql = match &self.search_path {
            Some(path) => format!("set search_path to {path}; {sql}"),
            None => sql.to_string(),
        };
        let (sql, is_expanded) = self.expand(sql);
        let options = self.options.iter().map(String::as_str);
        let mut words: Vec<&str> = std::iter::once(self.program.as_str()).chain(options).collect();
        words.extend(["-t", "-X"]);
        let mut context = self.context.clone();
        // Others can see arguments. From its input, psql takes a backslash for a command of its own.
        if (context.secret || is_expanded) && !sql.contains('\\') {
            words.extend(["-v", "ON_ERROR_STOP=1"]);
            // As an argument, several statements are one transaction.
            words.extend(sql.trim_end().trim_end_matches(';').contains(';').then_some("-1"));
            words.extend(["-f", "-"]);
            context.stdin = sql.into_bytes();
        } else {
            words.extend(["-c", &sql]);
        }
        let outcome = context.ask(host, &words)?;
        let output = outcome.stdout_text();
        if outcome.success() {
            return Ok(output);
        }
        let status = outcome.status;
        let shown = if self.context.secret { "[redacted]" } else { output.trim_end() };
        Err(KindError::new(format!("Error {what}; psql returned {status}: '{shown}'")))
    }

    /// The SQL with the variables of `environment` in place of their names. Older releases of the
    /// module pass passwords so, and let a shell expand them.
    fn expand(&self, sql: String) -> (String, bool) {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut out, mut rest, mut is_expanded) = (String::new(), sql.as_str(), false);
        while let Some((before, after)) = rest.split_once('$') {
            let name = &after[..after.find(|c| !is_word(c)).unwrap_or(after.len())];
            let value = self.context.environment.iter().find(|(known, _)| known == name);
            out.push_str(before);
            match value {
                Some((_, value)) => out.push_str(value),
                None => out.extend(["$", name]),
            }
            is_expanded |= value.is_some();
            rest = &after[name.len()..];
        }
        out.push_str(rest);
        (out, is_expanded)
    }

    /// Whether a query has rows.
    fn has_rows(&self, host: &Host, query: &str, clause: &str) -> Result<bool, KindError> {
        let sql = format!("SELECT COUNT(*) FROM ({query}) count");
        let output = self.run(host, &sql, &format!("evaluating '{clause}' clause"))?;
        // With `search_path`, the name of the first statement comes before the number.
        let number = output.lines().filter_map(|line| line.trim().parse::<u64>().ok()).next_back();
        Ok(number.is_some_and(|number| number > 0))
    }

    /// Whether the conditions hold.
    fn is_wanted(&self, host: &Host) -> Result<bool, KindError> {
        if let Some(query) = &self.onlyif
            && !self.has_rows(host, query, "onlyif")?
        {
            return Ok(false);
        }
        match &self.unless {
            Some(query) => Ok(!self.has_rows(host, query, "unless")?),
            None => Ok(true),
        }
    }

    /// Whether the machine has the program.
    fn has_program(&self, host: &Host) -> bool {
        match self.program.starts_with('/') {
            true => host.stat(self.program.as_ref()).is_ok(),
            false => find_program(host, &self.program).is_ok(),
        }
    }

    fn execute(&self, host: &Host) -> Result<(), KindError> {
        self.run(host, &self.command, "executing SQL").map(drop)
    }
}

impl Instance for Psql {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let title = format!("postgresql::server::service::end::{}", self.instance);
        vec![ResourceRef { kind: "Anchor".into(), title: title.as_str().into() }]
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(INTERVAL)
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.remarks.clone()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        // A machine without the program gets it, and the server, in the same run.
        if self.refresh_only || (self.has_program(host) && !self.is_wanted(host)?) {
            return Ok(Vec::new());
        }
        let command = Value::str(self.command.as_str());
        let shown = if self.is_secret { "[redacted]" } else { self.command.as_str() };
        let message = match self.is_secret {
            true => "changed [redacted] to [redacted]".to_string(),
            false => format!("command changed 'notrun' to '{shown}'"),
        };
        Ok(vec![Change {
            action: Action::Run,
            property: "command".to_string(),
            before: Value::str("notrun"),
            after: if self.is_secret { Value::Secret(Arc::new(command)) } else { command },
            text: None,
            message,
        }])
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        if changes.is_empty() { Ok(()) } else { self.execute(host) }
    }

    fn is_verified(&self) -> bool {
        false
    }

    fn refreshable(&self) -> bool {
        true
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        if self.is_wanted(host)? { self.execute(host) } else { Ok(()) }
    }
}
