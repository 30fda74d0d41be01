//! UUIDs, mail addresses and URLs in pydantic's formats.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The limit for mail addresses, in bytes.
const MAX_EMAIL_LENGTH: usize = 2048;
/// Top-level domains without mail.
const SPECIAL_DOMAINS: &[&str] = &["arpa", "invalid", "local", "localhost", "onion", "test"];

pub(super) fn is_uuid(text: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    if text.len() == 32 {
        return is_hex(text);
    }
    let braced = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let head = text.get(..9).unwrap_or_default();
    let inner = match (braced, head.eq_ignore_ascii_case("urn:uuid:")) {
        (Some(inner), _) => inner,
        (None, true) => &text[9..],
        (None, false) => text,
    };
    let parts: Vec<&str> = inner.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [8, 4, 4, 4, 12] && parts.into_iter().all(is_hex)
}

/// The version of a UUID.
pub(super) fn uuid_version(text: &str) -> Option<u8> {
    if !is_uuid(text) {
        return None;
    }
    let body = text.get(9..).filter(|_| text[..4].eq_ignore_ascii_case("urn:")).unwrap_or(text);
    let version = body.chars().filter(char::is_ascii_hexdigit).nth(12)?;
    version.to_digit(16).and_then(|version| u8::try_from(version).ok())
}

/// Whether a text is a mail address, optionally with a name: `Name <address>`.
pub(super) fn is_email(text: &str) -> bool {
    if text.len() > MAX_EMAIL_LENGTH {
        return false;
    }
    let text = text.trim();
    let address = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((name, address)) => {
            let name = name.trim();
            let is_quoted = name.len() > 1 && name.starts_with('"') && name.ends_with('"');
            if !is_quoted && name.contains(['@', '<', '>', ',', '"', ';', ':', '(', ')', '[', ']'])
            {
                return false;
            }
            address.trim()
        }
        None => text,
    };
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    is_local_part(local) && is_mail_domain(domain)
}

fn is_local_part(local: &str) -> bool {
    let is_letter = |c: char| {
        c.is_ascii_alphanumeric()
            || "!#$%&'*+-/=?^_`{|}~".contains(c)
            || (!c.is_ascii() && !c.is_control() && !c.is_whitespace())
    };
    local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_letter))
}

fn is_mail_domain(domain: &str) -> bool {
    let domain = domain.to_lowercase();
    let labels: Vec<&str> = domain.split('.').collect();
    let Some(last) = labels.last() else { return false };
    let is_label = |label: &&str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    labels.len() > 1
        && domain.len() <= 254
        && labels.iter().all(is_label)
        && last.ends_with(|c: char| c.is_ascii_alphabetic() || !c.is_ascii())
        && !SPECIAL_DOMAINS.contains(last)
}

/// Whether a text is a URL with one of these schemes; any scheme is allowed if the list is empty.
pub(super) fn is_url(text: &str, schemes: &[&str]) -> bool {
    let text = text.trim_matches(|c: char| c <= ' ');
    let text: String = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let scheme = scheme.to_ascii_lowercase();
    if !is_scheme || !schemes.is_empty() && !schemes.contains(&scheme.as_str()) {
        return false;
    }
    let is_special = matches!(scheme.as_str(), "http" | "https" | "ws" | "wss" | "ftp");
    if is_special {
        let rest = rest.trim_start_matches(['/', '\\']);
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        return is_authority(&rest[..end], true);
    }
    match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let authority = &rest[..end];
            authority.is_empty() || is_authority(authority, scheme == "file")
        }
        None => true,
    }
}

fn is_authority(authority: &str, is_special: bool) -> bool {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host.rfind(':') {
        Some(at) if !host[at..].contains(']') => (&host[..at], &host[at + 1..]),
        _ => (host, ""),
    };
    let is_port = port.is_empty()
        || port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u32>().is_ok_and(|n| n < 65536);
    if !is_port || host.is_empty() {
        return false;
    }
    if let Some(inner) = host.strip_prefix('[') {
        return inner.strip_suffix(']').is_some_and(|text| text.parse::<Ipv6Addr>().is_ok());
    }
    let is_forbidden =
        |c: char| c.is_control() || " #/:<>?@[\\]^|".contains(c) || is_special && c == '%';
    !host.contains(is_forbidden) && (!is_special || is_numeric_host_fine(host))
}

/// Whether a host that ends in a number is a valid IPv4 address.
fn is_numeric_host_fine(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = |text: &str| {
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        !text.is_empty()
            && hex.map_or_else(
                || text.bytes().all(|b| b.is_ascii_digit()),
                |hex| hex.bytes().all(|b| b.is_ascii_hexdigit()),
            )
    };
    if !is_number(last) {
        return true;
    }
    if host.parse::<Ipv4Addr>().is_ok() {
        return true;
    }
    let parts: Vec<&str> = host.split('.').collect();
    let values: Option<Vec<u64>> = parts
        .iter()
        .map(|part| match part.get(..2).map(str::to_ascii_lowercase).as_deref() {
            Some("0x") => u64::from_str_radix(&part[2..], 16).or(Ok::<u64, ()>(0)).ok(),
            Some(head) if head.starts_with('0') => u64::from_str_radix(part, 8).ok(),
            _ => part.parse().ok(),
        })
        .collect();
    let Some((last, first)) = values.as_deref().and_then(<[u64]>::split_last) else {
        return false;
    };
    parts.len() <= 4
        && first.iter().all(|&value| value < 256)
        && *last < 256u64.pow(5 - parts.len() as u32)
}
