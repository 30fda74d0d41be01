//! WireGuard keys: `wggenkey`, `wgpublickey`.

use super::secrets::random_bytes;
use super::support::{eager, fail};
use crate::diagnostics::stop::Eval;
use crate::eval::evaluator::{Call, Table};
use crate::pki::x25519;
use crate::text::{decode_base64, encode_base64, first_wrong_base64_byte, quoted};
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
    let key = encode_base64(&key, None);
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
    let Some(bytes) = decode_base64(key) else {
        let at = first_wrong_base64_byte(key);
        return wrong(format!(
            "failed to parse base64-encoded key: illegal base64 data at input byte {at}"
        ));
    };
    match <[u8; x25519::SIZE]>::try_from(&bytes[..]) {
        Ok(private) => Ok(Value::str(encode_base64(&x25519::public(private), None))),
        Err(_) => wrong(format!("incorrect key size: {}", bytes.len())),
    }
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager("wggenkey(kind?)", "A key of WireGuard, private or preshared.", wggenkey),
        eager("wgpublickey(key)", "The public key of a private key of WireGuard.", wgpublickey),
    ]);
}
