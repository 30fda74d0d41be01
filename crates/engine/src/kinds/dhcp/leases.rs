//! The leases: clients, addresses and expiry times.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use ordain_functions::digest::{hex, unhex};
use serde::{Deserialize, Serialize};

use super::model::Range;
use crate::kind::KindError;
use crate::kinds::shared::state_file::StateFile;
use crate::system::host::Host;

/// The maximum number of leases of a server. Further clients have to wait until one expires.
const MAX_LEASES: usize = 65_536;

/// The number of seconds for which an offered address is reserved.
const OFFER_SECONDS: u64 = 60;

/// The time for which an address in use by another machine is not offered.
const CONFLICT_SECONDS: u64 = 600;

/// The identity of a client: hardware type and hardware address.
pub(super) type Client = Vec<u8>;

/// The addresses that a server gave.
#[derive(Default, Debug)]
pub(super) struct Leases {
    by_client: BTreeMap<Client, Lease>,
    holders: BTreeMap<Ipv4Addr, Client>,
    /// Addresses that rest, and until when.
    resting: BTreeMap<Ipv4Addr, u64>,
    /// Whether it differs from the saved leases.
    is_changed: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Lease {
    ip: Ipv4Addr,
    /// In seconds; never, if there is none.
    ends: Option<u64>,
    /// Whether the client accepted the address.
    is_given: bool,
}

impl Lease {
    fn is_over(&self, now: u64) -> bool {
        self.ends.is_some_and(|ends| ends <= now)
    }
}

/// The addresses that a lease may use.
pub(super) struct Pool<'a> {
    pub(super) ranges: Vec<&'a Range>,
    /// Addresses of known machines.
    pub(super) reserved: BTreeSet<Ipv4Addr>,
}

impl Pool<'_> {
    pub(super) fn has(&self, ip: Ipv4Addr) -> bool {
        !self.reserved.contains(&ip) && self.ranges.iter().any(|range| range.has(ip))
    }
}

impl Leases {
    /// The address for a client: its current or previous one, else the requested one, else any. The
    /// address is reserved briefly.
    pub(super) fn find(
        &mut self,
        client: &Client,
        pool: &Pool<'_>,
        wish: Option<Ipv4Addr>,
        now: u64,
    ) -> Option<Ipv4Addr> {
        let own = self.by_client.get(client).map(|lease| lease.ip);
        let own = own.filter(|ip| pool.has(*ip) && !self.rests(*ip, now));
        if let Some(ip) = own {
            if let Some(lease) = self.by_client.get_mut(client).filter(|lease| lease.is_over(now)) {
                *lease = Lease { ip, ends: Some(now + OFFER_SECONDS), is_given: false };
            }
            return Some(ip);
        }
        let wish = wish.filter(|ip| pool.has(*ip) && self.is_free(*ip, now));
        let ip = wish.or_else(|| self.any(pool, now))?;
        self.forget(client);
        if let Some(other) = self.holders.get(&ip).cloned() {
            self.forget(&other);
        }
        self.make_room(now)?;
        self.holders.insert(ip, client.clone());
        let offer = Lease { ip, ends: Some(now + OFFER_SECONDS), is_given: false };
        self.by_client.insert(client.clone(), offer);
        Some(ip)
    }

    fn rests(&self, ip: Ipv4Addr, now: u64) -> bool {
        self.resting.get(&ip).is_some_and(|ends| *ends > now)
    }

    fn holder(&self, ip: Ipv4Addr) -> Option<&Lease> {
        self.by_client.get(self.holders.get(&ip)?)
    }

    fn is_free(&self, ip: Ipv4Addr, now: u64) -> bool {
        !self.rests(ip, now) && self.holder(ip).is_none_or(|lease| lease.is_over(now))
    }

    /// The first address that was never leased, or else the one whose lease ended first.
    fn any(&self, pool: &Pool<'_>, now: u64) -> Option<Ipv4Addr> {
        let reserved = |ip: &Ipv4Addr| pool.reserved.contains(ip);
        let mut all = pool.ranges.iter().flat_map(|range| range.addresses());
        let is_new = |ip: &Ipv4Addr| {
            !reserved(ip) && !self.holders.contains_key(ip) && !self.rests(*ip, now)
        };
        all.find(is_new).or_else(|| {
            let over = self.by_client.values().filter(|lease| lease.is_over(now));
            let free = over.filter(|lease| pool.has(lease.ip) && !self.rests(lease.ip, now));
            free.min_by_key(|lease| (lease.ends, lease.ip)).map(|lease| lease.ip)
        })
    }

