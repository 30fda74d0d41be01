//! Functions that stdlib removed and that older modules still call.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use ordain_functions::pkcs7::PrivateKey;
use ordain_functions::x509::Signed;
use ordain_source::ProcessRequest;

use crate::error::{EvalResult, plain as fail};
use crate::functions::Function;
use crate::functions::call::Call;
use crate::functions::collections::flat;
use crate::functions::stdlib::convert::as_list;
use crate::functions::stdlib::{at, text_of};
use crate::functions::support::{old, old_args, regex, ruby_class, ruby_inspect, wrap};
use crate::state::evaluate::Evaluate;
use crate::value::{HashValue, Value};

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old("has_key", "Tells whether a hash has a key; write `'key' in $hash`.", 2, has_key),
    old("hash", "Makes a hash of a list; write `Hash($list)`.", 1, hash),
    old("type3x", "Gives the name of the kind of a value.", 1, type3x),
    old("is_string", "Tells whether a value is text that is no number.", -1, |c| {
        asks(c, |v| v.as_str().is_some_and(|s| !is_numeric_text(s)))
    }),
    old("is_array", "Tells whether a value is a list.", -1, |c| {
        asks(c, |v| v.as_array().is_some())
    }),
    old("is_hash", "Tells whether a value is a hash.", -1, |c| asks(c, |v| v.as_hash().is_some())),
    old("is_bool", "Tells whether a value is a truth value.", -1, |c| {
        asks(c, |v| matches!(v, Value::Bool(_)))
    }),
    old("is_integer", "Tells whether a value is an integer or a text of one.", -1, |c| {
        asks(c, is_integer)
    }),
    old("is_float", "Tells whether a value is a float or a text of one.", -1, |c| {
        asks(c, is_float)
    }),
    old("is_numeric", "Tells whether a value is a number or a text of one.", -1, |c| {
        asks(c, |v| is_integer(v) || is_float(v))
    }),
    old("is_ip_address", "Tells whether a text is an address.", -1, |c| asks(c, is::<IpAddr>)),
    old("is_ipv4_address", "Tells whether a text is an IPv4 address.", -1, |c| {
        asks(c, is::<Ipv4Addr>)
    }),
    old("is_ipv6_address", "Tells whether a text is an IPv6 address.", -1, |c| {
        asks(c, is::<Ipv6Addr>)
    }),
    old("is_mac_address", "Tells whether a text is a hardware address.", -1, |c| {
        asks_regex(c, r"\A[0-9A-Fa-f]{1,2}([:-])([0-9A-Fa-f]{1,2}\1){4}[0-9A-Fa-f]{1,2}\z")
    }),
    old("is_domain_name", "Tells whether a text is a domain name.", -1, |c| {
        asks_regex(
            c,
            r"\A(?=.{1,255}\z)(?!\d+(\.\d+){3}\z)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\.?\z",
        )
    }),
    old("is_email_address", "Tells whether a text is a mail address.", -1, |c| {
        asks_regex(c, r"\A[a-zA-Z0-9.!#$%&'*+\/=?^_`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*\z")
    }),
    old("is_absolute_path", "Tells whether a text is an absolute path.", -1, |c| {
        asks(c, is_absolute)
    }),
    old(
        "is_function_available",
        "Tells whether a function can be called.",
        1,
        is_function_available,
    ),
    old("sprintf_hash", "Formats the values of a hash by a format.", 2, |c| {
        let args = std::mem::take(&mut c.args);
        c.compiler.call_function("sprintf", args, None, c.scope, c.span)
    }),
    old("validate_string", "Fails unless all values are texts.", -2, |c| {
        validate(c, "a string", |v| v.as_str().is_some())
    }),
    old("validate_array", "Fails unless all values are lists.", -2, |c| {
        validate(c, "an Array", |v| v.as_array().is_some())
    }),
    old("validate_hash", "Fails unless all values are hashes.", -2, |c| {
        validate(c, "a Hash", |v| v.as_hash().is_some())
    }),
    old("validate_bool", "Fails unless all values are truth values.", -2, |c| {
        validate(c, "a boolean", |v| matches!(v, Value::Bool(_)))
    }),
    old("validate_absolute_path", "Fails unless all values are absolute paths.", -2, |c| {
        for value in flat(&old_args(c))? {
            if !is_absolute(&value) {
                return fail(format!("{} is not an absolute path.", ruby_inspect(&value)));
            }
        }
        Ok(Value::Undef)
    }),
    old("validate_ip_address", "Fails unless all values are addresses.", -2, |c| {
        validate(c, "a valid IP address", is::<IpAddr>)
    }),
    old("validate_re", "Fails unless a regular expression matches.", -3, validate_re),
    old("validate_integer", "Fails unless a value is an integer in a range.", -2, |c| {
        validate_number(c, true)
    }),
    old("validate_numeric", "Fails unless a value is a number in a range.", -2, |c| {
        validate_number(c, false)
    }),
    old("validate_slength", "Fails unless texts are of a length.", -3, validate_slength),
    old("validate_cmd", "Fails unless a command accepts the content.", -1, validate_cmd),
    old("validate_augeas", "Fails, as upstream where Augeas is not installed.", -1, |_| {
        fail(
            "validate_augeas(): this function requires the augeas feature. See \
                 http://docs.puppetlabs.com/guides/augeas.html#pre-requisites for how to activate it.",
        )
    }),
    old(
        "validate_x509_rsa_key_pair",
        "Fails unless an RSA key signed a certificate.",
        -1,
        validate_key_pair,
    ),
];

