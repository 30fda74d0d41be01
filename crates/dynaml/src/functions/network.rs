//! Functions on addresses and networks.

use ordain_source::limits::most_items;

use super::support::eager;
use crate::diagnostics::stop::{Eval, Stop};
use crate::eval::evaluator::{Call, Table};
use crate::network::{Net, Pool, indices, parse};
use crate::value::Value;

/// The network that the only argument is.
fn only_network(call: &Call<'_, '_>) -> Eval<Net> {
    let [value] = call.args else {
        return Err(Stop::failed("only one argument expected for CIDR function"));
    };
    network(value)
}

fn network(value: &Value) -> Eval<Net> {
    match parse(value) {
        Ok(net) if net.prefix.is_some() => Ok(net),
        _ => Err(Stop::failed("CIDR argument required")),
    }
}

fn min_ip(call: &mut Call<'_, '_>) -> Eval<Value> {
    let net = only_network(call)?;
    Ok(Value::str(net.of(net.first())?.to_string()))
}

fn max_ip(call: &mut Call<'_, '_>) -> Eval<Value> {
    let net = only_network(call)?;
    Ok(Value::str(net.of(net.last())?.to_string()))
}

fn num_ip(call: &mut Call<'_, '_>) -> Eval<Value> {
    let net = only_network(call)?;
    let count = net.host_mask().checked_add(1).and_then(|n| i64::try_from(n).ok());
    let count = count.ok_or_else(|| Stop::failed("the network has too many addresses"))?;
    Ok(Value::Int(count))
}

fn contains_ip(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [net, address] = call.args else {
        return Err(Stop::failed("contains_ip requires CIDR and IP argument"));
    };
    let Value::Str(text) = net else {
        return Err(Stop::failed("CIDR required as first argument"));
    };
    let Ok(net) = network(net) else {
        let message = format!("CIDR argument required: invalid CIDR address: {text}");
        return Err(Stop::failed(message));
    };
    match (address, parse(address)) {
        (_, Ok(Net { address, prefix: None })) => Ok(Value::Bool(net.contains(address))),
        (Value::Str(text), _) => Err(Stop::failed(format!("IP argument required: {text}"))),
        _ => Err(Stop::failed("IP required as second argument")),
    }
}

fn ipset(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [ranges, count, rest @ ..] = call.args else {
        return Err(Stop::failed(
            "at least 2 argument expected (ipranges, size, optional: ip indices",
        ));
    };
    let mut pool = Pool::new();
    match ranges {
        Value::Str(text) => pool.add(text)?,
        Value::List(list) => {
            for (at, item) in list.items.iter().enumerate() {
                let Value::Str(text) = &item.value else {
                    let message = format!("string entry at ip range list index {at}");
                    return Err(Stop::failed(message));
                };
                pool.add(text)?;
            }
        }
        _ => return Err(Stop::failed("ip range or range list expected as first argument")),
    }
    // The original uses the messages of `static_ips`, and checks the indices first.
    let given = indices(rest, "arguments to static_ips must be integer or list of integers")?;
    let Value::Int(count) = count else {
        return Err(Stop::failed("number of IPs in set expected as second argument"));
    };
    let count = usize::try_from(*count)
        .ok()
        .filter(|n| *n <= most_items())
        .ok_or_else(|| Stop::failed(format!("invalid number of IPs: {count}")))?;
    let wanted: Vec<i64> =
        if rest.is_empty() { (0..i64::try_from(count).unwrap_or(0)).collect() } else { given };
    if wanted.len() < count {
        return Err(Stop::failed(format!(
            "too many required entries ({count} > {} available indices)",
            wanted.len()
        )));
    }
    let mut out = Vec::with_capacity(count);
    for (at, index) in wanted.into_iter().take(count).enumerate() {
        let found = pool.get(u128::from(index.unsigned_abs())).ok_or_else(|| {
            Stop::failed(format!(
                "ip index {at} ({index}) out of range ({} IP(s) available in ranges)",
                pool.len()
            ))
        })?;
        out.push(Value::str(found));
    }
    Ok(Value::list(out))
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager("min_ip(network)", "The first address of a network.", min_ip),
        eager("max_ip(network)", "The last address of a network.", max_ip),
        eager("num_ip(network)", "The number of addresses of a network.", num_ip),
        eager("contains_ip(network, address)", "Whether an address is in a network.", contains_ip),
        eager("ipset(ranges, size, index...)", "Addresses of ranges, by their indices.", ipset),
    ]);
}
