//! Edges that kinds add by themselves.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::resource::{Edge, Resource, Resources};
use super::validate::file_path;
use crate::failure::Failure;
use crate::functions::Environment;

/// Resources by kind and field, for the search of edges.
#[derive(Default)]
struct Index {
    files: FxHashMap<String, usize>,
    named: FxHashMap<(&'static str, String), usize>,
    /// The files of packages, by package.
    packages: BTreeMap<String, Vec<String>>,
    /// The packages that files are of.
    owners: FxHashMap<String, usize>,
    /// The first timer of a unit by its name, and whether it is one of the session.
    timers: FxHashMap<(String, bool), usize>,
    /// The first source of firmware by its name.
    remote: Option<usize>,
    /// The directory of the user.
    home: Option<String>,
}

impl Index {
    /// Looks up the files of the packages.
    fn ask(&mut self, environment: &dyn Environment) {
        let named = self.named.iter().filter(|((kind, _), _)| *kind == "pkg");
        let packages: FxHashMap<&str, usize> =
            named.map(|((_, name), at)| (name.as_str(), *at)).collect();
        let mut names: Vec<&str> = packages.keys().copied().collect();
        names.sort_unstable();
        if names.is_empty() {
            return;
        }
        let files = environment.packages(&names);
        for (name, files) in &files {
            let Some(at) = packages.get(name.as_str()) else { continue };
            self.owners.extend(files.iter().map(|file| (file.clone(), *at)));
        }
        self.packages = files;
    }

