//! A server for Puppet's agents: it signs their certificates, compiles their catalogs, serves their
//! files and stores their reports.
//!
//! ```no_run
//! use ordain_server::{Config, listen};
//!
//! let config = Config::new("/etc/puppetlabs/code".into(), "/var/lib/ordain/server".into());
//! let (server, summary) = listen(config)?;
//! println!("agents: puppet agent --test --server {}", summary.name);
//! server.run()?;
//! # Ok::<(), ordain_server::ServerError>(())
//! ```
//!
//! [`LocalExplorer`] serves the web explorer of one repository on a loopback address.
//!
//! The crate must not know: arguments, terminals, how catalogs are compiled.

mod answers;
mod audit;
mod body;
mod bucket;
mod classify;
mod client;
mod comparisons;
mod compile;
mod config;
mod connections;
mod error;
mod explorer_users;
mod facts;
mod files;
mod fleet_runs;
mod follow;
mod handlers;
mod held;
mod held_reply;
mod identity;
mod io;
mod listener;
mod local_explorer;
mod metrics;
mod pins;
mod principal;
mod private;
mod queries;
mod reply;
mod request;
mod request_body;
mod routes;
mod rules;
mod run_requests;
mod runs;
mod server;
mod service;
mod shadow;
mod shared_reads;
mod sign_in;
mod start;
mod storage;
mod stream;
mod tasks;
mod tls;
mod token;
mod trusted;
mod url;

pub use config::{Config, ExplorerUser, Limits, OidcConfig, RECOMPILE_SHARE, SYSTEM_AUTHORITIES};
pub use error::ServerError;
pub use local_explorer::LocalExplorer;
pub use ordain_ca::Autosign;
pub use ordain_graph::language::Strict;
pub use reply::PUPPET_VERSION;
pub use routes::{RouteSummary, routes};
pub use start::{Listening, Sockets, Stopper, Summary, listen, listen_on};
