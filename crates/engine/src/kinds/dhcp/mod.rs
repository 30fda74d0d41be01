//! `mgmt::dhcp::server`: a DHCP server for IPv4 with its hosts and ranges.

mod answer;
mod host;
mod leases;
mod listener;
mod model;
mod packet;
mod range;
mod server;

use std::sync::Arc;

use crate::kind::Registry;
use crate::kinds::serving::Hub;
use model::Dhcp;

/// Adds the kinds.
pub(crate) fn register(registry: &mut Registry) {
    let hub: Arc<Hub<Dhcp>> = Arc::default();
    registry.add(Box::new(host::Host::new(&hub)));
    registry.add(Box::new(range::Ranges::new(&hub)));
    registry.add(Box::new(server::Server::new(&hub)));
}
