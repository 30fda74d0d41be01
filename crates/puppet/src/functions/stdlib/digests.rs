//! Digests, and functions that look random.

use std::sync::Arc;

use ordain_functions::random;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::collections::flat;
use crate::functions::iterate::chars;
use crate::functions::legacy::{conversion_name, fqdn, hex};
use crate::functions::stdlib::{forward, text_of};
use crate::functions::support::{function, old, old_args, ruby_class, ruby_text, wrap};
use crate::functions::{Function, opt, plain, rep, req};
use crate::value::Value;

const DIGESTED: &str = "Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]]";
const SEEDS: &str = "Variant[Integer,String]";

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function(
        "stdlib::crc32",
        "Gives the CRC-32 of a value in hexadecimal digits.",
        &[plain(&[req(DIGESTED, "my_data")], |c| {
            Ok(Value::from(ordain_functions::digest::crc32(digested(c.arg(0)).as_bytes())))
        })],
    ),
    function(
        "stdlib::sha256",
        "Gives the SHA-256 digest of a value.",
        &[plain(&[req(DIGESTED, "my_data")], |c| hex("sha256", digested(c.arg(0)).as_bytes()))],
    ),
    old("fqdn_uuid", "Gives the UUID of a domain name.", -1, fqdn_uuid),
    function(
        "stdlib::fqdn_rand_string",
        "Gives a text that looks random but is always the same for a node.",
        &[plain(
            &[req("Integer[1]", "length"), opt("Optional[String]", "charset"), rep("Any", "seed")],
            fqdn_rand_string,
        )],
    ),
    function(
        "fqdn_rand_string",
        "Deprecated name of stdlib::fqdn_rand_string.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::fqdn_rand_string"))],
    ),
    function(
        "stdlib::fqdn_rotate",
        "Turns a list or text by a number that belongs to the node.",
        &[
            plain(&[req("String", "input"), rep(SEEDS, "seeds")], fqdn_rotate),
            plain(&[req("Array", "input"), rep(SEEDS, "seeds")], fqdn_rotate),
        ],
    ),
    function(
        "fqdn_rotate",
        "Deprecated name of stdlib::fqdn_rotate.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::fqdn_rotate"))],
    ),
    function(
        "stdlib::seeded_rand",
        "Gives a number that depends on the seed only.",
        &[plain(&[req("Integer[1]", "max"), req("String", "seed")], seeded_rand)],
    ),
    function(
        "seeded_rand",
        "Deprecated name of stdlib::seeded_rand.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::seeded_rand"))],
    ),
    function(
        "stdlib::seeded_rand_string",
        "Gives a text that depends on the seed only.",
        &[plain(
            &[req("Integer[1]", "length"), req("String", "seed"), opt("String[2]", "charset")],
            seeded_rand_string,
        )],
    ),
    function(
        "seeded_rand_string",
        "Deprecated name of stdlib::seeded_rand_string.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::seeded_rand_string"))],
    ),
    old("shuffle", "Puts a list or text into random order.", -1, shuffle),
    old("pw_hash", "Hashes a password for the system's files.", 3, pw_hash),
    old("str2saltedsha512", "Hashes a password as macOS 10.7 has it.", -1, str2saltedsha512),
    old(
        "str2saltedpbkdf2",
        "Hashes a password as macOS 10.8 and later have it.",
        -1,
        str2saltedpbkdf2,
    ),
];

/// The text to digest; sensitive values are revealed.
fn digested(value: &Value) -> ecow::EcoString {
    match value {
        Value::Sensitive(inner) => ruby_text(inner),
        other => ruby_text(other),
    }
}

fn length(call: &Call<'_, '_>, i: usize) -> usize {
    call.int(i).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX)
}

