//! `alternatives` and `alternative_entry`: the links of update-alternatives.

use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, modules};

use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::tools::POLL_INTERVAL;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::command::CommandContext;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The program.
const UPDATE: &str = "update-alternatives";

/// The directory with the state of the program.
const STATE: &str = "/var/lib/dpkg/alternatives";

/// The directory of the links.
const LINKS: &str = "/etc/alternatives";

fn update(host: &Host, words: &[&str]) -> Result<String, KindError> {
    let all: Vec<&str> = std::iter::once(UPDATE).chain(words.iter().copied()).collect();
    Ok(CommandContext::default().run(host, &all)?.stdout_text())
}

/// Keeps the files that a change of an alternative touches.
fn keep(host: &Host, name: &str, link: Option<&str>) -> Result<(), KindError> {
    let paths = [format!("{STATE}/{name}"), format!("{LINKS}/{name}")];
    let all = paths.iter().map(String::as_str).chain(link);
    for path in all {
        host.keep(path.as_ref(), false)
            .map_err(|e| KindError::new(format!("Could not read {path}: {e}")))?;
    }
    Ok(())
}

/// Refuses a text that the program would take for an option, or for several words of its files.
fn check_word(p: &mut Params<'_>, attribute: &str, word: &str) {
    if word.is_empty() || word.starts_with('-') || word.contains(char::is_whitespace) {
        p.error(attribute, format!("'{word}' is no name of an alternative"));
    }
}

fn check_path(p: &mut Params<'_>, attribute: &str, path: Option<&str>) {
    if path.is_some_and(|path| !path.starts_with('/')) {
        p.error(attribute, "path must be a fully qualified path");
    }
}

/// The kind `alternatives`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alternatives;

impl Kind for Alternatives {
    fn schema(&self) -> &KindSchema {
        &modules::ALTERNATIVES
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["dpkg"], &["rpm"]);
        let name = p.name();
        check_word(&mut p, "name", &name);
        let path = p.text("path");
        check_path(&mut p, "path", path.as_deref());
        let mode = p.choice("mode");
        p.finish(Box::new(Choice { name, path, mode }) as Box<dyn Instance>)
    }
}

/// The alternative that is chosen.
struct Choice {
    name: String,
    path: Option<String>,
    mode: Option<&'static str>,
}

/// An alternative as it is.
struct Selection {
    mode: String,
    path: String,
}

impl Choice {
    fn now(&self, host: &Host) -> Result<Option<Selection>, KindError> {
        let text = update(host, &["--get-selections"])?;
        let found = text.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let (name, mode, path) = (words.next()?, words.next()?, words.next()?);
            (name == self.name).then(|| Selection { mode: mode.into(), path: path.into() })
        });
        Ok(found)
    }
}

impl Instance for Choice {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let entry = |path: &String| ResourceRef {
            kind: "Alternative_entry".into(),
            title: path.as_str().into(),
        };
        self.path.iter().map(entry).collect()
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        [STATE, LINKS].map(|dir| Watch::Path(format!("{dir}/{}", self.name).into())).to_vec()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        let now = self.now(host)?;
        if let Some(wanted) = &self.path {
            let now = now.as_ref().map(|selection| selection.path.as_str());
            if now != Some(wanted) {
                let now = now.map_or(Value::Null, Value::str);
                to.property("path", now, Value::str(wanted.as_str()));
            }
        }
        if let Some(wanted) = self.mode {
            let Some(now) = &now else {
                let text = format!("there are no alternatives for {}", self.name);
                return Err(KindError::new(text));
            };
            if now.mode != wanted {
                to.property("mode", Value::str(now.mode.as_str()), Value::str(wanted));
            }
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        keep(host, &self.name, None)?;
        if let Some(path) = self.path.as_ref().filter(|_| changes(made, "path")) {
            update(host, &["--set", &self.name, path])?;
        }
        if !changes(made, "mode") {
            return Ok(());
        }
        match (self.mode, self.now(host)?) {
            (Some("auto"), _) => update(host, &["--auto", &self.name]).map(drop),
            // The choice stays, and is no longer that of the program.
            (Some(_), Some(now)) => update(host, &["--set", &self.name, &now.path]).map(drop),
            _ => Ok(()),
        }
    }
}

/// The kind `alternative_entry`.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlternativeEntry;

impl Kind for AlternativeEntry {
    fn schema(&self) -> &KindSchema {
        &modules::ALTERNATIVE_ENTRY
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["dpkg"], &["rpm"]);
        // The title may be the path and the link, with a colon between them.
        let title = p.name();
        let (path, link) = match title.rsplit_once(':') {
            Some((path, link)) => (path.to_string(), Some(link.to_string())),
            None => (title, None),
        };
        let link = p.text("altlink").or(link);
        check_path(&mut p, "name", Some(&path));
        check_path(&mut p, "altlink", link.as_deref());
        let present = p.choice("ensure") != Some("absent");
        let name = p.text("altname");
        for (attribute, word) in [("altname", &name), ("altlink", &link)] {
            match word {
                Some(word) => check_word(&mut p, attribute, word),
                None if attribute == "altname" || present => {
                    p.error(attribute, format!("{attribute} is needed"));
                }
                None => {}
            }
        }
        check_word(&mut p, "name", &path);
        let priority = p.integer("priority", "priority must be an integer");
        if priority.is_none() && present {
            p.error("priority", "priority is needed");
        }
        let entry = Entry {
            path,
            link: link.unwrap_or_default(),
            name: name.unwrap_or_default(),
            priority,
            present,
        };
        p.finish(Box::new(entry) as Box<dyn Instance>)
    }
}

/// A file that an alternative can be.
struct Entry {
    path: String,
    link: String,
    name: String,
    priority: Option<i64>,
    present: bool,
}

impl Entry {
    /// The priority of the file among the alternatives, if it is one of them.
    fn now(&self, host: &Host) -> Result<Option<i64>, KindError> {
        let words = [UPDATE, "--query", &self.name];
        let outcome = CommandContext::default().ask(host, &words)?;
        // The program fails if there are no alternatives of the name.
        let text = outcome.stdout_text();
        let mut lines = text.lines();
        let is_own = |line: &str| line.strip_prefix("Alternative: ") == Some(self.path.as_str());
        if !lines.any(is_own) {
            return Ok(None);
        }
        let priority = lines.find_map(|line| line.strip_prefix("Priority: "));
        Ok(priority.and_then(|priority| priority.trim().parse().ok()))
    }

    fn install(&self, host: &Host) -> Result<(), KindError> {
        let priority = self.priority.unwrap_or_default().to_string();
        let words = ["--install", &self.link, &self.name, &self.path, &priority];
        update(host, &words).map(drop)
    }
}

impl Instance for Entry {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(format!("{STATE}/{}", self.name).into())]
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        if let Some(now) = to.ensure(self.now(host)?, self.present)
            && let Some(wanted) = self.priority.filter(|wanted| *wanted != now)
        {
            to.property("priority", Value::Int(now), Value::Int(wanted));
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if made.is_empty() {
            return Ok(());
        }
        keep(host, &self.name, Some(self.link.as_str()).filter(|link| !link.is_empty()))?;
        match self.present {
            false => update(host, &["--remove", &self.name, &self.path]).map(drop),
            // Another priority is a new entry for the program.
            true => self.install(host),
        }
    }
}
