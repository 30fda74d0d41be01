//! What kinds ask of their fields.

use super::checks;
use super::interpret::{Resource, is_kind};

/// What is wrong with the fields of a resource, in the original's words.
pub(super) fn validate(resource: &Resource) -> Option<String> {
    match resource.kind.kind.name {
        "file" => file(resource),
        "test" => test(resource),
        "exec" => exec(resource),
        "pkg" if resource.text("state").is_empty() => Some("state cannot be empty".into()),
        "svc" => svc(resource),
        kind => checks::of(kind).and_then(|check| check(resource).err()),
    }
}

/// The path that a file resource manages.
pub(super) fn file_path(resource: &Resource) -> String {
    let path = resource.text("path");
    let path = if path.is_empty() { resource.name.clone() } else { path };
    let (dirname, basename) = (resource.text("dirname"), resource.text("basename"));
    let is_dir = path.ends_with('/');
    let bare = path.trim_end_matches('/');
    let (dir, base) = bare.rsplit_once('/').unwrap_or(("", bare));
    let slash = if is_dir { "/" } else { "" };
    match (dirname.is_empty(), basename.is_empty()) {
        (true, true) => path,
        (false, true) => format!("{}{base}{slash}", with_slash(&dirname)),
        (true, false) => format!("{dir}/{basename}"),
        (false, false) => format!("{}{basename}", with_slash(&dirname)),
    }
}

fn with_slash(dir: &str) -> String {
    if dir.ends_with('/') { dir.into() } else { format!("{dir}/") }
}

fn file(resource: &Resource) -> Option<String> {
    let path = file_path(resource);
    if path.is_empty() {
        return Some("path is empty".into());
    }
    let dirname = resource.text("dirname");
    if !dirname.is_empty() && !dirname.ends_with('/') {
        return Some("dirname must end with a slash".into());
    }
    if resource.text("basename").starts_with('/') {
        return Some("basename must not start with a slash".into());
    }
    if !path.starts_with('/') {
        return Some("resultant path must be absolute".into());
    }
    let state = resource.text("state");
    if !["", "undefined", "absent", "exists"].contains(&state.as_str()) {
        return Some("the State is invalid".into());
    }
    let has_content = resource.value("content").is_some();
    let (source, fragments) = (resource.text("source"), resource.texts("fragments"));
    let sources = [has_content, !source.is_empty(), !fragments.is_empty()];
    if state == "absent" && sources.contains(&true) {
        return Some(
            "can't specify file Content, Source, or Fragments when State is absent".into(),
        );
    }
    if sources.iter().filter(|set| **set).count() > 1 {
        return Some("can only specify one of Content, Source, and Fragments".into());
    }
    let is_dir = path.ends_with('/');
    if is_dir && has_content {
        return Some("can't specify Content when creating a Dir".into());
    }
    if is_dir && !fragments.is_empty() {
        return Some("can't specify Fragments when creating a Dir".into());
    }
    if !source.is_empty() && !source.starts_with('/') {
        return Some("the Source must be absolute".into());
    }
    for fragment in &fragments {
        if !fragment.starts_with('/') {
            return Some(format!("the frag (`{fragment}`) isn't an absolute path"));
        }
        if fragment.ends_with('/') && path.starts_with(fragment.as_str()) {
            return Some(format!("inside a frag (`{fragment}`)"));
        }
        if *fragment == path {
            return Some("the frag can't be the path itself".into());
        }
    }
    None
}

fn test(resource: &Resource) -> Option<String> {
    if resource.value("validatebool").and_then(|v| v.as_bool()) == Some(true) {
        return Some("the validate param was set to true".into());
    }
    let error = resource.text("validateerror");
    (!error.is_empty()).then(|| format!("the validate error is: {error}"))
}

fn exec(resource: &Resource) -> Option<String> {
    debug_assert!(is_kind(resource.kind.kind, "exec"));
    if resource.text("cmd").is_empty() && resource.name.is_empty() {
        return Some("the Cmd can't be empty".into());
    }
    if !resource.texts("args").is_empty() && !resource.text("shell").is_empty() {
        return Some("the Args can't be used with the Shell field".into());
    }
    None
}

fn svc(resource: &Resource) -> Option<String> {
    let state = resource.text("state");
    if !["", "running", "stopped"].contains(&state.as_str()) {
        return Some("state must be either `running` or `stopped` or undefined".into());
    }
    let startup = resource.text("startup");
    if !["", "enabled", "disabled"].contains(&startup.as_str()) {
        return Some("startup must be either `enabled` or `disabled` or undefined".into());
    }
    None
}
