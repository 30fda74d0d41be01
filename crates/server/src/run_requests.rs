//! Requests of users to run now (`ordain fleet run`), for agents that hold a connection.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use ordain_ca::Certname;
use ordain_fleet_store::{RunRequest, job_id};
use tokio::sync::watch;

use crate::server::Server;

/// The requests in the database, read regularly.
pub(crate) struct RunRequests {
    by_node: ArcSwap<HashMap<String, RunRequest>>,
    news: watch::Sender<()>,
}

impl Default for RunRequests {
    fn default() -> Self {
        Self { by_node: ArcSwap::default(), news: watch::Sender::new(()) }
    }
}

impl RunRequests {
    /// Tells when the requests have changed.
    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }
}

impl Server {
    /// Reads the requests. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn refresh_run_requests(&self) -> Result<(), String> {
        let found = self.storage.run_requests()?;
        let new: HashMap<String, RunRequest> =
            found.into_iter().map(|request| (request.certname.clone(), request)).collect();
        if *self.run_requests.by_node.load_full() != new {
            self.run_requests.by_node.store(Arc::new(new));
            self.run_requests.news.send_replace(());
        }
        Ok(())
    }

    /// The job id of a requested run of a node, if this server is the first one to deliver it.
    pub(crate) async fn take_run_request(self: &Arc<Self>, node: &Certname) -> Option<String> {
        let request = self.run_requests.by_node.load().get(node.as_str()).cloned()?;
        let (server, run) = (Arc::clone(self), request.run);
        let claim = move || server.storage.claim_run_request(&request);
        match tokio::task::spawn_blocking(claim).await.ok()? {
            Ok(true) => {
                tracing::info!(node = node.as_str(), run, "a run is requested");
                Some(job_id(run))
            }
            Ok(false) => None,
            Err(error) => {
                tracing::warn!(node = node.as_str(), run, error, "the run is not requested");
                None
            }
        }
    }
}
