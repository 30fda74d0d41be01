//! The diagnostics of this crate.

use std::fmt::Display;
use std::path::Path;

use ordain_engine::kind::KindError;
use ordain_source::{CodeDoc, Diagnostic};
use ordain_store::StoreError;

/// A file cannot be read or written.
pub const FILE: &str = "ordain::file";
/// A document has a form that the command does not read.
pub const DOCUMENT: &str = "ordain::document";
/// The arguments do not fit together.
pub const ARGUMENTS: &str = "ordain::arguments";
/// A name is not known.
pub const UNKNOWN_NAME: &str = "ordain::unknown-name";
/// Relations form a loop.
pub const CYCLE: &str = "ordain::dependency-cycle";
/// The state directory cannot be used.
pub const STATE: &str = "ordain::state";
/// The journal was damaged, and a new one was begun.
pub const DAMAGED: &str = "ordain::damaged-journal";
/// A saved plan was edited, or is of another machine.
pub const UNTRUSTED_PLAN: &str = "ordain::untrusted-plan";
/// The manifest of a kind cannot be used.
pub const MANIFEST: &str = "ordain::manifest";
/// There is nothing to compile, or to apply.
pub const NOTHING: &str = "ordain::nothing-declared";
/// A resource cannot be looked at or changed.
pub const RESOURCE: &str = "ordain::resource";

/// The documentation of these codes.
pub const DOCS: &[CodeDoc] = &[
    CodeDoc {
        code: ARGUMENTS,
        summary: "the arguments do not fit together",
        details: "Each argument is well formed, but not with the others or with what the path is. \
                  The \
                  message names them, as with `ordain apply next.plan --noop`: a saved plan is \
                  applied whole. Take one of them away.",
    },
    CodeDoc {
        code: CYCLE,
        summary: "resources wait for each other in a loop",
        details: "Every resource of the loop has to come before the next one and the last before \
                  the first, so none can be the first:\n\n    notify { 'a': before => Notify['b'] \
                  }\n    notify { 'b': before => Notify['a'] }\n\nCompiling gives a warning; \
                  planning and applying fail. The message shows a shortest loop and where each \
                  of its relations is written. Take one of them away, or contain less: `contain` \
                  and `require` order all that a class holds.",
    },
    CodeDoc {
        code: DAMAGED,
        summary: "the journal or the store of exported resources was damaged, and a new one begun",
        details: "The database in the state directory could not be read: it was cut off, \
                  overwritten, or the disk lost a part of it. It was moved to a directory `damaged-TIME` \
                  beside it, together with what runs had kept for `ordain rollback`, and the run \
                  went on with a new journal. So earlier runs are neither in `ordain history` nor \
                  can they be rolled back, and resources with a schedule may be applied once more. \
                  Exported resources are lost in the same way until each node is compiled or applied \
                  again: until then, nodes that collect find none of the others. `ordain doctor` \
                  lists the directory; remove it when nobody needs it.",
    },
    CodeDoc {
        code: DOCUMENT,
        summary: "a file is not of a form that is read here",
        details: "Graphs, catalogs, plans, facts and node data are JSON (facts also YAML), such \
                  as `ordain compile` and `ordain plan --out` write. The message says what is \
                  wrong with the file: it may be cut off, or of a newer version.",
    },
    CodeDoc {
        code: FILE,
        summary: "a file cannot be read or written",
        details: "The message has the path and what the system said, such as `No such file or \
                  directory`. Relative paths begin where the command was started.",
    },
    CodeDoc {
        code: MANIFEST,
        summary: "the manifest of an external kind cannot be used",
        details: "`--kinds DIR` (or `ORDAIN_KINDS`) names directories of manifests: files whose \
                  names end in `.dsc.resource.json` or `.ordain.json`. Each is a JSON object with \
                  at least `type`, such as `Owner/Name`, and `get` or `test`. The message has the \
                  file and what is wrong with it.",
    },
    CodeDoc {
        code: NOTHING,
        summary: "there is nothing to compile, or nothing that is asked for",
        details: "As an error: a directory has nothing that is read here, no manifests (`.pp`) and \
                  none of the parts of a control repository. Mostly the path is a wrong one. As a \
                  warning: a control repository has no manifests and its node is given no class, \
                  standard input is empty, or no resource has a tag that `--tags` or \
                  `--skip-tags` names: the run comes to its end, and nothing is declared.",
    },
    CodeDoc {
        code: RESOURCE,
        summary: "a resource cannot be looked at or changed",
        details: "An attribute is wrong, as in `mode => 'rwx!'`, or the machine refused. The message has the resource and \
                  the reason; resources that depend on it are skipped.",
    },
    CodeDoc {
        code: STATE,
        summary: "the state directory cannot be used",
        details: "The lock and the journal of runs are kept in `/var/lib/ordain` for root, else \
                  below `$XDG_STATE_HOME` or `~/.local/state`; `--state-dir` or \
                  `ORDAIN_STATE_DIR` says otherwise. Another run may hold the lock: wait for it. The \
                  directory has to belong to who runs Ordain or to root, nobody else may write it or \
                  put another in its place, and what is in it are plain files: a link there, or a \
                  file with a second name, may be a trap and is refused. `ordain doctor` says what is \
                  wrong with it.",
    },
    CodeDoc {
        code: UNTRUSTED_PLAN,
        summary: "a saved plan was edited, or was made elsewhere",
        details: "`ordain plan --out FILE` ends a plan with a digest of all that it says, under a \
                  key that only the state directory of that user on that machine has. A plan is \
                  applied byte for byte as it was saved, and only with the same key and `--root`: \
                  plan and apply as the same user on the same machine, with the same `--state-dir`. \
                  What `--format json` prints is for reading and has no digest. A file that is named \
                  `*.plan` has to be such a plan.",
    },
    CodeDoc {
        code: UNKNOWN_NAME,
        summary: "there is nothing of this name",
        details: "A resource, an attribute, a fact or a code is not known. The message names the \
                  nearest one that is. `ordain compile`, `ordain facts` and `ordain explain-code` \
                  list what there is.",
    },
];

