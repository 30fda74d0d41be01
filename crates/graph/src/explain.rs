//! Explains the origin of attributes of graphs and nodes of documents, in a common form for text
//! and JSON.

use std::borrow::Cow;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::{Decrypted, Redactor, Value};
use ordain_source::{SourceMap, Span};
use serde_json::{Value as Json, json};

use crate::json::{Secrets, write_value};
use crate::model::{Attribute, EdgeKind, Graph, ResourceId};
use crate::origin::{Origin, OriginId, Step};
use crate::place::Place;

/// The format of [`Explanation::json`].
pub const FORMAT: &str = "ordain-explanation";

/// The causes of a value, or of a resource.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The subject: a resource, an attribute, a path in a document.
    pub subject: String,
    /// Its value, if it has one, in the notation of its language, and as data.
    pub value: Option<(String, Value)>,
    /// The causes, the nearest first.
    pub causes: Vec<Cause>,
    /// Its relations.
    pub relations: Vec<Relation>,
    /// The tags of a resource.
    pub tags: Vec<EcoString>,
    /// Its attributes. They do not repeat the causes of the whole.
    pub parts: Vec<Explanation>,
}

/// A step on the way to a value.
#[derive(Clone, Debug, Default)]
pub struct Cause {
    /// The step, for people.
    pub words: String,
    /// The step, for programs.
    pub step: &'static str,
    /// The place of the step: a class, a define, the path of a node.
    pub name: Option<String>,
    /// The key it was found under in data.
    pub key: Option<EcoString>,
    /// The value that it set, or would have set.
    pub value: Option<Value>,
    /// The expression at the place, if the language reports it.
    pub expression: Option<String>,
    /// Its place.
    pub place: Option<Place>,
    /// The line of the source.
    pub line: Option<String>,
    /// The causes of this cause.
    pub from: Vec<Cause>,
}

/// A relation of a resource to another.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The relation in words, such as `comes before`.
    pub words: &'static str,
    /// For programs.
    pub kind: &'static str,
    /// The other one.
    pub other: String,
    /// Its place.
    pub place: Option<Place>,
}

impl Cause {
    /// Adds the place of a span, and its text.
    #[must_use]
    pub fn at(mut self, span: Span, sources: &SourceMap) -> Self {
        let file = sources.file(span.file);
        let at = file.line_col(span.range.start);
        let name = file.path.display().to_string();
        self.place = Some(Place { file: name, line: at.line, column: at.column });
        self.line = Some(file.line_text(at.line).to_string());
        self
    }

    /// Removes the values of the causes, because those of a secret may reveal it.
    fn leave_out_values(&mut self) {
        self.value = None;
        self.from.iter_mut().for_each(Self::leave_out_values);
    }

    fn hide(&mut self, decrypted: &Decrypted) {
        self.value = self.value.take().map(|value| decrypted.mark(value));
        let is_secret =
            |text: &String| matches!(decrypted.mark(text.as_str().into()), Value::Secret(_));
        self.line = self.line.take().filter(|line| !is_secret(line));
        self.expression = self.expression.take().filter(|text| !is_secret(text));
        // The words may end in the value as a text.
        match self.words.split_once(" = ") {
            Some((before, _)) if matches!(self.value, Some(Value::Secret(_))) => {
                self.words = format!("{before} = (secret)");
            }
            _ if is_secret(&self.words) => {
                let redactor = decrypted.redactor().unwrap_or_default();
                self.words = redactor.redact(&self.words).into_owned();
            }
            _ => {}
        }
        self.from.iter_mut().for_each(|cause| cause.hide(decrypted));
    }

    /// Hides secrets in the source text of a value.
    pub fn redact(&mut self, secrets: &Redactor) {
        for text in [&mut self.line, &mut self.expression].into_iter().flatten() {
            if let Cow::Owned(redacted) = secrets.redact(text) {
                *text = redacted;
            }
        }
        if self.value.as_ref().is_some_and(|value| secrets.finds_in(value)) {
            self.value = self.value.take().map(|value| Value::Secret(Arc::new(value)));
        }
        self.words = secrets.redact(&self.words).into_owned();
        self.from.iter_mut().for_each(|cause| cause.redact(secrets));
    }

