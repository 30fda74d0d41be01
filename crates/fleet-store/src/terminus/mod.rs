//! The work of PuppetDB's Ruby terminus: it makes PuppetDB's commands of catalogs, facts and reports
//! in the forms that agents know.
//!
//! Commands made here equal those of `puppet-terminus-puppetdb`, with two differences on purpose:
//!
//! - A secret inside a value is the text `#<Sensitive [value redacted]>`. The original adds an
//!   address, so that each compile changes the stored catalog.
//! - Events without a status are left out. With one of them, PuppetDB refuses the whole report.

mod catalog;
mod context;
mod facts;
mod report;
mod text;

pub use catalog::{ExportedResource, Naming, naming, replace_catalog};
pub use context::Context;
pub use facts::replace_facts;
pub use report::store_report;
