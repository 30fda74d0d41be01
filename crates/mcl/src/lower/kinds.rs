//! Resources as kinds of the engine. The schema maps kind and attributes; values with another
//! meaning there are translated here.

use std::path::PathBuf;

use ordain_data::Value as Data;

use super::mapped::{EngineResource, LoweringContext, Unsupported, flag, given, graph_name, text};
use super::{exec, file};
use crate::check::program::Deploy;
use crate::graph::resource::Resource;
use crate::plain_data::data;
use crate::value::Value;

/// The attribute that a received field sets while the engine runs; none if the field cannot be
/// received.
pub(super) fn received_attribute(resource: &Resource, field: &str) -> Option<&'static str> {
    let known = resource.kind.field(field).map(|(_, field, _)| *field)?;
    let is_received = resource.kind.kind.description.can_receive(field);
    is_received.then(|| known.attribute.unwrap_or(known.name))
}

/// A resource as a resource of the engine.
///
/// # Errors
/// When the engine has the kind but does not support the values of its fields.
pub(super) fn mapped(
    resource: &Resource,
    around: &LoweringContext<'_>,
) -> Result<EngineResource, Unsupported> {
    let LoweringContext { sends, hostname, deploy } = *around;
    match resource.kind.kind.name {
        "cron" => cron(resource),
        "exec" => exec::exec(resource, sends),
        "file" => file::file(resource),
        "deploy:tar" => Ok(packed(resource, &deploy())),
        "kv" => Ok(shared(resource, hostname)),
        "line" => line(resource),
        "nspawn" => machine(resource),
        "pkg" => Ok(package(resource)),
        "print" => Ok(print(resource)),
        "mount" => mount(resource),
        "schedule" => Ok(elected(resource, hostname)),
        "svc" => service(resource),
        "test" => Ok(test(resource, sends)),
        "user" => Ok(user(resource)),
        _ if resource.kind.kind.schema.is_applied => Ok(by_schema(resource)),
        _ => Ok(as_it_is(resource)),
    }
}

/// A resource of a kind that the engine does not apply, with its fields.
pub(super) fn as_it_is(resource: &Resource) -> EngineResource {
    let mut out = EngineResource::new(&graph_name(resource.kind.kind.name), &resource.name);
    for (field, value) in resource.kind.kind.fields.iter().zip(&resource.fields) {
        out.set(field.name, value.as_ref().map(data), field.name);
    }
    out
}

/// A resource whose fields have the same values in the engine; only `state` has other words.
fn by_schema(resource: &Resource) -> EngineResource {
    let mut out = EngineResource::of(resource);
    for field in &resource.kind.kind.fields {
        match field.attribute {
            Some("ensure") if field.name == "state" => ensure(&mut out, resource),
            _ => out.copy_field(resource, field.name),
        }
    }
    out
}

/// The value of `state` in the words of most kinds.
fn ensure(out: &mut EngineResource, resource: &Resource) {
    let word = match resource.text("state").as_str() {
        "exists" => "present",
        "absent" => "absent",
        _ => return,
    };
    out.set_field(resource, "state", Data::str(word));
}

fn user(resource: &Resource) -> EngineResource {
    let mut out = EngineResource::of(resource);
    ensure(&mut out, resource);
    out.copy_field(resource, "uid");
    let group = if given(resource, "group").is_some() { "group" } else { "gid" };
    out.copy_field(resource, group);
    if given(resource, "groups").is_some() {
        out.copy_field(resource, "groups");
        out.set("membership", Data::str("inclusive"), "groups");
    }
    out.copy_field(resource, "homedir");
    out.copy_field(resource, "shell");
    if flag(resource, "allowduplicateuid") {
        out.copy_field(resource, "allowduplicateuid");
    }
    out
}

