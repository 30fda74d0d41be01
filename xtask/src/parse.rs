//! Parses and validates manifests, as `puppet parser validate` does.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use ordain_puppet::syntax::parse;
use ordain_puppet::validation::{Options, validate};
use ordain_source::{FileId, Severity};

/// Parses all manifests below a directory. Prints how many there are and how many have errors.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn run(dir: &Path) -> anyhow::Result<ExitCode> {
    let mut files = Vec::new();
    find(dir, &mut files)?;
    let (mut wrong, mut bytes) = (0, 0);
    for (n, path) in files.iter().enumerate() {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        bytes += text.len();
        let file = FileId(u32::try_from(n).unwrap_or(u32::MAX));
        let parsed = parse(file, text);
        let found = validate(&parsed.program, &Options::default());
        let mut all = parsed.diagnostics.iter().chain(&found);
        wrong += usize::from(all.any(|d| d.severity == Severity::Error));
    }
    println!("{} manifests with {bytes} bytes, {wrong} with errors", files.len());
    Ok(ExitCode::SUCCESS)
}

fn find(dir: &Path, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, out)?;
        } else if path.extension().is_some_and(|ending| ending == "pp") {
            out.push(path);
        }
    }
    Ok(())
}
