//! The state of a server in front of an old one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use hyper::StatusCode;
use ordain_ca::CertificateAuthority;
use ordain_fleet::IgnoreRule;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::capture::{Memory, Share};
use super::old_files::OldFiles;
use super::results::Results;
use super::upstream::Upstream;
use crate::config::Config;
use crate::error::ServerError;
use crate::identity::Identity;
use crate::request::Request;
use crate::tls::ServerKey;

/// The name of the file with the differences, below the state directory.
const RESULTS: &str = "shadow.json";

/// The state of a server in front of an old one.
pub(crate) struct Shadow {
    pub(crate) upstream: Upstream,
    pub(crate) results: Arc<Results>,
    /// The metadata of files of the old server.
    pub(super) old_files: OldFiles,
    /// The memory for comparisons that wait.
    pub(super) memory: Memory,
    /// Takes the comparisons. Their memory bounds their number.
    pub(super) comparisons: UnboundedSender<Comparison>,
    receiver: Mutex<Option<UnboundedReceiver<Comparison>>>,
    /// The number of requests so far.
    sequence: AtomicU64,
}

/// A catalog of the old server that is compared with that of this one.
pub(crate) struct Comparison {
    pub(crate) identity: Identity,
    pub(crate) request: Request,
    /// The position in the order of requests.
    pub(crate) sequence: u64,
    pub(crate) status: StatusCode,
    pub(crate) is_gzip: bool,
    /// The reply of the old server.
    pub(crate) body: Bytes,
    /// The share of the memory, which ends with this.
    pub(super) _share: Share,
}

impl Shadow {
    /// Opens the results, and prepares connections to the old server; `None` without one in the
    /// settings.
    ///
    /// # Errors
    /// When a setting is wrong or the results cannot be read.
    pub(crate) fn of(
        config: &Config,
        ca: &CertificateAuthority,
        own: &ServerKey,
    ) -> Result<Option<Self>, ServerError> {
        let Some(url) = &config.shadow else { return Ok(None) };
        let rule = |text: &String| {
            IgnoreRule::parse(text).map_err(|error| ServerError::Setting(error.to_string()))
        };
        let rules = config.shadow_ignore.iter().map(rule).collect::<Result<_, _>>()?;
        let (comparisons, receiver) = unbounded_channel();
        Ok(Some(Self {
            upstream: Upstream::new(url, ca, own)?,
            results: Arc::new(Results::open(&config.state.join(RESULTS), url, rules)?),
            old_files: OldFiles::default(),
            memory: Memory::new(config.limits.comparisons),
            comparisons,
            receiver: Mutex::new(Some(receiver)),
            sequence: AtomicU64::new(0),
        }))
    }

    /// The comparisons that are to be made. They are given out once.
    pub(crate) fn take_comparisons(&self) -> Option<UnboundedReceiver<Comparison>> {
        self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn next_sequence(&self) -> u64 {
        self.sequence.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Writes the counters, in the text format of Prometheus.
    pub(crate) fn write_metrics(&self, out: &mut String) {
        let (nodes, differing) = self.results.counts();
        let (compared, skipped) = self.results.totals();
        for (name, kind, help, value) in [
            ("ordain_shadow_nodes", "gauge", "Nodes whose catalogs were compared", nodes as u64),
            ("ordain_shadow_differing", "gauge", "Nodes whose catalogs differ", differing as u64),
            ("ordain_shadow_compared_total", "counter", "Catalogs that were compared", compared),
            ("ordain_shadow_skipped_total", "counter", "Catalogs that were not compared", skipped),
        ] {
            out.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n"));
        }
    }

    /// Counts a catalog that is not compared.
    pub(crate) fn skip(&self) {
        self.results.skip();
    }
}
