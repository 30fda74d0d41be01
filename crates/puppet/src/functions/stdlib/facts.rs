//! Functions on facts of the node and on addresses.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::stdlib::catalog::fact as fact_at;
use crate::functions::stdlib::convert::as_list;
use crate::functions::stdlib::{forward, no_method, text_of};
use crate::functions::support::{function, is_instance, regex, ruby_inspect, wrap};
use crate::functions::{Dispatch, Function, plain, rep, req};
use crate::types::mismatch::describe_mismatch;
use crate::types::{Regexp, Type, TypeAlias, infer_set};
use crate::value::Value;
use crate::value::closure::ScopeId;

/// A signature that promises a truth value.
const fn asked(
    params: &'static [crate::functions::Param],
    body: crate::functions::Body,
) -> Dispatch {
    Dispatch { params, block: None, returns: Some("Boolean"), explains: false, body }
}

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function(
        "fact",
        "Gives a fact by a path with dots between.",
        &[plain(&[req("String", "fact_name")], fact)],
    ),
    function(
        "stdlib::os_version_gte",
        "Tells whether the system is of a name and at least of a version.",
        &[asked(&[req("String[1]", "os"), req("String[1]", "version")], os_version_gte)],
    ),
    function(
        "os_version_gte",
        "Deprecated name of stdlib::os_version_gte.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::os_version_gte"))],
    ),
    function(
        "stdlib::has_interface_with",
        "Tells whether a network interface has a value.",
        &[
            asked(&[req("String[1]", "interface")], has_interface),
            asked(
                &[
                    req("Enum['macaddress','netmask','ipaddress','network','ip','mac']", "kind"),
                    req("String[1]", "value"),
                ],
                |c| {
                    let kind = c.str(0);
                    has_interface_with(c, &kind, 1)
                },
            ),
        ],
    ),
    function(
        "has_interface_with",
        "Deprecated name of stdlib::has_interface_with.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::has_interface_with"))],
    ),
    function(
        "stdlib::has_ip_address",
        "Tells whether an interface has an address.",
        &[asked(&[req("Any", "ip_address")], |c| has_address(c, "ip_address", "ip"))],
    ),
    function(
        "has_ip_address",
        "Deprecated name of stdlib::has_ip_address.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::has_ip_address"))],
    ),
    function(
        "stdlib::has_ip_network",
        "Tells whether an interface is in a network.",
        &[asked(&[req("Any", "ip_network")], |c| has_address(c, "ip_network", "network"))],
    ),
    function(
        "has_ip_network",
        "Deprecated name of stdlib::has_ip_network.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::has_ip_network"))],
    ),
    function(
        "stdlib::ip_in_range",
        "Tells whether an address is in one of the networks.",
        &[asked(
            &[req("String", "ipaddress"), req("Variant[String, Array]", "range")],
            ip_in_range,
        )],
    ),
    function(
        "stdlib::validate_domain_name",
        "Fails unless all values are domain names.",
        &[plain(&[rep("Any", "values")], |c| validate(c, &domain_name()))],
    ),
    function(
        "validate_domain_name",
        "Deprecated name of stdlib::validate_domain_name.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::validate_domain_name"))],
    ),
    function(
        "stdlib::validate_email_address",
        "Fails unless all values are mail addresses.",
        &[plain(&[rep("Any", "values")], |c| validate(c, &alias("Stdlib::Email", EMAIL)))],
    ),
    function(
        "validate_email_address",
        "Deprecated name of stdlib::validate_email_address.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::validate_email_address"))],
    ),
];

const FQDN: &str = r"\A(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]*[a-zA-Z0-9])\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\-]*[A-Za-z0-9])\z";
const ZONE: &str = r"\A((([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])\.)+|\.)\z";
const EMAIL: &str = r"\A[a-zA-Z0-9.!#$%&'*+\/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\z";
const V4: &str = r"\A([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])(\.([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])){3}\z";

/// The module's alias of a pattern, which is defined even without the module.
fn alias(name: &str, pattern: &str) -> Type {
    let alias = TypeAlias { name: name.into(), target: OnceLock::new() };
    // The alias is new, so its target is not set.
    let _ = alias.target.set(Type::Pattern(Arc::new([Arc::new(Regexp::new(pattern))])));
    Type::Alias(Arc::new(alias))
}

fn domain_name() -> Type {
    Type::Variant(Arc::new([alias("Stdlib::Fqdn", FQDN), alias("Stdlib::Dns::Zone", ZONE)]))
}

/// Fails unless a value is of a type, with the message of a mismatched argument.
fn check(call: &Call<'_, '_>, parameter: &str, kind: &Type, value: &Value) -> EvalResult<()> {
    if is_instance(kind, value) {
        return Ok(());
    }
    let subject = format!("'{}' parameter '{parameter}'", call.name);
    fail(describe_mismatch(&subject, kind, &infer_set(value)))
}

fn validate(call: &mut Call<'_, '_>, kind: &Type) -> EvalResult {
    if call.args.is_empty() {
        return fail(format!("{}(): Wrong number of arguments need at least one", call.name));
    }
    for value in &call.args {
        check(call, "values", kind, value)?;
    }
    Ok(Value::Undef)
}

