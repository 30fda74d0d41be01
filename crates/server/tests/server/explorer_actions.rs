//! Actions on pages of the explorer: who may do what, that each is in the audit log, and that no page of
//! another site can act.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::databases::with_postgres;
use crate::explorer::{api, client, commands, rows, server_of};
use crate::support::{Client, Reply, TestServer, certificate_request};

const A: &str = "a.example.org";
const B: &str = "b.example.org";

fn act(client: &mut Client, method: &str, target: &str, body: &Json) -> Reply {
    let headers = [("content-type", "application/json"), ("sec-fetch-site", "same-origin")];
    let target = format!("/explore/api/{target}");
    client.request(method, &target, &headers, body.to_string().as_bytes()).unwrap()
}

fn post(client: &mut Client, target: &str, body: &Json) -> Reply {
    act(client, "POST", target, body)
}

/// The error in a reply.
fn error(reply: &Reply) -> (u16, String) {
    (reply.status, reply.json()["error"].as_str().unwrap_or_default().to_owned())
}

/// Waits until a document has a property.
fn wait(client: &mut Client, target: &str, is_right: impl Fn(&Json) -> bool) -> Json {
    let begin = Instant::now();
    loop {
        let document = api(client, target).json();
        if is_right(&document) {
            return document;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "{document}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Sends the report of a node about a run.
fn report(server: &TestServer, node: &str, run: i64, status: &str) {
    let [.., (name, version, mut payload)] = commands(node, "production");
    payload["job_id"] = json!(format!("ordain-run-{run}"));
    payload["status"] = json!(status);
    payload["transaction_uuid"] = json!(format!("00000000-0000-0000-0000-0000000000{run:02}"));
    let target = format!("/pdb/cmd/v1?command={name}&version={version}&certname={node}");
    let headers = [("content-type", "application/json")];
    let mut admin = client(server, &format!("sender-{run}-{node}"), true);
    let reply = admin.request("POST", &target, &headers, payload.to_string().as_bytes()).unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
}

/// The actions in the audit log, the oldest first: user, action, subject.
fn audit(client: &mut Client) -> Vec<String> {
    let document = api(client, "audit").json();
    let rows = document["rows"].as_array().unwrap();
    let text = |row: &Json, key: &str| row[key].as_str().unwrap().to_owned();
    let line =
        |row| format!("{} {} {}", text(row, "by"), text(row, "action"), text(row, "subject"));
    rows.iter().rev().map(line).collect()
}

fn nodes_run_and_stop_and_go_on(server: &TestServer) {
    let mut runner = client(server, "runner", false);
    let new = json!({ "filter": { "q": "example" }, "expected": 2, "canaries": [A], "at_once": 1 });
    let started = post(&mut runner, "runs", &new);
    assert_eq!((started.status, &started.json()["nodes"]), (200, &json!(2)), "{}", started.text());
    let run = started.json()["run"].as_i64().unwrap();
    let page = format!("runs/{run}");
    // A server requests the run of the canary only.
    let found = wait(&mut runner, &page, |found| found["nodes"]["requested"] == 1);
    assert_eq!((&found["nodes"]["waiting"], &found["by"]), (&json!(1), &json!("runner")));
    assert_eq!((&found["may_run"], &found["state"]), (&json!(true), &json!("running")));
    assert_eq!(post(&mut runner, &format!("{page}/stop"), &json!({})).status, 200);
    report(server, A, run, "changed");
    let found = wait(&mut runner, &page, |found| found["state"] == "stopped");
    assert_eq!(found["reason"], "runner has stopped it");
    let again = post(&mut runner, &format!("{page}/stop"), &json!({}));
    assert_eq!(error(&again), (409, format!("the run {run} does not run")));
    let wrong = post(&mut runner, &format!("{page}/resume"), &json!({ "at_once": 0 }));
    assert_eq!(wrong.status, 400);
    assert_eq!(post(&mut runner, &format!("{page}/resume"), &json!({ "at_once": 5 })).status, 200);
    report(server, B, run, "unchanged");
    let found = wait(&mut runner, &page, |found| found["state"] == "finished");
    assert_eq!(found["nodes"], json!({ "changed": 1, "unchanged": 1 }));
    let finished = post(&mut runner, &format!("{page}/resume"), &json!({}));
    assert_eq!(error(&finished), (409, format!("the run {run} is finished")));
    let nodes = api(&mut runner, &format!("{page}/nodes"));
    assert_eq!(rows(&nodes, "name"), [A, B]);
    assert_eq!(rows(&nodes, "state"), ["changed", "unchanged"]);
    let report = rows(&nodes, "report").remove(0);
    assert_eq!(api(&mut runner, &format!("reports/{report}")).json()["node"], A);
    // Others see the nodes of their environments.
    let mut staging = client(server, "staging", false);
    assert_eq!(rows(&api(&mut staging, &format!("{page}/nodes")), "name"), [B]);
    assert_eq!(api(&mut staging, &page).json()["nodes"], json!({ "unchanged": 1 }));
    assert_eq!(api(&mut staging, "runs").json()["total"], 1);
    let mut boss = client(server, "boss", false);
    let expected = ["run", "run-stop", "run-resume"].map(|action| format!("runner {action} {run}"));
    assert_eq!(audit(&mut boss), expected);
    assert_eq!(api(&mut boss, "audit?q=RESUME").json()["total"], 1);
}

#[test]
fn runs_are_moved_on_by_the_server() {
    nodes_run_and_stop_and_go_on(&server_of(None));
    with_postgres(|address| nodes_run_and_stop_and_go_on(&server_of(Some(address))));
}

#[test]
fn the_form_of_a_run_has_the_defaults_and_limits_of_the_server() {
    let server = server_of(None);
    let mut runner = client(&server, "runner", false);
    let limits = api(&mut runner, "session").json()["fleet_run"].clone();
    let started = post(&mut runner, "runs", &json!({ "nodes": [A] })).json();
    let run = api(&mut runner, &format!("runs/{}", started["run"])).json();
    assert_eq!((&run["at_once"], &run["stop_at"]), (&limits["at_once"], &limits["stop_at"]));
    let most = limits["most_at_once"].as_i64().unwrap();
    let new = |at_once: i64| json!({ "nodes": [B], "at_once": at_once });
    assert_eq!(post(&mut runner, "runs", &new(most)).status, 200);
    assert_eq!(post(&mut runner, "runs", &new(most + 1)).status, 400);
}

#[test]
fn another_server_takes_over_runs() {
    let server = server_of(None);
    let mut runner = client(&server, "runner", false);
    let run = post(&mut runner, "runs", &json!({ "nodes": [A, B], "at_once": 1 })).json();
    let page = format!("runs/{}", run["run"]);
    wait(&mut runner, &page, |found| found["nodes"]["requested"] == 1);
    let dir = server.stop();
    let server = TestServer::start_in(dir, |config| {
        config.explorer_users = vec!["runner=run".parse().unwrap()];
    });
    report(&server, A, run["run"].as_i64().unwrap(), "failed");
    let mut runner = client(&server, "runner-again", true);
    let found = wait(&mut runner, &page, |found| found["state"] == "stopped");
    assert_eq!(found["reason"], "1 of 2 nodes failed");
}

#[test]
fn roles_count_in_their_environments() {
    let server = server_of(None);
    let mut user = client(&server, "runner-staging", false);
    let all = post(&mut user, "runs", &json!({ "filter": {} }));
    let text = "runner-staging has not the role `run` for 1 of the chosen nodes";
    assert_eq!(error(&all), (403, text.to_owned()));
    let other = post(&mut user, "runs", &json!({ "nodes": [A] }));
    let text = "runner-staging has not the role `run` in production";
    assert_eq!(error(&other), (403, text.to_owned()));
    let own = post(&mut user, "runs", &json!({ "filter": { "environment": "staging" } }));
    assert_eq!(own.status, 200, "{}", own.text());
    let mut runner = client(&server, "runner", false);
    let both = post(&mut runner, "runs", &json!({ "nodes": [B, A] })).json()["run"].clone();
    let stop = post(&mut user, &format!("runs/{both}/stop"), &json!({}));
    let text = format!("runner-staging has not the role `run` for each node of run {both}");
    assert_eq!(error(&stop), (403, text));
    assert_eq!(api(&mut user, &format!("runs/{both}")).json()["may_run"], false);
    for (body, status, text) in [
        (json!({ "nodes": [] }), 400, "no node is chosen"),
        (json!({ "nodes": vec![A; 1001] }), 400, "more than 1000 names; choose nodes by a filter"),
        (json!({ "filter": { "q": "nothing" } }), 400, "no node is chosen"),
        (json!({}), 400, "either `nodes` or `filter` chooses nodes"),
        (json!({ "nodes": ["c.example.org"] }), 404, "there is no node c.example.org"),
        (json!({ "nodes": [A], "expected": 2 }), 409, "now 1 nodes are chosen, not 2"),
        (json!({ "nodes": [A], "canaries": [B] }), 404, "there is no node b.example.org"),
        (
            json!({ "nodes": [A], "stop_at": 101 }),
            400,
            "`stop_at` is not a share from 1 to 100 percent",
        ),
    ] {
        let reply = post(&mut runner, "runs", &body);
        assert_eq!(error(&reply), (status, text.to_owned()), "{body}");
    }
    assert_eq!(post(&mut runner, "runs/999/stop", &json!({})).status, 404);
    assert_eq!(post(&mut runner, "runs/x/stop", &json!({})).status, 404);
    let mut boss = client(&server, "boss-staging", false);
    let audit = api(&mut boss, "audit");
    assert_eq!(error(&audit), (403, "boss-staging has not the role `admin`".to_owned()));
    for (node, status) in [(A, 404), (B, 200)] {
        let reply = post(&mut boss, &format!("nodes/{node}/deactivate"), &json!({}));
        assert_eq!(reply.status, status, "{}", reply.text());
    }
}

#[test]
fn nodes_are_pinned_and_deactivated() {
    let server = server_of(None);
    let mut boss = client(&server, "boss", false);
    let pin = format!("nodes/{A}/pin");
    let unknown = act(&mut boss, "PUT", &pin, &json!({ "revision": "abc" }));
    let text = "no catalog and no report is of the revision abc";
    assert_eq!(error(&unknown), (404, text.to_owned()));
    let [_, (name, version, mut payload), _] = commands(B, "staging");
    payload["code_id"] = json!("abcdef012345");
    payload["producer_timestamp"] = json!("2026-11-27T11:00:00.000Z");
    let target = format!("/pdb/cmd/v1?command={name}&version={version}&certname={B}");
    let headers = [("content-type", "application/json")];
    let mut admin = client(&server, "sender", true);
    let sent = admin.request("POST", &target, &headers, payload.to_string().as_bytes()).unwrap();
    assert_eq!(sent.status, 200, "{}", sent.text());
    let pinned = act(&mut boss, "PUT", &pin, &json!({ "revision": "abc" })).json();
    assert_eq!(pinned, json!({ "node": A, "revision": "abcdef012345", "before": null }));
    let node = api(&mut boss, &format!("nodes/{A}")).json();
    assert_eq!((&node["pin"]["by"], &node["may_admin"]), (&json!("boss"), &json!(true)));
    assert_eq!(act(&mut boss, "DELETE", &pin, &json!({})).status, 200);
    let none = act(&mut boss, "DELETE", &pin, &json!({}));
    assert_eq!(error(&none), (409, format!("{A} is not pinned")));
    assert_eq!(post(&mut boss, &format!("nodes/{A}/deactivate"), &json!({})).status, 200);
    assert_eq!(api(&mut boss, "nodes").json()["total"], 1);
    let expected = ["pin", "unpin", "deactivate"].map(|action| format!("boss {action} {A}"));
    assert_eq!(audit(&mut boss), expected);
}

#[test]
fn requests_for_certificates_are_signed_as_they_were_seen() {
    let server = server_of(None);
    let mut signer = client(&server, "signer", false);
    let request = |name: &str, extensions: &str| {
        let target = format!("/puppet-ca/v1/certificate_request/{name}?environment=production");
        let body = certificate_request(name, extensions);
        let mut anyone = server.connect(None).unwrap();
        let reply = anyone.request("PUT", &target, &[("content-type", "text/plain")], &body);
        assert_eq!(reply.unwrap().status, 200);
    };
    request("new.example.org", "");
    request("alias.example.org", "subjectAltName = DNS:puppet");
    let list = api(&mut signer, "certificates");
    assert_eq!(rows(&list, "name"), ["alias.example.org", "new.example.org"]);
    assert_eq!(list.json()["rows"][0]["alt_names"], json!(["DNS:puppet"]), "{}", list.text());
    let prints = rows(&list, "fingerprint");
    assert_eq!(api(&mut signer, "certificates?q=NEW").json()["total"], 1);
    let other = json!({ "fingerprint": prints[0] });
    let seen = json!({ "fingerprint": prints[1] });
    let sign = "certificates/new.example.org/sign";
    let changed = post(&mut signer, sign, &other);
    let text = format!("new.example.org has sent another request meanwhile: {}", prints[1]);
    assert_eq!(error(&changed), (409, text));
    let signed = post(&mut signer, sign, &seen);
    assert_eq!(signed.status, 200, "{}", signed.text());
    assert_eq!(post(&mut signer, sign, &seen).status, 404);
    let status = api(&mut signer, "certificates/new.example.org").json();
    assert_eq!(status["state"], "signed", "{status}");
    // Alternative names need the command line.
    let refused = post(&mut signer, "certificates/alias.example.org/sign", &other);
    assert!((400..500).contains(&refused.status), "{}", refused.text());
    assert_eq!(post(&mut signer, "certificates/alias.example.org/reject", &other).status, 200);
    assert_eq!(api(&mut signer, "certificates").json()["total"], 0);
    let revoke = "certificates/new.example.org/revoke";
    assert_eq!(post(&mut signer, revoke, &json!({})).status, 403);
    let mut staging = client(&server, "boss-staging", false);
    assert_eq!(post(&mut staging, revoke, &json!({})).status, 403);
    let mut boss = client(&server, "boss", false);
    assert_eq!(post(&mut boss, revoke, &json!({})).status, 200);
    let again = post(&mut boss, revoke, &json!({}));
    assert_eq!(error(&again), (409, "the certificate of new.example.org is revoked".to_owned()));
    let expected = [
        "signer ca-sign new.example.org",
        "signer ca-sign alias.example.org",
        "signer ca-sign-failed alias.example.org",
        "signer ca-reject alias.example.org",
        "boss ca-revoke new.example.org",
    ];
    assert_eq!(audit(&mut boss), expected);
    // The API of Puppet's CA is in the log, too.
    let mut admin = client(&server, "admin-again.example.org", true);
    let clean = "/puppet-ca/v1/certificate_status/new.example.org";
    assert_eq!(admin.request("DELETE", clean, &[], b"").unwrap().status, 204);
    let last = audit(&mut boss).pop().unwrap();
    assert_eq!(last, "admin-again.example.org ca-clean new.example.org");
}

#[test]
fn no_page_of_another_site_can_act() {
    let server = server_of(None);
    let mut boss = client(&server, "boss", false);
    let body = json!({ "nodes": [A] }).to_string();
    let json = ("content-type", "application/json");
    let form = ("content-type", "application/x-www-form-urlencoded");
    let text = ("content-type", "text/plain");
    for (headers, status) in [
        (vec![], 415),
        (vec![form], 415),
        (vec![text, ("sec-fetch-site", "same-origin")], 415),
        (vec![json, ("sec-fetch-site", "cross-site")], 403),
        (vec![json, ("sec-fetch-site", "same-site")], 403),
        (vec![json], 200),
    ] {
        let reply = boss.request("POST", "/explore/api/runs", &headers, body.as_bytes()).unwrap();
        assert_eq!(reply.status, status, "{headers:?}");
    }
    // A browser asks first whether another site may send JSON.
    assert_eq!(boss.request("OPTIONS", "/explore/api/runs", &[], b"").unwrap().status, 405);
    let mut reader = client(&server, "reader", false);
    let refused = post(&mut reader, "runs", &json!({ "nodes": [A] }));
    assert_eq!((refused.status, refused.text()), (403, "reader has not the role `run`".to_owned()));
    let mut node = client(&server, "c.example.org", false);
    assert_eq!(post(&mut node, "runs", &json!({ "nodes": [A] })).status, 403);
}
