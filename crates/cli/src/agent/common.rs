//! The parts that a single run and a loop share.

use std::path::Path;

use ordain_agent::protocol::Head;
use ordain_agent::{AgentError, Server, Spool};
use ordain_driver::Reporter;
use ordain_driver::puppet::agent_facts;
use ordain_store::RunTarget;
use serde_json::Value as Json;

use super::args::Settings;
use crate::runs;

/// Whether a graph is of the pinned revision, or none is pinned.
pub(super) fn is_pinned(settings: &Settings, head: &Head) -> bool {
    settings.revision.as_ref().is_none_or(|revision| *revision == head.code_id)
}

/// The facts of this machine as JSON.
///
/// # Errors
/// When they cannot be collected at all.
pub(super) fn facts(
    reporter: &mut dyn Reporter,
    certname: &str,
) -> Result<Json, ordain_driver::Error> {
    let facts = agent_facts(reporter, certname)?;
    reporter.diagnostics(facts.problems, &ordain_source::SourceMap::new());
    let text = ordain_data::json::compact(&facts.values.without_secrets());
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

/// The subject of runs in the journal.
pub(super) fn subject(settings: &Settings, root: &Path) -> RunTarget {
    let source = format!("https://{}", settings.server);
    RunTarget { source: Some(source), ..runs::subject(Path::new("/"), &settings.certname, root) }
}

/// Delivers the reports that wait, the oldest first. A report that the server refuses is dropped.
///
/// # Errors
/// When the server is absent; the reports stay.
pub(super) fn deliver(
    spool: &Spool,
    server: &Server,
    note: &mut dyn FnMut(String),
) -> Result<(), AgentError> {
    while let Some((number, report)) = spool.oldest()? {
        let document: Json = serde_json::from_slice(&report).unwrap_or_default();
        let environment =
            document.get("environment").and_then(Json::as_str).unwrap_or("production");
        match server.report(environment, &report) {
            Ok(()) => {}
            Err(error) if error.is_outage() => return Err(error),
            Err(error) => note(format!("a report is dropped: {error}")),
        }
        spool.remove(number)?;
    }
    let dropped = spool.take_dropped()?;
    if dropped > 0 {
        note(format!("{dropped} reports were dropped, since too many waited"));
    }
    Ok(())
}
