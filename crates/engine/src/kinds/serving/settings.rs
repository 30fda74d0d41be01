//! Settings of a server, and the contract of a running one.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crate::kind::{Level, LogLine, LogSource};

/// A server that runs until it is dropped, which frees its address.
pub(in crate::kinds) trait RunningServer<S = Settings>: Send {
    /// Its address.
    fn address(&self) -> SocketAddr;

    /// Its settings, if it still runs.
    fn settings(&self) -> Option<&S>;
}

/// The settings of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) struct Settings {
    /// The address that it listens on, as written.
    pub(in crate::kinds) address: String,
    /// The timeout for receiving a request.
    pub(in crate::kinds) read: Duration,
    /// The timeout for each write of an answer.
    pub(in crate::kinds) write: Duration,
    /// A directory that it serves in addition to the routes.
    pub(in crate::kinds) root: Option<PathBuf>,
}

/// The log line of a run that ends and so cannot serve.
pub(in crate::kinds) fn only_in_watch(what: &str) -> LogLine {
    let message = format!("{what} only during `ordain watch`");
    LogLine { level: Some(Level::Notice), source: LogSource::Resource, message }
}

/// The socket addresses of an address; without a host, all of this machine.
pub(in crate::kinds) fn parse_address(text: &str) -> Result<(Option<IpAddr>, u16), String> {
    let wrong = || format!("the address is in an invalid format: {text}");
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port = port.parse().map_err(|_| wrong())?;
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = match (inner, host) {
        (_, "") => None,
        (Some(inner), _) => Some(IpAddr::V6(inner.parse().map_err(|_| wrong())?)),
        (None, host) => Some(IpAddr::V4(host.parse().map_err(|_| wrong())?)),
    };
    Ok((host, port))
}

/// Binds a socket to an address.
pub(in crate::kinds) fn bound<T>(
    address: &str,
    bind: impl Fn(SocketAddr) -> io::Result<T>,
) -> io::Result<T> {
    let (host, port) = parse_address(address).map_err(io::Error::other)?;
    match host {
        Some(host) => bind((host, port).into()),
        // A socket for IPv6 also serves IPv4.
        None => bind((Ipv6Addr::UNSPECIFIED, port).into())
            .or_else(|_| bind((Ipv4Addr::UNSPECIFIED, port).into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_port() {
        assert_eq!(parse_address(":80"), Ok((None, 80)));
        assert_eq!(parse_address("127.0.0.1:80"), Ok((Some(Ipv4Addr::LOCALHOST.into()), 80)));
        assert_eq!(parse_address("[::1]:80"), Ok((Some(Ipv6Addr::LOCALHOST.into()), 80)));
        for bad in ["", "80", "127.0.0.1", "::1:80", "localhost:80", ":65536", "[1.2.3.4]:1"] {
            assert!(parse_address(bad).is_err(), "{bad}");
        }
    }
}
