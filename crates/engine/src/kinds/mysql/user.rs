//! `mysql_user`: an account of the server.

use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, databases};

use super::client::{NEVER, Product, Version, literal};
use super::{INTERVAL, client, required};
use crate::kind::differences::{Differences, changes, texts};
use crate::kind::params::Params;
use crate::kind::{Action, Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;

/// The limits of an account: the property, the column of `mysql.user`, the word of SQL.
const LIMITS: [(&str, &str, &str); 4] = [
    ("max_user_connections", "max_user_connections", "MAX_USER_CONNECTIONS"),
    ("max_connections_per_hour", "max_connections", "MAX_CONNECTIONS_PER_HOUR"),
    ("max_queries_per_hour", "max_questions", "MAX_QUERIES_PER_HOUR"),
    ("max_updates_per_hour", "max_updates", "MAX_UPDATES_PER_HOUR"),
];

/// The plugin of hashes that begin with an asterisk.
const NATIVE: &str = "mysql_native_password";

/// The versions of MySQL and of MariaDB whose `ALTER USER` changes everything.
const ALTERS: ([u32; 3], [u32; 3]) = ([5, 7, 6], [10, 2, 0]);

/// The kind `mysql_user`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MysqlUser;

impl Kind for MysqlUser {
    fn schema(&self) -> &KindSchema {
        &databases::MYSQL_USER
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["mysql"], &[]);
        let name = p.name();
        let (user, host) = client::parse_account(&name).unwrap_or_else(|| {
            p.error("name", format!("Invalid database user {name}."));
            Default::default()
        });
        let limits = LIMITS.map(|(property, ..)| limit(&mut p, property));
        let account = Account {
            name: format!("{user}@{host}"),
            present: p.choice("ensure") != Some("absent"),
            password: p.text("password_hash"),
            plugin: plugin(&mut p),
            limits,
            tls: tls_options(&mut p),
        };
        p.finish(Box::new(account) as Box<dyn Instance>)
    }
}

fn limit(p: &mut Params<'_>, property: &str) -> Option<String> {
    let text = p.text(property)?;
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        p.error(property, format!("{property} must be a number"));
    }
    Some(text)
}

fn plugin(p: &mut Params<'_>) -> Option<String> {
    let plugin = p.text("plugin")?;
    if plugin.is_empty() || !plugin.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        p.error("plugin", format!("'{plugin}' is no authentication plugin"));
    }
    Some(plugin)
}

/// The requirements for encryption, in the order of the manifest.
fn tls_options(p: &mut Params<'_>) -> Option<Vec<String>> {
    let options = p.list("tls_options")?;
    let is_alone = |option: &String| ["NONE", "SSL", "X509"].contains(&option.as_str());
    if options.iter().any(is_alone) {
        if options.len() > 1 {
            let text = "`tls_options` `property`: The values NONE, SSL and X509 cannot be used \
                        with other options, you may only pick one of them.";
            p.error("tls_options", text);
        }
        return Some(options);
    }
    for option in &options {
        let word = option.to_ascii_uppercase();
        let known = ["CIPHER", "ISSUER", "SUBJECT"].iter().any(|known| word.starts_with(known));
        if !known || option.contains(';') {
            p.error("tls_options", format!("Invalid tls option {option}."));
        }
    }
    Some(options)
}

struct Account {
    /// `USER@HOST`.
    name: String,
    present: bool,
    /// The hash of the password.
    password: Option<String>,
    plugin: Option<String>,
    /// In the order of [`LIMITS`].
    limits: [Option<String>; 4],
    tls: Option<Vec<String>>,
}

/// An account as it is.
struct Current {
    password: String,
    plugin: String,
    limits: Vec<String>,
    tls: Vec<String>,
}

/// The columns with the hash, the plugin and the string of the plugin.
fn columns(version: Version) -> [&'static str; 3] {
    if version.is_at_least([5, 7, 6], NEVER) {
        ["authentication_string", "plugin", "''"]
    } else if version.is_at_least(NEVER, [10, 1, 21]) {
        ["Password", "plugin", "authentication_string"]
    } else {
        ["Password", "plugin", "''"]
    }
}

/// Whether the string of the plugin is the hash of the password.
fn is_hash_of_plugin(version: Version, plugin: &str) -> bool {
    (version.is_at_least(NEVER, [10, 1, 21]) && ["ed25519", NATIVE].contains(&plugin))
        || version.is_mariadb_within([10, 2, 16], [10, 2, 19])
        || version.is_mariadb_within([10, 3, 8], [10, 3, 11])
}

