//! The endpoints: from the segments of a path to the query that they stand for.

use serde_json::{Value, json};

use crate::check::clause;
use crate::error::QueryError;
use crate::request::Accepted;

/// The form of an endpoint's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An array of rows.
    Rows,
    /// The only row, or 404 with the kind of the object.
    Single(&'static str),
    /// The values of the only column of all rows.
    Values,
    /// The data in the column of the only row.
    Data,
    /// Counts of events.
    Counts,
    /// Sums of counts of events.
    Aggregates,
}

/// An object that has to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parent {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
}

/// An endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// The entity; none for the endpoint whose queries name it.
    pub(crate) entity: Option<&'static str>,
    pub(crate) shape: Shape,
    pub(crate) accepted: Accepted,
    /// Conditions of the path.
    pub(crate) restrictions: Vec<Value>,
    pub(crate) parents: Vec<Parent>,
    /// Whether only active nodes are shown, unless the query names their state.
    pub(crate) active_only: bool,
}

const TYPICAL: Accepted =
    Accepted { pql: false, query: true, distinct: false, counts: false, no_pages: false };
const NONE: Accepted = Accepted { query: false, ..TYPICAL };
const EVENTS: Accepted = Accepted { distinct: true, ..TYPICAL };

/// The endpoint of a path.
pub(crate) fn route(segments: &[String]) -> Result<Route, QueryError> {
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let mut router = Router { restrictions: Vec::new(), parents: Vec::new() };
    router.route(&segments).ok_or_else(QueryError::no_route)
}

struct Router {
    restrictions: Vec<Value>,
    parents: Vec<Parent>,
}

impl Router {
    fn end(&mut self, entity: &'static str, active_only: bool) -> Option<Route> {
        self.shaped(Some(entity), Shape::Rows, TYPICAL, active_only)
    }

    fn shaped(
        &mut self,
        entity: Option<&'static str>,
        shape: Shape,
        accepted: Accepted,
        active_only: bool,
    ) -> Option<Route> {
        Some(Route {
            entity,
            shape,
            accepted,
            restrictions: std::mem::take(&mut self.restrictions),
            parents: std::mem::take(&mut self.parents),
            active_only,
        })
    }

    fn restrict(&mut self, field: &str, value: &str) -> &mut Self {
        self.restrictions.push(json!(["=", field, value]));
        self
    }

    fn under(&mut self, kind: &'static str, name: &str) -> &mut Self {
        self.parents.push(Parent { kind, name: name.to_owned() });
        self
    }

    fn single(
        &mut self,
        entity: &'static str,
        kind: &'static str,
        field: &str,
        name: &str,
        accepted: Accepted,
    ) -> Option<Route> {
        // The conditions above have been checked; the object is found by its name alone.
        self.restrictions.clear();
        self.restrict(field, name);
        self.under(kind, name).parents.pop();
        self.shaped(Some(entity), Shape::Single(kind), accepted, false)
    }

    fn route(&mut self, segments: &[&str]) -> Option<Route> {
        let (first, rest) = match segments {
            [] => {
                let accepted = Accepted { pql: true, ..TYPICAL };
                return self.shaped(None, Shape::Rows, accepted, true);
            }
            [first, rest @ ..] => (*first, rest),
        };
        match first {
            "nodes" => self.nodes(rest),
            "catalogs" => self.catalogs(rest),
            "environments" => self.environments(rest),
            "producers" => self.producers(rest),
            "packages" if rest.is_empty() => self.end("packages", false),
            "package-inventory" => match rest {
                [] => self.end("package_inventory", true),
                [node] => self.restrict("certname", node).end("package_inventory", false),
                _ => None,
            },
            "event-counts" if rest.is_empty() => {
                let accepted = Accepted { counts: true, ..EVENTS };
                self.shaped(Some("events"), Shape::Counts, accepted, false)
            }
            "aggregate-event-counts" if rest.is_empty() => {
                let accepted = Accepted { counts: true, no_pages: true, ..EVENTS };
                self.shaped(Some("events"), Shape::Aggregates, accepted, false)
            }
            "fact-names" if rest.is_empty() => {
                self.shaped(Some("fact_names"), Shape::Values, TYPICAL, false)
            }
            "fact-paths" if rest.is_empty() => self.end("fact_paths", false),
            "fact-contents" if rest.is_empty() => self.end("fact_contents", true),
            "inventory" if rest.is_empty() => self.end("inventory", true),
            "edges" if rest.is_empty() => self.end("edges", true),
            "catalog-inputs" if rest.is_empty() => self.end("catalog_inputs", true),
            "catalog-input-contents" if rest.is_empty() => self.end("catalog_input_contents", true),
            "facts" => self.facts(rest),
            "factsets" => self.factsets(rest),
            "resources" => self.resources(rest),
            "reports" => self.reports(rest),
            "events" if rest.is_empty() => self.events(),
            _ => None,
        }
    }

    fn events(&mut self) -> Option<Route> {
        self.shaped(Some("events"), Shape::Rows, EVENTS, false)
    }

