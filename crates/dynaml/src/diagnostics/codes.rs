//! The codes of diagnostics.

use ordain_source::CodeDoc;

/// An expression that cannot be parsed.
pub const SYNTAX: &str = "dynaml::syntax";
/// A file that is no YAML that can be merged.
pub const INVALID_YAML: &str = "dynaml::invalid-yaml";
/// No stub has a required value.
pub const NOT_IN_STUBS: &str = "dynaml::not-in-stubs";
/// A name or path is not known.
pub const NOT_FOUND: &str = "dynaml::not-found";
/// A built-in function is not known.
pub const UNKNOWN_FUNCTION: &str = "dynaml::unknown-function";
/// Values wait for each other.
pub const CYCLE: &str = "dynaml::cycle";
/// An expression fails for another reason.
pub const FAILED: &str = "dynaml::failed";
/// A node depends on a node without a value.
pub const UNRESOLVED: &str = "dynaml::unresolved";
/// A duplicate key.
pub const DUPLICATE_KEY: &str = "dynaml::duplicate-key";

/// A text that begins like an expression but is none.
pub const OPEN_EXPRESSION: &str = "dynaml::open-expression";

/// The codes of this front end.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: CYCLE,
        summary: "values depend on each other in a cycle",
        details: "Each of these expressions needs the value of the next, and the last one that of \
                  the first:\n\n    a: (( b ))\n    b: (( a ))\n\nA reference to a map waits for \
                  all its entries, so an expression cannot refer to a map that contains it: refer \
                  to the entry that it needs. A reference first looks in the map that contains \
                  it, so `foo: (( foo ))` means itself; `.foo` starts at the root.",
    },
    CodeDoc {
        code: DUPLICATE_KEY,
        summary: "a map has a duplicate key",
        details: "Of equal keys the last one wins, as in spiff, and the others have no \
                  effect:\n\n    port: 80\n    port: 81\n\nRemove or rename them.",
    },
    CodeDoc {
        code: FAILED,
        summary: "an expression has no value",
        details: "The message comes from the operator or function that failed:\n\n    a: (( 1 + \
                  \"x\" ))\n\nA value in a stub at the same path would replace it. Write `e || x` \
                  to use `x` if `e` fails.",
    },
    CodeDoc {
        code: INVALID_YAML,
        summary: "a file is not YAML that can be merged",
        details: "Templates and stubs are YAML documents whose keys are texts. `yes`, `on` and \
                  `1`, for example, are not texts:\n\n    on: push\n\nQuote them.",
    },
    CodeDoc {
        code: NOT_FOUND,
        summary: "an unknown name or path",
        details: "The first step of a reference is looked up in the map that contains it, then in \
                  the maps around; the first match is used, and the rest of the path must exist \
                  there:\n\n    a: {b: 1}\n    c: (( a.x ))\n\nA leading dot starts at the root \
                  of the document. Write `a.x || 1` if it may be missing.",
    },
    CodeDoc {
        code: NOT_IN_STUBS,
        summary: "no stub has a value that the template requires",
        details: "An expression takes its value from the stubs, at the path of its node or at \
                  another one:\n\n    a: (( merge ))\n    b: (( merge other.path ))\n\nThe \
                  message lists the stubs in search order, with the part of the path that each \
                  has. Add a stub with the value, or write `merge || x`.",
    },
    CodeDoc {
        code: OPEN_EXPRESSION,
        summary: "an expression lacks its closing brackets",
        details: "Only a text that is completely inside double brackets is an expression; any \
                  other is taken literally, here because of a missing bracket, and of a line \
                  break at the end:\n\n    a: (( b )\n    c: |\n      (( d ))\n\nClose the \
                  brackets; begin a block without a final line break with `|-` or `>-`.",
    },
    CodeDoc {
        code: SYNTAX,
        summary: "an expression has a syntax error",
        details: "A text that is completely inside double brackets is an expression, but this one \
                  is invalid:\n\n    a: (( 1+2 ))\n\nBinary operators need spaces around them: \
                  write `1 + 2`. Write `((! … ))` for a text that only looks like an expression.",
    },
    CodeDoc {
        code: UNKNOWN_FUNCTION,
        summary: "an unknown function",
        details: "A name before an opening bracket is a built-in function:\n\n    a: (( \
                  jion(\",\", l) ))\n\nCorrect the name. A lambda under the key `f` is called by \
                  a path: write `.f(1)`, or `x.f(1)`.",
    },
    CodeDoc {
        code: UNRESOLVED,
        summary: "a value depends on a node without a value",
        details: "The expression may be correct, but a node that it waits for has no value:\n\n    a: \
                  (( b.c ))\n    b: (( eval(x) ))\n\nCheck the nodes in the message.",
    },
];
