//! Files and records that several kinds share.

pub(crate) mod account_files;
pub(crate) mod command;
pub(crate) mod generated_file;
pub(crate) mod instances;
pub(crate) mod records;
pub mod shared_kv;
pub(crate) mod state_file;
