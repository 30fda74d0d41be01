//! `replace_facts`.

use serde_json::{Map, Value as Json, json};

use super::context::Context;
use crate::time::format_time;

/// The fact with the installed packages.
const INVENTORY: &str = "_puppet_inventory_1";

/// Makes the command for the facts of a node. `trusted` is the object of its trusted facts.
pub fn replace_facts(mut values: Map<String, Json>, trusted: Json, context: &Context<'_>) -> Json {
    values.insert("trusted".into(), trusted);
    let inventory = values.remove(INVENTORY);
    let mut command = json!({
        "certname": context.certname,
        "environment": context.environment,
        "producer_timestamp": format_time(context.producer_timestamp),
        "producer": context.producer,
        "values": values,
    });
    let inventory = inventory.filter(|value| !matches!(value, Json::Null | Json::Bool(false)));
    if let (Some(inventory), Json::Object(command)) = (inventory, &mut command) {
        let packages = inventory.get("packages").cloned().unwrap_or_default();
        command.insert("package_inventory".into(), packages);
    }
    command
}
