//! Prints the reports of deploys.

use std::io::Write;
use std::path::PathBuf;

use ordain_deploy::{Action, EnvironmentReport, InstallReport, Record, Report};
use ordain_functions::time;
use serde_json::{Value as Json, json};

use crate::exit::Failure;
use crate::ui::{Ui, styles};

/// The number of digits that are shown of an id or a commit.
const SHORT: usize = 10;

/// An environment with its revisions.
pub(super) struct Listed {
    pub(super) directory: PathBuf,
    pub(super) name: String,
    pub(super) current: Option<String>,
    pub(super) records: Vec<Record>,
}

impl Listed {
    pub(super) fn to_json(&self) -> Json {
        let revisions: Json = self.records.iter().map(|r| r.to_json(&self.name)).collect();
        json!({
            "name": self.name, "directory": self.directory.join(&self.name).display().to_string(),
            "current": self.current, "revisions": revisions,
        })
    }
}

/// The start of a digest; ids of adopted directories are whole.
fn short(id: &str) -> &str {
    let is_digest = id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest && id.len() > SHORT { &id[..SHORT] } else { id }
}

/// Prints the results of a deploy.
pub(super) fn report(ui: &mut Ui, report: &Report) -> Result<(), Failure> {
    for environment in &report.environments {
        line(ui, environment)?;
        if !matches!(environment.action, Action::Changed | Action::Created) {
            continue;
        }
        for change in environment.module_changes() {
            let (sign, style, text) = match (&change.old, &change.new) {
                (None, Some(new)) => ("+", styles::ADD, short(new).to_owned()),
                (Some(old), Some(new)) => {
                    ("~", styles::CHANGE, format!("{} -> {}", short(old), short(new)))
                }
                (old, _) => {
                    ("-", styles::REMOVE, old.as_deref().map(short).unwrap_or_default().into())
                }
            };
            let sign = ui.styled(style, sign);
            ui.line(&format!("    {sign} {} {text}", change.name), 8)?;
        }
    }
    if report.environments.is_empty() {
        writeln!(ui.out(), "There is no environment.")?;
    }
    if report.is_dry_run {
        writeln!(ui.out(), "Nothing was written.")?;
    }
    Ok(())
}

/// The sign of a result.
fn sign(ui: &Ui, action: Action) -> String {
    let (sign, style) = match action {
        Action::Created => ("+", styles::ADD),
        Action::Changed => ("~", styles::CHANGE),
        Action::Removed => ("-", styles::REMOVE),
        Action::Failed => ("x", styles::REMOVE),
        Action::Unchanged | Action::Held | Action::Skipped => (".", styles::DIM),
    };
    ui.styled(style, sign)
}

fn line(ui: &mut Ui, environment: &EnvironmentReport) -> Result<(), Failure> {
    let sign = sign(ui, environment.action);
    let commit = |record: &Option<Record>| {
        let commit = record.as_ref().map(|record| record.commit.clone());
        commit.filter(|commit| !commit.is_empty())
    };
    let (old, new) = (commit(&environment.old), commit(&environment.new));
    let commits = match (&old, &new) {
        (Some(old), Some(new)) if old != new => format!(" {} -> {}", short(old), short(new)),
        (_, Some(new)) => format!(" {}", short(new)),
        (Some(old), None) => format!(" {}", short(old)),
        (None, None) => String::new(),
    };
    let ending = match environment.action {
        Action::Held => " since a rollback; --force deploys it",
        Action::Failed if environment.old.is_some() => " and keeps its revision",
        _ => "",
    };
    let (name, action) = (&environment.name, environment.action.name());
    writeln!(ui.out(), "{sign} {name} {action}{commits}{ending}")?;
    Ok(())
}

/// Prints the results of an installation of modules.
pub(super) fn installed(ui: &mut Ui, report: &InstallReport) -> Result<(), Failure> {
    for module in &report.modules {
        let sign = sign(ui, module.action);
        let (old, new) = (module.old.as_ref(), module.new.as_ref());
        let versions = match (module.action, old, new) {
            (Action::Changed, Some(old), Some(new)) => {
                format!(" {} -> {}", short(old.content()), short(new.content()))
            }
            (Action::Removed | Action::Skipped, Some(module), _)
            | (Action::Created | Action::Changed, _, Some(module))
            | (Action::Unchanged, _, Some(module)) => {
                format!(" {}", short(module.content()))
            }
            _ => String::new(),
        };
        let (path, action) = (module.path.display(), module.action.name());
        ui.line(&format!("{sign} {path} {action}{versions}"), 4)?;
    }
    if report.modules.is_empty() {
        writeln!(ui.out(), "The Puppetfile declares no module to install.")?;
    }
    if report.is_dry_run {
        writeln!(ui.out(), "Nothing was written.")?;
    }
    Ok(())
}

/// Prints an environment, and its revisions.
pub(super) fn listed(ui: &mut Ui, listed: &Listed, with_revisions: bool) -> Result<(), Failure> {
    let path = listed.directory.join(&listed.name);
    if !with_revisions {
        let current = listed.records.iter().find(|r| Some(&r.id) == listed.current.as_ref());
        let text = match current {
            Some(record) => revision(record),
            None => "no revision".to_owned(),
        };
        writeln!(ui.out(), "{}  {text}", path.display())?;
        return Ok(());
    }
    writeln!(ui.out(), "{}", path.display())?;
    for record in &listed.records {
        let sign = if Some(&record.id) == listed.current.as_ref() { "*" } else { " " };
        writeln!(ui.out(), "{sign} {}", revision(record))?;
    }
    Ok(())
}

/// A revision in one line: id, time, branch and commit.
fn revision(record: &Record) -> String {
    let nanos = i128::from(record.deployed).saturating_mul(1_000_000);
    let at = time::format("%Y-%m-%d %H:%M:%SZ", nanos, None);
    let at = at.unwrap_or_else(|_| record.deployed.to_string());
    let commit = if record.commit.is_empty() { "unknown" } else { short(&record.commit) };
    format!("{}  {at}  {} {commit}", short(&record.id), record.branch)
}
