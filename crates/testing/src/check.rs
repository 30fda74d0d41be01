//! Compares a compiled graph or document with the expectations of a test.

use ordain_data::Value;
use ordain_graph::{Graph, Resource, ResourceId};
use ordain_source::{Span, suggest};

use crate::expect::{Expect, ExpectedOrder, ExpectedResource};
use crate::relations::Relations;
use crate::report::TestFailure;

/// The failures of a graph.
pub(crate) fn check_graph(expect: &Expect, graph: &Graph) -> Vec<TestFailure> {
    let mut checker = Checker { graph, failures: Vec::new() };
    for expected in &expect.resources {
        checker.resource(expected);
    }
    for (name, span) in &expect.absent {
        if checker.find(name).is_some() {
            checker.fail(format!("{name} is in the graph"), *span);
        }
    }
    for (kind, number, span) in &expect.count {
        let is_one = |resource: &Resource| resource.id.kind.eq_ignore_ascii_case(kind);
        let found = present(graph).filter(|(_, resource)| is_one(resource)).count();
        if i64::try_from(found) != Ok(*number) {
            let text = format!("expected {number} resources of the kind {kind}; there are {found}");
            checker.fail(text, *span);
        }
    }
    if !expect.order.is_empty() {
        let relations = Relations::new(graph);
        for order in &expect.order {
            checker.order(order, &relations);
        }
    }
    checker.failures
}

/// The failures of a merged document.
pub(crate) fn check_document(expect: &Expect, document: &Value) -> Vec<TestFailure> {
    let mut failures = Vec::new();
    for (path, matcher, span) in &expect.values {
        // Indices are written as in expressions: `jobs.[0].name`.
        let steps = path.split('.').map(|step| {
            step.strip_prefix('[').and_then(|step| step.strip_suffix(']')).unwrap_or(step)
        });
        if let Some(text) = matcher.mismatch(document.dig(steps)) {
            failures.push(TestFailure { message: format!("{path}: {text}"), span: *span });
        }
    }
    failures
}

/// The resources that are not virtual.
fn present(graph: &Graph) -> impl Iterator<Item = (ResourceId, &Resource)> {
    graph.resources().filter(|(_, resource)| !resource.is_virtual)
}

struct Checker<'g> {
    graph: &'g Graph,
    failures: Vec<TestFailure>,
}

impl Checker<'_> {
    fn fail(&mut self, message: String, span: Option<Span>) {
        self.failures.push(TestFailure { message, span });
    }

    fn find(&self, name: &str) -> Option<ResourceId> {
        let id = self.graph.find_text(name)?;
        (!self.graph.resource(id).is_virtual).then_some(id)
    }

    /// The resource of a name. Without one, fails with the most similar name.
    fn expect(&mut self, name: &str, span: Option<Span>) -> Option<ResourceId> {
        let found = self.find(name);
        if found.is_none() {
            let names: Vec<String> = present(self.graph).map(|(_, r)| r.id.to_string()).collect();
            let near = suggest::nearest(name, names.iter().map(String::as_str));
            let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            self.fail(format!("{name} is not in the graph{near}"), span);
        }
        found
    }

    fn resource(&mut self, expected: &ExpectedResource) {
        let Some(id) = self.expect(&expected.name, expected.span) else { return };
        let resource = self.graph.resource(id);
        for (name, matcher, span) in &expected.attributes {
            if let Some(text) = matcher.mismatch(resource.value(name)) {
                let names = resource.attributes.iter().map(|attribute| attribute.name.as_str());
                let near = match resource.value(name) {
                    None => suggest::nearest(name, names),
                    Some(_) => None,
                };
                let near = near.map(|near| format!("; did you mean `{near}`?"));
                let near = near.unwrap_or_default();
                self.fail(format!("{}.{name}: {text}{near}", expected.name), *span);
            }
        }
    }

    fn order(&mut self, order: &ExpectedOrder, relations: &Relations<'_>) {
        let Some(mut from) = self.expect(&order.first, order.span) else { return };
        let mut from_name = &order.first;
        for (notifies, name) in &order.rest {
            let Some(to) = self.expect(name, order.span) else { return };
            if *notifies && !relations.notifies(from, to) {
                self.fail(format!("{from_name} does not notify {name}"), order.span);
            } else if !relations.is_before(from, to) {
                let text = match relations.is_before(to, from) {
                    true => format!("{from_name} comes after {name}"),
                    false => format!("{from_name} and {name} have no order"),
                };
                self.fail(text, order.span);
            }
            (from, from_name) = (to, name);
        }
    }
}
