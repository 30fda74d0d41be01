//! Kinds that serve, fetch or share data over the network.

use super::super::kind::{Kind, Width, field};

/// Kinds of the network, in order of their names.
#[rustfmt::skip]
pub(super) const NETWORK: &[Kind] = &[
    Kind {
        name: "consul:kv",
        traits: &[],
        sends: &[],
        fields: &[
            field("key", "str", "Key"),
            field("value", "str", "Value"),
            field("scheme", "str", "Scheme"),
            field("address", "str", "Address"),
            field("token", "str", "Token"),
        ],
    },
    Kind {
        name: "deploy:tar",
        traits: &[],
        sends: &[],
        fields: &[
            field("path", "str", "Path"),
            field("format", "int", "Format").number(0),
        ],
    },
    Kind {
        name: "dhcp:host",
        traits: &["groupable"],
        sends: &[],
        fields: &[
            field("server", "str", "Server"),
            field("mac", "str", "Mac"),
            field("ip", "str", "IP"),
            field("nbp", "str", "NBP"),
            field("nbp_path", "str", "NBPPath"),
        ],
    },
    Kind {
        name: "dhcp:range",
        traits: &["groupable"],
        sends: &[],
        fields: &[
            field("server", "str", "Server"),
            field("network", "str", "Network"),
            field("from", "str", "From"),
            field("to", "str", "To"),
            field("mask", "str", "Mask"),
            field("skip", "[]str", "Skip"),
            field("persist", "bool", "Persist"),
            field("nbp", "str", "NBP"),
            field("nbp_path", "str", "NBPPath"),
        ],
    },
    Kind {
        name: "dhcp:server",
        traits: &["edgeable", "groupable"],
        sends: &[],
        fields: &[
            field("address", "str", "Address"),
            field("interface", "str", "Interface"),
            field("serverid", "str", "ServerID").optional(),
            field("leasetime", "str", "LeaseTime").optional(),
            field("dns", "[]str", "DNS"),
            field("routers", "[]str", "Routers"),
            field("nbp", "str", "NBP"),
        ],
    },
    Kind {
        name: "http:client",
        traits: &["edgeable", "refreshable", "sendable"],
        sends: &[("content", "str?")],
        fields: &[
            field("file", "str", "File"),
            field("method", "str", "Method"),
            field("url", "str", "URL"),
            field("body", "str", "Body").optional(),
            field("mtime_check", "bool", "MtimeCheck").flag(true),
            field("sha256", "str", "Sha256"),
            field("longpoll", "bool", "Longpoll"),
            field("longpoll_redirect", "bool", "LongpollRedirect"),
            field("longpoll_conditional", "bool", "LongpollConditional"),
        ],
    },
    Kind {
        name: "http:server",
        traits: &["edgeable", "groupable", "interruptable"],
        sends: &[],
        fields: &[
            field("address", "str", "Address"),
            field("timeout", "int", "Timeout").optional().width(Width::U64),
            field("read_timeout", "int", "ReadTimeout").optional().width(Width::U64),
            field("write_timeout", "int", "WriteTimeout").optional().width(Width::U64),
            field("shutdown_timeout", "int", "ShutdownTimeout").optional().width(Width::U64),
            field("root", "str", "Root"),
        ],
    },
    Kind {
        name: "http:server:file",
        traits: &["edgeable", "groupable", "recvable"],
        sends: &[],
        fields: &[
            field("server", "str", "Server"),
            field("filename", "str", "Filename"),
            field("path", "str", "Path"),
            field("data", "str", "Data"),
            field("longpoll", "bool", "Longpoll"),
        ],
    },
    Kind {
        name: "http:server:flag",
        traits: &["edgeable", "groupable", "sendable"],
        sends: &[("value", "str?")],
        fields: &[
            field("server", "str", "Server"),
            field("path", "str", "Path"),
            field("key", "str", "Key"),
        ],
    },
    Kind {
        name: "http:server:proxy",
        traits: &["edgeable", "groupable"],
        sends: &[],
        fields: &[
            field("server", "str", "Server"),
            field("path", "str", "Path"),
            field("sub", "str", "Sub"),
            field("head", "str", "Head"),
            field("cache", "str", "Cache"),
        ],
    },
    Kind {
        name: "http:server:ui",
        traits: &["edgeable", "groupable"],
        sends: &[],
        fields: &[
            field("server", "str", "Server"),
            field("path", "str", "Path"),
            field("data", "struct{title str; head str}", "Data").optional(),
        ],
    },
    Kind {
        name: "http:server:ui:input",
        traits: &["edgeable", "groupable", "sendable"],
        sends: &[("value", "str?")],
        fields: &[
            field("path", "str", "Path"),
            field("id", "str", "ID"),
            field("value", "str", "Value"),
            field("store", "str", "Store"),
            field("type", "str", "Type").text("text://"),
            field("sort", "str", "Sort"),
        ],
    },
    Kind {
        name: "kv",
        traits: &["refreshable", "recvable", "interruptable"],
        sends: &[],
        fields: &[
            field("key", "str", "Key"),
            field("value", "str", "Value").optional(),
            field("mapped", "bool", "Mapped"),
            field("skiplessthan", "bool", "SkipLessThan"),
            field("skipcmpstyle", "int", "SkipCmpStyle"),
        ],
    },
    Kind {
        name: "schedule",
        traits: &["background"],
        sends: &[],
        fields: &[
            field("namespace", "str", "Namespace"),
            field("strategy", "str", "Strategy").optional(),
            field("max", "int", "Max").optional(),
            field("persist", "bool", "Persist"),
            field("ttl", "int", "TTL").optional(),
            field("withdraw", "bool", "Withdraw"),
        ],
    },
    Kind {
        name: "tftp:file",
        traits: &["edgeable", "groupable"],
        sends: &[],
        fields: &[
            field("server", "str", "Server"),
            field("filename", "str", "Filename"),
            field("path", "str", "Path"),
            field("data", "str", "Data"),
        ],
    },
    Kind {
        name: "tftp:server",
        traits: &["edgeable", "groupable"],
        sends: &[],
        fields: &[
            field("address", "str", "Address"),
            field("timeout", "int", "Timeout").width(Width::U64),
            field("root", "str", "Root"),
        ],
    },
];
