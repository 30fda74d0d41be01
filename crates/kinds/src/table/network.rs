//! Servers that run during a watch, and a client.

use crate::language::{Width, field, mcl};
use crate::schema::{KindSchema, Unit, any, boolean, integer, list, text};

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] = &[
    &MGMT_HTTP_SERVER,
    &MGMT_HTTP_SERVER_FILE,
    &MGMT_HTTP_SERVER_FLAG,
    &MGMT_HTTP_SERVER_PROXY,
    &MGMT_HTTP_SERVER_UI,
    &MGMT_HTTP_SERVER_UI_INPUT,
    &MGMT_HTTP_CLIENT,
    &MGMT_TFTP_SERVER,
    &MGMT_TFTP_FILE,
    &MGMT_DHCP_SERVER,
    &MGMT_DHCP_HOST,
    &MGMT_DHCP_RANGE,
];

/// `mgmt::http::server`.
pub const MGMT_HTTP_SERVER: KindSchema = KindSchema::new(
    "mgmt::http::server",
    "Serves files by HTTP while the machine is kept",
    &[
        text("name", "Where it listens, if `address` does not say it"),
        text("address", "Where it listens: `:8080` or `127.0.0.1:80`").mcl(field("str", "Address")),
        integer("timeout", "Seconds for both; 60 by default")
            .unit(Unit::Seconds)
            .default_value("60")
            .mcl(field("int", "Timeout").optional().width(Width::U64)),
        integer("read_timeout", "Seconds that a request may take to come")
            .unit(Unit::Seconds)
            .mcl(field("int", "ReadTimeout").optional().width(Width::U64)),
        integer("write_timeout", "Seconds that a client may take to read")
            .unit(Unit::Seconds)
            .mcl(field("int", "WriteTimeout").optional().width(Width::U64)),
        integer("shutdown_timeout", "Accepted: the socket is given back at once")
            .mcl(field("int", "ShutdownTimeout").optional().width(Width::U64)),
        text("root", "A directory that is served, with a slash at its end")
            .mcl(field("str", "Root")),
    ],
)
.mcl(&[mcl("http:server").traits(&["edgeable", "groupable", "interruptable"])]);

/// `mgmt::http::server::file`.
pub const MGMT_HTTP_SERVER_FILE: KindSchema = KindSchema::new(
    "mgmt::http::server::file",
    "Something that a server of HTTP serves",
    &[
        text("name", "Its path on the server, if `filename` does not say it"),
        text("server", "The server; all of them by default").mcl(field("str", "Server")),
        text("filename", "Its path on the server").mcl(field("str", "Filename")),
        text("path", "The file that is served, or a directory with a slash")
            .mcl(field("str", "Path")),
        text("data", "The content").mcl(field("str", "Data")),
        boolean("longpoll", "Whether one can wait until it changes").mcl(field("bool", "Longpoll")),
    ],
)
.mcl(&[mcl("http:server:file").traits(&["edgeable", "groupable", "recvable"]).receives(&["data"])])
.comes_after(&["file"]);

/// `mgmt::http::server::flag`.
pub const MGMT_HTTP_SERVER_FLAG: KindSchema = KindSchema::new(
    "mgmt::http::server::flag",
    "Takes a value that is sent by HTTP, and hands it on",
    &[
        text("name", "Its path on the server, if `path` does not say it"),
        text("server", "The server; all of them by default").mcl(field("str", "Server")),
        text("path", "Its path on the server").mcl(field("str", "Path")),
        text("key", "The field of the form that is taken").mcl(field("str", "Key")),
    ],
)
.mcl(&[mcl("http:server:flag")
    .traits(&["edgeable", "groupable", "sendable"])
    .sends(&[("value", "str?")])]);

/// `mgmt::http::server::proxy`.
pub const MGMT_HTTP_SERVER_PROXY: KindSchema = KindSchema::new(
    "mgmt::http::server::proxy",
    "Serves content of another server by HTTP",
    &[
        text("name", "Its path on the server, if `path` does not say it"),
        text("server", "The server; all of them by default").mcl(field("str", "Server")),
        text("path", "Its path on the server; with a slash, all below").mcl(field("str", "Path")),
        text("sub", "The prefix that is removed from a path").mcl(field("str", "Sub")),
        text("head", "The address in front of a path on the other server, with a slash")
            .mcl(field("str", "Head")),
        text("cache", "The directory of the cache, with a slash").mcl(field("str", "Cache")),
    ],
)
.mcl(&[mcl("http:server:proxy").traits(&["edgeable", "groupable"])]);

