//! Answers of a DHCP server.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use super::leases::{Client, Leases, Pool};
use super::model::{Assignment, Boot, Range, Settings};
use super::packet::{Kind, Message, option};

/// The addresses that a server can offer one client.
pub(super) struct Offer<'a> {
    settings: &'a Settings,
    /// The host that is declared for the client, with its address and mask.
    fixed: Option<(Ipv4Addr, Ipv4Addr, &'a Boot)>,
    pool: Pool<'a>,
    /// The leases of the server, including those of others.
    ranges: Vec<&'a Range>,
}

impl<'a> Offer<'a> {
    /// Selects the assignments for the sender of a message.
    pub(super) fn new(
        settings: &'a Settings,
        parts: impl Iterator<Item = &'a Assignment>,
        message: &Message,
    ) -> Self {
        let mut offer = Self {
            settings,
            fixed: None,
            pool: Pool { ranges: Vec::new(), reserved: BTreeSet::new() },
            ranges: Vec::new(),
        };
        for part in parts {
            match part {
                Assignment::Host(host) => {
                    if host.hardware == message.address && offer.fixed.is_none() {
                        offer.fixed = Some((host.ip, host.mask, &host.boot));
                    }
                    offer.pool.reserved.insert(host.ip);
                }
                Assignment::Range(range) => offer.ranges.push(range),
            }
        }
        // Only addresses of the network that the message comes from are useful.
        let near = if message.relay.is_unspecified() { settings.id } else { Some(message.relay) };
        let mut ranges = offer.ranges.clone();
        let is_near = |range: &&Range| near.is_some_and(|near| range.is_near(near));
        if !message.relay.is_unspecified() || ranges.iter().any(is_near) {
            ranges.retain(is_near);
        }
        offer.pool.ranges = ranges;
        offer
    }

    /// All ranges of the server.
    pub(super) fn ranges(&self) -> &[&'a Range] {
        &self.ranges
    }

    /// The answer, if there is one.
    pub(super) fn answer(
        &self,
        leases: &mut Leases,
        message: &Message,
        now: u64,
    ) -> Option<Message> {
        if !message.is_request || !self.is_meant(message, leases) {
            return None;
        }
        let client = client_of(message);
        let wish = message.option_ip(option::ADDRESS);
        match message.kind()? {
            Kind::Discover => {
                let ip = self.find(leases, &client, wish, now)?;
                Some(self.given(message, Kind::Offer, ip))
            }
            Kind::Request => self.request(leases, message, &client, now),
            Kind::Release => {
                leases.release(&client, message.client, now);
                None
            }
            Kind::Decline => {
                leases.rest(&client, wish?, now);
                None
            }
            Kind::Inform if !message.client.is_unspecified() => {
                let mut answer = self.reply(message, Kind::Ack);
                self.add_options(message, &mut answer, message.client);
                Some(answer)
            }
            _ => None,
        }
    }

    /// Whether the message addresses this server; true if it names none.
    fn is_meant(&self, message: &Message, leases: &mut Leases) -> bool {
        let Some(own) = self.settings.id else { return true };
        let named = message.option_ip(option::SERVER);
        if named.is_some_and(|named| named != own) {
            leases.decline_offer(&client_of(message));
            return false;
        }
        message.next.is_unspecified() || message.next == own
    }

    fn find(
        &self,
        leases: &mut Leases,
        client: &Client,
        wish: Option<Ipv4Addr>,
        now: u64,
    ) -> Option<Ipv4Addr> {
        match self.fixed {
            Some((ip, ..)) => Some(ip),
            None => leases.find(client, &self.pool, wish, now),
        }
    }

    /// Answers a client that accepts an offer, renews a lease, or checks its address after a
    /// restart.
    fn request(
        &self,
        leases: &mut Leases,
        message: &Message,
        client: &Client,
        now: u64,
    ) -> Option<Message> {
        let has = Some(message.client).filter(|ip| !ip.is_unspecified());
        let wish = has.or_else(|| message.option_ip(option::ADDRESS))?;
        match self.find(leases, client, Some(wish), now) {
            Some(ip) if ip == wish => {
                if self.fixed.is_none() {
                    leases.give(client, self.settings.lease, now);
                }
                Some(self.given(message, Kind::Ack, ip))
            }
            Some(_) => {
                // The client has to ask for another address.
                leases.decline_offer(client);
                Some(self.refusal(message))
            }
            None if self.pool.ranges.iter().any(|range| range.is_near(wish)) => {
                Some(self.refusal(message))
            }
            // Clients of other servers are ignored.
            None => None,
        }
    }

