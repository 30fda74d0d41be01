//! A certificate authority for a fleet of agents.
//!
//! The authority is a directory with the layout of puppetserver's `ssl/ca`, so each program can
//! take over from the other. It signs, renews and revokes certificates of nodes by the rules of
//! puppetserver; see `docs/ca.md`. The crate does no network I/O.
//!
//! # Examples
//! ```
//! use ordain_ca::{CertificateAuthority, CreateOptions, Settings};
//!
//! let dir = tempfile::tempdir()?;
//! let ca = CertificateAuthority::create(
//!     &dir.path().join("ca"),
//!     &CreateOptions::default(),
//!     Settings::default(),
//! )?;
//! assert!(ca.bundle_pem().starts_with("-----BEGIN CERTIFICATE-----"));
//! assert!(ca.certificate_pem("web.example.org")?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::indexing_slicing)]

mod authority;
mod autosign;
mod certificate;
mod certname;
mod chain;
mod crl;
mod directory;
mod error;
mod extension;
mod generate;
mod identity;
mod import;
mod infra;
mod inventory;
mod key;
mod node;
mod oid;
mod pem;
mod policy;
mod renew;
mod renew_authority;
mod request;
mod requests;
mod revoke;
mod serial;
mod settings;
mod signed;
mod status;
mod time;

pub use authority::{CertificateAuthority, CrlText};
pub use certificate::Certificate;
pub use certname::Certname;
pub use crl::RevokedSet;
pub use error::{CaError, ErrorKind};
pub use generate::{Existing, GenerateOptions, Generated};
pub use identity::NodeIdentity;
pub use import::ImportFiles;
pub use key::KeyAlgorithm;
pub use node::{NodeKey, TrustedAuthority};
pub use request::CertificateRequest;
pub use requests::{SignResult, Submission};
pub use revoke::RevokeResult;
pub use serial::Serial;
pub use settings::{Autosign, CreateOptions, Settings, SignOptions, parse_ttl};
pub use status::{
    CertificateDetails, CertificateState, CertificateStatus, Expirations, Fingerprints,
};
pub use time::{Clock, format_time, system_clock};
