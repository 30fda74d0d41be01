//! Follows changes of the database that users and other servers make: pins, requests to run, and
//! values that nodes share. They are read regularly, so that no request of an agent waits for them and all servers of a database follow.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ordain_fleet_store::RunRequest;

use crate::server::Server;

/// How often they are read.
const INTERVAL: Duration = Duration::from_secs(1);

impl Server {
    /// Reads the pins. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn refresh_pins(&self) -> Result<(), String> {
        let new = self.storage.pins()?;
        if self.pins.are(&new) {
            return Ok(());
        }
        let mut ids: Vec<&String> = new.values().collect();
        ids.sort();
        ids.dedup();
        let environments = self.environments.names();
        let pairs = environments.iter().flat_map(|name| ids.iter().map(move |id| (name, id)));
        let locks = pairs.filter_map(|(name, id)| self.environments.revision(name, id)).collect();
        self.environments.retain_revisions(|id| ids.iter().any(|wanted| *wanted == id));
        tracing::info!(pins = new.len(), "the pins of nodes have changed");
        self.pins.set(new, locks);
        Ok(())
    }

    /// Reads the requests. It blocks.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub(crate) fn refresh_run_requests(&self) -> Result<(), String> {
        let found = self.storage.run_requests()?;
        let new: HashMap<String, RunRequest> =
            found.into_iter().map(|request| (request.certname.clone(), request)).collect();
        self.run_requests.set(new);
        Ok(())
    }
}

/// Reads the pins, the requests for runs and the shared values again and again.
pub(crate) async fn follow(server: Arc<Server>) {
    let mut failed = String::new();
    loop {
        tokio::time::sleep(INTERVAL).await;
        let reading = Arc::clone(&server);
        let read = move || {
            reading.refresh_pins()?;
            reading.refresh_run_requests()?;
            reading.storage.shared.refresh()
        };
        let result = tokio::task::spawn_blocking(read).await;
        let error = match result {
            Ok(Err(error)) => error,
            _ => String::new(),
        };
        if !error.is_empty() && error != failed {
            tracing::error!(
                error,
                "pins, requests for runs and shared values cannot be read; the pins of before stay"
            );
        }
        failed = error;
    }
}
