//! Settings of a resource for the scheduler, by its metaparameters.
//!
//! mgmt's meta parameters are attributes `meta:NAME`. By default a failed resource is tried again
//! after a quarter of a second, with growing delays if it fails again.

use ordain_data::Value;
use ordain_graph::Resource;

use super::scheduler_graph::{Limit, Poll, Settings};
use crate::kind::params::{reveal, scalar_text};
use crate::run::prepare::RetryPolicy;

/// The first and the maximal delay after a failure, in milliseconds.
const RETRY_DELAYS: (u64, u64) = (250, 5 * 60 * 1_000);

/// The settings of a resource from its attributes.
pub(super) fn of(resource: &Resource) -> Settings {
    if !resource.attributes.iter().any(|attribute| attribute.name.starts_with("meta:")) {
        return plain();
    }
    let settings = Settings {
        retry_reset: is_true(resource, "meta:retryreset"),
        poll: poll(integer(resource, "meta:poll").unwrap_or(0)),
        limit: limit(resource),
        semaphores: semaphores(resource),
        rewatch: is_true(resource, "meta:rewatch"),
        reset: is_true(resource, "meta:reset"),
        ..Settings::default()
    };
    if resource.value("meta:retry").is_none() {
        return Settings {
            retry: None,
            delay: RETRY_DELAYS.0,
            longest_delay: RETRY_DELAYS.1,
            ..settings
        };
    }
    let RetryPolicy { retries, delay, .. } = RetryPolicy::of(resource);
    Settings { retry: retries, delay: delay.as_millis() as u64, ..settings }
}

/// The settings of a resource without metaparameters.
fn plain() -> Settings {
    let (delay, longest_delay) = RETRY_DELAYS;
    Settings { retry: None, delay, longest_delay, ..Settings::default() }
}

fn text(resource: &Resource, name: &str) -> Option<String> {
    resource.value(name).and_then(|value| scalar_text(reveal(value).0))
}

fn integer(resource: &Resource, name: &str) -> Option<i64> {
    text(resource, name)?.parse().ok()
}

fn is_true(resource: &Resource, name: &str) -> bool {
    text(resource, name).as_deref() == Some("true")
}

/// mgmt counts seconds; a negative number means one check.
fn poll(seconds: i64) -> Poll {
    match seconds {
        0 => Poll::Watch,
        ..0 => Poll::Once,
        1.. => Poll::Every((seconds as u64).saturating_mul(1_000)),
    }
}

fn limit(resource: &Resource) -> Option<Limit> {
    let rate: f64 = text(resource, "meta:limit")?.parse().ok()?;
    let burst = integer(resource, "meta:burst").unwrap_or(0);
    rate.is_finite().then(|| Limit { rate, burst: u32::try_from(burst).unwrap_or(0) })
}

/// `NAME` or `NAME:SIZE`; the whole text is the name.
fn semaphores(resource: &Resource) -> Vec<(String, u32)> {
    let Some(Value::List(names)) = resource.value("meta:sema") else { return Vec::new() };
    let mut found: Vec<(String, u32)> = names
        .iter()
        .filter_map(scalar_text)
        .map(|name| {
            let size = name.rsplit_once(':').and_then(|(_, size)| size.parse().ok());
            (name, size.filter(|size| *size > 0).unwrap_or(1))
        })
        .collect();
    found.sort();
    found.dedup();
    found
}
