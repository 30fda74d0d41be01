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
pub static MGMT_HTTP_SERVER: KindSchema = KindSchema::new(
    "mgmt::http::server",
    "Serves files by HTTP during `watch`",
    &[
        text("name", "The listen address, if `address` is not set"),
        text("address", "The listen address: `:8080` or `127.0.0.1:80`")
            .mcl(&field("str", "Address")),
        integer("timeout", "Seconds for both timeouts; 60 by default")
            .unit(Unit::Seconds)
            .default_value("60")
            .mcl(&field("int", "Timeout").optional().width(Width::U64)),
        integer("read_timeout", "Read timeout in seconds")
            .unit(Unit::Seconds)
            .mcl(&field("int", "ReadTimeout").optional().width(Width::U64)),
        integer("write_timeout", "Write timeout in seconds")
            .unit(Unit::Seconds)
            .mcl(&field("int", "WriteTimeout").optional().width(Width::U64)),
        integer("shutdown_timeout", "Accepted: the socket is freed at once")
            .mcl(&field("int", "ShutdownTimeout").optional().width(Width::U64)),
        text("root", "A directory to serve, with a trailing slash").mcl(&field("str", "Root")),
    ],
)
.mcl(&[mcl("http:server").traits(&["edgeable", "groupable", "interruptable"])])
.in_root("the network is this machine's, the served files are below the root");

/// `mgmt::http::server::file`.
pub static MGMT_HTTP_SERVER_FILE: KindSchema = KindSchema::new(
    "mgmt::http::server::file",
    "A file or directory of an HTTP server",
    &[
        text("name", "Its path on the server, if `filename` is not set"),
        text("server", "The server; all of them by default").mcl(&field("str", "Server")),
        text("filename", "Its path on the server").mcl(&field("str", "Filename")),
        text("path", "The file to serve, or a directory with a trailing slash")
            .mcl(&field("str", "Path")),
        text("data", "The content").mcl(&field("str", "Data")),
        boolean("longpoll", "Whether clients can wait for a change")
            .mcl(&field("bool", "Longpoll")),
    ],
)
.mcl(&[mcl("http:server:file").traits(&["edgeable", "groupable", "recvable"]).receives(&["data"])])
.comes_after(&["file"])
.in_root("the network is this machine's, the served files are below the root");

/// `mgmt::http::server::flag`.
pub static MGMT_HTTP_SERVER_FLAG: KindSchema = KindSchema::new(
    "mgmt::http::server::flag",
    "Receives a value by HTTP, and passes it on",
    &[
        text("name", "Its path on the server, if `path` is not set"),
        text("server", "The server; all of them by default").mcl(&field("str", "Server")),
        text("path", "Its path on the server").mcl(&field("str", "Path")),
        text("key", "The form field with the value").mcl(&field("str", "Key")),
    ],
)
.mcl(&[mcl("http:server:flag")
    .traits(&["edgeable", "groupable", "sendable"])
    .sends(&[("value", "str?")])])
.in_root("the network is this machine's, the served files are below the root");

/// `mgmt::http::server::proxy`.
pub static MGMT_HTTP_SERVER_PROXY: KindSchema = KindSchema::new(
    "mgmt::http::server::proxy",
    "Serves content of another server by HTTP",
    &[
        text("name", "Its path on the server, if `path` is not set"),
        text("server", "The server; all of them by default").mcl(&field("str", "Server")),
        text("path", "Its path on the server; with a trailing slash, everything below it")
            .mcl(&field("str", "Path")),
        text("sub", "The prefix to remove from a path").mcl(&field("str", "Sub")),
        text("head", "The prefix of addresses on the other server, with a trailing slash")
            .mcl(&field("str", "Head")),
        text("cache", "The directory of the cache, with a trailing slash")
            .mcl(&field("str", "Cache")),
    ],
)
.mcl(&[mcl("http:server:proxy").traits(&["edgeable", "groupable"])])
.in_root("the network is this machine's, the served files are below the root");

