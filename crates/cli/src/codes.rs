//! The diagnostic codes of the command line, and the documentation of all codes.

#[cfg(feature = "full")]
use ordain_driver::languages;
use ordain_source::CodeDoc;

pub(crate) use ordain_driver::codes::*;

/// The agent cannot get or apply its graph.
pub(crate) const AGENT: &str = "ordain::agent";
/// The certificate authority refuses a call.
pub(crate) const CA: &str = "ordain::ca";
/// A saved plan does not match the machine any more.
pub(crate) const STALE_PLAN: &str = "ordain::stale-plan";
/// A run did not finish.
pub(crate) const INTERRUPTED: &str = "ordain::interrupted";
/// An evaluation exceeds its budget of memory or time.
pub(crate) const LIMIT: &str = "ordain::limit";
/// A run's changes cannot be reverted.
pub(crate) const ROLLBACK: &str = "ordain::rollback";
/// An Ecore model cannot be read completely.
pub(crate) const ECORE: &str = "ordain::ecore";
/// Types cannot be converted completely.
pub(crate) const TYPES: &str = "ordain::types";
/// `ordain serve` cannot start or go on.
pub(crate) const SERVER: &str = "ordain::server";

/// The codes of the command line.
const OWN: &[CodeDoc] = &[
    CodeDoc {
        code: AGENT,
        summary: "the agent cannot get or apply its graph",
        details: "The message has the reason. The first run needs `--ca-fingerprint` with the \
                  fingerprint that `ordain ca show` prints on the server, or \
                  `--trust-on-first-use`. A request for a certificate is signed on the server with \
                  `ordain ca sign NAME`. A graph is refused if its signature is not that of the \
                  server, if it is that of another node, or an answer to an earlier request: the \
                  agent then goes on with the last graph that it verified.",
    },
    CodeDoc {
        code: CA,
        summary: "the certificate authority refuses a call",
        details: "The message has the reason: the directory has no authority (`ordain ca setup` \
                  makes one), its files do not belong together, a name has no request or has a \
                  certificate already (`ordain ca clean NAME` removes it), or a request asks for \
                  more than is allowed. Alternative names and extensions that grant rights need \
                  a flag, as in `ordain ca sign web.example.org --allow-subject-alt-names`: check \
                  with `ordain ca list` first.",
    },
    CodeDoc {
        code: ECORE,
        summary: "an Ecore model cannot be read completely",
        details: "As an error: the file is not XML or not Ecore, refers to another document (as \
                  with `eType=\"other.ecore#//A\"`), has a document type, or exceeds a limit (64 \
                  MiB, a million elements, 100 levels, 100 attributes of an element). The message \
                  has the place. As a warning: the model uses a feature that the language lacks, \
                  such as an operation or multiple inheritance; the message says how it was \
                  translated.",
    },
    CodeDoc {
        code: INTERRUPTED,
        summary: "a run was interrupted",
        details: "A signal stopped this run: it finished the current resources, and the message \
                  lists those that it did not reach. Or the journal has an earlier run without an \
                  end: it was interrupted or killed, or the machine crashed. The message lists \
                  the changes that were in progress. Every change was made completely or not at \
                  all. This run checks all of them again, so no action is needed; `ordain plan` \
                  shows the remaining changes.",
    },
    CodeDoc {
        code: LIMIT,
        summary: "an evaluation takes too much memory or time",
        details: "An evaluation that is endless or grows far beyond its input is stopped before \
                  it exhausts the machine. Most limits are errors of the evaluated language, with \
                  a place. This one covers everything else, such as an operator of a template \
                  that doubles a text, and names the file that was read or rendered last. \
                  `--limits 4` or `ORDAIN_LIMITS=4` multiplies all limits on memory, time, steps \
                  and sizes of values by four.",
    },
    CodeDoc {
        code: ROLLBACK,
        summary: "the changes of a run cannot be undone",
        details: "`ordain rollback` restores files, directories and links to their state before a \
                  run. It refuses paths that were changed after the run, and lists them: check \
                  them, and use `--force` to discard the later changes.",
    },
    CodeDoc {
        code: SERVER,
        summary: "the server cannot start or go on",
        details: "The message names the directory, address or setting: another program listens on \
                  the port (`--listen`), the state directory cannot be written (`--state-dir`), the \
                  certificate authority is damaged (`--ca-dir`), or a file of settings has an error.",
    },
    CodeDoc {
        code: STALE_PLAN,
        summary: "the machine has changed since the plan was made",
        details: "A saved plan is applied exactly or not at all. Make a new one with `ordain plan \
                  --out FILE`, review it, and apply that.",
    },
    CodeDoc {
        code: TYPES,
        summary: "types cannot be converted completely",
        details: "As an error: a type refers to one that is not in the files, as `has role, Role` \
                  where no file defines `Role`: add its file. As a warning: the other format \
                  cannot express something, as JSON Schema cannot express `Pattern[/(?i:a)/]`; \
                  the message has the replacement.",
    },
];

/// The documentation of every code, in order.
pub(crate) fn all() -> Vec<&'static CodeDoc> {
    let mut codes: Vec<_> = OWN.iter().chain(DOCS).collect();
    #[cfg(feature = "full")]
    {
        codes.extend(ordain_deploy::codes::DOCS);
        codes.extend(ordain_testing::codes::DOCS);
        codes.extend(languages::ALL.iter().flat_map(|language| language.codes()));
    }
    codes.sort_by_key(|doc| doc.code);
    codes
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
