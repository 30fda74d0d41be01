//! A protocol by which files are served.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::hub::Hub;
use super::settings::{RunningServer, Settings};
use crate::kind::AttributeDoc;

/// A way to serve.
pub(in crate::kinds) struct Protocol {
    pub(in crate::kinds) server: KindMeta,
    /// What is served.
    pub(in crate::kinds) file: KindMeta,
    /// How many seconds clients have where nothing is said.
    pub(in crate::kinds) timeout: u64,
    pub(in crate::kinds) start: Start,
}

/// What a kind says of itself.
pub(in crate::kinds) struct KindMeta {
    pub(in crate::kinds) name: &'static str,
    pub(in crate::kinds) doc: &'static str,
    pub(in crate::kinds) attributes: &'static [AttributeDoc],
}

/// Starts a server of this name on a machine with this root.
type Start = fn(&Arc<Hub>, &str, Settings, PathBuf) -> io::Result<Box<dyn RunningServer>>;
