//! The failures of a document that do not depend on its stubs. The document is evaluated without
//! them: what only stubs or the machine have is unknown, and so is everything that needs it.

use ordain_source::{Diagnostic, FileId, MemoryWorld, Severity, SourceMap};
use rustc_hash::FxHashSet;

use crate::diagnostics::diagnose;
use crate::diagnostics::report::{Cause, Line, Tag};
use crate::ids::InstId;
use crate::input::Input;
use crate::load::Features;
use crate::options::Options;
use crate::path::steps;
use crate::session::{Error, Request, merge};

/// The maximum number of evaluated expressions. An editor checks after each key.
const MAX_STEPS: u64 = 200_000;

/// The failures of a document, as diagnostics in this file.
pub(super) fn failures(file: FileId, text: &str, features: Features) -> Vec<Diagnostic> {
    let template = Input { text: text.into(), ..Input::default() };
    let options =
        Options { hermetic: true, is_check: true, steps: MAX_STEPS, ..Options::default() };
    let request = Request { template: Some(template), features, options, ..Request::default() };
    let Err(Error::Unresolved(mut found)) = merge(&MemoryWorld::default(), &request) else {
        return Vec::new();
    };
    let failed: FxHashSet<InstId> =
        found.lines.iter().filter(|line| is_failure(line)).map(|line| line.node).collect();
    found.lines.retain(|line| match &line.cause {
        Cause::Waits(other) => failed.contains(&other.node),
        _ => failed.contains(&line.node),
    });
    let own = SourceMap::new();
    let mut out = diagnose::unresolved(&found, &own);
    for found in &mut out {
        // A stub may replace a value, or the whole node.
        found.severity = Severity::Warning;
        // The text of the original names the document, which has no name here.
        found.issue = None;
        for label in found.primary.iter_mut().chain(&mut found.related) {
            label.span.file = file;
        }
        if let Some(peer) = &mut found.peer {
            peer.file = file;
        }
    }
    out
}

/// Whether a node certainly has no value without stubs. Syntax errors and unknown functions are found
/// without an evaluation.
fn is_failure(line: &Line) -> bool {
    match &line.cause {
        // A stub or the command line may bring a name that resembles none.
        Cause::Name { path, near } => near.is_some() || steps(path).len() > 1,
        Cause::Own => line.tag == Tag::Error && line.at.is_none() && !line.issue.is_empty(),
        Cause::Loop(nodes) => nodes.len() > 1,
        Cause::Stubs { .. } | Cause::UnknownFunction(_) | Cause::Waits(_) => false,
    }
}
