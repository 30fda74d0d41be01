//! `mysql_datadir`: the data directory that a server starts with.

use std::path::{Path, PathBuf};

use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, databases};

use super::client::{NEVER, Version};
use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::command::{CommandContext, find_program};
use crate::system::host::Host;
use crate::system::path::{real_path, resolve};
use crate::system::watch::Watch;

/// The programs that make the directory of older servers, and of MariaDB.
const INSTALLERS: [&str; 2] = ["mysql_install_db", "mariadb-install-db"];

/// The programs of the server.
const SERVERS: [&str; 2] = ["mysqld", "mariadbd"];

/// The kind `mysql_datadir`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MysqlDatadir;

impl Kind for MysqlDatadir {
    fn schema(&self) -> &KindSchema {
        &databases::MYSQL_DATADIR
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["mysql"], &[]);
        let title = resource.id.title.to_string();
        let path = p.text("datadir").unwrap_or(title);
        if !path.starts_with('/') {
            p.error("datadir", format!("'{path}' is no absolute path"));
        }
        let present = p.choice("ensure") != Some("absent");
        let mut path_of = |name: &str| {
            let path = p.text(name);
            if path.as_ref().is_some_and(|path| !path.starts_with('/')) {
                p.error(name, format!("{name} must be an absolute path"));
            }
            path
        };
        let (basedir, extra) = (path_of("basedir"), path_of("defaults_extra_file"));
        let log = path_of("log_error").unwrap_or_else(|| "/var/tmp/mysqld_initialize.log".into());
        let user = p.text("user").unwrap_or_else(|| "mysql".to_string());
        let directory = Directory { path: path.into(), present, basedir, extra, log, user };
        p.finish(Box::new(directory) as Box<dyn Instance>)
    }
}

struct Directory {
    path: PathBuf,
    present: bool,
    basedir: Option<String>,
    extra: Option<String>,
    log: String,
    user: String,
}

impl Directory {
    /// Whether the directory has the tables of the server.
    fn exists(&self, host: &Host) -> bool {
        let tables = resolve(host, &self.path.join("mysql"), true);
        let entries = tables.and_then(|place| std::fs::read_dir(real_path(&place)));
        entries.is_ok_and(|mut entries| entries.next().is_some())
    }

    fn initialize(&self, host: &Host) -> Result<(), KindError> {
        let mut options = Vec::new();
        if let Some(extra) = &self.extra {
            if host.stat(Path::new(extra)).is_err() {
                return Err(KindError::new(format!("Defaults-extra-file {extra} is missing.")));
            }
            options.push(format!("--defaults-extra-file={extra}"));
        }
        options.extend(self.basedir.iter().map(|dir| format!("--basedir={dir}")));
        options.push(format!("--datadir={}", self.path.display()));
        options.push(format!("--user={}", self.user));
        let server = SERVERS.iter().find_map(|name| find_program(host, name).ok());
        let server = server.ok_or_else(|| KindError::new("Could not find command 'mysqld'"))?;
        let context = CommandContext::default();
        let about = context.run(host, &[&server, "--no-defaults", "-V"])?.stdout_text();
        let version = about.split_once("Ver ").map_or(about.as_str(), |(_, version)| version);
        let program = if Version::parse(version).is_at_least([5, 7, 6], NEVER) {
            options.push(format!("--log-error={}", self.log));
            options.push("--initialize-insecure".to_string());
            server
        } else {
            let found = INSTALLERS.iter().find_map(|name| find_program(host, name).ok());
            found.ok_or_else(|| KindError::new("Could not find command 'mysql_install_db'"))?
        };
        let words = std::iter::once(program.as_str()).chain(options.iter().map(String::as_str));
        context.run(host, &words.collect::<Vec<_>>()).map(drop)
    }
}

impl Instance for Directory {
    fn autorequires(&self) -> Vec<ResourceRef> {
        vec![ResourceRef { kind: "Package".into(), title: "mysql-server".into() }]
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.path.join("mysql"))]
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut to = Differences::new(&[]);
        to.ensure(self.exists(host).then_some(()), self.present);
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        match (made.is_empty(), self.present) {
            (true, _) => Ok(()),
            (false, true) => self.initialize(host),
            (false, false) => Err(KindError::new("A data directory is not removed")),
        }
    }
}
