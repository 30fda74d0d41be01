//! The open connections, counted by address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::Limits;

/// The open connections.
#[derive(Default)]
pub(crate) struct Connections {
    open: AtomicUsize,
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// Counts a connection while it is open.
pub(crate) struct Slot {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Connections {
    /// The number of open connections.
    pub(crate) fn count(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// Counts a connection, unless there are too many.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr, limits: &Limits) -> Option<Slot> {
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let own = by_address.get(&address).copied().unwrap_or(0);
        if self.count() >= limits.connections || own >= limits.connections_per_address {
            return None;
        }
        by_address.insert(address, own + 1);
        self.open.fetch_add(1, Ordering::Relaxed);
        Some(Slot { connections: Arc::clone(self), address })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let connections = &self.connections;
        connections.open.fetch_sub(1, Ordering::Relaxed);
        let mut by_address = connections.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        match by_address.get_mut(&self.address) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                by_address.remove(&self.address);
            }
        }
    }
}
