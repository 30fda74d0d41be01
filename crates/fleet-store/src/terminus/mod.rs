//! The counterpart of PuppetDB's Ruby terminus: makes PuppetDB's commands from catalogs, facts and
//! reports in the agents' formats.
//!
//! The commands equal those of `puppet-terminus-puppetdb`, with two intended differences:
//!
//! - A secret inside a value becomes the text `#<Sensitive [value redacted]>`. The Ruby terminus
//!   adds an address, so that every compile changes the stored catalog.
//! - Events without a status are left out. PuppetDB would refuse the whole report because of one of
//!   them.

mod catalog;
mod context;
mod facts;
mod report;
mod text;

pub use catalog::{ExportedResource, Naming, naming, replace_catalog};
pub use context::Context;
pub use facts::replace_facts;
pub use report::{durations, store_report};
