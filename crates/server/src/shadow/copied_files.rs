//! The files that the resources of two catalogs copy from a server, and their differences.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ordain_data::{Redactor, Value};
use ordain_fleet::{Change, Content};
use ordain_graph::served::FileMetadata;
use ordain_graph::{Graph, Resource};

use super::requests::MetadataRequest;

/// The attributes on which the files depend that an agent copies. A difference in one of them is a
/// difference of the catalogs already.
const ATTRIBUTES: [&str; 10] = [
    "ensure",
    "path",
    "source",
    "recurse",
    "recurselimit",
    "max_files",
    "ignore",
    "links",
    "sourceselect",
    "source_permissions",
];
/// The checksums that agents compare contents by. With another one, such as `mtime`, contents are
/// compared by the default.
const DIGESTS: [&str; 9] =
    ["md5", "md5lite", "sha1", "sha1lite", "sha224", "sha256", "sha256lite", "sha384", "sha512"];
/// The checksum of agents of Puppet 7 and later.
const DEFAULT_DIGEST: &str = "sha256";

/// A resource that copies files, the same on both servers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CopyingResource {
    /// Its name.
    pub(super) name: String,
    /// The path on the node.
    path: String,
    /// The sources, in the order in which the agent tries them.
    pub(super) sources: Vec<Source>,
    /// Whether it copies a directory with everything below.
    pub(super) recurses: bool,
    /// Whether it joins all sources, instead of using the first one that exists.
    pub(super) joins_sources: bool,
    /// Whether it takes over owner, group and mode.
    has_permissions: bool,
}

/// A source of a resource.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Source {
    /// The address, such as `puppet:///modules/m/a`.
    address: String,
    pub(super) request: MetadataRequest,
    /// The metadata in the catalog of the old server, if that is a static one.
    pub(super) inlined: Option<Vec<FileMetadata>>,
}

/// The resources whose files are compared.
#[derive(Default)]
pub(crate) struct CopyingResources {
    pub(super) resources: Vec<CopyingResource>,
    /// The paths of all `File` resources on the node.
    paths: HashSet<String>,
    /// The number of resources that are not compared, because a secret is in their names or sources.
    pub(super) secret: usize,
    secrets: Redactor,
}

/// The files of a resource on one server, by their paths below the source, each with the address that
/// it was found at. The path of a single file is empty.
pub(super) type Entries = BTreeMap<String, (String, FileMetadata)>;

impl CopyingResources {
    /// The resources that copy the same sources on both servers.
    pub(crate) fn of(theirs: &Graph, ours: &Graph) -> Self {
        let secrets = {
            let all = theirs.resources().chain(ours.resources());
            let attributes = all.flat_map(|(_, resource)| &resource.attributes);
            // Parts of a secret count as secret, and each source has parts of another one.
            let attributes = attributes.filter(|attribute| attribute.name != "source");
            Redactor::of(attributes.map(|a| &a.value).filter(|value| value.holds_secret()))
        };
        let mut found = Self { secrets, ..Self::default() };
        for (_, resource) in theirs.resources() {
            if resource.id.kind != "File" || resource.exported || resource.is_virtual {
                continue;
            }
            found.paths.insert(path(resource));
            let Some(source) = resource.value("source") else { continue };
            let Some(other) = ours.find(&resource.id).map(|id| ours.resource(id)) else { continue };
            if ATTRIBUTES.iter().any(|name| resource.value(name) != other.value(name)) {
                continue;
            }
            if text(resource, "ensure").as_deref() == Some("absent") {
                continue;
            }
            let name = resource.id.to_string();
            let shown = texts(source).join("\n");
            if source.holds_secret() || found.secrets.finds(&name) || found.secrets.finds(&shown) {
                found.secret += 1;
                continue;
            }
            found.resources.extend(copying(theirs, resource, name));
        }
        found
    }

    /// The differences between the files of a resource on both servers. Entries below another resource are
    /// left out, as the agent leaves them out.
    pub(super) fn changes(
        &self,
        resource: &CopyingResource,
        theirs: &Entries,
        ours: &Entries,
    ) -> Vec<Change> {
        let below: BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
        let mut changes = Vec::new();
        for relative in below {
            let (before, after) = (theirs.get(relative), ours.get(relative));
            let content = |entry: Option<&(String, FileMetadata)>| {
                entry.map(|(_, metadata)| content(metadata, resource.has_permissions))
            };
            let (old, new) = (content(before), content(after));
            if old == new || self.is_of_another(&resource.path, relative) {
                continue;
            }
            let Some((address, _)) = after.or(before) else { continue };
            let source = match relative.is_empty() {
                true => address.clone(),
                false => format!("{address}/{relative}"),
            };
            let (source, resource) = (self.shown(source), resource.name.clone());
            let (before, after) =
                (old.map(|old| self.public(old)), new.map(|new| self.public(new)));
            changes.push(Change::File { resource, source, before, after, document: None });
        }
        changes
    }

