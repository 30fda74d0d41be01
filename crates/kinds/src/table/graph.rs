//! Kinds that only exist in a graph, write to the log, or pass values on.

use crate::form::Form;
use crate::language::{Width, entity, field, mcl, named, puppet};
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
pub static NOTIFY: KindSchema = KindSchema::new(
    "notify",
    "Writes a message to the log",
    &[
        text("name", "A name for it"),
        any("message", "The text; the name by default"),
        boolean(
            "refreshonly",
            "Whether the message is written only on a refresh: true or false (default)",
        )
        .default_value("false")
        .not_in_puppet(),
        boolean(
            "withpath",
            "Whether the log shows where the resource is contained: true or false (default)",
        )
        .default_value("false")
        .form(Form::TRUE_FALSE),
    ],
)
.puppet(puppet("notify").core())
.mcl(&[mcl("print").traits(&["groupable", "recvable", "refreshable"]).receives(&["msg"]).fields(
    &[
        named("msg", "str", "Msg").sets("message"),
        named("refresh_only", "bool", "RefreshOnly").sets("refreshonly"),
    ],
)])
.in_root("no difference");

/// `mgmt::msg`.
pub static MGMT_MSG: KindSchema = KindSchema::new(
    "mgmt::msg",
    "Writes a message to the log, the journal and the syslog",
    &[
        text("name", "A name for it"),
        text("body", "The text").mcl(&field("str", "Body")),
        choice(
            "priority",
            &["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"],
            "The severity; Notice by default",
        )
        .mcl(
            &field("str", "Priority")
                .words(&["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"]),
        ),
        any("fields", "Fields for the journal, by their names")
            .mcl(&field("map{str: str}", "Fields")),
        boolean("journal", "Whether the journal of systemd gets it").mcl(&field("bool", "Journal")),
        boolean("syslog", "Whether the syslog gets it").mcl(&field("bool", "Syslog")),
    ],
)
.mcl(&[mcl("msg").traits(&["refreshable"])])
.in_root("no difference");

/// `mgmt::exit`.
pub static MGMT_EXIT: KindSchema = KindSchema::new(
    "mgmt::exit",
    "Ends the run with an exit code once all its dependencies are in the desired state",
    &[
        text("name", "Its name"),
        integer("code", "The exit code, from 0 (default) to 125")
            .default_value("0")
            .mcl(&field("int", "Code").width(Width::U8)),
    ],
)
.mcl(&[mcl("exit")])
.in_root("no difference");

/// `mgmt::kv`.
pub static MGMT_KV: KindSchema = KindSchema::new(
    "mgmt::kv",
    "Sets a value that programs read with `world.getval` and `world.kvlookup`",
    &[
        text("name", "The key, if `key` is not set"),
        text("key", "The key").mcl(&field("str", "Key")),
        text("value", "The value; without one the key is removed")
            .mcl(&field("str", "Value").optional()),
        boolean("mapped", "Whether each host has its own value; false by default")
            .default_value("false")
            .mcl(&field("bool", "Mapped")),
        boolean("skiplessthan", "Whether a larger existing value stays; false by default")
            .default_value("false")
            .mcl(&field("bool", "SkipLessThan")),
        integer(
            "skipcmpstyle",
            "The comparison for `skiplessthan`: 0 (as integers, default) or 1 (as texts)",
        )
        .mcl(&field("int", "SkipCmpStyle")),
        text("host", "The host whose value it is"),
    ],
)
.mcl(&[mcl("kv").traits(&["refreshable", "recvable", "interruptable"]).receives(&["value"])])
.in_root("below the root");

/// `mgmt::schedule`.
pub static MGMT_SCHEDULE: KindSchema = KindSchema::new(
    "mgmt::schedule",
    "Makes this host a candidate of `world.schedule`",
    &[
        text("name", "The namespace, if `namespace` is not set"),
        text("namespace", "The namespace of the election").mcl(&field("str", "Namespace")),
        choice(
            "strategy",
            &["alpha", "rr"],
            "`rr` (default: elected hosts stay) or `alpha` (by name): how hosts are elected",
        )
        .mcl(&field("str", "Strategy").optional().words(&["alpha", "rr"])),
        integer("max", "The number of elected hosts; 1 by default")
            .mcl(&field("int", "Max").optional()),
        boolean("persist", "Whether the candidacy lasts until it is withdrawn; false by default")
            .mcl(&field("bool", "Persist")),
        integer("ttl", "The time after which a host that is gone is no candidate; 10 by default")
            .unit(Unit::Seconds)
            .mcl(&field("int", "TTL").optional()),
        boolean("withdraw", "Whether the candidacy is withdrawn").mcl(&field("bool", "Withdraw")),
        text("host", "The candidate host"),
    ],
)
.mcl(&[mcl("schedule").traits(&["background"])])
.in_root("below the root");

