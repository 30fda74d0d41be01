//! A protocol by which files are served.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use ordain_kinds::KindSchema;

use super::hub::Hub;
use super::settings::{RunningServer, Settings};

/// A way to serve.
pub(in crate::kinds) struct Protocol {
    pub(in crate::kinds) server: &'static KindSchema,
    /// The served content.
    pub(in crate::kinds) file: &'static KindSchema,
    /// The default timeout of clients in seconds.
    pub(in crate::kinds) timeout: u64,
    pub(in crate::kinds) start: Start,
}

/// Starts a server of this name on a machine with this root.
type Start = fn(&Arc<Hub>, &str, Settings, PathBuf) -> io::Result<Box<dyn RunningServer>>;
