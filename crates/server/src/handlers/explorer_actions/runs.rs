//! Runs of many nodes, which servers move on.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::StatusCode;
use ordain_explorer::{PageRequest, Role, Viewer, changeable_run, chosen_nodes};
use ordain_fleet::{Canaries, FleetRunResume, FleetRunSettings, run_order};
use ordain_fleet_store::{
    FleetRunState, FleetStoreError, create_fleet_run, fleet_run, now, resume_fleet_run,
    stop_fleet_run, write,
};
use serde::Deserialize;
use serde_json::json;

use super::{act, body, refused, require_node, subject};
use crate::handlers::explorer_reply::{problem, refusal};
use crate::principal::ExplorerRunner;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// The maximum number of nodes by name: each is looked up on its own.
const MAX_NAMES: usize = 1000;

/// The body of `POST runs`: the nodes by name or by the parameters of the table of nodes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRun {
    nodes: Option<Vec<String>>,
    filter: Option<BTreeMap<String, String>>,
    /// The number of nodes that the user has seen. Another one is an error.
    expected: Option<usize>,
    #[serde(default)]
    canaries: CanaryChoice,
    at_once: Option<i64>,
    stop_at: Option<i64>,
}

/// The canaries: their number, or their names.
#[derive(Deserialize)]
#[serde(untagged)]
enum CanaryChoice {
    Number(usize),
    Names(Vec<String>),
}

impl Default for CanaryChoice {
    fn default() -> Self {
        Self::Number(0)
    }
}

/// The body of `POST runs/ID/resume`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewLimits {
    at_once: Option<i64>,
    stop_at: Option<i64>,
}

/// Checks the limits of a run.
fn check_limits(at_once: Option<i64>, stop_at: Option<i64>) -> Result<(), Reply> {
    let wrong = |text: &str| Err(problem(StatusCode::BAD_REQUEST, text));
    let most = FleetRunSettings::MOST_AT_ONCE;
    if at_once.is_some_and(|number| !(1..=most).contains(&number)) {
        return wrong(&format!("`at_once` is not a number from 1 to {most}"));
    }
    if stop_at.is_some_and(|share| !(1..=100).contains(&share)) {
        return wrong("`stop_at` is not a share from 1 to 100 percent");
    }
    Ok(())
}

/// `POST runs`: has the agents of nodes run, some at a time.
pub(crate) async fn start(server: Arc<Server>, user: ExplorerRunner, request: Request) -> Reply {
    act(server, move |server| {
        let new: NewRun = body(&request)?;
        check_limits(new.at_once, new.stop_at)?;
        let names = names(server, user.viewer(), &new)?;
        if names.is_empty() {
            return Err(problem(StatusCode::BAD_REQUEST, "no node is chosen"));
        }
        if let Some(expected) = new.expected
            && expected != names.len()
        {
            let text = format!("now {} nodes are chosen, not {expected}", names.len());
            return Err(problem(StatusCode::CONFLICT, &text));
        }
        let canaries = match new.canaries {
            CanaryChoice::Number(number) => Canaries::Number(number),
            CanaryChoice::Names(names) => Canaries::Names(names),
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let order = run_order(&names, &canaries).map_err(|error| refused(&error))?;
        let settings = FleetRunSettings {
            actor: &user.viewer().name,
            at_once: new.at_once.unwrap_or(FleetRunSettings::AT_ONCE),
            stop_at: new.stop_at.unwrap_or(FleetRunSettings::STOP_AT),
            by_server: true,
        };
        let id = write(server.queries.database(), |connection| {
            create_fleet_run(connection, settings, &order, now())
        });
        Ok(Reply::json(
            &json!({ "run": id.map_err(|error| failed(&error))?, "nodes": order.len() }),
        ))
    })
    .await
}

/// The names of the nodes of a new run, in order.
fn names(server: &Server, viewer: &Viewer, new: &NewRun) -> Result<Vec<String>, Reply> {
    match (&new.nodes, &new.filter) {
        (Some(nodes), None) if nodes.len() > MAX_NAMES => {
            let text = format!("more than {MAX_NAMES} names; choose nodes by a filter");
            Err(problem(StatusCode::BAD_REQUEST, &text))
        }
        (Some(nodes), None) => {
            let mut names: Vec<String> = nodes.iter().map(|name| name.to_lowercase()).collect();
            names.sort();
            names.dedup();
            for name in &names {
                require_node(server, viewer, Role::Run, name)?;
            }
            Ok(names)
        }
        (None, Some(filter)) => {
            let parameters = filter.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let request = PageRequest { segments: Vec::new(), parameters: parameters.collect() };
            let chosen = chosen_nodes(server.queries.database(), viewer, Role::Run, &request);
            Ok(chosen.map_err(|error| refusal(&error))?.into_iter().collect())
        }
        _ => Err(problem(StatusCode::BAD_REQUEST, "either `nodes` or `filter` chooses nodes")),
    }
}

/// `POST runs/ID/stop`: no further node has its turn.
pub(crate) async fn stop(server: Arc<Server>, user: ExplorerRunner, request: Request) -> Reply {
    act(server, move |server| {
        let (viewer, database) = (user.viewer(), server.queries.database());
        let id = changeable_run(database, viewer, &subject(&request));
        let id = id.map_err(|error| refusal(&error))?;
        let is_stopped =
            write(database, |connection| stop_fleet_run(connection, id, &viewer.name, now()));
        match is_stopped.map_err(|error| failed(&error))? {
            true => Ok(Reply::json(&json!({ "run": id }))),
            false => Err(problem(StatusCode::CONFLICT, &format!("the run {id} does not run"))),
        }
    })
    .await
}

/// `POST runs/ID/resume`: the nodes that had no turn get theirs. A run that no process moves on any more
/// is resumed, too.
pub(crate) async fn resume(server: Arc<Server>, user: ExplorerRunner, request: Request) -> Reply {
    act(server, move |server| {
        let (viewer, database) = (user.viewer(), server.queries.database());
        let id = changeable_run(database, viewer, &subject(&request));
        let id = id.map_err(|error| refusal(&error))?;
        let NewLimits { at_once, stop_at } = body(&request)?;
        check_limits(at_once, stop_at)?;
        let resume = FleetRunResume { actor: &viewer.name, at_once, stop_at, by_server: true };
        let is_resumed = write(database, |connection| {
            let state = fleet_run(connection, id)?.map(|run| run.state);
            if state == Some(FleetRunState::Finished) {
                return Ok(false);
            }
            resume_fleet_run(connection, id, resume, now())?;
            Ok(true)
        });
        match is_resumed.map_err(|error| failed(&error))? {
            true => Ok(Reply::json(&json!({ "run": id }))),
            false => Err(problem(StatusCode::CONFLICT, &format!("the run {id} is finished"))),
        }
    })
    .await
}

fn failed(error: &FleetStoreError) -> Reply {
    tracing::warn!(%error, "an action of the explorer fails");
    problem(StatusCode::SERVICE_UNAVAILABLE, &format!("the store: {error}"))
}
