//! Applies commands to the database.

mod catalog;
mod facts;
mod inputs;
mod node;
mod outcome;
mod report;

pub(crate) use node::deactivate;
pub use outcome::Outcome;

use crate::command::Command;
use crate::database::{Connection, Database, write_by_keys};
use crate::error::FleetStoreError;
use crate::value::Value;

/// The id of a node. Inserts a missing one.
pub(crate) fn node_id(
    connection: &mut dyn Connection,
    certname: &str,
    now: i64,
) -> Result<Value, FleetStoreError> {
    node::lock(connection, certname, now).map(|node| node.id)
}

/// Applies a command.
///
/// # Errors
/// When the database fails; then nothing has changed.
pub fn apply(
    database: &dyn Database,
    command: &Command,
    received: i64,
) -> Result<Outcome, FleetStoreError> {
    let now = crate::time::now();
    write_by_keys(database, |connection| apply_in(connection, command, received, now))
}

/// Applies commands in one transaction, which is written to disk once. The outcomes are in the
/// order of the commands. A command that cannot be stored does not affect the others.
///
/// # Errors
/// When the database fails; then nothing has changed.
pub fn apply_all(
    database: &dyn Database,
    commands: &[(Command, i64)],
) -> Result<Vec<Result<Outcome, FleetStoreError>>, FleetStoreError> {
    apply_all_at(database, commands, crate::time::now())
}

/// As [`apply_all`], with the time of the caller's clock, such as that of a simulation.
///
/// # Errors
/// When the database fails; then nothing has changed.
pub fn apply_all_at(
    database: &dyn Database,
    commands: &[(Command, i64)],
    now: i64,
) -> Result<Vec<Result<Outcome, FleetStoreError>>, FleetStoreError> {
    // All transactions lock nodes in the same order, which prevents deadlocks.
    let mut order: Vec<usize> = (0..commands.len()).collect();
    let name = |i: &usize| commands.get(*i).map(|(command, _)| command.certname());
    order.sort_by(|a, b| name(a).cmp(&name(b)));
    write_by_keys(database, |connection| {
        let mut outcomes: Vec<_> = commands.iter().map(|_| Ok(Outcome::Stale)).collect();
        for i in &order {
            let Some((command, received)) = commands.get(*i) else { continue };
            connection.batch("SAVEPOINT command")?;
            let outcome = apply_in(connection, command, *received, now);
            match &outcome {
                Ok(_) => connection.batch("RELEASE SAVEPOINT command")?,
                Err(error) if is_own_fault(error) => {
                    connection.batch("ROLLBACK TO SAVEPOINT command")?;
                    connection.batch("RELEASE SAVEPOINT command")?;
                }
                Err(_) => return outcome.map(|_| Vec::new()),
            }
            if let Some(place) = outcomes.get_mut(*i) {
                *place = outcome;
            }
        }
        Ok(outcomes)
    })
}

/// Whether only this command is at fault, so that the next one may still be stored.
fn is_own_fault(error: &FleetStoreError) -> bool {
    let is_final =
        matches!(error, FleetStoreError::Failed { .. } | FleetStoreError::Refused { .. });
    is_final && !error.is_conflict()
}

fn apply_in(
    connection: &mut dyn Connection,
    command: &Command,
    received: i64,
    now: i64,
) -> Result<Outcome, FleetStoreError> {
    match command {
        Command::ReplaceFacts(facts) => facts::replace(connection, facts, (received, now)),
        Command::ReplaceCatalog(catalog) => catalog::replace(connection, catalog, (received, now)),
        Command::StoreReport(report) => report::store(connection, report, (received, now)),
        Command::DeactivateNode(node) => deactivate(connection, node, received),
        Command::ConfigureExpiration(node) => node::configure(connection, node, (received, now)),
        Command::ReplaceCatalogInputs(inputs) => {
            inputs::replace(connection, inputs, (received, now))
        }
    }
}
