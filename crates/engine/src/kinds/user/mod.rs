//! `user`: a local account, through `useradd`, `usermod`, `userdel`, `chage`, `chpasswd`.
//!
//! State is read from passwd, shadow and group. Password hashes are passed to `chpasswd` on
//! standard input and appear in no argument, message or error.

mod act;
mod keys;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::protected::TreeAction;
use ordain_graph::{Resource, ResourceRef, protected};
use ordain_kinds::{KindSchema, accounts};

use crate::kind::differences::{Differences, texts};
use crate::kind::params::Params;
use crate::kind::report::quoted;
use crate::kind::tools::is_live;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::account_files;
use crate::kinds::shared::account_files::{AccountFiles, Accounts, Passwd, date_of_day};
use crate::kinds::shared::instances::unwanted;
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::watch::Watch;

/// Attributes that make a user managed, so that `ensure` is `present` by default.
const PROPERTIES: &[&str] = &[
    "uid",
    "gid",
    "comment",
    "home",
    "shell",
    "groups",
    "password",
    "password_min_age",
    "password_max_age",
    "password_warn_days",
    "expiry",
];

/// Attributes of other systems, with the features that they need.
const FOREIGN_ATTRIBUTES: &[(&str, Option<&str>)] = &[
    ("roles", Some("manages_roles")),
    ("auths", Some("manages_solaris_rbac")),
    ("profiles", Some("manages_solaris_rbac")),
    ("keys", Some("manages_solaris_rbac")),
    ("project", Some("manages_solaris_rbac")),
    ("attributes", Some("manages_aix_lam")),
    ("ia_load_module", Some("manages_aix_lam")),
    ("loginclass", Some("manages_loginclass")),
    ("salt", Some("manages_password_salt")),
    ("iterations", Some("manages_password_salt")),
];

/// Providers of users on other systems.
const FOREIGN_PROVIDERS: &[&str] = &[
    "aix",
    "directoryservice",
    "hpuxuseradd",
    "ldap",
    "openbsd",
    "pw",
    "user_role_add",
    "windows_adsi",
];

/// The kind `user`.
#[derive(Default)]
pub struct User {
    files: Arc<AccountFiles>,
}

/// The time when an account expires.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Expiry {
    Never,
    On(String),
}

/// The desired state.
#[derive(Default)]
struct DesiredAccount {
    uid: Option<u32>,
    /// Name or number.
    gid: Option<String>,
    comment: Option<String>,
    home: Option<String>,
    shell: Option<String>,
    groups: Option<Vec<String>>,
    password: Option<String>,
    min: Option<i64>,
    max: Option<i64>,
    warn: Option<i64>,
    expiry: Option<Expiry>,
}

struct UserInstance {
    files: Arc<AccountFiles>,
    name: String,
    /// `None`: nothing is managed.
    present: Option<bool>,
    wanted: DesiredAccount,
    inclusive: bool,
    manage_home: bool,
    system: bool,
    allow_duplicate: bool,
    force_local: bool,
    purge_keys: keys::Purge,
    secrets: Vec<String>,
    remarks: Vec<String>,
}

impl Kind for User {
    fn schema(&self) -> &KindSchema {
        &accounts::USER
    }

    fn parse(&self, resource: &Resource, _context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["useradd"], FOREIGN_PROVIDERS);
        let name = p.name();
        account_files::check_account_name(&mut p, &name);
        let present = parse_ensure(&mut p);
        let wanted = parse_wanted(&mut p);
        for name in ["role", "auth", "profile", "key", "attribute"] {
            p.choice(&format!("{name}_membership"));
        }
        p.leave_out("useradd", FOREIGN_ATTRIBUTES);
        let user = UserInstance {
            files: self.files.clone(),
            name,
            present,
            wanted,
            inclusive: p.choice("membership") == Some("inclusive"),
            manage_home: p.boolean("managehome"),
            system: p.boolean("system"),
            allow_duplicate: p.boolean("allowdupe"),
            force_local: p.boolean("forcelocal"),
            purge_keys: keys::parse(&mut p),
            secrets: p.secrets(),
            remarks: p.remarks(),
        };
        p.finish(Box::new(user) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let accounts = self.files.read(host)?;
        Ok(accounts.user_names().into_iter().map(|name| unwanted("User", name, &[])).collect())
    }

