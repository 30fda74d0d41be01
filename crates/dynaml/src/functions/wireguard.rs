//! Keys of WireGuard: `wggenkey`, `wgpublickey`.

use super::format::quoted;
use super::secrets::random_bytes;
use super::{Call, Table, eager, encode, fail};
use crate::eval::Eval;
use crate::pki::x25519;
use crate::value::Value;

fn wggenkey(call: &mut Call<'_, '_>) -> Eval<Value> {
    let kind = match call.args {
        [] => "private",
        [Value::Str(kind)] => kind.as_str(),
        [_] => return fail("argument for wggenkey must be a string (private or preshared)"),
        _ => return fail("a maximum of one argument expected for wggenkey"),
    };
    let key = match kind {
        "private" => x25519::private(random_bytes(call)),
        "preshared" => random_bytes(call),
        _ => {
            let kind = quoted(kind);
            return fail(format!("invalid key type {kind}, use private or preshared"));
        }
    };
    let key = encode::encode(&key, None);
    call.ev.secrets.add(&key);
    Ok(Value::str(key))
}

fn wgpublickey(call: &mut Call<'_, '_>) -> Eval<Value> {
    let key = match call.args {
        [Value::Str(key)] => key,
        [_] => return fail("argument for wgpublickey must be a provate wireguard key (string)"),
        _ => return fail("one argument required for \"wgpublickey\""),
    };
    let wrong = |what: String| fail(format!("error parsing key {}: {what}", quoted(key)));
    let Some(bytes) = encode::decode(key) else {
        let at = encode::first_wrong_byte(key);
        return wrong(format!(
            "failed to parse base64-encoded key: illegal base64 data at input byte {at}"
        ));
    };
    match <[u8; x25519::SIZE]>::try_from(&bytes[..]) {
        Ok(private) => Ok(Value::str(encode::encode(&x25519::public(private), None))),
        Err(_) => wrong(format!("incorrect key size: {}", bytes.len())),
    }
}

pub(super) fn register(table: &mut Table) {
    table.extend([("wggenkey", eager(wggenkey)), ("wgpublickey", eager(wgpublickey))]);
}
