//! Comparisons in the explorer: environments and revisions on all nodes, and two nodes.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use hyper::StatusCode;
use ordain_ca::Certname;
use ordain_data::Value as Data;
use ordain_explorer::{
    Document, ExplorerError, PageRequest, Role, Viewer, compared_document, environment_of,
    nodes_of_environment, stored_graph, table_document,
};
use ordain_fleet::{
    FleetDiff, FleetError, FleetNode, NodeFilter, NodeStore, Range, Request as DiffRequest, Side,
    diff,
};
use ordain_graph::Graph;
use serde_json::{Value as Json, json};

use super::code_name::Code;
use super::compiling::{Prepared, classification, reply_of};
use super::explorer_code::compile_for;
use super::explorer_reply::{check_plan, problem, refusal};
use crate::comparisons::{self, Filters};
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// The most nodes that a server compares for a page: their facts are in memory, and agents would wait
/// for the compiles of more.
const MAX_NODES: usize = 2_000;
/// The time for which a comparison of environments is shown again.
const FRESH: Duration = Duration::from_secs(30);
/// The same for one of revisions, whose nodes may get other facts.
const FRESH_REVISIONS: Duration = Duration::from_secs(300);

/// Answers a request for `revisions`, `diff` or `compare`. `more` has the segments after it.
pub(super) async fn document(
    server: Arc<Server>,
    viewer: Viewer,
    request: Request,
    page: String,
    more: Vec<String>,
) -> Reply {
    let is_diff = page == "diff";
    let work = move |server: &Server| -> Reply {
        let parameters = request.target.query.iter();
        let parameters = parameters.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let wanted = PageRequest { segments: Vec::new(), parameters };
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        let asked = Asked { server, viewer: &viewer, request: &wanted };
        let found = match (page.as_str(), &more[..]) {
            ("revisions", []) => asked.revisions(),
            ("diff", []) => asked.diff(comparisons::groups),
            ("diff", ["nodes"]) => asked.diff(comparisons::nodes),
            ("compare", []) => asked.compare(),
            ("compare", ["facts"]) => asked.compare_facts(),
            _ => Err(refusal(&ExplorerError::Missing(format!("page {page}/{}", more.join("/"))))),
        };
        let reply =
            found.map(|document| Reply::new(StatusCode::OK, document.content_type, document.text));
        reply.unwrap_or_else(|reply| reply)
    };
    if !is_diff {
        return reply_of(server, move |server| -> Prepared { work(server).into() }).await;
    }
    // It compiles on threads of its own, and may wait for another one: agents need the compilers.
    let Some(slot) = server.queries.slot().await else { return server.overloaded() };
    super::blocking(server, move |server| {
        let _slot = slot;
        work(server)
    })
    .await
}

/// A request of a user.
struct Asked<'a> {
    server: &'a Server,
    viewer: &'a Viewer,
    request: &'a PageRequest<'a>,
}

