//! The settings of deploys, and their errors.

use std::path::{Path, PathBuf};

use ordain_deploy::Settings;
use ordain_source::{Diagnostic, SourceMap};

use crate::codes;
use crate::exit::Failure;
use crate::ui::Ui;

/// The files that r10k looks for.
const CONFIGURATIONS: [&str; 3] = ["r10k.yaml", "/etc/puppetlabs/r10k/r10k.yaml", "/etc/r10k.yaml"];

/// Reads the settings of a file, and shows warnings about them.
pub(super) fn configured(
    ui: &mut Ui,
    path: Option<&Path>,
    texts: &SourceMap,
) -> Result<Settings, Failure> {
    let Some(path) = configuration(path) else {
        let error = Diagnostic::error(codes::ARGUMENTS, "there is no r10k.yaml");
        let help = "name a file with `--config`, or a repository with `--remote` and `--to`";
        return Err(error.help(help).into());
    };
    with_warnings(ui, Settings::read(&path, texts), texts)
}

/// The file with settings: the named one, or the first that is there.
pub(super) fn configuration(path: Option<&Path>) -> Option<PathBuf> {
    let there = || CONFIGURATIONS.iter().map(PathBuf::from).find(|path| path.is_file());
    path.map(Path::to_path_buf).or_else(there)
}

/// Shows the warnings about settings, or the error.
pub(super) fn with_warnings(
    ui: &mut Ui,
    read: Result<(Settings, Vec<Diagnostic>), ordain_deploy::Error>,
    texts: &SourceMap,
) -> Result<Settings, Failure> {
    match read {
        Ok((settings, warnings)) => {
            ui.diagnostics(warnings, texts);
            Ok(settings)
        }
        Err(error) => Err(shown(ui, error, texts)),
    }
}

/// The settings with the cache that the command line names.
pub(super) fn with_cache(settings: Settings, cache: Option<&Path>) -> Result<Settings, Failure> {
    match cache {
        Some(cache) => settings.with_cache(cache).map_err(message),
        None => Ok(settings),
    }
}

/// The error of a deploy, which may have a place in these texts.
pub(super) fn shown(ui: &mut Ui, error: ordain_deploy::Error, texts: &SourceMap) -> Failure {
    ui.diagnostics(vec![error.into_diagnostic()], texts);
    Failure::Shown
}

/// The error of a deploy without a place.
pub(super) fn message(error: ordain_deploy::Error) -> Failure {
    error.into_diagnostic().into()
}
