//! Object identifiers (OIDs), and the short names that Puppet gives to some.

use x509_cert::der::asn1::ObjectIdentifier as Oid;

const fn oid(text: &str) -> Oid {
    Oid::new_unwrap(text)
}

pub(crate) const COMMON_NAME: Oid = oid("2.5.4.3");
pub(crate) const NETSCAPE_COMMENT: Oid = oid("2.16.840.1.113730.1.13");
pub(crate) const SUBJECT_KEY_ID: Oid = oid("2.5.29.14");
pub(crate) const KEY_USAGE: Oid = oid("2.5.29.15");
pub(crate) const SUBJECT_ALT_NAME: Oid = oid("2.5.29.17");
pub(crate) const BASIC_CONSTRAINTS: Oid = oid("2.5.29.19");
pub(crate) const CRL_NUMBER: Oid = oid("2.5.29.20");
pub(crate) const CRL_REASON: Oid = oid("2.5.29.21");
pub(crate) const DELTA_CRL: Oid = oid("2.5.29.27");
pub(crate) const AUTHORITY_KEY_ID: Oid = oid("2.5.29.35");
pub(crate) const EXTENDED_KEY_USAGE: Oid = oid("2.5.29.37");
pub(crate) const SERVER_AUTH: Oid = oid("1.3.6.1.5.5.7.3.1");
pub(crate) const CLIENT_AUTH: Oid = oid("1.3.6.1.5.5.7.3.2");

pub(crate) const EXTENSION_REQUEST: Oid = oid("1.2.840.113549.1.9.14");
pub(crate) const CHALLENGE_PASSWORD: Oid = oid("1.2.840.113549.1.9.7");

pub(crate) const RSA_ENCRYPTION: Oid = oid("1.2.840.113549.1.1.1");
pub(crate) const SHA256_WITH_RSA: Oid = oid("1.2.840.113549.1.1.11");
pub(crate) const SHA384_WITH_RSA: Oid = oid("1.2.840.113549.1.1.12");
pub(crate) const SHA512_WITH_RSA: Oid = oid("1.2.840.113549.1.1.13");
pub(crate) const EC_PUBLIC_KEY: Oid = oid("1.2.840.10045.2.1");
pub(crate) const P256: Oid = oid("1.2.840.10045.3.1.7");
pub(crate) const P384: Oid = oid("1.3.132.0.34");
pub(crate) const ECDSA_WITH_SHA256: Oid = oid("1.2.840.10045.4.3.2");
pub(crate) const ECDSA_WITH_SHA384: Oid = oid("1.2.840.10045.4.3.3");
pub(crate) const ED25519: Oid = oid("1.3.101.112");

/// The OID arc of registered names (`pp_role` and others), which become trusted facts.
const REGISTERED: Oid = oid("1.3.6.1.4.1.34380.1.1");
/// The OID arc that sites may use freely.
const PRIVATE: Oid = oid("1.3.6.1.4.1.34380.1.2");
/// The OID arc of authorization extensions.
const AUTHORIZATION: Oid = oid("1.3.6.1.4.1.34380.1.3");
/// A request attribute: the agent can renew its certificate.
pub(crate) const AUTO_RENEW: Oid = oid("1.3.6.1.4.1.34380.1.3.2");
/// Allows its owner to administrate the authority. Never copied from a request.
pub(crate) const CLI_AUTH: Oid = oid("1.3.6.1.4.1.34380.1.3.39");

/// Short names by OID, from Puppet's `lib/puppet/ssl/oids.rb`.
const SHORT_NAMES: &[(Oid, &str)] = &[
    (oid("1.3.6.1.4.1.34380.1.1.1"), "pp_uuid"),
    (oid("1.3.6.1.4.1.34380.1.1.2"), "pp_instance_id"),
    (oid("1.3.6.1.4.1.34380.1.1.3"), "pp_image_name"),
    (oid("1.3.6.1.4.1.34380.1.1.4"), "pp_preshared_key"),
    (oid("1.3.6.1.4.1.34380.1.1.5"), "pp_cost_center"),
    (oid("1.3.6.1.4.1.34380.1.1.6"), "pp_product"),
    (oid("1.3.6.1.4.1.34380.1.1.7"), "pp_project"),
    (oid("1.3.6.1.4.1.34380.1.1.8"), "pp_application"),
    (oid("1.3.6.1.4.1.34380.1.1.9"), "pp_service"),
    (oid("1.3.6.1.4.1.34380.1.1.10"), "pp_employee"),
    (oid("1.3.6.1.4.1.34380.1.1.11"), "pp_created_by"),
    (oid("1.3.6.1.4.1.34380.1.1.12"), "pp_environment"),
    (oid("1.3.6.1.4.1.34380.1.1.13"), "pp_role"),
    (oid("1.3.6.1.4.1.34380.1.1.14"), "pp_software_version"),
    (oid("1.3.6.1.4.1.34380.1.1.15"), "pp_department"),
    (oid("1.3.6.1.4.1.34380.1.1.16"), "pp_cluster"),
    (oid("1.3.6.1.4.1.34380.1.1.17"), "pp_provisioner"),
    (oid("1.3.6.1.4.1.34380.1.1.18"), "pp_region"),
    (oid("1.3.6.1.4.1.34380.1.1.19"), "pp_datacenter"),
    (oid("1.3.6.1.4.1.34380.1.1.20"), "pp_zone"),
    (oid("1.3.6.1.4.1.34380.1.1.21"), "pp_network"),
    (oid("1.3.6.1.4.1.34380.1.1.22"), "pp_securitypolicy"),
    (oid("1.3.6.1.4.1.34380.1.1.23"), "pp_cloudplatform"),
    (oid("1.3.6.1.4.1.34380.1.1.24"), "pp_apptier"),
    (oid("1.3.6.1.4.1.34380.1.1.25"), "pp_hostname"),
    (oid("1.3.6.1.4.1.34380.1.1.26"), "pp_owner"),
    (oid("1.3.6.1.4.1.34380.1.3.1"), "pp_authorization"),
    (oid("1.3.6.1.4.1.34380.1.3.2"), "pp_auth_auto_renew"),
    (oid("1.3.6.1.4.1.34380.1.3.13"), "pp_auth_role"),
    (CLI_AUTH, "pp_cli_auth"),
];

/// The OID arcs of Puppet's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arc {
    Registered,
    Private,
    Authorization,
}

/// The arc that an OID belongs to.
pub(crate) fn arc(oid: &Oid) -> Option<Arc> {
    let below = |root: Oid| {
        let mut arcs = oid.arcs();
        root.arcs().all(|a| arcs.next() == Some(a)) && arcs.next().is_some()
    };
    if below(REGISTERED) {
        Some(Arc::Registered)
    } else if below(PRIVATE) {
        Some(Arc::Private)
    } else {
        below(AUTHORIZATION).then_some(Arc::Authorization)
    }
}

/// The short name of an OID, or its numbers joined by dots.
pub(crate) fn name_of(oid: &Oid) -> String {
    let known = SHORT_NAMES.iter().find(|(number, _)| number == oid);
    known.map_or_else(|| oid.to_string(), |(_, name)| (*name).to_string())
}

/// Parses a short name or an OID.
pub(crate) fn parse(text: &str) -> Option<Oid> {
    let known = SHORT_NAMES.iter().find(|(_, name)| *name == text);
    known.map_or_else(|| Oid::new(text).ok(), |(number, _)| Some(*number))
}
