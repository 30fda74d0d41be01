//! Certificates whose keys the authority generates, for servers and administrators.

use std::net::IpAddr;
use std::time::Duration;

use crate::authority::{CertificateAuthority, Issue};
use crate::certificate::Certificate;
use crate::extension::{self, AltNames};
use crate::key::{KeyAlgorithm, SigningKey};
use crate::{CaError, Certname, key, oid, policy};

/// The options of a certificate with a new key.
#[derive(Debug, Clone, Default)]
pub struct GenerateOptions {
    /// The key algorithm.
    pub key: KeyAlgorithm,
    /// Subject alternative names: `name`, `DNS:name` or `IP:address`. The certname is always
    /// included.
    pub alt_names: Vec<String>,
    /// Extensions below Puppet's OIDs: short name or OID, and text.
    pub extensions: Vec<(String, String)>,
    /// Lets the owner administrate the authority (`pp_cli_auth`).
    pub admin: bool,
    /// The validity period; `None` for that of the settings.
    pub ttl: Option<Duration>,
    /// The treatment of an existing certificate of the name.
    pub existing: Existing,
}

/// The treatment of an existing certificate of a name that gets another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// The call fails.
    #[default]
    Refuse,
    /// It is revoked.
    Revoke,
    /// It stays valid beside the new one.
    Keep,
}

/// A certificate with its private key. The authority does not store the key.
#[derive(Clone)]
pub struct Generated {
    /// The private key as PEM text.
    pub key_pem: String,
    /// The public key as PEM text.
    pub public_key_pem: String,
    /// The certificate.
    pub certificate: Certificate,
}

impl std::fmt::Debug for Generated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generated").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl CertificateAuthority {
    /// Generates a key and a certificate for a name.
    ///
    /// # Errors
    /// The name or an option is invalid, or the name already has a certificate or a request.
    pub fn generate(&self, name: &str, options: &GenerateOptions) -> Result<Generated, CaError> {
        let name = Certname::new(name)?;
        let alt_names = parse_alt_names(&options.alt_names)?;
        let own = own_extensions(options)?;
        let ttl = options.ttl.unwrap_or(self.settings.ttl);
        // Generating an RSA key takes seconds, so the lock is not held.
        let (signing, key_pem) = SigningKey::generate(options.key)?;
        let lock = self.directory.lock()?;
        match options.existing {
            Existing::Refuse => self.refuse_duplicate(&name)?,
            Existing::Revoke => self.revoke_all_of(&lock, &[&name])?,
            Existing::Keep => {}
        }
        let key_id = key::key_id(signing.public());
        let extensions = policy::for_new_key(&name, alt_names, own, &key_id, self.certificate())?;
        let public_key = signing.public();
        let certificate = self.issue(&lock, Issue { name: &name, ttl, public_key, extensions })?;
        Ok(Generated { key_pem, public_key_pem: key::public_pem(public_key)?, certificate })
    }
}

/// Reads subject alternative names.
fn parse_alt_names(names: &[String]) -> Result<AltNames, CaError> {
    let mut parsed = AltNames::default();
    for name in names {
        if let Some(address) = name.strip_prefix("IP:") {
            let ip = address.parse::<IpAddr>();
            let bad = |_| CaError::Disallowed(format!("'{address}' is not an IP address"));
            parsed.ip.push(ip.map_err(bad)?);
        } else {
            let dns = name.strip_prefix("DNS:").unwrap_or(name);
            parsed.dns.push(dns.to_string());
        }
    }
    policy::check_alt_name_forms(&parsed)?;
    Ok(parsed)
}

fn own_extensions(options: &GenerateOptions) -> Result<Vec<x509_cert::ext::Extension>, CaError> {
    let mut made = Vec::new();
    for (name, value) in &options.extensions {
        let id = oid::parse(name).filter(|id| oid::arc(id).is_some());
        let unknown = || CaError::Disallowed(format!("'{name}' is not an extension of Puppet's"));
        let id = id.ok_or_else(unknown)?;
        if made.iter().any(|e: &x509_cert::ext::Extension| e.extn_id == id) {
            return Err(CaError::Disallowed(format!("the extension {name} is there twice")));
        }
        made.push(extension::text(id, value)?);
    }
    if options.admin && !made.iter().any(|e| e.extn_id == oid::CLI_AUTH) {
        made.push(extension::text(oid::CLI_AUTH, "true")?);
    }
    Ok(made)
}
