//! Addresses of stores: `etcd://HOST:PORT,HOST:PORT/PREFIX`, `etcds://…`, `https://HOST:PORT`.

use std::path::PathBuf;

use ordain_graph::shared::SharedStoreError;

use crate::tls::TlsFiles;

/// The address of a store.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) scheme: String,
    /// The servers, each as `HOST:PORT`.
    pub(super) servers: Vec<String>,
    /// The path without slashes at its ends.
    pub(super) path: String,
    pub(super) tls: TlsFiles,
}

impl Address {
    /// Parses an address.
    ///
    /// # Errors
    /// When it is invalid.
    pub(super) fn parse(text: &str, port: &str) -> Result<Self, SharedStoreError> {
        let refused = |what: &str| SharedStoreError::Refused(format!("`{text}` {what}"));
        let (scheme, rest) = text.split_once("://").ok_or_else(|| refused("is no address"))?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (servers, path) = rest.split_once('/').unwrap_or((rest, ""));
        let mut found = Self {
            scheme: scheme.to_owned(),
            servers: Vec::new(),
            path: path.trim_matches('/').to_owned(),
            tls: TlsFiles::default(),
        };
        for server in servers.split(',') {
            if server.is_empty() || server.contains(|c: char| c.is_whitespace() || c == '@') {
                return Err(refused("names no server as HOST:PORT"));
            }
            let has_port = server.rsplit_once(':').is_some_and(|(host, port)| {
                port.parse::<u16>().is_ok() && (!host.contains(':') || host.ends_with(']'))
            });
            let server = if has_port { server.to_owned() } else { format!("{server}:{port}") };
            found.servers.push(server);
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let file = Some(PathBuf::from(value)).filter(|_| !value.is_empty());
            match name {
                "ca" => found.tls.ca = file,
                "cert" => found.tls.cert = file,
                "key" => found.tls.key = file,
                _ => return Err(refused("has another parameter than `ca`, `cert` and `key`")),
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_name_servers_and_files() {
        let found = Address::parse("etcds://a,b:1,[::1]/x/?ca=/ca.pem", "2379").unwrap();
        assert_eq!(found.servers, ["a:2379", "b:1", "[::1]:2379"]);
        assert_eq!((found.scheme.as_str(), found.path.as_str()), ("etcds", "x"));
        assert_eq!(found.tls.ca, Some(PathBuf::from("/ca.pem")));
        for wrong in ["a", "etcd://", "etcd://a,,b", "etcd://u@h", "etcd://a?insecure=1"] {
            assert!(Address::parse(wrong, "2379").is_err(), "{wrong}");
        }
    }
}
