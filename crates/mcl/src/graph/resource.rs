//! Resources and the edges between them, as a program declares them.

use std::sync::Arc;

use indexmap::IndexMap;
use ordain_source::Span;
use rustc_hash::FxBuildHasher;

use super::meta::Meta;
use crate::ir::Included;
use crate::resources::{DefaultValue, Kind, KindInfo};
use crate::value::Value;

/// A value that a resource receives into a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceivedValue {
    /// The field.
    pub field: String,
    /// The resource that sends it.
    pub from: usize,
    /// The sent value.
    pub key: String,
}

/// A resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its kind.
    pub kind: &'static KindInfo,
    /// Its name.
    pub name: String,
    /// Its fields in the order of the kind; unset fields have no value.
    pub fields: Vec<Option<Value>>,
    /// Its meta parameters.
    pub meta: Meta,
    /// The values that it receives.
    pub receives: Vec<ReceivedValue>,
    /// The place of its declaration.
    pub span: Span,
    /// The places that set its fields, in the order of the kind.
    pub field_spans: Vec<Option<Span>>,
    /// The classes that led to it.
    pub included: Option<Arc<Included>>,
}

impl Resource {
    /// `kind[name]`
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.kind.kind.name, self.name)
    }

    /// The value of a field or its default; `None` if it is optional and unset.
    pub fn value(&self, field: &str) -> Option<Value> {
        let (at, field, ty) = self.kind.field(field)?;
        match self.fields.get(at)? {
            Some(value) => Some(value.clone()),
            None => match field.default {
                DefaultValue::Str(text) => Some(text.into()),
                DefaultValue::Int(number) => Some(Value::Int(number)),
                DefaultValue::Bool(flag) => Some(Value::Bool(flag)),
                DefaultValue::Zero if field.is_optional => None,
                DefaultValue::Zero => ty.zero(),
            },
        }
    }

    /// The text of a field; empty if it is unset.
    pub fn text(&self, field: &str) -> String {
        let value = self.value(field);
        value.and_then(|v| v.as_str().map(|text| text.to_string())).unwrap_or_default()
    }

    /// The texts of a field that is a list.
    pub fn texts(&self, field: &str) -> Vec<String> {
        let value = self.value(field);
        let items = value.as_ref().and_then(|v| v.as_list()).unwrap_or_default();
        items.iter().filter_map(|v| v.as_str()).map(|text| text.to_string()).collect()
    }
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Whether a change of the first refreshes the second.
    pub notify: bool,
    /// Its place in the program; edges of kinds have none.
    pub span: Option<Span>,
    /// Whether a kind adds it by itself.
    pub is_automatic: bool,
}

/// Resources and the edges between them, by their numbers.
#[derive(Clone, Default, Debug)]
pub struct Resources {
    /// The resources in program order.
    pub list: Vec<Resource>,
    /// The edges.
    pub edges: IndexMap<(usize, usize), Edge, FxBuildHasher>,
}

impl Resources {
    /// Whether these are the same resources with the same edges, wherever they are written.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&Resource, &Resource)| {
            let same_kind = a.kind.kind.name == b.kind.kind.name && a.name == b.name;
            same_kind && a.receives == b.receives && difference(a, b).is_none()
        };
        let flags = |(key, edge): (&(usize, usize), &Edge)| (*key, edge.notify, edge.is_automatic);
        self.list.len() == other.list.len()
            && self.list.iter().zip(&other.list).all(is_same)
            && self.edges.len() == other.edges.len()
            && self.edges.iter().map(flags).eq(other.edges.iter().map(flags))
    }

    /// The textual form of the original, sorted.
    pub fn lines(&self) -> Vec<String> {
        let names: Vec<String> = self.list.iter().map(Resource::reference).collect();
        let mut lines: Vec<String> = names.iter().map(|name| format!("Vertex: {name}")).collect();
        for (from, to) in self.edges.keys() {
            let (from, to) = (&names[*from], &names[*to]);
            lines.push(format!("Edge: {from} -> {to} # {from} -> {to}"));
        }
        let text = lines.join("\n");
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        lines.retain(|line| !line.is_empty());
        lines.sort();
        lines
    }
}

/// The difference between two resources, in the original's words.
pub(super) fn difference(a: &Resource, b: &Resource) -> Option<String> {
    let fields = a.kind.kind.fields.iter().enumerate();
    for (at, field) in fields {
        let same = match (&a.fields[at], &b.fields[at]) {
            (Some(x), Some(y)) => x.is_same(y),
            (None, None) => true,
            _ => match (a.value(field.name), b.value(field.name)) {
                (Some(x), Some(y)) => x.is_same(&y),
                (None, None) => true,
                _ => false,
            },
        };
        if !same {
            let is_content = a.kind.kind.name == "file" && field.print == "Content";
            return Some(if is_content {
                "the contents of Content differ".into()
            } else {
                format!("the {} differs", field.print)
            });
        }
    }
    a.meta.difference(&b.meta).map(|name| format!("values for {name} are different"))
}

/// Whether a kind has this name.
pub(super) fn is_kind(kind: &Kind, name: &str) -> bool {
    kind.name == name
}
