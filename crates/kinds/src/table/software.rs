//! Packages, services, jobs and commands.

use crate::form::Form;
use crate::language::{PROVIDER, entity, mcl, named, puppet};
use crate::schema::{KindSchema, Unit, any, boolean, choice, integer, list, number, text};

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] = &[&PACKAGE, &YUMREPO, &SERVICE, &CRON, &EXEC];

/// `package`.
pub static PACKAGE: KindSchema = KindSchema::new(
    "package",
    "Software that a package manager installs",
    &[
        text("name", "The name of the package"),
        text(
            "ensure",
            "`present` or `installed` (default), `absent`, `purged`, `latest`, `held`, a version, \
             a range such as `>=1.0 <2.0`",
        )
        .default_value("installed"),
        text("source", "A package file or, for some providers, an address; dpkg needs it"),
        choice("mark", &["hold", "none"], "`hold` keeps the version, `none` does not"),
        any("install_options", "Options of the tool; a map gives `key=value`"),
        any("uninstall_options", "The same for removal"),
        choice(
            "configfiles",
            &["keep", "replace"],
            "Changed configuration files: `keep` (default) or `replace`",
        )
        .default_value("keep"),
        text("responsefile", "Answers for debconf"),
        boolean("allowcdrom", "Install even if a CD is a source of apt").form(Form::TRUE_FALSE),
        boolean("allow_virtual", "Allow names that other packages provide").form(Form::YES_NO),
        boolean("reinstall_on_refresh", "Install again on a refresh").form(Form::TRUE_FALSE),
        list("environment", "Variables for the tools, a list of `NAME=value`"),
        boolean("install_only", "Keep earlier versions; yum and dnf only"),
        any("enable_only", "dnf modules only").form(Form::YES_NO),
        text("flavor", "OpenBSD and dnf modules only"),
        any("package_settings", "FreeBSD only"),
        text("adminfile", "Solaris only"),
        text("command", "The path of the tool; gem and pip only"),
        any("instance", "Read-only"),
        any("status", "Read-only"),
        any("category", "Read-only"),
        any("platform", "Read-only"),
        any("root", "Read-only"),
        any("vendor", "Read-only"),
        any("description", "Read-only"),
    ],
)
.puppet(puppet("package").core().own(&[PROVIDER]))
.mcl(&[mcl("pkg").traits(&["edgeable", "groupable", "compatible"]).fields(&[
    named("state", "str", "State")
        .text("installed")
        .words(&["installed", "uninstalled", "newest"])
        .sets("ensure"),
    named("allowdowngrade", "bool", "AllowDowngrade"),
    named("allowuntrusted", "bool", "AllowUntrusted"),
    named("allownonfree", "bool", "AllowNonFree"),
    named("allowunsupported", "bool", "AllowUnsupported"),
])])
.inmanta(&[
    entity("apt::Package", &[("purged", "ensure"), ("name", "provider")])
        .constants(&[("provider", "apt")]),
    entity("yum::Package", &[("purged", "ensure"), ("name", "provider")])
        .constants(&[("provider", "yum")]),
])
.comes_after(&["file"])
.in_root("the package managers run inside");

