//! `mysql_grant`: the privileges of an account on a table.

use std::collections::BTreeSet;
use std::time::Duration;

use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, databases};

use super::{INTERVAL, client, required};
use crate::kind::differences::{Differences, changes, texts};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;

/// The static privileges of MySQL 8: together they are all.
const STATIC: [&str; 30] = [
    "ALTER",
    "ALTER ROUTINE",
    "CREATE",
    "CREATE ROLE",
    "CREATE ROUTINE",
    "CREATE TABLESPACE",
    "CREATE TEMPORARY TABLES",
    "CREATE USER",
    "CREATE VIEW",
    "DELETE",
    "DROP",
    "DROP ROLE",
    "EVENT",
    "EXECUTE",
    "FILE",
    "INDEX",
    "INSERT",
    "LOCK TABLES",
    "PROCESS",
    "REFERENCES",
    "RELOAD",
    "REPLICATION CLIENT",
    "REPLICATION SLAVE",
    "SELECT",
    "SHOW DATABASES",
    "SHOW VIEW",
    "SHUTDOWN",
    "SUPER",
    "TRIGGER",
    "UPDATE",
];

/// The kind `mysql_grant`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MysqlGrant;

impl Kind for MysqlGrant {
    fn schema(&self) -> &KindSchema {
        &databases::MYSQL_GRANT
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["mysql"], &[]);
        let name = p.name().replace('\'', "");
        let present = p.choice("ensure") != Some("absent");
        let of_name =
            name.rsplit_once('/').map(|(user, table)| (user.to_string(), table.to_string()));
        let (named_user, named_table) = of_name.unwrap_or_else(|| (name.clone(), String::new()));
        for attribute in ["privileges", "table", "user"] {
            if present && !p.has(attribute) {
                let text = format!("mysql_grant: `{attribute}` `parameter` is required.");
                p.error_of_all(text);
            }
        }
        let table = p.text("table").map_or(named_table, |table| table.replace('`', ""));
        let written = p.text("user").unwrap_or(named_user);
        let account = client::parse_account(&written);
        if account.is_none() {
            p.error("user", format!("mysql_grant: Invalid database user {written}."));
        }
        let (user, host) = account.unwrap_or_default();
        let grant = Grant {
            user: format!("{user}@{host}"),
            table,
            present,
            privileges: privileges(&p.list("privileges").unwrap_or_default()),
            options: p.list("options"),
        };
        grant.check(&mut p, &name);
        p.finish(Box::new(grant) as Box<dyn Instance>)
    }
}

/// The privileges in one form: in capitals, without repetitions, ordered.
fn privileges(written: &[String]) -> Vec<String> {
    if written.len() > 1 && written.iter().any(|text| text.contains("ALL")) {
        return vec!["ALL".to_string()];
    }
    let all: BTreeSet<String> = written.iter().map(|text| privilege(text)).collect();
    all.into_iter().filter(|one| !["GRANT", "GRANT OPTION"].contains(&one.as_str())).collect()
}

/// A privilege in capitals, with its columns in order.
fn privilege(text: &str) -> String {
    let Some((name, columns)) = text.split_once('(') else {
        let name = text.trim().to_uppercase();
        return if name == "ALL PRIVILEGES" { "ALL".to_string() } else { name };
    };
    let columns = columns.trim_end().trim_end_matches(')');
    let mut columns: Vec<&str> = columns.split(',').map(str::trim).collect();
    columns.sort_unstable();
    format!("{} ({})", name.trim().to_uppercase(), columns.join(", "))
}

/// The privileges on a table as they are.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Current {
    privileges: Vec<String>,
    options: Vec<String>,
}

impl Current {
    /// Whether it has no privilege but the one to connect.
    fn is_usage(&self) -> bool {
        self.privileges == ["USAGE"] && self.options == ["NONE"]
    }
}

struct Grant {
    /// `USER@HOST`.
    user: String,
    /// `DATABASE.TABLE`, with `FUNCTION` or `PROCEDURE` before it, or the account of a proxy.
    table: String,
    present: bool,
    privileges: Vec<String>,
    options: Option<Vec<String>>,
}

impl Grant {
    fn is_proxy(&self) -> bool {
        self.privileges.iter().any(|one| one == "PROXY")
    }

