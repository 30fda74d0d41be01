//! The diagnostics of the command itself, and the documentation of all codes.

use std::fmt::Display;
use std::path::Path;

use ordain_engine::kind::KindError;
use ordain_source::{CodeDoc, Diagnostic};
use ordain_store::StoreError;

use crate::languages;

/// A file could not be read or written.
pub const FILE: &str = "ordain::file";
/// A document is not of a form that the verb reads.
pub const DOCUMENT: &str = "ordain::document";
/// The arguments do not fit together.
pub const ARGUMENTS: &str = "ordain::arguments";
/// A name is not known.
pub const UNKNOWN_NAME: &str = "ordain::unknown-name";
/// Relations form a loop.
pub const CYCLE: &str = "ordain::dependency-cycle";
/// A program is not formatted, or cannot be.
pub const FORMAT: &str = "ordain::format";
/// A saved plan does not fit any more.
pub const STALE_PLAN: &str = "ordain::stale-plan";
/// The state directory cannot be used.
pub const STATE: &str = "ordain::state";
/// The journal was damaged, and a new one was begun.
pub const DAMAGED: &str = "ordain::damaged-journal";
/// A saved plan was edited, or is of another machine.
pub const UNTRUSTED_PLAN: &str = "ordain::untrusted-plan";
/// A run did not come to its end.
pub const INTERRUPTED: &str = "ordain::interrupted";
/// An evaluation takes too much memory or time.
pub const LIMIT: &str = "ordain::limit";
/// The manifest of a kind cannot be used.
pub const MANIFEST: &str = "ordain::manifest";
/// There is nothing to compile, or to apply.
pub const NOTHING: &str = "ordain::nothing-declared";
/// What a run changed cannot be taken back.
pub const ROLLBACK: &str = "ordain::rollback";
/// An Ecore model cannot be read, or not all of it.
pub const ECORE: &str = "ordain::ecore";
/// Types cannot be had in another form, or not all of them.
pub const TYPES: &str = "ordain::types";
/// A resource cannot be looked at or changed.
pub const RESOURCE: &str = "ordain::resource";

/// The codes of the command itself.
const OWN: &[CodeDoc] = &[
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
        code: ECORE,
        summary: "an Ecore model cannot be read, or not all of it",
        details: "As an error: the file is no XML, no Ecore, refers to another document (as with \
                  `eType=\"other.ecore#//A\"`), has a document type, or is beyond the bounds (64 MiB, a million elements, 100 levels \
                  and 100 attributes of an element). The place says where. As a warning: the \
                  model has something that the language has no word for, such as an operation or \
                  a second class to inherit from; the message says what became of it.",
    },
    CodeDoc {
        code: FILE,
        summary: "a file cannot be read or written",
        details: "The message has the path and what the system said, such as `No such file or \
                  directory`. Relative paths begin where the command was started.",
    },
    CodeDoc {
        code: FORMAT,
        summary: "a program is not formatted, or cannot be",
        details: "With `ordain fmt --check` files are named that the formatter would write \
                  otherwise, such as `$x=42` for `$x = 42`; without `--check` it writes them. A \
                  file that does not parse stays as it is, and the message has the place.",
    },
    CodeDoc {
        code: INTERRUPTED,
        summary: "a run did not come to its end",
        details: "A signal told this run to end: it finished the current resources, and the message \
                  names those that it did not reach. Or the journal says that an earlier run \
                  began and not that it ended: it was interrupted, it was killed, or the machine \
                  went down. The message lists the changes that it had begun. Every change \
                  is whole or was not made; this run looks \
                  at all of them again, so nothing has to be done. `ordain plan` shows what is \
                  left.",
    },
    CodeDoc {
        code: LIMIT,
        summary: "what is evaluated takes too much memory or time",
        details: "An input that does not end, or that makes far more than it says, is ended before \
                  it takes the machine with it. Most bounds are errors of the language that is \
                  evaluated and have a place in it; this one is for what gets by them, such as an \
                  operator of a template that doubles a text, and names what was read or rendered \
                  last. An input that needs more gets it by `--limits 4` or `ORDAIN_LIMITS=4`: four \
                  times the memory, the time, the steps, and the sizes of values.",
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
        code: ROLLBACK,
        summary: "what a run changed cannot be taken back",
        details: "`ordain rollback` puts files, directories and links back as they were before a \
                  run. It refuses where they were changed after the run, and names them: look at \
                  them, and give `--force` to lose what they are now.",
    },
    CodeDoc {
        code: STALE_PLAN,
        summary: "the machine is not as it was when the plan was made",
        details: "A saved plan is applied exactly or not at all. Make a new one with `ordain plan \
                  --out FILE`, look at it, and apply that.",
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
        code: TYPES,
        summary: "types cannot be had in another form, or not all of them",
        details: "As an error: a type refers to one that is not in the files, as `has role, Role` \
                  where nothing defines `Role`: give that file, too. As a warning: the other form \
                  has no word for something, as JSON Schema has none for `Pattern[/(?i:a)/]`; the \
                  message says what stands there instead.",
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

/// The documentation of every code, in order.
pub fn all() -> Vec<&'static CodeDoc> {
    let mut codes: Vec<_> =
        OWN.iter().chain(languages::ALL.iter().flat_map(|language| language.codes())).collect();
    codes.sort_by_key(|doc| doc.code);
    codes
}

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

/// A document that is not of the form that is wanted.
pub fn document(path: &Path, error: impl Display) -> Diagnostic {
    Diagnostic::error(DOCUMENT, format!("{}: {error}", path.display()))
}

/// What is noted on the machine cannot be used.
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
        StoreError::Broken { .. } => "`ordain doctor --fix` sets aside what is damaged",
        StoreError::Unwritable { .. } => {
            "--state-dir DIR says where else the lock and the journal are, --store DIR where exported resources are"
        }
    };
    Diagnostic::error(STATE, error.to_string()).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_told() {
        let all = all();
        assert!(all.windows(2).all(|w| w[0].code != w[1].code));
        for doc in all {
            assert!(!doc.summary.is_empty() && !doc.summary.ends_with('.'), "{}", doc.code);
            assert!(!doc.details.is_empty(), "{}", doc.code);
        }
    }
}
