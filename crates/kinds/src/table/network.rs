//! Servers that run while a machine is kept, and a client.

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
        text("address", "Where it listens: `:8080` or `127.0.0.1:80`"),
        integer("read_timeout", "Seconds that a request may take to come").unit(Unit::Seconds),
        text("root", "A directory that is served, with a slash at its end"),
        integer("shutdown_timeout", "Accepted: the socket is given back at once"),
        integer("timeout", "Seconds for both; 60 by default")
            .unit(Unit::Seconds)
            .default_value("60"),
        integer("write_timeout", "Seconds that a client may take to read").unit(Unit::Seconds),
    ],
)
.mcl(&["http:server"]);

/// `mgmt::http::server::file`.
pub const MGMT_HTTP_SERVER_FILE: KindSchema = KindSchema::new(
    "mgmt::http::server::file",
    "Something that a server of HTTP serves",
    &[
        text("name", "Its path on the server, if `filename` does not say it"),
        text("data", "The content"),
        text("filename", "Its path on the server"),
        boolean("longpoll", "Whether one can wait until it changes"),
        text("path", "The file that is served, or a directory with a slash"),
        text("server", "The server; all of them by default"),
    ],
)
.mcl(&["http:server:file"])
.comes_after(&["file"]);

/// `mgmt::http::server::flag`.
pub const MGMT_HTTP_SERVER_FLAG: KindSchema = KindSchema::new(
    "mgmt::http::server::flag",
    "Takes a value that is sent by HTTP, and hands it on",
    &[
        text("name", "Its path on the server, if `path` does not say it"),
        text("key", "The field of the form that is taken"),
        text("path", "Its path on the server"),
        text("server", "The server; all of them by default"),
    ],
)
.mcl(&["http:server:flag"]);

/// `mgmt::http::server::proxy`.
pub const MGMT_HTTP_SERVER_PROXY: KindSchema = KindSchema::new(
    "mgmt::http::server::proxy",
    "Serves content of another server by HTTP",
    &[
        text("name", "Its path on the server, if `path` does not say it"),
        text("cache", "The directory of the cache, with a slash"),
        text("head", "The address in front of a path on the other server, with a slash"),
        text("path", "Its path on the server; with a slash, all below"),
        text("server", "The server; all of them by default"),
        text("sub", "The prefix that is removed from a path"),
    ],
)
.mcl(&["http:server:proxy"]);

/// `mgmt::http::server::ui`.
pub const MGMT_HTTP_SERVER_UI: KindSchema = KindSchema::new(
    "mgmt::http::server::ui",
    "Serves by HTTP a page where values can be set",
    &[
        text("name", "Its path on the server, if `path` does not say it"),
        any("data", "`title`, and HTML for the head of the page in `head`"),
        text("path", "Its path on the server, with a slash at its end"),
        text("server", "The server; all of them by default"),
    ],
)
.mcl(&["http:server:ui"]);

/// `mgmt::http::server::ui::input`.
pub const MGMT_HTTP_SERVER_UI_INPUT: KindSchema = KindSchema::new(
    "mgmt::http::server::ui::input",
    "Takes a value on a page that is served by HTTP, and hands it on",
    &[
        text("name", "Its name on the page, if `id` does not say it"),
        text("id", "Its name on the page"),
        text("path", "The name of the page; all of them by default"),
        text("sort", "The sort key among the other fields"),
        text(
            "store",
            "Where its value is kept: `local://`, or `world://?key=K` for the value of a `kv`",
        ),
        text("type", "`text://` (default), or `range://?min=0&max=9&step=1` for a slider"),
        text("value", "Its value until another is set"),
    ],
)
.mcl(&["http:server:ui:input"]);

