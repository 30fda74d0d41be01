//! Functions of the modules extlib and systemd.

use std::sync::Arc;

use crate::error::EvalResult;
use crate::functions::call::Call;
use crate::functions::support::function;
use crate::functions::{Function, opt, plain, req};
use crate::value::Value;

/// Letters and digits that are not easily confused.
const CLEAR: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The functions of these modules.
pub const TABLE: &[Function] = &[
    function(
        "extlib::ip_to_cron",
        "Gives hours and minutes for cron that belong to the address of the node.",
        &[plain(&[opt("Integer[1]", "runinterval")], ip_to_cron)],
    ),
    function(
        "extlib::random_password",
        "Makes a random password, another one each time.",
        &[plain(&[req("Integer[1, 65536]", "length")], random_password)],
    ),
    function(
        "systemd::systemd_escape",
        "Escapes a text for the name of a unit.",
        &[plain(&[req("String", "input"), opt("Optional[Boolean]", "path")], systemd_escape)],
    ),
];

fn ip_to_cron(call: &mut Call<'_, '_>) -> EvalResult {
    let interval = call.int(0).unwrap_or(1800).max(1);
    call.compiler.note_entry(call.scope, "facts", ["networking", "ip"]);
    let facts = call.compiler.scopes.quiet_lookup(call.scope, "facts");
    let ip = facts.and_then(|f| f.get("networking")).and_then(|n| n.get("ip"));
    let ip = ip.and_then(Value::as_str).unwrap_or_default();
    let octet: i64 = ip.split('.').nth(3).and_then(|o| o.parse().ok()).unwrap_or_default();
    let times = |count: i64, scope: i64| {
        let base = octet % scope;
        let step = if count == 0 { 0 } else { scope / count };
        let mut times: Vec<i64> =
            (1..=count).map(|i| (base - step * i).rem_euclid(scope)).collect();
        times.sort_unstable();
        Value::array(times.into_iter().map(Value::Int))
    };
    let (hour, minute) = if interval <= 3600 {
        (Value::from("*"), times(3600 / interval, 60))
    } else {
        (times(86_400 / interval, 24), Value::Int(octet % 60))
    };
    Ok(Value::array([hour, minute]))
}

fn random_password(call: &mut Call<'_, '_>) -> EvalResult {
    let length = call.int(0).unwrap_or(1);
    let world = Arc::clone(&call.compiler.env.world);
    let letter = |_| char::from(CLEAR[(world.random() % CLEAR.len() as u64) as usize]);
    Ok(Value::from((0..length).map(letter).collect::<String>()))
}

fn systemd_escape(call: &mut Call<'_, '_>) -> EvalResult {
    let input = call.str(0);
    let mut text = input.as_str().to_owned();
    if call.arg(1).is_true() {
        let parts = text.split('/').filter(|p| !p.is_empty() && *p != ".");
        text = parts.collect::<Vec<_>>().join("/");
        if text.is_empty() {
            return Ok(Value::from("-"));
        }
    }
    let mut out = String::new();
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'/' => out.push('-'),
            b'.' if i == 0 => out.push_str("\\x2e"),
            b':' | b'_' | b'.' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    Ok(Value::from(out))
}
