//! Resources that a merged document declares: its key `resources` as a graph.
//!
//! ```yaml
//! resources:
//!   file:
//!     /srv: { ensure: directory }
//!     /srv/motd:
//!       content: (( "welcome to " meta.env "\n" ))
//!       require: [ "File[/srv]" ]
//! ```
//!
//! It maps kinds to titles, and titles to attributes, so that files merge. Other keys of a document
//! are for its expressions.

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_data::{Decrypted, Map};
use ordain_functions::text::capitalize;
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, OriginId, Resource, ResourceId,
    ResourceRef, Step,
};
use ordain_source::suggest::nearest;
use ordain_source::{Diagnostic, Span};

/// The key under which resources are declared.
pub const KEY: &str = "resources";

/// Attributes that are relationships, whether the other side comes first, and their kind.
const RELATIONS: [(&str, bool, EdgeKind); 4] = [
    ("before", false, EdgeKind::Before),
    ("notify", false, EdgeKind::Notify),
    ("require", true, EdgeKind::Before),
    ("subscribe", true, EdgeKind::Notify),
];

/// The codes of errors in resources.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// The document is not of the form.
    pub form: &'static str,
    /// A relationship with an undeclared resource.
    pub unknown: &'static str,
}

/// Finds the place of the value at a path.
pub type Place<'a> = &'a mut dyn FnMut(&[&str]) -> Option<Span>;

/// The graph of a document's resources; values that contain secrets are secret.
///
/// # Errors
/// All errors in its structure, and relationships with undeclared resources.
pub fn graph(
    document: &Data,
    secrets: &Decrypted,
    place: Place<'_>,
    codes: Codes,
) -> Result<Graph, Vec<Diagnostic>> {
    let mut building = GraphBuilder {
        secrets,
        graph: Graph::default(),
        place,
        codes,
        relations: Vec::new(),
        errors: Vec::new(),
    };
    match document.get(KEY) {
        Some(Data::Map(kinds)) => {
            for (kind, titles) in kinds.iter() {
                building.kind(kind, titles);
            }
        }
        Some(other) => {
            building.wrong(&[KEY], &format!("resources are a map, not {}", named(other)))
        }
        None => {
            let text = format!("the document has no key `{KEY}` and declares no resources");
            building.errors.push(Diagnostic::error(codes.form, text));
        }
    }
    building.relate();
    if building.errors.is_empty() { Ok(building.graph) } else { Err(building.errors) }
}

/// A relation as it is written.
struct Relation {
    of: ResourceId,
    to: String,
    comes_first: bool,
    kind: EdgeKind,
    origin: OriginId,
    span: Option<Span>,
}

struct GraphBuilder<'a> {
    graph: Graph,
    secrets: &'a Decrypted,
    place: Place<'a>,
    codes: Codes,
    relations: Vec<Relation>,
    errors: Vec<Diagnostic>,
}

