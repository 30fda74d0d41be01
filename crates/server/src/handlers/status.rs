//! The state of the server, for agents, load balancers and monitoring.

use std::sync::Arc;

use hyper::StatusCode;
use serde_json::{Value as Json, json};

use crate::principal::Anyone;
use crate::reply::{JSON, PUPPET_VERSION, Reply};
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
            Reply::text(StatusCode::NOT_FOUND, format!("not found: {name}"))
        }
        _ => Reply::text(StatusCode::OK, "running"),
    }
}

/// `GET /status/v1/services[?level=LEVEL]` and `/status/v1/services/SERVICE`.
pub(crate) async fn services(server: Arc<Server>, _: Anyone, request: Request) -> Reply {
    let level = match request.target.query.get("level").unwrap_or("info") {
        level @ ("critical" | "info" | "debug") => level,
        other => {
            let text = format!("Invalid level: :{other}");
            return problem(StatusCode::BAD_REQUEST, "data-invalid", &text);
        }
    };
    match request.captured.name.as_deref() {
        None => {
            let all =
                SERVICES.iter().map(|name| ((*name).to_string(), service(&server, name, level)));
            Reply::json(&all.collect::<serde_json::Map<_, _>>().into())
        }
        Some(name) if SERVICES.contains(&name) => {
            let mut status = service(&server, name, level);
            status["service_name"] = name.into();
            Reply::json(&status)
        }
        Some(name) => {
            let text = format!("No status information found for service {name}");
            problem(StatusCode::NOT_FOUND, "service-not-found", &text)
        }
    }
}

/// The status of a service. Details are part of the level `debug` only.
fn service(server: &Server, name: &str, level: &str) -> Json {
    let (waiting, running) = server.pool.load();
    let (version, details) = match (name, level) {
        // Commands are stored before they are answered, so none waits.
        (PUPPETDB, _) => (
            super::puppetdb::VERSION,
            json!({
                "maintenance_mode?": false,
                "queue_depth": 0,
                "read_db_up?": true,
                "write_db_up?": true,
            }),
        ),
        (_, "debug") => (
            PUPPET_VERSION,
            json!({
                "uptime": server.started.elapsed().as_secs(),
                "compiles": { "waiting": waiting, "running": running },
            }),
        ),
        _ => (PUPPET_VERSION, json!({})),
    };
    json!({
        "service_version": version,
        "service_status_version": 1,
        "detail_level": level,
        "state": "running",
        "status": details,
        "active_alerts": [],
    })
}

fn problem(status: StatusCode, kind: &str, text: &str) -> Reply {
    Reply::new(status, JSON, json!({ "kind": kind, "msg": text }).to_string())
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
    if let Some(shadow) = &server.shadow {
        shadow.write_metrics(&mut text);
    }
    if let Some(answers) = &server.answers {
        answers.write_metrics(&mut text);
    }
    Reply::new(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
}