impl Account {
    fn now(&self, host: &Host) -> Result<Option<Current>, KindError> {
        let version = client::version(host)?;
        let limits = LIMITS.map(|(_, column, _)| column).join(", ");
        let text = |column: &str| format!("COALESCE({column}, '')");
        let tls = ["ssl_type", "ssl_cipher", "x509_issuer", "x509_subject"].map(text).join(", ");
        let secrets = columns(version).map(text).join(", ");
        let (user, from) = self.name.rsplit_once('@').unwrap_or((&self.name, ""));
        let sql = format!(
            "SELECT {secrets}, {tls}, {limits} FROM mysql.user WHERE User = {} AND Host = {}",
            literal(user),
            literal(from)
        );
        let Some(row) = client::query(host, &sql)?.into_iter().next() else { return Ok(None) };
        let [password, plugin, string, kind, cipher, issuer, subject, limits @ ..] = &row[..]
        else {
            return Err(KindError::new("the client gave an unknown answer about the account"));
        };
        let is_string = is_hash_of_plugin(version, plugin);
        Ok(Some(Current {
            password: if is_string { string } else { password }.clone(),
            plugin: plugin.clone(),
            limits: limits.to_vec(),
            tls: tls_of(kind, cipher, issuer, subject),
        }))
    }

    fn differences(&self, now: &Current) -> Vec<Change> {
        let mut to = Differences::new(&[]);
        if let Some(wanted) = self.plugin.as_ref().filter(|wanted| **wanted != now.plugin) {
            to.property("plugin", Value::str(now.plugin.as_str()), Value::str(wanted.as_str()));
        }
        for ((property, ..), (wanted, now)) in
            LIMITS.iter().zip(self.limits.iter().zip(&now.limits))
        {
            let number = |text: &str| text.trim_start_matches('0').to_string();
            if let Some(wanted) = wanted.as_ref().filter(|wanted| number(wanted) != number(now)) {
                to.property(property, Value::str(now.as_str()), Value::str(wanted.as_str()));
            }
        }
        if let Some(wanted) = &self.tls {
            let sorted = |options: &[String]| {
                let mut options = options.to_vec();
                options.sort();
                options
            };
            if sorted(wanted) != sorted(&now.tls) {
                to.property("tls_options", texts(&now.tls), texts(wanted));
            }
        }
        let mut all = to.finish();
        if let Some(wanted) = self.password.as_ref().filter(|wanted| **wanted != now.password) {
            let secret = |text: &str| Value::Secret(Arc::new(Value::str(text)));
            all.insert(
                0,
                Change {
                    action: Action::Modify,
                    property: "password_hash".to_string(),
                    before: secret(&now.password),
                    after: secret(wanted),
                    text: None,
                    message: "changed password".to_string(),
                },
            );
        }
        all
    }

    /// The statements that create the account.
    fn creation(&self, version: Version) -> Vec<String> {
        let account = client::account(&self.name);
        let hash = literal(self.password.as_deref().unwrap_or_default());
        let create = match &self.plugin {
            Some(plugin) if self.password.is_none() => {
                format!("CREATE USER {account} IDENTIFIED WITH {plugin}")
            }
            Some(plugin) => format!("CREATE USER {account} IDENTIFIED WITH {plugin} AS {hash}"),
            None if version.is_at_least([5, 7, 6], [10, 1, 3]) => {
                format!("CREATE USER IF NOT EXISTS {account} IDENTIFIED WITH {NATIVE} AS {hash}")
            }
            None => format!("CREATE USER {account} IDENTIFIED BY PASSWORD {hash}"),
        };
        let limits = LIMITS
            .iter()
            .zip(&self.limits)
            .map(|((.., word), limit)| format!("{word} {}", limit.as_deref().unwrap_or("0")));
        let limits = limits.collect::<Vec<_>>().join(" ");
        let none = ["NONE".to_string()];
        let tls = self.tls.as_deref().unwrap_or(&none);
        vec![create, alteration(version, &account, &format!("WITH {limits}")), {
            alteration(version, &account, &format!("REQUIRE {}", tls.join(" AND ")))
        }]
    }

    /// The statement that sets the hash of the password.
    fn password_change(&self, version: Version, hash: &str) -> Result<String, KindError> {
        let account = client::account(&self.name);
        let text = literal(hash);
        if version.is_at_least(NEVER, [10, 1, 21]) && self.plugin.as_deref() == Some("ed25519") {
            if hash.len() != 43 {
                return Err(KindError::new("ed25519 hash should be 43 bytes long."));
            }
            return Ok(self.plugin_change(version, "ed25519"));
        }
        if version.is_at_least(ALTERS.0, ALTERS.1) {
            if !hash.is_empty() && !hash.starts_with('*') {
                let text = "Only mysql_native_password (*ABCD...XXX) hashes are supported.";
                return Err(KindError::new(text));
            }
            return Ok(format!("ALTER USER {account} IDENTIFIED WITH {NATIVE} AS {text}"));
        }
        Ok(format!("SET PASSWORD FOR {account} = {text}"))
    }

    /// The statements that set the plugin.
    fn plugin_change(&self, version: Version, plugin: &str) -> String {
        let account = client::account(&self.name);
        let hash = literal(self.password.as_deref().unwrap_or_default());
        let has_hash =
            plugin == NATIVE || (plugin == "ed25519" && version.is_at_least(NEVER, [10, 1, 21]));
        if version.is_at_least(ALTERS.0, ALTERS.1) {
            let hash = if has_hash { format!(" AS {hash}") } else { String::new() };
            return format!("ALTER USER {account} IDENTIFIED WITH {plugin}{hash}");
        }
        let (user, host) = self.name.rsplit_once('@').unwrap_or((&self.name, ""));
        let stored = match plugin {
            "ed25519" => format!("Password = '', authentication_string = {hash}"),
            NATIVE => format!("Password = {hash}"),
            _ => "Password = ''".to_string(),
        };
        format!(
            "UPDATE mysql.user SET plugin = '{plugin}', {stored} WHERE User = {} AND Host = {};\n\
             FLUSH PRIVILEGES",
            literal(user),
            literal(host)
        )
    }

