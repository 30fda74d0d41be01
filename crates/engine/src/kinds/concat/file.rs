//! `concat_file`: the file that is made of fragments.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value;
use ordain_graph::{Attribute, Containment, Resource, ResourceRef};
use ordain_kinds::{KindSchema, modules};
use rustc_hash::FxHasher;

use crate::kind::params::Params;
use crate::kind::params::{reveal, scalar_text};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::concat::content::{Assembly, Format, Place};
use crate::kinds::concat::fragment::collects;
use crate::kinds::file::CopiedContent;
use crate::kinds::shared::instances::inherit;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The most bytes of a fragment that is copied, and of all together.
const MAX_BYTES: usize = 256 << 20;

/// Attributes that are those of the generated file.
const OF_FILE: [&str; 13] = [
    "path",
    "owner",
    "group",
    "mode",
    "replace",
    "backup",
    "selinux_ignore_defaults",
    "selrange",
    "selrole",
    "seltype",
    "seluser",
    "validate_cmd",
    "show_diff",
];

/// The kind `concat_file`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConcatFile;

impl Kind for ConcatFile {
    fn schema(&self) -> &KindSchema {
        &modules::CONCAT_FILE
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let present = p.choice("ensure") != Some("absent");
        check_types(&mut p);
        let file = file_of(resource, present);
        // The file reports its invalid attributes and its autorequires.
        let wanted = match context.registry.get("file").map(|kind| kind.parse(&file, context)) {
            Some(Ok(instance)) => instance.autorequires(),
            Some(Err(errors)) => {
                errors.into_iter().for_each(|e| match e.attribute {
                    Some(name) => p.error(&name, e.message),
                    None => p.error_of_all(e.message),
                });
                Vec::new()
            }
            None => Vec::new(),
        };
        let numeric = p.choice("order") != Some("alpha");
        let fragments = fragments(&mut p, resource, numeric, context);
        let is_secret = fragments.iter().any(|fragment| fragment.is_secret);
        let flag = |p: &mut Params<'_>, name: &str, default| {
            if p.has(name) { p.boolean(name) } else { default }
        };
        let instance = ConcatFileInstance {
            path: file.id.title.as_str().into(),
            file,
            wanted,
            present,
            fragments,
            ensure_newline: flag(&mut p, "ensure_newline", false),
            creates_empty: flag(&mut p, "create_empty_file", true),
            assembly: Assembly {
                format: Format::of(p.choice("format").unwrap_or("plain")),
                force: flag(&mut p, "force", false),
                secret: is_secret,
            },
        };
        p.finish(Box::new(instance) as Box<dyn Instance>)
    }
}

fn check_types(p: &mut Params<'_>) {
    let texts = [
        ("validate_cmd", "Validate_cmd"),
        ("selrange", "Selrange"),
        ("selrole", "Selrole"),
        ("seltype", "Seltype"),
        ("seluser", "Seluser"),
    ];
    for (name, shown) in texts {
        if p.raw(name).is_some_and(|value| value.as_str().is_none()) {
            p.error(name, format!("{shown} must be a String"));
        }
    }
    if p.raw("backup").is_some_and(|v| !matches!(v, Value::Str(_) | Value::Bool(_))) {
        p.error("backup", "Backup must be a Boolean or String");
    }
}

/// The generated file, without its content.
fn file_of(resource: &Resource, present: bool) -> Resource {
    let path = resource.value("path").and_then(|path| scalar_text(reveal(path).0));
    let title = path.map_or_else(|| resource.id.title.clone(), EcoString::from);
    let is_own = |attribute: &&Attribute| OF_FILE.contains(&attribute.name.as_str());
    let own = resource.attributes.iter().filter(is_own).cloned();
    let ensure = Value::str(if present { "file" } else { "absent" });
    let mut file = Resource {
        id: ResourceRef { kind: "File".into(), title },
        containment: Containment::Leaf,
        attributes: own.chain([attribute(resource, "ensure", ensure)]).collect(),
        tags: resource.tags.clone(),
        exported: false,
        is_virtual: false,
        origin: resource.origin,
    };
    inherit(&mut file, resource);
    file
}

fn attribute(resource: &Resource, name: &str, value: Value) -> Attribute {
    Attribute { name: name.into(), value, origin: resource.origin, losers: Vec::new() }
}

