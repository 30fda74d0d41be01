//! Errors of the authority, and their kinds for callers that answer network requests.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why the authority refuses a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaError {
    /// A name is not a certname.
    #[error("'{name}' is not a valid certname: {reason}")]
    InvalidName {
        /// The name, cut to 80 characters.
        name: String,
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// The subject of a request differs from the name that the request was sent for.
    #[error("Instance name \"{subject}\" does not match requested key \"{name}\"")]
    NameMismatch {
        /// The common name in the request.
        subject: String,
        /// The name that the request was sent for.
        name: String,
    },
    /// A text is not a certificate signing request.
    #[error("the certificate request cannot be read: {0}")]
    MalformedRequest(String),
    /// A text is not a certificate.
    #[error("the certificate cannot be read: {0}")]
    MalformedCertificate(String),
    /// The signature of a request was not made with its key.
    #[error("CSR contains a public key that does not correspond to the signing key")]
    InvalidSignature,
    /// A signature is not of the message, or not of the key.
    #[error("the signature is wrong")]
    WrongSignature,
    /// A key is too short, or of an algorithm that is not supported.
    #[error("the key is not accepted: {0}")]
    UnsupportedKey(String),
    /// A request has extensions or names that the policy does not allow.
    #[error("{0}")]
    Disallowed(String),
    /// The name already has a certificate or a request.
    #[error("{name} already has a {state} certificate; ignoring certificate request")]
    Duplicate {
        /// The name.
        name: String,
        /// `requested`, `signed` or `revoked`.
        state: &'static str,
    },
    /// Too many requests are pending.
    #[error("too many certificate requests wait; remove some with `ordain ca clean`")]
    TooManyRequests,
    /// The name has no request.
    #[error("no certificate request for {0}")]
    NoRequest(String),
    /// The name has no certificate.
    #[error("no certificate for {0}")]
    NoCertificate(String),
    /// A revoked certificate cannot be renewed.
    #[error("the certificate of {0} is revoked")]
    Revoked(String),
    /// An expired certificate cannot be renewed.
    #[error("the certificate of {0} is not valid at this time")]
    NotValidNow(String),
    /// Renewal by agents is turned off.
    #[error("certificate renewal is not enabled")]
    RenewalDisabled,
    /// This authority did not issue a certificate.
    #[error("the certificate of {0} was not issued by this authority")]
    ForeignCertificate(String),
    /// A validity period is not between one second and fifty years.
    #[error("a validity of {0} seconds is not between 1 and 1576800000")]
    InvalidTtl(i64),
    /// An autosign command could not be run.
    #[error("the autosign command {} failed: {reason}", path.display())]
    Autosign {
        /// The command.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Certificates, keys or revocation lists do not belong together.
    #[error("{0}")]
    Mismatch(String),
    /// There is an authority already.
    #[error("{} already has a certificate authority", .0.display())]
    Exists(PathBuf),
    /// The target directory of a copy is not empty.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// Files of an authority are missing.
    #[error(
        "{} is not a complete certificate authority; missing: {}",
        dir.display(),
        missing.join(", ")
    )]
    Incomplete {
        /// The directory.
        dir: PathBuf,
        /// Names of the missing files.
        missing: Vec<&'static str>,
    },
    /// A file of the authority has unexpected content.
    #[error("{} cannot be used: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A key or a structure could not be encoded.
    #[error("cannot make the {0}")]
    Encoding(&'static str),
}

/// The category of an error. A server derives a status code from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is wrong (400).
    Invalid,
    /// The caller may not do this (403).
    Forbidden,
    /// There is no such certificate, request or feature (404).
    NotFound,
    /// The current state of the name forbids the call (409).
    Conflict,
    /// The authority itself failed (500).
    Internal,
}

impl CaError {
    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidName { .. }
            | Self::NameMismatch { .. }
            | Self::MalformedRequest(_)
            | Self::MalformedCertificate(_)
            | Self::InvalidSignature
            | Self::WrongSignature
            | Self::UnsupportedKey(_)
            | Self::Disallowed(_)
            | Self::Duplicate { .. }
            | Self::InvalidTtl(_)
            | Self::Mismatch(_) => ErrorKind::Invalid,
            Self::Revoked(_) | Self::NotValidNow(_) | Self::ForeignCertificate(_) => {
                ErrorKind::Forbidden
            }
            Self::NoRequest(_) | Self::NoCertificate(_) | Self::RenewalDisabled => {
                ErrorKind::NotFound
            }
            Self::Exists(_) | Self::NotEmpty(_) | Self::TooManyRequests => ErrorKind::Conflict,
            Self::Autosign { .. }
            | Self::Incomplete { .. }
            | Self::Damaged { .. }
            | Self::Io { .. }
            | Self::Encoding(_) => ErrorKind::Internal,
        }
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_path_buf(), reason: reason.into() }
    }
}
