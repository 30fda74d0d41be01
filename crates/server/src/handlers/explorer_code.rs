//! Nodes that are compiled for the explorer, with the origins of their values.

use std::path::Path;
use std::sync::Arc;

use hyper::StatusCode;
use ordain_ca::Certname;
use ordain_driver::puppet::shared::{SharedEnvironment, evaluation_message, puppet_message};
use ordain_explorer::{ExplorerError, Viewer, environment_of, why};
use ordain_graph::Graph;
use ordain_source::{Diagnostic, Severity};
use serde_json::json;

use super::code_name::Code;
use super::compiling::{Wanted, classification};
use super::explorer_reply::{check_plan, problem, refusal};
use super::node_code::code_for;
use crate::compile::OpenedEnvironment;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// The environment of a node that has none.
const ENVIRONMENT: &str = "production";

/// Compiles a node, and explains one of its resources or attributes. The parameter `code` names an
/// environment or a revision in place of the node's.
pub(super) fn explanation(
    server: &Server,
    viewer: &Viewer,
    name: &str,
    request: &Request,
) -> Result<Reply, Reply> {
    let wrong = |error: ExplorerError| refusal(&error);
    let code = request.target.query.get("code").filter(|code| !code.is_empty());
    let compiled = compile_for(server, viewer, name, code)?;
    let sources = compiled.shared.sources();
    let resource = request.target.query.get("resource").unwrap_or_default();
    let attribute = request.target.query.get("attribute").filter(|name| !name.is_empty());
    let read = |path: &Path| ordain_source::read_input_text(&compiled.env.place(path)).ok();
    let mut document = why(&compiled.graph, sources, resource, attribute, &read).map_err(wrong)?;
    let warnings = compiled.diagnostics.iter().map(|one| puppet_message(one, sources));
    document["warnings"] = warnings.collect();
    document["environment"] = json!(compiled.env.name);
    Ok(Reply::json(&document))
}

/// The graph of a node with the origins of its values.
pub(super) struct CompiledNode {
    pub(super) graph: Graph,
    shared: SharedEnvironment,
    env: Arc<OpenedEnvironment>,
    diagnostics: Vec<Diagnostic>,
}

/// Compiles a node with its stored facts, with the code that it gets, or that of a named environment
/// or revision.
///
/// # Errors
/// The reply if there is no such node or code, the user may not see the code, or the compile fails.
pub(super) fn compile_for(
    server: &Server,
    viewer: &Viewer,
    name: &str,
    code: Option<&str>,
) -> Result<CompiledNode, Reply> {
    let failed = |message: String| problem(StatusCode::UNPROCESSABLE_ENTITY, &message);
    let wrong = |error: ExplorerError| refusal(&error);
    let node = Certname::new(name).map_err(|e| problem(StatusCode::BAD_REQUEST, &e.to_string()))?;
    let environment = environment_of(server.queries.database(), viewer, name).map_err(wrong)?;
    let environment = environment.unwrap_or_else(|| ENVIRONMENT.to_string());
    check_plan(viewer, &environment)?;
    let facts = server.storage.facts(&node).map_err(failed)?;
    let facts = facts.ok_or_else(|| failed(format!("there are no facts of {node}")))?;
    // The last certificate of the node said this.
    let trusted = facts.get("trusted").cloned().unwrap_or_default();
    let classification = classification(server, &node, &trusted, Some(&facts)).map_err(failed)?;
    let env = match code {
        Some(code) => {
            let code = Code::parse(code);
            check_plan(viewer, code.environment)?;
            code.open(server)?
        }
        None => {
            let assigned = classification.environment.clone().unwrap_or(environment);
            check_plan(viewer, &assigned)?;
            code_for(server, &node, &assigned)?
        }
    };
    let shared = server.environments.with_history(&env).map_err(failed)?;
    let wanted =
        Wanted { node: &node, trusted: &trusted, facts, classification, static_catalog: None };
    let mut found = shared.compile(wanted.request(server, &env));
    let Some(graph) = found.graph.take() else {
        let error = found.diagnostics.iter().find(|one| one.severity == Severity::Error);
        let text = error.map(|error| evaluation_message(error, shared.sources()));
        return Err(failed(text.unwrap_or_else(|| "the compile has no result".to_string())));
    };
    Ok(CompiledNode { graph, shared, env, diagnostics: found.diagnostics })
}