/// `mgmt::http::client`.
pub const MGMT_HTTP_CLIENT: KindSchema = KindSchema::new(
    "mgmt::http::client",
    "A file that is fetched by HTTP",
    &[
        text("name", "The file, if it is a path and `file` does not say it"),
        text("body", "The body of the request"),
        text("file", "The file; without one it is only sent to others"),
        boolean(
            "longpoll",
            "Whether the server, asked in `watch`, waits until there is something newer",
        ),
        any("longpoll_conditional", "Accepted: servers of both kinds are asked so"),
        any("longpoll_redirect", "Accepted: servers of both kinds are asked so"),
        text("method", "GET by default"),
        boolean("mtime_check", "Whether only newer ones are fetched; default"),
        text("sha256", "The checksum that it has to have"),
        text("url", "The address"),
    ],
)
.mcl(&["http:client"]);

/// `mgmt::tftp::server`.
pub const MGMT_TFTP_SERVER: KindSchema = KindSchema::new(
    "mgmt::tftp::server",
    "Serves files by TFTP while the machine is kept",
    &[
        text("name", "Where it listens, if `address` does not say it"),
        text("address", "Where it listens: `:69` or `127.0.0.1:69`"),
        text("root", "A directory that is served, with a slash at its end"),
        integer("timeout", "Seconds until something is sent again; 5 by default")
            .unit(Unit::Seconds)
            .default_value("5"),
    ],
)
.mcl(&["tftp:server"]);

/// `mgmt::tftp::file`.
pub const MGMT_TFTP_FILE: KindSchema = KindSchema::new(
    "mgmt::tftp::file",
    "Something that a server of TFTP serves",
    &[
        text("name", "Its name on the server, if `filename` does not say it"),
        text("data", "The content"),
        text("filename", "Its name on the server"),
        text("path", "The file that is served"),
        text("server", "The server; all of them by default"),
    ],
)
.mcl(&["tftp:file"])
.comes_after(&["file"]);

/// `mgmt::dhcp::server`.
pub const MGMT_DHCP_SERVER: KindSchema = KindSchema::new(
    "mgmt::dhcp::server",
    "Gives addresses by DHCP while the machine is kept",
    &[
        text("name", "Where it listens, if `address` does not say it"),
        text("address", "Where it listens: `:67`, or with its own address"),
        list("dns", "The servers of names that clients are told of"),
        text("interface", "The interface that it serves"),
        text(
            "leasetime",
            "How long an address is given: `10m` by default; empty says nothing of it",
        )
        .default_value("10m"),
        text("nbp", "The boot file of clients: `tftp://192.0.2.1/pxelinux.0`"),
        list("routers", "The routers that clients are told of"),
        text("serverid", "The server identifier: its address by default; empty is none"),
    ],
)
.mcl(&["dhcp:server"])
.comes_after(&["mgmt::net"]);

/// `mgmt::dhcp::host`.
pub const MGMT_DHCP_HOST: KindSchema = KindSchema::new(
    "mgmt::dhcp::host",
    "Gives a machine its address by DHCP",
    &[
        text("name", "The name"),
        text("ip", "Its address with the length of the network"),
        text("mac", "The address of its hardware: `00:11:22:33:44:55`"),
        text("nbp", "The boot file: `tftp://192.0.2.1/pxelinux.0`"),
        text("nbp_path", "The file that it boots, in place of that of `nbp`"),
        text("server", "The server; all of them by default"),
    ],
)
.mcl(&["dhcp:host"]);

/// `mgmt::dhcp::range`.
pub const MGMT_DHCP_RANGE: KindSchema = KindSchema::new(
    "mgmt::dhcp::range",
    "Gives addresses by DHCP to whoever asks",
    &[
        text("name", "The network, if neither `network` nor `from` say it"),
        text("from", "The first address, with or without its length"),
        text("mask", "The mask, where `from` and `to` have no length"),
        text("nbp", "The boot file: `tftp://192.0.2.1/pxelinux.0`"),
        text("nbp_path", "The file that is booted, in place of that of `nbp`"),
        text("network", "The network whose addresses are given"),
        boolean("persist", "Whether leases outlive the process; false by default")
            .default_value("false"),
        text("server", "The server; all of them by default"),
        list("skip", "Addresses that are not given"),
        text("to", "The last address, with or without its length"),
    ],
)
.mcl(&["dhcp:range"]);