/// `resources`.
pub static RESOURCES: KindSchema = KindSchema::new(
    "resources",
    "Removes undeclared resources of a kind",
    &[
        text("name", "The kind, such as `host`"),
        boolean("purge", "Whether undeclared resources are removed; false").form(Form::YES_NO),
        any("unless_system_user", "Keeps users up to this id; by default system users"),
        list("unless_uid", "Ids of users to keep"),
    ],
)
.puppet(puppet("resources").core())
.in_root("the root's resources of the kind");

/// `schedule`.
pub static SCHEDULE: KindSchema = KindSchema::new(
    "schedule",
    "Describes when resources may be applied",
    &[
        text("name", "Its name"),
        text("period", "hourly, daily, weekly, monthly or never")
            .form(Form::Words(&["hourly", "daily", "weekly", "monthly", "never"])),
        text("periodmatch", "distance (default) or number")
            .default_value("distance")
            .form(Form::Words(&["number", "distance"])),
        any("range", "Times of the day, such as `2 - 4`"),
        any("repeat", "The maximum number of runs in a period"),
        any("weekday", "Days of the week"),
    ],
)
.puppet(puppet("schedule").core())
.in_root("no difference");

/// `filebucket`.
pub static FILEBUCKET: KindSchema = KindSchema::new(
    "filebucket",
    "Names a store for replaced files; all stores are on this machine",
    &[
        text("name", "Its name"),
        any("path", "Accepted; the store is Ordain's"),
        any("port", "Accepted; the store is local"),
        any("server", "Accepted; the store is local"),
    ],
)
.puppet(puppet("filebucket").core())
.in_root("below the root");

/// `anchor`.
pub static ANCHOR: KindSchema = KindSchema::new(
    "anchor",
    "A position in the order; passes notifications on",
    &[text("name", "Its name")],
)
.puppet(puppet("anchor"))
.in_root("no difference");

/// `whit`.
pub static WHIT: KindSchema = KindSchema::new(
    "whit",
    "A position in the order; passes notifications on",
    &[text("name", "Its name")],
)
.puppet(puppet("whit").core())
.in_root("no difference");

/// `std::testing::nullresource`.
pub static NULL_RESOURCE: KindSchema = KindSchema::new(
    "std::testing::nullresource",
    "Does nothing; Inmanta models use it to test relationships",
    &[
        text("name", "Its name"),
        any("agentname", "Whose it is"),
        any("fail", "Whether it fails; false by default"),
        any("int_value", "A number"),
        any("purged", "Whether it should be absent"),
        any("value", "A text"),
    ],
)
.inmanta(&[entity("std::testing::NullResource", &[])])
.in_root("no difference");

/// `mgmt::noop`.
pub static MGMT_NOOP: KindSchema = KindSchema::new(
    "mgmt::noop",
    "Does nothing; an intermediate point for relationships",
    &[text("name", "Its name"), any("comment", "Anything").mcl(&field("str", "Comment"))],
)
.mcl(&[mcl("noop").traits(&["groupable", "refreshable"])])
.in_root("no difference");

/// `mgmt::timer`.
pub static MGMT_TIMER: KindSchema = KindSchema::new(
    "mgmt::timer",
    "Sends an event at an interval during `watch`; does nothing in a single run",
    &[
        text("name", "Its name"),
        integer("interval", "Seconds between two events")
            .unit(Unit::Seconds)
            .mcl(&field("int", "Interval").width(Width::U32)),
    ],
)
.mcl(&[mcl("timer").traits(&["refreshable"])])
.in_root("no difference");

