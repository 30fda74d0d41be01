//! A fleet in virtual time: agents, servers, workers, a database and the network between them, driven by
//! one seed.
//!
//! The rules of the real programs decide: the fleet store keeps everything (SQLite), the agents' backoff
//! says when they come back, leases with epochs divide the work. The simulation adds faults: messages are
//! dropped, doubled and late, networks are cut, servers and workers are killed, clocks jump, the database
//! is down, full or slow, or loses its replies. It checks that
//!
//! - nothing acknowledged is lost: the newest facts and catalog of each node, each report exactly once;
//! - no effect happens twice: one result for each batch, one delivery of each request to run, never more
//!   nodes under way than allowed;
//! - agents that lost all servers come back spread over the whole window;
//! - all of them converge when the faults are over.
//!
//! `ORDAIN_SIMULATION_RUNS` is the number of runs of agents, `ORDAIN_SIMULATION_SEED` repeats a failure.

mod agent;
mod checks;
mod faults;
mod server;
mod work;
mod world;

use std::time::Instant;

use world::World;

/// Microseconds in a second.
const SECOND: i64 = 1_000_000;

#[test]
fn a_fleet_survives_faults() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let runs = number("ORDAIN_SIMULATION_RUNS").unwrap_or(1_500);
    let chosen = number("ORDAIN_SIMULATION_SEED");
    let (mut done, mut seed) = (0, chosen.unwrap_or(1));
    let begin = Instant::now();
    while done < runs {
        // A fleet lives for twenty runs of each agent, so that a failure is short.
        let mut world = World::new(seed);
        done += world.live();
        println!("seed {seed}: {}", world.summary());
        if chosen.is_some() {
            break;
        }
        seed += 1;
    }
    println!("{done} runs in {:.0} s", begin.elapsed().as_secs_f64());
}
