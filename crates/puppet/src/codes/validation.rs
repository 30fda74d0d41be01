//! Findings of the validator.

use ordain_source::CodeDoc;

pub(super) const DOCS: &[CodeDoc] = &[
    CodeDoc::new(
        "puppet::idem-expression-not-last",
        "A value is produced and thrown away",
        "`1 + 2` as a statement does nothing. Assign it, pass it on, or remove it.",
    ),
    CodeDoc::new(
        "puppet::idem-not-allowed-last",
        "A class, define or node ends in a mere value",
        "The value is lost: `class a { $x }`. Remove it.",
    ),
    CodeDoc::new(
        "puppet::not-top-level",
        "A class, define or node inside of something else",
        "`if $x { class a { } }`: definitions are allowed at top level of a file; classes and defines also in classes. Move it out of the condition or block.",
    ),
    CodeDoc::new(
        "puppet::not-absolute-top-level",
        "A function or type is not at top level",
        "`function` and `type` are allowed only at top level of a file, not in a class. Move them out.",
    ),
    CodeDoc::new(
        "puppet::illegal-definition-location",
        "A name that does not fit the path of its file",
        "`m::a::b` belongs into `m/manifests/a/b.pp`, which may define only names that begin with `m::a::b`.",
    ),
    CodeDoc::new(
        "puppet::illegal-top-construct-location",
        "A module's file holds more than definitions",
        "Files of modules are loaded for their definitions, so `notice('hi')` beside `class a { }` would never or always run. Put them into a class, and nodes into the site's manifests.",
    ),
    CodeDoc::new(
        "puppet::illegal-definition-name",
        "A definition's name is not well formed",
        "Classes and defines have names such as `apache::vhost`, type aliases such as `Apache::Port`.",
    ),
    CodeDoc::new(
        "puppet::reserved-type-name",
        "A definition has the name of a built-in type",
        "`class integer { }` would hide `Integer`. Choose another name.",
    ),
    CodeDoc::new(
        "puppet::reserved-word",
        "A reserved word used as a value",
        "Quote it if it is text: `'type'`.",
    ),
    CodeDoc::new(
        "puppet::future-reserved-word",
        "A word that will be reserved",
        "`plan` will become a keyword. Choose another name.",
    ),
    CodeDoc::new(
        "puppet::reserved-parameter",
        "A parameter has a built-in name",
        "`$name` and `$title` exist in every class and define. Choose another name.",
    ),
    CodeDoc::new(
        "puppet::metaparameter-name",
        "A parameter has the name of a metaparameter",
        "`define a($tag) { }`: every resource has `tag`, `require`, `noop` and others already. Choose another name. With a default it is only a warning, and a value given flows to all that the define contains.",
    ),
    CodeDoc::new(
        "puppet::duplicate-parameter",
        "A parameter is declared twice",
        "`class a($x, $x) { }`. Remove one, or rename it.",
    ),
    CodeDoc::new(
        "puppet::illegal-param-name",
        "A parameter's name is not well formed",
        "Parameters have names such as `$port` without `::`.",
    ),
    CodeDoc::new(
        "puppet::illegal-numeric-parameter",
        "A parameter has a number as name",
        "`$1` and its like are the groups of the last match. Choose a name.",
    ),
    CodeDoc::new(
        "puppet::captures-rest-not-last",
        "A parameter that takes the rest is not the last one",
        "`|*$all, $x|` leaves nothing for `$x`. Put `*$all` last.",
    ),
    CodeDoc::new(
        "puppet::captures-rest-not-supported",
        "A parameter cannot take the rest here",
        "Classes, defines and templates get their parameters by name; only functions and lambdas have `*$rest`. Use `Array $rest`.",
    ),
    CodeDoc::new(
        "puppet::illegal-nonliteral-parameter-type",
        "A parameter's type is computed",
        "Types of class parameters are written out: `Enum['a', 'b'] $x`, not `Enum[$list] $x`.",
    ),
    CodeDoc::new(
        "puppet::illegal-assignment-context",
        "An assignment in a parameter's default",
        "`class a($x = $y = 1)`. A default is a value: write `$x = 1`.",
    ),
    CodeDoc::new(
        "puppet::illegal-numeric-assignment",
        "An assignment to a group of a match",
        "`$1` is set by `=~`. Choose a name.",
    ),
    CodeDoc::new(
        "puppet::illegal-indexed-assignment",
        "An assignment to a part of a value",
        "Values never change: instead of `$h['a'] = 1` make a new one, `$g = $h + { 'a' => 1 }`.",
    ),
    CodeDoc::new(
        "puppet::illegal-assignment",
        "An assignment to something other than a variable",
        "The left side of `=` is a variable or a list of them: `$x = 1`, `[$a, $b] = [1, 2]`. Write `==` to compare.",
    ),
    CodeDoc::new(
        "puppet::cross-scope-assignment",
        "An assignment to a variable of another scope",
        "`$a::x = 1` is not possible: a class sets only its own variables. Give the class a parameter.",
    ),
    CodeDoc::new(
        "puppet::appends-deletes-no-longer-supported",
        "There is no `+=` and `-=` any more",
        "Values never change: write `$all = $some + $more`.",
    ),
    CodeDoc::new(
        "puppet::illegal-var-name",
        "A variable's name is not well formed",
        "Names begin with a small letter or, in their last part, an underscore: `$_x`, `$apache::port`.",
    ),
    CodeDoc::new(
        "puppet::illegal-numeric-var-name",
        "A variable's name begins with a digit",
        "Only groups of a match do: `$0`, `$1`, without leading zeros.",
    ),
    CodeDoc::new(
        "puppet::illegal-expression",
        "An expression is used where it has no meaning",
        "The message names both, as in a type reference that is no type. Often quotes or a `$` are too many or too few.",
    ),
    CodeDoc::new(
        "puppet::illegal-classref",
        "This is no name of a class",
        "Write a bare name or text: `inherits apache::params`.",
    ),
    CodeDoc::new(
        "puppet::illegal-hostclass-name",
        "This is no name of a class",
        "Classes have names such as `apache::mod`.",
    ),
    CodeDoc::new(
        "puppet::not-rvalue",
        "An expression without a value is used where one is needed",
        "Definitions and collectors have none: `$x = class a { }`. Put the definition on its own.",
    ),
    CodeDoc::new(
        "puppet::unsupported-expression",
        "Something that the language reserves but does not have",
        "Plans, and mappings of types to other runtimes than `Runtime`, parse but cannot be used. Use a function, or a type alias, `type A = …`.",
    ),
    CodeDoc::new(
        "puppet::illegal-type-mapping",
        "A mapping of types is not well formed",
        "`type Runtime[ruby, 'A'] = B` maps to a type; with a pattern, to `[/pattern/, 'replacement']`.",
    ),
    CodeDoc::new(
        "puppet::illegal-node-inheritance",
        "Nodes inherit nothing",
        "Instead of `node a inherits b` put what they share into a class, and include it in both.",
    ),
    CodeDoc::new(
        "puppet::illegal-hostname-chars",
        "A node's name has characters that no host has",
        r#"Names have letters, digits, `.`, `_` and `-`. Write a pattern between slashes: `node /^web\d+$/ { }`."#,
    ),
    CodeDoc::new(
        "puppet::duplicate-default",
        "Two `default` in one choice",
        "A `case` or selector has at most one. Remove the second.",
    ),
    CodeDoc::new(
        "puppet::duplicate-key",
        "A key is used twice in a hash",
        "`{ 'a' => 1, 'a' => 2 }`: the second would win silently. Remove one; whether this is an error depends on the setting `strict`.",
    ),
    CodeDoc::new(
        "puppet::illegal-attribute-append",
        "`+>` outside of an override",
        "Only overrides and collectors add: `File['/a'] { require +> Package['b'] }`. Write `=>`.",
    ),
    CodeDoc::new(
        "puppet::multiple-attributes-unfold",
        "Two `* =>` in one body",
        "Merge the hashes: `* => $a + $b`.",
    ),
    CodeDoc::new(
        "puppet::class-not-virtualizable",
        "A class cannot be virtual or exported",
        "Write `class { 'a': }` without `@`.",
    ),
    CodeDoc::new(
        "puppet::not-virtualizeable",
        "Defaults and overrides cannot be virtual or exported",
        "Remove the `@`: `File { mode => '0644' }`.",
    ),
    CodeDoc::new(
        "puppet::illegal-query-expression",
        "A collector's query knows only simple comparisons",
        "Queries have `==`, `!=`, `and`, `or` and parentheses over attributes: `User <| tag == 'web' and uid != 0 |>`.",
    ),
    CodeDoc::new(
        "puppet::illegal-json",
        "A heredoc said to be JSON is not",
        "`@(END:json)` promises JSON. The message says what is wrong and where in the text; look for commas before `}` and `]`.",
    ),
    CodeDoc::new(
        "puppet::illegal-base64",
        "A heredoc said to be Base64 is not",
        "`@(END:base64)` promises letters, digits, `+`, `/`, in groups of four that `=` fills up. Blanks and line ends do not count.",
    ),
    CodeDoc::new(
        "puppet::illegal-pp",
        "A heredoc said to be a manifest is not",
        "`@(END:pp)` promises Puppet code. The message has the first error and its place in the text.",
    ),
    CodeDoc::new(
        "puppet::illegal-epp",
        "A heredoc said to be a template is not",
        "`@(END:epp)` promises a template. The message has the first error and its place in the text.",
    ),
    CodeDoc::new(
        "puppet::numeric-overflow",
        "An integer is out of range",
        "`9223372036854775807 + 1`: integers have 64 bits, down to -9223372036854775808. Use text or a float.",
    ),
    CodeDoc::new(
        "puppet::float-out-of-range",
        "A float is out of range",
        "`1.0e309`: floats reach up to about 1.8e308. Use text if the digits matter.",
    ),
];
