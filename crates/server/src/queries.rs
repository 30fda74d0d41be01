//! Answers to queries of PuppetDB's API, on connections to the database of their own, so that slow
//! queries are not in the way of agents.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::StatusCode;
use ordain_fleet_store::{Connection, Database, FleetStoreError, Value, read};
use ordain_puppetdb::{QueryError, QueryRequest, ResponseHead, ResponseWriter, Settings, answer};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use crate::error::ServerError;
use crate::reply::{Body, JSON, Reply};
use crate::storage::open_database;
use crate::stream::BodyStream;

/// The queries that run at a time.
const QUERIES: usize = 8;
/// The longest time that a query waits for others.
const WAIT: Duration = Duration::from_secs(30);
/// The maximum length of an answer that is sent as a whole, in bytes.
const WHOLE: usize = 64 << 10;
/// The length of the parts of longer answers, in bytes.
const PART: usize = 32 << 10;
/// The parts that wait for a slow client.
const WAITING_PARTS: usize = 4;
/// A count stays for this many times the time that it took.
const COUNT_SHARE: u32 = 100;

/// The database for queries.
pub(crate) struct Queries {
    database: Arc<dyn Database>,
    settings: Settings,
    slots: Arc<Semaphore>,
    population: Mutex<Option<(Instant, Population)>>,
}

/// The numbers of nodes and resources.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Population {
    pub(crate) active_nodes: i64,
    pub(crate) inactive_nodes: i64,
    /// The resources of active nodes.
    pub(crate) resources: i64,
}

impl Queries {
    /// Opens the database at a URL of PostgreSQL, or else the one in a directory.
    ///
    /// # Errors
    /// When it cannot be used.
    pub(crate) fn open(url: Option<&str>, dir: &Path) -> Result<Self, ServerError> {
        Ok(Self {
            database: open_database(url, dir, QUERIES)?,
            settings: Settings::default(),
            slots: Arc::new(Semaphore::new(QUERIES)),
            population: Mutex::default(),
        })
    }

    /// The database, for the explorer.
    pub(crate) fn database(&self) -> &dyn Database {
        &*self.database
    }

    /// The same for others that read it.
    pub(crate) fn shared_database(&self) -> Arc<dyn Database> {
        Arc::clone(&self.database)
    }

    /// Notes how values are distributed, by which the database chooses indexes.
    pub(crate) fn update_statistics(&self) {
        if let Err(error) = self.database.update_statistics() {
            tracing::error!(%error, "the statistics of the database are not updated");
        }
    }

    /// Waits for the turn of a query; `None` if that takes too long.
    pub(crate) async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        timeout(WAIT, Arc::clone(&self.slots).acquire_owned()).await.ok()?.ok()
    }

    /// Answers a query: sends the reply, then the parts of its body. It blocks.
    pub(crate) fn answer(
        &self,
        request: &QueryRequest,
        accepts_gzip: bool,
        reply: oneshot::Sender<Reply>,
    ) {
        let limit = self.settings.timeout.unwrap_or(Duration::MAX);
        let mut output = Sending {
            reply: Some(reply),
            head: ResponseHead::default(),
            whole: Vec::new(),
            parts: None,
            accepts_gzip,
            end: Instant::now().checked_add(limit),
        };
        let result = answer(&*self.database, &self.settings, request, &mut output);
        // Without a client there is nobody to tell about it.
        let _ = output.finish(result);
    }

    /// The numbers of nodes and resources, as they were a short time ago if counting takes long.
    ///
    /// # Errors
    /// The reason why they cannot be counted.
    pub(crate) async fn population(&self) -> Result<Population, String> {
        let mut known = self.population.lock().await;
        if let Some((end, population)) = *known
            && Instant::now() < end
        {
            return Ok(population);
        }
        let database = Arc::clone(&self.database);
        let limit = self.settings.timeout;
        let begin = Instant::now();
        let count = move || read(&*database, limit, count);
        let counted = tokio::task::spawn_blocking(count).await.map_err(|e| e.to_string())?;
        let population = counted.map_err(|error| error.to_string())?;
        *known = Some((Instant::now() + begin.elapsed() * COUNT_SHARE, population));
        Ok(population)
    }
}

fn count(connection: &mut dyn Connection) -> Result<Population, FleetStoreError> {
    let mut number = |sql: &str| {
        let value = connection.value(sql, &[])?;
        value.as_ref().map_or(Ok(0), Value::integer)
    };
    let inactive = "deactivated IS NOT NULL OR expired IS NOT NULL";
    let all_nodes = number("SELECT count(*) FROM certnames")?;
    let inactive_nodes = number(&format!("SELECT count(*) FROM certnames WHERE {inactive}"))?;
    let resources = number(&format!(
        "SELECT CAST(coalesce(sum(resource_count), 0) AS BIGINT) FROM catalogs
         WHERE certname_id NOT IN (SELECT id FROM certnames WHERE {inactive})"
    ))?;
    Ok(Population { active_nodes: all_nodes - inactive_nodes, inactive_nodes, resources })
}

