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
        summary: "values wait for each other in a loop",
        details: "Each of these expressions needs the value of the next, and the last one that of \
                  the first:\n\n    a: (( b ))\n    b: (( a ))\n\nA reference to a map waits for \
                  all that is in it, so an expression cannot refer to a map that it is part of: \
                  refer to the entry that is needed. A reference looks first at the map it stands \
                  in, so `foo: (( foo ))` means itself; `.foo` starts at the root.",
    },
    CodeDoc {
        code: DUPLICATE_KEY,
        summary: "a map has a key twice",
        details: "Of equal keys the last one counts, as it does in spiff, and the others have no \
                  effect:\n\n    port: 80\n    port: 81\n\nTake them away, or rename them.",
    },
    CodeDoc {
        code: FAILED,
        summary: "an expression has no value",
        details: "The message is that of the operator or function that failed:\n\n    a: (( 1 + \
                  \"x\" ))\n\nWhat stubs have at the same path would be taken in its place. Write \
                  `e || x` to get `x` if `e` fails.",
    },
    CodeDoc {
        code: INVALID_YAML,
        summary: "a file is no YAML that can be merged",
        details: "Templates and stubs are YAML documents whose keys are texts. `yes`, `on`, `1` \
                  and the like are no texts:\n\n    on: push\n\nPut them in quotes.",
    },
    CodeDoc {
        code: NOT_FOUND,
        summary: "a name or path is not known",
        details: "The first step of a reference is looked for in the map it stands in, then in the \
                  maps around; the first that has it decides, and the rest of the path has to be \
                  there:\n\n    a: {b: 1}\n    c: (( a.x ))\n\nA leading dot starts at the root of \
                  the document. Write `a.x || 1` if it may be missing.",
    },
    CodeDoc {
        code: NOT_IN_STUBS,
        summary: "no stub has a value that the template requires",
        details: "An expression takes from stubs what they have at the path of its node, or at \
                  another one:\n\n    a: (( merge ))\n    b: (( merge other.path ))\n\nThe message \
                  lists the stubs in the order in which they were searched, and how much of the \
                  path each has. Give a stub that has it, or write `merge || x`.",
    },
    CodeDoc {
        code: OPEN_EXPRESSION,
        summary: "a text begins like an expression and does not end like one",
        details: "Only a text that is wholly in double brackets is an expression; any other is \
                  taken as it is, here with a bracket that is missing, and with a line break at \
                  the end:\n\n    a: (( b )\n    c: |\n      (( d ))\n\nClose the brackets; \
                  a block without a line break at its end begins with `|-` or `>-`.",
    },
    CodeDoc {
        code: SYNTAX,
        summary: "an expression cannot be parsed",
        details: "A text that is wholly in double brackets is an expression, and this one is \
                  none:\n\n    a: (( 1+2 ))\n\nBinary operators need blanks around them: write `1 \
                  + 2`. A text that only looks like an expression is written `((! … ))`.",
    },
    CodeDoc {
        code: UNKNOWN_FUNCTION,
        summary: "there is no function of this name",
        details: "A name before an opening bracket is a built-in function:\n\n    a: (( jion(\",\", \
                  l) ))\n\nCorrect the name. A lambda under the key `f` is called by a path: write \
                  `.f(1)`, or `x.f(1)`.",
    },
    CodeDoc {
        code: UNRESOLVED,
        summary: "a value depends on one that is not there",
        details: "The expression may be right, but something that it waits for has no value:\n\n    \
                  a: (( b.c ))\n    b: (( eval(x) ))\n\nLook at the nodes that it names.",
    },
];