fn fqdn_uuid(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match args.as_slice() {
        [] => fail("fqdn_uuid: No arguments given"),
        [Value::Str(name)] => Ok(Value::from(random::fqdn_uuid(name))),
        [other] => {
            fail(format!("no implicit conversion of {} into String", conversion_name(other)))
        }
        more => fail(format!("fqdn_uuid: Too many arguments given ({})", more.len())),
    }
}

fn fqdn_rand_string(call: &mut Call<'_, '_>) -> EvalResult {
    let fqdn = fqdn(call);
    let seeds = flat(call.args.get(2..).unwrap_or_default())?;
    let seeds: Vec<_> = seeds.iter().map(ruby_text).collect();
    let seeds: Vec<&str> = seeds.iter().map(|s| s.as_str()).collect();
    let charset = call.str(1);
    let text = random::fqdn_rand_string(&fqdn, length(call, 0), &charset, &seeds).map_err(wrap)?;
    Ok(Value::from(text))
}

fn fqdn_rotate(call: &mut Call<'_, '_>) -> EvalResult {
    let is_text = call.arg(0).as_str().is_some();
    let mut items = match call.arg(0) {
        Value::Str(text) => chars(text),
        _ => call.array(0).to_vec(),
    };
    if items.len() > 1 {
        let fqdn = fqdn(call);
        let seeds: Vec<_> = call.args[1..].iter().map(ruby_text).collect();
        let seeds: Vec<&str> = seeds.iter().map(|s| s.as_str()).collect();
        let by = random::fqdn_rotation(&fqdn, &seeds, items.len()).map_err(wrap)?;
        items.rotate_left(by);
    }
    if !is_text {
        return Ok(Value::array(items));
    }
    Ok(Value::from(items.iter().filter_map(Value::as_str).collect::<String>()))
}

fn seeded_rand(call: &mut Call<'_, '_>) -> EvalResult {
    let max = call.int(0).unwrap_or(1).unsigned_abs();
    let number = random::seeded_rand(max, &call.str(1)).map_err(wrap)?;
    Ok(Value::Int(i64::try_from(number).unwrap_or(i64::MAX)))
}

fn seeded_rand_string(call: &mut Call<'_, '_>) -> EvalResult {
    let text = random::seeded_rand_string(length(call, 0), &call.str(1), &call.str(2));
    Ok(Value::from(text.map_err(wrap)?))
}

fn shuffle(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let (mut items, is_text) = match args.first() {
        None => return fail("shuffle(): Wrong number of arguments given (0 for 1)"),
        Some(Value::Array(items)) => (items.to_vec(), false),
        Some(Value::Str(text)) => (chars(text), true),
        Some(_) => return fail("shuffle(): Requires either array or string to work with"),
    };
    for i in 0..items.len() {
        let left = (items.len() - i) as u64;
        items.swap(i, i + (call.compiler.env.world.random() % left) as usize);
    }
    if is_text {
        return Ok(Value::from(items.iter().map(text_of).collect::<String>()));
    }
    Ok(Value::array(items))
}

/// The arguments with sensitive ones opened.
fn opened(call: &mut Call<'_, '_>) -> Vec<Value> {
    let open = |value| match value {
        Value::Sensitive(inner) => Arc::unwrap_or_clone(inner),
        other => other,
    };
    old_args(call).into_iter().map(open).collect()
}

fn pw_hash(call: &mut Call<'_, '_>) -> EvalResult {
    let args = opened(call);
    let password = match &args[0] {
        Value::Str(text) => Some(text.clone()),
        Value::Undef => None,
        _ => return fail("pw_hash(): first argument must be a string"),
    };
    let Some(kind) = args[1].as_str() else {
        return fail("pw_hash(): second argument must be a string");
    };
    let prefix = match kind.to_lowercase().as_str() {
        "md5" => "1",
        "sha-256" => "5",
        "sha-512" => "6",
        "bcrypt" => "2b",
        "bcrypt-a" => "2a",
        "bcrypt-x" => "2x",
        "bcrypt-y" => "2y",
        _ => return fail(format!("pw_hash(): {kind} is not a valid hash type")),
    };
    let Some(salt) = args[2].as_str() else {
        return fail("pw_hash(): third argument must be a string");
    };
    if salt.is_empty() {
        return fail("pw_hash(): third argument must not be empty");
    }
    check_salt(prefix, salt)?;
    match password.filter(|p| !p.is_empty()) {
        None => Ok(Value::Undef),
        Some(password) => crypt(prefix, &password, salt),
    }
}