    fn instance_watches(&self, _: &Host) -> Vec<Watch> {
        account_files::watches()
    }
}

fn parse_ensure(p: &mut Params<'_>) -> Option<bool> {
    match p.choice("ensure") {
        Some("role") => {
            let feature = "Provider useradd must have features 'manages_solaris_rbac'";
            p.error("ensure", format!("{feature} to set 'ensure' to 'role'"));
            None
        }
        Some(word) => Some(word == "present"),
        None => PROPERTIES.iter().any(|name| p.has(name)).then_some(true),
    }
}

fn parse_wanted(p: &mut Params<'_>) -> DesiredAccount {
    let uid = p.text("uid").and_then(|t| {
        let uid = t.parse().ok();
        if uid.is_none() {
            p.error("uid", format!("Invalid UID {t}"));
        }
        uid
    });
    let age = |p: &mut Params<'_>, name, what| {
        p.integer(name, &format!("Password {what} must be provided as a number."))
    };
    DesiredAccount {
        uid,
        gid: p.text("gid"),
        comment: p.text("comment"),
        home: p.text("home"),
        shell: p.text("shell"),
        groups: parse_groups(p),
        password: parse_password(p),
        min: age(p, "password_min_age", "minimum age"),
        max: age(p, "password_max_age", "maximum age"),
        warn: age(p, "password_warn_days", "warning days"),
        expiry: parse_expiry(p),
    }
}

fn parse_groups(p: &mut Params<'_>) -> Option<Vec<String>> {
    let groups = p.list("groups")?;
    for group in &groups {
        let message = if group.is_empty() {
            "Group names must not be empty. If you want to specify \"no groups\" pass an empty array"
        } else if group.contains(',') {
            "Group names must be provided as an array, not a comma-separated list."
        } else if group.bytes().all(|b| b.is_ascii_digit()) {
            "Group names must be provided, not GID numbers."
        } else {
            continue;
        };
        p.error("groups", message);
    }
    Some(groups)
}

fn parse_password(p: &mut Params<'_>) -> Option<String> {
    let password = p.text("password")?;
    if password.contains(':') {
        p.error("password", "Passwords cannot include ':'");
    } else if password.contains(['\n', '\r']) {
        p.error("password", "Passwords cannot include newlines");
    }
    Some(password)
}

fn parse_expiry(p: &mut Params<'_>) -> Option<Expiry> {
    let text = p.text("expiry")?;
    if text == "absent" {
        return Some(Expiry::Never);
    }
    let digits = |range: std::ops::Range<usize>| {
        text.get(range).is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit()))
    };
    let dashes = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    if text.len() == 10 && dashes && digits(0..4) && digits(5..7) && digits(8..10) {
        return Some(Expiry::On(text));
    }
    p.error("expiry", "Expiry dates must be YYYY-MM-DD or the string \"absent\"");
    None
}

impl UserInstance {
    fn find(&self, host: &Host, accounts: &Accounts) -> Option<Passwd> {
        let local = accounts.user(&self.name).cloned();
        if local.is_some() || self.force_local || !is_live(host) {
            return local;
        }
        account_files::from_names_service(&self.name)
    }

    /// The desired groups, sorted.
    fn wanted_groups(&self, now: &[String]) -> Option<Vec<String>> {
        account_files::desired_names(self.wanted.groups.as_deref(), now, self.inclusive)
    }

