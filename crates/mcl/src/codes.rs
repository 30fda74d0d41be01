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
        details: "The program is right, and Ordain's engine has the kind of the resource, but not \
                  what a field asks of it: services of a session, contexts of SELinux. The page of \
                  mcl in the manual has a table of what each kind can do. `ordain compile` prints \
                  the graph all the same.",
    },
    CodeDoc {
        code: EVALUATION,
        summary: "the program ends with an error when it runs",
        details: "A function failed and no `<|>` caught it:\n\n    $l = [\"a\"]\n    test [$l[7]] \
                  {}\n\nOnly some errors can be caught: lookups, divisions by zero, and those of \
                  functions that say so. Write `$l[7] <|> \"b\"` for a value in place of the error.",
    },
    CodeDoc {
        code: INPUT,
        summary: "a file of the program cannot be read",
        details: "A file or directory that was named, or its `metadata.yaml`, is not there or is \
                  not as it must be.",
    },
    CodeDoc {
        code: NAME,
        summary: "a name is not known, is defined twice, or needs itself",
        details: "Variables, functions and classes must be defined in the block of their use or \
                  around it, in any order, and once a block:\n\n    $x = $y + 1\n\nA name of a \
                  module needs its import: `import \"strings\"`. A definition cannot use itself, \
                  also not through others: there is no recursion. A bind that shadows an outer one \
                  hides it in the whole block, so `$x = $x + 1` is a recursion too: choose another \
                  name.",
    },
    CodeDoc {
        code: OPERATOR,
        summary: "an operator fails when it is evaluated, or wraps around",
        details: "Types fit, but there is no such operation, or its result is out of range:\n\n    \
                  $small = \"a\" < \"b\"\n    $large = 9223372036854775807 + 1\n\nOnly numbers are \
                  ordered, and `+` joins texts but no lists: write `list.concat`. It is a warning, \
                  since a branch that is never taken does no harm.",
    },
    CodeDoc {
        code: RESOURCE,
        summary: "resources cannot be as the program has them",
        details: "Two resources have one name and differ, an edge names a resource that is not \
                  there, a value is out of range, or the edges form a cycle:\n\n    test \"a\" {}\n    \
                  Test[\"a\"] -> Test[\"b\"]\n\nHere the second end of the edge is missing.",
    },
    CodeDoc {
        code: SHAPE,
        summary: "a statement or value cannot have this shape",
        details: "A resource has a field twice, a map has a key twice or a key that cannot be one, \
                  or an import stands in a loop:\n\n    test \"a\" {\n        int8 => 1,\n        \
                  int8 => 2,\n    }\n\nGive each field once.",
    },
    CodeDoc {
        code: STRING,
        summary: "a string has an unknown escape or variable",
        details: "Known escapes are `\\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\$`. Between `${` and `}` stands \
                  the name of a variable, and nothing else:\n\n    $s = \"x: ${f()}\"\n\nBind what is \
                  needed to a variable first.",
    },
    CodeDoc {
        code: SYNTAX,
        summary: "the text is no mcl",
        details: "The message names the token that cannot stand there, and what could. Statements \
                  end with the line; lists stand on one line without a comma at the end, or have \
                  each item on a line of its own with a comma:\n\n    $x = [1, 2\n\nHere the bracket is not closed.",
    },
    CodeDoc {
        code: TYPE,
        summary: "a value has another type than is needed",
        details: "There are no conversions: an `int` is no `float`, and text is made of numbers \
                  with `fmt.printf`:\n\n    test \"a\" {\n        int8 => \"one\",\n    }\n\nThe message \
                  has the type that is needed first, as a rule. `ambiguous` means that a type does \
                  not follow from the program: write it, as in `$x []str = []`.",
    },
    CodeDoc {
        code: WIDENING,
        summary: "only the wide edition accepts this",
        details: "mgmt itself refuses it; its last releases or its guide have it. `mgmt fmt` \
                  writes it as the original wants it where it can. `--edition upstream` makes it an \
                  error.\n\n    $l = [1, 2,]\n\nHere the last comma is too much.",
    },
];