    fn json(&self) -> Json {
        let mut out = json!({ "step": self.step });
        let texts = [
            ("name", self.name.as_deref()),
            ("key", self.key.as_deref()),
            ("expression", self.expression.as_deref()),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                out[key] = json!(text);
            }
        }
        if let Some(value) = &self.value {
            out["value"] = write_value(value, Secrets::Omit);
        }
        add_place(&mut out, self.place.as_ref());
        if !self.from.is_empty() {
            out["from"] = self.from.iter().map(Self::json).collect();
        }
        out
    }
}

fn add_place(out: &mut Json, place: Option<&Place>) {
    let Some(place) = place else { return };
    out["file"] = json!(place.file);
    out["line"] = json!(place.line);
    if place.column > 0 {
        out["column"] = json!(place.column);
    }
}

impl Explanation {
    /// Hides texts that contain a decrypted text.
    pub fn hide(&mut self, decrypted: &Decrypted) {
        if let Some((text, data)) = &mut self.value {
            *data = decrypted.mark(std::mem::take(data));
            if let Value::Secret(_) = data {
                "(secret)".clone_into(text);
            }
        }
        self.causes.iter_mut().for_each(|cause| cause.hide(decrypted));
        self.parts.iter_mut().for_each(|part| part.hide(decrypted));
    }

    /// As a document.
    pub fn json(&self) -> Json {
        let mut out = json!({ "format": FORMAT, "version": 1 });
        self.add_to(&mut out);
        out
    }

    fn add_to(&self, out: &mut Json) {
        out["subject"] = json!(self.subject);
        if let Some((_, value)) = &self.value {
            out["value"] = write_value(value, Secrets::Omit);
        }
        out["causes"] = self.causes.iter().map(Cause::json).collect();
        let relation = |relation: &Relation| {
            let mut out = json!({ "relation": relation.kind, "other": relation.other });
            add_place(&mut out, relation.place.as_ref());
            out
        };
        if !self.relations.is_empty() {
            out["relations"] = self.relations.iter().map(relation).collect();
        }
        if !self.tags.is_empty() {
            out["tags"] = self.tags.iter().map(EcoString::as_str).collect();
        }
        if !self.parts.is_empty() {
            let part = |part: &Self| {
                let mut out = json!({});
                part.add_to(&mut out);
                out
            };
            out["parts"] = self.parts.iter().map(part).collect();
        }
    }
}

/// Explains resources and values of a graph.
pub struct Explainer<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The texts that its origins are in.
    pub sources: &'a SourceMap,
    /// A line of a file that is not among the sources, such as a data file.
    pub line: &'a dyn Fn(&str, u32) -> Option<String>,
    /// A value in the notation of the language; secrets are not shown.
    pub shown: &'a dyn Fn(&Value) -> String,
    /// The secrets of the graph ([`Graph::redactor`]), which are not shown in lines of sources.
    pub secrets: &'a Redactor,
    /// The variables that were read at an origin, as far as the language knows them.
    pub variables: &'a Variables<'a>,
}

/// Finds the causes of the variables that were read at an origin.
pub type Variables<'a> = dyn Fn(&Explainer<'_>, OriginId) -> Vec<Cause> + 'a;