    fn compare_passwd(&self, now: &Passwd, accounts: &Accounts, to: &mut Differences<'_>) {
        let wanted = &self.wanted;
        let text = |to: &mut Differences<'_>, name, now: &str, wanted: &Option<String>| {
            if let Some(wanted) = wanted.as_deref().filter(|w| *w != now) {
                to.property(name, Value::str(now), Value::str(wanted));
            }
        };
        text(to, "home", &now.home, &wanted.home);
        if let Some(uid) = wanted.uid.filter(|u| *u != now.uid) {
            to.property("uid", Value::Int(now.uid.into()), Value::Int(uid.into()));
        }
        if let Some(gid) = wanted.gid.as_ref().filter(|g| accounts.gid_of(g) != Some(now.gid)) {
            let after = gid.parse().map_or_else(|_| Value::str(gid.as_str()), Value::Int);
            to.property("gid", Value::Int(now.gid.into()), after);
        }
        text(to, "comment", &now.comment, &wanted.comment);
        text(to, "shell", &now.shell, &wanted.shell);
    }

    fn compare_shadow(
        &self,
        accounts: &Accounts,
        to: &mut Differences<'_>,
    ) -> Result<(), KindError> {
        let wanted = &self.wanted;
        let ages = [wanted.min, wanted.max, wanted.warn];
        if wanted.password.is_none() && ages.iter().all(Option::is_none) {
            return Ok(());
        }
        let now = accounts.shadow(&self.name)?;
        if let Some(password) = &wanted.password {
            let before = now.map_or(Value::Null, |s| Value::str(s.password.as_str()));
            if before.as_str() != Some(password) {
                let (before, after) = (secret(before), secret(Value::str(password.as_str())));
                to.property("password", before, after);
            }
        }
        let names = ["password_min_age", "password_max_age", "password_warn_days"];
        let current = [now.and_then(|s| s.min), now.and_then(|s| s.max), now.and_then(|s| s.warn)];
        for ((name, wanted), now) in names.into_iter().zip(ages).zip(current) {
            // An empty field is -1 to the tools.
            let now = now.unwrap_or(-1);
            if let Some(wanted) = wanted.filter(|w| *w != now) {
                to.property(name, Value::Int(now), Value::Int(wanted));
            }
        }
        Ok(())
    }

    fn compare_groups(&self, accounts: &Accounts, to: &mut Differences<'_>) {
        let now = accounts.groups_of(&self.name);
        let current = account_files::sorted_names(now);
        if let Some(wanted) = self.wanted_groups(now).filter(|w| *w != current) {
            let after = texts(&wanted);
            let message = format!("groups changed {} to {}", now.join(","), quoted(&after));
            to.property_as("groups", texts(now), after, message);
        }
    }

    fn compare_expiry(
        &self,
        accounts: &Accounts,
        to: &mut Differences<'_>,
    ) -> Result<(), KindError> {
        let Some(wanted) = &self.wanted.expiry else { return Ok(()) };
        let day = accounts.shadow(&self.name)?.and_then(|s| s.expire).filter(|d| *d >= 0);
        let now = day.map(date_of_day);
        let wanted = match wanted {
            Expiry::Never => None,
            Expiry::On(date) => Some(date),
        };
        if now.as_ref() != wanted {
            let value = |t: Option<&String>| t.map_or(Value::Null, |t| Value::str(t.as_str()));
            to.property("expiry", value(now.as_ref()), value(wanted));
        }
        Ok(())
    }
}

impl UserInstance {
    /// Refuses to remove a home directory that is protected or contains other homes.
    fn refuse_home(&self, host: &Host, accounts: &Accounts, now: &Passwd) -> Result<(), KindError> {
        if !self.manage_home || !now.home.starts_with('/') {
            return Ok(());
        }
        let home = PathBuf::from(protected::normal(&now.home));
        let failed = |why: &dyn std::fmt::Display| {
            KindError::new(format!("Could not remove the home of user {}: {why}", self.name))
        };
        host.may(TreeAction::Remove, &home).map_err(|e| failed(&e))?;
        match resolve(host, &home, true) {
            Ok(place) => host.may_at(TreeAction::Remove, &place).map_err(|e| failed(&e))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(failed(&e)),
        }
        let others = accounts.user_names().into_iter().filter(|name| *name != self.name);
        let inside = |name: &&str| {
            let other = accounts.user(name).map(|other| protected::normal(&other.home));
            other.is_some_and(|other| Path::new(&other).starts_with(&home))
        };
        if host.allowed.remove.contains(&home) {
            return Ok(());
        }
        let mut others = others;
        match others.find(inside) {
            None => Ok(()),
            Some(other) => {
                let home = home.display();
                Err(failed(&format!(
                    "{home} is also the home of {other} or around it; --allow-remove {home} \
                     permits it"
                )))
            }
        }
    }

