//! Codes of types with features.

use ordain_source::CodeDoc;

pub(super) const DOCS: &[CodeDoc] = &[
    CodeDoc::new(
        "puppet::type-statement",
        "The body of a type has something else",
        "The body of `type T { }` has `attr name, Type { ... }`, `has name, Type { ... }`, `invariant \"title\" { ... }`, `function name($x) { ... }`, `title_patterns [/.../]`, `annotations { ... }` and `abstract`. `derived`, `set` and `get` take a lambda: `set => |$v| { $v }`.",
    ),
    CodeDoc::new(
        "puppet::type-inheritance-cycle",
        "Types inherit from each other in a circle",
        "`type A inherits B { }` and `type B inherits A { }`. Remove one `inherits`; put what both share into a third type.",
    ),
    CodeDoc::new(
        "puppet::type-unknown-parent",
        "The parent of a type is not defined",
        "`inherits` takes the name of another type with a body. Check the namespace: the file `types/role.pp` of the module `site` defines `Site::Role`.",
    ),
    CodeDoc::new(
        "puppet::type-unknown-target",
        "A reference is to a type that is not defined",
        "`has roles, Role` refers to a type with a body. For plain values use `attr`.",
    ),
    CodeDoc::new(
        "puppet::type-duplicate-feature",
        "A feature is defined twice",
        "`attr x, String` and `has x, Role` cannot both be in one type, or in a type and its parent. Rename one, or remove it.",
    ),
    CodeDoc::new(
        "puppet::type-duplicate-setting",
        "A setting is given twice",
        "A feature has each setting at most once; `check` and `validate` are the same one. Merge the two.",
    ),
    CodeDoc::new(
        "puppet::type-bad-setting",
        "A setting does not go with the feature",
        "`containment` is for `has` only; flags take `true` or `false`; `derived`, `set` and `get` take lambdas of one parameter at most. The message says what is expected: correct the setting or remove it.",
    ),
    CodeDoc::new(
        "puppet::type-bad-multiplicity",
        "A feature can not have so many values",
        "`min` is at least 0, `max` at least 1 or `unbound`, and `min` at most `max`. Correct the two.",
    ),
    CodeDoc::new(
        "puppet::type-bad-default",
        "A default is no value that the feature accepts",
        "A default passes the type and the check of its feature like any value: `attr age, Integer { default => 'x' }`. Text is converted to the type where that works. Change the default or the check.",
    ),
    CodeDoc::new(
        "puppet::type-value-lost",
        "A value that is given is lost",
        "A derived feature with `setable => true` keeps nothing by itself. Give it `set => |$v| { ... }` that assigns other features, or remove `setable`.",
    ),
    CodeDoc::new(
        "puppet::type-illegal-logic",
        "The code of a type does more than compute",
        "Checks, invariants, `set`, `get` and `derived` compute values: they declare no resources, call no function that logs, reads files or changes the catalog, and assign no feature except in `set`. Do such work in a class or define.",
    ),
    CodeDoc::new(
        "puppet::type-reserved-feature",
        "A feature has a name that every resource has",
        "A type that is declared as a resource can have no feature `title` or one that is called like a metaparameter, such as `tag`. Rename the feature, or remove `namevar`.",
    ),
    CodeDoc::new(
        "puppet::type-abstract",
        "An abstract type has no instances",
        "Its body has `abstract`. Use a type that inherits from it.",
    ),
    CodeDoc::new(
        "puppet::type-unknown-feature",
        "A type has no feature of this name",
        "`User.new { nmae => 'x' }` where the type has `name`. Check the spelling; the message names the type.",
    ),
    CodeDoc::new(
        "puppet::type-not-setable",
        "A feature can not be set",
        "It is derived, or has `setable => false`. Set the features it is made of.",
    ),
    CodeDoc::new(
        "puppet::type-wrong-value",
        "A value is not of the type of its feature",
        "Values are not converted: `'3'` is no Integer. Write `3`, or give the feature `set => |$v| { Integer($v) }`.",
    ),
    CodeDoc::new(
        "puppet::type-too-many",
        "A feature gets more values than it takes",
        "Its `max` is the limit. Remove some, or raise `max`.",
    ),
    CodeDoc::new(
        "puppet::type-too-few",
        "A feature has fewer values than it needs",
        "Its `min` is the limit. Give it a value, or a `default`.",
    ),
    CodeDoc::new(
        "puppet::type-check-failed",
        "A value does not pass the check of its feature",
        "The message is that of `check => { ... }`. Give another value.",
    ),
    CodeDoc::new(
        "puppet::type-invariant-failed",
        "An invariant of an object is violated",
        "The message is that of `invariant \"...\" { ... }`, or of all that fail. Change the values that it is about.",
    ),
    CodeDoc::new(
        "puppet::invariant-failed",
        "An invariant is violated",
        "The statement `invariant \"title\" { ... }` is a condition on the values around it. Change those values; negate the condition if it describes the forbidden case.",
    ),
    CodeDoc::new(
        "puppet::type-bad-check-result",
        "A check gives neither text nor a truth value",
        "A check or invariant ends with text, which refuses, with `true`, `false` or `undef`. End it so: `$it > 0`.",
    ),
    CodeDoc::new(
        "puppet::type-bad-setter",
        "A setter gives no value of its feature's type",
        "The result of `set` is stored, so it must have the type of the feature. Convert it: `set => |$v| { Integer($v) }`.",
    ),
    CodeDoc::new(
        "puppet::type-bad-getter",
        "The value that a feature reads as has a wrong type",
        "The result of `get` and `derived` must have the type of the feature. Convert it, or change the type.",
    ),
    CodeDoc::new(
        "puppet::type-derived-cycle",
        "Derived features depend on each other in a circle",
        "`derived => || { $b }` for `a` and `derived => || { $a }` for `b`: each waits for the other; the message has the circle. Compute one of them from features that are kept.",
    ),
    CodeDoc::new(
        "puppet::type-already-contained",
        "An object is part of two others",
        "`has` with containment makes it a part, and a part belongs to one object. Make another object, or use `containment => false` for links.",
    ),
    CodeDoc::new(
        "puppet::type-not-finished",
        "An object is used before it is finished",
        "Inside the lambda of `new` the object can be set and read, but not passed on. Use the result of `new`: `$x = T.new |$t| { ... }`.",
    ),
    CodeDoc::new(
        "puppet::type-unresolved-link",
        "A link leads to no object",
        "The data has a link such as `{\"__pref\": \"Role#adm\"}` to an object that is not in it, or is of another type. Add the object, or correct the link.",
    ),
];
