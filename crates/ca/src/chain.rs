//! Checks that the certificates, keys and revocation lists of a chain belong together.

use jiff::Timestamp;
use x509_cert::ext::pkix::KeyUsage;

use crate::CaError;
use crate::certificate::{Certificate, name_der};
use crate::crl::RevocationList;
use crate::key::SignatureFault;

/// The largest number of authorities in a chain.
const MAX_DEPTH: usize = 16;

/// The chain from an authority to its self-signed root.
///
/// # Errors
/// [`CaError::Mismatch`]: a certificate is missing, expired, or not that of an authority, or a
/// signature is wrong.
pub(crate) fn to_root(
    first: &Certificate,
    others: &[Certificate],
    now: Timestamp,
) -> Result<Vec<Certificate>, CaError> {
    let mut path = vec![first.clone()];
    loop {
        let Some(last) = path.last() else { return Ok(path) };
        check_authority(last, now)?;
        if last.is_self_issued() {
            return check_root(last).map(|()| path);
        }
        if path.len() == MAX_DEPTH {
            return Err(CaError::Mismatch("the chain of certificates is too long".into()));
        }
        let issuer = find_issuer(last, others)?;
        path.push(issuer.clone());
    }
}

/// Checks the revocation lists of a chain: each authority needs a list that it signed and that is
/// valid now, and no authority of the chain may be revoked.
///
/// # Errors
/// [`CaError::Mismatch`].
pub(crate) fn check_lists(
    path: &[Certificate],
    lists: &[RevocationList],
    now: Timestamp,
) -> Result<(), CaError> {
    for authority in path {
        let name = describe(authority);
        let list = list_of(authority, lists)?;
        let list = list
            .ok_or_else(|| CaError::Mismatch(format!("there is no revocation list of {name}")))?;
        if list.is_delta() {
            return Err(CaError::Mismatch("delta revocation lists are not supported".into()));
        }
        let is_old = list.next_update().is_some_and(|at| at < now);
        if is_old || list.this_update() > now {
            return Err(CaError::Mismatch(format!(
                "the revocation list of {name} is not valid at this time"
            )));
        }
        for below in path.iter().filter(|c| c.issuer_der() == list.issuer_der()) {
            if list.serials().any(|serial| serial == below.serial()) {
                return Err(CaError::Mismatch(format!("{} is revoked", describe(below))));
            }
        }
    }
    Ok(())
}

/// The list that an authority signed.
fn list_of<'a>(
    authority: &Certificate,
    lists: &'a [RevocationList],
) -> Result<Option<&'a RevocationList>, CaError> {
    let mut refused = None;
    for list in lists.iter().filter(|l| l.issuer_der() == name_der(authority.subject())) {
        match list.verify_issued_by(authority) {
            Ok(()) => return Ok(Some(list)),
            Err(fault) => refused = Some(fault),
        }
    }
    match refused {
        None => Ok(None),
        Some(fault) => Err(fault_of(fault, "revocation list", authority)),
    }
}

fn find_issuer<'a>(of: &Certificate, among: &'a [Certificate]) -> Result<&'a Certificate, CaError> {
    let mut refused = None;
    for candidate in among {
        if of.issuer_der() != name_der(candidate.subject()) {
            continue;
        }
        match of.verify_issued_by(candidate) {
            Ok(()) => return Ok(candidate),
            Err(fault) => refused = Some(fault),
        }
    }
    Err(match refused {
        Some(fault) => fault_of(fault, "certificate", of),
        None => CaError::Mismatch(format!(
            "the bundle lacks the certificate of {}, which issued {}",
            of.issuer(),
            describe(of)
        )),
    })
}

fn fault_of(fault: SignatureFault, what: &str, of: &Certificate) -> CaError {
    let name = describe(of);
    CaError::Mismatch(match fault {
        SignatureFault::Wrong => format!("the {what} of {name} has a wrong signature"),
        SignatureFault::Unsupported(algorithm) => {
            format!("the {what} of {name} has a signature of an unsupported algorithm, {algorithm}")
        }
    })
}

/// Ignores an outdated signature algorithm: a root's own signature proves nothing.
fn check_root(root: &Certificate) -> Result<(), CaError> {
    match root.verify_issued_by(root) {
        Err(SignatureFault::Wrong) => Err(fault_of(SignatureFault::Wrong, "certificate", root)),
        Ok(()) | Err(SignatureFault::Unsupported(_)) => Ok(()),
    }
}

fn check_authority(certificate: &Certificate, now: Timestamp) -> Result<(), CaError> {
    let name = describe(certificate);
    if !certificate.is_ca() {
        return Err(CaError::Mismatch(format!("{name} is not a certificate authority")));
    }
    if let Ok(Some((_, usage))) = certificate.tbs().get::<KeyUsage>()
        && !(usage.key_cert_sign() && usage.crl_sign())
    {
        return Err(CaError::Mismatch(format!(
            "the key of {name} may not sign certificates and revocation lists"
        )));
    }
    if !certificate.is_valid_at(now) {
        return Err(CaError::Mismatch(format!("{name} is not valid at this time")));
    }
    Ok(())
}

fn describe(certificate: &Certificate) -> String {
    let name = certificate.common_name();
    name.map_or_else(|| certificate.subject().to_string(), |name| format!("'{name}'"))
}