/// `mgmt::http::server::ui`.
pub static MGMT_HTTP_SERVER_UI: KindSchema = KindSchema::new(
    "mgmt::http::server::ui",
    "Serves a page by HTTP where values can be set",
    &[
        text("name", "Its path on the server, if `path` is not set"),
        text("server", "The server; all of them by default").mcl(&field("str", "Server")),
        text("path", "Its path on the server, with a trailing slash").mcl(&field("str", "Path")),
        any("data", "`title`, and HTML for the head of the page in `head`")
            .mcl(&field("struct{title str; head str}", "Data").optional()),
    ],
)
.mcl(&[mcl("http:server:ui").traits(&["edgeable", "groupable"])])
.in_root("the network is this machine's, the served files are below the root");

/// `mgmt::http::server::ui::input`.
pub static MGMT_HTTP_SERVER_UI_INPUT: KindSchema = KindSchema::new(
    "mgmt::http::server::ui::input",
    "Receives a value from a page that is served by HTTP, and passes it on",
    &[
        text("name", "Its name on the page, if `id` is not set"),
        text("path", "The name of the page; all of them by default").mcl(&field("str", "Path")),
        text("id", "Its name on the page").mcl(&field("str", "ID")),
        text("value", "Its initial value").mcl(&field("str", "Value")),
        text(
            "store",
            "The storage of its value: `local://`, or `world://?key=K` for the value of a `kv`",
        )
        .mcl(&field("str", "Store")),
        text("type", "`text://` (default), or `range://?min=0&max=9&step=1` for a slider")
            .default_value("text://")
            .mcl(&field("str", "Type").text("text://")),
        text("sort", "The sort key among the other fields").mcl(&field("str", "Sort")),
    ],
)
.mcl(&[mcl("http:server:ui:input")
    .traits(&["edgeable", "groupable", "sendable"])
    .sends(&[("value", "str?")])])
.in_root("the network is this machine's, the served files are below the root");

/// `mgmt::http::client`.
pub static MGMT_HTTP_CLIENT: KindSchema = KindSchema::new(
    "mgmt::http::client",
    "A file that is downloaded by HTTP",
    &[
        text("name", "The file, if it is a path and `file` is not set"),
        text("file", "The file; without one the content is only sent to receivers")
            .mcl(&field("str", "File")),
        text("method", "GET by default").mcl(&field("str", "Method").words(&[
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE",
        ])),
        text("url", "The address").mcl(&field("str", "URL")),
        text("body", "The body of the request").mcl(&field("str", "Body").optional()),
        boolean("mtime_check", "Whether only newer versions are downloaded; default")
            .default_value("true")
            .mcl(&field("bool", "MtimeCheck").flag(true)),
        text("sha256", "The required checksum").mcl(&field("str", "Sha256")),
        boolean("longpoll", "Whether requests of `watch` let the server wait for a newer version")
            .mcl(&field("bool", "Longpoll")),
        any("longpoll_redirect", "Accepted: both types of servers support it")
            .mcl(&field("bool", "LongpollRedirect")),
        any("longpoll_conditional", "Accepted: both types of servers support it")
            .mcl(&field("bool", "LongpollConditional")),
    ],
)
.mcl(&[mcl("http:client")
    .traits(&["edgeable", "refreshable", "sendable"])
    .sends(&[("content", "str?")])])
.in_root("the file is below the root, the network is this machine's");

/// `mgmt::tftp::server`.
pub static MGMT_TFTP_SERVER: KindSchema = KindSchema::new(
    "mgmt::tftp::server",
    "Serves files by TFTP during `watch`",
    &[
        text("name", "The listen address, if `address` is not set"),
        text("address", "The listen address: `:69` or `127.0.0.1:69`")
            .mcl(&field("str", "Address")),
        integer("timeout", "Seconds until a retransmission; 5 by default")
            .unit(Unit::Seconds)
            .default_value("5")
            .mcl(&field("int", "Timeout").width(Width::U64)),
        text("root", "A directory to serve, with a trailing slash").mcl(&field("str", "Root")),
    ],
)
.mcl(&[mcl("tftp:server").traits(&["edgeable", "groupable"])])
.in_root("the network is this machine's, the served files are below the root");

