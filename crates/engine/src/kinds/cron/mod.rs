//! `cron`: a job in a user's crontab.
//!
//! The comment `# Puppet Name: TITLE` above a job identifies it, as in existing crontabs.
//! Environment settings between this marker and the job belong to the job. All other lines stay
//! unchanged.

mod spool;
mod table;
mod values;

use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, software};

use crate::kind::differences::{Differences, changes, texts};
use crate::kind::params::Params;
use crate::kind::report::quoted;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::account_files;
use crate::kinds::shared::account_files::AccountFiles;
use crate::kinds::shared::instances::unwanted;
use crate::system::file_cache::Cached;
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::editing;
use table::{FIELDS, Job, Table};
use values::DesiredValue;

/// The kind `cron`.
#[derive(Default)]
pub struct Cron {
    shared: Arc<Shared>,
}

/// State that all jobs share.
#[derive(Default)]
struct Shared {
    accounts: AccountFiles,
    tables: Cached<Table>,
}

/// The desired state.
struct CronInstance {
    shared: Arc<Shared>,
    name: String,
    present: bool,
    command: Option<String>,
    /// In the order of [`FIELDS`].
    times: [Option<DesiredValue<Vec<String>>>; 5],
    special: Option<DesiredValue<String>>,
    environment: Option<DesiredValue<Vec<String>>>,
    /// As declared, for the order of resources.
    declared_user: Option<String>,
    /// The user whose crontab has the job.
    user: Option<String>,
    secrets: Vec<String>,
}

impl Kind for Cron {
    fn schema(&self) -> &KindSchema {
        &software::CRON
    }

    fn parse(&self, resource: &Resource, _context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["crontab"], &[]);
        let name = p.name();
        if name.contains(['\n', '\r']) {
            p.error("name", "the name of a cron job cannot include a newline");
        }
        let present = p.choice("ensure") != Some("absent");
        let command = p.text("command").map(|c| c.trim().to_string());
        if command.as_ref().is_some_and(|c| c.contains(['\n', '\r'])) {
            p.error("command", "the command of a cron job cannot include a newline");
        }
        let times = FIELDS.map(|field| values::time(&mut p, field));
        let special = values::special(&mut p);
        check_schedule(&mut p, special.as_ref(), &times);
        let declared_user = p.text("user");
        let user = declared_user.clone().or_else(|| p.text("target"));
        if let Some(user) = &user {
            account_files::check_account_name(&mut p, user);
        }
        let job = CronInstance {
            shared: self.shared.clone(),
            name,
            present,
            command,
            times,
            special,
            environment: values::environment(&mut p),
            declared_user,
            user,
            secrets: p.secrets(),
        };
        p.finish(Box::new(job) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let mut out = Vec::new();
        let mut nameless = 0;
        for user in spool::users(host)? {
            let table = Table::parse(&spool::read(host, &user)?);
            out.extend(table.jobs.iter().map(|job| gone(job, &user, &mut nameless)));
        }
        Ok(out)
    }

    fn instance_watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Tree(spool::DIRECTORY.into())]
    }
}

/// The resource that removes a job. A job without a name is identified by its command and the
/// number of equal commands before it.
fn gone(job: &Job, user: &str, nameless: &mut u32) -> Resource {
    let (user, command) = (Value::str(user), Value::str(job.command.as_str()));
    match &job.name {
        Some(name) => unwanted("Cron", name, &[("user", user)]),
        None => {
            *nameless += 1;
            let command_word = job.command.split_whitespace().collect::<Vec<_>>().join("_");
            let title = format!("unmanaged:{command_word}-{nameless}");
            unwanted("Cron", &title, &[("user", user), ("command", command)])
        }
    }
}

/// Refuses a special time such as `@daily` together with a minute.
fn check_schedule(
    p: &mut Params<'_>,
    special: Option<&DesiredValue<String>>,
    times: &[Option<DesiredValue<Vec<String>>>; 5],
) {
    let Some(DesiredValue::Is(_)) = special else { return };
    let conflict = |(_, t): &(&str, &Option<_>)| matches!(t, Some(DesiredValue::Is(_)));
    if let Some((field, _)) = FIELDS.into_iter().zip(times).find(conflict) {
        let reference = p.reference();
        let both = "cannot specify both a special schedule and a value for";
        p.error_of_all(format!("{reference} {both} {field}"));
    }
}

impl CronInstance {
    /// The user whose crontab has the job on this machine.
    fn user_on(&self, host: &Host) -> String {
        self.user.clone().unwrap_or_else(|| spool::running_user(host))
    }

    fn read(&self, host: &Host) -> Result<(Arc<Table>, String), KindError> {
        let user = self.user_on(host);
        let path = spool::file_of(host, &user);
        let load = || spool::read(host, &user).map(|text| Table::parse(&text));
        // A file that cannot be read could change unnoticed.
        let table =
            if path.exists() { self.shared.tables.get(&[path], load)? } else { Arc::new(load()?) };
        Ok((table, user))
    }

