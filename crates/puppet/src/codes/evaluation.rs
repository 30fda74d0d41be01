//! Findings of the evaluation and of the catalog.

use ordain_source::CodeDoc;

pub(super) const DOCS: &[CodeDoc] = &[
    CodeDoc::new(
        "puppet::runtime-error",
        "A function or operation failed",
        "The message is that of the function, such as `fail('…')` or a conversion that is not possible. The place is that of the call.",
    ),
    CodeDoc::new(
        "puppet::unreadable-file",
        "A file cannot be read",
        "`file('m/list.txt')` or a manifest that cannot be opened. Check that it exists and that its permissions let you read it.",
    ),
    CodeDoc::new(
        "puppet::invalid-utf8",
        "A file is not UTF-8",
        "Convert it; the message names the first bad byte and its line. Binary content is read with `binary_file`.",
    ),
    CodeDoc::new(
        "puppet::catalog",
        "The catalog as a whole is not consistent",
        "The message names the resources. Often a relation names one that is not declared: with `require => File['/a']` some `file { '/a': }` has to be in the same catalog. Declare it, or correct the name.",
    ),
    CodeDoc::new(
        "puppet::duplicate-definition",
        "Two classes or defines have one name",
        "`class a { }` and `define a() { }`, or the same class in two files. Both places are shown. Remove or rename one; classes and defines share their names.",
    ),
    CodeDoc::new(
        "puppet::inheritance-cycle",
        "A class inherits from itself",
        "`class a inherits b` and `class b inherits a`. Remove one of the two.",
    ),
    CodeDoc::new(
        "puppet::unknown-parameter",
        "A class or define has no parameter of this name",
        "`class { 'ntp': sever => 'a' }` where `class ntp($server)` was defined. Compare the spelling; both places are shown.",
    ),
    CodeDoc::new(
        "puppet::unknown-variable",
        "A variable has no value here",
        "`$x` is not set in this scope: check the spelling, the order (`$x = 1` must run before), and the scope (`$apache::x` for one of a class that was included). Where a variable may be missing, use `getvar('x')`.",
    ),
    CodeDoc::new(
        "puppet::unknown-function",
        "There is no function of this name",
        "Check the spelling; functions of a module have its name in front, `stdlib::to_json`, and the module must be on the module path.",
    ),
    CodeDoc::new(
        "puppet::ruby",
        "Code in Ruby cannot be run",
        "Functions of modules that are written in Ruby run in a `ruby` process: there is none on this machine, or it ended, took too long or was stopped. The message names the file. ERB templates are not run; they can be written as EPP templates, which `epp` and `inline_epp` evaluate.",
    ),
    CodeDoc::new(
        "puppet::deferred",
        "A deferred call fails",
        "`Deferred('name', [arguments])` is a call that is made where the catalog is applied: `plan`, `apply` and `watch` make it, before the run or, with `--no-preprocess-deferred`, during it. Its function must be built in or belong to a module that is at hand there; of variables it sees `$facts`. It must give something else than `undef`, and cannot declare resources.",
    ),
    CodeDoc::new(
        "puppet::resource",
        "A resource type refuses a value",
        "The code of the type, from a module, refuses a value or the whole resource, as it would when the catalog is applied. `plan`, `apply` and `graph` ask it; `compile` does not. The message is the type's own, the place is that of the attribute.",
    ),
    CodeDoc::new(
        "puppet::unknown-resource",
        "An override or access names a resource that is not declared",
        "`File['/a'] { … }` needs a `file { '/a': }` that was evaluated before.",
    ),
    CodeDoc::new(
        "puppet::unknown-resource-type",
        "There is no resource type of this name",
        "Check the spelling: `file`, or `apache::vhost` for a define, whose module must be on the module path.",
    ),
    CodeDoc::new(
        "puppet::unknown-resource-parameter",
        "A resource has no attribute of this name",
        "`file { '/a': contnet => 'x' }`. Compare the spelling with the attributes of the type.",
    ),
    CodeDoc::new(
        "puppet::missing-required-parameter",
        "A parameter without a default has no value",
        "`class { 'a': x => 1 }` gives it, or Hiera data with the key `a::x`.",
    ),
    CodeDoc::new(
        "puppet::required-parameter-after-optional",
        "A parameter that must be given follows one that may be left out",
        "Arguments are taken in order: `function f($a = 1, $b)` could never leave out `$a`. Put `$b` first.",
    ),
    CodeDoc::new(
        "puppet::type-mismatch",
        "A value is not of the type that is expected",
        "The message names what was expected and what was given: `Integer $port` does not take `'80'`. Convert with `Integer('80')`, or widen the type.",
    ),
    CodeDoc::new(
        "puppet::unmatched-selector",
        "No entry of a selector fits",
        "`$x ? { 'a' => 1 }` fails for every other value. Add `default => …`.",
    ),
    CodeDoc::new(
        "puppet::illegal-reassignment",
        "A variable gets a value twice",
        "Variables never change in their scope. Choose another name, or compute the value at once: `$x = if $a { 1 } else { 2 }`.",
    ),
    CodeDoc::new(
        "puppet::illegal-reserved-assignment",
        "A variable that always exists cannot be set",
        "`$facts`, `$trusted`, `$server_facts`, `$title` and `$name` belong to the language. Choose another name.",
    ),
    CodeDoc::new(
        "puppet::illegal-multi-assignment-size",
        "Names and values differ in number",
        "`[$a, $b] = [1]`: as many values as names are needed.",
    ),
    CodeDoc::new(
        "puppet::missing-multi-assignment-key",
        "The hash of an assignment lacks a key",
        "`[$a, $b] = { 'a' => 1 }` needs the key `b`, too.",
    ),
    CodeDoc::new(
        "puppet::missing-multi-assignment-variable",
        "The class of an assignment lacks a variable",
        "`[$a, $b] = Class['c']` needs the variables `$c::a` and `$c::b`.",
    ),
    CodeDoc::new(
        "puppet::div-by-zero",
        "A division by zero",
        "Test the divisor before: `if $n != 0 { $m / $n }`.",
    ),
    CodeDoc::new(
        "puppet::result-is-infinity",
        "The result of a calculation is too large",
        "`1.0e300 * 1.0e300`: floats reach up to about 1.8e308. Test the operands before.",
    ),
    CodeDoc::new(
        "puppet::not-numeric",
        "Arithmetic with a value that is not a number",
        "`'a' + 1`. Convert text explicitly: `Integer($x) + 1`.",
    ),
    CodeDoc::new(
        "puppet::numeric-coercion",
        "Text was taken as a number",
        "`'1' + 1` works for now. Write `Integer('1') + 1`; the setting `strict` decides whether this is an error.",
    ),
    CodeDoc::new(
        "puppet::operator-not-applicable",
        "An operator does not know this kind of value",
        "`true + 1`. The message names the operand; convert it or use another function.",
    ),
    CodeDoc::new(
        "puppet::operator-not-applicable-when",
        "An operator does not know this pair of values",
        "`[1] << …` and `{} + …` want certain right sides; the message names both operands.",
    ),
    CodeDoc::new(
        "puppet::comparison-not-possible",
        "Two values cannot be compared by size",
        "`'a' < 1`: numbers compare with numbers, text with text. Convert one of them.",
    ),
    CodeDoc::new(
        "puppet::match-not-regexp",
        "A match needs a pattern on its right",
        "`'a' =~ /a/`, a text that is a pattern, or a type: `1 =~ Integer`.",
    ),
    CodeDoc::new(
        "puppet::match-not-string",
        "A match needs text on its left",
        "`1 =~ /1/` has a number. Write `String(1) =~ /1/`.",
    ),
    CodeDoc::new(
        "puppet::expected-integer-index",
        "A position in an array must be an integer",
        "`$list['a']`: arrays have `$list[0]`; perhaps a hash was expected.",
    ),
    CodeDoc::new(
        "puppet::expected-collection",
        "Only collections have elements",
        "`$x[0]` with `$x` neither array, hash, text nor type. Check the value with `notice($x)`.",
    ),
    CodeDoc::new(
        "puppet::slice-error",
        "An access has an invalid key between its brackets",
        "The message says what is expected: `$hash['key']`, `$list[0]`, or `$list[0, 2]` for a position and a length.",
    ),
    CodeDoc::new(
        "puppet::bad-array-slice-arity",
        "An array takes one or two numbers",
        "`$a[0]` is an element, `$a[1, 2]` two elements from the second on.",
    ),
    CodeDoc::new(
        "puppet::bad-string-slice-arity",
        "A text takes one or two numbers",
        "`$s[0]` is a character, `$s[0, 3]` the first three.",
    ),
    CodeDoc::new(
        "puppet::bad-string-slice-key-type",
        "A position in a text must be an integer",
        "Write `$s[0, 3]`, not `$s['0']`; a text of digits becomes a number by `Integer($text)`.",
    ),
    CodeDoc::new(
        "puppet::bad-integer-slice-arity",
        "A range has one or two bounds",
        "`Integer[0]` has no upper bound, `Integer[0, 9]` has both.",
    ),
    CodeDoc::new(
        "puppet::bad-integer-slice-type",
        "A bound must be a number",
        "`Integer[0, default]`: numbers, or `default` for no bound.",
    ),
    CodeDoc::new(
        "puppet::bad-collection-slice-type",
        "A size must be an integer",
        "`Collection[1, 5]`: integers, or `default` for no bound.",
    ),
    CodeDoc::new(
        "puppet::bad-type-slice-arity",
        "A type has the wrong number of parameters",
        "The message says how many it takes: `Hash[String, Integer]` has two, `Optional[String]` one.",
    ),
    CodeDoc::new(
        "puppet::bad-type-slice-type",
        "A parameter of a type is of the wrong kind",
        "`Array[String]` takes a type, `Enum['a']` text, `Pattern[/a/]` patterns. The message says what was expected.",
    ),
    CodeDoc::new(
        "puppet::bad-slice-key-type",
        "A key is of the wrong kind",
        "The message says what is expected between the brackets: `Array[String]` takes a type, `Enum['a', 'b']` takes texts.",
    ),
    CodeDoc::new(
        "puppet::bad-not-undef-slice-type",
        "`NotUndef` takes a type or text",
        "`NotUndef[Integer]`, or in a struct `NotUndef['key']`.",
    ),
    CodeDoc::new(
        "puppet::bad-type-specialization",
        "A type cannot have these parameters",
        "The message says why, such as a lower bound above the upper one: `Integer[9, 0]`.",
    ),
    CodeDoc::new(
        "puppet::illegal-resource-specialization",
        "A resource type is named by text",
        "`Resource['file', '/a']`: the first parameter is the name of a type.",
    ),
    CodeDoc::new(
        "puppet::illegal-resource-type",
        "This is no resource type",
        "The name of a type, text, or a reference comes before the brace: `file { '/a': }`, `File { mode => '0644' }`.",
    ),
    CodeDoc::new(
        "puppet::illegal-overridden-type",
        "Only resources can be overridden",
        "The expression before the brace in `File['/a'] { … }` must be a reference to a resource.",
    ),
    CodeDoc::new(
        "puppet::illegal-relationship-operand-type",
        "An arrow joins resources",
        "Both sides of `->` are references, resources, collectors, or lists of them.",
    ),
    CodeDoc::new(
        "puppet::not-catalog-type",
        "Text that is no reference",
        "A text in a relation must read as one: `'File[/a]'`.",
    ),
    CodeDoc::new(
        "puppet::missing-title",
        "A resource has no title",
        "The title is `undef`. Check the variable that it comes from.",
    ),
    CodeDoc::new(
        "puppet::missing-title-at",
        "One of the titles is missing",
        "The list of titles holds `undef`; the message names its position.",
    ),
    CodeDoc::new(
        "puppet::empty-string-title-at",
        "One of the titles is empty",
        "`file { $path: }` with `$path = ''`. A title has at least one character: check the variable that it comes from.",
    ),
    CodeDoc::new(
        "puppet::illegal-title-type-at",
        "One of the titles is no text",
        "Titles are text. Convert numbers: `String(80)`.",
    ),
    CodeDoc::new(
        "puppet::duplicate-title",
        "A title is used twice in one resource expression",
        "`file { ['/a', '/a']: }`. Use `unique($list)`.",
    ),
    CodeDoc::new(
        "puppet::duplicate-attribute",
        "An attribute is given twice in one body",
        "Remove one; with `* => $hash`, the hash must not repeat a written attribute.",
    ),
    CodeDoc::new(
        "puppet::serialization-unknown-converted-to-string",
        "An attribute has a value that no catalog can hold",
        "`message => [1, [2]].tree_each` is a walk over a tree, and not its items. Make a list of it: `Array([1, [2]].tree_each)`.",
    ),
];
