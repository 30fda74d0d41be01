//! `mysql_database`: a database with its character set.

use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, databases};

use super::{INTERVAL, client, required};
use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;

/// The kind `mysql_database`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MysqlDatabase;

impl Kind for MysqlDatabase {
    fn schema(&self) -> &KindSchema {
        &databases::MYSQL_DATABASE
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["mysql"], &[]);
        let name = p.name();
        let present = p.choice("ensure") != Some("absent");
        let charset = word(&mut p, "charset", "utf8");
        let collate = word(&mut p, "collate", "utf8_general_ci");
        let database = Database { name, present, charset, collate };
        p.finish(Box::new(database) as Box<dyn Instance>)
    }
}

/// The name of a character set or a collation, which SQL takes without quotes.
fn word(p: &mut Params<'_>, attribute: &str, default: &str) -> String {
    let word = p.text(attribute).unwrap_or_else(|| default.to_string());
    if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        p.error(attribute, format!("'{word}' is no {attribute}"));
    }
    word
}

/// The name that newer servers have for a character set or a collation: `utf8` is another name of
/// `utf8mb3`.
fn current(word: &str) -> String {
    let word = word.to_ascii_lowercase();
    match word.strip_prefix("utf8") {
        Some(rest) if rest.is_empty() || rest.starts_with('_') => format!("utf8mb3{rest}"),
        _ => word,
    }
}

struct Database {
    name: String,
    present: bool,
    charset: String,
    collate: String,
}

impl Database {
    /// The character set and the collation, if the database exists.
    fn now(&self, host: &Host) -> Result<Option<(String, String)>, KindError> {
        let sql = format!(
            "SELECT DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME \
             FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = {}",
            client::literal(&self.name)
        );
        let rows = client::query(host, &sql)?;
        let pair = |row: Vec<String>| {
            let mut fields = row.into_iter();
            Some((fields.next()?, fields.next()?))
        };
        Ok(rows.into_iter().next().and_then(pair))
    }
}

impl Instance for Database {
    fn autorequires(&self) -> Vec<ResourceRef> {
        required(true)
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        // A machine without a client gets it, and the server, in the same run.
        let now = if client::exists(host) { self.now(host)? } else { None };
        if let Some((charset, collate)) = to.ensure(now, self.present) {
            let both = [("charset", charset, &self.charset), ("collate", collate, &self.collate)];
            for (name, now, wanted) in both {
                if current(&now) != current(wanted) {
                    to.property(name, Value::str(now.as_str()), Value::str(wanted.as_str()));
                }
            }
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let Self { charset, collate, .. } = self;
        let name = client::identifier(&self.name);
        let mut statements = Vec::new();
        if changes(made, "ensure") {
            statements.push(match self.present {
                true => format!(
                    "CREATE DATABASE IF NOT EXISTS {name} CHARACTER SET {charset} COLLATE {collate}"
                ),
                false => format!("DROP DATABASE IF EXISTS {name}"),
            });
        }
        if changes(made, "charset") {
            statements.push(format!("ALTER DATABASE {name} CHARACTER SET {charset}"));
        }
        // Another character set has brought its own default collation.
        if changes(made, "collate") || changes(made, "charset") {
            statements.push(format!("ALTER DATABASE {name} COLLATE {collate}"));
        }
        client::execute(host, &statements, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_of_character_sets_equal_the_new_ones() {
        assert_eq!(current("utf8"), current("utf8mb3"));
        assert_eq!(current("utf8_general_ci"), current("utf8mb3_general_ci"));
        assert_ne!(current("utf8"), current("utf8mb4"));
    }
}