fn package(resource: &Resource) -> EngineResource {
    let mut out = EngineResource::of(resource);
    let state = resource.text("state");
    let word = match state.as_str() {
        "installed" => "present",
        "uninstalled" => "absent",
        "newest" => "latest",
        version => version,
    };
    out.set_field(resource, "state", Data::str(word));
    out
}

/// Services of a user's own manager are not supported.
fn no_session(resource: &Resource) -> Result<(), Unsupported> {
    match flag(resource, "session") {
        true => {
            Err(Unsupported::new("session", "units of a session are not managed by this engine"))
        }
        false => Ok(()),
    }
}

/// Whether a unit runs, and whether it starts at boot.
fn unit(name: &str, state: Option<&str>, startup: &str) -> EngineResource {
    let mut out = EngineResource::new("Service", name);
    out.set("ensure", state.map(Data::str), "state");
    let enable = match startup {
        "enabled" => Some(Data::Bool(true)),
        "disabled" => Some(Data::Bool(false)),
        _ => None,
    };
    out.set("enable", enable, "startup");
    out
}

fn service(resource: &Resource) -> Result<EngineResource, Unsupported> {
    no_session(resource)?;
    let state = resource.text("state");
    let state = Some(state.as_str()).filter(|state| !state.is_empty());
    let name = &resource.name;
    let mut out = unit(name, state, &resource.text("startup"));
    if name.contains('.') {
        out.set("name", Data::str(format!("{name}.service")), "");
    }
    // On a change it reloads its configuration, if it can.
    let restart = format!("systemctl reload-or-try-restart '{}.service'", name.replace('\'', ""));
    out.set("restart", Data::str(restart), "");
    Ok(out)
}

/// A machine of systemd-nspawn: its unit.
fn machine(resource: &Resource) -> Result<EngineResource, Unsupported> {
    let name = &resource.name;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || !name.chars().all(is_part) {
        return Err(Unsupported::new("", format!("'{name}' is no name of a machine")));
    }
    let state = resource.text("state");
    if !matches!(state.as_str(), "running" | "stopped") {
        return Err(Unsupported::new("state", "state must be running or stopped"));
    }
    Ok(unit(&format!("systemd-nspawn@{name}.service"), Some(&state), ""))
}

/// Lowers a timer to the file of its unit and the unit.
fn cron(resource: &Resource) -> Result<EngineResource, Unsupported> {
    no_session(resource)?;
    let name = format!("{}.timer", resource.name);
    let mut unit_file = EngineResource::new("File", &format!("/etc/systemd/system/{name}"));
    if resource.text("state") == "absent" {
        let mut out = unit(&name, Some("stopped"), "disabled");
        unit_file.set("ensure", Data::str("absent"), "state");
        out.then = Some(Box::new(unit_file));
        return Ok(out);
    }
    unit_file.set("ensure", Data::str("file"), "state");
    unit_file.set("content", Data::str(timer(resource)), "time");
    unit_file.then = Some(Box::new(unit(&name, Some("running"), &resource.text("startup"))));
    Ok(unit_file)
}

/// The text of a unit of a timer.
fn timer(resource: &Resource) -> String {
    let description = match given(resource, "description").and_then(|value| value.as_str()) {
        Some(text) => text.to_string(),
        None => "timer generated by mgmt".to_owned(),
    };
    let mut out = String::new();
    if !description.is_empty() {
        out.push_str(&format!("[Unit]\nDescription={description}\n\n"));
    }
    let trigger = resource.text("trigger");
    out.push_str(&format!("[Timer]\n{trigger}={}\n", resource.text("time")));
    let texts = [
        ("accuracysec", "AccuracySec"),
        ("randomizeddelaysec", "RandomizedDelaySec"),
        ("unit", "Unit"),
    ];
    for (field, option) in texts {
        let text = resource.text(field);
        if !text.is_empty() {
            out.push_str(&format!("{option}={text}\n"));
        }
    }
    let flags = [
        ("persistent", "Persistent", false),
        ("wakesystem", "WakeSystem", false),
        ("remainafterelapse", "RemainAfterElapse", true),
    ];
    for (field, option, default) in flags {
        let value = flag(resource, field);
        if value != default {
            out.push_str(&format!("{option}={value}\n"));
        }
    }
    out.push_str("\n[Install]\nWantedBy=timers.target\n");
    out
}