    /// A text without the secrets of both catalogs.
    fn shown(&self, text: String) -> String {
        self.secrets.redact(&text).into_owned()
    }

    /// A content without the secrets of both catalogs, which may be in the target of a link.
    fn public(&self, content: Content) -> Content {
        match content {
            Content::Metadata { kind, checksum, target, permissions } => {
                let target = target.map(|target| self.shown(target));
                Content::Metadata { kind, checksum, target, permissions }
            }
            other => other,
        }
    }

    /// Whether another resource is about a path below a directory, or about a directory above it.
    fn is_of_another(&self, base: &str, relative: &str) -> bool {
        let mut path = base.trim_end_matches('/').to_string();
        relative.split('/').filter(|part| !part.is_empty()).any(|part| {
            path.push('/');
            path.push_str(part);
            self.paths.contains(&path)
        })
    }
}

fn path(resource: &Resource) -> String {
    let path = text(resource, "path").unwrap_or_else(|| resource.id.title.to_string());
    match path.trim_end_matches('/') {
        "" => "/".to_string(),
        path => path.to_string(),
    }
}

/// An attribute as text.
fn text(resource: &Resource, name: &str) -> Option<String> {
    resource.value(name).and_then(|value| texts(value).into_iter().next())
}

/// The texts of a value or of the items of a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Str(text) => vec![text.to_string()],
        Value::Bool(is_true) => vec![is_true.to_string()],
        Value::Int(number) => vec![number.to_string()],
        Value::List(items) => items.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// The resource with its sources; `None` if a source is on another server.
fn copying(theirs: &Graph, resource: &Resource, name: String) -> Option<CopyingResource> {
    let recurses = matches!(text(resource, "recurse").as_deref(), Some("true" | "remote"));
    let permissions = text(resource, "source_permissions");
    let permissions = permissions.as_deref().unwrap_or("ignore");
    let checksum = text(resource, "checksum").filter(|name| DIGESTS.contains(&name.as_str()));
    let inlined = theirs.served.file(&resource.id.title);
    let trees = theirs.served.trees(&resource.id.title);
    let inlined_kind = inlined.and_then(|file| file.digest()).map(|(kind, _)| kind);
    let tree_kind = trees.iter().flat_map(|(_, files)| files).find_map(|file| file.digest());
    let kind = inlined_kind.or(tree_kind.map(|(kind, _)| kind)).or(checksum.as_deref());
    let mut query = vec![
        ("links", text(resource, "links").unwrap_or_else(|| "manage".to_string())),
        ("checksum_type", kind.unwrap_or(DEFAULT_DIGEST).to_string()),
        ("source_permissions", permissions.to_string()),
    ];
    if recurses {
        query.push(("recurse", "true".to_string()));
        for name in ["recurselimit", "max_files"] {
            query.extend(text(resource, name).map(|text| (name, text)));
        }
        let ignore = resource.value("ignore").map(texts).unwrap_or_default();
        query.extend(ignore.into_iter().map(|pattern| ("ignore", pattern)));
    }
    let mut sources = Vec::new();
    for address in resource.value("source").map(texts).unwrap_or_default() {
        let address = address.trim_end_matches('/').to_string();
        // An address with a host or another scheme is of another server. The agent may use it
        // before those that follow.
        let request = MetadataRequest::of(&address, recurses, &query)?;
        let tree = trees.iter().find(|(source, _)| *source == address);
        let inlined = match inlined.filter(|_| !recurses) {
            Some(file) => Some(vec![file.clone()]),
            None => tree.map(|(_, files)| files.clone()),
        };
        sources.push(Source { address, request, inlined });
    }
    Some(CopyingResource {
        name,
        path: path(resource),
        sources,
        recurses,
        joins_sources: text(resource, "sourceselect").as_deref() == Some("all"),
        has_permissions: permissions != "ignore",
    })
}

