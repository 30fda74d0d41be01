//! The state of a running server.

use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use ordain_ca::CertificateAuthority;
use tokio::sync::Semaphore;

use crate::answers::Answers;
use crate::bucket::Bucket;
use crate::comparisons::Comparisons;
use crate::compile::{Environments, Pool};
use crate::config::Config;
use crate::connections::Connections;
use crate::files::cache::Listings;
use crate::files::checksum::Checksums;
use crate::files::mounts::OwnMounts;
use crate::metrics::Metrics;
use crate::pins::Pins;
use crate::queries::Queries;
use crate::reply::Reply;
use crate::rules::Rules;
use crate::run_requests::RunRequests;
use crate::runs::Runs;
use crate::shadow::Shadow;
use crate::shared_reads::SharedReads;
use crate::sign_in::SignIn;
use crate::storage::{NotStored, Storage};
use crate::tls::ServerKey;

/// The unit in which bodies in memory are counted.
pub(crate) const BODY_UNIT: u64 = 1 << 10;

/// A running server.
pub(crate) struct Server {
    pub(crate) config: Config,
    pub(crate) ca: ArcSwap<CertificateAuthority>,
    pub(crate) tls: ArcSwap<rustls::ServerConfig>,
    pub(crate) own_key: ServerKey,
    pub(crate) environments: Environments,
    /// The code that running agents use.
    pub(crate) runs: Runs,
    /// The revisions that nodes are pinned to.
    pub(crate) pins: Pins,
    /// Requests of users to run now.
    pub(crate) run_requests: RunRequests,
    /// The shared values that the graphs of nodes depend on.
    pub(crate) shared_reads: SharedReads,
    pub(crate) pool: Pool,
    pub(crate) storage: Storage,
    /// The old server that this one stands in front of.
    pub(crate) shadow: Option<Shadow>,
    /// The answers without compiling, unless they are turned off.
    pub(crate) answers: Option<Answers>,
    pub(crate) queries: Queries,
    /// The users who sign in through a provider of OpenID Connect.
    pub(crate) sign_in: Option<SignIn>,
    /// The comparisons of the explorer.
    pub(crate) comparisons: Comparisons,
    pub(crate) bucket: Bucket,
    pub(crate) checksums: Checksums,
    pub(crate) listings: Listings,
    pub(crate) mounts: ArcSwap<OwnMounts>,
    /// The rules that classify nodes.
    pub(crate) rules: ArcSwap<Rules>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) metrics: Metrics,
    /// The bytes of bodies that may still be read, in units.
    pub(crate) bodies: Semaphore,
    /// The handshakes that may run at a time.
    pub(crate) handshakes: Semaphore,
    /// The requests for certificates that may be looked at at a time.
    pub(crate) enrolments: Semaphore,
    pub(crate) started: Instant,
    /// Becomes true when the server ends, so that requests which are held end, too.
    pub(crate) ending: tokio::sync::watch::Sender<bool>,
}

impl Server {
    /// The number of units for all bodies.
    pub(crate) fn body_units(bytes: u64) -> usize {
        usize::try_from(bytes / BODY_UNIT).unwrap_or(Semaphore::MAX_PERMITS)
    }

    /// The certificate authority.
    pub(crate) fn ca(&self) -> Arc<CertificateAuthority> {
        self.ca.load_full()
    }

    /// Goes on with an authority that was read again.
    pub(crate) fn set_ca(&self, ca: CertificateAuthority) {
        self.ca.store(Arc::new(ca));
    }

    /// The name of this server.
    pub(crate) fn name(&self) -> &str {
        self.config.names.first().map_or("puppet", String::as_str)
    }

    /// The reply for data that is not stored.
    pub(crate) fn not_stored(&self, reason: NotStored) -> Reply {
        match reason {
            NotStored::Refused(reason) => Reply::bad_request(reason),
            NotStored::Busy(_) | NotStored::Outdated => {
                tracing::warn!(%reason, "the database is busy");
                self.overloaded()
            }
            NotStored::Failed(reason) => Reply::failed(reason),
        }
    }

    /// The reply while there is too much to do.
    pub(crate) fn overloaded(&self) -> Reply {
        self.metrics.overloaded.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let longest = u32::try_from(self.config.limits.retry_after.as_secs()).unwrap_or(u32::MAX);
        Reply::overloaded(1 + random() % longest.max(1))
    }
}

/// A random number. The agents that were refused together come back apart.
fn random() -> u32 {
    let mut bytes = [0; 4];
    // Without random numbers agents come back together, which is no error.
    let _ = getrandom::fill(&mut bytes);
    u32::from_le_bytes(bytes)
}
