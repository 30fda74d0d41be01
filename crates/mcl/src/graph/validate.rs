//! Checks of the fields of resources.

use super::checks;
use super::resource::{Resource, is_kind};

/// The error in the fields of a resource, in the original's words.
pub(super) fn validate(resource: &Resource) -> Option<String> {
    match resource.kind.kind.name {
        "file" => file(resource),
        "test" => test(resource),
        "exec" => exec(resource),
        "pkg" => match resource.text("state").as_str() {
            "" => Some("state cannot be empty".into()),
            "latest" => Some("state is invalid, did you mean `newest` ?".into()),
            _ => None,
        },
        "svc" => svc(resource),
        kind => checks::of(kind).and_then(|check| check(resource).err()),
    }
}

/// The path that a file resource manages.
pub(crate) fn file_path(resource: &Resource) -> String {
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
    if !state.is_empty() && !resource.kind.words("state").contains(&state.as_str()) {
        return Some("the State is invalid".into());
    }
    file_sources(resource, &path, &state).err()
}

/// Checks the combination of fields of a file.
fn file_sources(resource: &Resource, path: &str, state: &str) -> Result<(), String> {
    let flag = |name: &str| resource.value(name).and_then(|v| v.as_bool()).unwrap_or_default();
    let is_set = |name: &str| resource.value(name).is_some();
    let (symlink, recurse, purge) = (flag("symlink"), flag("recurse"), flag("purge"));
    let (source, fragments) = (resource.text("source"), resource.texts("fragments"));
    let has_content = is_set("content");
    let (has_source, has_fragments) = (!source.is_empty(), !fragments.is_empty());
    let (is_dir, is_source_dir) = (path.ends_with('/'), source.ends_with('/'));
    let count = [has_content, has_source, has_fragments].into_iter().filter(|set| *set).count();
    let refused = [
        (count > 1, "can only specify one of Content, Source, and Fragments"),
        (symlink && !has_source && state == "exists", "can't use Symlink with an empty Source"),
        (
            state == "absent" && count > 0,
            "can't specify file Content, Source, or Fragments when State is absent",
        ),
        (state == "absent" && is_set("selinux"), "can't specify SELinux when State is absent"),
        (
            has_source && is_dir != is_source_dir && !symlink,
            "the path and Source must either both be dirs or both not be",
        ),
        (
            is_dir && (has_content || has_fragments || symlink),
            "can't specify Content or Fragments or Symlink when creating a Dir",
        ),
        (
            has_source && is_dir && is_source_dir && !recurse,
            "you'll want to Recurse when you have a Source dir to copy",
        ),
        (
            has_source && !is_dir && !is_source_dir && recurse && !symlink,
            "you can't recurse when copying a single file",
        ),
    ];
    if let Some((_, text)) = refused.into_iter().find(|(is, _)| *is) {
        return Err(text.into());
    }
    for fragment in &fragments {
        if !fragment.starts_with('/') {
            return Err(format!("the frag (`{fragment}`) isn't an absolute path"));
        }
        let below = path.strip_prefix(fragment.trim_end_matches('/'));
        if below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            return Err(format!("inside a frag (`{fragment}`)"));
        }
    }
    let refused = [
        (purge && (has_content || has_fragments), "can't combine Purge with Content or Fragments"),
        (
            symlink && (has_content || has_fragments),
            "can't specify Content or Fragments with Symlink",
        ),
        (symlink && (recurse || purge), "can't specify Recurse or Purge with Symlink"),
    ];
    refused.into_iter().find(|(is, _)| *is).map_or(Ok(()), |(_, text)| Err(text.into()))
}

fn test(resource: &Resource) -> Option<String> {
    if resource.value("validatebool").and_then(|v| v.as_bool()) == Some(true) {
        return Some("the validate param was set to true".into());
    }
    let error = resource.text("validateerror");
    (!error.is_empty()).then(|| format!("the validate error is: {error}"))
}

fn exec(resource: &Resource) -> Option<String> {
    debug_assert!(is_kind(&resource.kind.kind, "exec"));
    if resource.text("cmd").is_empty() && resource.name.is_empty() {
        return Some("the Cmd can't be empty".into());
    }
    if !resource.texts("args").is_empty() && !resource.text("shell").is_empty() {
        return Some("the Args can't be used with the Shell field".into());
    }
    let relative = |field: &str| resource.texts(field).into_iter().find(|p| !p.starts_with('/'));
    if let Some(path) = relative("watchfiles") {
        return Some(format!("the path (`{path}`) in WatchFiles must be absolute"));
    }
    let creates = resource.text("creates");
    if !creates.is_empty() && !creates.starts_with('/') {
        return Some("the Creates param must be an absolute path".into());
    }
    let path = relative("mtimes")?;
    Some(format!("the path (`{path}`) in Mtimes must be absolute"))
}

fn svc(resource: &Resource) -> Option<String> {
    let state = resource.text("state");
    if !state.is_empty() && !resource.kind.words("state").contains(&state.as_str()) {
        return Some("state must be either `running` or `stopped` or undefined".into());
    }
    let startup = resource.text("startup");
    if !startup.is_empty() && !resource.kind.words("startup").contains(&startup.as_str()) {
        return Some("startup must be either `enabled` or `disabled` or undefined".into());
    }
    None
}