    /// The current properties of the account, managed or not.
    fn observed_in(
        &self,
        found: Option<&Passwd>,
        accounts: &Accounts,
    ) -> Vec<(&'static str, Value)> {
        const NAMES: [&str; 12] = [
            "ensure",
            "home",
            "uid",
            "gid",
            "comment",
            "shell",
            "password",
            "password_min_age",
            "password_max_age",
            "password_warn_days",
            "groups",
            "expiry",
        ];
        let Some(now) = found else { return NAMES.map(|name| (name, Value::Null)).to_vec() };
        let mut out = vec![
            ("ensure", Value::str("present")),
            ("home", Value::str(now.home.as_str())),
            ("uid", Value::Int(now.uid.into())),
            ("gid", Value::Int(now.gid.into())),
            ("comment", Value::str(now.comment.as_str())),
            ("shell", Value::str(now.shell.as_str())),
        ];
        // Only root may read it.
        if let Ok(Some(shadow)) = accounts.shadow(&self.name) {
            let age = |days: Option<i64>| Value::Int(days.unwrap_or(-1));
            let expiry = shadow.expire.filter(|day| *day >= 0).map(date_of_day);
            out.extend([
                ("password", secret(Value::str(shadow.password.as_str()))),
                ("password_min_age", age(shadow.min)),
                ("password_max_age", age(shadow.max)),
                ("password_warn_days", age(shadow.warn)),
            ]);
            out.push(("expiry", expiry.map_or(Value::Null, Value::str)));
        }
        // As Puppet orders them.
        out.insert(out.len().min(10), ("groups", texts(accounts.groups_of(&self.name))));
        out
    }
}

fn secret(value: Value) -> Value {
    Value::Secret(Arc::new(value))
}

impl Instance for UserInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        account_files::watches()
    }

    fn autorequires(&self) -> Vec<ResourceRef> {
        let names = self.wanted.gid.iter().chain(self.wanted.groups.iter().flatten());
        let group = |n: &String| ResourceRef { kind: "Group".into(), title: n.as_str().into() };
        names.map(group).collect()
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.remarks.clone()
    }

    fn observed(&self, host: &Host) -> Result<Option<Vec<(&'static str, Value)>>, KindError> {
        let accounts = self.files.read(host)?;
        Ok(Some(self.observed_in(self.find(host, &accounts).as_ref(), &accounts)))
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let accounts = self.files.read(host)?;
        let found = self.find(host, &accounts);
        let mut to = Differences::new(&self.secrets);
        match (found, self.present) {
            (Some(now), Some(false)) => {
                self.refuse_home(host, &accounts, &now)?;
                to.remove(Value::str("present"), "absent", "removed");
            }
            (None, Some(true)) => to.create("absent", Value::str("present")),
            (Some(now), _) => {
                self.compare_passwd(&now, &accounts, &mut to);
                self.compare_shadow(&accounts, &mut to)?;
                self.compare_groups(&accounts, &mut to);
                self.compare_expiry(&accounts, &mut to)?;
            }
            (None, _) => {}
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        let done = self.act(host, changes);
        self.files.forget();
        done
    }

    fn generate(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let accounts = self.files.read(host)?;
        let home = self.wanted.home.clone().or_else(|| self.find(host, &accounts).map(|u| u.home));
        self.purge_keys.resources(host, &self.name, home.as_deref())
    }
}