/// `yumrepo`.
pub static YUMREPO: KindSchema = KindSchema::new(
    "yumrepo",
    "A package repository of yum and dnf",
    &[
        text("name", "The name of the repository"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("target", "The file for a new repository"),
        text("assumeyes", "A setting of yum.conf(5); `absent` removes it").form(Form::YUM_SWITCH),
        text("bandwidth", "A setting of yum.conf(5); `absent` removes it"),
        text("baseurl", "A setting of yum.conf(5); `absent` removes it"),
        text("cost", "A setting of yum.conf(5); `absent` removes it"),
        text("deltarpm_metadata_percentage", "A setting of yum.conf(5); `absent` removes it"),
        text("deltarpm_percentage", "A setting of yum.conf(5); `absent` removes it"),
        text("descr", "A setting of yum.conf(5); `absent` removes it"),
        text("enabled", "A setting of yum.conf(5); `absent` removes it").form(Form::YUM_SWITCH),
        text("enablegroups", "A setting of yum.conf(5); `absent` removes it")
            .form(Form::YUM_SWITCH),
        text("exclude", "A setting of yum.conf(5); `absent` removes it"),
        text("failovermethod", "A setting of yum.conf(5); `absent` removes it"),
        text("gpgcakey", "A setting of yum.conf(5); `absent` removes it"),
        text("gpgcheck", "A setting of yum.conf(5); `absent` removes it").form(Form::YUM_SWITCH),
        text("gpgkey", "A setting of yum.conf(5); `absent` removes it"),
        text("http_caching", "A setting of yum.conf(5); `absent` removes it"),
        text("include", "A setting of yum.conf(5); `absent` removes it"),
        text("includepkgs", "A setting of yum.conf(5); `absent` removes it"),
        text("keepalive", "A setting of yum.conf(5); `absent` removes it").form(Form::YUM_SWITCH),
        text("metadata_expire", "A setting of yum.conf(5); `absent` removes it"),
        text("metalink", "A setting of yum.conf(5); `absent` removes it"),
        text("minrate", "A setting of yum.conf(5); `absent` removes it"),
        text("mirrorlist", "A setting of yum.conf(5); `absent` removes it"),
        text("mirrorlist_expire", "A setting of yum.conf(5); `absent` removes it"),
        text("module_hotfixes", "A setting of yum.conf(5); `absent` removes it")
            .form(Form::YUM_SWITCH),
        text("password", "A setting of yum.conf(5); `absent` removes it").secret(),
        text("payload_gpgcheck", "A setting of yum.conf(5); `absent` removes it")
            .form(Form::YUM_SWITCH),
        text("priority", "A setting of yum.conf(5); `absent` removes it"),
        text("protect", "A setting of yum.conf(5); `absent` removes it").form(Form::YUM_SWITCH),
        text("proxy", "A setting of yum.conf(5); `absent` removes it"),
        text("proxy_password", "A setting of yum.conf(5); `absent` removes it").secret(),
        text("proxy_username", "A setting of yum.conf(5); `absent` removes it"),
        text("repo_gpgcheck", "A setting of yum.conf(5); `absent` removes it")
            .form(Form::YUM_SWITCH),
        text("retries", "A setting of yum.conf(5); `absent` removes it"),
        text("s3_enabled", "A setting of yum.conf(5); `absent` removes it").form(Form::YUM_SWITCH),
        text("skip_if_unavailable", "A setting of yum.conf(5); `absent` removes it")
            .form(Form::YUM_SWITCH),
        text("sslcacert", "A setting of yum.conf(5); `absent` removes it"),
        text("sslclientcert", "A setting of yum.conf(5); `absent` removes it"),
        text("sslclientkey", "A setting of yum.conf(5); `absent` removes it"),
        text("sslverify", "A setting of yum.conf(5); `absent` removes it").form(Form::YUM_SWITCH),
        text("throttle", "A setting of yum.conf(5); `absent` removes it"),
        text("timeout", "A setting of yum.conf(5); `absent` removes it"),
        text("username", "A setting of yum.conf(5); `absent` removes it"),
    ],
)
.puppet(puppet("yumrepo").own(&[PROVIDER]))
.in_root("its file below the root");

/// `service`.
pub static SERVICE: KindSchema = KindSchema::new(
    "service",
    "A service: running or stopped, started at boot or not",
    &[
        text("name", "The name; a unit of systemd needs no `.service`"),
        any("ensure", "`running` (or true) or `stopped` (or false)")
            .form(Form::Words(&["running", "stopped", "true", "false"])),
        choice(
            "enable",
            &["true", "false", "manual", "mask", "delayed"],
            "Start at boot: true, false, or `mask`",
        ),
        text("restart", "The command for a refresh"),
        text("start", "The command that starts it"),
        text("stop", "A command to stop it"),
        text("status", "A command that ends with 0 if it runs"),
        boolean("hasstatus", "Whether the init script knows `status`; default true")
            .default_value("true")
            .form(Form::TRUE_FALSE),
        boolean("hasrestart", "Whether the init script knows `restart`").form(Form::TRUE_FALSE),
        text("pattern", "A pattern that finds its process if there is no status command"),
        text("binary", "The daemon, for the provider base"),
        list("path", "The directories of init scripts; default `/etc/init.d`")
            .default_value("/etc/init.d"),
        text("timeout", "Windows only"),
        text("control", "HP-UX only"),
        text("manifest", "Solaris only"),
        text("flags", "BSD only"),
        text("logonaccount", "Windows only"),
        text("logonpassword", "Windows only").secret(),
    ],
)
.puppet(puppet("service").core().own(&[PROVIDER]))
.mcl(&[
    mcl("svc").traits(&["edgeable", "groupable", "refreshable"]).fields(&[
        named("state", "str", "State").words(&["running", "stopped"]).sets("ensure"),
        named("startup", "str", "Startup").words(&["enabled", "disabled"]).sets("enable"),
        named("session", "bool", "Session"),
    ]),
    mcl("nspawn")
        .traits(&["refreshable"])
        .fields(&[named("state", "str", "State").text("running").sets("ensure")]),
]).in_root("scripts and commands run inside; `systemctl --root` enables systemd units; only processes inside count");

/// `cron`.
pub static CRON: KindSchema = KindSchema::new(
    "cron",
    "A job in a user's crontab",
    &[
        text("name", "The name of the job, kept in a comment above it"),
        choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
            .default_value("present"),
        text("command", "The command; required for a new job"),
        any("minute", "0 to 59, a list, a range, `*/5`, or `absent` for any").form(Form::Minute),
        any("hour", "0 to 23, as `minute`").form(Form::Hour),
        any("monthday", "1 to 31, as `minute`").form(Form::MonthDay),
        any("month", "1 to 12 or a name, as `minute`").form(Form::Month),
        any("weekday", "0 to 7 or a name, as `minute`; 0 and 7 are Sunday").form(Form::Weekday),
        text("special", "`reboot`, `hourly`, `daily` and so on, or `absent`").form(Form::Words(&[
            "absent", "annually", "daily", "hourly", "midnight", "monthly", "reboot", "weekly",
            "yearly",
        ])),
        any("environment", "Settings `NAME=value`, a list, or `absent`"),
        text("user", "The user with the crontab; by default the one that runs Ordain"),
        text("target", "The same as `user`"),
    ],
)
.puppet(puppet("cron").own(&[PROVIDER]))
.mcl(&[mcl("cron").traits(&["edgeable", "recvable", "refreshable"]).fields(&[
    named("unit", "str", "Unit"),
    named("state", "str", "State").text("exists").words(&["exists", "absent"]),
    named("startup", "str", "Startup").text("enabled").words(&["enabled", "disabled"]),
    named("session", "bool", "Session"),
    named("trigger", "str", "Trigger").words(&[
        "OnCalendar",
        "OnActiveSec",
        "OnBootSec",
        "OnStartupSec",
        "OnUnitActiveSec",
        "OnUnitInactiveSec",
    ]),
    named("time", "str", "Time"),
    named("accuracysec", "str", "AccuracySec"),
    named("randomizeddelaysec", "str", "RandomizedDelaySec"),
    named("persistent", "bool", "Persistent"),
    named("wakesystem", "bool", "WakeSystem"),
    named("remainafterelapse", "bool", "RemainAfterElapse").flag(true),
    named("description", "str", "Description").optional(),
])])
.comes_after(&["user"])
.in_root("the table below the root, without the program `crontab`");

/// `exec`.
pub static EXEC: KindSchema = KindSchema::new(
    "exec",
    "Runs a command",
    &[
        any("command", "The command: text, or a list that no shell touches"),
        boolean(
            "clean_environment",
            "Whether it sees only the variables of `environment`; false by default",
        )
        .default_value("false")
        .not_in_puppet(),
        list("creates", "Paths; if one exists the command does not run").form(Form::Path),
        text("cwd", "The directory in which it runs").form(Form::Path),
        any("done", "A command that is run once the command has succeeded").not_in_puppet(),
        text("done_cwd", "The directory in which done runs; cwd by default").not_in_puppet(),
        list("environment", "`NAME=value` or a list of them"),
        text("group", "The group to run as"),
        boolean(
            "keep_output",
            "Whether its output is saved, for receivers; false by default",
        )
        .default_value("false")
        .not_in_puppet(),
        choice(
            "logoutput",
            &["true", "false", "on_failure"],
            "Whether the log shows the output: true, false or on_failure (default)",
        )
        .default_value("on_failure"),
        any("onlyif", "Commands; all must succeed for the command to run"),
        list("newer", "Files; a change since the last run triggers another run").not_in_puppet(),
        text("onlyif_cwd", "The directory in which onlyif runs; cwd by default").not_in_puppet(),
        text("onlyif_output", "The command does not run if the last onlyif prints exactly this")
            .not_in_puppet(),
        text("onlyif_stdout", "The same for its standard output only").not_in_puppet(),
        list("path", "The search path of commands"),
        choice("provider", &["posix", "shell"], "posix (default), or shell to run it in /bin/sh")
            .default_value("posix"),
        any("refresh", "The command of a refresh, instead of `command`"),
        boolean("refreshonly", "Run only on a refresh: true or false (default)")
            .default_value("false")
            .form(Form::TRUE_FALSE),
        list("returns", "Exit codes that mean success; 0 by default").default_value("0"),
        boolean(
            "skip_on_fail",
            "Whether it is skipped, and not failed, if the command fails; false by default",
        )
        .default_value("false")
        .not_in_puppet(),
        number("timeout", "Timeout in seconds; 300 by default, 0 means none")
            .unit(Unit::Seconds)
            .default_value("300")
            .form(Form::Number),
        integer("tries", "The number of tries; 1 by default")
            .default_value("1")
            .form(Form::Positive),
        number("try_sleep", "Seconds between two tries; 0 by default")
            .unit(Unit::Seconds)
            .default_value("0")
            .form(Form::Number),
        text("umask", "The umask while it runs, octal").form(Form::Umask),
        any("unless", "Commands; if one succeeds the command does not run"),
        text("unless_cwd", "The directory in which unless runs; cwd by default").not_in_puppet(),
        text("user", "The user to run as"),
        any(
            "watch",
            "A command whose output lines trigger a check of the resource, in `watch` only",
        )
        .not_in_puppet(),
        text("watch_cwd", "The directory in which watch runs; cwd by default").not_in_puppet(),
        list(
            "watch_files",
            "Paths whose changes trigger a check of the resource; with a trailing slash everything below",
        )
        .not_in_puppet(),
    ],
)
.puppet(puppet("exec").core().not_isomorphic())
.mcl(&[mcl("exec")
    .traits(&["edgeable", "sendable", "interruptable"])
    .sends(&[("output", "str?"), ("stdout", "str?"), ("stderr", "str?")])
    .fields(&[
        named("cmd", "str", "Cmd").sets("command"),
        named("args", "[]str", "Args"),
        named("cwd", "str", "Cwd").sets("cwd"),
        named("shell", "str", "Shell"),
        named("env", "map{str: str}", "Env").sets("environment"),
        named("sig", "str", "Sig"),
        named("watchcmd", "str", "WatchCmd").sets("watch"),
        named("watchcwd", "str", "WatchCwd").sets("watch_cwd"),
        named("watchshell", "str", "WatchShell"),
        named("watchfiles", "[]str", "WatchFiles").sets("watch_files"),
        named("ifcmd", "str", "IfCmd").sets("onlyif"),
        named("ifcwd", "str", "IfCwd").sets("onlyif_cwd"),
        named("ifshell", "str", "IfShell"),
        named("ifequals", "str", "IfEquals").optional().sets("onlyif_output"),
        named("ifequals_stdout", "str", "IfEqualsStdout").optional().sets("onlyif_stdout"),
        named("nifcmd", "str", "NIfCmd").sets("unless"),
        named("nifcwd", "str", "NIfCwd").sets("unless_cwd"),
        named("nifshell", "str", "NIfShell"),
        named("creates", "str", "Creates").sets("creates"),
        named("mtimes", "[]str", "Mtimes").sets("newer"),
        named("donecmd", "str", "DoneCmd").sets("done"),
        named("donecwd", "str", "DoneCwd").sets("done_cwd"),
        named("doneshell", "str", "DoneShell"),
        named("user", "str", "User").sets("user"),
        named("group", "str", "Group").sets("group"),
        named("send_output", "str", "SendOutput").optional(),
        named("send_stdout", "str", "SendStdout").optional(),
        named("send_stderr", "str", "SendStderr").optional(),
    ])])
.inmanta(&[entity(
    "exec::Run",
    &[
        ("command", "command"),
        ("reload", "refresh"),
        ("unless", "unless"),
        ("onlyif", "onlyif"),
        ("creates", "creates"),
        ("cwd", "cwd"),
        ("path", "path"),
        ("environment", "environment"),
        ("reload_only", "refreshonly"),
        ("returns", "returns"),
        ("timeout", "timeout"),
        ("skip_on_fail", "skip_on_fail"),
    ],
)])
.comes_after(&["file", "user"]).in_root("runs inside the root with its checks, as users of the root; `cwd`, `creates` and `path` are below the root");