impl CopyingResource {
    /// Adds the files of a source. Returns whether the agent looks at no further source.
    pub(super) fn add(
        &self,
        source: &Source,
        found: &[FileMetadata],
        entries: &mut Entries,
    ) -> bool {
        let relative = |file: &FileMetadata| match file.relative_path.as_deref() {
            None | Some(".") => String::new(),
            Some(relative) => relative.to_string(),
        };
        let top = found.iter().find(|file| relative(file).is_empty());
        let is_single = !self.recurses || top.is_some_and(|file| file.kind != "directory");
        for file in found {
            let relative = relative(file);
            if !is_single || relative.is_empty() {
                let entry = || (source.address.clone(), file.clone());
                entries.entry(relative).or_insert_with(entry);
            }
        }
        !found.is_empty() && (is_single || !self.joins_sources)
    }
}

/// The parts of metadata that an agent acts on.
fn content(metadata: &FileMetadata, has_permissions: bool) -> Content {
    let kind = metadata.kind.as_str();
    let permissions = || {
        let shown = |number: Option<u32>| number.map_or_else(|| "-".to_string(), |n| n.to_string());
        let mode = metadata.mode.map_or_else(|| "-".to_string(), |mode| format!("{mode:04o}"));
        format!("{mode} {}:{}", shown(metadata.owner), shown(metadata.group))
    };
    let checksum = metadata.digest().map(|(kind, hex)| format!("{{{kind}}}{hex}"));
    Content::Metadata {
        kind: kind.to_string(),
        checksum,
        target: metadata.destination.clone().filter(|_| kind == "link"),
        permissions: has_permissions.then(permissions),
    }
}

#[cfg(test)]
mod tests {
    use ordain_graph::puppet_catalog;
    use serde_json::{Value as Json, json};

    use super::*;

    fn graph(resources: &[(&str, Json)], more: Json) -> Graph {
        let resources: Vec<Json> = resources
            .iter()
            .map(|(title, parameters)| {
                json!({ "type": "File", "title": title, "parameters": parameters, "tags": [],
                        "sensitive_parameters": parameters.get("secret").cloned().unwrap_or(json!([])) })
            })
            .collect();
        let mut catalog = json!({ "name": "web", "environment": "production", "classes": [],
                                  "tags": [], "resources": resources, "edges": [] });
        for (key, value) in more.as_object().into_iter().flatten() {
            catalog[key] = value.clone();
        }
        puppet_catalog::read(catalog.to_string().as_bytes()).unwrap()
    }

    fn file(relative: &str, kind: &str, sum: &str) -> FileMetadata {
        serde_json::from_value(json!({
            "path": "/code/x", "relative_path": relative, "owner": 0, "group": 0, "mode": 420,
            "checksum": { "type": "sha256", "value": format!("{{sha256}}{sum}") }, "type": kind,
            "destination": (kind == "link").then_some(sum),
        }))
        .unwrap()
    }

    fn requests(found: &CopyingResources) -> Vec<String> {
        let sources = found.resources.iter().flat_map(|one| &one.sources);
        sources.map(|source| source.request.target("production")).collect()
    }

    #[test]
    fn requests_are_those_of_an_agent() {
        let resources = [
            ("/a", json!({ "source": "puppet:///modules/m/a b" })),
            (
                "/d",
                json!({ "source": ["puppet:///modules/m/d/", "puppet:///data/d"], "recurse": true,
                           "recurselimit": 2, "ignore": [".git", "*.o"], "links": "follow",
                           "source_permissions": "use", "checksum": "md5", "sourceselect": "all" }),
            ),
            ("/time", json!({ "source": "puppet:///modules/m/t", "checksum": "mtime" })),
            ("/gone", json!({ "source": "puppet:///modules/m/a", "ensure": "absent" })),
            ("/other", json!({ "source": "puppet://other/modules/m/a" })),
            ("/http", json!({ "source": ["https://x/a", "puppet:///modules/m/a"] })),
            ("/up", json!({ "source": "puppet:///modules/m/../../etc/shadow" })),
            ("/secret", json!({ "source": "puppet:///data/hunter2", "secret": ["source"] })),
            ("/part", json!({ "source": "puppet:///data/hunter2", "secret": [] })),
            ("/plain", json!({ "content": "a" })),
        ];
        let mut resources = resources.to_vec();
        resources.push(("/key", json!({ "content": "hunter2", "secret": ["content"] })));
        let graph = graph(&resources, json!({}));
        let found = CopyingResources::of(&graph, &graph);
        assert_eq!(
            requests(&found),
            [
                "/puppet/v3/file_metadata/modules/m/a%20b?links=manage&checksum_type=sha256&\
                 source_permissions=ignore&environment=production",
                "/puppet/v3/file_metadatas/modules/m/d?links=follow&checksum_type=md5&\
                 source_permissions=use&recurse=true&recurselimit=2&ignore=%2Egit&ignore=%2A%2Eo&\
                 environment=production",
                "/puppet/v3/file_metadatas/data/d?links=follow&checksum_type=md5&\
                 source_permissions=use&recurse=true&recurselimit=2&ignore=%2Egit&ignore=%2A%2Eo&\
                 environment=production",
                "/puppet/v3/file_metadata/modules/m/t?links=manage&checksum_type=sha256&\
                 source_permissions=ignore&environment=production",
            ]
        );
        assert_eq!((found.secret, found.resources.len()), (2, 3));
    }

