//! What comes before what by the kinds of resources, where nothing about it is written.
//!
//! Kinds that this engine applies say so themselves ([`crate::kind::Instance::autorequires`]). Here is
//! the same for kinds of Puppet that it does not apply: their relations are part of a picture of a
//! graph, and hold between resources that are applied and containers of others.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use ordain_graph::order::Wish;
use ordain_graph::{Edge, EdgeKind, Graph, Origin, Resource, ResourceId, ResourceRef, Step};

use crate::attributes::{reveal, scalar_text};
use crate::deferred::Nothing;
use crate::prepare::{Options, Prepared, Resolve};
use crate::registry::Registry;

/// The kinds that are not applied here but have relations of their own; packages, some of which no
/// provider here can install; and mounts, which come before what is declared below them.
const KINDS: &[&str] = &["Mount", "Package", "Selmodule", "Zfs"];

/// Adds to a graph what the kinds of its resources ask for; a graph with a loop is left as it is.
pub fn add(graph: &mut Graph) {
    let (registry, options) = (Arc::new(Registry::default()), Options::default());
    let whole = Arc::new(std::mem::take(graph));
    let outside: (Resolve, _) = (Arc::new(|_| None), Some(Arc::new(Nothing) as _));
    let prepared = Prepared::deferring(None, Arc::clone(&whole), registry, outside, options);
    let wishes = prepared.map(|prepared| prepared.wishes_of_kinds());
    *graph = Arc::unwrap_or_clone(whole);
    let Ok(wishes) = wishes else { return };
    let edges = graph.edges.iter().chain(&graph.automatic);
    let mut known: FxHashSet<(ResourceId, ResourceId)> = edges.map(|e| (e.from, e.to)).collect();
    let set = |ids: &[ResourceId]| ids.iter().copied().collect::<FxHashSet<_>>();
    let barriers: Vec<_> = graph.barriers.iter().map(|b| (set(&b.from), set(&b.to))).collect();
    let is_written = |from: ResourceId, to: ResourceId| {
        barriers.iter().any(|(before, after)| before.contains(&from) && after.contains(&to))
    };
    for ((from, to, kind), by) in wishes {
        // What is written counts, and of two that ask for the opposite the first.
        let is_known = known.contains(&(to, from)) || is_written(from, to) || is_written(to, from);
        if from == to || is_known || !known.insert((from, to)) {
            continue;
        }
        let resource = graph.resource(by);
        let (step, parent) = (Step::Kind(resource.id.kind.clone()), Some(resource.origin));
        let origin = graph.origins.intern(Origin { step, span: None, parent });
        graph.automatic.push(Edge { from, to, kind, origin });
    }
}

/// The relations that a resource of a kind that is not applied here asks for.
pub(crate) fn extra(graph: &Graph, id: ResourceId) -> Vec<Wish> {
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
            let mut wishes: Vec<Wish> = mounts.map(earlier).collect();
            wishes.extend(files_below(graph, &name).map(|file| (id, file, EdgeKind::Before)));
            wishes
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
            let mut wishes: Vec<Wish> = named("Zpool", pool).map(earlier).into_iter().collect();
            let parents = rest.match_indices('/').map(|(i, _)| format!("{pool}/{}", &rest[..i]));
            wishes.extend(parents.filter_map(|zfs| named("Zfs", &zfs)).map(earlier));
            wishes
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