/// A part of the file.
#[derive(Hash)]
struct Fragment {
    place: Place,
    content: FragmentContent,
    is_secret: bool,
}

#[derive(Hash)]
enum FragmentContent {
    Bytes(Arc<[u8]>),
    Copied(CopiedContent),
}

/// The fragments of a file, in their order.
fn fragments(
    p: &mut Params<'_>,
    file: &Resource,
    numeric: bool,
    context: &ParseContext<'_>,
) -> Vec<Fragment> {
    let mut out = Vec::new();
    for resource in (context.of_kind)(modules::CONCAT_FRAGMENT.name) {
        if !collects(file, resource) {
            continue;
        }
        let mut fragment = Params::new(resource);
        let order = fragment.text("order").unwrap_or_else(|| "10".into());
        let content = match fragment.raw("content") {
            Some(Value::Bytes(bytes)) => FragmentContent::Bytes(Arc::clone(bytes)),
            Some(Value::Str(text)) => FragmentContent::Bytes(text.as_bytes().into()),
            // The fragment itself reports other values.
            Some(_) => continue,
            None => {
                let sources = fragment.list("source").unwrap_or_default();
                match CopiedContent::parse(&sources, context) {
                    Ok(copied) => FragmentContent::Copied(copied),
                    Err(message) => {
                        p.error_of_all(format!("{}: {message}", resource.id));
                        continue;
                    }
                }
            }
        };
        let is_secret = resource.attributes.iter().any(|a| a.value.holds_secret());
        let place = Place::new(&order, &fragment.name(), numeric);
        out.push(Fragment { place, content, is_secret });
    }
    out.sort_by(|a, b| a.place.cmp(&b.place));
    out
}

struct ConcatFileInstance {
    path: PathBuf,
    file: Resource,
    /// The resources that the file needs.
    wanted: Vec<ResourceRef>,
    present: bool,
    fragments: Vec<Fragment>,
    ensure_newline: bool,
    creates_empty: bool,
    assembly: Assembly,
}

impl ConcatFileInstance {
    fn content(&self, host: &Host) -> Result<Vec<u8>, KindError> {
        let (mut all, mut size) = (Vec::new(), 0);
        for fragment in &self.fragments {
            let mut bytes = match &fragment.content {
                FragmentContent::Bytes(bytes) => bytes.to_vec(),
                FragmentContent::Copied(copied) => copied.read(host, MAX_BYTES as u64)?,
            };
            if self.ensure_newline && !bytes.ends_with(b"\n") {
                bytes.push(b'\n');
            }
            size += bytes.len();
            if size > MAX_BYTES {
                return Err(KindError::new("the fragments are too large"));
            }
            all.push(bytes);
        }
        self.assembly.content(&all)
    }
}

impl Instance for ConcatFileInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        self.wanted.clone()
    }

    fn second_names(&self) -> Vec<ResourceRef> {
        vec![self.file.id.clone()]
    }

    fn context_fingerprint(&self) -> Option<u64> {
        let mut hasher = FxHasher::default();
        self.fragments.hash(&mut hasher);
        Some(hasher.finish())
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        let copied = self.fragments.iter().filter_map(|fragment| match &fragment.content {
            FragmentContent::Copied(copied) => Some(copied),
            FragmentContent::Bytes(_) => None,
        });
        let sources = copied.flat_map(CopiedContent::files).map(|path| Watch::Path(path.into()));
        [Watch::Path(self.path.clone())].into_iter().chain(sources).collect()
    }

    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        Ok(Vec::new())
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        Ok(())
    }

    fn generate(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let mut file = self.file.clone();
        if !self.present {
            return Ok(vec![file]);
        }
        let content = self.content(host)?;
        if content.is_empty() && !self.creates_empty {
            file.attributes.retain(|attribute| attribute.name != "ensure");
            file.attributes.push(attribute(&self.file, "ensure", Value::str("absent")));
            return Ok(vec![file]);
        }
        let value = match String::from_utf8(content) {
            Ok(text) => Value::str(text),
            Err(error) => Value::Bytes(error.into_bytes().into()),
        };
        let value = if self.assembly.secret { Value::Secret(Arc::new(value)) } else { value };
        file.attributes.push(attribute(&self.file, "content", value));
        Ok(vec![file])
    }

    fn is_container(&self) -> bool {
        true
    }
}
