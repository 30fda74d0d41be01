//! Reading the attributes of a `file`.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_functions::checksum::{Checksum, NAMES};
use ordain_graph::{Resource, ResourceRef, protected};

use super::backup::Backup;
use super::mode::Mode;
use super::model::{Content, Ensure, FileInstance, Recurse, Recursion, SourcePermissions};
use super::selinux_context::{DeclaredContext, PROPERTIES, Parts};
use super::source::Source;
use crate::kind::params::{Params, scalar_text};
use crate::kind::{AttributeError, ParseContext};

pub(super) fn parse(
    resource: &Resource,
    context: &ParseContext<'_>,
    bucket: &Path,
) -> Result<FileInstance, Vec<AttributeError>> {
    let mut attributes = Params::new(resource);
    let a = &mut attributes;
    let path = path(a);
    let (ensure, target) = ensure(a);
    let content = a.bytes("content").map(|bytes| Content { bytes, secret: a.is_secret("content") });
    let sources = sources(a, context);
    let recursion = recursion(a);
    let checksum = a
        .index_of("checksum", &NAMES)
        .map_or_else(|| Checksum::from_index(0), Checksum::from_index);
    conflicts(a, checksum, recursion.mode);
    let mut file = FileInstance {
        path,
        ensure,
        target,
        content,
        sources,
        fragments: fragments(a),
        declared_files: Default::default(),
        must_exist: a.boolean("must_exist"),
        parents: a.boolean("parents"),
        remove_empty: a.boolean("remove_empty"),
        owner: a.text("owner"),
        group: a.text("group"),
        mode: mode(a),
        checksum,
        checksum_value: a.text("checksum_value").map(|t| t.to_lowercase()),
        backup: backup(a, context, bucket),
        replace: a.boolean_or("replace", true),
        force: a.boolean("force"),
        follow: a.index_of("links", &["manage", "follow"]) == Some(1),
        show_diff: a.boolean_or("show_diff", true),
        source_permissions: match a
            .index_of("source_permissions", &["ignore", "use", "use_when_creating"])
        {
            Some(1) => SourcePermissions::Use,
            Some(2) => SourcePermissions::UseWhenCreating,
            _ => SourcePermissions::Ignore,
        },
        validate: validate(a),
        context: DeclaredContext {
            parts: Parts(PROPERTIES.map(|name| a.text(name))),
            ignore_defaults: a.boolean("selinux_ignore_defaults"),
        },
        autorequires: Vec::new(),
        declared: (recursion.mode != Recurse::No).then(|| Box::new(resource.clone())),
        recursion,
        served: Vec::new(),
        below: BTreeSet::new(),
        log: Default::default(),
    };
    if !file.fragments.is_empty() {
        file.declared_files = (context.files)();
    }
    file.autorequires = autorequires(&file, context);
    if file.recursion.mode != Recurse::No {
        file.below = declared_below(&file, context);
        file.served = context.served.trees(&resource.id.title).to_vec();
    }
    attributes.finish(file)
}

/// The declared files below a file.
fn declared_below(file: &FileInstance, context: &ParseContext<'_>) -> BTreeSet<PathBuf> {
    let files = (context.files)();
    let after = (Bound::Excluded(&file.path), Bound::Unbounded);
    let below = files.range::<PathBuf, _>(after).take_while(|p| p.starts_with(&file.path));
    below.cloned().collect()
}

fn path(a: &mut Params<'_>) -> PathBuf {
    let text = a.text("path").unwrap_or_else(|| a.title().to_string());
    if !text.starts_with('/') {
        a.error("path", format!("File paths must be fully qualified, not '{text}'"));
    } else if text.contains('\0') {
        a.error("path", "File paths cannot hold a zero byte");
    }
    PathBuf::from(protected::normal(&text))
}

fn ensure(a: &mut Params<'_>) -> (Option<Ensure>, Option<String>) {
    let target = a.text("target");
    let Some(value) = a.raw("ensure") else {
        let ensure = match (&target, a.raw("content")) {
            (Some(_), _) => Some(Ensure::Link),
            (None, Some(_)) => Some(Ensure::File),
            (None, None) => None,
        };
        return (ensure, target);
    };
    let text = scalar_text(value).unwrap_or_default();
    let ensure = match text.as_str() {
        "absent" | "false" => Ensure::Absent,
        "present" | "true" => Ensure::Present,
        "file" => Ensure::File,
        "directory" => Ensure::Directory,
        "link" => {
            if target.is_none() && a.raw("source").is_none() {
                a.error("ensure", "Cannot create a symlink without a target");
            }
            Ensure::Link
        }
        "" => {
            a.error("ensure", format!("ensure must be text, not {}", value.kind()));
            Ensure::Present
        }
        _ => return (Some(Ensure::Link), Some(text)),
    };
    let ensure = match (ensure, a.raw("content"), &target) {
        (Ensure::Present, Some(_), _) => Ensure::File,
        (Ensure::Present, None, Some(_)) => Ensure::Link,
        (ensure, ..) => ensure,
    };
    (Some(ensure), target)
}

fn sources(a: &mut Params<'_>, context: &ParseContext<'_>) -> Vec<Source> {
    let mut out = Vec::new();
    for text in a.list("source").unwrap_or_default() {
        match Source::parse(&text, context) {
            Ok(source) => out.push(source),
            Err(message) => a.error("source", message),
        }
    }
    out
}

