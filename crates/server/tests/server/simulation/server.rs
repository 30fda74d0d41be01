//! Servers and the network: messages are stored in transactions and acknowledged after them.

use ordain_fleet_store::{
    Command, apply_all_at, claim_run_request, format_time, read, run_requests, write,
};
use serde_json::{Value, json};

use super::SECOND;
use super::agent::Spooled;
use super::world::{Event, World};

/// The maximum number of commands of one transaction, as in the server.
const BATCH: usize = 64;
/// The time between looks for requests to run.
const LOOK: i64 = 2 * SECOND;

/// The content of a message.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Facts,
    Catalog,
    Report(Spooled),
}

/// A message of an agent.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) agent: usize,
    pub(super) attempt: u64,
    pub(super) run: u64,
    pub(super) content: Content,
}

/// A message that waits for the database.
pub(super) struct Waiting {
    pub(super) message: Message,
    /// The time of arrival by the clock of the world.
    pub(super) arrived: i64,
    command: Command,
    /// The time of arrival by the server's clock.
    received: i64,
}

/// A server.
#[derive(Default)]
pub(super) struct Server {
    pub(super) is_down: bool,
    /// Grows with each start, so that events of an earlier life do nothing.
    pub(super) life: u64,
    /// How far its clock is ahead.
    pub(super) clock: i64,
    waiting: Vec<Waiting>,
}

impl World {
    /// Sends a message over the network.
    pub(super) fn send_to_server(&mut self, server: usize, message: Message) {
        self.checks.messages += 1;
        let copies = match self.chance(self.faults.doubled(self.now)) {
            true => 2,
            false => 1,
        };
        for _ in 0..copies {
            if self.is_cut(message.agent, server) || self.chance(self.faults.dropped(self.now)) {
                continue;
            }
            let delay = self.delay();
            self.after(delay, Event::Arrives { server, message: message.clone() });
        }
    }

    /// The time of a message on its way.
    fn delay(&mut self) -> i64 {
        let most = self.faults.delay(self.now);
        SECOND / 1_000 + self.below(most)
    }

    pub(super) fn arrives(&mut self, number: usize, message: Message) {
        let server = &mut self.servers[number];
        if server.is_down {
            return;
        }
        let received = self.now + server.clock;
        let command = command(&self.agents[message.agent].name, &message, number, received);
        let is_first = server.waiting.is_empty();
        self.checks.note_arrival(&message, self.now);
        server.waiting.push(Waiting { message, arrived: self.now, command, received });
        let life = server.life;
        if is_first {
            let delay = SECOND / 100 + self.faults.write_delay(self.now);
            self.after(delay, Event::Writes { server: number, life });
        }
    }

    pub(super) fn writes(&mut self, number: usize, life: u64) {
        let server = &mut self.servers[number];
        if server.is_down || server.life != life {
            return;
        }
        let clock = server.clock;
        let rest = server.waiting.split_off(server.waiting.len().min(BATCH));
        let batch = std::mem::replace(&mut server.waiting, rest);
        if !server.waiting.is_empty() {
            self.after(SECOND / 100, Event::Writes { server: number, life });
        }
        let (mut commands, mut messages) = (Vec::new(), Vec::new());
        for waiting in batch {
            commands.push((waiting.command, waiting.received));
            messages.push((waiting.message, waiting.arrived));
        }
        let is_stored = self.faults.database_takes_writes(self.now) && {
            let outcomes = apply_all_at(&self.database, &commands, self.now + clock).unwrap();
            assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
            // The database may have stored all that, and its reply is lost.
            !self.chance(self.faults.lost_commits(self.now))
        };
        for (message, arrived) in messages {
            if is_stored {
                self.checks.note_acknowledged(&message, arrived);
            }
            let delay = self.delay();
            if !self.is_cut(message.agent, number) && !self.chance(self.faults.dropped(self.now)) {
                let (agent, attempt) = (message.agent, message.attempt);
                self.after(delay, Event::Replied { agent, attempt, is_accepted: is_stored });
            }
        }
    }

    pub(super) fn kill_server(&mut self, number: usize) {
        let server = &mut self.servers[number];
        server.is_down = true;
        server.life += 1;
        server.waiting.clear();
    }

    pub(super) fn server_starts(&mut self, number: usize) {
        let server = &mut self.servers[number];
        if !server.is_down || self.faults.is_outage(self.now) {
            return;
        }
        server.is_down = false;
        let life = server.life;
        self.after(LOOK, Event::ServerLooks { server: number, life });
    }

    /// Delivers requests to run to the agents whose connections the server holds.
    pub(super) fn server_looks(&mut self, number: usize, life: u64) {
        let server = &self.servers[number];
        if server.is_down || server.life != life {
            return;
        }
        let time = self.now + server.clock;
        self.after(LOOK, Event::ServerLooks { server: number, life });
        if !self.faults.database_takes_writes(self.now) {
            return;
        }
        for request in read(&self.database, None, |c| run_requests(c, time)).unwrap() {
            let agent =
                self.agents.iter().position(|agent| agent.name == request.certname).unwrap();
            // An agent that has lost a server may still be connected to it by its account.
            let holds = self.agents[agent].server == number || self.chance(20);
            if !holds || self.is_cut(agent, number) {
                continue;
            }
            if write(&self.database, |c| claim_run_request(c, &request, time)).unwrap() {
                self.checks.note_delivery(agent, request.run);
                if !self.chance(self.faults.dropped(self.now)) {
                    let delay = self.delay();
                    self.after(delay, Event::RunRequested { agent, run: request.run });
                }
            }
        }
    }
}

/// The command that stores a message.
fn command(node: &str, message: &Message, server: usize, time: i64) -> Command {
    let (producer, at) = (format!("server{server}"), format_time(time));
    let run = message.run;
    let (name, version, payload): (_, _, Value) = match &message.content {
        Content::Facts => (
            "replace_facts",
            5,
            json!({ "certname": node, "environment": "production", "values": { "run": run },
                "producer_timestamp": at, "producer": producer }),
        ),
        Content::Catalog => (
            "replace_catalog",
            9,
            json!({ "certname": node, "version": run.to_string(), "environment": "production",
                "code_id": null, "transaction_uuid": null, "catalog_uuid": null, "job_id": null, "edges": [],
                "producer": producer, "producer_timestamp": at,
                "resources": [{ "type": "Notify", "title": "run", "exported": false, "tags": ["notify"],
                    "file": null, "line": null, "parameters": { "message": run.to_string() } }] }),
        ),
        Content::Report(report) => (
            "store_report",
            8,
            json!({ "certname": node, "environment": "production", "puppet_version": "8.10.0",
                "report_format": 12, "configuration_version": report.run.to_string(),
                "start_time": format_time(report.time), "end_time": format_time(report.time),
                "producer_timestamp": at, "producer": producer, "transaction_uuid": null,
                "catalog_uuid": null, "code_id": null,
                "job_id": report.job.map(ordain_fleet_store::job_id), "cached_catalog_status": "not_used",
                "status": "unchanged", "noop": false, "noop_pending": false, "corrective_change": false,
                "resources": [], "metrics": [], "logs": [] }),
        ),
    };
    Command::from_json(name, version, payload, time).unwrap()
}
