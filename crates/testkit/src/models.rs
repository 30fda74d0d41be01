//! Compares the outcome of an Inmanta model with the recorded outcome of the original, both in the
//! form of `ordain compile --format json`.
//!
//! Instance ids differ from run to run, so instances are identified by their content. Parts that
//! were not recorded (variables, instances) are not compared. Integers beyond 64 bits are compared
//! as floats. Lists of instances are compared without their order. Places in the model of `std`
//! have no line, as Ordain has a model of its own.

use std::collections::HashMap;

use serde_json::{Value as Json, json};

/// The differences between a recorded outcome and another one. If the original `is_stable` is
/// false, only the status and the class of the error are compared.
pub fn differences(want: &Json, got: &Json, is_stable: bool) -> Vec<String> {
    let want = &comparable(want);
    let got = &comparable(got);
    let mut out = Differences(Vec::new());
    out.check("status", &want["status"], &got["status"]);
    if want["status"] == "error" {
        out.error("error", &want["error"], &got["error"], is_stable);
    } else if got["status"] == "error" {
        out.check("error", &Json::Null, &got["error"]["trace"]);
    } else if is_stable {
        out.model(want, got);
    }
    if is_stable {
        for part in ["stdout", "warnings", "plugin_calls"] {
            out.check(part, &plain(&want[part]), &plain(&got[part]));
        }
    }
    out.0
}

struct Differences(Vec<String>);

impl Differences {
    fn check(&mut self, what: &str, want: &Json, got: &Json) {
        if want != got {
            self.0.push(format!("{what}:\n  want {want}\n  got  {got}"));
        }
    }

    /// Compares an error and all its causes.
    fn error(&mut self, name: &str, want: &Json, got: &Json, is_stable: bool) {
        self.check(&format!("{name}.class"), &want["class"], &got["class"]);
        if !is_stable {
            return;
        }
        for part in ["module", "mro", "msg", "trace", "location", "explain", "python_cause"] {
            self.check(&format!("{name}.{part}"), &plain(&want[part]), &plain(&got[part]));
        }
        let none = Vec::new();
        let causes = |error: &Json| error["causes"].as_array().unwrap_or(&none).clone();
        let (want, got) = (causes(want), causes(got));
        self.check(&format!("causes of {name}"), &json!(want.len()), &json!(got.len()));
        for (i, (want, got)) in want.iter().zip(&got).enumerate() {
            self.error(&format!("{name}.causes[{i}]"), want, got, true);
        }
    }

    fn model(&mut self, want: &Json, got: &Json) {
        let (want_vars, want_instances) = canonical(want);
        let (got_vars, got_instances) = canonical(got);
        for (part, want_part, got_part) in
            [("vars", &want_vars, &got_vars), ("instances", &want_instances, &got_instances)]
        {
            if want.get(part).is_some() {
                self.check(part, want_part, got_part);
            }
        }
        self.check("resources", &sorted(&want["resources"]), &sorted(&got["resources"]));
        if !want["export_error"].is_null() || !got["export_error"].is_null() {
            self.error("export_error", &want["export_error"], &got["export_error"], true);
        }
    }
}

/// A text without the addresses and instance numbers that differ from run to run.
fn plain(value: &Json) -> Json {
    match value {
        Json::String(text) => json!(masked(text)),
        Json::Array(items) => items.iter().map(plain).collect(),
        _ => value.clone(),
    }
}

/// Sorts resources by id.
fn sorted(resources: &Json) -> Json {
    let mut resources = resources.clone();
    if let Some(items) = resources.as_array_mut() {
        items.sort_by_cached_key(|item| item["id"].to_string());
    }
    resources
}

/// An outcome without line numbers in the model of `std`, and with large integers as floats.
fn comparable(value: &Json) -> Json {
    match value {
        Json::String(text) if text.contains("/model/_init.cf:") => json!(without_places(text)),
        Json::Array(items) => items.iter().map(comparable).collect(),
        Json::Object(map) => {
            let large = map.get("$int").and_then(Json::as_str);
            if let Some(number) = large.and_then(|text| text.parse::<f64>().ok()) {
                return json!(number);
            }
            map.iter().map(|(key, v)| (key.clone(), comparable(v))).collect()
        }
        Json::Number(number) if number.as_i64().is_none() => json!(number.as_f64()),
        _ => value.clone(),
    }
}

