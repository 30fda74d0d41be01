//! The diagnostic codes of this front end.

use ordain_source::CodeDoc;

/// A text that is no mcl.
pub const SYNTAX: &str = "mcl::syntax";
/// A statement or value of an invalid shape.
pub const SHAPE: &str = "mcl::shape";
/// A string with an unknown escape or variable.
pub const STRING: &str = "mcl::string";
/// A name that is unknown, defined twice, or depends on itself.
pub const NAME: &str = "mcl::name";
/// A value of a wrong type.
pub const TYPE: &str = "mcl::type";
/// A program that fails in a run.
pub const EVALUATION: &str = "mcl::evaluation";
/// Resources that cannot be.
pub const RESOURCE: &str = "mcl::resource";
/// The engine does not support it.
pub const DEPLOY: &str = "mcl::deploy";
/// A file of a program that cannot be read.
pub const INPUT: &str = "mcl::input";
/// An operator that will fail or overflow.
pub const OPERATOR: &str = "mcl::operator";
/// Only the wide edition accepts it.
pub const WIDENING: &str = "mcl::widening";

/// The documentation of the codes.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: DEPLOY,
        summary: "a resource cannot be planned on this machine",
        details: "The program is valid, and Ordain's engine has the kind of the resource, but \
                  does not support a field of it, such as services of a session or SELinux \
                  contexts. The manual's page about mcl has a table of the supported features of \
                  each kind. `ordain compile` still prints the graph.",
    },
    CodeDoc {
        code: EVALUATION,
        summary: "the program fails at run time",
        details: "A function failed and no `<|>` caught it:\n\n    $l = [\"a\"]\n    test [$l[7]] \
                  {}\n\nOnly some errors can be caught: those of lookups, divisions by zero, and \
                  functions that are marked as catchable. Write `$l[7] <|> \"b\"` for a value in \
                  place of the error.",
    },
    CodeDoc {
        code: INPUT,
        summary: "a file of the program cannot be read",
        details: "A file or directory, or its `metadata.yaml`, does not exist or is invalid.",
    },
    CodeDoc {
        code: NAME,
        summary: "a name is unknown, defined twice, or depends on itself",
        details: "Variables, functions and classes must be defined in the block that uses them or \
                  around it, in any order, and once per block:\n\n    $x = $y + 1\n\nA name of a \
                  module needs its import: `import \"strings\"`. A definition cannot use itself, \
                  directly or indirectly: there is no recursion. A bind that shadows an outer one \
                  hides it in the whole block, so `$x = $x + 1` is a recursion, too: choose \
                  another name.",
    },
    CodeDoc {
        code: OPERATOR,
        summary: "an operator fails at run time, or overflows",
        details: "The types match, but the operation does not exist, or its result is out of \
                  range:\n\n    $small = \"a\" < \"b\"\n    $large = 9223372036854775807 + \
                  1\n\nOnly numbers are ordered, and `+` joins texts but not lists: write \
                  `list.concat`. It is a warning, because a branch that is never taken does no \
                  harm.",
    },
    CodeDoc {
        code: RESOURCE,
        summary: "resources contradict each other",
        details: "Two resources with the same name differ, an edge refers to a missing resource, \
                  a value is out of range, or the edges form a cycle:\n\n    test \"a\" {}\n    Test[\"a\"] \
                  -> Test[\"b\"]\n\nHere the second end of the edge is missing.",
    },
    CodeDoc {
        code: SHAPE,
        summary: "an invalid statement or value",
        details: "A resource has a field twice, a map has a duplicate or impossible key, or an \
                  import is inside a loop:\n\n    test \"a\" {\n        int8 => 1,\n        int8 \
                  => 2,\n    }\n\nSet each field once.",
    },
    CodeDoc {
        code: STRING,
        summary: "a string has an unknown escape or variable",
        details: "Known escapes are `\\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\$`. Only the name of \
                  a variable may be between `${` and `}`:\n\n    $s = \"x: ${f()}\"\n\nBind the \
                  value to a variable first.",
    },
    CodeDoc {
        code: SYNTAX,
        summary: "a syntax error",
        details: "The message has the unexpected token and the expected ones. Statements end with \
                  the line. A list is on one line without a trailing comma, or has each item on \
                  its own line with a comma:\n\n    $x = [1, 2\n\nHere the bracket is not closed.",
    },
    CodeDoc {
        code: TYPE,
        summary: "a value has the wrong type",
        details: "There are no implicit conversions: an `int` is not a `float`, and `fmt.printf` \
                  converts numbers to text:\n\n    test \"a\" {\n        int8 => \"one\",\n    }\n\nThe \
                  message usually has the expected type first. `ambiguous` means that the program \
                  does not determine a type: declare it, as in `$x []str = []`.",
    },
    CodeDoc {
        code: WIDENING,
        summary: "only the wide edition accepts this",
        details: "mgmt itself refuses it; its last releases or its guide accept it. `mgmt fmt` \
                  rewrites it in the original's form where possible. `--edition upstream` makes \
                  it an error.\n\n    $l = [1, 2,]\n\nHere the trailing comma is superfluous.",
    },
];
