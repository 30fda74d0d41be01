//! `ordain fleet pin`, `unpin` and `deactivate`: changes of the database of a server.

use std::io::Write;

use clap::Args;
use ordain_fleet::{NodeStore, StoredNode};
use ordain_source::Diagnostic;
use serde_json::json;

use super::common::{StoreArgs, failure, shown_time};
use super::table::Table;
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::runs::account;
use crate::ui::Ui;

/// Have the server compile one revision for a node, or list the pins
///
/// REVISION is the id of a revision of `ordain deploy`, or its beginning. The server follows within
/// two seconds, and the audit log has the change. Without arguments, the pins are listed.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  done
  1  an error: of the database, or there is no such node or revision

Examples:
  ordain fleet pin web1.example.org 4c1f9a2e
  ordain fleet pin
  ordain fleet unpin web1.example.org")]
pub(super) struct PinArgs {
    /// The node
    #[arg(requires = "revision")]
    node: Option<String>,
    /// The revision
    revision: Option<String>,
    /// Pin the node also if no catalog and no report in the database is of this revision
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// Have the server compile the current revision for a node again
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  done
  1  an error: of the database, or the node is not pinned

Examples:
  ordain fleet unpin web1.example.org")]
pub(super) struct UnpinArgs {
    /// The node
    node: String,
    #[command(flatten)]
    common: CommonArgs,
}

/// Deactivate a node, until it sends data again
///
/// Queries and lists leave the node out, its exported resources are no longer collected, and its data
/// is deleted after 14 days. Its certificate stays valid: see `ordain ca revoke`.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  done
  1  an error: of the database, or there is no such node

Examples:
  ordain fleet deactivate web1.example.org && ordain ca clean web1.example.org")]
pub(super) struct DeactivateArgs {
    /// The node
    node: String,
    #[command(flatten)]
    common: CommonArgs,
}

/// The database, and the format of the output.
#[derive(Args)]
struct CommonArgs {
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    store: StoreArgs,
}

impl CommonArgs {
    /// Prints a change.
    fn print(&self, ui: &mut Ui, change: &Change<'_>) -> Result<Exit, Failure> {
        match self.format {
            TextOrJson::Json => {
                let out = json!({
                    "format": "ordain-fleet-change", "version": 1, "change": change.word,
                    "node": change.node, "revision": change.revision, "before": change.before,
                });
                writeln!(ui.document(), "{out}")?;
            }
            TextOrJson::Text => {
                let revision = change.revision.map(|id| format!(" to {id}")).unwrap_or_default();
                let before = change.before.map(|id| format!(", before {id}")).unwrap_or_default();
                writeln!(ui.out(), "{} {}{revision}{before}", change.word, change.node)?;
            }
        }
        Ok(Exit::Done)
    }
}

/// A change of a node.
struct Change<'a> {
    word: &'a str,
    node: &'a str,
    revision: Option<&'a str>,
    before: Option<&'a str>,
}

/// Pins a node, or lists the pins.
///
/// # Errors
/// When the database cannot be used, or there is no such node or revision.
pub(super) fn pin(ui: &mut Ui, args: &PinArgs) -> Result<Exit, Failure> {
    let store = args.common.store.open()?;
    let (Some(node), Some(revision)) = (&args.node, &args.revision) else {
        return list(ui, args, &store);
    };
    let node = store.node(node).map_err(failure)?.name;
    let revision = store.revision(revision, args.force).map_err(failure)?;
    let before = store.pin(&node, &revision, &account()).map_err(failure)?;
    let (revision, before) = (Some(revision.as_str()), before.as_deref());
    args.common.print(ui, &Change { word: "pinned", node: &node, revision, before })
}

fn list(ui: &mut Ui, args: &PinArgs, store: &NodeStore) -> Result<Exit, Failure> {
    let pins = store.pins().map_err(failure)?;
    match args.common.format {
        TextOrJson::Json => {
            let out = json!({ "format": "ordain-fleet-pins", "version": 1, "pins": pins });
            writeln!(ui.document(), "{out}")?;
        }
        TextOrJson::Text if pins.is_empty() => writeln!(ui.out(), "No node is pinned.")?,
        TextOrJson::Text => {
            let rows = pins
                .into_iter()
                .map(|pin| vec![pin.node, pin.revision, shown_time(Some(&pin.pinned)), pin.actor]);
            let columns = ["node", "revision", "pinned", "by"];
            Table { columns: &columns, rows: rows.collect() }.print(ui)?;
        }
    }
    Ok(Exit::Done)
}

/// Removes the pin of a node.
///
/// # Errors
/// When the database cannot be used, or the node is not pinned.
pub(super) fn unpin(ui: &mut Ui, args: &UnpinArgs) -> Result<Exit, Failure> {
    let store = args.common.store.open()?;
    let name = args.node.to_lowercase();
    let Some(before) = store.unpin(&name, &account()).map_err(failure)? else {
        // A wrong name is the more likely mistake.
        let StoredNode { name, .. } = store.node(&name).map_err(failure)?;
        let error = Diagnostic::error(codes::ARGUMENTS, format!("{name} is not pinned"));
        return Err(error.help("`ordain fleet pin` lists the pins").into());
    };
    let before = Some(before.as_str());
    args.common.print(ui, &Change { word: "unpinned", node: &name, revision: None, before })
}

/// Deactivates a node.
///
/// # Errors
/// When the database cannot be used, or there is no such node.
pub(super) fn deactivate(ui: &mut Ui, args: &DeactivateArgs) -> Result<Exit, Failure> {
    let store = args.common.store.open()?;
    let node = store.node(&args.node).map_err(failure)?.name;
    store.deactivate(&node, &account()).map_err(failure)?;
    let (revision, before) = (None, None);
    args.common.print(ui, &Change { word: "deactivated", node: &node, revision, before })
}
