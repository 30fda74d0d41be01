//! Checks of the fields of less common kinds. Checks that need the machine happen in a run.

use super::conditions::{named, unless};
use super::resource::Resource;
use super::server_checks;
use crate::value::Value;

type Check = fn(&Resource) -> Result<(), String>;

/// The check of a kind.
pub(super) fn of(kind: &str) -> Option<Check> {
    Some(match kind {
        "cron" => cron,
        "deploy:tar" => packed,
        "dhcp:host" => server_checks::dhcp_host,
        "dhcp:range" => server_checks::dhcp_range,
        "dhcp:server" => server_checks::dhcp_server,
        "group" => group,
        "gzip" => gzip,
        "hostname" => hostname,
        "http:client" => http_client,
        "http:server" | "tftp:server" => server_checks::server,
        "http:server:file" | "tftp:file" => server_checks::file,
        "http:server:flag" => server_checks::flag,
        "http:server:proxy" => server_checks::proxy,
        "http:server:ui" => server_checks::page,
        "http:server:ui:input" => server_checks::input,
        "line" => line,
        "mount" => mount,
        "msg" => msg,
        "net" => net,
        "schedule" => schedule,
        "ssh:authorized_key" => ssh_authorized_key,
        "sysctl" => sysctl,
        "tar" => tar,
        "user" => user,
        _ => return None,
    })
}

/// Refuses a text that is none of the words of its field.
fn one_of(resource: &Resource, field: &str, text: &str) -> Result<(), String> {
    let value = resource.text(field);
    unless(!resource.kind.words(field).contains(&value.as_str()), text)
}

/// The same, where the field may also be empty.
fn one_of_or_empty(resource: &Resource, field: &str, text: &str) -> Result<(), String> {
    if resource.text(field).is_empty() { Ok(()) } else { one_of(resource, field, text) }
}

fn flag(resource: &Resource, field: &str) -> bool {
    resource.value(field).and_then(|value| value.as_bool()) == Some(true)
}

fn is_user(name: &str) -> bool {
    let mut letters = name.bytes();
    let starts = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == b'_');
    starts
        && name.len() <= 31
        && letters.all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-')
}

const EXISTS_TEXT: &str = "state must be 'exists' or 'absent'";

fn user(resource: &Resource) -> Result<(), String> {
    unless(!is_user(&resource.name), "user contains invalid character(s)")?;
    one_of(resource, "state", EXISTS_TEXT)?;
    let group = resource.value("group").map(|_| resource.text("group"));
    unless(group.is_some() && resource.value("gid").is_some(), "cannot use both GID and Group")?;
    if let Some(group) = &group {
        unless(group.is_empty(), "group cannot be empty string")?;
        unless(!is_user(group), "group contains invalid character(s)")?;
    }
    for other in resource.texts("groups") {
        unless(other.is_empty(), "group cannot be empty string")?;
        unless(!is_user(&other), "groups list contains invalid character(s)")?;
        if group.as_ref() == Some(&other) {
            return Err(format!("primary Group \"{other}\" must not appear in Groups"));
        }
        if other == resource.name {
            return Err(format!("user name \"{other}\" must not appear in Groups"));
        }
    }
    let home = resource.value("homedir").map(|_| resource.text("homedir"));
    let is_open = home.is_some_and(|home| !home.ends_with('/'));
    unless(is_open, "the HomeDir should end with a slash")
}

fn group(resource: &Resource) -> Result<(), String> {
    one_of(resource, "state", EXISTS_TEXT)?;
    unless(!is_user(&resource.name), "group contains invalid character(s)")
}

fn cron(resource: &Resource) -> Result<(), String> {
    let (state, trigger) = (resource.text("state"), resource.text("trigger"));
    one_of(resource, "state", "state must be 'absent' or 'exists'")?;
    one_of_or_empty(
        resource,
        "startup",
        "startup must be either `enabled` or `disabled` or undefined",
    )?;
    if state == "absent" && trigger.is_empty() {
        return Ok(());
    }
    let is_half = trigger.is_empty() || resource.text("time").is_empty();
    unless(is_half, "trigger and must be set together")?;
    one_of(resource, "trigger", "invalid trigger")
}

fn schedule(resource: &Resource) -> Result<(), String> {
    let strategy = resource.text("strategy");
    one_of_or_empty(resource, "strategy", &format!("undefined strategy: {strategy}"))?;
    let persists = flag(resource, "persist");
    let lasts = resource.value("ttl").and_then(|ttl| ttl.as_int()).unwrap_or_default() > 0;
    unless(persists && lasts, "can't combine Persist with TTL")?;
    if !flag(resource, "withdraw") {
        return Ok(());
    }
    let has = |field: &str| resource.value(field).is_some();
    unless(has("strategy"), "can't combine Withdraw with Strategy")?;
    unless(has("max"), "can't combine Withdraw with Max")?;
    unless(persists, "can't combine Withdraw with Persist")?;
    unless(has("ttl"), "can't combine Withdraw with TTL")
}

fn hostname(resource: &Resource) -> Result<(), String> {
    let fields = ["hostname", "pretty_hostname", "static_hostname", "transient_hostname"];
    let is_empty = resource.name.is_empty() && fields.iter().all(|f| resource.text(f).is_empty());
    unless(is_empty, "insufficient parameters for this resource")
}