impl Explainer<'_> {
    /// A resource with all its attributes.
    pub fn resource(&self, id: ResourceId) -> Explanation {
        let resource = self.graph.resource(id);
        let known = Some(resource.origin);
        let part = |attribute: &Attribute| self.value(attribute.name.to_string(), attribute, known);
        Explanation {
            subject: resource.id.to_string(),
            causes: self.causes(resource.origin, None),
            relations: self.relations(id),
            tags: resource.tags.clone(),
            parts: resource.attributes.iter().map(part).collect(),
            value: None,
        }
    }

    /// An attribute of a resource.
    pub fn attribute(&self, id: ResourceId, attribute: &Attribute) -> Explanation {
        let subject = format!("{}.{}", self.graph.resource(id).id, attribute.name);
        self.value(subject, attribute, None)
    }

    fn value(
        &self,
        subject: String,
        attribute: &Attribute,
        known: Option<OriginId>,
    ) -> Explanation {
        let mut causes = self.causes(attribute.origin, known);
        if matches!(attribute.value, Value::Secret(_)) {
            causes.iter_mut().for_each(Cause::leave_out_values);
        }
        causes.extend(attribute.losers.iter().map(|loser| Cause {
            words: format!("and not {}", (self.shown)(&loser.value)),
            step: "lost",
            value: Some(loser.value.clone()),
            from: self.causes(loser.origin, known),
            ..Cause::default()
        }));
        if !self.secrets.is_empty() {
            causes.iter_mut().for_each(|cause| cause.redact(self.secrets));
        }
        let value = Some(((self.shown)(&attribute.value), attribute.value.clone()));
        Explanation { subject, value, causes, ..Explanation::default() }
    }

    /// The steps that led to an origin, innermost first, without those that also led to `known`.
    pub fn causes(&self, id: OriginId, known: Option<OriginId>) -> Vec<Cause> {
        let origins = &self.graph.origins;
        let known: Vec<&Origin> = known.into_iter().flat_map(|id| origins.chain(id)).collect();
        let is_new = |id: &OriginId| {
            let origin = origins.get(*id);
            !known.contains(&origin)
        };
        let ids = std::iter::successors(Some(id), |id| origins.get(*id).parent);
        let step = |id| Cause { from: (self.variables)(self, id), ..self.step(origins.get(id)) };
        ids.take_while(is_new).map(step).collect()
    }

    /// A step with its place.
    pub fn step(&self, origin: &Origin) -> Cause {
        let (step, name) = origin.step.key();
        let mut cause = Cause {
            words: origin.step.words(),
            step,
            name: name.map(str::to_owned),
            ..Cause::default()
        };
        let known = match (&origin.step, origin.span) {
            (Step::Data(data), span) => {
                cause.key = Some(data.key.clone());
                match span {
                    Some(span) if data.line == 0 => return cause.at(span, self.sources),
                    _ => {
                        let line = data.line.max(1);
                        Some(Place { file: data.file.to_string(), line, column: 0 })
                    }
                }
            }
            (_, Some(span)) => return cause.at(span, self.sources),
            (Step::External(text), None) => Place::parse(text),
            _ => None,
        };
        let is_unknown_line = matches!(&origin.step, Step::Data(data) if data.line == 0);
        cause.line = known
            .as_ref()
            .filter(|_| !is_unknown_line)
            .and_then(|place| (self.line)(&place.file, place.line));
        cause.place = known;
        cause
    }

    fn relations(&self, id: ResourceId) -> Vec<Relation> {
        let graph = self.graph;
        let outer = graph.containment.iter().filter(|(_, inner)| *inner == id);
        let outer = outer.map(|(outer, _)| Relation {
            words: "contained in",
            kind: "contained-in",
            other: graph.resource(*outer).id.to_string(),
            place: None,
        });
        let edges = graph.edges.iter().filter_map(|edge| {
            let (words, kind, other) = match (edge.from == id, edge.to == id, edge.kind) {
                (true, _, EdgeKind::Before) => ("comes before", "before", edge.to),
                (true, _, EdgeKind::Notify) => ("notifies", "notifies", edge.to),
                (_, true, EdgeKind::Before) => ("comes after", "after", edge.from),
                (_, true, EdgeKind::Notify) => ("is notified by", "notified-by", edge.from),
                _ => return None,
            };
            let place = crate::locate::place(graph, edge.origin, self.sources);
            Some(Relation { words, kind, other: graph.resource(other).id.to_string(), place })
        });
        let mut relations: Vec<Relation> = outer.chain(edges).collect();
        for barrier in &graph.barriers {
            let (before, after) = match barrier.kind {
                EdgeKind::Before => (("comes before", "before"), ("comes after", "after")),
                EdgeKind::Notify => (("notifies", "notifies"), ("is notified by", "notified-by")),
            };
            let ends = [(&barrier.from, &barrier.to, before), (&barrier.to, &barrier.from, after)];
            for (own, others, (words, kind)) in ends {
                if own.contains(&id) {
                    let place = crate::locate::place(graph, barrier.origin, self.sources);
                    relations.extend(others.iter().map(|other| Relation {
                        words,
                        kind,
                        other: graph.resource(*other).id.to_string(),
                        place: place.clone(),
                    }));
                }
            }
        }
        relations
    }
}
