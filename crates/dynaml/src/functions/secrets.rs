//! Passwords: `bcrypt`, `md5crypt`, and encrypted values, `encrypt`, `decrypt`.

use des::TdesEde3;
use des::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use ordain_functions::bcrypt::{self, ALPHABET, MAX_COST, decode, encode};
use ordain_functions::crypt;
use ordain_functions::pbkdf2::hmac_sha256;

use super::support::{eager, fail};
use crate::diagnostics::stop::Eval;
use crate::eval::evaluator::{Call, Table};
use crate::text::quoted;
use crate::value::Value;

/// The only way to encrypt there is.
const METHOD: &str = "3DES";
/// The key of the signature, which is not secret.
const SIGNATURE: &[u8] = b"spiff is a cool tool";
const BLOCK: usize = 8;
const MAC: usize = 32;

pub(super) fn random_bytes<const N: usize>(call: &Call<'_, '_>) -> [u8; N] {
    let mut out = [0; N];
    for chunk in out.chunks_mut(8) {
        let bytes = call.ev.world.random().to_le_bytes();
        chunk.copy_from_slice(&bytes[..chunk.len()]);
    }
    out
}

/// The cipher of a password: its first 16 bytes, padded with the MD5 of the empty text, and the
/// first 8 of them again.
fn cipher(password: &str) -> TdesEde3 {
    const EMPTY: [u8; 16] = [
        0xd4, 0x1d, 0x8c, 0xd9, 0x8f, 0x00, 0xb2, 0x04, 0xe9, 0x80, 0x09, 0x98, 0xec, 0xf8, 0x42,
        0x7e,
    ];
    let mut key = [0; 24];
    let bytes = password.bytes().chain(EMPTY);
    for (k, b) in key.iter_mut().zip(bytes.take(16)) {
        *k = b;
    }
    key.copy_within(..8, 16);
    TdesEde3::new(&Array::from(key))
}

fn encrypted(text: &[u8], password: &str, vector: [u8; BLOCK]) -> String {
    let cipher = cipher(password);
    let mut message = text.to_vec();
    message.extend(hmac_sha256(SIGNATURE, text));
    let pad = (BLOCK - (message.len() + 1) % BLOCK) % BLOCK;
    let byte = u8::try_from(pad).unwrap_or(0);
    message.extend(std::iter::repeat_n(byte, pad + 1));
    let mut out = vector.to_vec();
    let mut before = vector;
    for block in message.chunks_exact(BLOCK) {
        let mut mixed = [0; BLOCK];
        for ((m, b), p) in mixed.iter_mut().zip(block).zip(before) {
            *m = b ^ p;
        }
        let mut array = Array::from(mixed);
        cipher.encrypt_block(&mut array);
        before = array.into();
        out.extend(before);
    }
    ordain_functions::digest::hex(&out)
}

fn decrypted(hex: &str, password: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let pairs = hex.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> =
        pairs.map(|p| Some(digit(p[0])? << 4 | digit(*p.get(1)?)?)).collect();
    let bytes = bytes?;
    if bytes.len() < 2 * BLOCK || bytes.len() % BLOCK != 0 {
        return None;
    }
    let cipher = cipher(password);
    let mut message = Vec::with_capacity(bytes.len());
    for pair in bytes.windows(2 * BLOCK).step_by(BLOCK) {
        let (before, block) = pair.split_at(BLOCK);
        let block: [u8; BLOCK] = block.try_into().ok()?;
        let mut array = Array::from(block);
        cipher.decrypt_block(&mut array);
        message.extend(array.iter().zip(before).map(|(a, b)| a ^ b));
    }
    let pad = usize::from(*message.last()?) + 1;
    let end = message.len().checked_sub(pad)?;
    let start = end.checked_sub(MAC)?;
    let (text, mac) = message[..end].split_at(start);
    (hmac_sha256(SIGNATURE, text) == mac).then(|| text.to_vec())
}

