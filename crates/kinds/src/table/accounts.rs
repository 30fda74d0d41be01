//! Users, groups, their keys and passwords.

use crate::form::Form;
use crate::language::{PROVIDER, Width, field, mcl, named, puppet};
use crate::schema::{KindSchema, Unit, any, boolean, choice, integer, list, text};

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] =
    &[&USER, &GROUP, &SSH_AUTHORIZED_KEY, &MGMT_SSH_AUTHORIZED_KEY, &MGMT_PASSWORD];

/// `user`.
pub static USER: KindSchema = KindSchema::new(
    "user",
    "A local account",
    &[
        text("name", "The user name"),
        choice(
            "ensure",
            &["present", "absent", "role"],
            "`present` (default when anything is managed), `absent`",
        ),
        text("uid", "The id; chosen by the system if omitted"),
        text("gid", "The primary group, by name or number"),
        text("comment", "A description, usually the full name"),
        text("home", "The home directory"),
        text("shell", "The login shell; it must exist and be executable"),
        list("groups", "Supplementary groups, by name"),
        choice(
            "membership",
            &["inclusive", "minimum"],
            "`minimum` (default) or `inclusive` for `groups`",
        )
        .default_value("minimum"),
        text("password", "The password's hash as in the shadow file").secret(),
        integer("password_min_age", "Minimum age of the password in days")
            .unit(Unit::Days)
            .form(Form::Integer),
        integer("password_max_age", "Maximum age of the password in days")
            .unit(Unit::Days)
            .form(Form::Integer),
        integer("password_warn_days", "Days of warning before the password expires")
            .unit(Unit::Days)
            .form(Form::Integer),
        text("expiry", "The day it expires, `YYYY-MM-DD`, or `absent`"),
        boolean("managehome", "Create and remove the home directory, too").form(Form::YES_NO),
        boolean("system", "Use an id for system users; default false")
            .default_value("false")
            .form(Form::YES_NO),
        boolean("allowdupe", "Allow an id that is already in use; default false")
            .default_value("false")
            .form(Form::YES_NO),
        boolean("forcelocal", "Use local account files only; default false")
            .default_value("false")
            .form(Form::YES_NO),
        any("purge_ssh_keys", "Remove keys that are not declared; true or paths"),
        any("role_membership", "Solaris only").form(Form::Words(&["inclusive", "minimum"])),
        any("auth_membership", "Solaris only").form(Form::Words(&["inclusive", "minimum"])),
        any("profile_membership", "Solaris only").form(Form::Words(&["inclusive", "minimum"])),
        any("key_membership", "Solaris only").form(Form::Words(&["inclusive", "minimum"])),
        any("attribute_membership", "AIX only").form(Form::Words(&["inclusive", "minimum"])),
        list("roles", "Solaris only"),
        list("auths", "Solaris only"),
        list("profiles", "Solaris only"),
        list("keys", "Solaris only"),
        text("project", "Solaris only"),
        any("attributes", "AIX only"),
        text("ia_load_module", "AIX only"),
        text("loginclass", "BSD only"),
        text("salt", "macOS only").secret(),
        integer("iterations", "macOS only"),
    ],
)
.puppet(puppet("user").core().own(&[PROVIDER]))
.mcl(&[mcl("user").traits(&["edgeable"]).fields(&[
    named("state", "str", "State").words(&["exists", "absent"]).sets("ensure"),
    named("uid", "int", "UID").optional().width(Width::U32).sets("uid"),
    named("gid", "int", "GID").optional().width(Width::U32).sets("gid"),
    named("group", "str", "Group").optional().sets("gid"),
    named("groups", "[]str", "Groups").sets("groups"),
    named("homedir", "str", "HomeDir").optional().sets("home"),
    named("shell", "str", "Shell").optional().sets("shell"),
    named("allowduplicateuid", "bool", "AllowDuplicateUID").sets("allowdupe"),
])])
.comes_after(&["group"])
.in_root("the account files, changed by this machine's tools with another root");