fn has_address(call: &mut Call<'_, '_>, parameter: &str, kind: &str) -> EvalResult {
    check(call, parameter, &alias("Stdlib::IP::Address::V4::Nosubnet", V4), call.arg(0))?;
    has_interface_with(call, kind, 0)
}

fn fact(call: &mut Call<'_, '_>) -> EvalResult {
    let text = call.str(0);
    let found = regex(r#"([^."]+)|(?:")([^"]+)(?:")"#)?;
    let mut path = Vec::new();
    for captures in found.captures_iter(&text) {
        let captures = captures.map_err(wrap)?;
        let span = captures.get(1).or_else(|| captures.get(2));
        path.extend(span.map(|span| text[span].to_owned()));
    }
    call.compiler.note_entry(ScopeId::TOP, "facts", path.iter().map(String::as_str));
    let mut at = call.compiler.quiet_facts().cloned().unwrap_or_default();
    for (i, key) in path.iter().enumerate() {
        let next = match &at {
            Value::Undef => return Ok(Value::Undef),
            Value::Hash(hash) => hash.get(&crate::value::Key(key)).cloned(),
            Value::Array(items) => match key.parse::<i64>() {
                Ok(n) => {
                    let n = if n < 0 { n + items.len() as i64 } else { n };
                    usize::try_from(n).ok().and_then(|n| items.get(n)).cloned()
                }
                Err(_) => {
                    let what = "an array; cannot index to";
                    warn_of_fact(call, &text, &path[..i], &format!("{what} '{key}'"));
                    None
                }
            },
            _ => {
                let what = "not a collection; cannot walk to";
                warn_of_fact(call, &text, &path[..i], &format!("{what} '{key}'"));
                None
            }
        };
        at = next.unwrap_or_default();
    }
    Ok(at)
}

fn warn_of_fact(call: &mut Call<'_, '_>, fact: &str, walked: &[String], what: &str) {
    let quote = |s: &String| if s.contains('.') { format!("\"{s}\"") } else { s.clone() };
    let walked: Vec<String> = walked.iter().map(quote).collect();
    let message =
        format!("fact request for {fact} returning nil: '{}' is {what}", walked.join("."));
    let span = call.span;
    call.compiler.warn(message, Some(span));
}

fn os_version_gte(call: &mut Call<'_, '_>) -> EvalResult {
    let Some(name) = fact_at(call, &["os", "name"]) else {
        return no_method("[]", &Value::Undef);
    };
    if name.as_str() != Some(&call.str(0)) {
        return Ok(Value::Bool(false));
    }
    let major = fact_at(call, &["os", "release", "major"]).unwrap_or_default();
    let order = ordain_functions::version::compare_puppet(&text_of(&major), &call.str(1), false);
    Ok(Value::Bool(order.is_ge()))
}

fn interfaces(call: &mut Call<'_, '_>) -> EvalResult {
    match fact_at(call, &["networking"]) {
        Some(networking) => Ok(networking.get("interfaces").cloned().unwrap_or_default()),
        None => no_method("[]", &Value::Undef),
    }
}

fn has_interface(call: &mut Call<'_, '_>) -> EvalResult {
    let name = call.str(0);
    Ok(Value::Bool(interfaces(call)?.get(&name).is_some()))
}

fn has_interface_with(call: &mut Call<'_, '_>, kind: &str, i: usize) -> EvalResult {
    let wanted = call.arg(i).clone();
    let kind = match kind {
        "ipaddress" => "ip",
        "macaddress" => "mac",
        kind => kind,
    };
    let interfaces = interfaces(call)?;
    let mut all = interfaces.as_hash().into_iter().flatten();
    Ok(Value::Bool(all.any(|(_, interface)| interface.get(kind) == Some(&wanted))))
}

/// An address with its prefix length, by default the whole address.
fn network(text: &str) -> EvalResult<(IpAddr, u32)> {
    let bad = || format!("invalid address: {text}");
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let Ok(address) = address.parse::<IpAddr>() else { return fail(bad()) };
    let whole = if address.is_ipv4() { 32 } else { 128 };
    let length = match length {
        None => whole,
        Some(length) => match (length.parse::<u32>(), length.parse::<IpAddr>()) {
            (Ok(length), _) if length <= whole => length,
            (_, Ok(IpAddr::V4(mask))) => mask.to_bits().leading_ones(),
            _ => return fail(format!("invalid length: {text}")),
        },
    };
    Ok((address, length))
}

fn contains((net, length): (IpAddr, u32), ip: IpAddr) -> bool {
    match (net, ip) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            let differ = a.to_bits() ^ b.to_bits();
            length == 0 || differ >> (32 - length) == 0
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            let differ = a.to_bits() ^ b.to_bits();
            length == 0 || differ >> (128 - length) == 0
        }
        _ => false,
    }
}

fn ip_in_range(call: &mut Call<'_, '_>) -> EvalResult {
    let (ip, _) = network(&call.str(0))?;
    for range in as_list(call.arg(1)).iter() {
        let Some(text) = range.as_str() else {
            return fail(format!("invalid address: {}", ruby_inspect(range)));
        };
        if contains(network(text)?, ip) {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}