    fn check(&self, p: &mut Params<'_>, name: &str) {
        if self.is_proxy() && self.privileges.len() > 1 {
            let text = "mysql_grant: `privileges` `parameter`: PROXY can only be specified by \
                        itself.";
            p.error("privileges", text);
        }
        if p.has("user") && p.has("table") && *name != format!("{}/{}", self.user, self.table) {
            let text = "mysql_grant: `name` `parameter` must match user@host/table format.";
            p.error_of_all(text);
        }
        let is_table = if self.is_proxy() {
            client::parse_account(&self.table).is_some()
        } else {
            self.table.contains('.') || self.table.contains('@')
        };
        if (self.present || p.has("table")) && !is_table {
            p.error("table", format!("'{}' is no table", self.table));
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || " _(),.-".contains(c) || !c.is_ascii();
        let words = self.privileges.iter().map(|one| one.replace('`', ""));
        if let Some(wrong) = words.into_iter().find(|one| !one.chars().all(is_word)) {
            p.error("privileges", format!("'{wrong}' is no privilege"));
        }
    }

    fn now(&self, host: &Host) -> Result<Option<Current>, KindError> {
        let version = client::version(host)?;
        let account = client::account(&self.user);
        let rows = match client::query(host, &format!("SHOW GRANTS FOR {account}")) {
            Ok(rows) => rows,
            // The account does not exist, or has no privileges.
            Err(e) if e.to_string().contains("ERROR 1141 ") => return Ok(None),
            Err(e) => return Err(e),
        };
        let lines = rows.iter().filter_map(|row| row.first());
        let is_mysql_8 = version.is_at_least([8, 0, 0], client::NEVER);
        Ok(current(lines.map(String::as_str), &self.table, is_mysql_8))
    }

    /// The table as SQL writes it.
    fn on(&self, privileges: &[String]) -> String {
        if privileges.iter().any(|one| one == "PROXY") {
            return client::account(&self.table);
        }
        if self.table == "*.*" {
            return self.table.clone();
        }
        let routine =
            ["FUNCTION ", "PROCEDURE "].iter().find(|word| self.table.starts_with(**word));
        let rest = routine.map_or(self.table.as_str(), |word| &self.table[word.len()..]);
        let (database, table) = rest.rsplit_once('.').unwrap_or((rest, "*"));
        let database =
            if database == "*" { database.to_string() } else { client::identifier(database) };
        let table = if table == "*" { table.to_string() } else { client::identifier(table) };
        format!("{}{database}.{table}", routine.copied().unwrap_or_default())
    }

    fn grant(&self, privileges: &[String], options: &[String]) -> String {
        let with = if options.iter().any(|o| o == "GRANT") { " WITH GRANT OPTION" } else { "" };
        let account = client::account(&self.user);
        format!("GRANT {} ON {} TO {account}{with}", words(privileges), self.on(privileges))
    }

    fn revoke(&self, privileges: &[String]) -> Vec<String> {
        let (on, account) = (self.on(privileges), client::account(&self.user));
        let mut all = Vec::new();
        // The option is revoked first: it is known only as long as there is a privilege.
        if privileges.iter().any(|one| one == "ALL") {
            all.push(format!("REVOKE GRANT OPTION ON {on} FROM {account}"));
        }
        all.push(format!("REVOKE {} ON {on} FROM {account}", words(privileges)));
        all
    }

    /// The statements that change privileges into the wanted ones.
    fn exchange(&self, now: &Current) -> Vec<String> {
        let is_all = |all: &[String]| all.iter().any(|one| one == "ALL");
        let without = |all: &[String], others: &[String]| -> Vec<String> {
            all.iter().filter(|one| !others.contains(one)).cloned().collect()
        };
        let wanted = &self.privileges;
        let (gone, new) = if is_all(&now.privileges) {
            (now.privileges.clone(), wanted.clone())
        } else if is_all(wanted) {
            (Vec::new(), wanted.clone())
        } else {
            (without(&now.privileges, wanted), without(wanted, &now.privileges))
        };
        let mut all = if gone.is_empty() { Vec::new() } else { self.revoke(&gone) };
        if !new.is_empty() {
            all.push(self.grant(&new, &now.options));
        }
        all
    }
}

/// Privileges as SQL lists them.
fn words(privileges: &[String]) -> String {
    if privileges.iter().any(|one| one == "ALL") {
        return "ALL PRIVILEGES".to_string();
    }
    privileges.join(", ")
}

/// The privileges on a table, from the lines of `SHOW GRANTS`.
fn current<'a>(
    lines: impl Iterator<Item = &'a str>,
    table: &str,
    is_mysql_8: bool,
) -> Option<Current> {
    let mut privileges = BTreeSet::new();
    let mut options: Vec<String> = Vec::new();
    let mut found = false;
    for line in lines {
        let line = line.replace(['\'', '`', '"'], "");
        let Some((what, rest)) = line.strip_prefix("GRANT ").and_then(|l| l.split_once(" ON "))
        else {
            continue;
        };
        let Some((on, to)) = rest.split_once(" TO ") else { continue };
        if on.replace("\\\\", "\\") != table {
            continue;
        }
        found = true;
        privileges.extend(split(what).into_iter().map(privilege));
        let option = if to.contains(" WITH GRANT OPTION") { "GRANT" } else { "NONE" };
        if !options.iter().any(|known| known == option) {
            options.push(option.to_string());
        }
    }
    // An account that has only some privileges with the option has the option.
    if options.len() > 1 {
        options = vec!["GRANT".to_string()];
    }
    let are_all = is_mysql_8 && STATIC.iter().all(|one| privileges.contains(*one));
    if are_all || privileges.contains("ALL") {
        privileges = BTreeSet::from(["ALL".to_string()]);
    }
    found.then(|| Current { privileges: privileges.into_iter().collect(), options })
}