    /// The job in the table: by its marker, else an equal job without a marker.
    fn find<'t>(&self, table: &'t Table) -> Option<&'t Job> {
        let named = table.named.get(&self.name).map(|i| &table.jobs[*i]);
        named.or_else(|| table.jobs.iter().find(|j| j.name.is_none() && self.describes(j)))
    }

    /// Whether a job has the declared command and times.
    fn describes(&self, job: &Job) -> bool {
        let same_time =
            |(wish, now): (&Option<DesiredValue<Vec<String>>>, &Option<Vec<String>>)| {
                wish.as_ref().is_none_or(|w| w.as_option() == now.as_ref())
            };
        self.command.as_deref() == Some(job.command.as_str())
            && self.times.iter().zip(&job.times).all(same_time)
            && self.special.as_ref().is_none_or(|s| s.as_option() == job.special.as_ref())
    }

    /// The desired job, given the current one.
    fn desired(&self, now: &Job) -> Job {
        let mut job = now.clone();
        job.name = Some(self.name.clone());
        if let Some(command) = &self.command {
            job.command = command.clone();
        }
        for (field, wish) in job.times.iter_mut().zip(&self.times) {
            if let Some(wish) = wish {
                *field = wish.as_option().cloned();
            }
        }
        if let Some(special) = &self.special {
            job.special = special.as_option().cloned();
        }
        if let Some(environment) = &self.environment {
            job.environment = environment.as_option().cloned().unwrap_or_default();
        }
        job
    }

    fn compare_job(&self, now: &Job) -> Vec<Change> {
        let mut to = Differences::new(&self.secrets);
        if let Some(command) = self.command.as_ref().filter(|c| **c != now.command) {
            let before = Value::str(now.command.as_str());
            to.property("command", before, Value::str(command.as_str()));
        }
        let special = self.special.as_ref().filter(|w| w.as_option() != now.special.as_ref());
        if let Some(special) = special {
            let value = |v: Option<&String>| v.map_or(Value::Null, |v| Value::str(v.as_str()));
            to.property("special", value(now.special.as_ref()), value(special.as_option()));
        }
        for ((field, wish), now) in FIELDS.into_iter().zip(&self.times).zip(&now.times) {
            if let Some(wish) = wish.as_ref().filter(|w| w.as_option() != now.as_ref()) {
                let value = |v: Option<&Vec<String>>| v.map_or(Value::Null, texts);
                to.property(field, value(now.as_ref()), value(wish.as_option()));
            }
        }
        self.compare_environment(now, &mut to);
        to.finish()
    }

    fn compare_environment(&self, now: &Job, to: &mut Differences<'_>) {
        let Some(wish) = &self.environment else { return };
        let wanted = wish.as_option().cloned().unwrap_or_default();
        let sorted = |list: &[String]| {
            let mut list = list.to_vec();
            list.sort();
            list
        };
        if sorted(&wanted) == sorted(&now.environment) {
            return;
        }
        let shown = if wanted.is_empty() { "absent".to_string() } else { wanted.join(",") };
        let message = if now.environment.is_empty() {
            format!("defined 'environment' as {shown}")
        } else {
            format!("environment changed {} to {shown}", quoted(&texts(&now.environment)))
        };
        let value = |l: &[String]| if l.is_empty() { Value::Null } else { texts(l) };
        to.property_as("environment", value(&now.environment), value(&wanted), message);
    }
}

impl Instance for CronInstance {
    fn watches(&self, host: &Host) -> Vec<Watch> {
        vec![Watch::Path(spool::inner_file_of(&self.user_on(host)))]
    }

    fn autorequires(&self) -> Vec<ResourceRef> {
        let user = |u: &String| ResourceRef { kind: "User".into(), title: u.as_str().into() };
        self.declared_user.iter().map(user).collect()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let (table, _) = self.read(host)?;
        let mut to = Differences::new(&self.secrets);
        let now = self.find(&table);
        let has_command = self.command.as_ref().is_some_and(|command| !command.is_empty());
        if now.is_none() && self.present && !has_command {
            return Err(KindError::new("no command specified, cannot create"));
        }
        match to.ensure(now, self.present) {
            Some(now) => Ok(self.compare_job(now)),
            None => Ok(to.finish()),
        }
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let _editing = editing(&spool::inner_file_of(&self.user_on(host)));
        let (table, user) = self.read(host)?;
        let found = self.find(&table).cloned();
        let mut table = Table::clone(&table);
        match found {
            Some(job) if changes(made, "ensure") && !self.present => table.remove(&job),
            Some(job) => table.replace(&job, &self.desired(&job)),
            None if self.present => table.append(&self.desired(&Job::default())),
            None => return Ok(()),
        }
        let written = spool::write(host, &self.shared.accounts, &user, &table.text());
        self.shared.tables.clear();
        written
    }
}