    fn nodes(&mut self, rest: &[&str]) -> Option<Route> {
        match rest {
            [] => self.end("nodes", true),
            [node] => self.single("nodes", "node", "certname", node, TYPICAL),
            [node, "facts", rest @ ..] => {
                self.restrict("certname", node).under("node", node).facts(rest)
            }
            [node, "resources", rest @ ..] => {
                self.restrict("certname", node).under("node", node).resources(rest)
            }
            _ => None,
        }
    }

    fn facts(&mut self, rest: &[&str]) -> Option<Route> {
        match rest {
            [] => self.end("facts", true),
            [fact] => self.restrict("name", fact).end("facts", true),
            [fact, value] => {
                self.restrict("name", fact).restrict("value", value).end("facts", true)
            }
            _ => None,
        }
    }

    fn resources(&mut self, rest: &[&str]) -> Option<Route> {
        match rest {
            [] => self.end("resources", true),
            [kind] => self.restrict("type", kind).end("resources", true),
            [kind, title] => {
                self.restrict("type", kind).restrict("title", title).end("resources", true)
            }
            _ => None,
        }
    }

    fn catalogs(&mut self, rest: &[&str]) -> Option<Route> {
        match rest {
            [] => self.end("catalogs", false),
            [node] => self.single("catalogs", "catalog", "certname", node, TYPICAL),
            [node, "edges"] => {
                self.restrict("certname", node).under("catalog", node).end("edges", true)
            }
            [node, "resources", rest @ ..] => {
                self.restrict("certname", node).under("catalog", node).resources(rest)
            }
            _ => None,
        }
    }

    fn factsets(&mut self, rest: &[&str]) -> Option<Route> {
        match rest {
            [] => self.end("factsets", true),
            [node] => self.single("factsets", "factset", "certname", node, TYPICAL),
            [node, "facts"] => {
                self.restrict("certname", node).under("factset", node).end("factsets", false)
            }
            _ => None,
        }
    }

    fn reports(&mut self, rest: &[&str]) -> Option<Route> {
        match rest {
            [] => self.end("reports", false),
            [hash, "events"] => self.restrict("report", hash).under("report", hash).events(),
            [hash, part @ ("metrics" | "logs")] => {
                let entity = if *part == "logs" { "report_logs" } else { "report_metrics" };
                self.restrictions.clear();
                self.restrict("hash", hash).under("report", hash);
                self.shaped(Some(entity), Shape::Data, NONE, false)
            }
            _ => None,
        }
    }

    fn environments(&mut self, rest: &[&str]) -> Option<Route> {
        let (name, rest) = match rest {
            [] => return self.end("environments", false),
            [name] => return self.single("environments", "environment", "name", name, NONE),
            [name, rest @ ..] => (name, rest),
        };
        self.restrict("environment", name).under("environment", name);
        match rest {
            ["facts", rest @ ..] => self.facts(rest),
            ["resources", rest @ ..] => self.resources(rest),
            ["reports", rest @ ..] => self.reports(rest),
            ["events"] => self.events(),
            _ => None,
        }
    }

    fn producers(&mut self, rest: &[&str]) -> Option<Route> {
        let (name, rest) = match rest {
            [] => return self.end("producers", false),
            [name] => return self.single("producers", "producer", "name", name, NONE),
            [name, rest @ ..] => (name, rest),
        };
        self.restrict("producer", name).under("producer", name);
        match rest {
            ["factsets", rest @ ..] => self.factsets(rest),
            ["catalogs", rest @ ..] => self.catalogs(rest),
            ["reports", rest @ ..] => self.reports(rest),
            _ => None,
        }
    }
}

/// Adds a condition to a query, within its `extract` and `from`.
pub(crate) fn add_condition(query: Value, condition: Value) -> Value {
    let Value::Array(mut parts) = query else { return condition };
    let operator = parts.first().and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let is = |node: &Value, names: &[&str]| clause(node).is_some_and(|(op, _)| names.contains(&op));
    const PAGES: &[&str] = &["limit", "offset", "order_by"];
    match operator.as_str() {
        "extract" if parts.len() >= 2 => {
            let has_condition =
                parts.get(2).is_some_and(|node| !node.is_null() && !is(node, &["group_by"]));
            if has_condition {
                let inner = parts[2].take();
                parts[2] = add_condition(inner, condition);
            } else {
                parts.retain(|part| !part.is_null());
                parts.insert(2, condition);
            }
        }
        "from" if parts.len() >= 2 => {
            if parts.get(2).is_some_and(|node| !is(node, PAGES)) {
                let inner = parts[2].take();
                parts[2] = add_condition(inner, condition);
            } else {
                parts.insert(2, condition);
            }
        }
        _ if parts.is_empty() => return json!(["and", Value::Array(parts), condition]),
        _ => return json!(["and", Value::Array(parts), condition]),
    }
    Value::Array(parts)
}

/// Whether a query names the state of nodes, in a subquery too.
pub(crate) fn names_node_state(query: &Value) -> bool {
    let Some(parts) = query.as_array() else { return false };
    let names_it = matches!(clause(query), Some(("=", [left, _]))
        if left == "node_state" || *left == json!(["node", "active"]));
    names_it || parts.iter().skip(1).any(names_node_state)
}
