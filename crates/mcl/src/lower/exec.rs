//! Commands.

use ordain_data::Value as Data;

use super::data::data;
use super::mapped::{EngineResource, Unsupported, given, text};
use crate::graph::resource::Resource;

/// The search path for programs.
const PROGRAMS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Lowers a command with its conditions and its follow-up command.
pub(super) fn exec(resource: &Resource, sends: bool) -> Result<EngineResource, Unsupported> {
    let mut out = EngineResource::new("Exec", &resource.name);
    let cmd = resource.text("cmd");
    let cmd = if cmd.is_empty() { resource.name.as_str() } else { &cmd };
    let mut words = words(cmd, &resource.text("shell"), "cmd")?;
    words.extend(resource.texts("args"));
    out.set("command", line(words), "cmd");
    out.set("path", Data::str(PROGRAMS), "cmd");
    out.set("cwd", text(resource, "cwd"), "cwd");
    out.set("clean_environment", Data::Bool(true), "env");
    out.set("environment", environment(resource), "env");
    out.set("user", text(resource, "user"), "user");
    out.set("group", text(resource, "group"), "group");
    checks(&mut out, resource)?;
    signs(&mut out, resource)?;
    let done = resource.text("donecmd");
    if !done.is_empty() {
        out.set(
            "done",
            line(self::words(&done, &resource.text("doneshell"), "donecmd")?),
            "donecmd",
        );
        out.set("done_cwd", directory(resource, "donecwd"), "donecwd");
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
    let all = [
        ("ifcmd", "ifshell", "ifcwd", "onlyif", "onlyif_cwd"),
        ("nifcmd", "nifshell", "nifcwd", "unless", "unless_cwd"),
    ];
    for (command, shell, cwd, attribute, cwd_attribute) in all {
        let text = resource.text(command);
        if !text.is_empty() {
            let words = words(&text, &resource.text(shell), command)?;
            out.set(attribute, Data::list([line(words)]), command);
            out.set(cwd_attribute, directory(resource, cwd), cwd);
        }
    }
    out.set("onlyif_output", given(resource, "ifequals").map(data), "ifequals");
    out.set("onlyif_stdout", given(resource, "ifequals_stdout").map(data), "ifequals_stdout");
    out.set("creates", text(resource, "creates"), "creates");
    let newer = resource.texts("mtimes");
    if !newer.is_empty() {
        out.set("newer", line(newer), "mtimes");
    }
    Ok(())
}

/// The events that ask for a check of the resource.
fn signs(out: &mut EngineResource, resource: &Resource) -> Result<(), Unsupported> {
    let watch = resource.text("watchcmd");
    if !watch.is_empty() {
        let words = words(&watch, &resource.text("watchshell"), "watchcmd")?;
        out.set("watch", line(words), "watchcmd");
        out.set("watch_cwd", directory(resource, "watchcwd"), "watchcwd");
    }
    let files = resource.texts("watchfiles");
    if !files.is_empty() {
        out.set("watch_files", line(files), "watchfiles");
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
