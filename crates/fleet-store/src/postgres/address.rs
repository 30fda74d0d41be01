//! The TLS parameters in the address of a database.
//!
//! The names and values are those of libpq (PostgreSQL manual, section 34.1.2). The client library
//! knows only some of them, so the others are taken out of the address.

use std::path::PathBuf;

use crate::error::FleetStoreError;

/// How a connection is protected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Disable,
    /// TLS if the server supports it, with any certificate.
    Prefer,
    /// TLS with any certificate.
    Require,
    /// TLS with a certificate of a known authority.
    VerifyCa,
    /// TLS with a certificate of a known authority for the name of the host.
    VerifyFull,
}

impl Mode {
    fn parse(text: &str) -> Result<Self, FleetStoreError> {
        Ok(match text {
            "disable" => Self::Disable,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            other => {
                return Err(FleetStoreError::failed(format!(
                    "sslmode is {other:?}; it can be disable, prefer, require, verify-ca or \
                     verify-full"
                )));
            }
        })
    }

    /// The mode in the terms of the client library, which leaves verification to its caller.
    fn for_library(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Prefer => "prefer",
            Self::Require | Self::VerifyCa | Self::VerifyFull => "require",
        }
    }
}

/// The TLS parameters of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TlsParameters {
    pub(super) mode: Mode,
    /// The file with the certificates of trusted authorities.
    pub(super) root: Option<PathBuf>,
    /// The file with the client's certificate.
    pub(super) certificate: Option<PathBuf>,
    /// The file with the client's key.
    pub(super) key: Option<PathBuf>,
}

/// Collects the parameters while an address is read.
#[derive(Default)]
struct Found {
    mode: Option<Mode>,
    root: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

impl Found {
    /// Takes a parameter. Returns `false` if the client library has to read it.
    fn take(&mut self, name: &str, value: &str) -> Result<bool, FleetStoreError> {
        match name {
            "sslmode" => self.mode = Some(Mode::parse(value)?),
            "sslrootcert" => self.root = Some(value.into()),
            "sslcert" => self.certificate = Some(value.into()),
            "sslkey" => self.key = Some(value.into()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<TlsParameters, FleetStoreError> {
        // An authority without a mode means that the server shall be verified.
        let default = if self.root.is_some() { Mode::VerifyFull } else { Mode::Prefer };
        let mode = self.mode.unwrap_or(default);
        let verifies = matches!(mode, Mode::VerifyCa | Mode::VerifyFull);
        if verifies && self.root.is_none() {
            let text = "sslmode=verify-ca and verify-full need sslrootcert, the file with the \
                        certificates of the authority";
            return Err(FleetStoreError::failed(text));
        }
        if self.certificate.is_some() != self.key.is_some() {
            return Err(FleetStoreError::failed("sslcert and sslkey are needed together"));
        }
        let Self { root, certificate, key, .. } = self;
        Ok(TlsParameters { mode, root, certificate, key })
    }
}

/// Splits an address into the one for the client library and the TLS parameters.
///
/// # Errors
/// When a parameter has an unknown value, or lacks another one. Other mistakes are left to the
/// client library.
pub(super) fn split(address: &str) -> Result<(String, TlsParameters), FleetStoreError> {
    match address.starts_with("postgres://") || address.starts_with("postgresql://") {
        true => split_url(address),
        false => split_pairs(address),
    }
}

fn split_url(address: &str) -> Result<(String, TlsParameters), FleetStoreError> {
    let (base, query) = address.split_once('?').unwrap_or((address, ""));
    let mut found = Found::default();
    let mut rest: Vec<String> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !found.take(name, &percent_decoded(value))? {
            rest.push(pair.to_string());
        }
    }
    let parameters = found.finish()?;
    rest.push(format!("sslmode={}", parameters.mode.for_library()));
    Ok((format!("{base}?{}", rest.join("&")), parameters))
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        let code = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (byte, code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn split_pairs(address: &str) -> Result<(String, TlsParameters), FleetStoreError> {
    let mut found = Found::default();
    let mut rest: Vec<String> = Vec::new();
    let Some(pairs) = pairs(address) else {
        // The client library names the mistake in the address.
        return Ok((address.to_string(), found.finish()?));
    };
    for (name, value) in pairs {
        if !found.take(&name, &value)? {
            let value = value.replace('\\', "\\\\").replace('\'', "\\'");
            rest.push(format!("{name}='{value}'"));
        }
    }
    let parameters = found.finish()?;
    rest.push(format!("sslmode={}", parameters.mode.for_library()));
    Ok((rest.join(" "), parameters))
}

/// The pairs of `name=value name='value'`; `None` if the text has another form.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let mut chars = text.chars().peekable();
    let mut out = Vec::new();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        if chars.peek().is_none() {
            return Some(out);
        }
        let mut name = String::new();
        while let Some(c) = chars.next_if(|c| !c.is_whitespace() && *c != '=') {
            name.push(c);
        }
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        chars.next_if_eq(&'=')?;
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        let is_quoted = chars.next_if_eq(&'\'').is_some();
        let mut value = String::new();
        let is_closed = loop {
            match chars.peek() {
                None => break !is_quoted,
                Some(c) if !is_quoted && c.is_whitespace() => break true,
                Some(_) => {}
            }
            match chars.next()? {
                '\'' if is_quoted => break true,
                '\\' => value.push(chars.next()?),
                c => value.push(c),
            }
        };
        if !is_closed {
            return None;
        }
        out.push((name, value));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn parameters(mode: Mode, root: Option<&str>) -> TlsParameters {
        TlsParameters { mode, root: root.map(Into::into), certificate: None, key: None }
    }

    #[test]
    fn parameters_are_taken_out_of_urls() {
        let (rest, found) = split("postgres://u:p@db/o?application_name=x").unwrap();
        assert_eq!(rest, "postgres://u:p@db/o?application_name=x&sslmode=prefer");
        assert_eq!(found, parameters(Mode::Prefer, None));

        let url = "postgresql://db/o?sslmode=verify-ca&sslrootcert=/a%20b/ca.pem&connect_timeout=3";
        let (rest, found) = split(url).unwrap();
        assert_eq!(rest, "postgresql://db/o?connect_timeout=3&sslmode=require");
        assert_eq!(found, parameters(Mode::VerifyCa, Some("/a b/ca.pem")));

        let (rest, found) = split("postgres://db/o?sslrootcert=ca.pem").unwrap();
        assert_eq!(rest, "postgres://db/o?sslmode=require");
        assert_eq!(found, parameters(Mode::VerifyFull, Some("ca.pem")));
    }

    #[test]
    fn parameters_are_taken_out_of_pairs() {
        let text = r"host = db password='a \'b\\' sslmode=verify-full sslrootcert='/a b/ca.pem'";
        let (rest, found) = split(text).unwrap();
        assert_eq!(rest, r"host='db' password='a \'b\\' sslmode=require");
        assert_eq!(found, parameters(Mode::VerifyFull, Some("/a b/ca.pem")));
        let (rest, _) = split("host=db sslmode=disable").unwrap();
        assert_eq!(rest, "host='db' sslmode=disable");
        for malformed in ["host", "host='db", "host=a\\"] {
            assert_eq!(split(malformed).unwrap().0, malformed);
        }
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for (address, message) in [
            ("postgres://db/o?sslmode=verify", "sslmode is \"verify\""),
            ("host=db sslmode=verify-full", "need sslrootcert"),
            ("host=db sslcert=a.pem", "sslcert and sslkey are needed together"),
        ] {
            let error = split(address).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
