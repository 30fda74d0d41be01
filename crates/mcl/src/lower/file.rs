//! Files, directories and links.

use ordain_data::Value as Data;

use super::mapped::{EngineResource, Unsupported, flag, given, text};
use crate::graph::resource::Resource;
use crate::graph::validate::file_path;

/// Lowers a file. A path that ends in a slash is a directory, and `symlink` makes a link.
pub(super) fn file(resource: &Resource) -> Result<EngineResource, Unsupported> {
    if given(resource, "selinux").is_some() {
        return Err(Unsupported::new("selinux", "contexts of SELinux are not managed yet"));
    }
    let mut out = EngineResource::of(resource);
    let path = file_path(resource);
    if path != resource.name {
        out.set_field(resource, "path", Data::str(path.as_str()));
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
        out.set_field(resource, "force", Data::Bool(true));
    }
    if !flag(resource, "symlink") {
        contents(&mut out, resource, is_directory);
    }
    for field in ["owner", "group", "mode"] {
        out.set_field(resource, field, text(resource, field));
    }
    Ok(out)
}

fn absent(out: &mut EngineResource, resource: &Resource, is_directory: bool) {
    out.set_field(resource, "state", Data::str("absent"));
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
    out.set_field(resource, "state", Data::str(what));
    if what == "link" {
        out.set("target", text(resource, "source"), "source");
    }
    if is_directory && flag(resource, "recurse") {
        out.set("parents", Data::Bool(true), "recurse");
    }
}

/// Its content, or the entries below it.
fn contents(out: &mut EngineResource, resource: &Resource, is_directory: bool) {
    out.copy_field(resource, "content");
    let source = text(resource, "source");
    let copies = source.is_some();
    out.set_field(resource, "source", source);
    let fragments = resource.texts("fragments");
    if !fragments.is_empty() {
        out.set_field(resource, "fragments", Data::list(fragments.into_iter().map(Data::str)));
    }
    if !is_directory || !flag(resource, "recurse") {
        return;
    }
    if flag(resource, "purge") {
        out.set_field(resource, "recurse", Data::Bool(true));
        out.set_field(resource, "purge", Data::Bool(true));
        if !flag(resource, "force") {
            out.set("force", Data::Bool(true), "purge");
        }
    } else if copies {
        out.set_field(resource, "recurse", Data::str("remote"));
    }
}
