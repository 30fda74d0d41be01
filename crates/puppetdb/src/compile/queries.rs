//! Queries of manifests, answered from the database.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::{Value as Data, json};
use ordain_fleet_store::Database;
use ordain_graph::fleet::FleetQueries;

use crate::request::QueryRequest;
use crate::response::{Response, ResponseHead, ResponseWriter, Settings, answer};

/// The longest time that a query of a compile may take, as with PuppetDB's terminus.
const LIMIT: Duration = Duration::from_secs(30);
/// The maximum length of an answer in bytes.
const MAX_LENGTH: usize = 64 << 20;

/// The database, as manifests see it.
#[derive(Debug)]
pub struct StoredNodes {
    database: Arc<dyn Database>,
}

impl StoredNodes {
    /// The nodes of a database.
    pub fn new(database: Arc<dyn Database>) -> Self {
        Self { database }
    }
}

impl FleetQueries for StoredNodes {
    fn query(&self, query: &Data) -> Result<Data, String> {
        let body = json::compact(&Data::map([("query", query.clone())]));
        let request = QueryRequest::post("", body).map_err(|error| error.to_string())?;
        let settings = Settings { timeout: Some(LIMIT), ..Settings::default() };
        let mut output = Bounded::default();
        answer(&*self.database, &settings, &request, &mut output).map_err(|error| match () {
            () if output.is_full => format!("the answer is longer than {MAX_LENGTH} bytes"),
            () => error.to_string(),
        })?;
        json::read_bytes(&output.answer.body).map_err(|error| error.to_string())
    }
}

/// An answer in memory, up to a length.
#[derive(Default)]
struct Bounded {
    answer: Response,
    is_full: bool,
}

impl ResponseWriter for Bounded {
    fn begin(&mut self, head: ResponseHead) -> io::Result<()> {
        self.answer.begin(head)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.answer.body.len() + bytes.len() > MAX_LENGTH {
            self.is_full = true;
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.answer.write(bytes)
    }
}