fn absolute_file(path: &str) -> Result<(), String> {
    unless(path.is_empty(), "path is empty")?;
    unless(!path.starts_with('/'), "path must be absolute")?;
    unless(path.ends_with('/'), "path must not end with a slash")
}

fn gzip(resource: &Resource) -> Result<(), String> {
    absolute_file(&named(resource, "path"))?;
    if resource.value("input").is_some() {
        let input = resource.text("input");
        unless(!input.starts_with('/'), "input must be absolute")?;
        unless(input.ends_with('/'), "input must not end with a slash")?;
    }
    match resource.value("level") {
        Some(Value::Int(level)) if !(-2..=9).contains(&level) => {
            Err(format!("invalid compression level: {level}"))
        }
        _ => Ok(()),
    }
}

fn packed(resource: &Resource) -> Result<(), String> {
    absolute_file(&named(resource, "path"))
}

fn tar(resource: &Resource) -> Result<(), String> {
    absolute_file(&named(resource, "path"))?;
    for (number, input) in resource.texts("inputs").iter().enumerate() {
        if !input.starts_with('/') {
            return Err(format!("input #{number} must be absolute"));
        }
    }
    Ok(())
}

fn http_client(resource: &Resource) -> Result<(), String> {
    let method = resource.text("method");
    let upper = method.to_ascii_uppercase();
    if method != upper && resource.kind.words("method").contains(&upper.as_str()) {
        return Err(format!("method name {upper} must be in upper case, got: {method}"));
    }
    let sha256 = resource.text("sha256");
    unless(sha256 != sha256.to_lowercase(), "the sha256 must be lower case")?;
    let is_long = flag(resource, "longpoll");
    unless(resource.meta.poll != 0 && is_long, "can't Longpoll when polling")?;
    let ways = [flag(resource, "longpoll_redirect"), flag(resource, "longpoll_conditional")];
    unless(ways == [true, true], "can't combine LongpollRedirect with LongpollConditional")?;
    unless(
        is_long && ways == [false, false],
        "with Longpoll must specify LongpollRedirect or LongpollConditional",
    )
}

fn line(resource: &Resource) -> Result<(), String> {
    let file = resource.text("file");
    unless(!file.starts_with(['/', '~']), "the File must be absolute")?;
    unless(file.ends_with('/'), "the File must not end with a slash")?;
    one_of(resource, "state", "the State is invalid")
}

fn mount(resource: &Resource) -> Result<(), String> {
    one_of(resource, "state", "state must be 'exists', or 'absent'")?;
    unless(resource.name.contains("//"), "double slashes are not allowed in resource name")
}

fn msg(resource: &Resource) -> Result<(), String> {
    let fields = resource.value("fields");
    for (name, _) in fields.as_ref().and_then(Value::as_map).map(|m| m.pairs()).unwrap_or_default()
    {
        let name = name.as_str().map(ToString::to_string).unwrap_or_default();
        if !name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') {
            return Err(format!("invalid character in field {name}"));
        }
        unless(name.starts_with('_'), "fields cannot begin with _")?;
    }
    let priority = resource.text("priority");
    one_of(resource, "priority", &format!("invalid Priority '{priority}'"))
}

fn net(resource: &Resource) -> Result<(), String> {
    one_of_or_empty(resource, "state", "state must be up, down or empty")?;
    let gateway = resource.text("gateway");
    if !gateway.is_empty() && gateway.parse::<std::net::IpAddr>().is_err() {
        return Err(format!("error parsing gateway: {gateway}"));
    }
    Ok(())
}

fn ssh_authorized_key(resource: &Resource) -> Result<(), String> {
    one_of(resource, "state", EXISTS_TEXT)?;
    let user = resource.text("user");
    unless(!user.is_empty() && !is_user(&user), "invalid value")?;
    if !resource.text("content").is_empty() {
        let others =
            [("options", "Options"), ("type", "Type"), ("key", "Key"), ("comment", "Comment")];
        for (field, shown) in others {
            if !resource.text(field).is_empty() || !resource.texts(field).is_empty() {
                return Err(format!("can't use Content and {shown} param at the same time"));
            }
        }
    }
    let (ty, key) = (resource.text("type"), resource.text("key"));
    unless(!ty.is_empty() && key.is_empty(), "must use Key param when using Type param")?;
    unless(ty.is_empty() && !key.is_empty(), "must use Type param when using Key param")
}

fn sysctl(resource: &Resource) -> Result<(), String> {
    let (name, value) = (resource.name.as_str(), resource.text("value"));
    unless(name.contains('/'), "name contains slashes, use the dotted representation")?;
    unless(name.contains('='), "name contains equals sign, this is illegal")?;
    let is_dotted = name.starts_with('.') || name.ends_with('.');
    unless(is_dotted, "name contains leading or trailing periods")?;
    unless(name != name.trim(), "name has leading or trailing whitespace")?;
    unless(value.is_empty(), "value is empty")?;
    unless(value != value.trim(), "value contains leading or trailing whitespace")?;
    let is_nothing = !flag(resource, "runtime") && !flag(resource, "persist");
    unless(is_nothing, "you must either set the value at runtime or you must persist")
}
