//! `ordain check --fix`: applies the fixes of findings to files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ordain_driver::check::Candidate;
use ordain_driver::format;
use ordain_driver::lint::{self, Linter, is_manifest};
use ordain_puppet_tools::puppet_lint::fix::fix as fix_lint;
use ordain_source::{Diagnostic, FileId, Fix, Safety, SourceMap};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::codes;
use crate::exit::Failure;
use crate::ui::{Ui, count};

/// A file with fixes.
pub(super) struct FixedFile {
    path: PathBuf,
    before: String,
    after: String,
    applied: usize,
    /// The codes whose fixes would have changed the meaning.
    refused: Vec<String>,
}

/// Whether the check goes on.
#[derive(PartialEq, Eq)]
pub(super) enum Next {
    Check,
    Stop,
}

/// The files whose text changes, with fixes that are at least as safe as `least`.
///
/// `find` returns the findings in the files.
pub(super) fn fixed(
    files: &[Candidate],
    find: impl FnOnce(&SourceMap) -> Vec<Diagnostic>,
    linter: Option<&Linter>,
    least: Safety,
) -> Result<Vec<FixedFile>, Failure> {
    if files.iter().any(|file| file.path == Path::new("-")) {
        let text = "--fix needs files; standard input cannot be fixed";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    let sources = SourceMap::new();
    let found = find(&sources);
    let mut by_file: BTreeMap<FileId, Vec<Diagnostic>> = BTreeMap::new();
    for diagnostic in found {
        let file = diagnostic.primary.as_ref().map(|label| label.span.file);
        if let Some(file) = file.filter(|_| !diagnostic.fixes.is_empty()) {
            by_file.entry(file).or_default().push(diagnostic);
        }
    }
    let files: Vec<_> = by_file.into_iter().collect();
    let one = |(file, found): (FileId, Vec<Diagnostic>)| {
        fixed_file(linter, least, file, &found, &sources)
    };
    let done: Result<Vec<_>, Diagnostic> = files.into_par_iter().map(one).collect();
    Ok(done?.into_iter().filter(|file| file.after != file.before).collect())
}

fn fixed_file(
    linter: Option<&Linter>,
    least: Safety,
    file: FileId,
    found: &[Diagnostic],
    sources: &SourceMap,
) -> Result<FixedFile, Diagnostic> {
    let source = sources.file(file);
    // Lint runs again after each round of its fixes, so it fixes the text that the others leave.
    let own =
        found.iter().filter(|d| !d.code.starts_with(lint::CODES)).filter_map(|d| d.fixes.first());
    let own = own.filter(|fix: &&Fix| fix.safety >= least);
    let fixed = ordain_source::fix::apply(&source.text, file, own);
    let mut out = FixedFile {
        path: source.path.clone(),
        before: source.text.to_string(),
        after: fixed.text,
        applied: fixed.applied,
        refused: Vec::new(),
    };
    if let Some(linter) = linter.filter(|_| is_manifest(&source.path)) {
        let full = std::path::absolute(&source.path).unwrap_or_else(|_| source.path.clone());
        let options = linter.options(&full);
        let fixed = fix_lint(&out.after, &full.to_string_lossy(), &options, least);
        out.after = fixed.text;
        out.applied += fixed.applied;
        out.refused = fixed.refused;
    }
    Ok(out)
}

/// Writes the files, or prints their changes.
pub(super) fn write(ui: &mut Ui, fixed: Vec<FixedFile>, is_diff: bool) -> Result<Next, Failure> {
    let files = fixed.len();
    let fixes: usize = fixed.iter().map(|file| file.applied).sum();
    for file in fixed {
        if is_diff {
            super::super::fmt::print_diff(ui, &file.path, file.before, file.after)?;
            continue;
        }
        let written = format::replace(&file.path, &file.after);
        let text = format!("cannot write {}", file.path.display());
        written.map_err(|e| codes::io(&text, &e))?;
    }
    if is_diff {
        return Ok(Next::Stop);
    }
    if fixes > 0 {
        let ending = if fixes == 1 { "" } else { "es" };
        let text = format!("{fixes} fix{ending} in {}", count(files, "file"));
        ui.line(&text, 0)?;
    }
    Ok(Next::Check)
}
