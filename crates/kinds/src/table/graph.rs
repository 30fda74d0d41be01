//! Kinds that only stand in a graph, write to the log, or pass values on.

use crate::schema::{KindSchema, Unit, any, boolean, choice, integer, list, text};

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] = &[
    &NOTIFY,
    &MGMT_MSG,
    &MGMT_EXIT,
    &MGMT_KV,
    &MGMT_SCHEDULE,
    &RESOURCES,
    &SCHEDULE,
    &FILEBUCKET,
    &ANCHOR,
    &WHIT,
    &NULL_RESOURCE,
    &MGMT_NOOP,
    &MGMT_TIMER,
    &MGMT_VALUE,
    &MGMT_TEST,
];

/// `notify`.
pub const NOTIFY: KindSchema = KindSchema::new(
    "notify",
    "Says something in the log",
    &[
        text("name", "A name for it"),
        any("message", "The text; the name by default"),
        boolean("refreshonly", "Whether it is said only on a refresh: true or false (default)")
            .default_value("false"),
        boolean(
            "withpath",
            "Whether the log shows where the resource is contained: true or false (default)",
        )
        .default_value("false"),
    ],
)
.puppet("notify")
.mcl(&["print"]);

/// `mgmt::msg`.
pub const MGMT_MSG: KindSchema = KindSchema::new(
    "mgmt::msg",
    "Says something in the log, the journal and the syslog",
    &[
        text("name", "A name for it"),
        text("body", "The text"),
        any("fields", "Fields for the journal, by their names"),
        boolean("journal", "Whether the journal of systemd gets it"),
        text("priority", "Emerg, Alert, Crit, Err, Warning, Notice, Info or Debug"),
        boolean("syslog", "Whether the syslog gets it"),
    ],
)
.mcl(&["msg"]);

/// `mgmt::exit`.
pub const MGMT_EXIT: KindSchema = KindSchema::new(
    "mgmt::exit",
    "Ends the run, with an exit code, when all that it depends on is as it shall be",
    &[
        text("name", "Its name"),
        integer("code", "The exit code, from 0 (default) to 125").default_value("0"),
    ],
)
.mcl(&["exit"]);

/// `mgmt::kv`.
pub const MGMT_KV: KindSchema = KindSchema::new(
    "mgmt::kv",
    "Sets a value that programs read with `world.getval` and `world.kvlookup`",
    &[
        text("name", "The key, if `key` does not say it"),
        text("host", "The host that a value of hosts is of"),
        text("key", "The key"),
        boolean("mapped", "Whether each host has a value of its own; false by default")
            .default_value("false"),
        integer(
            "skipcmpstyle",
            "How values are compared for `skiplessthan`: 0 (as integers, default) or 1 (as texts)",
        ),
        boolean(
            "skiplessthan",
            "Whether a value that is there and is larger stays; false by default",
        )
        .default_value("false"),
        text("value", "The value; without one the key is removed"),
    ],
)
.mcl(&["kv"]);

/// `mgmt::schedule`.
pub const MGMT_SCHEDULE: KindSchema = KindSchema::new(
    "mgmt::schedule",
    "Makes this host one of those that `world.schedule` gives",
    &[
        text("name", "The namespace, if `namespace` does not say it"),
        text("host", "The host that stands for election"),
        integer("max", "How many hosts are elected; the only one always is"),
        text("namespace", "The namespace of the election"),
        boolean("persist", "Accepted: it stays until it is withdrawn"),
        choice("strategy", &["rr", "random"], "`rr` or `random`: how one is chosen of several"),
        integer("ttl", "Accepted: it stays until it is withdrawn").unit(Unit::Seconds),
        boolean("withdraw", "Whether it stands no more"),
    ],
)
.mcl(&["schedule"]);

/// `resources`.
pub const RESOURCES: KindSchema = KindSchema::new(
    "resources",
    "Removes undeclared resources of a kind",
    &[
        text("name", "The kind, such as `host`"),
        boolean("purge", "Whether undeclared resources are removed; false"),
        any(
            "unless_system_user",
            "Keeps users up to this number; for users those of the system by default",
        ),
        list("unless_uid", "Keeps users of these numbers"),
    ],
)
.puppet("resources");

