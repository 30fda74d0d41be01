//! The work of PuppetDB's Ruby terminus: it makes PuppetDB's commands of catalogs, facts and reports
//! in the forms that agents know.
//!
//! Commands made here equal those of `puppet-terminus-puppetdb`, with two differences on purpose:
//!
//! - A secret inside a value is the text `#<Sensitive [value redacted]>`. The original adds an
//!   address, so that each compile changes the stored catalog.
//! - Events without a status are left out. With one of them, PuppetDB refuses the whole report.

mod catalog;
mod facts;
mod report;
mod text;

pub use catalog::{ExportedResource, Naming, naming, replace_catalog};
pub use facts::replace_facts;
pub use report::store_report;

/// What a command says besides its content.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The node.
    pub certname: &'a str,
    /// The environment of the request.
    pub environment: &'a str,
    /// When the server made the command, in microseconds since 1970.
    pub producer_timestamp: i64,
    /// The name of the server.
    pub producer: &'a str,
    /// The run, if the agent named it.
    pub transaction_uuid: Option<&'a str>,
    /// The job that started the run.
    pub job_id: Option<&'a str>,
}