    /// The statements for changes of an account that exists.
    fn alterations(&self, version: Version, made: &[Change]) -> Result<Vec<String>, KindError> {
        let account = client::account(&self.name);
        let mut all = Vec::new();
        if let Some(hash) = self.password.as_deref().filter(|_| changes(made, "password_hash")) {
            all.push(self.password_change(version, hash)?);
        }
        if let Some(plugin) = self.plugin.as_deref().filter(|_| changes(made, "plugin")) {
            all.push(self.plugin_change(version, plugin));
        }
        for ((property, _, word), wanted) in LIMITS.iter().zip(&self.limits) {
            if let Some(wanted) = wanted.as_ref().filter(|_| changes(made, property)) {
                all.push(alteration(version, &account, &format!("WITH {word} {wanted}")));
            }
        }
        if let Some(tls) = self.tls.as_ref().filter(|_| changes(made, "tls_options")) {
            all.push(alteration(version, &account, &format!("REQUIRE {}", tls.join(" AND "))));
        }
        Ok(all)
    }
}

/// Changes an account, in the words of the version.
fn alteration(version: Version, account: &str, what: &str) -> String {
    match version.is_at_least(ALTERS.0, ALTERS.1) {
        true => format!("ALTER USER {account} {what}"),
        false => format!("GRANT USAGE ON *.* TO {account} {what}"),
    }
}

/// The requirements for encryption that the columns of an account say.
fn tls_of(kind: &str, cipher: &str, issuer: &str, subject: &str) -> Vec<String> {
    match kind {
        "ANY" => vec!["SSL".to_string()],
        "X509" => vec!["X509".to_string()],
        "SPECIFIED" => {
            let all = [("CIPHER", cipher), ("ISSUER", issuer), ("SUBJECT", subject)];
            let all = all.iter().filter(|(_, value)| !value.is_empty());
            all.map(|(name, value)| format!("{name} '{value}'")).collect()
        }
        _ => vec!["NONE".to_string()],
    }
}

impl Instance for Account {
    fn autorequires(&self) -> Vec<ResourceRef> {
        required(true)
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        let now = if client::exists(host) { self.now(host)? } else { None };
        match to.ensure(now, self.present) {
            Some(now) => Ok(self.differences(&now)),
            None => Ok(to.finish()),
        }
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if made.is_empty() {
            return Ok(());
        }
        let version = client::version(host)?;
        let statements = match (changes(made, "ensure"), self.present) {
            (true, true) => self.creation(version),
            (true, false) => {
                let known = version.product == Product::Mysql && version.number >= [5, 7, 0]
                    || version.is_at_least(NEVER, [10, 1, 3]);
                let condition = if known { "IF EXISTS " } else { "" };
                vec![format!("DROP USER {condition}{}", client::account(&self.name))]
            }
            (false, _) => self.alterations(version, made)?,
        };
        client::execute(host, &statements, self.password.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_depend_on_the_version() {
        let account = Account {
            name: "a@h".into(),
            present: true,
            password: Some("*X'".into()),
            plugin: None,
            limits: [Some("3".into()), None, None, None],
            tls: None,
        };
        let new = account.creation(Version::parse("10.11.6-MariaDB")).join("; ");
        let wanted = "CREATE USER IF NOT EXISTS 'a'@'h' IDENTIFIED WITH mysql_native_password AS \
                      '*X'''; ALTER USER 'a'@'h' WITH MAX_USER_CONNECTIONS 3 \
                      MAX_CONNECTIONS_PER_HOUR 0 MAX_QUERIES_PER_HOUR 0 MAX_UPDATES_PER_HOUR 0; \
                      ALTER USER 'a'@'h' REQUIRE NONE";
        assert_eq!(new, wanted);
        let old = account.creation(Version::parse("5.5.60")).join("; ");
        assert!(old.starts_with("CREATE USER 'a'@'h' IDENTIFIED BY PASSWORD '*X'''; GRANT USAGE"));
        let version = Version::parse("5.6.1");
        let changed = account.password_change(version, "*Y").unwrap_or_default();
        assert_eq!(changed, "SET PASSWORD FOR 'a'@'h' = '*Y'");
        assert!(account.password_change(Version::parse("8.0.1"), "Y").is_err());
    }

    #[test]
    fn requirements_are_read_from_columns() {
        assert_eq!(tls_of("", "", "", ""), ["NONE"]);
        assert_eq!(tls_of("SPECIFIED", "A", "", "/CN=b"), ["CIPHER 'A'", "SUBJECT '/CN=b'"]);
    }
}
