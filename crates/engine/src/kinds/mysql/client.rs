//! The client program: SQL goes to its standard input, so that no argument shows a secret.

use std::path::Path;
use std::time::Duration;

use rustix::fs::FileType;

use crate::kind::KindError;
use crate::kinds::shared::command::{CommandContext, find_program};
use crate::system::host::Host;
use crate::system::path::is;

/// The options of root's client, which has the password.
pub(super) const OPTIONS: &str = "/root/.my.cnf";

/// The encrypted options of root's client.
const LOGIN: &str = "/root/.mylogin.cnf";

/// The names of the program. Newer versions of MariaDB have only the second.
const PROGRAMS: [&str; 2] = ["mysql", "mariadb"];

/// How long SQL may take.
const LIMIT: Duration = Duration::from_secs(300);

/// A version, for comparisons.
pub(super) type Number = [u32; 3];

/// The product that a server is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Product {
    /// MySQL, also in the form of Percona.
    Mysql,
    /// MariaDB.
    Mariadb,
}

/// The version of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Version {
    /// Its product.
    pub(super) product: Product,
    /// Its number.
    pub(super) number: Number,
}

impl Version {
    /// Reads the result of `SELECT VERSION()`.
    pub(super) fn parse(text: &str) -> Self {
        let is_mariadb = text.to_ascii_lowercase().contains("mariadb");
        let product = if is_mariadb { Product::Mariadb } else { Product::Mysql };
        // Replication makes old clients see a prefix before the version of MariaDB.
        let text = text.strip_prefix("5.5.5-").filter(|_| is_mariadb).unwrap_or(text);
        let mut parts = text.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse());
        let mut next = || parts.next().and_then(Result::ok).unwrap_or(0);
        Self { product, number: [next(), next(), next()] }
    }

    /// Whether it is at least one of these versions, that of its own product.
    pub(super) fn is_at_least(self, mysql: Number, mariadb: Number) -> bool {
        let least = if self.product == Product::Mysql { mysql } else { mariadb };
        self.number >= least
    }

    /// Whether it is a version of MariaDB from one number up to another.
    pub(super) fn is_mariadb_within(self, least: Number, below: Number) -> bool {
        self.product == Product::Mariadb && (least..below).contains(&self.number)
    }
}

/// A version that no server has.
pub(super) const NEVER: Number = [u32::MAX; 3];

fn is_file(host: &Host, path: &str) -> bool {
    host.stat(Path::new(path)).is_ok_and(|stat| is(&stat, FileType::RegularFile))
}

/// Whether the machine has the client.
pub(super) fn exists(host: &Host) -> bool {
    PROGRAMS.iter().any(|name| find_program(host, name).is_ok())
}

