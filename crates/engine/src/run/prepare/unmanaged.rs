//! Relations of kinds of Puppet that this engine does not apply.
//!
//! Other kinds implement [`crate::kind::Instance::autorequires`]. The edges here appear in
//! displayed graphs, and order applied resources and containers of others.

use std::path::Path;

use ordain_graph::relations::SoftEdge;
use ordain_graph::{EdgeKind, Graph, Resource, ResourceId, ResourceRef};

use crate::kind::params::{reveal, scalar_text};

/// The kinds with autorequires that may not be applied here: some packages have no provider, and
/// mounts precede declared paths below them.
const KINDS: &[&str] = &["Mount", "Package", "Selmodule", "Zfs"];

/// The relations that a resource of a kind that is not applied here asks for.
pub(super) fn autorequires(graph: &Graph, id: ResourceId) -> Vec<SoftEdge> {
    let resource = graph.resource(id);
    if !KINDS.contains(&resource.id.kind.as_str()) || resource.is_virtual {
        return Vec::new();
    }
    let named = |kind: &str, title: &str| {
        graph.find(&ResourceRef { kind: kind.into(), title: title.into() })
    };
    let earlier = |other: ResourceId| (other, id, EdgeKind::Before);
    let name = text(resource, "name").unwrap_or_else(|| resource.id.title.to_string());
    match resource.id.kind.as_str() {
        "Mount" => {
            let parents = Path::new(&name).ancestors().skip(1);
            let mounts = parents.filter_map(|dir| named("Mount", &dir.to_string_lossy()));
            let mut soft_edges: Vec<SoftEdge> = mounts.map(earlier).collect();
            soft_edges.extend(files_below(graph, &name).map(|file| (id, file, EdgeKind::Before)));
            soft_edges
        }
        "Package" => {
            let source = text(resource, "source").filter(|source| source.starts_with('/'));
            let files = ["responsefile", "adminfile"].map(|name| text(resource, name));
            let files = files.into_iter().flatten().chain(source);
            files.filter_map(|path| named("File", &path)).map(earlier).collect()
        }
        "Selmodule" => {
            let path = text(resource, "selmodulepath").unwrap_or_else(|| {
                let dir = text(resource, "selmoduledir");
                let dir = dir.as_deref().unwrap_or("/usr/share/selinux/targeted").to_owned();
                format!("{dir}/{name}.pp")
            });
            named("File", &path).map(earlier).into_iter().collect()
        }
        _ => {
            let (pool, rest) = name.split_once('/').unwrap_or((&name, ""));
            let mut soft_edges: Vec<SoftEdge> =
                named("Zpool", pool).map(earlier).into_iter().collect();
            let parents = rest.match_indices('/').map(|(i, _)| format!("{pool}/{}", &rest[..i]));
            soft_edges.extend(parents.filter_map(|zfs| named("Zfs", &zfs)).map(earlier));
            soft_edges
        }
    }
}

fn text(resource: &Resource, name: &str) -> Option<String> {
    resource.value(name).and_then(|value| scalar_text(reveal(value).0))
}

/// The files of a graph that stand below a directory.
fn files_below<'g>(graph: &'g Graph, dir: &str) -> impl Iterator<Item = ResourceId> + 'g {
    let dir = format!("{dir}/");
    let files = graph.resources().filter(|(_, r)| r.id.kind == "File" && !r.is_virtual);
    let below = files.filter(move |(_, file)| {
        let path = text(file, "path").unwrap_or_else(|| file.id.title.to_string());
        path.len() > dir.len() && path.starts_with(&dir)
    });
    below.map(|(id, _)| id)
}
