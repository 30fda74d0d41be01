//! The documentation of the diagnostic codes of lexer and parser.

use ordain_source::CodeDoc;

/// The codes of this crate.
pub const DOCS: &[CodeDoc] = &[
    CodeDoc::new(
        "puppet::syntax-error",
        "A token is not allowed here",
        "The parser read as far as this token, and nothing that begins so can go on with it: `class a { ) }`. Often the mistake is just before: look for a missing comma, brace or quote.",
    ),
    CodeDoc::new(
        "puppet::nesting",
        "Constructs are nested too deeply",
        "More than 200 constructs in each other, or a chain of more than 1000 operators. Give parts of the expression names: `$part = …`.",
    ),
    CodeDoc::new(
        "puppet::too-long",
        "The text is too long",
        "A text has at most 1 GiB. Split it into several files: every class in its own, `manifests/NAME.pp`.",
    ),
    CodeDoc::new(
        "puppet::unclosed-quote",
        "A quoted text does not end",
        r#"Add the closing quote. In `"${x"` the brace is missing first: `"${x}"`."#,
    ),
    CodeDoc::new(
        "puppet::unclosed-mlcomment",
        "A comment does not end",
        "`/*` needs its `*/`. A regular expression cannot begin with `*`.",
    ),
    CodeDoc::new(
        "puppet::regex",
        "A regular expression is not well formed",
        r#"The message says why. Escape literal brackets and signs with a backslash: `/a\[0\]/`, not `/a[0/`."#,
    ),
    CodeDoc::new(
        "puppet::unrecognized-escape",
        "A backslash before a character that has no escape",
        r#"Double quotes know `\\ \$ \' \" \r \n \t \s \u`. Write `"C:\\dir"` or use single quotes: `'C:\dir'`."#,
    ),
    CodeDoc::new(
        "puppet::illegal-unicode-escape",
        r#"A `\u` is not followed by a character's number"#,
        r#"Write four hexadecimal digits, `\u00e4`, or one to six in braces, `\u{1f600}`, up to 10ffff."#,
    ),
    CodeDoc::new(
        "puppet::illegal-bom",
        "The file begins with a byte order mark",
        "Save the file as UTF-8 without the mark; most editors have this in the list of encodings. `file site.pp` tells whether it is gone.",
    ),
    CodeDoc::new(
        "puppet::illegal-number",
        "A number is not well formed",
        "Numbers are `12`, `0x1f`, `017`, `1.5` and `1e3`. Text that begins with a digit needs quotes: `'12ab'`.",
    ),
    CodeDoc::new(
        "puppet::invalid-decimal-number",
        "A decimal number is not well formed",
        "A digit must follow the point and the `e`: `1.0`, not `1.`. Text that begins with a digit needs quotes.",
    ),
    CodeDoc::new(
        "puppet::invalid-hex-number",
        "A hexadecimal number is not well formed",
        "`0x` is followed by digits and the letters a to f: `0xff`.",
    ),
    CodeDoc::new(
        "puppet::invalid-octal-number",
        "An octal number is not well formed",
        "A number that begins with 0 is octal and has no 8 or 9. Write `9`, not `09`; file modes are text: `'0644'`.",
    ),
    CodeDoc::new(
        "puppet::illegal-class-reference",
        "A type's name is not well formed",
        "Every part begins with a capital letter: `Apache::Vhost`, not `Apache::vhost`.",
    ),
    CodeDoc::new(
        "puppet::illegal-fully-qualified-class-reference",
        "A type's name with leading colons is not well formed",
        "Every part begins with a capital letter: `::Apache::Vhost`.",
    ),
    CodeDoc::new(
        "puppet::illegal-fully-qualified-name",
        "A name with leading colons is not well formed",
        "Every part begins with a small letter: `::apache::vhost`.",
    ),
    CodeDoc::new(
        "puppet::illegal-name",
        "A name is not well formed",
        "Every part begins with a small letter and has letters, digits and underscores: `apache::mod_ssl`. Quote it if it is text.",
    ),
    CodeDoc::new(
        "puppet::discontinued-import",
        "There is no `import` any more",
        "Files of modules are loaded when their classes are used. Write `include a` and put the class `a` into `a/manifests/init.pp`.",
    ),
    CodeDoc::new(
        "puppet::heredoc-unclosed-parenthesis",
        "A heredoc's tag does not end",
        "Write `@(END)` with both parentheses on one line.",
    ),
    CodeDoc::new(
        "puppet::heredoc-without-end-tagged-line",
        "A heredoc does not end",
        "`@(END)` needs a line that holds nothing but blanks, `|`, `-` and `END`.",
    ),
    CodeDoc::new(
        "puppet::heredoc-invalid-escape",
        "A heredoc asks for an escape that there is not",
        r#"The slash is followed by letters of `t r n s u L $`, as in `@("END"/tn)`."#,
    ),
    CodeDoc::new(
        "puppet::heredoc-invalid-syntax",
        "A heredoc's tag is not well formed",
        r#"It is `@(END)`, `@("END")` with interpolation, `@(END:json)` for text of a syntax, `@(END/tn)` for escapes."#,
    ),
    CodeDoc::new(
        "puppet::heredoc-without-text",
        "No lines follow a heredoc's tag",
        "The text begins on the line after `@(END)`.",
    ),
    CodeDoc::new(
        "puppet::heredoc-empty-endtag",
        "A heredoc's tag is empty",
        "Name the line that ends the text: `@(END)`.",
    ),
    CodeDoc::new(
        "puppet::heredoc-multiple-at-escapes",
        "A heredoc asks twice for an escape",
        r#"Write each letter once: `@("END"/tn)`, not `/ttn`."#,
    ),
    CodeDoc::new(
        "puppet::not-a-resource",
        "Braces or `@` without a resource",
        "The name of a type, a type, or a reference comes before the brace: `file { '/a': }`, `File { mode => '0644' }`, `File['/a'] { mode => '0600' }`.",
    ),
    CodeDoc::new(
        "puppet::resource-without-title",
        "A resource without a title",
        "Every resource has a title and a colon: `file { '/etc/motd': ensure => file }`.",
    ),
    CodeDoc::new(
        "puppet::illegal-argument-list",
        "A list with commas that is no list of arguments",
        "Only a few functions, such as `include` and `notice`, are called without parentheses. Write `f(1, 2)`.",
    ),
    CodeDoc::new(
        "puppet::bad-name",
        "This cannot be the name of a definition",
        "Write a bare name without quotes: `class apache { }`.",
    ),
    CodeDoc::new(
        "puppet::epp-unbalanced-tag",
        "A template ends inside of a tag",
        "Every `<%` needs its `%>`.",
    ),
    CodeDoc::new(
        "puppet::epp-unbalanced-expression",
        "A template ends right after `<%`",
        "Close the tag with `%>`; write `<%%` for the text `<%`.",
    ),
    CodeDoc::new(
        "puppet::epp-unbalanced-comment",
        "A comment of a template does not end",
        "`<%#` needs its `%>`. The text between them is not printed: `<%# a remark %>`.",
    ),
    CodeDoc::new(
        "puppet::illegal-epp-parameters",
        "A template's parameters are not at its start",
        "`<%- | String $name | -%>` must be the very first thing of the template, with nothing but blanks and comments before it.",
    ),
    CodeDoc::new(
        "puppet::illegal-hostname-interpolation",
        "The name of a node is computed",
        "Nodes are named by text or by a regular expression: `node 'web1' { }`, `node /^web/ { }`.",
    ),
];
