//! Values that nodes share: those of mgmt's `kv`, elections, and exported resources of programs.
//!
//! A node reads the values of all nodes, except resources that are exported to others. It writes
//! those of its own name, and those that belong to nobody.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use ordain_ca::Certname;
use ordain_graph::shared::{SharedChanges, SharedGuard, SharedWrite, Space};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::graph::ended;
use crate::principal::OwnName;
use crate::reply::{JSON, Reply};
use crate::request::Request;
use crate::server::Server;

/// The longest time for which a request for changes is held.
const HOLD: Duration = Duration::from_secs(60);
/// The limits of one request: writes, the bytes of a name, and the bytes of a value.
const MAX_WRITES: usize = 100_000;
const MAX_NAME: usize = 1 << 10;
const MAX_VALUE: usize = 1 << 20;
/// The limits of the seconds after which a value that is not renewed ends.
const TTL: std::ops::RangeInclusive<u64> = 1..=30 * 86_400;

/// The body of a request that changes values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    #[serde(default)]
    writes: Vec<SharedWrite>,
    #[serde(default)]
    guard: Option<SharedGuard>,
    /// The seconds of the values that the node renews.
    #[serde(default)]
    renew: Option<u64>,
}

/// `GET shared/NAME?after=&wait=`: the changes after a revision. Waits for one at most for this
/// number of milliseconds.
pub(crate) async fn changes(server: Arc<Server>, node: OwnName, request: Request) -> Reply {
    let query = &request.target.query;
    let number = |name: &str| query.get(name).map(str::parse::<i64>).transpose();
    let (Ok(after), Ok(wait)) = (number("after"), number("wait")) else {
        return Reply::bad_request("`after` and `wait` are numbers");
    };
    let wait = Duration::from_millis(wait.and_then(|wait| wait.try_into().ok()).unwrap_or(0));
    let end = Instant::now() + wait.min(HOLD);
    let name = node.identity().name.clone();
    let mut news = server.storage.shared.news();
    news.mark_unchanged();
    match news_after(&server, &name, after, end).await {
        Some(reply) => reply,
        None => Reply::later(wait_for_news(server, news, (name, after, end))),
    }
}

/// Waits for changes after a revision.
async fn wait_for_news(
    server: Arc<Server>,
    mut news: watch::Receiver<i64>,
    (name, after, end): (Certname, Option<i64>, Instant),
) -> Reply {
    let mut ending = server.ending.subscribe();
    loop {
        tokio::select! {
            _ = news.changed() => {}
            () = ended(&mut ending) => {}
            () = sleep_until(end) => {}
        }
        news.mark_unchanged();
        // In a place of its own: it is seldom needed, and most requests wait.
        if let Some(reply) = Box::pin(news_after(&server, &name, after, end)).await {
            return reply;
        }
    }
}

/// The reply with the changes after a revision. `None` if there are none and there is time.
async fn news_after(
    server: &Arc<Server>,
    name: &Certname,
    after: Option<i64>,
    end: Instant,
) -> Option<Reply> {
    let reading = Arc::clone(server);
    let read = move || reading.storage.shared.changes(after);
    let changes = match tokio::task::spawn_blocking(read).await {
        Ok(Ok(changes)) => changes,
        Ok(Err(error)) => return Some(Reply::failed(error)),
        Err(_) => return Some(Reply::failed("the shared values cannot be read")),
    };
    let is_news = changes.is_complete || Some(changes.revision) != after;
    let is_over = Instant::now() >= end || *server.ending.borrow();
    (is_news || is_over).then(|| visible(changes, name.as_str()))
}

/// The changes, without resources that are exported to other nodes. In a difference they are
/// removals, since the node may have seen a resource before its export was narrowed.
fn visible(mut changes: SharedChanges, node: &str) -> Reply {
    for entry in &mut changes.entries {
        let is_foreign = entry.key.space == Space::Export && entry.key.host != node;
        if is_foreign && !entry.value.as_deref().is_some_and(|value| is_exported_to(value, node)) {
            entry.value = None;
        }
    }
    if changes.is_complete {
        changes.entries.retain(|entry| entry.value.is_some());
    }
    match serde_json::to_vec(&changes) {
        Ok(text) => Reply::new(StatusCode::OK, JSON, text),
        Err(error) => Reply::failed(error.to_string()),
    }
}

fn is_exported_to(value: &str, node: &str) -> bool {
    #[derive(Deserialize)]
    struct Export {
        hosts: Vec<String>,
    }
    let export = serde_json::from_str::<Export>(value);
    export.is_ok_and(|export| export.hosts.iter().any(|host| host == "*" || host == node))
}

/// `POST shared/NAME`: changes values, or renews those of the node.
pub(crate) async fn change(server: Arc<Server>, node: OwnName, request: Request) -> Reply {
    let name = node.identity().name.to_string();
    let change: Change = match serde_json::from_slice(&request.body) {
        Ok(change) => change,
        Err(error) => return Reply::bad_request(format!("The request is not valid: {error}")),
    };
    if let Err(reply) = check(&change, &name) {
        return reply;
    }
    super::blocking(server, move |server| {
        let renewed = change.renew.map(|ttl| server.storage.shared.renew(&name, ttl));
        let result = renewed.unwrap_or(Ok(())).and_then(|()| {
            if change.writes.is_empty() {
                return Ok(true);
            }
            server.storage.shared.write(&change.writes, change.guard.as_ref())
        });
        match result {
            Ok(is_done) => Reply::json(&is_done.into()),
            Err(error) => Reply::failed(error),
        }
    })
    .await
}

/// Refuses values of other nodes, and values that are too large.
fn check(change: &Change, node: &str) -> Result<(), Reply> {
    if change.writes.len() > MAX_WRITES || change.renew.is_some_and(|ttl| !TTL.contains(&ttl)) {
        return Err(Reply::bad_request("The request has too many changes, or a wrong time"));
    }
    for SharedWrite { key, value, ttl } in &change.writes {
        let owner = if key.space.is_of_host() { node } else { "" };
        if key.host != owner {
            let text = format!("{key} does not belong to {node}");
            return Err(Reply::error(StatusCode::FORBIDDEN, "FORBIDDEN", text));
        }
        let length = value.as_ref().map_or(0, String::len);
        let has_zero = key.name.contains('\0') || value.as_ref().is_some_and(|v| v.contains('\0'));
        if key.name.len() > MAX_NAME || length > MAX_VALUE || has_zero {
            return Err(Reply::bad_request(format!("{key} is too long, or has a zero byte")));
        }
        if ttl.is_some_and(|ttl| !TTL.contains(&ttl)) {
            return Err(Reply::bad_request(format!("{key} has a wrong time")));
        }
    }
    Ok(())
}