/// `mgmt::http::server::ui`.
pub const MGMT_HTTP_SERVER_UI: KindSchema = KindSchema::new(
    "mgmt::http::server::ui",
    "Serves by HTTP a page where values can be set",
    &[
        text("name", "Its path on the server, if `path` does not say it"),
        text("server", "The server; all of them by default").mcl(field("str", "Server")),
        text("path", "Its path on the server, with a slash at its end").mcl(field("str", "Path")),
        any("data", "`title`, and HTML for the head of the page in `head`")
            .mcl(field("struct{title str; head str}", "Data").optional()),
    ],
)
.mcl(&[mcl("http:server:ui").traits(&["edgeable", "groupable"])]);

/// `mgmt::http::server::ui::input`.
pub const MGMT_HTTP_SERVER_UI_INPUT: KindSchema = KindSchema::new(
    "mgmt::http::server::ui::input",
    "Takes a value on a page that is served by HTTP, and hands it on",
    &[
        text("name", "Its name on the page, if `id` does not say it"),
        text("path", "The name of the page; all of them by default").mcl(field("str", "Path")),
        text("id", "Its name on the page").mcl(field("str", "ID")),
        text("value", "Its value until another is set").mcl(field("str", "Value")),
        text(
            "store",
            "Where its value is kept: `local://`, or `world://?key=K` for the value of a `kv`",
        )
        .mcl(field("str", "Store")),
        text("type", "`text://` (default), or `range://?min=0&max=9&step=1` for a slider")
            .default_value("text://")
            .mcl(field("str", "Type").text("text://")),
        text("sort", "The sort key among the other fields").mcl(field("str", "Sort")),
    ],
)
.mcl(&[mcl("http:server:ui:input")
    .traits(&["edgeable", "groupable", "sendable"])
    .sends(&[("value", "str?")])]);

/// `mgmt::http::client`.
pub const MGMT_HTTP_CLIENT: KindSchema = KindSchema::new(
    "mgmt::http::client",
    "A file that is fetched by HTTP",
    &[
        text("name", "The file, if it is a path and `file` does not say it"),
        text("file", "The file; without one it is only sent to others").mcl(field("str", "File")),
        text("method", "GET by default").mcl(field("str", "Method").words(&[
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE",
        ])),
        text("url", "The address").mcl(field("str", "URL")),
        text("body", "The body of the request").mcl(field("str", "Body").optional()),
        boolean("mtime_check", "Whether only newer ones are fetched; default")
            .default_value("true")
            .mcl(field("bool", "MtimeCheck").flag(true)),
        text("sha256", "The checksum that it has to have").mcl(field("str", "Sha256")),
        boolean(
            "longpoll",
            "Whether the server, asked in `watch`, waits until there is something newer",
        )
        .mcl(field("bool", "Longpoll")),
        any("longpoll_redirect", "Accepted: servers of both kinds are asked so")
            .mcl(field("bool", "LongpollRedirect")),
        any("longpoll_conditional", "Accepted: servers of both kinds are asked so")
            .mcl(field("bool", "LongpollConditional")),
    ],
)
.mcl(&[mcl("http:client")
    .traits(&["edgeable", "refreshable", "sendable"])
    .sends(&[("content", "str?")])]);

/// `mgmt::tftp::server`.
pub const MGMT_TFTP_SERVER: KindSchema = KindSchema::new(
    "mgmt::tftp::server",
    "Serves files by TFTP while the machine is kept",
    &[
        text("name", "Where it listens, if `address` does not say it"),
        text("address", "Where it listens: `:69` or `127.0.0.1:69`").mcl(field("str", "Address")),
        integer("timeout", "Seconds until something is sent again; 5 by default")
            .unit(Unit::Seconds)
            .default_value("5")
            .mcl(field("int", "Timeout").width(Width::U64)),
        text("root", "A directory that is served, with a slash at its end")
            .mcl(field("str", "Root")),
    ],
)
.mcl(&[mcl("tftp:server").traits(&["edgeable", "groupable"])]);

