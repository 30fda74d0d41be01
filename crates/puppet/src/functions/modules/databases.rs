//! Functions of the modules mysql and postgresql.

use std::sync::Arc;

use ordain_functions::base64::{Mode, encode};
use ordain_functions::{digest, pbkdf2};

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::support::{function, ruby_class, ruby_text, wrap};
use crate::functions::{Function, opt, plain, rep, req};
use crate::state::evaluate::Evaluate;
use crate::value::{HashValue, Value};

/// The maximal nesting of options.
const MAX_NESTING: usize = 64;

const PASSWORD: &str = "Variant[String, Sensitive[String]]";

/// The functions of these modules.
pub const TABLE: &[Function] = &[
    function(
        "mysql::password",
        "Gives the hash of a password as MySQL stores it.",
        &[plain(&[req(PASSWORD, "password"), opt("Boolean", "sensitive")], mysql_password)],
    ),
    function(
        "mysql::normalise_and_deepmerge",
        "Merges hashes of options, inner ones too; `-` and `_` in names are the same.",
        &[plain(&[rep("Any", "args")], merge_options)],
    ),
    function(
        "mysql::strip_hash",
        "Removes empty texts from a hash and the hashes inside.",
        &[plain(&[req("Hash", "hash")], strip_hash)],
    ),
    function(
        "postgresql::postgresql_password",
        "Gives the hash of a password as PostgreSQL stores it.",
        &[plain(
            &[
                req("Variant[String[1], Integer]", "username"),
                req("Variant[String[1], Sensitive[String[1]], Integer]", "password"),
                opt("Boolean", "sensitive"),
                opt("Optional[Enum['md5', 'scram-sha-256']]", "hash"),
                opt("Optional[Variant[String[1], Integer]]", "salt"),
            ],
            postgresql_password,
        )],
    ),
    function(
        "postgresql::postgresql_escape",
        "Quotes a text for SQL with dollar signs.",
        &[plain(&[req("String[1]", "input_string")], |c| {
            Ok(Value::from(dollar_quoted(&c.str(0))))
        })],
    ),
    function(
        "postgresql::prepend_sql_password",
        "Gives the clause of SQL that sets a password.",
        &[plain(&[req("String", "password")], |c| {
            Ok(Value::from(format!("ENCRYPTED PASSWORD '{}'", c.str(0))))
        })],
    ),
    function(
        "postgresql::postgresql_acls_to_resources_hash",
        "Gives the attributes of rules of pg_hba.conf from their lines.",
        &[plain(
            &[req("Array[String]", "acls"), req("String[1]", "id"), req("Integer[0]", "offset")],
            acls,
        )],
    ),
];

/// The text of a password, sensitive or not.
fn bare(value: &Value) -> String {
    match value {
        Value::Sensitive(inner) => ruby_text(inner).into(),
        other => ruby_text(other).into(),
    }
}

fn maybe_secret(text: String, secret: bool) -> Value {
    let text = Value::from(text);
    if secret { Value::Sensitive(Arc::new(text)) } else { text }
}

fn mysql_password(call: &mut Call<'_, '_>) -> EvalResult {
    let password = bare(call.arg(0));
    let is_upper_hex = |b: u8| b.is_ascii_digit() || (b'A'..=b'F').contains(&b);
    let hashed = password.len() == 41
        && password.strip_prefix('*').is_some_and(|rest| rest.bytes().all(is_upper_hex));
    let text = if hashed || password.is_empty() {
        password
    } else {
        let twice = digest::sha1(&digest::sha1_bytes(password.as_bytes()));
        format!("*{}", twice.to_uppercase())
    };
    Ok(maybe_secret(text, call.arg(1).is_true()))
}

fn merge_options(call: &mut Call<'_, '_>) -> EvalResult {
    let count = call.args.len();
    if count < 2 {
        return fail(format!(
            "mysql::normalise_and_deepmerge(): wrong number of arguments ({count}; must be at \
             least 2)"
        ));
    }
    let mut merged = HashValue::default();
    for value in &call.args {
        match value {
            Value::Str(text) if text.is_empty() => {}
            Value::Hash(hash) => overlay(&mut merged, hash, 0)?,
            other => {
                return fail(format!(
                    "mysql::normalise_and_deepmerge: unexpected argument type {}, only expects \
                     hash arguments.",
                    ruby_class(other)
                ));
            }
        }
    }
    Ok(Value::Hash(Arc::new(merged)))
}

fn overlay(target: &mut HashValue, from: &HashValue, depth: usize) -> EvalResult<()> {
    if depth > MAX_NESTING {
        return fail("mysql::normalise_and_deepmerge(): the options nest too deeply");
    }
    for (key, value) in from {
        respell(target, key);
        match (target.get_mut(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) => {
                overlay(Arc::make_mut(old), new, depth + 1)?;
            }
            _ => _ = target.insert(key.clone(), value.clone()),
        }
    }
    Ok(())
}

/// Moves the value under the other spelling of a key, with `-` for `_`, to this one.
fn respell(target: &mut HashValue, key: &Value) {
    let Some(name) = key.as_str() else { return };
    if target.contains_key(key) || !name.contains(['-', '_']) {
        return;
    }
    let other = if name.contains('-') { name.replace('-', "_") } else { name.replace('_', "-") };
    if let Some(value) = target.shift_remove(&Value::from(other)) {
        target.insert(key.clone(), value);
    }
}