/// The reply for a query that has no answer.
fn refusal(error: QueryError) -> Reply {
    let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match error.is_json {
        true => Reply::new(status, JSON, error.body),
        false => Reply::text(status, error.body),
    }
}

/// An answer on its way to a client. A short one becomes a reply in memory, so that an error after
/// its beginning still has a status; a longer one is sent in parts.
struct Sending {
    /// Where the reply goes, until it is sent.
    reply: Option<oneshot::Sender<Reply>>,
    head: ResponseHead,
    whole: Vec<u8>,
    parts: Option<Parts>,
    accepts_gzip: bool,
    /// When a client that reads slowly has held its connection to the database for too long.
    end: Option<Instant>,
}

/// The body of a long answer.
struct Parts {
    sender: mpsc::Sender<Bytes>,
    writer: PartWriter,
}

enum PartWriter {
    Plain(Vec<u8>),
    Gzip(Box<GzEncoder<Vec<u8>>>),
}

impl PartWriter {
    fn buffer(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Plain(buffer) => buffer,
            Self::Gzip(encoder) => encoder.get_mut(),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(buffer) => buffer.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
        }
    }
}

fn gone() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

impl Sending {
    fn records(&self, reply: Reply) -> Reply {
        match self.head.records {
            Some(records) => reply.header("x-records", records.to_string()),
            None => reply,
        }
    }

    fn send(&mut self, reply: Reply) -> io::Result<()> {
        let sender = self.reply.take().ok_or_else(gone)?;
        sender.send(reply).map_err(|_| gone())
    }

    /// Sends the reply, and what there is of its body.
    fn begin_parts(&mut self) -> io::Result<()> {
        let (sender, stream) = BodyStream::new(WAITING_PARTS);
        let reply = Reply {
            body: Body::Stream(stream),
            is_gzip: self.accepts_gzip,
            ..Reply::new(StatusCode::OK, JSON, Bytes::new())
        };
        let reply = self.records(reply);
        self.send(reply)?;
        let writer = match self.accepts_gzip {
            true => PartWriter::Gzip(Box::new(GzEncoder::new(Vec::new(), Compression::fast()))),
            false => PartWriter::Plain(Vec::new()),
        };
        self.parts = Some(Parts { sender, writer });
        let whole = std::mem::take(&mut self.whole);
        self.part(&whole)
    }

    fn part(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.end.is_some_and(|end| Instant::now() > end) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let Some(parts) = &mut self.parts else { return Err(gone()) };
        parts.writer.write(bytes)?;
        match parts.writer.buffer().len() >= PART {
            true => parts.flush(),
            false => Ok(()),
        }
    }

    /// Sends what is left after the last row.
    fn finish(mut self, result: Result<(), QueryError>) -> io::Result<()> {
        if self.parts.is_none() {
            let reply = match result {
                Ok(()) => {
                    let whole = std::mem::take(&mut self.whole);
                    let reply = Reply::new(StatusCode::OK, JSON, whole);
                    self.records(reply)
                }
                Err(error) => refusal(error),
            };
            return self.send(reply);
        }
        if let Err(error) = result {
            // The body lacks its end, so the client notices.
            tracing::warn!(%error, "an answer to a query ends early");
            return Ok(());
        }
        match self.parts {
            Some(parts) => parts.finish(),
            None => Ok(()),
        }
    }
}

impl Parts {
    fn flush(&mut self) -> io::Result<()> {
        let part = std::mem::take(self.writer.buffer());
        if part.is_empty() {
            return Ok(());
        }
        self.sender.blocking_send(part.into()).map_err(|_| gone())
    }

    fn finish(mut self) -> io::Result<()> {
        if let PartWriter::Gzip(encoder) = self.writer {
            self.writer = PartWriter::Plain(encoder.finish()?);
        }
        self.flush()?;
        self.sender.blocking_send(Bytes::new()).map_err(|_| gone())
    }
}

impl ResponseWriter for Sending {
    fn begin(&mut self, head: ResponseHead) -> io::Result<()> {
        self.head = head;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.parts.is_some() {
            return self.part(bytes);
        }
        self.whole.extend_from_slice(bytes);
        match self.whole.len() > WHOLE {
            true => self.begin_parts(),
            false => Ok(()),
        }
    }
}
