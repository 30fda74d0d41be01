//! The commands that show the plan of a node, and the explanation of one of its resources.

use std::path::PathBuf;

use lsp_server::{ErrorCode, RequestId, Response};
use lsp_types as lsp;
use ordain_data::Value as Data;
use serde::Deserialize;
use serde_json::Value as Json;

use super::uri;
use crate::error::Error;
use crate::node::environment_dir;
use crate::snapshot::Analysis;

/// The name of the command for plans.
pub(super) const PLAN: &str = "ordain.plan";
/// The name of the command for explanations.
pub(super) const EXPLAIN: &str = "ordain.explain";

/// A plan or an explanation that an editor asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanRequest {
    /// The directory of the environment.
    pub directory: PathBuf,
    /// The name of the node.
    pub node: String,
    /// Its facts.
    pub facts: PlanFacts,
    /// The root directory of the machine that is compared; `None` for that of this machine.
    pub root: Option<PathBuf>,
    /// The resource or attribute to explain, such as `File[/etc/motd].mode`; `None` for a plan.
    pub resource: Option<String>,
}

/// The facts of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum PlanFacts {
    /// A file.
    File(PathBuf),
    /// The values of a fact set.
    Values(Data),
}

/// A plan or an explanation, or the errors for which there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanText {
    /// Whether there is a plan or an explanation.
    pub is_done: bool,
    /// The text for people.
    pub text: String,
}

/// Makes plans and explanations. It may run code of the sources, which nothing else in a language server does.
pub trait Planner: Send + Sync {
    /// Makes a plan or an explanation of the files on disk. `is_cancelled` is asked from time to time.
    ///
    /// # Errors
    /// When it cannot be started, or was cancelled.
    fn plan(
        &self,
        request: &PlanRequest,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<PlanText, String>;
}

/// The argument of the command.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Argument {
    /// The node; by default the chosen one.
    node: Option<String>,
    /// A file or directory of the environment; by default the directory that is open.
    uri: Option<lsp::Uri>,
    /// The root directory of the machine, below the directory that is open.
    root: Option<PathBuf>,
    /// The resource to explain.
    resource: Option<String>,
}

/// The plan or explanation that the arguments of a command ask for.
///
/// # Errors
/// When they have another form, or no node is chosen.
pub(super) fn request(
    analysis: &Analysis,
    command: &str,
    arguments: &[Json],
) -> Result<PlanRequest, Error> {
    let argument = arguments.first().cloned().map(serde_json::from_value::<Argument>).transpose();
    let argument =
        argument.map_err(|error| Error::Protocol(error.to_string()))?.unwrap_or_default();
    let node = argument.node.or_else(|| analysis.node().map(ToOwned::to_owned));
    let node = node.ok_or_else(|| Error::NotPlannable("no node is chosen".into()))?;
    let world = analysis.world.as_ref();
    let path = argument.uri.as_ref().and_then(uri::path);
    // The name of a file below a directory leads to the directory itself.
    let around = |path: PathBuf| environment_dir(world, &path.join("file"));
    let directory = path.and_then(around).or_else(|| analysis.roots.first().cloned());
    let directory = directory.ok_or_else(|| Error::NotPlannable("no directory is open".into()))?;
    let facts = match analysis.node.file(world, &node) {
        Some(path) => PlanFacts::File(path),
        None => PlanFacts::Values(
            analysis
                .node
                .other_facts(&node)
                .ok_or_else(|| Error::NotPlannable("the fact set is unknown".into()))?,
        ),
    };
    let resource = match command {
        EXPLAIN => {
            let none = || Error::Protocol(format!("{EXPLAIN} needs a `resource`"));
            Some(argument.resource.ok_or_else(none)?)
        }
        _ => None,
    };
    let root =
        argument.root.map(|root| analysis.roots.first().map_or(root.clone(), |dir| dir.join(root)));
    Ok(PlanRequest { directory, node, facts, root, resource })
}

/// The answer to a command: the node, whether there is a plan or an explanation, and the text.
pub(super) fn answer(
    id: RequestId,
    request: &PlanRequest,
    made: Result<PlanText, String>,
) -> Response {
    let done = if request.resource.is_some() { "explanation" } else { "plan" };
    match made {
        Ok(PlanText { is_done, text }) => {
            let answer = serde_json::json!({"node": request.node, done: is_done, "text": text});
            Response::new_ok(id, answer)
        }
        Err(error) => Response::new_err(id, ErrorCode::RequestFailed as i32, error),
    }
}