/// `mgmt::tftp::file`.
pub static MGMT_TFTP_FILE: KindSchema = KindSchema::new(
    "mgmt::tftp::file",
    "A file or directory of a TFTP server",
    &[
        text("name", "Its name on the server, if `filename` is not set"),
        text("server", "The server; all of them by default").mcl(&field("str", "Server")),
        text("filename", "Its name on the server").mcl(&field("str", "Filename")),
        text("path", "The file to serve").mcl(&field("str", "Path")),
        text("data", "The content").mcl(&field("str", "Data")),
    ],
)
.mcl(&[mcl("tftp:file").traits(&["edgeable", "groupable"])])
.comes_after(&["file"])
.in_root("the network is this machine's, the served files are below the root");

/// `mgmt::dhcp::server`.
pub static MGMT_DHCP_SERVER: KindSchema = KindSchema::new(
    "mgmt::dhcp::server",
    "Runs a DHCP server during `watch`",
    &[
        text("name", "The listen address, if `address` is not set"),
        text("address", "The listen address: `:67`, or with its own address")
            .mcl(&field("str", "Address")),
        text("interface", "The interface to serve").mcl(&field("str", "Interface")),
        text("serverid", "The server identifier: its address by default; empty means none")
            .mcl(&field("str", "ServerID").optional()),
        text("leasetime", "The lease time: `10m` by default; empty omits it")
            .default_value("10m")
            .mcl(&field("str", "LeaseTime").optional()),
        list("dns", "The DNS servers for clients").mcl(&field("[]str", "DNS")),
        list("routers", "The routers for clients").mcl(&field("[]str", "Routers")),
        text("nbp", "The boot file of clients: `tftp://192.0.2.1/pxelinux.0`")
            .mcl(&field("str", "NBP")),
    ],
)
.mcl(&[mcl("dhcp:server").traits(&["edgeable", "groupable"])])
.comes_after(&["mgmt::net"])
.in_root("the network is this machine's, the leases are below the root");

/// `mgmt::dhcp::host`.
pub static MGMT_DHCP_HOST: KindSchema = KindSchema::new(
    "mgmt::dhcp::host",
    "Assigns a machine its address by DHCP",
    &[
        text("name", "The name"),
        text("server", "The server; all of them by default").mcl(&field("str", "Server")),
        text("mac", "The hardware address: `00:11:22:33:44:55`").mcl(&field("str", "Mac")),
        text("ip", "Its address with the prefix length").mcl(&field("str", "IP")),
        text("nbp", "The boot file: `tftp://192.0.2.1/pxelinux.0`").mcl(&field("str", "NBP")),
        text("nbp_path", "The boot file, instead of that of `nbp`").mcl(&field("str", "NBPPath")),
    ],
)
.mcl(&[mcl("dhcp:host").traits(&["groupable"])])
.in_root("the network is this machine's, the leases are below the root");

/// `mgmt::dhcp::range`.
pub static MGMT_DHCP_RANGE: KindSchema = KindSchema::new(
    "mgmt::dhcp::range",
    "Assigns addresses by DHCP to any client",
    &[
        text("name", "The network, if neither `network` nor `from` is set"),
        text("server", "The server; all of them by default").mcl(&field("str", "Server")),
        text("network", "The network whose addresses are assigned").mcl(&field("str", "Network")),
        text("from", "The first address, optionally with a prefix length")
            .mcl(&field("str", "From")),
        text("to", "The last address, optionally with a prefix length").mcl(&field("str", "To")),
        text("mask", "The mask, if `from` and `to` have no prefix length")
            .mcl(&field("str", "Mask")),
        list("skip", "Addresses that are never assigned").mcl(&field("[]str", "Skip")),
        boolean("persist", "Whether leases outlive the process; false by default")
            .default_value("false")
            .mcl(&field("bool", "Persist")),
        text("nbp", "The boot file: `tftp://192.0.2.1/pxelinux.0`").mcl(&field("str", "NBP")),
        text("nbp_path", "The boot file, instead of that of `nbp`").mcl(&field("str", "NBPPath")),
    ],
)
.mcl(&[mcl("dhcp:range").traits(&["groupable"])])
.in_root("the network is this machine's, the leases are below the root");