impl Asked<'_> {
    fn parameter(&self, name: &str) -> Result<&str, Reply> {
        let missing =
            || refusal(&ExplorerError::Parameter(format!("the parameter `{name}` is missing")));
        self.request.parameter(name).ok_or_else(missing)
    }

    /// The environments whose code the user may see, each followed by its deployed revisions.
    fn revisions(&self) -> Result<Document, Reply> {
        let mut rows: Vec<Vec<Json>> = Vec::new();
        for name in self.server.environments.names() {
            if !self.viewer.may(Role::Plan, Some(&name)) {
                continue;
            }
            rows.push(vec![json!(name), Json::Null, json!("as it is now"), Json::Null]);
            for record in self.server.environments.deployed(&name) {
                let time = i64::try_from(record.deployed).ok();
                let time = time.and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
                let commit: String = record.commit.chars().take(12).collect();
                rows.push(vec![
                    json!(format!("{name}@{}", record.id)),
                    json!(time.map(|time| time.to_string())),
                    json!(format!("{} {commit}", record.branch)),
                    json!(name),
                ]);
            }
        }
        let columns = &["name", "time", "subject", "current"];
        table_document(columns, rows, self.request).map_err(|error| refusal(&error))
    }

    /// A document about the changes from one environment or revision to another, on the nodes of the
    /// first environment.
    fn diff(
        &self,
        render: impl Fn(&FleetDiff, &PageRequest<'_>) -> Result<Document, ExplorerError>,
    ) -> Result<Document, Reply> {
        let (old, new) = (self.parameter("before")?, self.parameter("after")?);
        let (before, after) = (Code::parse(old), Code::parse(new));
        for code in [before, after] {
            check_plan(self.viewer, code.environment)?;
        }
        let filters = Filters::of(self.request).map_err(|error| refusal(&error))?;
        let sides = [before.directory(self.server)?, after.directory(self.server)?];
        let paths = (sides[0].path.clone(), sides[1].path.clone());
        let key = (paths.0, paths.1, before.environment.to_owned(), filters.having.clone());
        let known = &self.server.comparisons;
        // Another request may have the same comparison made meanwhile.
        let turn = known.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match known.recent.get(&key) {
            Some(found) => found,
            None => {
                let mut found =
                    self.changes(before.environment, (&key.0, &key.1), &filters.having)?;
                (found.before, found.after) = (old.to_owned(), new.to_owned());
                let is_fixed = before.is_revision() && after.is_revision();
                let until = Instant::now() + if is_fixed { FRESH_REVISIONS } else { FRESH };
                let found = Arc::new(found);
                known.recent.add(key, Arc::clone(&found), Some(until));
                found
            }
        };
        drop(turn);
        let found = match filters.nodes.is_empty() {
            true => filters.apply(found, None),
            false => {
                let names = self.chosen_names(&found, &filters.nodes)?;
                filters.apply(found, Some(&names))
            }
        };
        render(&found, self.request).map_err(|error| refusal(&error))
    }

    /// The nodes of a comparison that a filter chooses.
    fn chosen_names(
        &self,
        found: &FleetDiff,
        filter: &NodeFilter,
    ) -> Result<BTreeSet<String>, Reply> {
        let names = found.nodes.iter().map(|node| &node.name);
        let names = names.filter(|name| filter.has_name(name)).cloned();
        if !filter.has_facts() {
            return Ok(names.collect());
        }
        let store = NodeStore::of(self.server.queries.shared_database());
        let mut chosen = BTreeSet::new();
        for name in names {
            let node = store.fleet_node(&name);
            let failed =
                |error: FleetError| problem(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string());
            if node.map_err(failed)?.is_some_and(|node| filter.has(&node)) {
                chosen.insert(name);
            }
        }
        Ok(chosen)
    }

    fn changes(
        &self,
        environment: &str,
        (before, after): (&Path, &Path),
        having: &[String],
    ) -> Result<FleetDiff, Reply> {
        let failed = |error: &dyn std::fmt::Display| {
            problem(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string())
        };
        let database = self.server.queries.shared_database();
        let names = nodes_of_environment(&*database, self.viewer, environment);
        let names = names.map_err(|error| refusal(&error))?;
        if names.len() > MAX_NODES {
            let text = format!(
                "{environment} has {} nodes; `ordain fleet diff --database` compares more than \
                 {MAX_NODES}",
                names.len()
            );
            return Err(failed(&text));
        }
        let store = NodeStore::of(database);
        let mut nodes: Vec<FleetNode> = Vec::new();
        for name in &names {
            // A node without facts has never asked for a catalog.
            if let Some(node) = store.fleet_node(name).map_err(|error| failed(&error))? {
                nodes.push(self.classified(node));
            }
        }
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let range = Range {
            before: Side::Directory(before.to_owned()),
            after: Side::Directory(after.to_owned()),
        };
        let mut options = self.server.environments.options().clone();
        options.environment = Some(environment.to_owned());
        // Agents need the other processors.
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let jobs = NonZeroUsize::new(processors / 2).unwrap_or(NonZeroUsize::MIN);
        let request = DiffRequest {
            jobs: Some(jobs),
            having,
            ..DiffRequest::new(after, &range, &nodes, &options)
        };
        diff(&request).map_err(|error| failed(&error))
    }

    /// A node with its classification, as for its catalog. A node that cannot be classified is
    /// compared without one; its catalog has the error.
    fn classified(&self, node: FleetNode) -> FleetNode {
        let config = &self.server.config;
        if config.classifier.is_none() && config.classification.is_none() {
            return node;
        }
        let Ok(name) = Certname::new(&node.name) else { return node };
        let Ok(facts) = node.parse() else { return node };
        let found = classification(self.server, &name, &facts.trusted, Some(&facts.facts));
        let Ok(found) = found else { return node };
        let map = |entries: Vec<(ecow::EcoString, Data)>| {
            Data::map(entries.iter().map(|(key, value)| (key.as_str(), value.clone())))
        };
        let answer =
            Data::map([("parameters", map(found.parameters)), ("classes", map(found.classes))]);
        node.with_answer("the classifier", ordain_data::json::compact(&answer).as_bytes())
    }

    /// The differences of the graphs of two nodes: of their last catalogs, of those at the times
    /// `a_time` and `b_time`, or as compiled with the environments or revisions that `a_revision` and
    /// `b_revision` name.
    fn compare(&self) -> Result<Document, Reply> {
        let ((old, before), (new, after)) = (self.graph("a")?, self.graph("b")?);
        let found = FleetDiff::of_graphs((&old, &before), (&new, &after));
        comparisons::groups(&found, self.request).map_err(|error| refusal(&error))
    }

    /// The graph of a side, with its name.
    fn graph(&self, side: &str) -> Result<(String, Graph), Reply> {
        let node = self.parameter(side)?;
        let code = self.request.parameter(&format!("{side}_revision"));
        let time = self.request.parameter(&format!("{side}_time"));
        if code.is_some() && time.is_some() {
            let text = format!("`{side}_revision` and `{side}_time` exclude each other");
            return Err(refusal(&ExplorerError::Parameter(text)));
        }
        if let Some(code) = code {
            let compiled = compile_for(self.server, self.viewer, node, Some(code))?;
            return Ok((format!("{node} at {code}"), compiled.graph));
        }
        let found = stored_graph(self.server.queries.database(), self.viewer, node, time);
        let found = found.map_err(|error| refusal(&error))?;
        Ok((time.map_or_else(|| node.to_owned(), |time| format!("{node} at {time}")), found))
    }

    /// The differing facts of two nodes.
    fn compare_facts(&self) -> Result<Document, Reply> {
        let facts = |side: &str| -> Result<Data, Reply> {
            let node = self.parameter(side)?;
            environment_of(self.server.queries.database(), self.viewer, node)
                .map_err(|error| refusal(&error))?;
            let wrong = |text: String| problem(StatusCode::UNPROCESSABLE_ENTITY, &text);
            let name = Certname::new(node).map_err(|error| wrong(error.to_string()))?;
            let found = self.server.storage.facts(&name).map_err(wrong)?;
            Ok(found.unwrap_or_default())
        };
        let (before, after) = (facts("a")?, facts("b")?);
        compared_document(&before, &after, self.request).map_err(|error| refusal(&error))
    }
}
