//! Runs of many nodes: batches, canaries, limits, and the claims of servers.

use ordain_fleet_store::{
    Command, Database, FleetRunLimits, FleetRunNodeState as Node, FleetRunResume, FleetRunSettings,
    FleetRunState, FleetRunStep, apply, claim_run_request, create_fleet_run, fleet_run,
    fleet_runs_of_servers, job_id, last_fleet_run, read, resume_fleet_run, run_requests,
    step_fleet_run, stop_fleet_run, verify_audit, write,
};
use serde_json::json;

use crate::databases::with_each;

const NOW: i64 = 1_795_694_400_000_000;
const SECOND: i64 = 1_000_000;
const LIMITS: FleetRunLimits = FleetRunLimits { reach: 30 * SECOND, report: 600 * SECOND };

const RESUME: FleetRunResume<'_> =
    FleetRunResume { actor: "root", at_once: None, stop_at: None, by_server: false };

fn create(database: &dyn Database, nodes: &[(&str, bool)], (at_once, stop_at): (i64, i64)) -> i64 {
    let nodes: Vec<(String, bool)> =
        nodes.iter().map(|(name, is_canary)| ((*name).to_owned(), *is_canary)).collect();
    let settings = FleetRunSettings { actor: "root", at_once, stop_at, by_server: false };
    write(database, |c| create_fleet_run(c, settings, &nodes, NOW)).unwrap()
}

fn step(database: &dyn Database, run: i64, now: i64) -> FleetRunStep {
    write(database, |c| step_fleet_run(c, run, LIMITS, now)).unwrap()
}

fn states(step: &FleetRunStep) -> Vec<Node> {
    step.nodes.iter().map(|node| node.state).collect()
}

/// Delivers all requests, as a server does.
fn deliver(database: &dyn Database, now: i64) -> usize {
    let requests = read(database, None, |c| run_requests(c, now)).unwrap();
    for request in &requests {
        let claim = || write(database, |c| claim_run_request(c, request, now)).unwrap();
        assert!(claim(), "the first server delivers");
        assert!(!claim(), "the second one does not");
    }
    requests.len()
}

/// Stores the report of a run.
fn report(database: &dyn Database, run: i64, name: &str, status: &str) {
    let time = "2026-11-26T12:00:00Z";
    let payload = json!({
        "certname": name, "puppet_version": "7.23.0", "report_format": 12,
        "configuration_version": "1", "producer_timestamp": time, "start_time": time,
        "end_time": time, "environment": "production", "transaction_uuid": null,
        "status": status, "noop": false, "noop_pending": false, "corrective_change": false,
        "logs": [], "metrics": [], "resources": [], "catalog_uuid": null, "code_id": null,
        "cached_catalog_status": null, "producer": "server", "job_id": job_id(run),
    });
    let command = Command::from_json("store_report", 8, payload, NOW).unwrap();
    apply(database, &command, NOW).unwrap();
}

#[test]
fn the_others_follow_the_canaries_in_batches() {
    with_each(|database| {
        let nodes = [("canary", true), ("a", false), ("b", false), ("c", false)];
        let run = create(database, &nodes, (2, 50));
        let first = step(database, run, NOW);
        assert_eq!(states(&first), [Node::Requested, Node::Waiting, Node::Waiting, Node::Waiting]);
        assert_eq!(deliver(database, NOW), 1);
        assert_eq!(deliver(database, NOW), 0);
        assert_eq!(states(&step(database, run, NOW))[..2], [Node::Delivered, Node::Waiting]);
        report(database, run, "canary", "changed");
        let second = step(database, run, NOW);
        let expected = [Node::Changed, Node::Requested, Node::Requested, Node::Waiting];
        assert_eq!(states(&second), expected);
        deliver(database, NOW);
        report(database, run, "a", "unchanged");
        let third = step(database, run, NOW);
        let expected = [Node::Changed, Node::Unchanged, Node::Delivered, Node::Requested];
        assert_eq!(states(&third), expected);
        deliver(database, NOW);
        report(database, run, "b", "unchanged");
        report(database, run, "c", "unchanged");
        let last = step(database, run, NOW);
        assert_eq!((last.run.state, last.stop), (FleetRunState::Finished, None));
        let stored = read(database, None, |c| fleet_run(c, run)).unwrap().unwrap();
        assert_eq!(stored.state, FleetRunState::Finished);
        assert_eq!(read(database, None, last_fleet_run).unwrap(), Some(run));
        assert_eq!(read(database, None, verify_audit).unwrap().0, 1);
    });
}

