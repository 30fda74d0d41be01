//! Writes the results of `ordain types`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::codes;
use crate::exit::Failure;
use crate::ui::Ui;

/// Writes to a file, or to standard output.
pub(super) fn write(ui: &mut Ui, out: Option<&PathBuf>, text: &str) -> Result<(), Failure> {
    match out {
        Some(path) => write_file(path, text),
        None => Ok(ui.document().write_all(text.as_bytes())?),
    }
}

/// Writes to a file.
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |e| codes::io(&format!("cannot write {}", path.display()), &e);
    Ok(fs::write(path, text).map_err(failed)?)
}
