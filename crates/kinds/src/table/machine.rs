//! Settings of the machine: names, mounts, kernel, network, SELinux, ZFS.

use crate::form::Form;
use crate::language::{PROVIDER, field, mcl, named, only, puppet};
use crate::schema::{KindSchema, any, boolean, choice, list, text};

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] = &[
    &HOST,
    &MGMT_HOSTNAME,
    &MOUNT,
    &MAILALIAS,
    &SSHKEY,
    &SELBOOLEAN,
    &SELMODULE,
    &MGMT_SYSCTL,
    &MGMT_NET,
    &ZFS,
    &ZPOOL,
];

/// `host`.
pub static HOST: KindSchema = KindSchema::new(
    "host",
    "An entry of the hosts file",
    &[
        text("name", "The host name"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("ip", "The address, IPv4 or IPv6").form(Form::Address),
        list("host_aliases", "Other names, a list"),
        text("comment", "A comment at the end of the line"),
        text("target", "The file; default `/etc/hosts`"),
    ],
)
.puppet(puppet("host").own(&[PROVIDER]))
.in_root("its file below the root");

/// `mgmt::hostname`.
pub static MGMT_HOSTNAME: KindSchema = KindSchema::new(
    "mgmt::hostname",
    "Manages the host name",
    &[
        text("name", "The name, which is the default of the others"),
        text("hostname", "The same, if the resource has another name")
            .mcl(&field("str", "Hostname")),
        text("pretty_hostname", "The pretty name; empty leaves it unchanged")
            .mcl(&field("str", "PrettyHostname").optional()),
        text("static_hostname", "The static name in /etc/hostname; empty leaves it unchanged")
            .mcl(&field("str", "StaticHostname").optional()),
        text("transient_hostname", "The transient name; empty leaves it unchanged")
            .mcl(&field("str", "TransientHostname").optional()),
    ],
)
.mcl(&[mcl("hostname")])
.in_root("the files; the current name is left alone");

/// `mount`.
pub static MOUNT: KindSchema = KindSchema::new(
    "mount",
    "A mounted file system and its entry in fstab",
    &[
        text("name", "Where it is mounted"),
        any(
            "ensure",
            "`present` or `defined` (an entry, default), `mounted`, `unmounted` or `absent`",
        )
        .form(Form::Words(&["mounted", "present", "defined", "unmounted", "absent"])),
        any("atboot", "Accepted; on Linux an option does this"),
        text("device", "The device"),
        choice("dump", &["0", "1"], "Whether dump(8) saves it: 0 (default) or 1")
            .default_value("0"),
        text("fstype", "The type of the file system"),
        text("options", "Options, separated by commas; default `defaults`").form(Form::Unspaced),
        text("pass", "The pass of fsck at boot; default 0, not at all"),
        boolean("remounts", "Whether a remount applies new options; default")
            .form(Form::TRUE_FALSE),
        text("target", "The file; default `/etc/fstab`"),
    ],
)
.puppet(puppet("mount").own(&[only("blockdevice"), PROVIDER]))
.mcl(&[mcl("mount").fields(&[
    named("state", "str", "State").words(&["exists", "absent"]).sets("ensure"),
    named("device", "str", "Device").sets("device"),
    named("type", "str", "Type").sets("fstype"),
    named("options", "map{str: str}", "Options").sets("options"),
    named("freq", "int", "Freq").sets("dump"),
    named("passno", "int", "PassNo").sets("pass"),
])])
.comes_after(&["mount"])
.in_root("the table below the root; mounts are made inside");

/// `mailalias`.
pub static MAILALIAS: KindSchema = KindSchema::new(
    "mailalias",
    "The recipients of the mail for a name",
    &[
        text("name", "The name of the alias"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("file", "A file with the recipients"),
        list("recipient", "Who gets it, a list"),
        text("target", "The file; default `/etc/aliases`"),
    ],
)
.puppet(puppet("mailalias").own(&[PROVIDER]))
.in_root("its file below the root");

/// `sshkey`.
pub static SSHKEY: KindSchema = KindSchema::new(
    "sshkey",
    "A host key in known_hosts",
    &[
        text("name", "The host name; the title may be `NAME@TYPE`"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        list("host_aliases", "Other names and addresses, a list"),
        text("key", "The key"),
        text("target", "The file; default `/etc/ssh/ssh_known_hosts`"),
        text("type", "The type of the key, such as `ssh-ed25519`").form(Form::Words(&[
            "dsa",
            "ecdsa-sha2-nistp256",
            "ecdsa-sha2-nistp384",
            "ecdsa-sha2-nistp521",
            "ecdsa-sk",
            "ed25519",
            "ed25519-sk",
            "rsa",
            "sk-ecdsa-sha2-nistp256@openssh.com",
            "sk-ssh-ed25519@openssh.com",
            "ssh-dss",
            "ssh-ed25519",
            "ssh-rsa",
        ])),
    ],
)
.puppet(puppet("sshkey").own(&[PROVIDER]))
.in_root("its file below the root");

/// `selboolean`.
pub static SELBOOLEAN: KindSchema = KindSchema::new(
    "selboolean",
    "An SELinux boolean",
    &[
        text("name", "The setting"),
        boolean("persistent", "Whether it is kept across boots").form(Form::TRUE_FALSE),
        choice("value", &["on", "off", "true", "false"], "`on` or `off`"),
    ],
)
.puppet(puppet("selboolean").own(&[PROVIDER]))
.in_root("the tools run inside");

/// `selmodule`.
pub static SELMODULE: KindSchema = KindSchema::new(
    "selmodule",
    "A module of the SELinux policy",
    &[
        text("name", "The module"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("selmoduledir", "The directory of its file; `/usr/share/selinux/targeted`"),
        text("selmodulepath", "Its file, if it is not in the default place"),
        boolean("syncversion", "Whether another version is replaced by that of the file")
            .form(Form::TRUE_FALSE),
    ],
)
.puppet(puppet("selmodule").own(&[PROVIDER]))
.comes_after(&["file"])
.in_root("the tools run inside");

/// `mgmt::sysctl`.
pub static MGMT_SYSCTL: KindSchema = KindSchema::new(
    "mgmt::sysctl",
    "Manages kernel settings",
    &[
        text("name", "The setting, such as `net.ipv4.ip_forward`"),
        text("value", "The value as the kernel shows it").mcl(&field("str", "Value")),
        any("runtime", "Whether it is set now: true by default")
            .default_value("true")
            .mcl(&field("bool", "Runtime").flag(true)),
        any("persist", "Whether it is kept across boots: true by default")
            .default_value("true")
            .mcl(&field("bool", "Persist").flag(true)),
        text("path", "The file for the setting; by default one below /etc/sysctl.d")
            .mcl(&field("str", "Filename")),
    ],
)
.mcl(&[mcl("sysctl")])
.in_root("the file, and the settings below the root's `/proc/sys`");

/// `mgmt::net`.
pub static MGMT_NET: KindSchema = KindSchema::new(
    "mgmt::net",
    "A network interface with its addresses and gateway",
    &[
        text("name", "The interface"),
        choice(
            "state",
            &["up", "down"],
            "`up` (with a file for systemd-networkd), `down` (without), or nothing",
        )
        .mcl(&field("str", "State").words(&["up", "down"])),
        list("addrs", "All of its addresses, such as `192.0.2.42/24`")
            .mcl(&field("[]str", "Addrs")),
        text("gateway", "The gateway of the default route").mcl(&field("str", "Gateway")),
        boolean("ip_forward", "The setting `IPForward` of systemd-networkd")
            .mcl(&field("bool", "IPForward").optional()),
        list("gateways", "With `unit`: all gateways of the address family of `gateway`"),
        text("unit", "The previous systemd-networkd file, for an undo; empty if there was none"),
    ],
)
.mcl(&[mcl("net").traits(&["reversible"])])
.in_root("the file for systemd-networkd; interfaces are left alone");

/// `zfs`.
pub static ZFS: KindSchema = KindSchema::new(
    "zfs",
    "A file system of ZFS",
    &[
        text("name", "The file system with its pool"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("aclinherit", "The property of this name; see zfsprops(7)"),
        text("aclmode", "The property of this name; see zfsprops(7)"),
        text("acltype", "The property of this name; see zfsprops(7)"),
        text("atime", "The property of this name; see zfsprops(7)"),
        text("canmount", "The property of this name; see zfsprops(7)"),
        text("checksum", "The property of this name; see zfsprops(7)"),
        text("compression", "The property of this name; see zfsprops(7)"),
        text("copies", "The property of this name; see zfsprops(7)"),
        text("dedup", "The property of this name; see zfsprops(7)"),
        text("defaultuserquota", "The property of this name; see zfsprops(7)"),
        text("devices", "The property of this name; see zfsprops(7)"),
        text("exec", "The property of this name; see zfsprops(7)"),
        text("logbias", "The property of this name; see zfsprops(7)"),
        text("mountpoint", "The property of this name; see zfsprops(7)"),
        text("nbmand", "The property of this name; see zfsprops(7)"),
        text("overlay", "The property of this name; see zfsprops(7)"),
        text("primarycache", "The property of this name; see zfsprops(7)"),
        text("quota", "The property of this name; see zfsprops(7)"),
        text("readonly", "The property of this name; see zfsprops(7)"),
        text("recordsize", "The property of this name; see zfsprops(7)"),
        text("refquota", "The property of this name; see zfsprops(7)"),
        text("refreservation", "The property of this name; see zfsprops(7)"),
        text("relatime", "The property of this name; see zfsprops(7)"),
        text("reservation", "The property of this name; see zfsprops(7)"),
        text("secondarycache", "The property of this name; see zfsprops(7)"),
        text("setuid", "The property of this name; see zfsprops(7)"),
        text("shareiscsi", "The property of this name; see zfsprops(7)"),
        text("sharenfs", "The property of this name; see zfsprops(7)"),
        text("sharesmb", "The property of this name; see zfsprops(7)"),
        text("snapdir", "The property of this name; see zfsprops(7)"),
        text("sync", "The property of this name; see zfsprops(7)"),
        text("version", "The property of this name; see zfsprops(7)"),
        text("volsize", "The property of this name; see zfsprops(7)"),
        text("vscan", "The property of this name; see zfsprops(7)"),
        text("xattr", "The property of this name; see zfsprops(7)"),
        text("zoned", "The property of this name; see zfsprops(7)"),
    ],
)
.puppet(puppet("zfs").own(&[only("defaultgroupquota"), PROVIDER]))
.comes_after(&["zpool", "zfs"])
.in_root("the tools run inside, on the pools of this machine");

/// `zpool`.
pub static ZPOOL: KindSchema = KindSchema::new(
    "zpool",
    "A ZFS pool; its disks cannot be changed later",
    &[
        text("pool", "The pool"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("ashift", "The alignment of blocks, as a power of two"),
        text("autoexpand", "`on` or `off`"),
        text("cache", "Disks that cache"),
        list("disk", "The single disks"),
        text("failmode", "`wait`, `continue` or `panic`"),
        list("log", "Disks for the log"),
        list("mirror", "Groups of disks that mirror each other"),
        text("name", "The pool, too").not_in_puppet(),
        text("raid_parity", "`raidz1` (default) or `raidz2`").default_value("raidz1"),
        list("raidz", "Groups of disks with parity"),
        list("spare", "Disks that wait"),
    ],
)
.puppet(puppet("zpool").own(&[PROVIDER]))
.in_root("the tools run inside, on the pools of this machine");
