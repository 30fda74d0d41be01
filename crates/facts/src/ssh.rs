//! The public keys of the machine.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ordain_data::{Map, Value};
use ordain_functions::digest::{sha1, sha256};

use crate::Machine;

/// The type of a key, its name here, and its number in SSHFP records.
const KINDS: [(&str, &str, u8); 4] = [
    ("ssh-rsa", "rsa", 1),
    ("ssh-dss", "dsa", 2),
    ("ecdsa-sha2-nistp256", "ecdsa", 3),
    ("ssh-ed25519", "ed25519", 4),
];

pub(crate) fn ssh(machine: &Machine) -> Option<Value> {
    let mut keys = Map::default();
    for dir in ["/etc/ssh", "/usr/local/etc/ssh", "/etc", "/usr/local/etc", "/etc/opt/ssh"] {
        for name in ["dsa", "ecdsa", "ed25519", "rsa"] {
            let file = machine.read(&format!("{dir}/ssh_host_{name}_key.pub"));
            if let Some((name, value)) = file.and_then(|text| key(&text)) {
                keys.entry(name.into()).or_insert(value);
            }
        }
    }
    (!keys.is_empty()).then(|| Value::Map(keys.into()))
}

fn key(text: &str) -> Option<(&'static str, Value)> {
    let mut fields = text.split_whitespace();
    let (kind, key) = (fields.next()?, fields.next()?);
    let (_, name, number) = *KINDS.iter().find(|(k, ..)| *k == kind)?;
    let blob = STANDARD.decode(key).ok()?;
    let fingerprints = Value::map([
        ("sha1", format!("SSHFP {number} 1 {}", sha1(&blob)).into()),
        ("sha256", format!("SSHFP {number} 2 {}", sha256(&blob)).into()),
    ]);
    let value =
        Value::map([("fingerprints", fingerprints), ("key", key.into()), ("type", kind.into())]);
    Some((name, value))
}
