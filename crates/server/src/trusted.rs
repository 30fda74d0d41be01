//! Facts that the server itself vouches for.

use ordain_data::Value as Data;

use crate::identity::Identity;
use crate::reply::PUPPET_VERSION;

/// `$trusted` of a node with this certificate.
pub(crate) fn of(identity: &Identity) -> Data {
    let name = identity.name.as_str();
    let (host, domain) = match name.split_once('.') {
        Some((host, domain)) => (host, Data::str(domain)),
        None => (name, Data::Null),
    };
    let extensions = identity.extensions.iter();
    let extensions = extensions.map(|(name, value)| (name.as_str(), Data::str(value.as_str())));
    Data::map([
        ("authenticated", Data::str("remote")),
        ("certname", Data::str(name)),
        ("extensions", Data::map(extensions)),
        ("hostname", Data::str(host)),
        ("domain", domain),
        ("external", Data::map::<&str>([])),
    ])
}

/// `$server_facts`.
pub(crate) fn server_facts(server: &str, environment: &str) -> Data {
    Data::map([
        ("serverversion", Data::str(PUPPET_VERSION)),
        ("servername", Data::str(server)),
        ("environment", Data::str(environment)),
    ])
}
