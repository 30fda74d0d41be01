//! Messages of DHCP (RFC 2131, options of RFC 2132).
//!
//! The crate `dhcproto` is not used, because it sorts the options, does not check the magic cookie,
//! and depends on 35 crates, including a DNS library.

#![warn(clippy::indexing_slicing)]

use std::net::Ipv4Addr;

/// The magic cookie before the options.
const MAGIC: [u8; 4] = [99, 130, 83, 99];

/// The minimum length of a message; old relays and clients drop shorter ones.
const MIN_LENGTH: usize = 300;

/// The numbers of options.
pub(super) mod option {
    pub(in super::super) const MASK: u8 = 1;
    pub(in super::super) const ROUTERS: u8 = 3;
    pub(in super::super) const NAME_SERVERS: u8 = 6;
    pub(in super::super) const ADDRESS: u8 = 50;
    pub(in super::super) const LEASE_TIME: u8 = 51;
    pub(in super::super) const KIND: u8 = 53;
    pub(in super::super) const SERVER: u8 = 54;
    pub(in super::super) const WANTED: u8 = 55;
    pub(in super::super) const CLIENT: u8 = 61;
    pub(in super::super) const BOOT_SERVER: u8 = 66;
    pub(in super::super) const BOOT_FILE: u8 = 67;
    pub(in super::super) const RELAY: u8 = 82;
}

/// The type of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Discover = 1,
    Offer = 2,
    Request = 3,
    Decline = 4,
    Ack = 5,
    Nak = 6,
    Release = 7,
    Inform = 8,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Discover,
        Self::Offer,
        Self::Request,
        Self::Decline,
        Self::Ack,
        Self::Nak,
        Self::Release,
        Self::Inform,
    ];
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Message {
    /// Whether a client sends it.
    pub(super) is_request: bool,
    /// The kind of hardware.
    pub(super) hardware: u8,
    /// The number of relays that passed it on.
    pub(super) hops: u8,
    /// The transaction id.
    pub(super) exchange: [u8; 4],
    /// The seconds since the client began.
    pub(super) seconds: u16,
    /// The first bit asks for a broadcast.
    pub(super) flags: u16,
    /// The address that the client has.
    pub(super) client: Ipv4Addr,
    /// The address that it gets.
    pub(super) yours: Ipv4Addr,
    /// The boot server.
    pub(super) next: Ipv4Addr,
    /// The relay.
    pub(super) relay: Ipv4Addr,
    /// The hardware address, 16 bytes at most.
    pub(super) address: Vec<u8>,
    /// Options in their order; the parts of a split option are joined.
    pub(super) options: Vec<(u8, Vec<u8>)>,
}

/// Reads the fields of a packet one after the other.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn ip(&mut self) -> Option<Ipv4Addr> {
        self.take::<4>().map(Ipv4Addr::from)
    }
}

