//! Kinds of the modules mysql and postgresql of Puppet.

use crate::form::Form;
use crate::language::{PROVIDER, puppet};
use crate::schema::{KindSchema, any, boolean, list, text};
use crate::table::modules::ENSURE;

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] =
    &[&MYSQL_DATABASE, &MYSQL_USER, &MYSQL_GRANT, &MYSQL_PLUGIN, &MYSQL_DATADIR, &POSTGRESQL_PSQL];

/// `mysql_database`.
pub static MYSQL_DATABASE: KindSchema = KindSchema::new(
    "mysql_database",
    "A database of MySQL or MariaDB, of the module mysql",
    &[
        text("name", "The name of the database"),
        ENSURE,
        text("charset", "The character set; `utf8` by default")
            .form(Form::Unspaced)
            .default_value("utf8"),
        text("collate", "The collation; `utf8_general_ci` by default")
            .form(Form::Unspaced)
            .default_value("utf8_general_ci"),
    ],
)
.puppet(puppet("mysql_database").own(&[PROVIDER]))
.comes_after(&["file"])
.in_root("the client runs inside");

/// `mysql_user`.
pub static MYSQL_USER: KindSchema = KindSchema::new(
    "mysql_user",
    "An account of MySQL or MariaDB, of the module mysql",
    &[
        text("name", "The account, `USER@HOST`"),
        ENSURE,
        text("password_hash", "The hash of the password, as the server stores it").secret(),
        text("plugin", "The authentication plugin"),
        text("max_user_connections", "Connections at the same time; 0 is no limit")
            .form(Form::Digits),
        text("max_connections_per_hour", "Connections in an hour; 0 is no limit")
            .form(Form::Digits),
        text("max_queries_per_hour", "Queries in an hour; 0 is no limit").form(Form::Digits),
        text("max_updates_per_hour", "Updates in an hour; 0 is no limit").form(Form::Digits),
        list(
            "tls_options",
            "`NONE`, `SSL`, `X509`, or requirements that begin with `CIPHER`, `ISSUER` or `SUBJECT`",
        ),
    ],
)
.puppet(puppet("mysql_user").own(&[PROVIDER]))
.comes_after(&["file"]).in_root("the client runs inside");

/// `mysql_grant`.
pub static MYSQL_GRANT: KindSchema = KindSchema::new(
    "mysql_grant",
    "The privileges of an account on a table, of the module mysql",
    &[
        text("name", "`USER@HOST/TABLE`"),
        ENSURE,
        list("privileges", "The privileges; `ALL` stands for all, `PROXY` stands alone"),
        text("table", "`DATABASE.TABLE`, `*.*`, or the account of a `PROXY`"),
        text("user", "The account, `USER@HOST`"),
        list("options", "`GRANT` lets the account pass its privileges on; `NONE` does not"),
    ],
)
.puppet(puppet("mysql_grant").own(&[PROVIDER]))
.comes_after(&["file", "mysql_user"])
.in_root("the client runs inside");

/// `mysql_plugin`.
pub static MYSQL_PLUGIN: KindSchema = KindSchema::new(
    "mysql_plugin",
    "A plugin of a server of MySQL or MariaDB, of the module mysql",
    &[
        text("name", "The name of the plugin"),
        ENSURE,
        text("soname", "The file of its library; the name with `.so` by default"),
    ],
)
.puppet(puppet("mysql_plugin").own(&[PROVIDER]))
.comes_after(&["file"])
.in_root("the client runs inside");

/// `mysql_datadir`.
pub static MYSQL_DATADIR: KindSchema = KindSchema::new(
    "mysql_datadir",
    "The data directory of a server of MySQL or MariaDB, of the module mysql",
    &[
        text("datadir", "The directory").form(Form::Path),
        ENSURE,
        text("basedir", "The directory that the server is installed in").form(Form::Path),
        text("user", "The user of the server; `mysql` by default").default_value("mysql"),
        text("defaults_extra_file", "A file with further options of the server").form(Form::Path),
        any("insecure", "Accepted; root gets no password, as with the module"),
        text("log_error", "The file for errors of MySQL's server").form(Form::Path),
    ],
)
.puppet(puppet("mysql_datadir").own(&[PROVIDER]))
.comes_after(&["package"])
.in_root("the server's program runs inside");

/// `postgresql_psql`.
pub static POSTGRESQL_PSQL: KindSchema = KindSchema::new(
    "postgresql_psql",
    "Runs SQL with psql, of the module postgresql",
    &[
        text("name", "A name for it"),
        text("command", "The SQL; the name by default"),
        text("unless", "A query; if it has rows, the SQL does not run"),
        text("onlyif", "A query; only if it has rows, the SQL runs"),
        text("db", "The database"),
        any("port", "The port of the server"),
        any("connect_settings", "A map of environment variables of psql, such as `PGHOST`"),
        list("search_path", "The schemas that names are searched in"),
        text("psql_path", "The program; `psql` by default").default_value("psql"),
        text("psql_user", "The user that runs it; `postgres` by default").default_value("postgres"),
        text("psql_group", "The group that runs it; `postgres` by default")
            .default_value("postgres"),
        text("cwd", "The directory that it runs in; `/tmp` by default")
            .form(Form::Path)
            .default_value("/tmp"),
        list("environment", "Further environment variables, `NAME=VALUE`"),
        boolean("refreshonly", "Run only on a refresh; false by default")
            .form(Form::TRUE_FALSE)
            .default_value("false"),
        text("instance", "The name of the server's instance in the module; `main` by default")
            .default_value("main"),
        boolean("sensitive", "Whether the SQL is a secret; false by default")
            .form(Form::TRUE_FALSE)
            .default_value("false"),
    ],
)
.puppet(puppet("postgresql_psql").own(&[PROVIDER]))
.comes_after(&["anchor"])
.in_root("the client runs inside");
