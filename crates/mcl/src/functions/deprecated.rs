//! Functions that the original removed after 1.1.0. Only the wide edition has them.

use super::{Builtin, Call, Outcome, global, os, sys, world};

/// A function with its replacement.
pub struct Deprecated {
    /// The function.
    pub builtin: Builtin,
    /// The replacement.
    pub today: &'static str,
}

static TABLE: &[Deprecated] = &[
    Deprecated {
        builtin: Builtin::pure(
            "list_lookup_default",
            "func(list []?1, index int, default ?1) ?1",
            "The element at an index, or a default.",
            lookup,
        ),
        today: "write `list[index] <|> default`",
    },
    Deprecated {
        builtin: Builtin::pure(
            "map_lookup_default",
            "func(map map{?1: ?2}, key ?1, default ?2) ?2",
            "The value of a key, or a default.",
            lookup,
        ),
        today: "write `map[key] <|> default`",
    },
    Deprecated {
        builtin: Builtin::impure(
            "sys.defaultenv",
            "func(name str, default str) str",
            "A variable of the environment, or a default.",
            defaultenv,
        ),
        today: "write `sys.getenv(name) <|> default`",
    },
    Deprecated {
        builtin: Builtin::stream(
            "os.readfilewait",
            "func(filename str) str",
            "The content of a file, empty while there is none.",
            readfilewait,
        ),
        today: "write `os.readfile(path) <|> \"\"`",
    },
    Deprecated {
        builtin: Builtin::stream(
            "world.exchange",
            "func(namespace str, value str) map{str: str}",
            "Sets the value of this host for a key, and returns the value that each host gave it.",
            world::exchange,
        ),
        today: "write `kv` with `mapped => true`, and `world.kvlookup(namespace)`",
    },
];

/// A function that was there once.
pub fn find(name: &str) -> Option<&'static Deprecated> {
    TABLE.iter().find(|old| old.builtin.name == name)
}

/// The deprecated form of an existing function, by its number of arguments.
pub fn with_arguments(func: &Builtin, count: usize) -> Option<&'static Deprecated> {
    match (func.name, count) {
        ("list.lookup", 3) => find("list_lookup_default"),
        ("map.lookup", 3) => find("map_lookup_default"),
        _ => None,
    }
}

fn lookup(call: &mut Call<'_>) -> Outcome {
    or(global::lookup(call), || call.value(2).cloned())
}

fn defaultenv(call: &mut Call<'_>) -> Outcome {
    or(sys::getenv(call), || call.value(1).cloned())
}

fn readfilewait(call: &mut Call<'_>) -> Outcome {
    or(os::readfile(call), || Ok("".into()))
}

/// A result, or a fallback for a catchable error.
fn or(found: Outcome, other: impl FnOnce() -> Outcome) -> Outcome {
    match found {
        Err(fault) if fault.is_catchable => other(),
        found => found,
    }
}
