//! Resources that are declared more than once.

use rustc_hash::FxHashMap;

use super::problems::fail;
use super::resource::{Resource, Resources, difference};
use crate::failure::Failure;
use crate::value::Value;

/// The resources of each kind and name. Hidden ones may exist besides one that is not.
pub(super) type ByName = FxHashMap<(String, String), Vec<usize>>;

/// Equal resources become one.
pub(super) fn gather(made: Vec<Resource>, into: &mut Resources) -> Result<ByName, Vec<Failure>> {
    let mut by_name = ByName::default();
    let mut found = Vec::new();
    for resource in made {
        let key = (resource.kind.kind.name.to_owned(), resource.name.clone());
        let known = by_name.entry(key).or_default();
        let twin = known
            .iter()
            .rev()
            .copied()
            .find(|at| into.list[*at].meta.hidden == resource.meta.hidden);
        if let Some(twin) = twin {
            match difference(&into.list[twin], &resource) {
                None => continue,
                Some(_) if resource.meta.hidden => {}
                Some(_) if resource.kind.kind.has("compatible") => {
                    match merged(&into.list[twin], &resource) {
                        Ok(state) => {
                            if let Some((at, ..)) = resource.kind.field("state") {
                                into.list[twin].fields[at] = Some(state);
                            }
                        }
                        Err(cause) => {
                            let text = format!(
                                "incompatible duplicate resource `{}` found: {cause}",
                                resource.reference()
                            );
                            let other = into.list[twin].span;
                            found.push(fail(text, resource.span).related(other, "the first one"));
                        }
                    }
                    continue;
                }
                Some(difference) => {
                    found.push(unequal(&into.list[twin], &resource, &difference));
                    continue;
                }
            }
        }
        known.push(into.list.len());
        into.list.push(resource);
    }
    if found.is_empty() { Ok(by_name) } else { Err(found) }
}

/// The error of two declarations with different fields.
fn unequal(first: &Resource, resource: &Resource, difference: &str) -> Failure {
    let reference = resource.reference();
    let export = resource.meta.export.first().filter(|_| !first.meta.export.is_empty());
    let text = match export {
        Some(host) => format!("inequivalent duplicate export: {reference} to {host}: {difference}"),
        None => format!("inequivalent duplicate resource `{reference}` found: {difference}"),
    };
    fail(text, resource.span).related(first.span, "the first one")
}

/// The error of two declarations that are not hidden, if they cannot become one.
pub(super) fn conflict(first: &Resource, resource: &Resource) -> Option<Failure> {
    if resource.kind.kind.has("compatible") {
        return None;
    }
    difference(first, resource).map(|difference| unequal(first, resource, &difference))
}

/// The common state of two declarations of a package, if their states are compatible.
fn merged(a: &Resource, b: &Resource) -> Result<Value, String> {
    let others = a.kind.kind.fields.iter().filter(|field| field.name != "state");
    for field in others {
        let same = match (a.value(field.name), b.value(field.name)) {
            (Some(x), Some(y)) => x.is_same(&y),
            (x, y) => x.is_none() && y.is_none(),
        };
        if !same {
            let shown = |value: Option<Value>| value.map_or("nil".into(), |v| v.to_string());
            let (x, y) = (shown(a.value(field.name)), shown(b.value(field.name)));
            return Err(format!("{} differs: {x} vs {y}", field.name));
        }
    }
    let (x, y) = (a.text("state"), b.text("state"));
    let both = ["installed", "newest"];
    if x == y {
        return Ok(x.into());
    }
    if both.contains(&x.as_str()) && both.contains(&y.as_str()) {
        return Ok("newest".into());
    }
    Err(format!("state differs in an incompatible way: {x} vs {y}"))
}

/// Equal exports only.
pub(super) fn check_exports(resources: &Resources) -> Result<(), Vec<Failure>> {
    let mut exports: FxHashMap<(&str, &str, &str), usize> = FxHashMap::default();
    for (at, resource) in resources.list.iter().enumerate() {
        for host in &resource.meta.export {
            let key = (resource.kind.kind.name, resource.name.as_str(), host.as_str());
            let Some(other) = exports.insert(key, at) else { continue };
            if let Some(difference) = difference(&resources.list[other], resource) {
                let text = format!(
                    "inequivalent duplicate export: {} to {host}: {difference}",
                    resource.reference()
                );
                return Err(vec![fail(text, resource.span)]);
            }
        }
    }
    Ok(())
}