fn line(resource: &Resource) -> Result<EngineResource, Unsupported> {
    let mut out = EngineResource::of(resource);
    if resource.text("file").starts_with('~') {
        return Err(Unsupported::new(
            "file",
            "the home of a user is not looked up: write the path",
        ));
    }
    ensure(&mut out, resource);
    out.set_field(resource, "file", text(resource, "file"));
    let content = resource.text("content");
    let content = if flag(resource, "trim") { content.trim() } else { &content };
    out.set_field(resource, "content", Data::str(content));
    Ok(out)
}

fn print(resource: &Resource) -> EngineResource {
    let mut out = EngineResource::of(resource);
    let message = resource.text("msg");
    let message = if message.is_empty() { "<empty>" } else { &message };
    out.set_field(resource, "msg", Data::str(message));
    if flag(resource, "refresh_only") {
        out.copy_field(resource, "refresh_only");
    }
    out
}

/// A file system in `fstab` that is mounted.
fn mount(resource: &Resource) -> Result<EngineResource, Unsupported> {
    let mut out = EngineResource::of(resource);
    if resource.text("state") == "absent" {
        out.set_field(resource, "state", Data::str("absent"));
        return Ok(out);
    }
    out.set_field(resource, "state", Data::str("mounted"));
    out.set_field(resource, "device", text(resource, "device"));
    out.set_field(resource, "type", text(resource, "type"));
    let options = resource.value("options");
    let pairs = options.as_ref().and_then(|value| value.as_map()).map(|map| map.pairs());
    let option = |(name, value): &(Value, Value)| {
        let (name, value) = (name.as_str()?, value.as_str()?);
        let (name, value) = (name.to_string(), value.to_string());
        Some(if value.is_empty() { name } else { format!("{name}={value}") })
    };
    let options: Vec<String> = pairs.unwrap_or_default().iter().filter_map(option).collect();
    let options = if options.is_empty() { "defaults".to_owned() } else { options.join(",") };
    out.set_field(resource, "options", Data::str(options));
    for field in ["freq", "passno"] {
        match resource.value(field) {
            None => {}
            Some(Value::Int(number @ 0..=9)) if field == "passno" || number <= 1 => {
                out.set_field(resource, field, Data::Int(number));
            }
            Some(other) => {
                return Err(Unsupported::new(
                    field,
                    format!("{other} is no value of a table of mounts"),
                ));
            }
        }
    }
    Ok(out)
}

/// The program's own files.
fn packed(resource: &Resource, deploy: &Deploy) -> EngineResource {
    let mut out = by_schema(resource);
    let real = |path: &PathBuf| Data::str(path.to_string_lossy().as_ref());
    let files = deploy.iter().map(|(name, path)| (name.clone(), real(path)));
    out.set("files", Data::map(files), "");
    out
}

/// The candidate of an election is this host.
fn elected(resource: &Resource, hostname: &str) -> EngineResource {
    let mut out = by_schema(resource);
    out.set("host", Data::str(hostname), "");
    out
}

/// The host of a shared value is this one.
fn shared(resource: &Resource, hostname: &str) -> EngineResource {
    let mut out = by_schema(resource);
    if flag(resource, "mapped") {
        out.set("host", Data::str(hostname), "mapped");
    }
    out
}

/// A resource that sends has the sent values among its attributes.
fn test(resource: &Resource, sends: bool) -> EngineResource {
    let mut out = by_schema(resource);
    if sends {
        if given(resource, "sendvalue").is_none() {
            out.set("sendvalue", Data::str(""), "sendvalue");
        }
        out.set("answer", Data::Int(42), "");
    }
    out
}
