//! Inmanta's cases: models with their variables, instances, output, or the error.

use std::path::PathBuf;

use ordain_inmanta::output;
use ordain_inmanta::project::parse_rule;
use ordain_inmanta::session::{Request, compile};
use ordain_source::{HostWorld, SourceMap};
use serde_json::{Value as Json, json};

use super::Disagreement;

/// A model.
pub fn model(case: &Json) -> Disagreement {
    let case = case.clone();
    let run = std::thread::Builder::new().stack_size(64 << 20).spawn(move || compare(&case));
    match run.map(std::thread::JoinHandle::join) {
        Ok(Ok(result)) => result,
        _ => Some("the run panicked".into()),
    }
}

fn answer(case: &Json) -> Json {
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let project = PathBuf::from("/nonexistent/project");
    let text = case["model"].as_str().unwrap_or_default();
    let mut request = Request::new(&world, &sources, &project, project.join("main.cf"), text);
    request.autostd = case["autostd"] == json!(true);
    let rules = case["precedence"].as_array().into_iter().flatten().filter_map(Json::as_str);
    request.precedence = rules.filter_map(parse_rule).collect();
    request.shown = vec![(project, "{dir}".into())];
    let mut outcome = compile(request);
    let mut json = output::json(&outcome);
    if json["status"] == "ok" {
        json["resources"] = match outcome.export() {
            Ok(exported) => exported.resources.into(),
            Err(error) => json!(error.message),
        };
    }
    json
}

fn compare(case: &Json) -> Disagreement {
    let want = &without_places_in_std(&case["expected"]);
    let got = without_places_in_std(&answer(case));
    let only_class = case["stable"] == json!(false);
    let mut out = Vec::new();
    let mut check = |what: &str, want: &Json, got: &Json| {
        if want != got {
            out.push(format!("{what}:\n  want {want}\n  got  {got}"));
        }
    };
    check("status", &want["status"], &got["status"]);
    if want["status"] == "error" {
        let (want, got) = (&want["error"], &got["error"]);
        check("class", &want["class"], &got["class"]);
        if !only_class {
            for part in ["msg", "trace", "location", "explain"] {
                check(part, &plain(&want[part]), &plain(&got[part]));
            }
            check("causes", &causes(want), &causes(got));
        }
    } else if got["status"] == "error" {
        check("error", &Json::Null, &got["error"]["trace"]);
    } else if !only_class {
        let (want_vars, want_instances) = canonical(want);
        let (got_vars, got_instances) = canonical(&got);
        check("vars", &want_vars, &got_vars);
        check("instances", &want_instances, &got_instances);
        check("resources", &sorted(&want["resources"]), &sorted(&got["resources"]));
    }
    if !only_class {
        check("stdout", &plain(&want["stdout"]), &plain(&got["stdout"]));
        if want["status"] == "ok" {
            check("plugin calls", &want["plugin_calls"], &got["plugin_calls"]);
        }
        check("warnings", &plain(&want["warnings"]), &plain(&got["warnings"]));
    }
    if out.is_empty() {
        return None;
    }
    let model = case["model"].as_str().unwrap_or_default();
    Some(format!("{model}\n{}\n", out.join("\n")))
}

/// What an error is caused by: classes, messages and places.
fn causes(error: &Json) -> Json {
    let inner = error["causes"].as_array().into_iter().flatten();
    inner
        .map(|cause| {
            let parts = ["class", "msg", "location"].map(|part| plain(&cause[part]));
            json!([parts, causes(cause)])
        })
        .collect()
}

/// A text without what differs from run to run: addresses and numbers of instances.
fn plain(value: &Json) -> Json {
    match value {
        Json::String(text) => json!(masked(text)),
        Json::Array(items) => items.iter().map(plain).collect(),
        _ => value.clone(),
    }
}

/// Resources in the order of their ids.
fn sorted(resources: &Json) -> Json {
    let mut resources = resources.clone();
    if let Some(items) = resources.as_array_mut() {
        items.sort_by_cached_key(|item| item["id"].to_string());
    }
    resources
}

/// Places in the model of std without their lines: it is written anew.
fn without_places_in_std(value: &Json) -> Json {
    const FILE: &str = "std/model/_init.cf:";
    match value {
        Json::String(text) if text.contains("/model/_init.cf:") => {
            let text = text.replace("{std}/", "std/");
            let mut parts = text.split(FILE);
            let mut out = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                out.push_str("{std}");
                out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':'));
            }
            json!(out)
        }
        Json::Array(items) => items.iter().map(without_places_in_std).collect(),
        Json::Object(map) => {
            map.iter().map(|(key, v)| (key.clone(), without_places_in_std(v))).collect()
        }
        _ => value.clone(),
    }
}

fn masked(text: &str) -> String {
    let mut out = text.replace(" at 0x<id>", "").replace("<id>", "#");
    // The numbers of instances.
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

/// Variables and instances with ids that do not depend on the order of creation, relations sorted.
fn canonical(result: &Json) -> (Json, Json) {
    let empty = Vec::new();
    let instances = result["instances"].as_array().unwrap_or(&empty);
    let mut keys: std::collections::HashMap<String, String> = std::collections::HashMap::new();
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
        let mut next = std::collections::HashMap::new();
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
        // Where an instance was constructed several times the order is that of the runs.
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

/// Takes references to instances out.
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

/// Renames references to instances; lists of them are sorted.
fn rename(value: &mut Json, keys: &std::collections::HashMap<String, String>) {
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
