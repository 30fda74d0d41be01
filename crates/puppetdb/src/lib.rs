//! PuppetDB's query languages over the fleet store.
pub mod error;
pub mod limits;
pub mod pql;