#[test]
fn a_failed_canary_stops_a_run() {
    with_each(|database| {
        let run = create(database, &[("canary", true), ("a", false)], (5, 100));
        step(database, run, NOW);
        // No server reaches it.
        assert_eq!(step(database, run, NOW + 29 * SECOND).run.state, FleetRunState::Running);
        let stopped = step(database, run, NOW + 30 * SECOND);
        assert_eq!(states(&stopped), [Node::Unreached, Node::Waiting]);
        assert_eq!(stopped.run.state, FleetRunState::Stopped);
        assert_eq!(stopped.stop.as_deref(), Some("the canary canary is unreached"));
        // An agent that comes later is not told to run.
        assert_eq!(deliver(database, NOW + 31 * SECOND), 0);
        let stored = read(database, None, |c| fleet_run(c, run)).unwrap().unwrap();
        assert_eq!(stored.stop_reason, stopped.stop);
        let later = NOW + 31 * SECOND;
        write(database, |c| resume_fleet_run(c, run, RESUME, later)).unwrap();
        let resumed = step(database, run, later);
        assert_eq!(states(&resumed), [Node::Unreached, Node::Requested]);
    });
}

#[test]
fn too_many_failures_stop_a_run_when_running_nodes_have_ended() {
    with_each(|database| {
        let nodes = [("a", false), ("b", false), ("c", false), ("d", false)];
        let run = create(database, &nodes, (2, 25));
        step(database, run, NOW);
        deliver(database, NOW);
        report(database, run, "a", "failed");
        let stopping = step(database, run, NOW);
        let expected = [Node::Failed, Node::Delivered, Node::Waiting, Node::Waiting];
        assert_eq!(states(&stopping), expected);
        assert_eq!(stopping.run.state, FleetRunState::Running);
        assert_eq!(stopping.stop.as_deref(), Some("1 of 4 nodes failed"));
        // The other one never reports.
        let stopped = step(database, run, NOW + 600 * SECOND);
        let expected = [Node::Failed, Node::Silent, Node::Waiting, Node::Waiting];
        assert_eq!(states(&stopped), expected);
        assert_eq!(stopped.run.state, FleetRunState::Stopped);
    });
}

#[test]
fn requests_of_a_killed_run_end_by_themselves() {
    with_each(|database| {
        let run = create(database, &[("a", false)], (1, 100));
        step(database, run, NOW);
        let of = |now| read(database, None, |c| run_requests(c, now)).unwrap().len();
        assert_eq!((of(NOW), of(NOW + 59 * SECOND), of(NOW + 61 * SECOND)), (1, 1, 0));
        // The process that resumes the run learns that the agent was not reached.
        let resumed = step(database, run, NOW + 3600 * SECOND);
        assert_eq!(states(&resumed), [Node::Unreached]);
        assert_eq!(resumed.run.state, FleetRunState::Finished);
    });
}

#[test]
fn a_user_stops_a_run_and_the_servers_end_it() {
    with_each(|database| {
        let run = create(database, &[("a", false), ("b", false)], (1, 100));
        step(database, run, NOW);
        deliver(database, NOW);
        assert_eq!(read(database, None, fleet_runs_of_servers).unwrap(), [0i64; 0]);
        let stop = || write(database, |c| stop_fleet_run(c, run, "alice", NOW)).unwrap();
        assert!(stop());
        assert_eq!(read(database, None, fleet_runs_of_servers).unwrap(), [run]);
        // The node that is under way may end its run.
        assert_eq!(step(database, run, NOW).run.state, FleetRunState::Running);
        report(database, run, "a", "failed");
        let stopped = step(database, run, NOW);
        assert_eq!(states(&stopped), [Node::Failed, Node::Waiting]);
        assert_eq!(stopped.run.state, FleetRunState::Stopped);
        assert_eq!(stopped.stop.as_deref(), Some("alice has stopped it"));
        assert_eq!(read(database, None, fleet_runs_of_servers).unwrap(), [0i64; 0]);
        assert!(!stop(), "it does not run");
        let resume = FleetRunResume { by_server: true, stop_at: Some(1), ..RESUME };
        write(database, |c| resume_fleet_run(c, run, resume, NOW + SECOND)).unwrap();
        assert_eq!(read(database, None, fleet_runs_of_servers).unwrap(), [run]);
        // The failure of before does not stop it again.
        assert_eq!(states(&step(database, run, NOW + SECOND)), [Node::Failed, Node::Requested]);
        let stored = read(database, None, |c| fleet_run(c, run)).unwrap().unwrap();
        assert_eq!((stored.stopped_by, stored.stop_reason, stored.ended), (None, None, None));
        // It was started, stopped and resumed.
        assert_eq!(read(database, None, verify_audit).unwrap().0, 3);
    });
}
