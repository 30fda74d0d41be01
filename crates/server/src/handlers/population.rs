//! The metrics of PuppetDB that consoles show, in the form of Jolokia.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::principal::QueryClient;
use crate::queries::Population;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// The domain of the metrics.
const DOMAIN: &str = "puppetlabs.puppetdb.population";

/// The metrics: name and value.
fn metrics(population: Population) -> [(&'static str, Json); 5] {
    let Population { active_nodes, inactive_nodes, resources } = population;
    let average = if active_nodes == 0 { 0.0 } else { resources as f64 / active_nodes as f64 };
    [
        ("name=num-nodes", json!(active_nodes)),
        ("name=num-active-nodes", json!(active_nodes)),
        ("name=num-inactive-nodes", json!(inactive_nodes)),
        ("name=num-resources", json!(resources)),
        ("name=avg-resources-per-node", json!(average)),
    ]
}

/// `GET /metrics/v2/list`.
pub(crate) async fn list(_: Arc<Server>, _: QueryClient, _: Request) -> Reply {
    let attribute = json!({ "attr": { "Value": { "rw": false, "type": "java.lang.Object" } } });
    let names =
        metrics(Population::default()).map(|(name, _)| (name.to_string(), attribute.clone()));
    let names: serde_json::Map<String, Json> = names.into_iter().collect();
    answer(json!({ "type": "list" }), &json!({ DOMAIN: names }))
}

/// `GET /metrics/v2/read/NAME`.
pub(crate) async fn read(server: Arc<Server>, _: QueryClient, request: Request) -> Reply {
    let name = request.captured.name.unwrap_or_default();
    let asked = json!({ "mbean": name.as_str(), "type": "read" });
    let own = name.strip_prefix(DOMAIN).and_then(|rest| rest.strip_prefix(':'));
    let is_known = metrics(Population::default()).iter().any(|(known, _)| own == Some(*known));
    if !is_known {
        // Jolokia's errors have the status in the body.
        let kind = "javax.management.InstanceNotFoundException";
        return Reply::json(&json!({
            "request": asked, "error_type": kind, "error": format!("{kind} : {name}"), "status": 404,
        }));
    }
    match server.queries.population().await {
        Ok(population) => {
            let found = metrics(population).into_iter().find(|(known, _)| own == Some(*known));
            answer(asked, &json!({ "Value": found.map(|(_, value)| value) }))
        }
        Err(message) => Reply::failed(message),
    }
}

fn answer(request: Json, value: &Json) -> Reply {
    let timestamp = jiff::Timestamp::now().as_second();
    Reply::json(&json!({
        "request": request, "value": value, "timestamp": timestamp, "status": 200,
    }))
}
