//! The diagnostics of this crate.

use std::fmt::Display;
use std::path::Path;

use ordain_engine::kind::KindError;
use ordain_graph::shared::SharedStoreError;
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
/// The store of shared values does not answer or refuses.
pub const STORE: &str = "ordain::store";
/// The journal was damaged, and a new one was begun.
pub const DAMAGED: &str = "ordain::damaged-journal";
/// A saved plan was edited, or is of another machine.
pub const UNTRUSTED_PLAN: &str = "ordain::untrusted-plan";
/// The manifest of a kind cannot be used.
pub const MANIFEST: &str = "ordain::manifest";
/// There is nothing to compile, or to apply.
pub const NOTHING: &str = "ordain::nothing-declared";
/// A file is not formatted, or cannot be.
pub const FORMAT: &str = "ordain::format";
/// A resource cannot be looked at or changed.
pub const RESOURCE: &str = "ordain::resource";

/// The documentation of these codes.
pub const DOCS: &[CodeDoc] = &[
    CodeDoc {
        code: FORMAT,
        summary: "a file is not formatted, or cannot be formatted",
        details: "`ordain fmt --check` lists files that the formatter would change, such as \
                  `$x=42` to `$x = 42`; without `--check` it writes them. A file with a syntax \
                  error stays unchanged, and the message has the place.",
    },
    CodeDoc {
        code: ARGUMENTS,
        summary: "the arguments contradict each other",
        details: "Each argument is valid, but not in combination with the others or with the \
                  path. The message names them, as with `ordain apply next.plan --noop`: a saved \
                  plan is applied completely. Remove one of them.",
    },
    CodeDoc {
        code: CYCLE,
        summary: "resources depend on each other in a cycle",
        details: "Every resource of the cycle has to come before the next one and the last before \
                  the first:\n\n    notify { 'a': before => Notify['b'] }\n    notify { 'b': \
                  before => Notify['a'] }\n\nA compile warns about it; plan and apply fail. The \
                  message shows a shortest cycle and the place of each relationship. Remove one \
                  of them, or contain less: `contain` and `require` order all members of a class.",
    },
    CodeDoc {
        code: DAMAGED,
        summary: "a damaged journal or store of exported resources was replaced",
        details: "A database in the state directory could not be read: it was truncated, \
                  overwritten, or partly lost by the disk. It was moved to a directory \
                  `damaged-TIME` next to it, with the backups for `ordain rollback`, and the run \
                  continued with a new journal. So earlier runs are missing from `ordain history` \
                  and cannot be rolled back, and resources with a schedule may be applied once \
                  more. Exported resources are missing until each node is compiled or applied \
                  again; until then, collectors do not find them. `ordain doctor` lists the \
                  directory; remove it when you no longer need it.",
    },
    CodeDoc {
        code: DOCUMENT,
        summary: "a file has an unsupported format",
        details: "Graphs, catalogs, plans, facts and node data are JSON (facts also YAML), as \
                  written by `ordain compile` and `ordain plan --out`. The message has the \
                  problem: the file may be truncated, or have a newer version.",
    },
    CodeDoc {
        code: FILE,
        summary: "a file cannot be read or written",
        details: "The message has the path and the error of the system, such as `No such file or \
                  directory`. Relative paths start at the working directory.",
    },
    CodeDoc {
        code: MANIFEST,
        summary: "the manifest of an external kind is invalid",
        details: "`--kinds DIR` (or `ORDAIN_KINDS`) names directories of manifests: files whose \
                  names end in `.dsc.resource.json` or `.ordain.json`. Each is a JSON object with \
                  at least `type`, such as `Owner/Name`, and `get` or `test`. The message has the \
                  file and the problem.",
    },
    CodeDoc {
        code: NOTHING,
        summary: "there is nothing to compile or to apply",
        details: "As an error: a directory has neither manifests (`.pp`) nor other parts of a \
                  control repository. Usually the path is wrong. As a warning: a control \
                  repository has no manifests and its node has no class, standard input is empty, \
                  or no resource has a tag of `--tags` or `--skip-tags`. The run then ends \
                  successfully without resources.",
    },
    CodeDoc {
        code: RESOURCE,
        summary: "a resource cannot be checked or changed",
        details: "An attribute is invalid, as in `mode => 'rwx!'`, or the machine reported an \
                  error. The message has the resource and the reason; dependent resources are \
                  skipped.",
    },
    CodeDoc {
        code: STATE,
        summary: "the state directory cannot be used",
        details: "The lock and the journal of runs are in `/var/lib/ordain` for root, else below \
                  `$XDG_STATE_HOME` or `~/.local/state`; `--state-dir` or `ORDAIN_STATE_DIR` \
                  names another directory. If another run holds the lock, wait for it. The \
                  directory must belong to the user who runs Ordain or to root, nobody else may \
                  write to it or replace it, and it must contain plain files only: a link, or a \
                  file with several hard links, may be a trap and is refused. `ordain doctor` \
                  reports the problem.",
    },
    CodeDoc {
        code: STORE,
        summary: "the store of shared values does not answer or refuses",
        details: "`--store` names a directory, an etcd cluster (`etcd://HOST:2379`), or Ordain's \
                  server (`https://HOST:8140`). mcl programs share the values of `kv`, elections \
                  and exported resources there. As a warning: the store does not answer, and the \
                  values of before are in effect until it does. As an error: it refuses, for \
                  instance a host that writes a value of another host; the name of this host \
                  (`--node`) must be that of its certificate.",
    },
    CodeDoc {
        code: UNTRUSTED_PLAN,
        summary: "a saved plan was edited, or made on another machine",
        details: "`ordain plan --out FILE` signs a plan with a key in the state directory of \
                  that user on that machine. A plan is applied only if it is unchanged, and only \
                  with the same key and `--root`: plan and apply as the same user on the same \
                  machine, with the same `--state-dir`. The output of `--format json` is for \
                  reading and is not signed. A file named `*.plan` must be a signed plan.",
    },
    CodeDoc {
        code: UNKNOWN_NAME,
        summary: "an unknown name",
        details: "A resource, an attribute, a fact or a code is unknown. The message has the most \
                  similar known name. `ordain compile`, `ordain facts` and `ordain explain-code` \
                  list the known ones.",
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

/// The store of shared values does not answer or refuses.
pub fn shared_store(error: SharedStoreError) -> Diagnostic {
    Diagnostic::error(STORE, error.to_string())
}

/// The state of earlier runs cannot be used.
pub fn state(error: StoreError) -> Diagnostic {
    let help = match &error {
        StoreError::Locked { .. } => "wait for it: one run at a time changes a machine",
        StoreError::NewerSchema { .. } => "use that version, or another directory: --state-dir DIR",
        StoreError::Unsafe { .. } => {
            "`ordain doctor` has details; --state-dir DIR names a directory that only you can write"
        }
        StoreError::Broken { .. } => "`ordain doctor --fix` moves damaged files away",
        StoreError::Unwritable { .. } => {
            "--state-dir DIR says where else the lock and the journal are, --store DIR where exported resources are"
        }
    };
    Diagnostic::error(STATE, error.to_string()).help(help)
}