/// An input or output error.
pub fn io(what: &str, error: &dyn Display) -> Diagnostic {
    Diagnostic::error(FILE, format!("{what}: {error}"))
}

/// A file that cannot be read.
pub fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let diagnostic = io(&format!("cannot read {}", path.display()), error);
    if error.kind() == std::io::ErrorKind::NotFound && path.is_relative() {
        let Ok(dir) = std::env::current_dir() else { return diagnostic };
        return diagnostic.help(format!("looked for it in {}", dir.display()));
    }
    diagnostic
}

/// There is nothing at a path.
pub fn missing(path: &Path) -> Diagnostic {
    unreadable(path, &std::io::Error::from_raw_os_error(rustix::io::Errno::NOENT.raw_os_error()))
}

/// A document that does not have the expected form.
pub fn document(path: &Path, error: impl Display) -> Diagnostic {
    Diagnostic::error(DOCUMENT, format!("{}: {error}", path.display()))
}

/// A record of an earlier run on the machine is invalid.
pub fn note(error: KindError) -> Diagnostic {
    Diagnostic::error(STATE, error.to_string())
}

/// The state of earlier runs cannot be used.
pub fn state(error: StoreError) -> Diagnostic {
    let help = match &error {
        StoreError::Locked { .. } => "wait for it: one run at a time changes a machine",
        StoreError::Newer { .. } => "use that version, or another directory: --state-dir DIR",
        StoreError::Unsafe { .. } => {
            "`ordain doctor` says more; --state-dir DIR names a directory that only you can write"
        }
        StoreError::Broken { .. } => "`ordain doctor --fix` moves damaged files away",
        StoreError::Unwritable { .. } => {
            "--state-dir DIR says where else the lock and the journal are, --store DIR where exported resources are"
        }
    };
    Diagnostic::error(STATE, error.to_string()).help(help)
}
