//! Commands.

use ordain_data::Value as Data;

use super::mapped::{EngineResource, Unsupported, given, text};
use crate::graph::resource::Resource;

/// The search path for programs.
const PROGRAMS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Lowers a command with its conditions and its follow-up command.
pub(super) fn exec(resource: &Resource, sends: bool) -> Result<EngineResource, Unsupported> {
    let mut out = EngineResource::of(resource);
    let cmd = resource.text("cmd");
    let cmd = if cmd.is_empty() { resource.name.as_str() } else { &cmd };
    let mut words = words(cmd, &resource.text("shell"), "cmd")?;
    words.extend(resource.texts("args"));
    out.set_field(resource, "cmd", line(words));
    out.set("path", Data::str(PROGRAMS), "cmd");
    out.set_field(resource, "cwd", text(resource, "cwd"));
    out.set("clean_environment", Data::Bool(true), "env");
    out.set_field(resource, "env", environment(resource));
    out.set_field(resource, "user", text(resource, "user"));
    out.set_field(resource, "group", text(resource, "group"));
    checks(&mut out, resource)?;
    signs(&mut out, resource)?;
    let done = resource.text("donecmd");
    if !done.is_empty() {
        let words = self::words(&done, &resource.text("doneshell"), "donecmd")?;
        out.set_field(resource, "donecmd", line(words));
        out.set_field(resource, "donecwd", directory(resource, "donecwd"));
    }
    let seconds = resource.meta.timeout as f64 / 1000.0;
    out.set("timeout", Data::Float(seconds), "");
    out.set("logoutput", Data::Bool(true), "");
    if sends {
        out.set("keep_output", Data::Bool(true), "");
    }
    Ok(out)
}

/// The conditions for the command to run.
fn checks(out: &mut EngineResource, resource: &Resource) -> Result<(), Unsupported> {
    for (command, shell, cwd) in [("ifcmd", "ifshell", "ifcwd"), ("nifcmd", "nifshell", "nifcwd")] {
        let text = resource.text(command);
        if !text.is_empty() {
            let words = words(&text, &resource.text(shell), command)?;
            out.set_field(resource, command, Data::list([line(words)]));
            out.set_field(resource, cwd, directory(resource, cwd));
        }
    }
    out.copy_field(resource, "ifequals");
    out.copy_field(resource, "ifequals_stdout");
    out.set_field(resource, "creates", text(resource, "creates"));
    let newer = resource.texts("mtimes");
    if !newer.is_empty() {
        out.set_field(resource, "mtimes", line(newer));
    }
    Ok(())
}

/// The events that ask for a check of the resource.
fn signs(out: &mut EngineResource, resource: &Resource) -> Result<(), Unsupported> {
    let watch = resource.text("watchcmd");
    if !watch.is_empty() {
        let words = words(&watch, &resource.text("watchshell"), "watchcmd")?;
        out.set_field(resource, "watchcmd", line(words));
        out.set_field(resource, "watchcwd", directory(resource, "watchcwd"));
    }
    let files = resource.texts("watchfiles");
    if !files.is_empty() {
        out.set_field(resource, "watchfiles", line(files));
    }
    Ok(())
}

/// The words of a command: an invocation of its shell, or its blank-separated words.
fn words(command: &str, shell: &str, field: &'static str) -> Result<Vec<String>, Unsupported> {
    if !shell.is_empty() {
        return Ok(vec![shell.to_owned(), "-c".into(), command.to_owned()]);
    }
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        Err(Unsupported::new(field, format!("{field} is empty")))
    } else {
        Ok(words)
    }
}

fn line(words: Vec<String>) -> Data {
    Data::list(words.into_iter().map(Data::str))
}

/// The directory of a check. It does not inherit that of the command.
fn directory(resource: &Resource, field: &str) -> Option<Data> {
    let own = text(resource, field);
    own.or_else(|| text(resource, "cwd").map(|_| Data::str("/")))
}

fn environment(resource: &Resource) -> Option<Data> {
    let value = given(resource, "env")?;
    let pairs = value.as_map()?.pairs();
    let pairs = pairs.iter().filter_map(|(name, value)| {
        Some(Data::str(format!("{}={}", name.as_str()?, value.as_str()?)))
    });
    Some(Data::list(pairs))
}