    #[test]
    fn resources_that_differ_already_are_left_out() {
        let of = |source: &str| graph(&[("/a", json!({ "source": source }))], json!({}));
        let (one, two) = (of("puppet:///modules/m/a"), of("puppet:///modules/m/b"));
        assert!(CopyingResources::of(&one, &two).resources.is_empty());
        assert!(CopyingResources::of(&one, &graph(&[], json!({}))).resources.is_empty());
    }

    #[test]
    fn static_catalogs_have_the_metadata() {
        let metadata = |sum: &str| serde_json::to_value(file(".", "file", sum)).unwrap();
        let resources = [
            ("/a", json!({ "source": "puppet:///modules/m/a" })),
            ("/d", json!({ "source": "puppet:///modules/m/d", "recurse": true })),
        ];
        let more = json!({
            "metadata": { "/a": metadata("aa") },
            "recursive_metadata": { "/d": { "puppet:///modules/m/d": [metadata("dd")] } },
        });
        let found = CopyingResources::of(&graph(&resources, more), &graph(&resources, json!({})));
        let sums = found.resources.iter().map(|one| one.sources[0].inlined.as_ref().unwrap());
        let sums: Vec<_> = sums.map(|files| files[0].digest().unwrap().1.to_string()).collect();
        assert_eq!(sums, ["aa", "dd"]);
    }

    #[test]
    fn entries_are_compared_as_an_agent_acts_on_them() {
        let resources = [
            (
                "/d",
                json!({ "source": ["puppet:///modules/m/d", "puppet:///modules/m/e"],
                           "recurse": "remote" }),
            ),
            ("/d/own", json!({ "ensure": "directory" })),
        ];
        let graph = graph(&resources, json!({}));
        let found = CopyingResources::of(&graph, &graph);
        let resource = &found.resources[0];
        let entries = |files: &[FileMetadata]| {
            let mut entries = Entries::new();
            for (source, files) in resource.sources.iter().zip([files, &[file("e", "file", "1")]]) {
                if resource.add(source, files, &mut entries) {
                    break;
                }
            }
            entries
        };
        let theirs = entries(&[
            file(".", "directory", "1"),
            file("same", "file", "1"),
            file("text", "file", "1"),
            file("link", "link", "there"),
            file("own/x", "file", "1"),
            file("gone", "file", "1"),
        ]);
        let ours = entries(&[
            file(".", "directory", "2"),
            file("same", "file", "1"),
            file("text", "file", "2"),
            file("link", "link", "elsewhere"),
            file("own/x", "file", "2"),
            file("new", "directory", "1"),
        ]);
        let changes = found.changes(resource, &theirs, &ours);
        let shown: Vec<String> = changes
            .iter()
            .map(|change| {
                let json = serde_json::to_value(change).unwrap();
                format!("{} {} {}", json["source"], json["before"], json["after"])
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#""puppet:///modules/m/d/gone" {"metadata":{"type":"file","checksum":"{sha256}1"}} null"#,
                r#""puppet:///modules/m/d/link" {"metadata":{"type":"link","target":"there"}} {"metadata":{"type":"link","target":"elsewhere"}}"#,
                r#""puppet:///modules/m/d/new" null {"metadata":{"type":"directory"}}"#,
                r#""puppet:///modules/m/d/text" {"metadata":{"type":"file","checksum":"{sha256}1"}} {"metadata":{"type":"file","checksum":"{sha256}2"}}"#,
            ]
        );
        // Without the first source, the second one counts.
        assert_eq!(entries(&[]).keys().collect::<Vec<_>>(), ["e"]);
        assert_eq!(entries(&[file(".", "file", "1")]).len(), 1);
    }
}
