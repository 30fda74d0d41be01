//! `mailalias`: the recipients of the mail for a name.

use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, machine};

use crate::kind::differences::{Differences, texts};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::records::{Record, RecordFiles, Table};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The table of names.
const TABLE: &str = "/etc/aliases";

/// The kind `mailalias`.
#[derive(Default)]
pub struct Mailalias {
    files: Arc<RecordFiles<Alias>>,
}

/// A line of the table.
#[derive(Clone, PartialEq, Eq)]
struct Alias {
    name: String,
    to: Recipients,
}

#[derive(Clone, PartialEq, Eq)]
enum Recipients {
    These(Vec<String>),
    /// Those that a file names.
    File(String),
}

impl Record for Alias {
    fn parse(line: &str) -> Option<(String, Self)> {
        if line.starts_with(['#', ' ', '\t']) {
            return None;
        }
        let (name, rest) = line.split_once(':')?;
        let (name, rest) = (name.trim().to_string(), rest.trim());
        let to = match rest.strip_prefix(":include:") {
            Some(file) => Recipients::File(file.trim().to_string()),
            None => Recipients::These(split(rest)),
        };
        Some((name.clone(), Self { name, to }))
    }

    fn print(&self) -> String {
        let to = match &self.to {
            Recipients::File(file) => format!(":include: {file}"),
            Recipients::These(all) => {
                all.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(",")
            }
        };
        format!("{}: {to}", self.name)
    }
}

/// The items between commas outside quotes, without their quotes.
fn split(text: &str) -> Vec<String> {
    let (mut all, mut is_quoted, mut start) = (Vec::new(), false, 0);
    let mut add = |part: &str| {
        let part = part.trim();
        let bare = part.trim_start_matches(['\'', '"']).trim_end_matches(['\'', '"']);
        all.extend((!part.is_empty()).then(|| bare.to_string()));
    };
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                add(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    add(&text[start..]);
    all
}

/// A recipient, in quotes if it is more than a name.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-+_@.".contains(c);
    if text.chars().all(is_plain) { text.to_string() } else { format!("\"{text}\"") }
}

impl Kind for Mailalias {
    fn schema(&self) -> &KindSchema {
        &machine::MAILALIAS
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["aliases"], &[]);
        let name = p.name();
        if name.is_empty() || name.contains([':', '\n', '#']) {
            p.error("name", format!("'{name}' is not a valid alias"));
        }
        let (recipients, file) = (p.list("recipient"), p.text("file"));
        if recipients.iter().flatten().any(|one| one.contains(['\n', '"'])) {
            p.error("recipient", "a recipient is one line without quotes");
        }
        if let Some(file) = file.as_ref().filter(|file| !file.starts_with('/')) {
            p.error("file", format!("File paths must be fully qualified, not '{file}'"));
        }
        if recipients.is_some() && file.is_some() {
            p.error_of_all("You cannot specify both a recipient and a file");
        }
        let alias = AliasInstance {
            name,
            present: p.choice("ensure") != Some("absent"),
            to: recipients.map(Recipients::These).or(file.map(Recipients::File)),
            table: Table::of(&mut p, &self.files, TABLE),
            secrets: p.secrets(),
        };
        p.finish(Box::new(alias) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        self.files.unwanted(host, TABLE, "Mailalias")
    }

    fn instance_watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(TABLE.into())]
    }
}

struct AliasInstance {
    table: Table<Alias>,
    name: String,
    present: bool,
    to: Option<Recipients>,
    secrets: Vec<String>,
}

/// The property that holds the recipients, and its value.
fn shown(to: &Recipients) -> (&'static str, Value) {
    match to {
        Recipients::These(all) => ("recipient", texts(all)),
        Recipients::File(file) => ("file", Value::str(file.as_str())),
    }
}

impl Instance for AliasInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.table.watches()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let file = self.table.read(host)?;
        let mut differences = Differences::new(&self.secrets);
        match (file.get(&self.name), self.present) {
            (None, true) if self.to.is_none() => {
                return Err(KindError::new("a new alias needs a recipient or a file"));
            }
            (None, true) => differences.create("absent", Value::str("present")),
            (Some(_), false) => differences.remove(Value::str("present"), "absent", "removed"),
            (Some(now), true) => {
                if let Some(wanted) = self.to.as_ref().filter(|wanted| **wanted != now.to) {
                    let ((was, before), (name, after)) = (shown(&now.to), shown(wanted));
                    let before = if was == name { before } else { Value::Null };
                    differences.property(name, before, after);
                }
            }
            (None, false) => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        self.table.change(host, &self.name, |now| {
            let to = self.to.clone().or_else(|| now.map(|now| now.to.clone()));
            to.filter(|_| self.present).map(|to| Alias { name: self.name.clone(), to })
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn lines_are_parsed_and_printed() {
        for (line, printed) in [
            ("ftp:   root,me@h", "ftp: root,me@h"),
            ("x: \"|/bin/a, b\", c", "x: \"|/bin/a, b\",c"),
            ("l: :include: /etc/l", "l: :include: /etc/l"),
            ("none:", "none: "),
        ] {
            assert_eq!(Alias::parse(line).unwrap().1.print(), printed);
        }
        for other in ["# a: b", "", "  more@h", "word"] {
            assert!(Alias::parse(other).is_none(), "{other}");
        }
    }
}