    /// Forgets expired leases if there are too many.
    fn make_room(&mut self, now: u64) -> Option<()> {
        if self.by_client.len() >= MAX_LEASES {
            self.by_client.retain(|_, lease| !lease.is_over(now));
            self.holders.retain(|_, client| self.by_client.contains_key(client));
        }
        (self.by_client.len() < MAX_LEASES).then_some(())
    }

    fn forget(&mut self, client: &Client) {
        if let Some(lease) = self.by_client.remove(client) {
            self.holders.remove(&lease.ip);
            self.is_changed |= lease.is_given;
        }
    }

    /// The client accepts its offer, or renews its lease.
    pub(super) fn give(&mut self, client: &Client, seconds: Option<u64>, now: u64) {
        if let Some(lease) = self.by_client.get_mut(client) {
            let ends = seconds.map(|seconds| now.saturating_add(seconds));
            *lease = Lease { ip: lease.ip, ends, is_given: true };
            self.is_changed = true;
        }
    }

    /// The client takes the offer of another server.
    pub(super) fn decline_offer(&mut self, client: &Client) {
        if self.by_client.get(client).is_some_and(|lease| !lease.is_given) {
            self.forget(client);
        }
    }

    /// The client needs its address no more.
    pub(super) fn release(&mut self, client: &Client, ip: Ipv4Addr, now: u64) {
        if let Some(lease) = self.by_client.get_mut(client).filter(|lease| lease.ip == ip) {
            lease.ends = Some(now);
            self.is_changed = true;
        }
    }

    /// The client found that another machine uses its address.
    pub(super) fn rest(&mut self, client: &Client, ip: Ipv4Addr, now: u64) {
        if self.by_client.get(client).is_some_and(|lease| lease.ip == ip) {
            self.forget(client);
            self.resting.retain(|_, ends| *ends > now);
            if self.resting.len() < MAX_LEASES {
                self.resting.insert(ip, now + CONFLICT_SECONDS);
            }
        }
    }
}

/// A lease in the state file.
#[derive(Serialize, Deserialize)]
struct Line {
    client: String,
    ip: Ipv4Addr,
    ends: Option<u64>,
}

/// The state file of a server's leases.
fn place(server: &str) -> StateFile {
    StateFile::new("dhcp", server)
}

impl Leases {
    /// Reads the saved leases of a server.
    pub(super) fn read(host: &Host, server: &str) -> Result<Self, KindError> {
        let place = place(server);
        let Some(bytes) = place.read(host)? else { return Ok(Self::default()) };
        let lines: Vec<Line> = serde_json::from_slice(&bytes).map_err(|e| {
            KindError::new(format!("{} has no leases: {e}", place.path().display()))
        })?;
        let mut leases = Self::default();
        for line in lines.into_iter().take(MAX_LEASES) {
            let Some(client) = unhex(&line.client) else { continue };
            if leases.holders.insert(line.ip, client.clone()).is_none() {
                let lease = Lease { ip: line.ip, ends: line.ends, is_given: true };
                leases.by_client.insert(client, lease);
            }
        }
        Ok(leases)
    }