/// Runs SQL; returns the rows of all results. With `secret`, errors do not show the SQL.
///
/// # Errors
/// When the client is missing, or a statement fails.
fn run(host: &Host, sql: &str, secret: bool) -> Result<Vec<Vec<String>>, KindError> {
    let program = PROGRAMS.iter().find_map(|name| find_program(host, name).ok());
    let program = program.ok_or_else(|| {
        let text = "Could not find command 'mysql': install the client of MySQL or MariaDB";
        KindError::new(text)
    })?;
    let mut environment = Vec::new();
    let mut words = vec![program];
    if is_file(host, LOGIN) {
        environment.push(("MYSQL_TEST_LOGIN_FILE".to_string(), LOGIN.to_string()));
    } else if is_file(host, OPTIONS) {
        words.push(format!("--defaults-extra-file={OPTIONS}"));
    }
    words.extend(["--database=mysql", "--skip-column-names", "--batch"].map(str::to_string));
    let context = CommandContext {
        environment,
        stdin: sql.as_bytes().to_vec(),
        timeout: Some(LIMIT),
        ..CommandContext::default()
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = context.ask(host, &words)?;
    if !outcome.success() {
        let stderr = String::from_utf8_lossy(&outcome.stderr).trim().to_string();
        let text = if secret {
            // The server quotes the part of a statement that it does not understand.
            let about = stderr.split_once(':').map_or(stderr.as_str(), |(about, _)| about);
            format!("SQL failed: {about}")
        } else {
            format!("SQL failed: {stderr}; the SQL was: {sql}")
        };
        return Err(KindError::new(text));
    }
    let text = outcome.stdout_text();
    Ok(text.lines().map(|line| line.split('\t').map(unescape).collect()).collect())
}

/// Runs queries; returns the rows of all results.
///
/// # Errors
/// As of [`execute`].
pub(super) fn query(host: &Host, sql: &str) -> Result<Vec<Vec<String>>, KindError> {
    run(host, sql, false)
}

/// Runs statements in one session.
///
/// # Errors
/// When the client is missing, or a statement fails; the later ones do not run then.
pub(super) fn execute(host: &Host, statements: &[String], secret: bool) -> Result<(), KindError> {
    if statements.is_empty() {
        return Ok(());
    }
    run(host, &(statements.join(";\n") + ";\n"), secret).map(drop)
}

/// The version of the server.
///
/// # Errors
/// As of [`execute`].
pub(super) fn version(host: &Host) -> Result<Version, KindError> {
    let rows = query(host, "SELECT VERSION()")?;
    let text = rows.first().and_then(|row| row.first());
    Ok(Version::parse(text.map_or("", String::as_str)))
}

/// The text of a column, whose control characters the client escapes.
fn unescape(field: &str) -> String {
    let mut out = String::new();
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('0') => out.push('\0'),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// A name as an identifier.
pub(super) fn identifier(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// An account `USER@HOST` as SQL writes it.
pub(super) fn account(name: &str) -> String {
    match name.rsplit_once('@') {
        Some((user, host)) => format!("{}@{}", literal(user), literal(host)),
        None => literal(name),
    }
}

/// The parts of an account `USER@HOST`: the user may be in quotes, the host is in lower case.
pub(super) fn parse_account(text: &str) -> Option<(String, String)> {
    let (user, host) = text.rsplit_once('@')?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || "_%.:-/".contains(c);
    let quote = user.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'));
    let user = match quote {
        Some(quote) => {
            let inner = user.get(1..)?.strip_suffix(quote)?;
            (!inner.contains(quote)).then_some(inner)?
        }
        None => user,
    };
    let is_valid = !host.is_empty() && (host.chars().all(is_host) || quote.is_none());
    (is_valid && !text.chars().any(char::is_control))
        .then(|| (user.to_string(), host.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_words_of_servers() {
        let version = |text: &str| {
            let Version { product, number } = Version::parse(text);
            (product, number)
        };
        assert_eq!(version("10.11.6-MariaDB-0+deb12u1"), (Product::Mariadb, [10, 11, 6]));
        assert_eq!(version("5.5.5-10.3.9-MariaDB"), (Product::Mariadb, [10, 3, 9]));
        assert_eq!(version("8.0.36-28"), (Product::Mysql, [8, 0, 36]));
        assert_eq!(version("5.7.6-rc-log"), (Product::Mysql, [5, 7, 6]));
        assert!(Version::parse("8.0.36").is_at_least([5, 7, 6], NEVER));
        assert!(!Version::parse("10.1.0-MariaDB").is_at_least([5, 7, 6], [10, 2, 0]));
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(account("o'neil@home@%"), "'o''neil@home'@'%'");
        assert_eq!(literal("a\\"), "'a\\\\'");
        assert_eq!(identifier("a`b"), "`a``b`");
        assert_eq!(unescape(r"a\\_b\tc"), "a\\_b\tc");
    }

    #[test]
    fn accounts_have_a_host() {
        let parsed = |text: &str| parse_account(text).map(|(user, host)| format!("{user} {host}"));
        assert_eq!(parsed("a@b@Local.Host").as_deref(), Some("a@b local.host"));
        assert_eq!(parsed("'a.b'@10.0.0.0/255.0.0.0").as_deref(), Some("a.b 10.0.0.0/255.0.0.0"));
        assert_eq!(parsed("@%").as_deref(), Some(" %"));
        for wrong in ["root", "a@", "'a@b", "'a@h h", "'a'b'@h"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