/// `schedule`.
pub const SCHEDULE: KindSchema = KindSchema::new(
    "schedule",
    "Describes when resources may be applied",
    &[
        text("name", "Its name"),
        text("period", "hourly, daily, weekly, monthly or never"),
        text("periodmatch", "distance (default) or number").default_value("distance"),
        any("range", "Times of the day, such as `2 - 4`"),
        any("repeat", "How often in a period"),
        any("weekday", "Days of the week"),
    ],
)
.puppet("schedule");

/// `filebucket`.
pub const FILEBUCKET: KindSchema = KindSchema::new(
    "filebucket",
    "Names a store for replaced files; all of them are this machine's own",
    &[
        text("name", "Its name"),
        any("path", "Accepted; the store is Ordain's"),
        any("port", "Accepted; the store is local"),
        any("server", "Accepted; the store is local"),
    ],
)
.puppet("filebucket");

/// `anchor`.
pub const ANCHOR: KindSchema = KindSchema::new(
    "anchor",
    "A place in the order; passes notifications on",
    &[text("name", "Its name")],
)
.puppet("anchor");

/// `whit`.
pub const WHIT: KindSchema = KindSchema::new(
    "whit",
    "A place in the order; passes notifications on",
    &[text("name", "Its name")],
)
.puppet("whit");

/// `std::testing::nullresource`.
pub const NULL_RESOURCE: KindSchema = KindSchema::new(
    "std::testing::nullresource",
    "Stands for nothing; models of Inmanta use it to try relations",
    &[
        text("name", "Its name"),
        any("agentname", "Whose it is"),
        any("fail", "Whether it fails; false here"),
        any("int_value", "A number"),
        any("purged", "Whether it is to be gone"),
        any("value", "A text"),
    ],
)
.inmanta(&["std::testing::NullResource"]);

/// `mgmt::noop`.
pub const MGMT_NOOP: KindSchema = KindSchema::new(
    "mgmt::noop",
    "Does nothing, for relations of others to lead through",
    &[text("name", "Its name"), any("comment", "Anything")],
)
.mcl(&["noop"]);

/// `mgmt::timer`.
pub const MGMT_TIMER: KindSchema = KindSchema::new(
    "mgmt::timer",
    "Gives an event every so often while a graph is kept true; nothing in a single run",
    &[
        text("name", "Its name"),
        integer("interval", "Seconds between two events").unit(Unit::Seconds),
    ],
)
.mcl(&["timer"]);

/// `mgmt::value`.
pub const MGMT_VALUE: KindSchema = KindSchema::new(
    "mgmt::value",
    "Hands a value on to those that receive from it",
    &[text("name", "Its name"), any("any", "The value")],
)
.mcl(&["value"]);

/// `mgmt::test`.
pub const MGMT_TEST: KindSchema = KindSchema::new(
    "mgmt::test",
    "Has values of all types and no state; programs of mgmt are tried with it",
    &[
        text("name", "A value to try with"),
        any("alwaysgroup", "A value to try with"),
        any("anotherstr", "A value to try with"),
        any("answer", "A value to try with"),
        any("bool", "A value to try with"),
        any("boolptr", "A value to try with"),
        any("byte", "A value to try with"),
        any("comment", "A value to try with"),
        any("comparefail", "A value to try with"),
        any("expectrecv", "A value to try with"),
        any("float32", "A value to try with"),
        any("float64", "A value to try with"),
        any("func1", "A value to try with"),
        any("int", "A value to try with"),
        any("int16", "A value to try with"),
        any("int32", "A value to try with"),
        any("int64", "A value to try with"),
        any("int64ptr", "A value to try with"),
        any("int8", "A value to try with"),
        any("int8ptr", "A value to try with"),
        any("int8ptrptrptr", "A value to try with"),
        any("interface", "A value to try with"),
        any("mapintfloat", "A value to try with"),
        any("mixedstruct", "A value to try with"),
        any("onlyshow", "A value to try with"),
        any("rune", "A value to try with"),
        any("sendvalue", "A value to try with"),
        any("slicestring", "A value to try with"),
        any("str", "A value to try with"),
        any("stringptr", "A value to try with"),
        any("uint", "A value to try with"),
        any("uint16", "A value to try with"),
        any("uint32", "A value to try with"),
        any("uint64", "A value to try with"),
        any("uint8", "A value to try with"),
        any("uint8ptr", "A value to try with"),
        any("validatebool", "A value to try with"),
        any("validateerror", "A value to try with"),
        any("waitforerror", "A value to try with"),
    ],
)
.mcl(&["test"]);
