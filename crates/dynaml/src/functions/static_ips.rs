//! `static_ips`: addresses for the instances of a job, from the pool of its network.

use std::rc::Rc;

use super::support::{eager, fail, items};
use crate::diagnostics::stop::{Eval, Stop};
use crate::eval::evaluator::{Call, Table};
use crate::network::{Pool, indices};
use crate::syntax::ast::{PathStep, Reference};
use crate::value::Value;

fn reference(absolute: bool, path: &[&str]) -> Reference {
    let path: Rc<[PathStep]> = path.iter().map(|k| PathStep::Key((*k).into())).collect();
    Reference { tag: None, absolute, path }
}

fn static_ips(call: &mut Call<'_, '_>) -> Eval<Value> {
    let wanted = indices(call.args, "arguments to static_ips must be integer or list of integers")?;
    let Value::Str(name) = call.ev.reference(&reference(false, &["name"]), call.env)?.value else {
        return fail("name field must be string");
    };
    let subnets = reference(true, &["networks", &name, "subnets"]);
    let subnets = call.ev.reference(&subnets, call.env)?.value;
    let pool = pool(&name, &subnets)?;
    let count = match call.ev.reference(&reference(false, &["instances"]), call.env) {
        // As in spiff, a missing number is a failure of this function itself: `||` helps.
        Err(Stop::Blocked(blocked)) if blocked.failed => return fail(blocked.text.clone()),
        count => count?.value,
    };
    let Value::Int(count) = count else { return fail("instances field must be an integer") };
    let mut out = Vec::with_capacity(wanted.len());
    for index in &wanted {
        match pool.get(u128::from(index.unsigned_abs())) {
            Some(address) => out.push(Value::str(address)),
            None => {
                return fail(format!(
                    "ip index {index} out of range ({} IP(s) available)",
                    pool.len()
                ));
            }
        }
    }
    let Some(count) = usize::try_from(count).ok().filter(|n| *n <= out.len()) else {
        return fail(format!("too less static IPs for {count} instances"));
    };
    out.truncate(count);
    Ok(Value::list(out))
}

fn pool(name: &str, subnets: &Value) -> Eval<Pool> {
    let Some(subnets) = items(subnets) else { return fail("subnets field must be a list") };
    let mut pool = Pool::new();
    for subnet in subnets {
        let Value::Map(subnet) = &subnet.value else { return fail("subnet must be a map") };
        let Some(ranges) = subnet.get("static") else {
            return fail(format!("no static ips for network {name}"));
        };
        let Some(ranges) = items(&ranges.value) else {
            return fail(format!("static ips for network {name} must be a list"));
        };
        for range in ranges {
            let Value::Str(text) = &range.value else {
                return fail(format!("invalid entry for static ips for network {name}"));
            };
            pool.add(text)?;
        }
    }
    Ok(pool)
}

pub(super) fn register(table: &mut Table) {
    table.extend([eager(
        "static_ips(index...)",
        "Addresses for the instances of a job, from the pool of its network.",
        static_ips,
    )]);
}
