//! Files that agents copy: mounts, metadata, listings.

pub(crate) mod cache;
pub(crate) mod checksum;
pub(crate) mod listing;
pub(crate) mod metadata;
pub(crate) mod mounts;
pub(crate) mod root;
