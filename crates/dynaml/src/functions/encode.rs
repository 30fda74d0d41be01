//! Encodings and digests: `base64`, `asjson`, `asyaml`, `md5`, `hash`.

use ordain_functions::digest::{self, hex};
use sha2::{Digest, Sha224, Sha512_224, Sha512_256};

use super::support::{eager, fail, rewriting};
use crate::diagnostics::stop::Eval;
use crate::eval::evaluator::{Call, Table};
use crate::output::Writer;
use crate::text::{decode_base64, encode_base64};
use crate::value::Value;

fn base64_encode(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (text, width) = match call.args {
        [text] => (text, None),
        [text, width] => (text, Some(width)),
        _ => return fail("base64 takes one or two argumenta"),
    };
    let Value::Str(text) = text else {
        return fail("first argument for base64 must be a string");
    };
    let bad = "second argument for base64 must be an integer or interger string";
    let width = match width {
        None => None,
        Some(Value::Int(n)) => Some(*n),
        Some(Value::Str(s)) => match s.parse() {
            Ok(n) => Some(n),
            Err(_) => return fail(bad),
        },
        Some(_) => return fail(bad),
    };
    let width = width.and_then(|n: i64| usize::try_from(n).ok());
    Ok(Value::str(encode_base64(text.as_bytes(), width)))
}

fn base64_decode(call: &mut Call<'_, '_>) -> Eval<Value> {
    match call.args {
        [Value::Str(text)] => match decode_base64(text) {
            Some(bytes) => Ok(Value::str(String::from_utf8_lossy(&bytes).into_owned())),
            None => fail("cannot decode string"),
        },
        [_] => fail("first argument for base64_decode must be a string"),
        _ => fail("base64_decode takes exactly one argument"),
    }
}

fn md5(call: &mut Call<'_, '_>) -> Eval<Value> {
    match call.args {
        [Value::Str(text)] => Ok(Value::str(digest::md5(text.as_bytes()))),
        [_] => fail("first argument for md5 must be a string"),
        _ => fail("md5 takes exactly one argument"),
    }
}

/// MD4, of RFC 1320.
fn md4(data: &[u8]) -> [u8; 16] {
    const ROUNDS: [(u32, [u32; 4], [usize; 16]); 3] = [
        (0, [3, 7, 11, 19], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
        (0x5a82_7999, [3, 5, 9, 13], [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]),
        (0x6ed9_eba1, [3, 9, 11, 15], [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]),
    ];
    let mut message = data.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((data.len() as u64).wrapping_mul(8).to_le_bytes());
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in message.chunks_exact(64) {
        let word = |n: usize| {
            let bytes = &block[n * 4..n * 4 + 4];
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        };
        let [mut a, mut b, mut c, mut d] = state;
        for (round, (constant, shifts, order)) in ROUNDS.iter().enumerate() {
            for (step, at) in order.iter().enumerate() {
                let mixed = match round {
                    0 => (b & c) | (!b & d),
                    1 => (b & c) | (b & d) | (c & d),
                    _ => b ^ c ^ d,
                };
                let sum = a.wrapping_add(mixed).wrapping_add(word(*at)).wrapping_add(*constant);
                (a, d, c, b) = (d, c, b, sum.rotate_left(shifts[step % 4]));
            }
        }
        for (old, new) in state.iter_mut().zip([a, b, c, d]) {
            *old = old.wrapping_add(new);
        }
    }
    let mut out = [0; 16];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    out
}

fn hash(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (text, kind) = match call.args {
        [text] => (text, "sha256"),
        [text, Value::Str(kind)] => (text, kind.as_str()),
        [_, _] => return fail("second argument for hash must be a string"),
        _ => return fail("hash takes one or two arguments"),
    };
    let Value::Str(text) = text else { return fail("first argument for hash must be a string") };
    let data = text.as_bytes();
    Ok(Value::str(match kind {
        "md4" => hex(&md4(data)),
        "md5" => digest::md5(data),
        "sha1" => digest::sha1(data),
        "sha224" => hex(&Sha224::digest(data)),
        "sha256" => digest::sha256(data),
        "sha384" => digest::sha384(data),
        "sha512" => digest::sha512(data),
        "sha512/224" => hex(&Sha512_224::digest(data)),
        "sha512/256" => hex(&Sha512_256::digest(data)),
        _ => return fail(format!("invalid hash type '{kind}'")),
    }))
}

fn asjson(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [value] = call.args else { return fail("asjson takes exactly one argument") };
    let writer = Writer {
        exprs: &call.ev.sources.exprs,
        drop_temporary: false,
        unescape: false,
        interpolation: false,
        bare_lambdas: false,
    };
    Ok(Value::str(writer.json(value)))
}

fn asyaml(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [value] = call.args else { return fail("asyaml takes exactly one argument") };
    Ok(Value::str(call.ev.text_of_value(value)))
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        rewriting(eager(
            "base64(text, width?)",
            "A text in base64, in lines of a width.",
            base64_encode,
        )),
        rewriting(eager(
            "base64_decode(text)",
            "The text that a base64 text encodes.",
            base64_decode,
        )),
        eager("md5(text)", "The MD5 digest of a text in hexadecimal.", md5),
        eager(
            "hash(text, kind?)",
            "The digest of a text in hexadecimal, SHA-256 by default.",
            hash,
        ),
        rewriting(eager("asjson(value)", "A value as JSON.", asjson)),
        rewriting(eager("asyaml(value)", "A value as YAML.", asyaml)),
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md4_of_the_rfc() {
        assert_eq!(hex(&md4(b"")), "31d6cfe0d16ae931b73c59d7e0c089c0");
        assert_eq!(hex(&md4(b"abc")), "a448017aaf21d8525fc10ae87aa6729d");
        let digits =
            b"12345678901234567890123456789012345678901234567890123456789012345678901234567890";
        assert_eq!(hex(&md4(digits)), "e33b4ddc9c38f2199c3e7b164fcc0536");
    }

    #[test]
    fn base64_comes_in_lines() {
        assert_eq!(encode_base64(b"hello world", Some(5)), "aGVsb\nG8gd2\n9ybGQ\n=");
        assert_eq!(decode_base64("aGVs\nbG8=").as_deref(), Some(&b"hello"[..]));
    }
}
