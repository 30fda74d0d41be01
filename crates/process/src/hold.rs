//! A file that stays open while programs run, even after the end of this process.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

static HELD_FILE: Mutex<Option<Arc<File>>> = Mutex::new(None);

/// Keeps a file open while any program runs that is started from now on. So a lock on the file is
/// held until the last program ends, even if this process is killed earlier.
pub fn hold_while_programs_run(file: File) {
    *HELD_FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(file));
}

/// The file that is held open.
pub(crate) fn held() -> Option<Arc<File>> {
    HELD_FILE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
