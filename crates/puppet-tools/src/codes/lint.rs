//! The documentation of the checks of puppet-lint and of its plug-ins.

use ordain_source::CodeDoc;

/// The codes of the checks of puppet-lint.
pub(super) const LINT: &[CodeDoc] = &[
    CodeDoc::new(
        "lint::syntax",
        "puppet-lint cannot read a manifest",
        r#"puppet-lint reads manifests with a lexer of its own, which knows fewer forms than Puppet, such as a quote in `$a["x"`. Its checks leave such a file out. If `ordain check` has no other error there, the file is correct for Puppet."#,
    ),
    CodeDoc::new(
        "lint::arrow-on-right-operand-line",
        "A chaining arrow is at the end of a line",
        "`File['a'] ->` with the right operand on the next line. Write the arrow in front of it: `-> File['b']`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::autoloader-layout",
        "A class is not in the file from which it is loaded",
        "Puppet loads `ntp::server` from `ntp/manifests/server.pp` only. Move it there. With `--relative` in `.puppet-lint.rc` the name of the module's directory does not count.",
    ),
    CodeDoc::new(
        "lint::class-inherits-from-params-class",
        "A class inherits from a params class",
        "`class ntp inherits ntp::params` was the way to defaults before data in modules. Put the values in `data/common.yaml` of the module. Off by default.",
    ),
    CodeDoc::new(
        "lint::code-on-top-scope",
        "Code is outside of classes and defined types",
        "Code such as `include ntp` in a file of a module runs whenever the file is loaded. Put it into the class. Off by default, as `site.pp` needs it.",
    ),
    CodeDoc::new(
        "lint::inherits-across-namespaces",
        "A class inherits from a class of another module",
        "`class ntp::server inherits apache` ties the modules together. Declare the other class with `include apache` in place of inheriting it.",
    ),
    CodeDoc::new(
        "lint::names-containing-dash",
        "The name of a class or defined type has a dash",
        "Puppet refuses names such as `ntp-server`. Write an underscore: `ntp_server`.",
    ),
    CodeDoc::new(
        "lint::names-containing-uppercase",
        "The name of a class or defined type has capitals",
        "Puppet refuses names such as `class Ntp`. Write `class ntp`; `--fix=unsafe` does it.",
    ),
    CodeDoc::new(
        "lint::nested-classes-or-defines",
        "A class or defined type is inside of a class",
        "Puppet cannot load `class inner` from within `class outer { class inner { } }` by its name. Give it a file of its own.",
    ),
    CodeDoc::new(
        "lint::parameter-order",
        "A required parameter comes after an optional one",
        "`class a($x = 1, $y)` hides that `$y` is required. List required parameters first. Names in a call are not affected.",
    ),
    CodeDoc::new(
        "lint::right-to-left-relationship",
        "A chaining arrow points to the left",
        "`File['b'] <- File['a']` is read in the wrong direction. Write `File['a'] -> File['b']`.",
    ),
    CodeDoc::new(
        "lint::variable-scope",
        "A variable is not declared in its class",
        "`$port` is no parameter or variable of the class, so it is one of the top scope. Write `$facts['name']` or `$::port` if that is meant. `puppet::unknown-variable` checks it with the whole repository.",
    ),
    CodeDoc::new(
        "lint::slash-comments",
        "A comment begins with slashes",
        "Puppet 4 and later read `// text` as a regular expression. Write `# text`; `--fix=unsafe` does it.",
    ),
    CodeDoc::new(
        "lint::star-comments",
        "A comment is between `/*` and `*/`",
        "Puppet's style has `#` on each line. `--fix` writes it, unless code follows on the last line of the comment.",
    ),
    CodeDoc::new(
        "lint::case-without-default",
        "A `case` has no option `default`",
        r#"Without `default: { }` a value that nobody thought of is passed over in silence. Add it, for example with `fail("unsupported")`."#,
    ),
    CodeDoc::new(
        "lint::selector-inside-resource",
        "A selector is in a resource",
        "`ensure => $x ? { … }` is hard to read. Assign the selector to a variable before the resource.",
    ),
    CodeDoc::new(
        "lint::documentation",
        "A class or defined type has no comment",
        "Nothing is directly above `class ntp`. Describe it and its parameters there, as `# @summary` for Puppet Strings.",
    ),
    CodeDoc::new(
        "lint::unquoted-node-name",
        "The name of a node has no quotes",
        "Write `node 'web1'` in place of `node web1`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::duplicate-params",
        "A resource has an attribute twice",
        "`file { 'a': mode => '1', mode => '2' }` fails in each run, as `puppet::duplicate-attribute` says too. Remove one.",
    ),
    CodeDoc::new(
        "lint::ensure-first-param",
        "`ensure` is not the first attribute",
        "Readers look for `ensure` first. `--fix` swaps it with the first attribute.",
    ),
    CodeDoc::new(
        "lint::ensure-not-symlink-target",
        "A path is the value of `ensure`",
        "`ensure => '/target'` makes a link, but hides it. Write `ensure => link, target => '/target'`. `--fix=unsafe` writes both attributes; `link` is the documented word.",
    ),
    CodeDoc::new(
        "lint::file-mode",
        "A mode has no four digits",
        "`mode => '644'` leaves out the first digit. Write `'0644'`, or a symbolic mode such as `u=rw`. `--fix=unsafe` adds the zero.",
    ),
    CodeDoc::new(
        "lint::unquoted-file-mode",
        "A mode has no quotes",
        "Puppet takes only text for `mode => '0644'`. `--fix=unsafe` adds the quotes to a number.",
    ),
    CodeDoc::new(
        "lint::unquoted-resource-title",
        "The title of a resource has no quotes",
        "Write `file { 'motd': }` in place of `file { motd: }`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::double-quoted-strings",
        "A text in double quotes interpolates nothing",
        r#"Write `'text'` in place of `"text"`. `--fix` does it where no backslash is in the text."#,
    ),
    CodeDoc::new(
        "lint::only-variable-string",
        "A text is only a variable",
        r#"`"${port}"` turns every value into text. Write `$port`; `--fix=unsafe` does it, but numbers then stay numbers."#,
    ),
    CodeDoc::new(
        "lint::puppet-url-without-modules",
        "A URL of a file does not begin with modules",
        "`puppet:///ntp/ntp.conf` lacks the mount point. Write `puppet:///modules/ntp/ntp.conf`; `--fix=unsafe` adds it, which is wrong for other mount points.",
    ),
    CodeDoc::new(
        "lint::quoted-booleans",
        "A boolean is in quotes",
        "`'true'` is text, and `'false'` counts as true. Write `true`; `--fix=unsafe` does it. Off by default.",
    ),
    CodeDoc::new(
        "lint::single-quote-string-with-variables",
        "A text in single quotes has `${`",
        "`'port ${port}'` is this text itself. Write it in double quotes if the value is meant. `puppet::single-quoted-variable` reports only variables that the file has.",
    ),
    CodeDoc::new(
        "lint::variables-not-enclosed",
        "A variable in a text has no braces",
        r#"Write `"${port}/tcp"` in place of `"$port/tcp"`. `--fix` does it."#,
    ),
    CodeDoc::new(
        "lint::variable-contains-dash",
        "The name of a variable has a dash",
        "Puppet ends the name `$a-b` at the dash, so it is a subtraction. Write `$a_b`.",
    ),
    CodeDoc::new(
        "lint::variable-is-lowercase",
        "The name of a variable has capitals",
        "Puppet's style has small letters only: `$max_clients` in place of `$maxClients`.",
    ),
    CodeDoc::new(
        "lint::140chars",
        "A line has more than 140 characters",
        "Lines with `://` or `template(` do not count. Most modules turn it off with `--no-140chars-check` in `.puppet-lint.rc`.",
    ),
    CodeDoc::new(
        "lint::2sp-soft-tabs",
        "An indent has an odd number of spaces",
        "Puppet's style has two spaces for each level. `ordain fmt` indents anew.",
    ),
    CodeDoc::new(
        "lint::80chars",
        "A line has more than 80 characters",
        "Lines with `://` or `template(` do not count. Off by default; `--80chars-check` in `.puppet-lint.rc` turns it on.",
    ),
    CodeDoc::new(
        "lint::arrow-alignment",
        "The arrows of attributes are not in one column",
        "The `=>` of a resource or hash are one space past the longest name, and each is on its own line. `--fix` and `ordain fmt` align them.",
    ),
    CodeDoc::new(
        "lint::hard-tabs",
        "A tab is in the layout",
        "Puppet's style has spaces. `--fix` writes two for each tab; `ordain fmt` indents by levels.",
    ),
    CodeDoc::new(
        "lint::trailing-whitespace",
        "A line ends in blanks",
        "Blanks at the end of a line are no code and make noise in `git diff`. `--fix` removes them.",
    ),
    CodeDoc::new(
        "lint::relative-classname-inclusion",
        "A class is included by an absolute name",
        "`include ::ntp` is the same as `include ntp` since Puppet 4. Remove the `::`; `--fix=unsafe` does it.",
    ),
    CodeDoc::new(
        "lint::relative-classname-reference",
        "A reference to a class has an absolute name",
        "`Class['::ntp']` is the same as `Class['ntp']`. Remove the `::`; `--fix=unsafe` does it.",
    ),
    CodeDoc::new(
        "lint::anchor-resource",
        "A resource is an anchor",
        "`anchor { 'begin': }` is unnecessary since `contain ntp::install` exists.",
    ),
    CodeDoc::new(
        "lint::exec-idempotency",
        "A command runs in every run",
        "Give the `exec` one of `onlyif`, `unless`, `creates` and `refreshonly`.",
    ),
    CodeDoc::new(
        "lint::file-ensure",
        "A file has `ensure => present`",
        "Its kind stays open then. Write `ensure => file`; `--fix=unsafe` does it.",
    ),
    CodeDoc::new(
        "lint::leading-zero",
        "A number begins with a zero",
        "`0644` is an octal number. Put it in quotes if it is a text; `--fix=unsafe` does it.",
    ),
    CodeDoc::new(
        "lint::lookup-in-parameter",
        "The default of a parameter looks up data",
        "`$port = lookup('port')` hides where the value comes from. Puppet looks `ntp::port` up for each parameter without that.",
    ),
    CodeDoc::new(
        "lint::optional-default",
        "An Optional parameter has a default other than undef",
        "`Optional[Integer] $port = 80` cannot be set to nothing in data. Write `Integer $port = 80`, or `undef`.",
    ),
    CodeDoc::new(
        "lint::package-ensure",
        "A package follows the latest version",
        "`ensure => latest` upgrades at any run. Write `installed`, or a version. `--fix=unsafe` writes `installed`.",
    ),
    CodeDoc::new(
        "lint::parameter-documentation",
        "A parameter has no documentation, or documentation has no parameter",
        "Write `# @param port The port` above the class, once for each parameter. Classes with `@api private` need none.",
    ),
    CodeDoc::new(
        "lint::parameter-types",
        "A parameter has no type",
        "Give it one: `String $name` in place of `$name`.",
    ),
    CodeDoc::new(
        "lint::params-empty-string-assignment",
        "A text parameter defaults to the empty text",
        "`String $x = ''` often means nothing. Write `Optional[String] $x = undef`.",
    ),
    CodeDoc::new(
        "lint::params-not-optional-with-undef",
        "A parameter that is not Optional has the default undef",
        "`Integer $port = undef` fails when the default is used. Write `Optional[Integer] $port = undef`.",
    ),
    CodeDoc::new(
        "lint::resource-reference-chain-without-whitespace",
        "A blank is between a type and its bracket",
        "Write `Class['ntp']` in place of `Class ['ntp']`.",
    ),
    CodeDoc::new(
        "lint::resource-reference-with-unquoted-title",
        "The title in a reference has no quotes",
        "Write `require => Package['ntp']` in place of `Package[ntp]`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::resource-reference-without-title-capital",
        "The title in a reference is a type",
        "`Package[Ntp]` has a type as its title. Write `Package['ntp']`.",
    ),
    CodeDoc::new(
        "lint::resource-reference-without-whitespace",
        "A blank is between a type and the title of a reference",
        "Write `Package['ntp']` in place of `Package ['ntp']`.",
    ),
    CodeDoc::new(
        "lint::strict-indent",
        "A line has another indent than its brackets give it",
        "Each open bracket indents by two spaces, as does a title on a line of its own. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::topscope-variable",
        "The variable of a class has an absolute name",
        "`$::ntp::port` is the same as `$ntp::port`. `--fix=unsafe` writes it.",
    ),
    CodeDoc::new(
        "lint::trailing-comma",
        "The last element of a list that spans lines has no comma",
        "With a comma after `mode => '0644',` a further attribute is a difference of one line. `--fix` adds it.",
    ),
    CodeDoc::new(
        "lint::unquoted-string-in-case",
        "A bare word is an option of `case`",
        "Write `'debian': { }` in place of `debian: { }`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::unquoted-string-in-selector",
        "A bare word is an option of a selector",
        "Write `'debian' => 1` in place of `debian => 1`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::variable-contains-upcase",
        "The name of a variable has capitals",
        "Write `$max_clients` in place of `$maxClients`. `--fix=unsafe` writes small letters, in this file only.",
    ),
    CodeDoc::new(
        "lint::version-comparison",
        "A version is compared as a number",
        "`$version >= 10` compares texts or numbers. Write `versioncmp($version, '10') >= 0`.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-arrows-single-space-after",
        "There is not one space after an arrow",
        "Write `mode => '0644'`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-inherits-name-single-space-before",
        "There is not one space after `inherits`",
        "Write `inherits ntp::params`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-class-name-single-space-before",
        "There is not one space before the name of a class",
        "Write `class ntp`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-class-name-single-space-after",
        "There is not one space after the name of a class",
        "Write `class ntp {` or `class ntp (`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-closing-brace-before",
        "The blanks before a closing brace are wrong",
        "One space or one line end is before a `}`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-closing-brace-after",
        "The blanks after a closing brace are wrong",
        "No blank is between a `}` and a bracket or punctuation mark, and one is before anything else. `--fix` removes blanks.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-closing-bracket-before",
        "The blanks before a closing bracket are wrong",
        "No blank or one line end is before a `]`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-closing-bracket-after",
        "The blanks after a closing bracket are wrong",
        "No blank is between a `]` and a bracket or punctuation mark, and one is before anything else. `--fix` removes blanks.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-two-empty-lines",
        "Two empty lines are in a row",
        "One empty line is enough between `class` bodies and statements. `--fix` removes the others.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-newline-beginning-of-file",
        "A manifest begins with an empty line",
        "The first line has code or a comment, such as `# @summary`. `--fix` removes the empty one.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-missing-newline-end-of-file",
        "A manifest has no line end at its end",
        "Some tools, such as `git diff`, expect it. `--fix` adds it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-double-newline-end-of-file",
        "A manifest ends with empty lines",
        "One line end is at the end, after the last `}`. `--fix` removes the others.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-opening-brace-before",
        "There is not one space before an opening brace",
        "Write `class ntp {`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-opening-brace-after",
        "The blanks after an opening brace are wrong",
        "One space or one line end is after a `{`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-opening-bracket-before",
        "The blanks before an opening bracket are wrong",
        "Write `$a = ['x']`. `--fix` does it.",
    ),
    CodeDoc::new(
        "lint::manifest-whitespace-opening-bracket-after",
        "The blanks after an opening bracket are wrong",
        "No blank or one line end is after a `[`. `--fix` does it.",
    ),
];
