//! Files, directories and links.

use ordain_data::Value as Data;

use super::data::data;
use super::mapped::{EngineResource, Unsupported, flag, given, text};
use crate::graph::resource::Resource;
use crate::graph::validate::file_path;

/// Lowers a file. A path that ends in a slash is a directory, and `symlink` makes a link.
pub(super) fn file(resource: &Resource) -> Result<EngineResource, Unsupported> {
    if given(resource, "selinux").is_some() {
        return Err(Unsupported::new("selinux", "contexts of SELinux are not managed yet"));
    }
    let mut out = EngineResource::new("File", &resource.name);
    let path = file_path(resource);
    if path != resource.name {
        out.set("path", Data::str(path.as_str()), "path");
    }
    let is_directory = path.ends_with('/');
    match resource.text("state").as_str() {
        "absent" => {
            absent(&mut out, resource, is_directory);
            return Ok(out);
        }
        "exists" => exists(&mut out, resource, is_directory),
        // A file without a declared state is not created.
        _ => out.set("must_exist", Data::Bool(true), "state"),
    }
    if flag(resource, "force") {
        out.set("force", Data::Bool(true), "force");
    }
    if !flag(resource, "symlink") {
        contents(&mut out, resource, is_directory);
    }
    for field in ["owner", "group"] {
        out.set(field, text(resource, field), field);
    }
    out.set("mode", text(resource, "mode"), "mode");
    Ok(out)
}

fn absent(out: &mut EngineResource, resource: &Resource, is_directory: bool) {
    out.set("ensure", Data::str("absent"), "state");
    if flag(resource, "recurse") {
        out.set("force", Data::Bool(true), "recurse");
    } else if is_directory {
        out.set("remove_empty", Data::Bool(true), "state");
    }
}

fn exists(out: &mut EngineResource, resource: &Resource, is_directory: bool) {
    let what = match (flag(resource, "symlink"), is_directory) {
        (true, _) => "link",
        (false, true) => "directory",
        (false, false) => "file",
    };
    out.set("ensure", Data::str(what), "state");
    if what == "link" {
        out.set("target", text(resource, "source"), "source");
    }
    if is_directory && flag(resource, "recurse") {
        out.set("parents", Data::Bool(true), "recurse");
    }
}

/// Its content, or the entries below it.
fn contents(out: &mut EngineResource, resource: &Resource, is_directory: bool) {
    out.set("content", given(resource, "content").map(data), "content");
    let source = text(resource, "source");
    let copies = source.is_some();
    out.set("source", source, "source");
    let fragments = resource.texts("fragments");
    if !fragments.is_empty() {
        out.set("fragments", Data::list(fragments.into_iter().map(Data::str)), "fragments");
    }
    if !is_directory || !flag(resource, "recurse") {
        return;
    }
    if flag(resource, "purge") {
        out.set("recurse", Data::Bool(true), "recurse");
        out.set("purge", Data::Bool(true), "purge");
        if !flag(resource, "force") {
            out.set("force", Data::Bool(true), "purge");
        }
    } else if copies {
        out.set("recurse", Data::str("remote"), "recurse");
    }
}
