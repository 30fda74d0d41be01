//! The headers of passed requests and replies.

use hyper::HeaderMap;
use hyper::header::{self, HeaderName, HeaderValue};

use crate::identity::Identity;

/// The headers that are about one connection only (RFC 9110, section 7.6.1).
const OF_CONNECTION: [&str; 9] = [
    "connection",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];

/// Removes the headers that are about one connection only.
pub(super) fn remove_of_connection(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in OF_CONNECTION {
        headers.remove(name);
    }
    headers.remove(header::TRANSFER_ENCODING);
}

/// Replaces the client's own claims about its identity with that of its certificate, in the headers
/// that puppetserver reads with `allow-header-cert-info`.
pub(super) fn set_identity(headers: &mut HeaderMap, identity: Option<&Identity>) {
    // A proxy in front of the old server may take an underscore for a dash.
    let is_claim = |name: &HeaderName| name.as_str().replace('_', "-").starts_with("x-client-");
    let claims: Vec<HeaderName> = headers.keys().filter(|name| is_claim(name)).cloned().collect();
    for name in claims {
        headers.remove(name);
    }
    let mut set = |name: &'static str, value: &str| {
        // The values are ASCII: a certname, and percent escapes.
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    match identity {
        Some(identity) => {
            set("x-client-verify", "SUCCESS");
            set("x-client-dn", &format!("CN={}", identity.name));
            set("x-client-cert", &percent(&identity.certificate.pem()));
        }
        None => set("x-client-verify", "NONE"),
    }
}

fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_connection_end_with_it() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, x-mine"),
            ("x-mine", "1"),
            ("transfer-encoding", "chunked"),
            ("te", "trailers"),
            ("accept", "a"),
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        remove_of_connection(&mut headers);
        let left: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(left, ["accept"]);
    }

    #[test]
    fn clients_cannot_claim_an_identity() {
        let mut headers = HeaderMap::new();
        for name in ["x-client-dn", "x_client_dn", "x-client_verify", "x-client-cert", "x-other"] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static("SUCCESS"));
        }
        headers.append("x-client-dn", HeaderValue::from_static("CN=other"));
        set_identity(&mut headers, None);
        let left: Vec<(&str, &[u8])> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(left, [("x-other", &b"SUCCESS"[..]), ("x-client-verify", b"NONE")]);
    }
}