/// `group`.
pub static GROUP: KindSchema = KindSchema::new(
    "group",
    "A local group",
    &[
        text("name", "The name of the group"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("gid", "The id; chosen by the system if omitted").form(Form::Integer),
        list("members", "Users that are members, a list"),
        boolean("auth_membership", "Whether `members` is complete; default false")
            .default_value("false")
            .form(Form::YES_NO),
        boolean("system", "Use an id for system groups; default false")
            .default_value("false")
            .form(Form::YES_NO),
        boolean("allowdupe", "Allow an id that is already in use; default false")
            .default_value("false")
            .form(Form::YES_NO),
        boolean("forcelocal", "Accepted: only local groups are managed").form(Form::YES_NO),
        any("attributes", "AIX only"),
        choice(
            "attribute_membership",
            &["inclusive", "minimum"],
            "AIX only: `minimum` or `inclusive`",
        ),
        any("ia_load_module", "AIX only"),
    ],
)
.puppet(puppet("group").core().own(&[PROVIDER]))
.mcl(&[mcl("group").traits(&["edgeable"]).fields(&[
    named("state", "str", "State").words(&["exists", "absent"]).sets("ensure"),
    named("gid", "int", "GID").optional().width(Width::U32).sets("gid"),
])])
.in_root("the account files, changed by this machine's tools with another root");

/// `ssh_authorized_key`.
pub static SSH_AUTHORIZED_KEY: KindSchema = KindSchema::new(
    "ssh_authorized_key",
    "A key for logging in as a user",
    &[
        text("name", "The comment of the key, its name"),
        boolean("drop_privileges", "Whether the file belongs to the user; default"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("key", "The key").form(Form::Unspaced),
        list("options", "Options of the key, a list; see sshd(8)"),
        text("target", "The file; default `~USER/.ssh/authorized_keys`"),
        text("type", "The type of the key, such as `ssh-ed25519`").form(Form::Words(&[
            "dsa",
            "ecdsa-sha2-nistp256",
            "ecdsa-sha2-nistp256-cert-v01@openssh.com",
            "ecdsa-sha2-nistp384",
            "ecdsa-sha2-nistp384-cert-v01@openssh.com",
            "ecdsa-sha2-nistp521",
            "ecdsa-sha2-nistp521-cert-v01@openssh.com",
            "ecdsa-sk",
            "ed25519",
            "ed25519-sk",
            "rsa",
            "sk-ecdsa-sha2-nistp256@openssh.com",
            "sk-ssh-ed25519@openssh.com",
            "ssh-dss",
            "ssh-dss-cert-v01@openssh.com",
            "ssh-ed25519",
            "ssh-ed25519-cert-v01@openssh.com",
            "ssh-rsa",
            "ssh-rsa-cert-v01@openssh.com",
        ])),
        text("user", "The user who may log in with it"),
    ],
)
.puppet(puppet("ssh_authorized_key").own(&[PROVIDER]))
.comes_after(&["user"])
.in_root("its file below the root");

/// `mgmt::ssh::authorized_key`.
pub static MGMT_SSH_AUTHORIZED_KEY: KindSchema = KindSchema::new(
    "mgmt::ssh::authorized_key",
    "A key for logging in, as a line of a file",
    &[
        text("name", "The line, if neither `content` nor `key` is set"),
        choice("state", &["exists", "absent"], "`exists` or `absent`")
            .mcl(&field("str", "State").words(&["exists", "absent"])),
        text(
            "file",
            "The file; by default `~/.ssh/authorized_keys` of the user; `~` and `~USER` are home directories",
        )
        .mcl(&field("str", "File")),
        text("user", "The user who owns the file, and new files").mcl(&field("str", "User")),
        text("content", "The whole line").mcl(&field("str", "Content")),
        list("options", "Options of the key, a list; see sshd(8)").mcl(&field("[]str", "Options")),
        text("type", "The type of the key, such as `ssh-ed25519`").mcl(&field("str", "Type")),
        text("key", "The key, in base64").mcl(&field("str", "Key")),
        text("comment", "The comment after the key").mcl(&field("str", "Comment")),
        boolean("mkdir", "Whether a missing `.ssh` directory is created: true by default")
            .default_value("true")
            .mcl(&field("bool", "Mkdir").flag(true)),
    ],
)
.mcl(&[mcl("ssh:authorized_key").traits(&["edgeable"])])
.comes_after(&["user", "file"]).in_root("below the root");

/// `mgmt::password`.
pub static MGMT_PASSWORD: KindSchema = KindSchema::new("mgmt::password",
"Generates a password and passes it on",
&[text("name", "A name for it"), integer("length", "The number of letters; 64 by default").default_value("64").mcl(&field("int", "Length").width(Width::U16).number(64)), boolean("saved", "Whether it is saved on this machine, readable by root; false by default, then only the run that generates it passes it on").default_value("false").mcl(&field("bool", "Saved")), boolean("check_recovery", "Whether an invalid saved password is replaced: an error by default").mcl(&field("bool", "CheckRecovery"))]).mcl(&[mcl("password").traits(&["refreshable", "sendable"]).sends(&[("password", "str?")])]).in_root("below the root");