fn validate_key_pair(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let n = args.len();
    if n != 2 {
        let name = call.name;
        return fail(format!("{name}(): wrong number of arguments ({n}; must be 2)"));
    }
    if let Some(other) = args.iter().find(|v| v.as_str().is_none()) {
        return fail(format!("{} is not a string.", ruby_inspect(other)));
    }
    let certificate = match Signed::read(&text_of(&args[0])) {
        Ok(certificate) => certificate,
        Err(error) => return fail(format!("Not a valid x509 certificate: {error}")),
    };
    let key = text_of(&args[1]);
    // As upstream, the marks must be at the start of lines.
    if !key.lines().any(|line| line.starts_with("-----BEGIN ")) {
        return fail("Not a valid RSA key: Neither PUB key nor PRIV key");
    }
    let key = match PrivateKey::read(&key) {
        Ok(key) => key,
        Err(error) => return fail(format!("Not a valid RSA key: {error}")),
    };
    if !certificate.is_by(&key) {
        return fail("Certificate signature does not match supplied key");
    }
    Ok(Value::Undef)
}

/// Runs a command on content. The command reads it from standard input, because a compile writes no
/// files: `%` becomes `/dev/stdin`.
fn validate_cmd(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let n = args.len();
    if !(2..=3).contains(&n) {
        return fail(format!("validate_cmd(): wrong number of arguments ({n}; must be 2 or 3)"));
    }
    let message = match args.get(2) {
        Some(message) => text_of(message),
        None => format!(
            "validate_cmd(): failed to validate content with command {}",
            ruby_inspect(&args[1])
        ),
    };
    let Some(command) = args[1].as_str() else {
        let class = crate::functions::legacy::conversion_name(&args[1]);
        return fail(format!("{message}\nTypeError no implicit conversion of {class} into String"));
    };
    let command = if regex(r"\s%(\s|$)")?.is_match(command).map_err(wrap)? {
        command.replace('%', "/dev/stdin")
    } else {
        format!("{command} /dev/stdin")
    };
    let request = ProcessRequest {
        argv: ["/bin/sh", "-c", &command].map(String::from).to_vec(),
        cwd: None,
        env: Vec::new(),
        stdin: text_of(&args[0]).into_bytes(),
        timeout: None,
    };
    match call.compiler.env.world.run(&request) {
        Ok(output) if output.status == Some(0) => Ok(Value::Undef),
        Ok(output) => {
            let text = [output.stdout, output.stderr].concat();
            let (text, status) = (String::from_utf8_lossy(&text), output.status.unwrap_or(1));
            fail(format!("{message}\nExecution of '{command}' returned {status}: {text}"))
        }
        Err(error) => fail(format!("{message}\n{error}")),
    }
}

fn asks(call: &mut Call<'_, '_>, test: fn(&Value) -> bool) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        let (name, n) = (call.name, args.len());
        return fail(format!("{name}(): Wrong number of arguments given ({n} for 1)"));
    }
    Ok(Value::Bool(test(&args[0])))
}

fn asks_regex(call: &mut Call<'_, '_>, pattern: &str) -> EvalResult {
    let args = old_args(call);
    let Some(text) = at(&args, 0).as_str() else { return Ok(Value::Bool(false)) };
    Ok(Value::Bool(regex(pattern)?.is_match(text).map_err(wrap)?))
}

fn is<T: std::str::FromStr>(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.parse::<T>().is_ok())
}

fn is_integer(value: &Value) -> bool {
    match value {
        Value::Int(_) => true,
        Value::Str(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_digit())
                && (digits == "0" || !digits.starts_with('0'))
        }
        _ => false,
    }
}

fn is_float(value: &Value) -> bool {
    match value {
        Value::Float(_) => true,
        Value::Str(text) => text.contains('.') && is_numeric_text(text),
        _ => false,
    }
}