/// `mgmt::value`.
pub static MGMT_VALUE: KindSchema = KindSchema::new(
    "mgmt::value",
    "Passes a value on to its receivers",
    &[text("name", "Its name"), any("any", "The value").mcl(&field("variant", "Any").optional())],
)
.mcl(&[mcl("value").traits(&["sendable", "recvable"]).sends(&[("any", "variant?")]).receives_all()])
.in_root("no difference");

/// `mgmt::test`.
pub static MGMT_TEST: KindSchema = KindSchema::new(
    "mgmt::test",
    "Has fields of all types and no state, for testing mgmt programs",
    &[
        text("name", "A value to try with"),
        any("bool", "A value to try with").mcl(&field("bool", "Bool")),
        any("str", "A value to try with").mcl(&field("str", "Str")),
        any("int", "A value to try with").mcl(&field("int", "Int")),
        any("int8", "A value to try with").mcl(&field("int", "Int8").width(Width::I8)),
        any("int16", "A value to try with").mcl(&field("int", "Int16").width(Width::I16)),
        any("int32", "A value to try with").mcl(&field("int", "Int32").width(Width::I32)),
        any("int64", "A value to try with").mcl(&field("int", "Int64")),
        any("uint", "A value to try with").mcl(&field("int", "Uint").width(Width::U64)),
        any("uint8", "A value to try with").mcl(&field("int", "Uint8").width(Width::U8)),
        any("uint16", "A value to try with").mcl(&field("int", "Uint16").width(Width::U16)),
        any("uint32", "A value to try with").mcl(&field("int", "Uint32").width(Width::U32)),
        any("uint64", "A value to try with").mcl(&field("int", "Uint64").width(Width::U64)),
        any("byte", "A value to try with").mcl(&field("int", "Byte").width(Width::U8)),
        any("rune", "A value to try with").mcl(&field("int", "Rune").width(Width::I32)),
        any("float32", "A value to try with").mcl(&field("float", "Float32").width(Width::F32)),
        any("float64", "A value to try with").mcl(&field("float", "Float64")),
        any("boolptr", "A value to try with").mcl(&field("bool", "BoolPtr").optional()),
        any("stringptr", "A value to try with").mcl(&field("str", "StringPtr").optional()),
        any("int64ptr", "A value to try with").mcl(&field("int", "Int64Ptr").optional()),
        any("int8ptr", "A value to try with")
            .mcl(&field("int", "Int8Ptr").optional().width(Width::I8)),
        any("uint8ptr", "A value to try with")
            .mcl(&field("int", "Uint8Ptr").optional().width(Width::U8)),
        any("int8ptrptrptr", "A value to try with")
            .mcl(&field("int", "Int8PtrPtrPtr").optional().width(Width::I8)),
        any("slicestring", "A value to try with").mcl(&field("[]str", "SliceString")),
        any("mapintfloat", "A value to try with").mcl(&field("map{int: float}", "MapIntFloat")),
        any("mixedstruct", "A value to try with").mcl(&field(
            "struct{somebool bool; somestr str; someint int; somefloat float}",
            "MixedStruct",
        )),
        any("interface", "A value to try with").mcl(&field("variant", "Interface")),
        any("anotherstr", "A value to try with").mcl(&field("str", "AnotherStr")),
        any("func1", "A value to try with").mcl(&field("func(int) str", "Func1")),
        any("validatebool", "A value to try with").mcl(&field("bool", "ValidateBool")),
        any("validateerror", "A value to try with").mcl(&field("str", "ValidateError")),
        any("alwaysgroup", "A value to try with").mcl(&field("bool", "AlwaysGroup")),
        any("comparefail", "A value to try with").mcl(&field("bool", "CompareFail")),
        any("sendvalue", "A value to try with").mcl(&field("str", "SendValue")),
        any("expectrecv", "A value to try with").mcl(&field("[]str", "ExpectRecv").optional()),
        any("onlyshow", "A value to try with").mcl(&field("[]str", "OnlyShow")),
        any("waitforerror", "A value to try with").mcl(&field("int", "WaitForError")),
        any("comment", "A value to try with").mcl(&field("str", "Comment")),
        any("answer", "A value to try with"),
    ],
)
.mcl(&[mcl("test")
    .traits(&["groupable", "refreshable", "sendable", "recvable", "background"])
    .sends(&[("hello", "str?"), ("answer", "int")])
    .receives_all()])
.in_root("no difference");
