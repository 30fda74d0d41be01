//! The state directory of runs, with their lock and journal, and the subject of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_source::Diagnostic;
use ordain_store::{RunLock, RunTarget, Store};

use crate::codes;
use crate::exit::Failure;
use crate::ui::Ui;

/// The state directory, which holds the lock and the journal.
///
/// # Errors
/// When none is set and there is no home directory.
pub(crate) fn state_dir(given: Option<&Path>) -> Result<PathBuf, Diagnostic> {
    if let Some(dir) = given {
        return Ok(dir.to_path_buf());
    }
    if rustix::process::geteuid().is_root() {
        return Ok("/var/lib/ordain".into());
    }
    let var = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let home = || var("HOME").map(|home| home.join(".local/state"));
    let base = var("XDG_STATE_HOME").or_else(home);
    base.map(|dir| dir.join("ordain")).ok_or_else(|| {
        Diagnostic::error(codes::STATE, "there is no home directory for the state")
            .help("set it with --state-dir")
    })
}

/// The state directory as [`state_dir`] finds it, for readers of earlier runs: one that is named
/// must exist.
///
/// # Errors
/// As for [`state_dir`], and if the named directory does not exist.
pub(crate) fn existing_state_dir(given: Option<&Path>) -> Result<PathBuf, Diagnostic> {
    if let Some(dir) = given.filter(|dir| !dir.exists()) {
        return Err(codes::missing(dir));
    }
    state_dir(given)
}

/// Opens the journal of a run that holds the lock. Warns if a damaged one was set aside.
///
/// # Errors
/// When it cannot be used.
pub(crate) fn journal(ui: &mut Ui, dir: &Path) -> Result<Arc<Store>, Failure> {
    let store = Arc::new(Store::open_for_run(dir).map_err(codes::state)?);
    report_damages(ui, &store);
    Ok(store)
}

/// Warns about damaged journals that were set aside, and about the lost data.
pub(crate) fn report_damages(ui: &mut Ui, store: &Store) {
    for damage in store.take_damages() {
        let text = format!("the journal was unusable and is set aside: {}", damage.reason);
        let warning = Diagnostic::warning(codes::DAMAGED, text)
            .help(format!("it is in {} now; a new one was begun", damage.moved_to.display()))
            .help(
                "lost are the history, the rollback of earlier runs, and when schedules were met",
            );
        ui.message(&warning);
    }
}

/// Takes the lock of runs. Programs that the run starts also hold it until they end.
///
/// # Errors
/// When another run has it, or the directory cannot be used.
pub(crate) fn lock(dir: &Path) -> Result<RunLock, Failure> {
    let lock = RunLock::acquire(dir).map_err(codes::state)?;
    let shared = lock.share().map_err(|e| codes::io("the run cannot be locked", &e))?;
    ordain_process::hold_while_programs_run(shared);
    Ok(lock)
}

/// The subject of a run: the path, the node, the account and the root directory.
pub(crate) fn subject(source: &Path, node: &str, root: &Path) -> RunTarget {
    let full = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let source = match source == Path::new("-") {
        true => "standard input".to_string(),
        false => full(source).display().to_string(),
    };
    let root = root_path(root);
    RunTarget {
        source: Some(source),
        node: Some(node).filter(|node| !node.is_empty()).map(ToString::to_string).or_else(hostname),
        account: Some(account()),
        root: (root != Path::new("/")).then(|| root.display().to_string()),
    }
}

fn hostname() -> Option<String> {
    let system = rustix::system::uname();
    system.nodename().to_str().ok().map(ToString::to_string)
}

/// The account that runs this process, and the one that called sudo.
pub(crate) fn account() -> String {
    let uid = nix::unistd::geteuid();
    let user = nix::unistd::User::from_uid(uid).ok().flatten();
    let name = user.map_or_else(|| uid.to_string(), |user| user.name);
    match std::env::var("SUDO_USER") {
        Ok(by) if uid.is_root() && by != name => format!("{name} (sudo by {by})"),
        _ => name,
    }
}

/// The root directory as an absolute path without links.
pub(crate) fn root_path(root: &Path) -> PathBuf {
    let full = || std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf());
    root.canonicalize().unwrap_or_else(|_| full())
}