/// `mgmt::tftp::file`.
pub const MGMT_TFTP_FILE: KindSchema = KindSchema::new(
    "mgmt::tftp::file",
    "Something that a server of TFTP serves",
    &[
        text("name", "Its name on the server, if `filename` does not say it"),
        text("server", "The server; all of them by default").mcl(field("str", "Server")),
        text("filename", "Its name on the server").mcl(field("str", "Filename")),
        text("path", "The file that is served").mcl(field("str", "Path")),
        text("data", "The content").mcl(field("str", "Data")),
    ],
)
.mcl(&[mcl("tftp:file").traits(&["edgeable", "groupable"])])
.comes_after(&["file"]);

/// `mgmt::dhcp::server`.
pub const MGMT_DHCP_SERVER: KindSchema = KindSchema::new(
    "mgmt::dhcp::server",
    "Gives addresses by DHCP while the machine is kept",
    &[
        text("name", "Where it listens, if `address` does not say it"),
        text("address", "Where it listens: `:67`, or with its own address")
            .mcl(field("str", "Address")),
        text("interface", "The interface that it serves").mcl(field("str", "Interface")),
        text("serverid", "The server identifier: its address by default; empty is none")
            .mcl(field("str", "ServerID").optional()),
        text(
            "leasetime",
            "How long an address is given: `10m` by default; empty says nothing of it",
        )
        .default_value("10m")
        .mcl(field("str", "LeaseTime").optional()),
        list("dns", "The servers of names that clients are told of").mcl(field("[]str", "DNS")),
        list("routers", "The routers that clients are told of").mcl(field("[]str", "Routers")),
        text("nbp", "The boot file of clients: `tftp://192.0.2.1/pxelinux.0`")
            .mcl(field("str", "NBP")),
    ],
)
.mcl(&[mcl("dhcp:server").traits(&["edgeable", "groupable"])])
.comes_after(&["mgmt::net"]);

/// `mgmt::dhcp::host`.
pub const MGMT_DHCP_HOST: KindSchema = KindSchema::new(
    "mgmt::dhcp::host",
    "Gives a machine its address by DHCP",
    &[
        text("name", "The name"),
        text("server", "The server; all of them by default").mcl(field("str", "Server")),
        text("mac", "The address of its hardware: `00:11:22:33:44:55`").mcl(field("str", "Mac")),
        text("ip", "Its address with the length of the network").mcl(field("str", "IP")),
        text("nbp", "The boot file: `tftp://192.0.2.1/pxelinux.0`").mcl(field("str", "NBP")),
        text("nbp_path", "The file that it boots, in place of that of `nbp`")
            .mcl(field("str", "NBPPath")),
    ],
)
.mcl(&[mcl("dhcp:host").traits(&["groupable"])]);

/// `mgmt::dhcp::range`.
pub const MGMT_DHCP_RANGE: KindSchema = KindSchema::new(
    "mgmt::dhcp::range",
    "Gives addresses by DHCP to whoever asks",
    &[
        text("name", "The network, if neither `network` nor `from` say it"),
        text("server", "The server; all of them by default").mcl(field("str", "Server")),
        text("network", "The network whose addresses are given").mcl(field("str", "Network")),
        text("from", "The first address, with or without its length").mcl(field("str", "From")),
        text("to", "The last address, with or without its length").mcl(field("str", "To")),
        text("mask", "The mask, where `from` and `to` have no length").mcl(field("str", "Mask")),
        list("skip", "Addresses that are not given").mcl(field("[]str", "Skip")),
        boolean("persist", "Whether leases outlive the process; false by default")
            .default_value("false")
            .mcl(field("bool", "Persist")),
        text("nbp", "The boot file: `tftp://192.0.2.1/pxelinux.0`").mcl(field("str", "NBP")),
        text("nbp_path", "The file that is booted, in place of that of `nbp`")
            .mcl(field("str", "NBPPath")),
    ],
)
.mcl(&[mcl("dhcp:range").traits(&["groupable"])]);