    /// A reply without an address.
    fn reply(&self, message: &Message, kind: Kind) -> Message {
        let none = Ipv4Addr::UNSPECIFIED;
        let mut options = vec![(option::KIND, vec![kind as u8])];
        options.extend(self.settings.id.map(|id| (option::SERVER, id.octets().to_vec())));
        Message {
            is_request: false,
            hops: 0,
            seconds: 0,
            client: if kind == Kind::Ack { message.client } else { none },
            yours: none,
            next: none,
            options,
            address: message.address.clone(),
            ..*message
        }
    }

    fn refusal(&self, message: &Message) -> Message {
        let mut answer = self.reply(message, Kind::Nak);
        // The client has no address yet, so that even its relay has to broadcast.
        answer.flags |= 0x8000;
        echo(message, &mut answer);
        answer
    }

    fn given(&self, message: &Message, kind: Kind, ip: Ipv4Addr) -> Message {
        let mut answer = self.reply(message, kind);
        answer.yours = ip;
        if self.settings.has_lease {
            let seconds = self.settings.lease.map_or(u32::MAX, |s| s.min(u32::MAX.into()) as u32);
            answer.options.push((option::LEASE_TIME, seconds.to_be_bytes().to_vec()));
        }
        self.add_options(message, &mut answer, ip);
        answer
    }

    /// Adds all options for a client with an address.
    fn add_options(&self, message: &Message, answer: &mut Message, ip: Ipv4Addr) {
        let range = self.pool.ranges.iter().find(|range| range.has(ip) || range.is_near(ip));
        let (mask, boot) = match (self.fixed, range) {
            (Some((own, mask, boot)), _) if own == ip => (Some(mask), Some(boot)),
            (_, Some(range)) => (Some(range.mask), Some(&range.boot)),
            _ => (None, None),
        };
        let boot = boot.map_or_else(|| self.settings.boot.clone(), |b| b.or(&self.settings.boot));
        let mut add = |number: u8, value: Vec<u8>| answer.options.push((number, value));
        let addresses = |all: &[Ipv4Addr]| all.iter().flat_map(Ipv4Addr::octets).collect();
        // Clients read the mask before the routers.
        if let Some(mask) = mask {
            add(option::MASK, mask.octets().to_vec());
        }
        if !self.settings.routers.is_empty() {
            add(option::ROUTERS, addresses(&self.settings.routers));
        }
        if !self.settings.dns.is_empty() && message.wants(option::NAME_SERVERS) {
            add(option::NAME_SERVERS, addresses(&self.settings.dns));
        }
        let told = [(option::BOOT_SERVER, &boot.server), (option::BOOT_FILE, &boot.file)];
        for (number, text) in told {
            if let Some(text) = text.as_ref().filter(|_| message.wants(number)) {
                add(number, text.clone().into_bytes());
            }
        }
        // The header has the boot server as an address; a name goes into the option only.
        let next = boot.server.as_deref().and_then(|server| server.parse().ok());
        answer.next = next.or(self.settings.id).unwrap_or(Ipv4Addr::UNSPECIFIED);
        echo(message, answer);
    }
}

/// Copies fields that clients and relays expect in an answer.
fn echo(message: &Message, answer: &mut Message) {
    for number in [option::CLIENT, option::RELAY] {
        if let Some(value) = message.option(number) {
            answer.options.push((number, value.to_vec()));
        }
    }
}

