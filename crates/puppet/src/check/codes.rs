//! The documentation of the codes of parser and validator.

use ordain_source::CodeDoc;

/// The codes of the parser and the validator whose messages do not say all.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "puppet::syntax-error",
        summary: r#"A token stands where none of its kind can stand"#,
        details: r#"The parser read as far as this token and nothing that begins so can go on with it. Often the mistake is just before: a missing comma, brace or quote."#,
    },
    CodeDoc {
        code: "puppet::nesting",
        summary: r#"Constructs are nested too deeply"#,
        details: r#"More than 200 constructs in each other, or a chain of more than 1000 operators. Split the expression with variables."#,
    },
    CodeDoc {
        code: "puppet::unclosed-quote",
        summary: r#"A quoted text does not end"#,
        details: r#"Add the closing quote. `"${` needs its `}` first."#,
    },
    CodeDoc {
        code: "puppet::regex",
        summary: r#"The brackets of a regular expression do not match"#,
        details: r#"Escape brackets that stand for themselves: `/\\[x/`."#,
    },
    CodeDoc {
        code: "puppet::unrecognized-escape",
        summary: r#"A backslash before a character that has no escape"#,
        details: r#"Only `\\ \$ \' \" \r \n \t \s \u` are escapes in double quotes; write `\\\\` for a backslash."#,
    },
    CodeDoc {
        code: "puppet::not-a-resource",
        summary: r#"Braces or `@` behind or before what is no resource"#,
        details: r#"`x { … }` needs a type name, a type or a reference before the brace."#,
    },
    CodeDoc {
        code: "puppet::illegal-argument-list",
        summary: r#"A comma list that is no argument list"#,
        details: r#"Only a few functions, such as `include` and `notice`, are called without parentheses."#,
    },
    CodeDoc {
        code: "puppet::bad-name",
        summary: r#"This cannot be the name of a definition"#,
        details: r#"Write a bare name, without quotes."#,
    },
    CodeDoc {
        code: "puppet::idem-expression-not-last",
        summary: r#"A value is produced and thrown away"#,
        details: r#"`1 + 2` as a statement does nothing. Assign it, pass it on, or remove it."#,
    },
    CodeDoc {
        code: "puppet::idem-not-allowed-last",
        summary: r#"A class, define or node ends in a mere value"#,
        details: r#"The value is lost. Remove it."#,
    },
    CodeDoc {
        code: "puppet::not-top-level",
        summary: r#"A class, define or node inside of something else"#,
        details: r#"Definitions stand at top level of a file; classes and defines also in classes."#,
    },
    CodeDoc {
        code: "puppet::illegal-definition-location",
        summary: r#"A name that does not fit the path of its file"#,
        details: r#"`m::a::b` belongs into `m/manifests/a/b.pp`."#,
    },
];