    /// The nearest directory around a path.
    fn around(&self, path: &str) -> Option<&usize> {
        let mut rest = path.trim_end_matches('/');
        while let Some((dir, _)) = rest.rsplit_once('/') {
            if let Some(found) = self.files.get(&format!("{dir}/")) {
                return Some(found);
            }
            rest = dir;
        }
        None
    }
}

/// Adds the edges in the order of the names of the resources.
pub(super) fn add(resources: &mut Resources, environment: &dyn Environment) -> Result<(), Failure> {
    let wants = |resource: &Resource| {
        resource.meta.autoedge && !resource.meta.hidden && resource.kind.kind.has("edgeable")
    };
    let mut index = Index::default();
    let mut order: BTreeMap<String, usize> = BTreeMap::new();
    for (at, resource) in resources.list.iter().enumerate() {
        if !wants(resource) {
            continue;
        }
        if resource.kind.kind.name == "file" {
            index.files.insert(file_path(resource), at);
        }
        index.named.insert((resource.kind.kind.name, resource.name.clone()), at);
        order.insert(resource.reference(), at);
    }
    for at in order.values().copied() {
        let resource = &resources.list[at];
        match resource.kind.kind.name {
            "cron" => {
                index.timers.entry(timed(resource)).or_insert(at);
            }
            "fwupd:remote" => index.remote = index.remote.or(Some(at)),
            _ => {}
        }
    }
    index.ask(environment);
    index.home = environment.world().env("HOME").filter(|home| !home.is_empty());
    let mut found = Vec::new();
    for at in order.values().copied() {
        let resource = &resources.list[at];
        match resource.kind.kind.name {
            "file" => file(&index, resource, at, &mut found),
            "svc" => svc(&index, resource, at, &mut found),
            "exec" => exec(&index, resource, at, &mut found),
            "pkg" => package(&index, resource, at, &mut found),
            "user" => user(&index, resource, at, &mut found),
            "http:server:file" => {
                found.extend(index.files.get(&resource.text("path")).map(|from| (*from, at)));
            }
            "fwupd:remote" => remote(&index, resource, at, &mut found),
            "fwupd:device" | "fwupd:system" => {
                found.extend(index.remote.map(|remote| (remote, at)));
            }
            "docker:container" => container(&index, resource, at, &mut found),
            _ => {}
        }
    }
    for (from, to) in found {
        let new = Edge { notify: false, span: None, is_automatic: true };
        if from != to {
            resources.edges.entry((from, to)).or_insert(new);
        }
    }
    Ok(())
}

type EdgeList = Vec<(usize, usize)>;

/// Its fragments, and the nearest declared directory above it.
fn file(index: &Index, resource: &Resource, at: usize, found: &mut EdgeList) {
    for fragment in resource.texts("fragments") {
        found.extend(index.files.get(&fragment).map(|from| (*from, at)));
    }
    found.extend(index.around(&file_path(resource)).map(|from| (*from, at)));
}

/// The unit that a timer starts.
fn timed(timer: &Resource) -> (String, bool) {
    let unit = match timer.text("unit") {
        unit if unit.is_empty() => format!("{}.service", timer.name),
        unit => unit,
    };
    (unit, is_of_session(timer))
}

fn is_of_session(resource: &Resource) -> bool {
    resource.value("session").and_then(|value| value.as_bool()).unwrap_or_default()
}

/// The file of its unit, and the timer that starts it.
fn svc(index: &Index, resource: &Resource, at: usize, found: &mut EdgeList) {
    let unit = format!("{}.service", resource.name);
    let places = match (&index.home, is_of_session(resource)) {
        (Some(home), true) => vec![format!("{}/.config/systemd/user/", home.trim_end_matches('/'))],
        (None, true) => Vec::new(),
        (_, false) => vec!["/etc/systemd/system/".into(), "/usr/lib/systemd/system/".into()],
    };
    let file = places.iter().find_map(|dir| index.files.get(&format!("{dir}{unit}")));
    found.extend(file.map(|from| (*from, at)));
    let timer = index.timers.get(&(unit, is_of_session(resource)));
    found.extend(timer.map(|timer| (at, *timer)));
}

/// The file of a source of firmware, and the service that reads it.
fn remote(index: &Index, resource: &Resource, at: usize, found: &mut EdgeList) {
    let path = format!("/etc/fwupd/remotes.d/{}.conf", resource.name);
    let service = index.named.get(&("svc", "fwupd".to_owned()));
    found.extend(index.files.get(&path).into_iter().chain(service).map(|from| (*from, at)));
}

/// The services whose units it has, its files, and the directories above those files that are not
/// declared. All of them come after the package.
fn package(index: &Index, resource: &Resource, at: usize, found: &mut EdgeList) {
    for path in index.packages.get(&resource.name).into_iter().flatten() {
        let unit = path
            .rsplit_once("/systemd/system/")
            .and_then(|(_, unit)| unit.strip_suffix(".service"));
        let service = unit.and_then(|name| index.named.get(&("svc", name.to_owned())));
        found.extend(service.map(|to| (at, *to)));
        let file = index.files.get(path).or_else(|| index.files.get(&format!("{path}/")));
        found.extend(file.or_else(|| index.around(path)).map(|to| (at, *to)));
    }
}

/// The files of the programs that it runs, its user, its group.
fn exec(index: &Index, resource: &Resource, at: usize, found: &mut EdgeList) {
    let pairs = [
        ("cmd", "shell"),
        ("watchcmd", "watchshell"),
        ("ifcmd", "ifshell"),
        ("nifcmd", "nifshell"),
        ("donecmd", "doneshell"),
    ];
    for (command, shell) in pairs {
        let (command, shell) = (resource.text(command), resource.text(shell));
        let program = if shell.is_empty() { first_word(&command) } else { shell.as_str() };
        found.extend(index.files.get(program).map(|from| (*from, at)));
        found.extend(index.owners.get(program).map(|from| (*from, at)));
    }
    for kind in ["user", "group"] {
        let name = resource.text(kind);
        found.extend(index.named.get(&(kind, name)).map(|from| (*from, at)));
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The groups that it is in.
fn user(index: &Index, resource: &Resource, at: usize, found: &mut EdgeList) {
    let mut groups = resource.texts("groups");
    groups.push(resource.text("group"));
    let exists = resource.text("state") == "exists";
    for group in groups {
        if let Some(group) = index.named.get(&("group", group)) {
            found.push(if exists { (*group, at) } else { (at, *group) });
        }
    }
}

/// Its image.
fn container(index: &Index, resource: &Resource, at: usize, found: &mut EdgeList) {
    if let Some(image) = index.named.get(&("docker:image", resource.text("image"))) {
        let is_removed = resource.text("state") == "removed";
        found.push(if is_removed { (at, *image) } else { (*image, at) });
    }
}
