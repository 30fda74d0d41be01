//! The third floor: the kinds of resources, one file or directory each.
//!
//! `shared` has helpers for several kinds. Kinds depend only on the floors below, not on the run.

pub mod alternatives;
pub mod apt_key;
pub mod archive;
pub mod augeas;
pub mod authorized_key;
pub mod concat;
pub mod cron;
pub mod dhcp;
pub mod election;
pub mod exec;
pub mod exit;
pub mod external;
pub mod file;
pub mod file_line;
pub mod firewall;
pub mod group;
pub mod gzip;
pub mod host;
pub mod hostname;
pub mod http;
pub mod inert;
pub mod ini;
pub mod json_edit;
pub mod kv;
pub mod line;
pub mod mailalias;
pub mod mount;
pub mod msg;
pub mod mysql;
pub mod net;
pub mod notify;
pub mod package;
pub mod password;
pub mod postgresql;
pub mod purge;
pub mod selinux;
pub mod service;
pub mod serving;
pub mod shared;
pub mod ssh_authorized_key;
pub mod sshkey;
pub mod sysctl;
pub mod sysctl_conf;
pub mod tar;
pub mod tftp;
pub mod tidy;
pub mod user;
pub mod vcsrepo;
pub mod yumrepo;
pub mod zfs;

use std::sync::Arc;

use crate::kind::Registry;
use crate::kinds::{
    authorized_key::AuthorizedKey, cron::Cron, election::Election, exec::Exec, exit::Exit,
    file::File, group::Group, gzip::Gzip, host::Host, hostname::Hostname, json_edit::JsonEdit,
    kv::Kv, line::Line, mailalias::Mailalias, mount::Mount, msg::Msg, net::Net, notify::Notify,
    package::Package, password::Password, purge::Purge, service::Service,
    ssh_authorized_key::SshAuthorizedKey, sshkey::Sshkey, sysctl::Sysctl, tidy::Tidy, user::User,
    yumrepo::Yumrepo,
};

impl Default for Registry {
    fn default() -> Self {
        let mut registry = Self::empty();
        register_files(&mut registry);
        register_software(&mut registry);
        register_accounts(&mut registry);
        register_machine(&mut registry);
        register_databases(&mut registry);
        register_run(&mut registry);
        register_servers(&mut registry);
        dhcp::register(&mut registry);
        registry
    }
}

/// Adds the kinds of files and their contents.
fn register_files(registry: &mut Registry) {
    registry.add(Box::new(archive::Archive));
    registry.add(Box::new(augeas::Augeas::default()));
    registry.add(Box::new(concat::ConcatFile));
    registry.add(Box::new(concat::ConcatFragment));
    registry.add(Box::new(File::default()));
    registry.add(Box::new(file_line::FileLine::default()));
    registry.add(Box::new(Gzip));
    registry.add(Box::new(ini::IniSetting));
    registry.add(Box::new(ini::IniSubsetting));
    registry.add(Box::new(JsonEdit));
    registry.add(Box::new(Line));
    registry.add(Box::new(tar::DeployTar));
    registry.add(Box::new(tar::Tar));
    registry.add(Box::new(Tidy));
    registry.add(Box::new(vcsrepo::Vcsrepo));
}

/// Adds the kinds of software, services and commands.
fn register_software(registry: &mut Registry) {
    registry.add(Box::new(alternatives::AlternativeEntry));
    registry.add(Box::new(alternatives::Alternatives));
    registry.add(Box::new(apt_key::AptKey::default()));
    registry.add(Box::new(Cron::default()));
    registry.add(Box::new(Exec));
    registry.add(Box::new(Package::default()));
    registry.add(Box::new(Service::default()));
    registry.add(Box::new(Yumrepo));
}

/// Adds the kinds of accounts and their keys.
fn register_accounts(registry: &mut Registry) {
    registry.add(Box::new(AuthorizedKey::default()));
    registry.add(Box::new(Group::default()));
    registry.add(Box::new(Password));
    registry.add(Box::new(SshAuthorizedKey::default()));
    registry.add(Box::new(Sshkey::default()));
    registry.add(Box::new(User::default()));
}

/// Adds the kinds of settings of the machine.
fn register_machine(registry: &mut Registry) {
    registry.add(Box::new(firewall::Firewall::default()));
    registry.add(Box::new(firewall::Firewallchain::default()));
    registry.add(Box::new(Host::default()));
    registry.add(Box::new(Hostname));
    registry.add(Box::new(Mailalias::default()));
    registry.add(Box::new(Mount::default()));
    registry.add(Box::new(Net));
    registry.add(Box::new(selinux::Selboolean));
    registry.add(Box::new(selinux::Selmodule));
    registry.add(Box::new(Sysctl));
    registry.add(Box::new(sysctl_conf::SysctlConf::default()));
    registry.add(Box::new(sysctl_conf::SysctlRuntime));
    registry.add(Box::new(zfs::Zfs));
    registry.add(Box::new(zfs::Zpool));
}

/// Adds the kinds of databases.
fn register_databases(registry: &mut Registry) {
    registry.add(Box::new(mysql::MysqlDatabase));
    registry.add(Box::new(mysql::MysqlUser));
    registry.add(Box::new(mysql::MysqlGrant));
    registry.add(Box::new(mysql::MysqlPlugin));
    registry.add(Box::new(mysql::MysqlDatadir));
    registry.add(Box::new(postgresql::PostgresqlPsql));
}

/// Adds the kinds that act on the run or on other resources.
fn register_run(registry: &mut Registry) {
    registry.add(Box::new(Election));
    registry.add(Box::new(Exit));
    registry.add(Box::new(http::Client));
    registry.add(Box::new(inert::ANCHOR));
    registry.add(Box::new(inert::FILEBUCKET));
    registry.add(Box::new(inert::NOOP));
    registry.add(Box::new(inert::NULL_RESOURCE));
    registry.add(Box::new(inert::SCHEDULE));
    registry.add(Box::new(inert::TEST));
    registry.add(Box::new(inert::TIMER));
    registry.add(Box::new(inert::VALUE));
    registry.add(Box::new(inert::WHIT));
    registry.add(Box::new(Kv));
    registry.add(Box::new(Msg));
    registry.add(Box::new(Notify));
    registry.add(Box::new(Purge));
}

/// Adds the kinds of the file-serving protocols.
fn register_servers(registry: &mut Registry) {
    for protocol in [&http::HTTP, &tftp::TFTP] {
        let hub = Arc::default();
        registry.add(Box::new(serving::Server::new(protocol, &hub)));
        registry.add(Box::new(serving::ServedFile::new(protocol, &hub)));
        if protocol.server.name == http::HTTP.server.name {
            registry.add(Box::new(http::Flag::new(&hub)));
            registry.add(Box::new(http::Proxy::new(&hub)));
            registry.add(Box::new(http::Ui::new(&hub)));
            registry.add(Box::new(http::Input::new(&hub)));
        }
    }
}
