//! The database of `ordain serve`: nodes, facts and reports, by queries of PuppetDB's API.

mod drift;
mod facts;
mod nodes;
mod pins;
mod reports;
mod runs;
mod selection;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::json;
use ordain_fleet_store::{
    Database, FleetStoreError, Postgres, Sqlite, active_facts, facts_of, read,
};
use ordain_puppetdb::{QueryError, QueryRequest, Response, Settings, answer, sqlite_functions};
use ordain_source::suggest;
use serde_json::{Map, Value as Json};

use crate::error::FleetError;
use crate::nodes::FleetNode;

pub use drift::{Drift, DriftState};
pub use facts::FactOfNode;
pub use nodes::{NodeStatus, StoredNode};
pub use pins::StoredPin;
pub use reports::{StoredEvent, StoredLog, StoredReport};
pub use runs::{Canaries, RunDriver, run_order};
pub use selection::NodeSelection;

/// The file of the database in the state directory of `ordain serve`, and in its part for nodes.
const FILES: [&str; 2] = ["nodes/nodes.sqlite", "nodes.sqlite"];

/// The connections to a database.
const CONNECTIONS: usize = 2;

/// The database of a server.
#[derive(Debug)]
pub struct NodeStore {
    database: Arc<dyn Database>,
}

/// A row of an answer to a query.
type Row = Map<String, Json>;

impl NodeStore {
    /// Opens a database: a state directory, a file of SQLite, or the address of a PostgreSQL
    /// database.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub fn open(place: &str) -> Result<Self, FleetError> {
        let is_address = place.starts_with("postgres://") || place.starts_with("postgresql://");
        if is_address {
            let database = Postgres::connect(place, CONNECTIONS).map_err(failed)?;
            return Ok(Self { database: Arc::new(database) });
        }
        let path = Path::new(place);
        let path = match path.is_dir() {
            true => {
                let [usual, other] = FILES.map(|file| path.join(file));
                if other.is_file() { other } else { usual }
            }
            false => PathBuf::from(path),
        };
        if !path.is_file() {
            return Err(FleetError::file(&path, std::io::ErrorKind::NotFound.into()));
        }
        let database = Sqlite::open(&path, CONNECTIONS, sqlite_functions()).map_err(failed)?;
        Ok(Self { database: Arc::new(database) })
    }

    /// A database that is open.
    pub fn of(database: Arc<dyn Database>) -> Self {
        Self { database }
    }

    /// The active nodes with their facts.
    ///
    /// # Errors
    /// When the database fails, or has no nodes.
    pub fn fleet_nodes(&self) -> Result<Vec<FleetNode>, FleetError> {
        let rows = read(&*self.database, None, active_facts).map_err(failed)?;
        if rows.is_empty() {
            return Err(FleetError::NoNodes("the store".to_owned()));
        }
        rows.iter().map(|(name, facts)| fleet_node(name, facts)).collect()
    }

    /// A node with its facts, also if it is not active. `None` if it has no facts.
    ///
    /// # Errors
    /// When the database fails.
    pub fn fleet_node(&self, name: &str) -> Result<Option<FleetNode>, FleetError> {
        let facts =
            |connection: &mut dyn ordain_fleet_store::Connection| facts_of(connection, name);
        let facts = read(&*self.database, None, facts).map_err(failed)?;
        facts.map(|facts| fleet_node(name, &facts)).transpose()
    }

    pub(crate) fn database(&self) -> Arc<dyn Database> {
        Arc::clone(&self.database)
    }

    /// The rows of a query in PQL or AST.
    pub(crate) fn rows(&self, query: &str) -> Result<Vec<Row>, FleetError> {
        self.answer("", &[("query", query)])
    }

    /// The rows of a query in AST.
    pub(crate) fn ast_rows(&self, query: &Json) -> Result<Vec<Row>, FleetError> {
        self.rows(&query.to_string())
    }

    /// The rows of an endpoint, such as `/reports`.
    pub(crate) fn answer(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Vec<Row>, FleetError> {
        let refused = |error: QueryError| match error.status {
            400 => FleetError::Query(error.body),
            _ => FleetError::Source(format!("the store: {}", error.body)),
        };
        let request = QueryRequest::get(path, parameters).map_err(refused)?;
        let mut output = Response::default();
        answer(&*self.database, &Settings::default(), &request, &mut output).map_err(refused)?;
        serde_json::from_slice(&output.body)
            .map_err(|_| FleetError::Query("the query returns no rows with names".to_owned()))
    }

    /// The names of all nodes, also of inactive ones, in order.
    pub(crate) fn names(&self) -> Result<Vec<String>, FleetError> {
        let query = r#"["from", "nodes", ["extract", ["certname"], ["=", "node_state", "any"]]]"#;
        let rows = self.rows(query)?;
        let mut names: Vec<String> = rows.iter().filter_map(|row| text(row, "certname")).collect();
        names.sort();
        Ok(names)
    }

    /// The error that there is no node with this name.
    pub(crate) fn unknown(&self, name: &str) -> Result<FleetError, FleetError> {
        let names = self.names()?;
        let near = suggest::nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        Ok(FleetError::UnknownNode { name: name.to_owned(), near })
    }
}

fn fleet_node(name: &str, facts: &str) -> Result<FleetNode, FleetError> {
    let wrong = |error| FleetError::Source(format!("the facts of {name} in the store: {error}"));
    Ok(FleetNode::new(name, json::read(facts).map_err(wrong)?, None))
}

/// The error of the database for users.
pub(crate) fn failed(error: FleetStoreError) -> FleetError {
    FleetError::Source(format!("the store: {error}"))
}

/// A text of a row.
fn text(row: &Row, name: &str) -> Option<String> {
    row.get(name).and_then(Json::as_str).map(str::to_owned)
}

/// A boolean of a row; null is false.
fn flag(row: &Row, name: &str) -> bool {
    row.get(name).and_then(Json::as_bool).unwrap_or(false)
}
