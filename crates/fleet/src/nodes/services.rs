//! Nodes whose facts are in a database, or known to PuppetDB.

use std::path::Path;

use ordain_data::json;
use ordain_engine::fetch::{Download, download};
use ordain_engine::tls::TlsFiles;

use super::{FleetNode, forms};
use crate::error::FleetError;
use crate::store::NodeStore;

/// The largest answer of PuppetDB, in bytes: the facts of 40,000 nodes are about 400 MB.
const MAX_ANSWER: u64 = 1 << 30;

/// The active nodes in the database of `ordain serve`: a state directory, a file, or the address of a
/// PostgreSQL database. With a query, those that it chooses, as [`crate::NodeSelection::query`] does.
///
/// # Errors
/// When the database cannot be read, has no nodes, or the query is wrong.
pub fn nodes_of_store(place: &str, query: Option<&str>) -> Result<Vec<FleetNode>, FleetError> {
    let store = NodeStore::open(place)?;
    store.chosen(store.fleet_nodes()?, query)
}

/// The nodes whose facts PuppetDB's API has, such as that at `http://localhost:8080`. `tls` has the
/// certificates of the connection; without any, the authorities that the machine trusts count.
///
/// # Errors
/// When a certificate cannot be used, PuppetDB cannot be asked, or has no nodes.
pub fn nodes_of_puppetdb(url: &str, tls: &TlsFiles) -> Result<Vec<FleetNode>, FleetError> {
    let address = format!("{}/pdb/query/v4/factsets", url.trim_end_matches('/'));
    let tls = Some(tls).filter(|tls| **tls != TlsFiles::default());
    let request =
        Download { address: &address, authorization: None, proxy: None, tls, most: MAX_ANSWER };
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
