//! The policy for requests, and the extensions of new certificates.

use x509_cert::ext::Extension;

use crate::certificate::Certificate;
use crate::extension::{self as make, AltNames};
use crate::oid::Arc;
use crate::request::CertificateRequest;
use crate::{CaError, Certname, key, oid};

/// Whether a request may have alternative names and authorization extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    pub(crate) alt_names: bool,
    pub(crate) authorization: bool,
}

/// Checks the extensions of a request against the policy.
///
/// # Errors
/// [`CaError::Disallowed`]; the agent shows its text to the user.
pub(crate) fn check(
    name: &Certname,
    request: &CertificateRequest,
    allowed: Allowed,
) -> Result<(), CaError> {
    check_kinds(request)?;
    let names = AltNames::read(request.extensions())
        .map_err(|e| CaError::MalformedRequest(format!("subject alternative names: {e}")))?;
    check_alt_names(name, &names, allowed.alt_names)?;
    let grants = request.authorization_extensions();
    if !grants.is_empty() && !allowed.authorization {
        let names: Vec<&str> = grants.iter().map(|(name, _)| name.as_str()).collect();
        return Err(CaError::Disallowed(format!(
            "CSR '{name}' contains authorization extensions ({}), which are disallowed",
            names.join(", ")
        )));
    }
    Ok(())
}

/// Refuses unknown and repeated extensions.
pub(crate) fn check_kinds(request: &CertificateRequest) -> Result<(), CaError> {
    let mut refused = Vec::new();
    for (at, extension) in request.extensions().iter().enumerate() {
        let id = extension.extn_id;
        let is_allowed = match oid::arc(&id) {
            Some(Arc::Registered | Arc::Private) => true,
            Some(Arc::Authorization) => id != oid::CLI_AUTH,
            None => id == oid::SUBJECT_ALT_NAME,
        };
        if !is_allowed {
            refused.push(oid::name_of(&id));
        }
        if request.extensions().iter().take(at).any(|e| e.extn_id == id) {
            let name = oid::name_of(&id);
            return Err(CaError::MalformedRequest(format!("it has the extension {name} twice")));
        }
    }
    if refused.is_empty() {
        return Ok(());
    }
    let list = refused.join(", ");
    Err(CaError::Disallowed(format!("Found extensions that are not permitted: {list}")))
}

fn check_alt_names(name: &Certname, names: &AltNames, allowed: bool) -> Result<(), CaError> {
    let own = format!("DNS:{name}");
    let extra: Vec<String> = names.labelled().into_iter().filter(|n| *n != own).collect();
    if !allowed && !extra.is_empty() {
        return Err(CaError::Disallowed(format!(
            "CSR '{name}' contains extra subject alternative names ({}), which are disallowed",
            extra.join(", ")
        )));
    }
    check_alt_name_forms(names)
}

/// Refuses alternative names that no certificate may have.
pub(crate) fn check_alt_name_forms(names: &AltNames) -> Result<(), CaError> {
    if names.others {
        return Err(CaError::Disallowed(
            "only DNS and IP names are allowed in the subject alternative names".into(),
        ));
    }
    for dns in &names.dns {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if dns.contains('*') {
            return Err(CaError::Disallowed(format!(
                "Cert subjectAltName contains a wildcard, which is not allowed: {dns}"
            )));
        }
        if dns.is_empty() || dns.len() > 253 || !dns.chars().all(allowed) {
            return Err(CaError::Disallowed(format!("'{}' is not a DNS name", dns.escape_debug())));
        }
    }
    Ok(())
}

/// The extensions of every node certificate.
fn base(issuer: &Certificate, key_id: &[u8]) -> Result<Vec<Extension>, CaError> {
    Ok(vec![
        make::comment()?,
        make::authority_key_id(&issuer.key_id())?,
        make::basic_constraints(false)?,
        make::extended_key_usage()?,
        make::node_key_usage()?,
        make::subject_key_id(key_id)?,
    ])
}

/// The extensions of the certificate for a request: those of every node, the alternative names
/// including the certname, and the requested ones below Puppet's OIDs.
pub(crate) fn for_request(
    name: &Certname,
    request: &CertificateRequest,
    issuer: &Certificate,
) -> Result<Vec<Extension>, CaError> {
    let mut extensions = base(issuer, &key::key_id(request.public_key()))?;
    let names = AltNames::read(request.extensions()).unwrap_or_default();
    extensions.push(with_own_name(name, names).to_extension()?);
    let requested = request.extensions().iter().filter(|e| oid::arc(&e.extn_id).is_some());
    // TLS peers would refuse a certificate with an unknown critical extension.
    extensions.extend(requested.map(|e| Extension { critical: false, ..e.clone() }));
    Ok(extensions)
}

/// The extensions of a certificate whose key the authority generates.
pub(crate) fn for_new_key(
    name: &Certname,
    names: AltNames,
    own: Vec<Extension>,
    key_id: &[u8],
    issuer: &Certificate,
) -> Result<Vec<Extension>, CaError> {
    let mut extensions = base(issuer, key_id)?;
    extensions.push(with_own_name(name, names).to_extension()?);
    extensions.extend(own);
    Ok(extensions)
}

/// The extensions of a renewed certificate: the old ones, with new key identifiers.
pub(crate) fn for_renewal(
    old: &Certificate,
    issuer: &Certificate,
) -> Result<Vec<Extension>, CaError> {
    let mut extensions = vec![
        make::authority_key_id(&issuer.key_id())?,
        make::subject_key_id(&key::key_id(old.public_key()))?,
    ];
    let others = old
        .extensions()
        .iter()
        .filter(|e| e.extn_id != oid::AUTHORITY_KEY_ID && e.extn_id != oid::SUBJECT_KEY_ID);
    extensions.extend(others.cloned());
    Ok(extensions)
}

fn with_own_name(name: &Certname, mut names: AltNames) -> AltNames {
    if !names.dns.iter().any(|dns| dns == name.as_str()) {
        names.dns.push(name.as_str().to_string());
    }
    names
}