/// Removes line numbers in the model of `std` from a text.
fn without_places(text: &str) -> String {
    const FILE: &str = "std/model/_init.cf:";
    let text = text.replace("{std}/", "std/");
    let mut parts = text.split(FILE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("{std}");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':'));
    }
    out
}

fn masked(text: &str) -> String {
    let mut out = text.replace(" at 0x<id>", "").replace("<id>", "#");
    // Instance numbers.
    while let Some(at) =
        out.find(" #").filter(|at| out[at + 2..].starts_with(|c: char| c.is_ascii_digit()))
    {
        let digits =
            out[at + 2..].find(|c: char| !c.is_ascii_digit()).unwrap_or(out.len() - at - 2);
        out.replace_range(at + 2..at + 2 + digits, "");
    }
    for module in ["inmanta.execute.util.", "inmanta.execute.runtime."] {
        out = out.replace(&format!("<{module}Unknown object>"), "<Unknown>");
    }
    out
}

/// Variables and instances with ids that do not depend on the order of creation; relations are
/// sorted.
fn canonical(result: &Json) -> (Json, Json) {
    let empty = Vec::new();
    let instances = result["instances"].as_array().unwrap_or(&empty);
    let mut keys: HashMap<String, String> = HashMap::new();
    for instance in instances {
        let id = instance["id"].as_str().unwrap_or_default().to_owned();
        let mut own = instance.clone();
        own["id"] = Json::Null;
        strip(&mut own["attrs"]);
        let mut places: Vec<String> =
            own["loc"].as_array().into_iter().flatten().map(Json::to_string).collect();
        places.sort();
        own["loc"] = json!(places);
        own.sort_all_objects();
        keys.insert(id, own.to_string());
    }
    for _ in 0..4 {
        let mut next = HashMap::new();
        for instance in instances {
            let id = instance["id"].as_str().unwrap_or_default();
            let mut attrs = instance["attrs"].clone();
            rename(&mut attrs, &keys);
            attrs.sort_all_objects();
            let text = format!("{}{}", keys[id], attrs);
            next.insert(id.to_owned(), format!("{:x}", hash(&text)));
        }
        keys = next;
    }
    let mut out: Vec<Json> = instances
        .iter()
        .map(|instance| {
            let mut own = instance.clone();
            let id = own["id"].as_str().unwrap_or_default().to_owned();
            own["id"] = json!(keys[&id]);
            rename(&mut own["attrs"], &keys);
            own
        })
        .collect();
    let sort = |items: &mut Vec<Json>| items.sort_by_key(Json::to_string);
    for instance in &mut out {
        // The order of instances that several statements construct differs between runs.
        if let Some(attrs) = instance["attrs"].as_object_mut() {
            attrs.sort_keys();
        }
    }
    out.iter_mut().for_each(|instance| {
        if let Some(map) = instance.as_object_mut() {
            map.sort_keys();
        }
    });
    sort(&mut out);
    let mut vars = result["vars"].clone();
    rename(&mut vars, &keys);
    (vars, json!(out))
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Removes references to instances.
fn strip(value: &mut Json) {
    match value {
        Json::Object(map) if map.contains_key("$ref") => *value = json!("$ref"),
        Json::Object(map) => {
            map.values_mut().for_each(strip);
            map.sort_keys();
        }
        Json::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Renames references to instances, and sorts lists of them.
fn rename(value: &mut Json, keys: &HashMap<String, String>) {
    match value {
        Json::Object(map) if map.contains_key("$ref") => {
            let id = map["$ref"].as_str().unwrap_or_default();
            *value = json!({"$ref": keys.get(id)});
        }
        Json::Object(map) => {
            map.values_mut().for_each(|v| rename(v, keys));
            map.sort_keys();
        }
        Json::Array(items) => {
            items.iter_mut().for_each(|v| rename(v, keys));
            if items.iter().all(|item| item.get("$ref").is_some()) {
                items.sort_by_key(Json::to_string);
            }
        }
        _ => {}
    }
}
