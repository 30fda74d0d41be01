//! The state of the server, for agents, load balancers and monitoring.

use std::sync::Arc;

use hyper::StatusCode;
use serde_json::{Value as Json, json};

use crate::principal::Anyone;
use crate::reply::{PUPPET_VERSION, Reply};
use crate::request::Request;
use crate::server::Server;

/// The services that agents and `puppetserver` commands ask for.
const SERVICES: [&str; 5] = ["server", "master", "ca", "status-service", PUPPETDB];
/// The service that clients of PuppetDB ask for.
const PUPPETDB: &str = "puppetdb-status";

/// `GET /status/v1/simple` and `/status/v1/simple/SERVICE`.
pub(crate) async fn simple(_: Arc<Server>, _: Anyone, request: Request) -> Reply {
    match request.captured.name.as_deref() {
        Some(name) if !SERVICES.contains(&name) => {
            Reply::text(StatusCode::NOT_FOUND, "not found: the service is unknown")
        }
        _ => Reply::text(StatusCode::OK, "running"),
    }
}

/// `GET /status/v1/services` and `/status/v1/services/SERVICE`.
pub(crate) async fn services(server: Arc<Server>, _: Anyone, request: Request) -> Reply {
    let (waiting, running) = server.pool.load();
    let one = |name: &str| {
        if name == PUPPETDB {
            return puppetdb_state();
        }
        json!({
            "service_name": name,
            "service_version": PUPPET_VERSION,
            "service_status_version": 1,
            "detail_level": "info",
            "state": "running",
            "status": {
                "uptime": server.started.elapsed().as_secs(),
                "compiles": { "waiting": waiting, "running": running },
            },
            "active_alerts": [],
        })
    };
    match request.captured.name.as_deref() {
        None => {
            let all = SERVICES.iter().map(|name| ((*name).to_string(), one(name)));
            Reply::json(&all.collect::<serde_json::Map<_, _>>().into())
        }
        Some(name) if SERVICES.contains(&name) => Reply::json(&one(name)),
        Some(name) => Reply::text(
            StatusCode::NOT_FOUND,
            format!("No status information found for service {name}"),
        ),
    }
}

/// The state of PuppetDB's API. Commands are stored before they are answered, so none waits.
fn puppetdb_state() -> Json {
    json!({
        "service_name": PUPPETDB,
        "service_version": super::puppetdb::VERSION,
        "service_status_version": 1,
        "detail_level": "info",
        "state": "running",
        "status": {
            "maintenance_mode?": false, "queue_depth": 0, "read_db_up?": true, "write_db_up?": true,
        },
        "active_alerts": [],
    })
}

/// `GET /healthz`: whether the server accepts requests.
pub(crate) async fn health(_: Arc<Server>, _: Anyone, _: Request) -> Reply {
    Reply::text(StatusCode::OK, "ok\n")
}

/// `GET /metrics`, on the address of monitoring only.
pub(crate) async fn metrics(server: Arc<Server>, _: Anyone, _: Request) -> Reply {
    let (waiting, running) = server.pool.load();
    let mut text = server.metrics.write(&[
        ("ordain_connections", "Open connections", server.connections.count() as u64),
        ("ordain_compiles_waiting", "Compiles that wait", waiting as u64),
        ("ordain_compiles_running", "Compiles that run", running as u64),
        ("ordain_uptime_seconds", "Time since the start", server.started.elapsed().as_secs()),
    ]);
    if let Some(answers) = &server.answers {
        answers.write_metrics(&mut text);
    }
    Reply::new(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
}