fn fragments(a: &mut Params<'_>) -> Vec<String> {
    let paths = a.list("fragments").unwrap_or_default();
    for path in paths.iter().filter(|path| !path.starts_with('/')) {
        a.error("fragments", format!("Fragments must be fully qualified, not '{path}'"));
    }
    paths
}

fn conflicts(a: &mut Params<'_>, checksum: Checksum, recurse: Recurse) {
    let creators = ["content", "source", "target", "fragments"];
    let given = creators.iter().filter(|n| a.raw(n).is_some()).count();
    let link_text = a.raw("ensure").and_then(Value::as_str).is_some_and(|t| t.starts_with('/'));
    if given > 1 || (link_text && given == 1 && a.raw("target").is_none()) {
        let text = "You cannot specify more than one of content, source, target";
        a.error_of_all(text);
    }
    if recurse == Recurse::Remote && a.raw("source").is_none() {
        a.error("recurse", "You cannot specify a remote recursion without a source");
    }
    if checksum == Checksum::None && a.raw("source").is_some() {
        a.error("checksum", "You cannot specify source when using checksum 'none'");
    }
    if matches!(checksum, Checksum::None | Checksum::Mtime | Checksum::Ctime)
        && a.raw("content").is_some()
    {
        let name = checksum.name();
        let text = format!("You cannot specify content when using checksum '{name}'");
        a.error("checksum", text);
    }
}

fn mode(a: &mut Params<'_>) -> Option<Mode> {
    let value = a.raw("mode")?;
    let Some(text) = value.as_str() else {
        let class = a.type_name("mode");
        let text = format!("The file mode specification must be a string, not '{class}'");
        a.error("mode", text);
        return None;
    };
    let mode = Mode::parse(text);
    if mode.is_none() {
        a.error("mode", format!("The file mode specification is invalid: \"{text}\""));
    }
    mode
}

fn backup(a: &mut Params<'_>, context: &ParseContext<'_>, bucket: &Path) -> Backup {
    match a.raw("backup").and_then(scalar_text).as_deref() {
        None | Some("false" | "") => Backup::None,
        Some("true") => Backup::Suffix(".puppet-bak".into()),
        Some(text) if text.contains('/') => {
            a.error(
                "backup",
                format!("backup must be a suffix or the name of a bucket, not '{text}'"),
            );
            Backup::None
        }
        Some(text) if text.starts_with('.') => Backup::Suffix(text.into()),
        Some(name) => {
            let id = ResourceRef { kind: "Filebucket".into(), title: name.into() };
            let Some(declared) = (context.find)(&id) else {
                // The one that every catalog of Puppet has.
                if name != "puppet" {
                    a.error(
                        "backup",
                        format!("Could not find filebucket {name} specified in backup"),
                    );
                }
                return Backup::Bucket(bucket.to_path_buf());
            };
            let path = Params::new(declared).text("path").filter(|p| p.starts_with('/'));
            Backup::Bucket(path.map_or_else(|| bucket.to_path_buf(), PathBuf::from))
        }
    }
}

fn recursion(a: &mut Params<'_>) -> Recursion {
    let mut limit = a
        .integer("recurselimit", "recurselimit must be an integer")
        .and_then(|n| u32::try_from(n).ok());
    let mode = match a.raw("recurse").and_then(scalar_text).as_deref() {
        None | Some("false" | "0") => Recurse::No,
        Some("true" | "inf") => Recurse::Both,
        Some("remote") => Recurse::Remote,
        Some(text) => match text.parse() {
            Ok(depth) => {
                limit = limit.or(Some(depth));
                Recurse::Both
            }
            Err(_) => {
                a.error("recurse", format!("Invalid recurse value \"{text}\""));
                Recurse::No
            }
        },
    };
    Recursion {
        mode,
        limit,
        max_files: a.integer("max_files", "max_files must be an integer").unwrap_or(0),
        purge: a.boolean("purge"),
        ignore: a.list("ignore").unwrap_or_default(),
        all_sources: a.index_of("sourceselect", &["first", "all"]) == Some(1),
    }
}

fn validate(a: &mut Params<'_>) -> Option<String> {
    let command = a.text("validate_cmd")?;
    let mark = a.text("validate_replacement").unwrap_or_else(|| "%".into());
    // The shell gets the path as a parameter, so that no name can be taken for a command.
    Some(command.replace(&mark, "\"$1\""))
}

fn autorequires(file: &FileInstance, context: &ParseContext<'_>) -> Vec<ResourceRef> {
    let named = |kind: &str, title: &str| ResourceRef { kind: kind.into(), title: title.into() };
    let mut wanted = Vec::new();
    let above = file.path.ancestors().skip(1).filter_map(Path::to_str);
    // A declared path may end in a slash.
    let parent = above.flat_map(|p| [named("File", p), named("File", &format!("{p}/"))]);
    wanted.extend(parent.into_iter().find(|r| (context.find)(r).is_some()));
    wanted.extend(file.fragments.iter().map(|path| named("File", path)));
    if let Some(target) = file.target.as_deref().filter(|t| t.starts_with('/')) {
        wanted.push(named("File", target));
    }
    let is_name = |text: &&String| text.parse::<u32>().is_err();
    wanted.extend(file.owner.as_ref().filter(is_name).map(|o| named("User", o)));
    wanted.extend(file.group.as_ref().filter(is_name).map(|g| named("Group", g)));
    wanted
}