impl GraphBuilder<'_> {
    fn wrong(&mut self, path: &[&str], text: &str) {
        let error = Diagnostic::error(self.codes.form, text.to_string());
        self.errors.push(match (self.place)(path) {
            Some(span) => error.at(span),
            None => error,
        });
    }

    fn origin(&mut self, step: Step, path: &[&str]) -> OriginId {
        let span = (self.place)(path);
        self.graph.origins.intern(Origin { step, span, parent: None })
    }

    fn kind(&mut self, kind: &Data, titles: &Data) {
        let Some(name) = kind.as_str().filter(|name| is_kind(name)) else {
            let text = "the name of a kind has letters, digits and `_`, with `::` between parts";
            return self.wrong(&[KEY, kind.as_str().unwrap_or_default()], text);
        };
        let Some(titles) = titles.as_map() else {
            let text = format!("a kind is a map of titles, not {}", named(titles));
            return self.wrong(&[KEY, name], &text);
        };
        let full: Vec<String> =
            name.split("::").map(|part| capitalize(&part.to_lowercase())).collect();
        let full = EcoString::from(full.join("::"));
        for (title, attributes) in titles.iter() {
            let title = text_of(title).unwrap_or_default();
            self.resource(&full, &[KEY, name, &title], attributes);
        }
    }

    fn resource(&mut self, kind: &EcoString, path: &[&str; 3], attributes: &Data) {
        let title = path[2];
        let none = Map::default();
        let attributes = match attributes {
            Data::Null => &none,
            Data::Map(attributes) => attributes,
            other => {
                let text = format!("a resource is a map of attributes, not {}", named(other));
                return self.wrong(path, &text);
            }
        };
        let id = ResourceRef { kind: kind.clone(), title: title.into() };
        if title.is_empty() {
            return self.wrong(&path[..2], "a resource needs a title");
        }
        if self.graph.find(&id).is_some() {
            return self.wrong(path, &format!("{id} is declared twice"));
        }
        let origin = self.origin(Step::Declaration, path);
        let id = self.graph.add(Resource {
            id,
            containment: Containment::Leaf,
            attributes: Vec::with_capacity(attributes.len()),
            tags: vec![kind.to_lowercase()],
            exported: false,
            is_virtual: false,
            origin,
        });
        for (name, value) in attributes.iter() {
            let name = text_of(name).unwrap_or_default();
            let path = [path[0], path[1], path[2], &name];
            if let Some(&(_, comes_first, kind)) = RELATIONS.iter().find(|r| r.0 == name) {
                self.relation(id, &path, value, (comes_first, kind));
            } else if name == "tag" {
                self.tags(id, &path, value);
            } else {
                let origin = self.origin(Step::Declaration, &path);
                let (name, value) = (name.as_str().into(), self.secrets.mark(value.clone()));
                let attribute = Attribute { name, value, origin, losers: Vec::new() };
                self.graph.resource_mut(id).attributes.push(attribute);
            }
        }
        self.graph.resource_mut(id).keep_private();
    }

    fn tags(&mut self, id: ResourceId, path: &[&str], value: &Data) {
        match texts(value) {
            Some(tags) => {
                let tags = tags.into_iter().map(|tag| tag.to_lowercase().into());
                self.graph.resource_mut(id).tags.extend(tags);
            }
            None => self.wrong(path, "tags are a text or a list of texts"),
        }
    }

    fn relation(
        &mut self,
        of: ResourceId,
        path: &[&str],
        value: &Data,
        (comes_first, kind): (bool, EdgeKind),
    ) {
        let Some(names) = texts(value) else {
            let text = "a relation names resources, such as `File[/srv]`, in a text or a list";
            return self.wrong(path, text);
        };
        let origin = self.origin(Step::Relation, path);
        let span = (self.place)(path);
        let relation = |to| Relation { of, to, comes_first, kind, origin, span };
        self.relations.extend(names.into_iter().map(relation));
    }

    /// Adds the edges of relationships, when all resources are known.
    fn relate(&mut self) {
        for Relation { of, to, comes_first, kind, origin, span } in
            std::mem::take(&mut self.relations)
        {
            match self.graph.find_text(&to) {
                Some(other) => {
                    let (from, to) = if comes_first { (other, of) } else { (of, other) };
                    self.graph.edges.push(Edge { from, to, kind, origin });
                }
                None => {
                    let error = self.unknown(&to, span);
                    self.errors.push(error);
                }
            }
        }
    }

    fn unknown(&self, name: &str, span: Option<Span>) -> Diagnostic {
        let mut error =
            Diagnostic::error(self.codes.unknown, format!("{name} is not declared here"));
        if let Some(span) = span {
            error = error.at(span);
        }
        let names: Vec<String> = self.graph.resources().map(|(_, r)| r.id.to_string()).collect();
        match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean {near}?")),
            None => error,
        }
    }
}

fn is_kind(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    name.split("::").all(is_part)
}

/// A scalar as a title or a name.
fn text_of(value: &Data) -> Option<String> {
    match value {
        Data::Str(text) => Some(text.to_string()),
        Data::Int(number) => Some(number.to_string()),
        Data::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A text, or the texts of a list.
fn texts(value: &Data) -> Option<Vec<String>> {
    match value {
        Data::List(items) => items.iter().map(text_of).collect(),
        one => text_of(one).map(|text| vec![text]),
    }
}

fn named(value: &Data) -> &'static str {
    match value {
        Data::Null => "nothing",
        Data::List(_) => "a list",
        Data::Map(_) => "a map",
        _ => "a single value",
    }
}
