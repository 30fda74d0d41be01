//! The resource types that are applied, by the names of their attributes.
//!
//! The values are not checked here: that is the engine's business. The list is that of upstream's
//! own types, of the modules that its agent package brings, and of the two most used modules.

use std::sync::{Arc, LazyLock, OnceLock};

use ordain_graph::METAPARAMETERS;
use rustc_hash::FxHashMap;

use crate::load::RubyType;
use crate::types::ObjectType;

/// A resource type.
#[derive(Debug)]
pub struct TypeSchema {
    /// Its name.
    pub name: &'static str,
    /// The attribute for which the title stands in.
    pub namevar: &'static str,
    /// Its attributes, metaparameters left out.
    pub attributes: &'static [&'static str],
    /// Whether two resources may not have the same name.
    pub isomorphic: bool,
}

impl TypeSchema {
    /// Whether the type has an attribute or metaparameter of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.attributes.contains(&name) || is_metaparameter(name)
    }

    /// Whether no module can replace it.
    pub fn is_core(&self) -> bool {
        CORE.contains(&self.name)
    }
}

/// Types that no module can replace.
const CORE: &[&str] = &[
    "exec",
    "file",
    "filebucket",
    "group",
    "notify",
    "package",
    "resources",
    "schedule",
    "service",
    "stage",
    "tidy",
    "user",
    "whit",
];

/// A resource type that is not written in Puppet: from the table, from a module, or in both.
#[derive(Clone, Debug)]
pub struct NativeType {
    /// What the table says.
    pub table: Option<&'static TypeSchema>,
    /// What the file of the module says.
    pub ruby: Option<Arc<RubyType>>,
    /// The type with features, if it is written in the language.
    pub model: Option<Arc<ObjectType>>,
}

impl NativeType {
    /// Whether the type has an attribute or metaparameter of this name. `name` is that for which
    /// the title stands in, whatever the type calls it.
    pub fn knows(&self, name: &str) -> bool {
        if self.model.is_some() {
            return is_metaparameter(name) || self.attributes().any(|known| known == name);
        }
        name == "name"
            || self.table.is_some_and(|t| t.knows(name))
            || self.ruby.as_ref().is_some_and(|r| r.knows(name))
            || is_metaparameter(name)
    }

    /// The attribute for which the title stands in; none where several do.
    pub fn namevar(&self) -> Option<&str> {
        match (self.table, &self.ruby) {
            (_, Some(ruby)) if !ruby.open || self.table.is_none() => match &*ruby.namevars {
                [one] => Some(one),
                _ => None,
            },
            (table, _) => table.map(|t| t.namevar),
        }
    }

    /// Whether two resources may not have the same name.
    pub fn is_isomorphic(&self) -> bool {
        match (self.table, &self.ruby) {
            (Some(table), _) => table.isomorphic,
            (None, ruby) => ruby.as_ref().is_none_or(|r| r.isomorphic),
        }
    }

    /// The names of its attributes, metaparameters left out.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        let table = self.table.into_iter().flat_map(|t| t.attributes.iter().copied());
        table.chain(self.ruby.iter().flat_map(|r| r.attributes.iter().map(|a| a.as_str())))
    }
}

/// The type of run stages.
pub static STAGE: LazyLock<NativeType> =
    LazyLock::new(|| NativeType { table: find("stage"), ruby: None, model: None });

/// Whether every resource has an attribute of this name.
pub fn is_metaparameter(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
}

/// The type of this name in lower case.
pub fn find(name: &str) -> Option<&'static TypeSchema> {
    static BY_NAME: OnceLock<FxHashMap<&'static str, &'static TypeSchema>> = OnceLock::new();
    BY_NAME.get_or_init(|| TYPES.iter().map(|t| (t.name, t)).collect()).get(name).copied()
}