    /// Saves the leases of ranges that ask for it, if any changed.
    pub(super) fn keep(
        &mut self,
        host: &Host,
        server: &str,
        ranges: &[&Range],
    ) -> Result<(), KindError> {
        let is_kept = |lease: &Lease| {
            lease.is_given && ranges.iter().any(|range| range.persist && range.has(lease.ip))
        };
        if !self.is_changed || !ranges.iter().any(|range| range.persist) {
            return Ok(());
        }
        let kept = self.by_client.iter().filter(|(_, lease)| is_kept(lease));
        let line = |(client, lease): (&Client, &Lease)| Line {
            client: hex(client),
            ip: lease.ip,
            ends: lease.ends,
        };
        let lines: Vec<Line> = kept.map(line).collect();
        let text = serde_json::to_vec(&lines)
            .map_err(|e| KindError::new(format!("the leases cannot be written: {e}")))?;
        place(server).write(host, &text)?;
        self.is_changed = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::model::{Boot, mask};
    use super::*;

    fn range(from: u8, to: u8) -> Range {
        let ip = |last| Ipv4Addr::new(192, 0, 2, last);
        let skip = BTreeSet::new();
        let boot = Boot::default();
        Range { from: ip(from), to: ip(to), mask: mask(24), skip, persist: true, boot }
    }

    /// The last part of the address that a client gets.
    fn gets(leases: &mut Leases, range: &Range, client: u8, wish: u8, now: u64) -> Option<u8> {
        let wish = (wish > 0).then(|| Ipv4Addr::new(192, 0, 2, wish));
        let pool = Pool { ranges: vec![range], reserved: [Ipv4Addr::new(192, 0, 2, 2)].into() };
        let ip = leases.find(&vec![client], &pool, wish, now)?;
        leases.give(&vec![client], Some(100), now);
        Some(ip.octets()[3])
    }

    #[test]
    fn each_has_an_address_of_its_own() {
        let (mut leases, range) = (Leases::default(), range(1, 5));
        assert_eq!(gets(&mut leases, &range, 10, 0, 0), Some(1));
        assert_eq!(gets(&mut leases, &range, 11, 1, 0), Some(3));
        assert_eq!(gets(&mut leases, &range, 12, 5, 0), Some(5));
        assert_eq!(gets(&mut leases, &range, 13, 2, 0), Some(4));
        assert_eq!(gets(&mut leases, &range, 14, 0, 99), None);
        // The same again, also when the time is over.
        assert_eq!(gets(&mut leases, &range, 11, 4, 50), Some(3));
        assert_eq!(gets(&mut leases, &range, 10, 0, 100), Some(1));
        // The lease that ended first is reused first.
        assert_eq!(gets(&mut leases, &range, 14, 0, 101), Some(4));
        assert_eq!(gets(&mut leases, &range, 13, 0, 101), Some(5));
        let mut small = range;
        small.to = small.from;
        assert_eq!(gets(&mut leases, &small, 11, 0, 101), None);
    }

    #[test]
    fn addresses_are_given_back_and_rest() {
        let (mut leases, range) = (Leases::default(), range(1, 3));
        let one = Ipv4Addr::new(192, 0, 2, 1);
        assert_eq!(gets(&mut leases, &range, 10, 0, 0), Some(1));
        leases.release(&vec![11], one, 1);
        leases.release(&vec![10], one, 1);
        assert_eq!(gets(&mut leases, &range, 11, 1, 2), Some(1));
        leases.rest(&vec![11], one, 3);
        assert_eq!(gets(&mut leases, &range, 11, 1, 3), Some(3));
        assert_eq!(gets(&mut leases, &range, 12, 1, 4), None);
        assert_eq!(gets(&mut leases, &range, 12, 1, 3 + CONFLICT_SECONDS), Some(1));
    }

    #[test]
    fn no_flood_of_clients_fills_the_memory() {
        let mut range = range(0, 0);
        (range.from, range.to) = (Ipv4Addr::new(10, 0, 0, 0), Ipv4Addr::new(10, 255, 255, 255));
        range.mask = mask(8);
        let pool = Pool { ranges: vec![&range], reserved: BTreeSet::new() };
        let mut leases = Leases::default();
        let mut ask = |number: u32, wish: u32, now| {
            let wish = Some(Ipv4Addr::from_bits((10 << 24) + wish));
            leases.find(&number.to_be_bytes().to_vec(), &pool, wish, now)
        };
        for number in 1..=MAX_LEASES as u32 {
            assert!(ask(number, number, 0).is_some());
        }
        assert_eq!(ask(0, 0, 0), None);
        assert!(ask(0, 0, OFFER_SECONDS).is_some());
    }

    #[test]
    fn leases_outlive_the_process() {
        let root = tempfile::tempdir().unwrap();
        let runner = Box::new(crate::system::runner::HostRunner);
        let host = Host::new(root.path().to_path_buf(), runner);
        let (mut leases, range) = (Leases::default(), range(1, 9));
        gets(&mut leases, &range, 10, 7, 0);
        leases.keep(&host, "s", &[&range]).unwrap();
        let mut again = Leases::read(&host, "s").unwrap();
        assert_eq!(gets(&mut again, &range, 10, 0, 0), Some(7));
        assert_eq!(gets(&mut again, &range, 11, 7, 0), Some(1));
        assert!(Leases::read(&host, "other").unwrap().by_client.is_empty());
    }
}