/// Key and method of `encrypt` and `decrypt`.
fn key_of(call: &Call<'_, '_>, name: &str, rest: &[Value]) -> Eval<String> {
    let text = |value: &Value, what: &str| match value {
        Value::Str(s) => Ok(s.to_string()),
        other => fail(format!("{name}: {what} requires string, but got {}", other.kind())),
    };
    let default = call.ev.options.encryption_key.clone().unwrap_or_default();
    let (key, method) = match rest {
        [] => (default, METHOD.to_owned()),
        [one] => {
            let one = text(one, "2nd argument")?;
            if one == METHOD { (default, one) } else { (one, METHOD.to_owned()) }
        }
        [_, method] => {
            text(&rest[0], "2nd argument")?;
            (text(&rest[0], "2nd argument")?, text(method, "method")?)
        }
        _ => return fail(format!("{name} expects one, two or three arguments")),
    };
    if method != METHOD {
        return fail(format!("invalid encyption method {}", quoted(&method)));
    }
    if key.is_empty() {
        return fail("invalid empty encyption key");
    }
    Ok(key)
}

fn encrypt(call: &mut Call<'_, '_>) -> Eval<Value> {
    let Some((value, rest)) = call.args.split_first() else {
        return fail("encrypt expects one, two or three arguments");
    };
    let key = key_of(call, "encrypt", rest)?;
    let text = call.ev.text_of_value(value);
    Ok(Value::str(encrypted(text.as_bytes(), &key, random_bytes(call))))
}

fn decrypt(call: &mut Call<'_, '_>) -> Eval<Value> {
    let Some((value, rest)) = call.args.split_first() else {
        return fail("decrypt expects one, two or three arguments");
    };
    let Value::Str(text) = value else {
        return fail(format!("decrypt requires string, but got {}", value.kind()));
    };
    let key = key_of(call, "decrypt", rest)?;
    let Some(text) = decrypted(text, &key) else { return fail("invalid key: %!s(<nil>)") };
    let text = String::from_utf8_lossy(&text);
    match crate::document::read(&text) {
        Ok(documents) => {
            let value = documents.into_iter().next().unwrap_or_default();
            let data = crate::lower::data(&call.ev.sources.exprs, std::slice::from_ref(&value));
            data.iter().for_each(|data| call.ev.secrets.add_all(data));
            Ok(value)
        }
        Err(e) => fail(format!("error parsing file [<decrypt>]: {}", e.original_message())),
    }
}

/// Encrypts a text with a key, as `encrypt` does with the YAML of a value.
pub fn encrypt_text(text: &str, key: &str, random: u64) -> String {
    encrypted(text.as_bytes(), key, random.to_le_bytes())
}

/// The text that was encrypted with a key; `None` for another key.
pub fn decrypt_text(text: &str, key: &str) -> Option<String> {
    decrypted(text, key).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn bcrypt(call: &mut Call<'_, '_>) -> Eval<Value> {
    const MAX_LENGTH: usize = 72;
    const COST: i64 = 10;
    let (password, cost) = match call.args {
        [password] => (password, COST),
        [password, Value::Int(cost)] => (password, *cost),
        [_, _] => return fail("second argument for bcrypt must be an integer"),
        _ => return fail("bcrypt takes one or two arguments"),
    };
    let Value::Str(password) = password else {
        return fail("first argument for bcrypt must be a string");
    };
    if password.len() > MAX_LENGTH {
        return fail("bcrypt error: bcrypt: password length exceeds 72 bytes");
    }
    let cost = if cost < 4 { COST } else { cost };
    if cost > i64::from(MAX_COST) {
        return fail(format!("bcrypt error: cost {cost} is higher than {MAX_COST}"));
    }
    let salt: [u8; 16] = random_bytes(call);
    let cost = u32::try_from(cost).unwrap_or(10);
    let hash = bcrypt::digest(password.as_bytes(), cost, &salt);
    Ok(Value::str(format!("$2a${cost:02}${}{}", encode(&salt), encode(&hash))))
}

/// Whether a hash is that of a password.
fn bcrypt_matches(password: &str, hash: &str) -> bool {
    const SALT: usize = 22;
    const HIGHEST: u32 = 20;
    let mut parts = hash.split('$');
    let (Some(""), Some("2a" | "2b" | "2y"), Some(cost), Some(rest), None) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let Some((salt, digest)) = rest.split_at_checked(SALT) else { return false };
    let salt = decode(salt).and_then(|s| <[u8; 16]>::try_from(s.get(..16)?).ok());
    let cost = cost.parse::<u32>().ok().filter(|c| (4..=HIGHEST).contains(c));
    match (salt, cost) {
        (Some(salt), Some(cost)) => {
            encode(&bcrypt::digest(password.as_bytes(), cost, &salt)) == digest
        }
        _ => false,
    }
}

/// The password and hash of a check.
fn pair<'a>(call: &Call<'a, '_>, name: &str) -> Eval<(&'a str, &'a str)> {
    match call.args {
        [Value::Str(password), Value::Str(hash)] => Ok((password, hash)),
        [Value::Str(_), _] => fail(format!("second argument for {name} must be a string")),
        [_, _] => fail(format!("first argument for {name} must be a string")),
        _ => fail(format!("{name} takes two arguments")),
    }
}