fn check_salt(prefix: &str, salt: &str) -> EvalResult<()> {
    let is_plain = |s: &str| s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'/');
    if !prefix.starts_with('2') {
        return if is_plain(salt) {
            Ok(())
        } else {
            fail("pw_hash(): characters in salt must be in the set [a-zA-Z0-9./]")
        };
    }
    let fits = salt.split_once('$').is_some_and(|(cost, rest)| {
        let cost_fits = cost.len() == 2 && cost.parse::<u32>().is_ok_and(|c| (4..32).contains(&c));
        cost_fits && rest.len() >= 22 && rest.is_char_boundary(22) && is_plain(&rest[..22])
    });
    if fits {
        return Ok(());
    }
    fail(
        "pw_hash(): characters in salt must match \
         (?-mix:^(0[4-9]|[12][0-9]|3[01])\\$[.\\/A-Za-z0-9]{22})",
    )
}

fn crypt(prefix: &str, password: &str, salt: &str) -> EvalResult {
    use ordain_functions::crypt::{Method, hash};
    let method = match prefix {
        "1" => Method::Md5,
        "5" => Method::Sha256,
        "6" => Method::Sha512,
        _ => {
            let hash = ordain_functions::bcrypt::hash(password, prefix, salt).map_err(wrap)?;
            return Ok(Value::from(hash));
        }
    };
    Ok(Value::from(hash(password, method, salt).map_err(wrap)?))
}

fn str2saltedsha512(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail(format!(
            "str2saltedsha512(): Wrong number of arguments passed ({} but we require 1)",
            args.len()
        ));
    }
    let Some(password) = args[0].as_str() else {
        let class = ruby_class(&args[0]);
        return fail(format!(
            "str2saltedsha512(): Requires a String argument, you passed: {class}"
        ));
    };
    let seed = (call.compiler.env.world.random() as u32 >> 1).to_le_bytes();
    let salted = [&seed[..], password.as_bytes()].concat();
    let digest = ordain_functions::digest::sha512(&salted);
    Ok(Value::from(format!("{}{digest}", ordain_functions::digest::hex(&seed))))
}

fn str2saltedpbkdf2(call: &mut Call<'_, '_>) -> EvalResult {
    let args = opened(call);
    let bad = |text: &str| fail(format!("str2saltedpbkdf2(): {text}"));
    if args.len() != 3 {
        return bad(&format!("wrong number of arguments ({} for 3)", args.len()));
    }
    let Some(password) = args[0].as_str() else { return bad("first argument must be a string") };
    let Some(salt) = args[1].as_str() else { return bad("second argument must be a string") };
    if salt.len() < 8 {
        return bad("second argument must be at least 8 bytes long");
    }
    let Some(iterations) = args[2].as_int() else {
        return bad("third argument must be an integer");
    };
    if !(40_001..70_000).contains(&iterations) {
        return bad("third argument must be between 40,000 and 70,000");
    }
    let rounds = u32::try_from(iterations).unwrap_or(u32::MAX);
    let key = ordain_functions::pbkdf2::sha512(password.as_bytes(), salt.as_bytes(), rounds, 128)
        .map_err(wrap)?;
    Ok(Value::hash([
        ("password_hex", Value::from(ordain_functions::digest::hex(&key))),
        ("salt_hex", Value::from(ordain_functions::digest::hex(salt.as_bytes()))),
        ("iterations", Value::Int(iterations)),
    ]))
}
