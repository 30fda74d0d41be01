//! The kinds of resources, one file or directory each, and what some of them share.

pub mod cron;
pub mod exec;
pub mod external;
pub mod file;
pub mod group;
pub mod gzip;
pub mod host;
pub mod hostname;
pub mod inert;
pub mod kv;
pub mod line;
pub mod mount;
pub mod msg;
pub mod notify;
pub mod package;
pub mod password;
pub mod purge;
pub mod service;
pub mod ssh_authorized_key;
pub mod sshkey;
pub mod sysctl;
pub mod tar;
pub mod tidy;
pub mod user;
pub mod yumrepo;

pub(crate) mod accounts;
pub(crate) mod cached;
pub(crate) mod differences;
pub(crate) mod kept;
pub(crate) mod made;
pub(crate) mod params;
pub(crate) mod records;
pub(crate) mod tools;
pub(crate) mod walk;
pub(crate) mod write;