fn bcrypt_check(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (password, hash) = pair(call, "bcrypt_check")?;
    Ok(Value::Bool(bcrypt_matches(password, hash)))
}

fn md5crypt(call: &mut Call<'_, '_>) -> Eval<Value> {
    let password = match call.args {
        [Value::Str(password)] => password,
        [_] => return fail("first argument for md5crypt must be a string"),
        _ => return fail("md5crypt takes one argument"),
    };
    let salt: [u8; 8] = random_bytes(call);
    let salt: String = salt.iter().map(|b| char::from(ALPHABET[usize::from(*b & 63)])).collect();
    match crypt::md5_with(password.as_bytes(), salt.as_bytes(), "$apr1$") {
        Ok(hash) => Ok(Value::str(hash)),
        Err(e) => fail(e.to_string()),
    }
}

fn md5crypt_check(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (password, hash) = pair(call, "md5crypt_check")?;
    let parts: Vec<&str> = hash.split('$').collect();
    let [_, magic, salt, _] = parts[..] else {
        return fail("invalid md5crypt hash: must contain three '$' characters");
    };
    match crypt::md5_with(password.as_bytes(), salt.as_bytes(), &format!("${magic}$")) {
        Ok(found) => Ok(Value::Bool(found == hash)),
        Err(e) => fail(e.to_string()),
    }
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager("bcrypt(text, cost?)", "The bcrypt hash of a password.", bcrypt),
        eager("bcrypt_check(text, hash)", "Whether a password has this bcrypt hash.", bcrypt_check),
        eager("md5crypt(text)", "The MD5 crypt hash of a password.", md5crypt),
        eager(
            "md5crypt_check(text, hash)",
            "Whether a password has this MD5 crypt hash.",
            md5crypt_check,
        ),
        eager("encrypt(value, key?, method?)", "A value encrypted with a key.", encrypt),
        eager("decrypt(text, key?, method?)", "The value that was encrypted with a key.", decrypt),
    ]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bcrypt_of_another_program() {
        let hash = "$2a$05$Kkbrllg2JOO.8ME1hQta/O3EJXed4T3flK8UefXRgJlDT5Q74YXg.";
        assert!(bcrypt_matches("secret", hash));
        assert!(!bcrypt_matches("a", hash));
        assert!(!bcrypt_matches("a", "$2a$99$nonsense"));
    }

    #[test]
    fn encrypted_texts_are_decrypted_with_the_same_key() {
        let text = encrypt_text("a: 1\n", "a long enough password", 7);
        assert_eq!(decrypt_text(&text, "a long enough password").unwrap(), "a: 1\n");
        assert_eq!(decrypt_text(&text, "another"), None);
        assert_eq!(decrypt_text("00", "another"), None);
        let foreign = "1fd9cb7fff671ade642354c2c7900716be96ab939bc8e0420c38b707273738b2\
                       4f85870ed2634ba36f53f71220ffe7b8";
        assert_eq!(decrypt_text(foreign, "a long enough password").unwrap(), "a: 1\n");
        assert_eq!(decrypt_text("zz", "another"), None);
    }
}