/// Cuts at commas that are not in parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let parts = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

impl Instance for Grant {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let user = ResourceRef { kind: "Mysql_user".into(), title: self.user.as_str().into() };
        required(false).into_iter().chain([user]).collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        let now = if client::exists(host) { self.now(host)? } else { None };
        // Every account has USAGE on all tables, which stands for no privilege.
        let now = now.filter(|now| self.present || !now.is_usage());
        if let Some(now) = to.ensure(now, self.present) {
            if now.privileges != self.privileges {
                to.property("privileges", texts(&now.privileges), texts(&self.privileges));
            }
            if let Some(wanted) = self.options.as_ref().filter(|w| **w != now.options) {
                to.property("options", texts(&now.options), texts(wanted));
            }
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if made.is_empty() {
            return Ok(());
        }
        let now = self.now(host)?;
        let empty: Vec<String> = Vec::new();
        let options = self.options.as_ref().unwrap_or(&empty);
        let all = ["ALL".to_string()];
        let mut statements = match now {
            None if self.present => vec![self.grant(&self.privileges, options)],
            // With its account, its privileges are gone.
            None => Vec::new(),
            Some(now) if !self.present => {
                let is_proxy = now.privileges.iter().any(|one| one == "PROXY");
                self.revoke(if is_proxy { &now.privileges } else { &all })
            }
            Some(now) => {
                let mut statements = self.exchange(&now);
                if changes(made, "options") {
                    statements.extend(self.revoke(&all));
                    statements.push(self.grant(&self.privileges, options));
                }
                statements
            }
        };
        statements.push("FLUSH PRIVILEGES".to_string());
        client::execute(host, &statements, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(table: &str, privileges: &[&str]) -> Grant {
        Grant {
            user: "u@h".into(),
            table: table.into(),
            present: true,
            privileges: privileges.iter().map(|one| (*one).to_string()).collect(),
            options: None,
        }
    }

    #[test]
    fn privileges_have_one_form() {
        let form = |all: &[&str]| {
            privileges(&all.iter().map(|one| (*one).to_string()).collect::<Vec<_>>()).join("; ")
        };
        assert_eq!(form(&["update", "SELECT (b,a)", "GRANT", "update"]), "SELECT (a, b); UPDATE");
        assert_eq!(form(&["ALL PRIVILEGES", "select"]), "ALL");
    }

    #[test]
    fn lines_of_a_table_are_found() {
        let lines = [
            "GRANT USAGE ON *.* TO `u`@`h` IDENTIFIED BY PASSWORD '*X'",
            "GRANT SELECT (`b`, `a`), UPDATE ON `d\\\\_b`.`t` TO `u`@`h` WITH GRANT OPTION",
            "GRANT `role` TO `u`@`h`",
        ];
        let found = |table: &str| current(lines.into_iter(), table, false);
        let texts = |all: &[&str]| all.iter().map(|one| (*one).to_string()).collect::<Vec<_>>();
        let wanted =
            Current { privileges: texts(&["SELECT (a, b)", "UPDATE"]), options: texts(&["GRANT"]) };
        assert_eq!(found("d\\_b.t"), Some(wanted));
        assert_eq!(found("d.t"), None);
        let statics = format!("GRANT {} ON *.* TO `u`@`h`", STATIC.join(", "));
        let all = current(["GRANT X_ADMIN ON *.* TO `u`@`h`", &statics].into_iter(), "*.*", true);
        assert_eq!(all.map(|now| now.privileges), Some(texts(&["ALL"])));
    }

    #[test]
    fn statements_name_accounts_and_tables() {
        assert_eq!(
            grant("FUNCTION d.f", &["EXECUTE"]).grant(&["EXECUTE".into()], &["GRANT".into()]),
            "GRANT EXECUTE ON FUNCTION `d`.`f` TO 'u'@'h' WITH GRANT OPTION"
        );
        assert_eq!(
            grant("a@b", &["PROXY"]).revoke(&["PROXY".into()]),
            ["REVOKE PROXY ON 'a'@'b' FROM 'u'@'h'"]
        );
        let now = Current { privileges: vec!["ALL".into()], options: vec!["NONE".into()] };
        let all = grant("d.*", &["SELECT"]).exchange(&now);
        assert_eq!(all.len(), 3);
        assert_eq!(all[2], "GRANT SELECT ON `d`.* TO 'u'@'h'");
    }
}
