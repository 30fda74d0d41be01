//! Nodes whose facts are in a database, or known to PuppetDB.

use std::path::Path;

use ordain_data::json;
use ordain_engine::fetch::{Download, download};
use ordain_fleet_store::{Database, FleetStoreError, Postgres, Sqlite, active_facts, read};

use super::{FleetNode, forms};
use crate::error::FleetError;

/// The largest answer of PuppetDB, in bytes: the facts of 40,000 nodes are about 400 MB.
const MAX_ANSWER: u64 = 1 << 30;

/// The file of the database in the state directory of `ordain serve`.
const FILE: &str = "nodes.sqlite";

/// The active nodes in the database of `ordain serve`: a state directory, a file, or the address of a
/// PostgreSQL database.
///
/// # Errors
/// When the database cannot be read, or has no nodes.
pub fn nodes_of_store(place: &str) -> Result<Vec<FleetNode>, FleetError> {
    let failed = |error: FleetStoreError| FleetError::Source(format!("the store: {error}"));
    let is_address = place.starts_with("postgres://") || place.starts_with("postgresql://");
    let rows = if is_address {
        read_rows(&Postgres::connect(place, 1).map_err(failed)?)
    } else {
        let path = Path::new(place);
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        if !path.is_file() {
            return Err(FleetError::file(&path, std::io::ErrorKind::NotFound.into()));
        }
        read_rows(&Sqlite::open(&path, 1, Vec::new()).map_err(failed)?)
    };
    let rows = rows.map_err(failed)?;
    if rows.is_empty() {
        return Err(FleetError::NoNodes("the store".to_owned()));
    }
    let node = |(name, facts): (String, String)| {
        let wrong =
            |error| FleetError::Source(format!("the facts of {name} in the store: {error}"));
        Ok(FleetNode::new(&name, json::read(&facts).map_err(wrong)?, None))
    };
    rows.into_iter().map(node).collect()
}

/// The names and facts of active nodes.
fn read_rows(database: &dyn Database) -> Result<Vec<(String, String)>, FleetStoreError> {
    read(database, None, active_facts)
}

/// The nodes whose facts PuppetDB's API has, such as that at `http://localhost:8080`.
///
/// # Errors
/// When it cannot be asked, or has no nodes.
pub fn nodes_of_puppetdb(url: &str) -> Result<Vec<FleetNode>, FleetError> {
    let address = format!("{}/pdb/query/v4/factsets", url.trim_end_matches('/'));
    let request =
        Download { address: &address, authorization: None, proxy: None, most: MAX_ANSWER };
    let failed = |error| FleetError::Source(format!("PuppetDB at {url}: {error}"));
    let answer = download(&request).map_err(failed)?;
    let path = Path::new(&address);
    let list = json::read_bytes(&answer).map_err(|error| FleetError::document(path, error))?;
    let nodes = forms::list(path, &list)?;
    if nodes.is_empty() {
        return Err(FleetError::NoNodes(format!("PuppetDB at {url}")));
    }
    Ok(nodes.into_iter().map(|(name, facts)| FleetNode::new(&name, facts, None)).collect())
}