/// All types.
pub const TYPES: &[TypeSchema] = &[
    TypeSchema {
        name: "file",
        namevar: "path",
        attributes: &[
            "path",
            "ensure",
            "content",
            "source",
            "target",
            "owner",
            "group",
            "mode",
            "checksum",
            "checksum_value",
            "backup",
            "recurse",
            "recurselimit",
            "max_files",
            "replace",
            "force",
            "purge",
            "ignore",
            "links",
            "sourceselect",
            "show_diff",
            "validate_cmd",
            "validate_replacement",
            "staging_location",
            "source_permissions",
            "seluser",
            "selrole",
            "seltype",
            "selrange",
            "selinux_ignore_defaults",
            "type",
            "ctime",
            "mtime",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "exec",
        namevar: "command",
        attributes: &[
            "command",
            "path",
            "returns",
            "user",
            "group",
            "cwd",
            "umask",
            "environment",
            "timeout",
            "tries",
            "try_sleep",
            "logoutput",
            "creates",
            "onlyif",
            "unless",
            "refreshonly",
            "refresh",
            "provider",
        ],
        isomorphic: false,
    },
    TypeSchema {
        name: "package",
        namevar: "name",
        attributes: &[
            "name",
            "command",
            "ensure",
            "source",
            "instance",
            "adminfile",
            "responsefile",
            "configfiles",
            "install_options",
            "uninstall_options",
            "install_only",
            "enable_only",
            "allow_virtual",
            "allowcdrom",
            "flavor",
            "package_settings",
            "mark",
            "reinstall_on_refresh",
            "environment",
            "status",
            "category",
            "platform",
            "root",
            "vendor",
            "description",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "service",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "enable",
            "hasstatus",
            "hasrestart",
            "start",
            "stop",
            "status",
            "restart",
            "pattern",
            "binary",
            "path",
            "control",
            "manifest",
            "flags",
            "timeout",
            "logonaccount",
            "logonpassword",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "user",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "uid",
            "gid",
            "comment",
            "home",
            "shell",
            "groups",
            "password",
            "password_min_age",
            "password_max_age",
            "password_warn_days",
            "expiry",
            "salt",
            "iterations",
            "loginclass",
            "attributes",
            "roles",
            "auths",
            "profiles",
            "keys",
            "project",
            "membership",
            "role_membership",
            "auth_membership",
            "profile_membership",
            "key_membership",
            "attribute_membership",
            "managehome",
            "system",
            "allowdupe",
            "forcelocal",
            "purge_ssh_keys",
            "ia_load_module",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "group",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "gid",
            "members",
            "attributes",
            "auth_membership",
            "attribute_membership",
            "system",
            "allowdupe",
            "forcelocal",
            "ia_load_module",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "notify",
        namevar: "name",
        attributes: &["name", "message", "withpath"],
        isomorphic: true,
    },
    TypeSchema {
        name: "tidy",
        namevar: "path",
        attributes: &[
            "path",
            "recurse",
            "matches",
            "age",
            "size",
            "type",
            "rmdirs",
            "backup",
            "max_files",
        ],
        isomorphic: false,
    },
    TypeSchema {
        name: "resources",
        namevar: "name",
        attributes: &["name", "purge", "unless_system_user", "unless_uid"],
        isomorphic: true,
    },
    TypeSchema {
        name: "schedule",
        namevar: "name",
        attributes: &["name", "period", "periodmatch", "range", "repeat", "weekday"],
        isomorphic: true,
    },
    TypeSchema {
        name: "filebucket",
        namevar: "name",
        attributes: &["name", "server", "port", "path"],
        isomorphic: true,
    },
    TypeSchema { name: "stage", namevar: "name", attributes: &["name"], isomorphic: true },
    TypeSchema { name: "whit", namevar: "name", attributes: &["name"], isomorphic: true },
    TypeSchema {
        name: "cron",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "command",
            "minute",
            "hour",
            "weekday",
            "month",
            "monthday",
            "special",
            "environment",
            "user",
            "target",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "host",
        namevar: "name",
        attributes: &["name", "ensure", "ip", "host_aliases", "comment", "target", "provider"],
        isomorphic: true,
    },
    TypeSchema {
        name: "mount",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "device",
            "fstype",
            "options",
            "pass",
            "dump",
            "atboot",
            "blockdevice",
            "target",
            "remounts",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "mailalias",
        namevar: "name",
        attributes: &["name", "ensure", "recipient", "file", "target", "provider"],
        isomorphic: true,
    },
    TypeSchema {
        name: "ssh_authorized_key",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "key",
            "type",
            "user",
            "target",
            "options",
            "drop_privileges",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "sshkey",
        namevar: "name",
        attributes: &["name", "ensure", "key", "type", "host_aliases", "target", "provider"],
        isomorphic: true,
    },
    TypeSchema {
        name: "augeas",
        namevar: "name",
        attributes: &[
            "name",
            "changes",
            "context",
            "root",
            "lens",
            "incl",
            "onlyif",
            "force",
            "load_path",
            "type_check",
            "show_diff",
            "returns",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "selboolean",
        namevar: "name",
        attributes: &["name", "value", "persistent", "provider"],
        isomorphic: true,
    },
    TypeSchema {
        name: "selmodule",
        namevar: "name",
        attributes: &["name", "ensure", "selmoduledir", "selmodulepath", "syncversion", "provider"],
        isomorphic: true,
    },
    TypeSchema {
        name: "yumrepo",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "target",
            "descr",
            "mirrorlist",
            "baseurl",
            "enabled",
            "gpgcheck",
            "payload_gpgcheck",
            "repo_gpgcheck",
            "gpgkey",
            "include",
            "exclude",
            "gpgcakey",
            "includepkgs",
            "enablegroups",
            "failovermethod",
            "keepalive",
            "retries",
            "http_caching",
            "timeout",
            "metadata_expire",
            "metalink",
            "protect",
            "priority",
            "minrate",
            "throttle",
            "bandwidth",
            "cost",
            "proxy",
            "proxy_username",
            "proxy_password",
            "s3_enabled",
            "sslcacert",
            "sslverify",
            "sslclientcert",
            "sslclientkey",
            "username",
            "password",
            "deltarpm_percentage",
            "deltarpm_metadata_percentage",
            "skip_if_unavailable",
            "mirrorlist_expire",
            "assumeyes",
            "module_hotfixes",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "zfs",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "aclinherit",
            "aclmode",
            "acltype",
            "atime",
            "canmount",
            "checksum",
            "compression",
            "copies",
            "dedup",
            "defaultuserquota",
            "defaultgroupquota",
            "devices",
            "exec",
            "logbias",
            "mountpoint",
            "nbmand",
            "overlay",
            "primarycache",
            "quota",
            "readonly",
            "recordsize",
            "refquota",
            "refreservation",
            "relatime",
            "reservation",
            "secondarycache",
            "setuid",
            "shareiscsi",
            "sharenfs",
            "sharesmb",
            "snapdir",
            "sync",
            "version",
            "volsize",
            "vscan",
            "xattr",
            "zoned",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "zpool",
        namevar: "pool",
        attributes: &[
            "pool",
            "ensure",
            "disk",
            "mirror",
            "raidz",
            "spare",
            "log",
            "cache",
            "ashift",
            "autoexpand",
            "failmode",
            "raid_parity",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "zone",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "id",
            "clone",
            "ip",
            "iptype",
            "autoboot",
            "path",
            "pool",
            "shares",
            "dataset",
            "inherit",
            "sysidcfg",
            "create_args",
            "install_args",
            "realhostname",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "file_line",
        namevar: "name",
        attributes: &[
            "name",
            "ensure",
            "path",
            "line",
            "match",
            "match_for_absence",
            "multiple",
            "after",
            "replace",
            "replace_all_matches_not_matching_line",
            "append_on_no_match",
            "encoding",
            "provider",
        ],
        isomorphic: true,
    },
    TypeSchema { name: "anchor", namevar: "name", attributes: &["name"], isomorphic: true },
    TypeSchema {
        name: "concat_file",
        namevar: "name",
        attributes: &[
            "name",
            "tag",
            "path",
            "ensure",
            "owner",
            "group",
            "mode",
            "order",
            "backup",
            "selrange",
            "selrole",
            "seltype",
            "seluser",
            "selinux_ignore_defaults",
            "replace",
            "validate_cmd",
            "ensure_newline",
            "format",
            "force",
            "show_diff",
            "create_empty_file",
        ],
        isomorphic: true,
    },
    TypeSchema {
        name: "concat_fragment",
        namevar: "name",
        attributes: &["name", "target", "content", "source", "order", "tag"],
        isomorphic: true,
    },
];
