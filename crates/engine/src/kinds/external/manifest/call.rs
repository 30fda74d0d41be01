//! Calling the program of an external kind.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Map, Value as Json};

use super::document::{Argument, Command, Input, Manifest};
use crate::kind::KindError;
use crate::system::host::Host;
use crate::system::runner::{Invocation, Outcome};

/// The number of lines of a failed program's output that are reported.
const REPORTED_LINES: usize = 10;

/// The operation of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    Get,
    Test,
    Set,
    Delete,
    Export,
}

impl Verb {
    fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Test => "test",
            Self::Set => "set",
            Self::Delete => "delete",
            Self::Export => "export",
        }
    }
}

/// Whether something can be removed.
pub(super) fn can_remove(manifest: &Manifest) -> bool {
    manifest.delete.is_some() || manifest.set.as_ref().is_some_and(|set| set.handles_exist)
}

/// Runs a program and returns the JSON documents that it printed.
pub(super) fn run(
    manifest: &Manifest,
    command: &Command,
    verb: Verb,
    wanted: &Map<String, Json>,
    host: &Host,
) -> Result<Vec<Json>, KindError> {
    let input = Json::Object(wanted.clone()).to_string();
    let mut argv = vec![program(manifest, &command.executable)];
    for argument in &command.args {
        match argument {
            Argument::Text(text) => argv.push(text.into()),
            Argument::Input { mandatory: false, .. } if wanted.is_empty() => {}
            Argument::Input { json_input_arg, .. } => {
                argv.push(json_input_arg.into());
                argv.push(input.clone().into());
            }
        }
    }
    let mut invocation = Invocation::new(argv);
    invocation.launch.cwd = Some(manifest.dir.clone());
    match command.input {
        Some(Input::Stdin) => invocation.stdin = input.into_bytes(),
        Some(Input::Env) => {
            let text =
                |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_string);
            let variables = wanted.iter().map(|(name, value)| (name.into(), text(value).into()));
            invocation.launch.set_env.extend(variables);
        }
        None => {}
    }
    let failed =
        |why: String| KindError::new(format!("{} of {} {why}", verb.word(), manifest.name));
    let outcome = host.run(&invocation).map_err(|e| failed(format!("failed: {e}")))?;
    if !outcome.success() {
        return Err(failed(failure_message(manifest, &outcome)));
    }
    documents(&outcome.stdout).map_err(|e| failed(format!("printed invalid JSON: {e}")))
}

/// The program next to the manifest, else one in the search path.
fn program(manifest: &Manifest, name: &str) -> OsString {
    let beside = manifest.dir.join(name);
    if Path::new(name).is_relative() && beside.is_file() { beside.into() } else { name.into() }
}

/// The error for a failed program, with the last lines of its output.
fn failure_message(manifest: &Manifest, outcome: &Outcome) -> String {
    let status = outcome.status;
    let meaning = manifest.exit_codes.get(&status.to_string());
    let meaning = meaning.map(|text| format!(" ({text})")).unwrap_or_default();
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let lines: Vec<String> = stderr.lines().filter(|l| !l.trim().is_empty()).map(message).collect();
    let last_lines = lines[lines.len().saturating_sub(REPORTED_LINES)..].join("\n");
    let colon = if last_lines.is_empty() { "" } else { ": " };
    format!("returned {status}{meaning}{colon}{last_lines}")
}

/// The text of a line; of a JSON message in the format of DSC, its text.
fn message(line: &str) -> String {
    let document: Option<Map<String, Json>> = serde_json::from_str(line).ok();
    let text =
        document.and_then(|d| d.into_iter().find_map(|(_, v)| v.as_str().map(str::to_string)));
    text.unwrap_or_else(|| line.trim_end().to_string())
}

fn documents(text: &[u8]) -> Result<Vec<Json>, serde_json::Error> {
    serde_json::Deserializer::from_slice(text).into_iter().collect()
}