fn strip_hash(call: &mut Call<'_, '_>) -> EvalResult {
    let filled = |(_, value): &(&Value, &Value)| value.as_str() != Some("");
    let mut kept = HashValue::default();
    for (key, value) in call.hash(0).iter().filter(filled) {
        let value = match value {
            Value::Hash(inner) => {
                let inner = inner.iter().filter(filled);
                Value::Hash(Arc::new(inner.map(|(k, v)| (k.clone(), v.clone())).collect()))
            }
            other => other.clone(),
        };
        kept.insert(key.clone(), value);
    }
    Ok(Value::Hash(Arc::new(kept)))
}

fn postgresql_password(call: &mut Call<'_, '_>) -> EvalResult {
    let (user, password) = (bare(call.arg(0)), bare(call.arg(1)));
    let secret = call.arg(2).is_true();
    if is_postgresql_hash(&password) {
        return Ok(maybe_secret(password, secret));
    }
    let mut method = call.arg(3).clone();
    if method.is_undef() {
        let args = vec![Value::from("password_encryption")];
        method = call.compiler.call_function(
            "postgresql::default",
            args,
            None,
            call.scope,
            call.span,
        )?;
        // Releases of the module whose globals have no such setting know MD5 alone; `default` gives
        // the name of the setting there.
        if method.as_str().is_some_and(|text| text.starts_with("postgresql::")) {
            method = Value::Undef;
        }
    }
    let text = match method.as_str() {
        None | Some("md5") => format!("md5{}", digest::md5(format!("{password}{user}").as_bytes())),
        Some("scram-sha-256") => {
            let salt = if call.arg(4).is_undef() { user } else { bare(call.arg(4)) };
            scram(&password, &salt)?
        }
        Some(other) => {
            return fail(format!(
                "postgresql::postgresql_password(): got unkown hash type '{other}'"
            ));
        }
    };
    Ok(maybe_secret(text, secret))
}

fn is_postgresql_hash(password: &str) -> bool {
    let md5 = password.strip_prefix("md5").is_some_and(|rest| {
        rest.len() == 32 && rest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    });
    md5 || password.starts_with("SCRAM-SHA-256$")
}

/// The verifier of SCRAM-SHA-256 (RFC 5802) as PostgreSQL stores it.
fn scram(password: &str, salt: &str) -> EvalResult<String> {
    const ROUNDS: u32 = 4096;
    let key = pbkdf2::sha256(password.as_bytes(), salt.as_bytes(), ROUNDS, 32).map_err(wrap)?;
    let client = digest::sha256_bytes(&pbkdf2::hmac_sha256(&key, b"Client Key"));
    let server = pbkdf2::hmac_sha256(&key, b"Server Key");
    let text = |bytes: &[u8]| encode(bytes, Mode::Strict);
    Ok(format!(
        "SCRAM-SHA-256${ROUNDS}:{}${}:{}",
        text(salt.as_bytes()),
        text(&client),
        text(&server)
    ))
}

fn dollar_quoted(text: &str) -> String {
    if !text.contains("$$") && !text.ends_with('$') {
        return format!("$${text}$$");
    }
    let letters = |of: &str| -> String {
        digest::md5(of.as_bytes())[..6].chars().filter(|c| !c.is_ascii_digit()).collect()
    };
    // If the tag has no letters or occurs in the text, it is hashed again. This ends soon for a
    // text of any length.
    let mut tag = letters(text);
    for _ in 0..1000 {
        if !text.contains(&tag) {
            break;
        }
        tag = letters(&tag);
    }
    format!("${tag}${text}${tag}$")
}

fn acls(call: &mut Call<'_, '_>) -> EvalResult {
    let (lines, id) = (call.array(0), call.str(1));
    let offset = call.int(2).unwrap_or_default();
    let mut first_of = rustc_hash::FxHashMap::default();
    let mut rules = HashValue::default();
    for (i, line) in lines.iter().enumerate() {
        let line = line.as_str().unwrap_or_default();
        let index = *first_of.entry(line).or_insert(i);
        let parts: Vec<&str> = line.split_ascii_whitespace().collect();
        if parts.len() < 4 {
            return fail(format!(
                "postgresql::postgresql_acls_to_resources_hash(): acl line {index} does not have \
                 enough parts"
            ));
        }
        let title = format!("postgresql class generated rule {id} {index}");
        rules.insert(Value::from(title), rule(&parts, offset.saturating_add(index as i64)));
    }
    Ok(Value::Hash(Arc::new(rules)))
}

/// The attributes of a rule from a line of at least four parts.
fn rule(parts: &[&str], order: i64) -> Value {
    let part = |i: usize| parts.get(i).map_or(Value::Undef, |p| Value::from(*p));
    let mut rule = vec![
        ("type", part(0)),
        ("database", part(1)),
        ("user", part(2)),
        ("order", Value::from(format!("{order:03}"))),
    ];
    let options = if parts[0] == "local" {
        rule.push(("auth_method", part(3)));
        4
    } else if let Some(mask) = parts.get(4).filter(|p| p.starts_with(|c: char| c.is_ascii_digit()))
    {
        rule.push(("address", Value::from(format!("{} {mask}", parts[3]))));
        rule.push(("auth_method", part(5)));
        6
    } else {
        rule.push(("address", part(3)));
        rule.push(("auth_method", part(4)));
        5
    };
    if parts.len() > options {
        rule.push(("auth_option", Value::from(parts[options..].join(" "))));
    }
    Value::hash(rule)
}