impl Message {
    /// The message in a packet, if there is one.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let is_request = match fields.byte()? {
            1 => true,
            2 => false,
            _ => return None,
        };
        let (hardware, length, hops) = (fields.byte()?, fields.byte()?, fields.byte()?);
        let exchange = fields.take()?;
        let (seconds, flags) = (fields.take()?, fields.take()?);
        let (client, yours, next, relay) = (fields.ip()?, fields.ip()?, fields.ip()?, fields.ip()?);
        let address = fields.take::<16>()?.get(..usize::from(length))?.to_vec();
        // The names of the server and of the file.
        fields.take::<192>()?;
        if fields.take::<4>()? != MAGIC {
            return None;
        }
        Some(Self {
            is_request,
            hardware,
            hops,
            exchange,
            seconds: u16::from_be_bytes(seconds),
            flags: u16::from_be_bytes(flags),
            client,
            yours,
            next,
            relay,
            address,
            options: options(fields.0)?,
        })
    }

    /// The packet of a message; options that are too long are split.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(MIN_LENGTH);
        out.push(if self.is_request { 1 } else { 2 });
        out.push(self.hardware);
        out.push(self.address.len() as u8);
        out.push(self.hops);
        out.extend(self.exchange);
        out.extend(self.seconds.to_be_bytes());
        out.extend(self.flags.to_be_bytes());
        for address in [self.client, self.yours, self.next, self.relay] {
            out.extend(address.octets());
        }
        out.extend(&self.address);
        // The names of server and file are sent as options.
        out.resize(236, 0);
        out.extend(MAGIC);
        for (number, value) in &self.options {
            let parts = value.chunks(255).chain(value.is_empty().then_some(&value[..]));
            for part in parts {
                out.extend([*number, part.len() as u8]);
                out.extend(part);
            }
        }
        out.push(255);
        out.resize(out.len().max(MIN_LENGTH), 0);
        out
    }

    /// The value of an option.
    pub(super) fn option(&self, number: u8) -> Option<&[u8]> {
        let found = self.options.iter().find(|(own, _)| *own == number);
        found.map(|(_, value)| value.as_slice())
    }

    /// The address in an option.
    pub(super) fn option_ip(&self, number: u8) -> Option<Ipv4Addr> {
        let octets: [u8; 4] = self.option(number)?.try_into().ok()?;
        Some(octets.into())
    }

    /// The type of the message.
    pub(super) fn kind(&self) -> Option<Kind> {
        let [number] = self.option(option::KIND)? else { return None };
        Kind::ALL.into_iter().find(|kind| *kind as u8 == *number)
    }

    /// Whether the client asks for an option.
    pub(super) fn wants(&self, number: u8) -> bool {
        self.option(option::WANTED).is_some_and(|wanted| wanted.contains(&number))
    }

    /// Whether the client can only receive broadcasts.
    pub(super) fn wants_broadcast(&self) -> bool {
        self.flags & 0x8000 != 0
    }
}

/// Options up to their end; a packet may end without one.
fn options(bytes: &[u8]) -> Option<Vec<(u8, Vec<u8>)>> {
    let mut out: Vec<(u8, Vec<u8>)> = Vec::new();
    let mut rest = bytes;
    loop {
        match rest {
            [] | [255, ..] => return Some(out),
            [0, after @ ..] => rest = after,
            [number, length, after @ ..] => {
                let (value, after) = after.split_at_checked(usize::from(*length))?;
                match out.iter_mut().find(|(own, _)| own == number) {
                    Some((_, whole)) => whole.extend(value),
                    None => out.push((*number, value.to_vec())),
                }
                rest = after;
            }
            [_] => return None,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A message of the client with this last byte in its address.
    pub(in super::super) fn says(kind: Kind, client: u8) -> Message {
        let none = Ipv4Addr::UNSPECIFIED;
        Message {
            is_request: true,
            hardware: 1,
            hops: 0,
            exchange: [1, 2, 3, 4],
            seconds: 0,
            flags: 0,
            client: none,
            yours: none,
            next: none,
            relay: none,
            address: vec![2, 0, 0, 0, 0, client],
            options: vec![(option::KIND, vec![kind as u8])],
        }
    }

    #[test]
    fn a_message_is_what_it_was() {
        let mut message = says(Kind::Request, 7);
        message.options.push((option::WANTED, vec![1, 3, 6]));
        message.options.push((option::BOOT_FILE, vec![b'x'; 600]));
        message.options.push((option::CLIENT, Vec::new()));
        let bytes = message.bytes();
        assert_eq!(Message::parse(&bytes), Some(message.clone()));
        assert!(message.wants(6) && !message.wants(66));
        assert_eq!(message.kind(), Some(Kind::Request));
        assert_eq!(says(Kind::Discover, 1).bytes().len(), MIN_LENGTH);
    }

    #[test]
    fn invalid_messages_are_ignored() {
        let whole = says(Kind::Discover, 1).bytes();
        for end in 0..240 {
            assert_eq!(Message::parse(&whole[..end]), None, "{end}");
        }
        for (at, byte) in [(0, 3), (2, 17), (236, 0), (241, 200)] {
            let mut wrong = whole.clone();
            wrong[at] = byte;
            assert_eq!(Message::parse(&wrong), None, "{at}");
        }
    }
}
