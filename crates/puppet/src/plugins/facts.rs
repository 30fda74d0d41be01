//! Custom facts of modules in Ruby, `lib/facter/*.rb`, run for this machine.

use std::path::{Path, PathBuf};

use ordain_data::{Map, Value as Data, json as data_json};
use ordain_plugins::{Fault, Language, Session};
use ordain_source::{Diagnostic, EntryKind};
use serde_json::{Value as Json, json};

use super::answers::type_outline;
use super::wire;
use crate::load::Environment;

/// The code of problems with custom facts.
const CODE: &str = "facts::custom";
/// The owner of the process while facts are collected; no compile has this number.
const OWNER: u64 = 0;

/// The facts of a machine that custom facts can use.
#[derive(Clone, Debug, Default)]
pub struct KnownFacts {
    /// The facts of the system, including legacy facts.
    pub native: Data,
    /// External facts with their weight. A custom fact of a larger weight replaces them.
    pub outside: Vec<(String, i64, Data)>,
}

/// The result of custom facts.
#[derive(Clone, Debug, Default)]
pub struct CustomFacts {
    /// The facts by name.
    pub values: Map,
    /// A warning for each file or fact without a value, and the messages that they log.
    pub problems: Vec<Diagnostic>,
}

impl Environment {
    /// The directories of the modules that have custom facts.
    pub fn fact_dirs(&self) -> Vec<PathBuf> {
        let dirs = self.modules.values().map(|module| module.dir.join("lib/facter"));
        let is_dir = |dir: &PathBuf| self.world.kind(dir) == Some(EntryKind::Directory);
        dirs.filter(is_dir).collect()
    }

    /// Runs the custom facts of directories. They can require the library files of modules.
    pub fn custom_facts(&self, known: &KnownFacts, dirs: &[PathBuf]) -> CustomFacts {
        let has_files = |dir: &PathBuf| {
            let entries = self.world.list(dir).unwrap_or_default();
            entries.iter().any(|(name, _)| name.ends_with(".rb"))
        };
        let dirs: Vec<String> =
            dirs.iter().filter(|dir| has_files(dir)).map(|dir| shown(dir)).collect();
        let mut out = CustomFacts::default();
        if dirs.is_empty() {
            return out;
        }
        if let Err(fault) = self.run_facts(known, &dirs, &mut out) {
            let text = format!("custom facts of modules are left out: {fault}");
            let mut problem = Diagnostic::warning(CODE, text);
            problem = fault.help().into_iter().fold(problem, |p, help| p.help(help.to_owned()));
            out.problems.push(problem);
        }
        out
    }

    fn run_facts(
        &self,
        known: &KnownFacts,
        dirs: &[String],
        out: &mut CustomFacts,
    ) -> Result<(), Fault> {
        let mut session = self.ruby.session(self.world.as_ref(), OWNER)?;
        let done = self.converse_on_facts(&mut session, known, dirs, out);
        drop(session);
        self.ruby.release(OWNER, None);
        done
    }

    fn converse_on_facts(
        &self,
        session: &mut Session<'_>,
        known: &KnownFacts,
        dirs: &[String],
        out: &mut CustomFacts,
    ) -> Result<(), Fault> {
        ask(session, &json!(["begin", self.about_facts()]), &mut out.problems)?;
        let outside = known.outside.iter();
        let outside = outside
            .map(|(name, weight, value)| (name.to_lowercase(), json!([weight, packed(value)])));
        let outside: serde_json::Map<String, Json> = outside.collect();
        let question = json!(["facts", packed(&known.native), outside, dirs]);
        let reply = ask(session, &question, &mut out.problems)?;
        for problem in reply["problems"].as_array().into_iter().flatten() {
            out.problems.push(problem_of(problem));
        }
        for (name, value) in reply["values"].as_object().into_iter().flatten() {
            let text = value.to_string();
            if let Ok(value) = data_json::read_bytes(text.as_bytes()) {
                out.values.insert(name.as_str().into(), value);
            }
        }
        Ok(())
    }

    /// The description of the environment for Ruby code, as in a compile of a node without a name.
    fn about_facts(&self) -> Json {
        let modules = self.modules.values();
        let libs = modules.clone().map(|m| m.dir.join("lib"));
        let libs = libs.filter(|lib| self.world.kind(lib).is_some()).map(|lib| shown(&lib));
        let settings = crate::state::setting_values::fresh("").into_iter();
        let settings: serde_json::Map<_, _> =
            settings.map(|(name, value)| (name.to_owned(), wire::plain(&value))).collect();
        json!({
            "environment": self.name.as_str(),
            "dir": self.dir.as_deref().map(shown),
            "node": "",
            "modulepath": self.modulepath.iter().map(|dir| shown(dir)).collect::<Vec<_>>(),
            "modules": modules.map(|m| json!([m.name.as_str(), shown(&m.dir)])).collect::<Vec<_>>(),
            "libs": libs.collect::<Vec<_>>(),
            "settings": settings,
            "top": 0,
        })
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn packed(value: &Data) -> Json {
    serde_json::from_str(&data_json::compact(value)).unwrap_or_default()
}

/// Sends a request and waits for its answer. Only logging is supported meanwhile, because there is
/// no compile.
fn ask(
    session: &mut Session<'_>,
    question: &Json,
    problems: &mut Vec<Diagnostic>,
) -> Result<Json, Fault> {
    session.send(question)?;
    loop {
        let mut message = session.receive()?;
        match message[0].as_str() {
            Some("ok") => return Ok(message[1].take()),
            Some("err") => {
                let text = message[1]["message"].as_str().unwrap_or_default().to_owned();
                return Err(Fault::Garbled(Language::Ruby, text));
            }
            Some("logs") => {
                for reply in message.as_array().into_iter().flatten().skip(1) {
                    let text = reply[1].as_str().unwrap_or_default();
                    if matches!(reply[0].as_str(), Some("warning" | "err")) {
                        problems.push(Diagnostic::warning(CODE, text.to_owned()));
                    }
                }
            }
            _ if message[1] == "printed" => {
                let text = message[2].as_str().unwrap_or_default().trim();
                let text = format!("the code of custom facts prints: {text}");
                problems.push(Diagnostic::warning(CODE, text));
                session.send(&json!(["ok", null]))?;
            }
            _ if message[1] == "type_outline" => {
                let known = type_outline(message[2].as_str().unwrap_or_default());
                session.send(&json!(["ok", known]))?;
            }
            _ => {
                let text = "there is no compile that could answer this";
                session.send(&json!(["err", text, null, "error"]))?;
            }
        }
    }
}

/// A problem with a fact, with the file and line of its code.
fn problem_of(problem: &Json) -> Diagnostic {
    let message = problem[0].as_str().unwrap_or_default().to_owned();
    let out = Diagnostic::warning(CODE, message);
    match (problem[1].as_str(), problem[2].as_u64()) {
        (Some(file), Some(line)) => out.help(format!("Ruby raised this at {file}:{line}")),
        _ => out,
    }
}
