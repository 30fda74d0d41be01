//! The files that `include` statements name.

use std::path::{Path, PathBuf};

use super::node::Context;

/// State that the parser of a text shares with the parsers of all included texts.
pub(super) struct Included<'s> {
    pub(super) context: &'s Context<'s>,
    pub(super) depth: u32,
    pub(super) files: u32,
}

/// The target of an `include` statement.
pub(super) enum Target {
    /// `include "name"`.
    Name(String),
    /// `include file("path")`.
    File(String),
}

impl<'s> Included<'s> {
    pub(super) fn new(context: &'s Context<'s>) -> Self {
        Self { context, depth: 0, files: 0 }
    }

    /// The existing files of a target, in order of precedence.
    pub(super) fn files(
        &self,
        target: &Target,
        from: Option<&Path>,
    ) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
        let path = match (target, from) {
            (Target::File(path), _) => PathBuf::from(path),
            (Target::Name(name), Some(from)) => {
                from.parent().map_or_else(|| PathBuf::from(name), |parent| parent.join(name))
            }
            (Target::Name(_), None) => return Ok(Vec::new()),
        };
        let name = path.to_string_lossy();
        let candidates = match [".conf", ".json", ".properties"].iter().any(|e| name.ends_with(e)) {
            true => vec![path],
            false => vec![format!("{name}.conf").into(), format!("{name}.json").into()],
        };
        let mut found = Vec::new();
        for path in candidates {
            let read = (self.context.file)(&path);
            found.extend(read.map_err(|e| format!("{}: {e}", path.display()))?.map(|b| (path, b)));
        }
        Ok(found)
    }
}
