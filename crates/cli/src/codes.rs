//! The diagnostic codes of the command line, and the documentation of all codes.

use ordain_driver::languages;
use ordain_source::CodeDoc;

pub(crate) use ordain_driver::codes::*;

/// A program is not formatted, or cannot be.
pub(crate) const FORMAT: &str = "ordain::format";
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

/// The codes of the command line.
const OWN: &[CodeDoc] = &[
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
        summary: "an evaluation takes too much memory or time",
        details: "An input that does not end, or that makes far more than it says, is ended before \
                  it takes the machine with it. Most bounds are errors of the language that is \
                  evaluated and have a place in it; this one is for what gets by them, such as an \
                  operator of a template that doubles a text, and names what was read or rendered \
                  last. An input that needs more gets it by `--limits 4` or `ORDAIN_LIMITS=4`: four \
                  times the memory, the time, the steps, and the sizes of values.",
    },
    CodeDoc {
        code: ROLLBACK,
        summary: "the changes of a run cannot be undone",
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
        code: TYPES,
        summary: "types cannot be had in another form, or not all of them",
        details: "As an error: a type refers to one that is not in the files, as `has role, Role` \
                  where nothing defines `Role`: give that file, too. As a warning: the other form \
                  has no word for something, as JSON Schema has none for `Pattern[/(?i:a)/]`; the \
                  message says what stands there instead.",
    },
];

/// The documentation of every code, in order.
pub(crate) fn all() -> Vec<&'static CodeDoc> {
    let mut codes: Vec<_> = OWN
        .iter()
        .chain(DOCS)
        .chain(languages::ALL.iter().flat_map(|language| language.codes()))
        .collect();
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