/// The identity of the sender.
fn client_of(message: &Message) -> Client {
    let mut client = vec![message.hardware];
    client.extend(&message.address);
    client
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::model::{FixedAddress, mask};
    use super::super::packet::tests::says;
    use super::*;

    fn ip(last: u8) -> Ipv4Addr {
        Ipv4Addr::new(192, 0, 2, last)
    }

    struct TestServer {
        settings: Settings,
        parts: Vec<Assignment>,
        leases: Leases,
        now: u64,
    }

    impl TestServer {
        /// A server with a range of three addresses and one declared host.
        fn new() -> Self {
            let boot = |server: &str, file: &str| Boot {
                server: Some(server.into()).filter(|s: &String| !s.is_empty()),
                file: Some(file.into()),
            };
            let settings = Settings {
                id: Some(ip(1)),
                lease: Some(600),
                has_lease: true,
                dns: vec![ip(53), ip(54)],
                routers: vec![ip(1)],
                boot: boot("198.51.100.9", "/all"),
                ..Settings::default()
            };
            let range = Range {
                from: ip(10),
                to: ip(12),
                mask: mask(24),
                skip: [ip(11)].into(),
                persist: false,
                boot: Boot::default(),
            };
            let fixed = FixedAddress {
                hardware: vec![2, 0, 0, 0, 0, 42],
                ip: ip(42),
                mask: mask(25),
                boot: boot("", "own"),
            };
            let parts = vec![Assignment::Host(fixed), Assignment::Range(range)];
            Self { settings, parts, leases: Leases::default(), now: 1000 }
        }

        fn ask(&mut self, message: &Message) -> Option<Message> {
            let offer = Offer::new(&self.settings, self.parts.iter(), message);
            offer.answer(&mut self.leases, message, self.now)
        }

        /// The type of the answer and the last byte of its address.
        fn hear(&mut self, kind: Kind, client: u8, wish: u8, server: u8) -> Option<(Kind, u8)> {
            let mut message = says(kind, client);
            if wish > 0 {
                message.options.push((option::ADDRESS, ip(wish).octets().to_vec()));
            }
            if server > 0 {
                message.options.push((option::SERVER, ip(server).octets().to_vec()));
            }
            let answer = self.ask(&message)?;
            Some((answer.kind()?, answer.yours.octets()[3]))
        }
    }

    #[test]
    fn a_client_gets_an_address() {
        let mut served = TestServer::new();
        assert_eq!(served.hear(Kind::Discover, 7, 0, 0), Some((Kind::Offer, 10)));
        assert_eq!(served.hear(Kind::Request, 7, 10, 1), Some((Kind::Ack, 10)));
        assert_eq!(served.hear(Kind::Discover, 8, 11, 0), Some((Kind::Offer, 12)));
        // The client takes the offer of another server, and its address is free again.
        assert_eq!(served.hear(Kind::Request, 8, 77, 9), None);
        assert_eq!(served.hear(Kind::Discover, 9, 0, 0), Some((Kind::Offer, 12)));
        assert_eq!(served.hear(Kind::Request, 9, 12, 1), Some((Kind::Ack, 12)));
        assert_eq!(served.hear(Kind::Discover, 8, 0, 0), None);
        // The range is full. A client that requests one of its addresses gets a refusal, others get
        // no answer.
        assert_eq!(served.hear(Kind::Request, 8, 10, 0), Some((Kind::Nak, 0)));
        let mut elsewhere = says(Kind::Request, 8);
        elsewhere.client = Ipv4Addr::new(10, 0, 0, 1);
        assert_eq!(served.ask(&elsewhere), None);
    }

    #[test]
    fn clients_with_another_address_are_refused() {
        let mut served = TestServer::new();
        assert_eq!(served.hear(Kind::Discover, 7, 12, 0), Some((Kind::Offer, 12)));
        assert_eq!(served.hear(Kind::Request, 7, 12, 0), Some((Kind::Ack, 12)));
        assert_eq!(served.hear(Kind::Request, 7, 10, 0), Some((Kind::Nak, 0)));
        let mut renewal = says(Kind::Request, 7);
        renewal.client = ip(12);
        let answer = served.ask(&renewal).unwrap();
        assert_eq!((answer.kind(), answer.yours, answer.client), (Some(Kind::Ack), ip(12), ip(12)));
        // After a loss of all leases the client keeps its address.
        served.leases = Leases::default();
        assert_eq!(served.ask(&renewal).unwrap().kind(), Some(Kind::Ack));
        assert_eq!(served.hear(Kind::Request, 9, 12, 0), Some((Kind::Nak, 0)));
    }

    #[test]
    fn an_address_that_is_given_back_is_free() {
        let mut served = TestServer::new();
        served.hear(Kind::Request, 7, 10, 0);
        served.hear(Kind::Request, 8, 12, 0);
        assert_eq!(served.hear(Kind::Discover, 9, 0, 0), None);
        let mut release = says(Kind::Release, 7);
        release.client = ip(10);
        assert_eq!(served.ask(&release), None);
        assert_eq!(served.hear(Kind::Discover, 9, 0, 0), Some((Kind::Offer, 10)));
        // Another client has that address.
        assert_eq!(served.hear(Kind::Decline, 9, 10, 1), None);
        assert_eq!(served.hear(Kind::Discover, 9, 10, 0), None);
        served.now += 600;
        assert_eq!(served.hear(Kind::Discover, 9, 10, 0), Some((Kind::Offer, 10)));
    }

    #[test]
    fn a_machine_that_is_known_gets_its_own() {
        let mut served = TestServer::new();
        assert_eq!(served.hear(Kind::Discover, 42, 10, 0), Some((Kind::Offer, 42)));
        assert_eq!(served.hear(Kind::Request, 42, 42, 1), Some((Kind::Ack, 42)));
        assert_eq!(served.hear(Kind::Request, 42, 10, 0), Some((Kind::Nak, 0)));
        served.parts.truncate(1);
        assert_eq!(served.hear(Kind::Discover, 7, 0, 0), None);
        assert_eq!(served.hear(Kind::Request, 7, 10, 0), None);
        assert_eq!(served.hear(Kind::Discover, 42, 0, 0), Some((Kind::Offer, 42)));
    }

    #[test]
    fn a_client_is_told_what_it_asks_for() {
        let mut served = TestServer::new();
        let mut message = says(Kind::Discover, 42);
        message.options.push((option::CLIENT, vec![1, 2]));
        let numbers = |answer: &Message| answer.options.iter().map(|o| o.0).collect::<Vec<_>>();
        let answer = served.ask(&message).unwrap();
        assert_eq!(numbers(&answer), [53, 54, 51, 1, 3, 61]);
        assert_eq!(answer.option_ip(option::MASK), Some(mask(25)));
        assert_eq!(answer.option(option::LEASE_TIME), Some(&[0, 0, 2, 88][..]));
        assert_eq!(answer.next, Ipv4Addr::new(198, 51, 100, 9));
        message.options.push((option::WANTED, vec![6, 66, 67]));
        let answer = served.ask(&message).unwrap();
        assert_eq!(numbers(&answer), [53, 54, 51, 1, 3, 6, 66, 67, 61]);
        assert_eq!(answer.option(option::NAME_SERVERS), Some(&[192, 0, 2, 53, 192, 0, 2, 54][..]));
        assert_eq!(answer.option(option::BOOT_SERVER), Some(&b"198.51.100.9"[..]));
        assert_eq!(answer.option(option::BOOT_FILE), Some(&b"own"[..]));
        let mut inform = says(Kind::Inform, 7);
        inform.client = ip(99);
        let answer = served.ask(&inform).unwrap();
        assert_eq!((numbers(&answer), answer.yours.octets()[3]), (vec![53, 54, 1, 3], 0));
        (served.settings.id, served.settings.has_lease) = (None, false);
        let answer = served.ask(&says(Kind::Discover, 7)).unwrap();
        assert_eq!(numbers(&answer), [53, 1, 3]);
    }

    #[test]
    fn a_relay_tells_which_network_it_is() {
        let mut served = TestServer::new();
        let far = |last| Ipv4Addr::new(203, 0, 113, last);
        let Assignment::Range(mut range) = served.parts[1].clone() else { unreachable!() };
        (range.from, range.to) = (far(5), far(9));
        served.parts.push(Assignment::Range(range));
        let mut message = says(Kind::Discover, 7);
        message.relay = far(1);
        message.options.push((option::RELAY, vec![1, 1, 7]));
        let answer = served.ask(&message).unwrap();
        assert_eq!((answer.yours, answer.relay), (far(5), far(1)));
        assert_eq!(answer.option(option::RELAY), Some(&[1, 1, 7][..]));
        assert_eq!(served.hear(Kind::Discover, 8, 0, 0), Some((Kind::Offer, 10)));
        message.relay = Ipv4Addr::new(10, 9, 9, 1);
        assert_eq!(served.ask(&message), None);
    }

    #[test]
    fn invalid_requests_have_no_answer() {
        let mut served = TestServer::new();
        let mut message = says(Kind::Discover, 7);
        message.is_request = false;
        assert_eq!(served.ask(&message), None);
        message = says(Kind::Offer, 7);
        assert_eq!(served.ask(&message), None);
        message.options.clear();
        assert_eq!(served.ask(&message), None);
        message = says(Kind::Discover, 7);
        message.next = ip(9);
        assert_eq!(served.ask(&message), None);
    }

    #[test]
    fn packets_by_chance_do_no_harm() {
        let mut seed = 1_u64;
        let mut chance = |below: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut served = TestServer::new();
        let (mut heard, mut answered) = (0, 0);
        for _ in 0..20_000 {
            let kinds = [Kind::Discover, Kind::Request, Kind::Release, Kind::Decline, Kind::Inform];
            let mut message = says(kinds[chance(5)], chance(50) as u8);
            message.options.push((option::ADDRESS, ip(chance(50) as u8).octets().to_vec()));
            message.options.push((option::WANTED, vec![6, 66, 67]));
            let mut bytes = message.bytes();
            for _ in 0..chance(4) {
                let at = chance(bytes.len());
                bytes[at] = chance(256) as u8;
            }
            bytes.truncate(bytes.len() - chance(40));
            served.now += 1;
            let Some(message) = Message::parse(&bytes) else { continue };
            heard += 1;
            let Some(answer) = served.ask(&message) else { continue };
            answered += 1;
            assert_eq!(Message::parse(&answer.bytes()), Some(answer));
        }
        assert!(heard > 15_000 && answered > 1_000, "{heard} {answered}");
    }
}