fn is_numeric_text(text: &str) -> bool {
    !text.is_empty() && ordain_functions::float::parse_ruby(text).is_ok()
}

fn is_absolute(value: &Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    let bytes = text.as_bytes();
    let is_drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    text.starts_with('/') || text.starts_with("\\\\") || is_drive
}

fn has_key(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match &args[0] {
        Value::Hash(hash) => Ok(Value::Bool(hash.contains_key(&args[1]))),
        Value::Str(text) if text.is_empty() => Ok(Value::Bool(false)),
        other => fail(format!(
            "has_key(): expects the first argument to be a hash, got {} which is of type {}",
            ruby_inspect(other),
            ruby_class(other)
        )),
    }
}

fn hash(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let Some(items) = args[0].as_array() else {
        return fail("hash(): Requires array to work with");
    };
    let items = flat(items)?;
    if items.len() % 2 == 1 {
        return fail("hash(): Unable to compute hash from array given");
    }
    let pairs = items.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    Ok(Value::Hash(Arc::new(pairs.collect::<HashValue>())))
}

fn type3x(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    Ok(Value::str(match &args[0] {
        Value::Bool(_) => "boolean".into(),
        Value::Str(text) if is_integer(&args[0]) && !text.is_empty() => "integer".into(),
        Value::Str(_) if is_float(&args[0]) => "float".into(),
        other => ruby_class(other).to_lowercase(),
    }))
}

fn is_function_available(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let name = text_of(&args[0]);
    Ok(Value::Bool(call.compiler.has_function(&name)))
}

fn validate(call: &mut Call<'_, '_>, what: &str, test: fn(&Value) -> bool) -> EvalResult {
    for value in old_args(call) {
        if !test(&value) {
            let (text, class) = (ruby_inspect(&value), ruby_class(&value));
            return fail(format!("{text} is not {what}.  It looks to be a {class}"));
        }
    }
    Ok(Value::Undef)
}

fn validate_re(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let Some(text) = args[0].as_str() else {
        return fail(format!("input needs to be a String, not a {}", ruby_class(&args[0])));
    };
    for pattern in as_list(&args[1]).iter() {
        if regex(&text_of(pattern))?.is_match(text).map_err(wrap)? {
            return Ok(Value::Undef);
        }
    }
    match args.get(2) {
        Some(message) => fail(text_of(message)),
        None => fail(format!(
            "validate_re(): {} does not match {}",
            ruby_inspect(&args[0]),
            ruby_inspect(&args[1])
        )),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        Value::Str(text) if is_numeric_text(text) => ordain_functions::float::parse_ruby(text).ok(),
        _ => None,
    }
}

fn validate_number(call: &mut Call<'_, '_>, whole: bool) -> EvalResult {
    let args = old_args(call);
    let (name, what) = (call.name, if whole { "an Integer" } else { "a Numeric" });
    let bound = |i: usize| args.get(i).and_then(number);
    let (max, min) = (bound(1), bound(2));
    for value in as_list(&args[0]).iter() {
        let fits = if whole { is_integer(value) } else { number(value).is_some() };
        let Some(n) = number(value).filter(|_| fits) else {
            return fail(format!(
                "{name}(): Expected first argument to be {what} or Array, got {}",
                ruby_class(value)
            ));
        };
        if max.is_some_and(|max| n > max) {
            let max = text_of(&args[1]);
            return fail(format!(
                "{name}(): Expected {} to be smaller or equal to {max}, got {}",
                ruby_inspect(value),
                text_of(value)
            ));
        }
        if min.is_some_and(|min| n < min) {
            let min = text_of(&args[2]);
            return fail(format!(
                "{name}(): Expected {} to be greater or equal to {min}, got {}",
                ruby_inspect(value),
                text_of(value)
            ));
        }
    }
    Ok(Value::Undef)
}

fn validate_slength(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let bound = |i: usize| args.get(i).and_then(number);
    let Some(max) = bound(1) else {
        return fail("validate_slength(): Expected second argument to be a positive Numeric");
    };
    let min = bound(2).unwrap_or(0.0);
    for value in as_list(&args[0]).iter() {
        let Some(text) = value.as_str() else {
            return fail(format!(
                "validate_slength(): Expected first argument to be a String or Array, got {}",
                ruby_class(value)
            ));
        };
        let length = text.chars().count() as f64;
        if length > max || length < min {
            return fail(format!(
                "validate_slength(): Expected length of {} to be between {min} and {max}, was {length}",
                ruby_inspect(value)
            ));
        }
    }
    Ok(Value::Undef)
}
