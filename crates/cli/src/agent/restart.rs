//! A panic in a resource: the agent starts again without that resource.

use std::os::unix::process::CommandExt;
use std::panic::PanicHookInfo;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use ordain_agent::{Crash, Crashes, Home};
use ordain_engine::current::{CrashedResource, current_resource};
use ordain_source::Diagnostic;

use crate::codes;
use crate::commands::version;
use crate::exit::Exit;
use crate::panics::print_panic;
use crate::ui::Ui;

/// Makes a panic in a resource start this program again, with the same arguments. The resource is
/// then left out. Any other panic ends the process, and the service manager starts it again.
pub(super) fn restart_on_panic(home: &Arc<Home>) {
    let crashes = crashes_of(home);
    std::panic::set_hook(Box::new(move |info| {
        static IS_HANDLED: AtomicBool = AtomicBool::new(false);
        if IS_HANDLED.swap(true, Ordering::SeqCst) {
            // The thread that panicked first ends this one.
            loop {
                std::thread::park();
            }
        }
        print_panic(info);
        if is_new(&crashes, info) {
            let _ = start_again();
        }
        std::process::exit(i32::from(u8::from(Exit::Failed)));
    }));
}

fn crashes_of(home: &Home) -> Crashes {
    Crashes::new(home, version::long())
}

/// Records a panic. Returns whether a restart helps: the resource was not left out before.
fn is_new(crashes: &Crashes, info: &PanicHookInfo<'_>) -> bool {
    let Some(current) = current_resource() else { return false };
    let resource = current.resource.to_string();
    // The message may have a secret of the resource in it, so only the place is stored.
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let crash = Crash { resource, digest: current.digest, place };
    crashes.record(crash, Timestamp::now()).unwrap_or(false)
}

/// Replaces this process. Returns only if that fails.
fn start_again() -> std::io::Error {
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    match std::env::current_exe() {
        Ok(program) => Command::new(program).arg0(name).args(arguments).exec(),
        Err(error) => error,
    }
}

/// The resources to leave out.
pub(super) fn crashed_resources(ui: &mut Ui, home: &Home) -> Vec<CrashedResource> {
    let crashes = crashes_of(home).recent(Timestamp::now()).unwrap_or_else(|error| {
        ui.message(&Diagnostic::warning(codes::AGENT, error.to_string()));
        Vec::new()
    });
    let crashed = |Crash { resource, digest, place }| CrashedResource { resource, digest, place };
    crashes.into_iter().map(crashed).collect()
}
