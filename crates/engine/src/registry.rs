//! The kinds by name.

use std::collections::BTreeMap;

use crate::kind::Kind;
use crate::kinds::{
    authorized_key::AuthorizedKey, dhcp, elected::Elected, exit::Exit, http, json_edit::JsonEdit,
    mailalias::Mailalias, net::Net, selinux, serving, zfs,
};
use crate::kinds::{
    cron::Cron, exec::Exec, file::File, group::Group, host::Host, hostname::Hostname, inert,
    line::Line, mount::Mount, notify::Notify, package::Package, purge::Purge, service::Service,
    ssh_authorized_key::SshAuthorizedKey, sshkey::Sshkey, sysctl::Sysctl, tidy::Tidy, user::User,
    yumrepo::Yumrepo,
};
use crate::kinds::{gzip::Gzip, kv::Kv, msg::Msg, password::Password, tar};

/// The kinds that an engine knows.
pub struct Registry {
    kinds: BTreeMap<&'static str, Box<dyn Kind>>,
}

impl Default for Registry {
    fn default() -> Self {
        let mut registry = Self { kinds: BTreeMap::new() };
        registry.add(Box::new(inert::ANCHOR));
        registry.add(Box::new(Cron::default()));
        registry.add(Box::new(Exec));
        registry.add(Box::new(File::default()));
        registry.add(Box::new(inert::FILEBUCKET));
        registry.add(Box::new(Group::default()));
        registry.add(Box::new(Host::default()));
        registry.add(Box::new(Hostname));
        registry.add(Box::new(Line));
        registry.add(Box::new(inert::NOOP));
        registry.add(Box::new(Mount::default()));
        registry.add(Box::new(Notify));
        registry.add(Box::new(inert::NULL_RESOURCE));
        registry.add(Box::new(Package::default()));
        registry.add(Box::new(inert::SCHEDULE));
        registry.add(Box::new(Purge));
        registry.add(Box::new(Service::default()));
        registry.add(Box::new(SshAuthorizedKey::default()));
        registry.add(Box::new(Sshkey::default()));
        registry.add(Box::new(Sysctl));
        registry.add(Box::new(inert::TEST));
        registry.add(Box::new(Tidy));
        registry.add(Box::new(inert::TIMER));
        registry.add(Box::new(User::default()));
        registry.add(Box::new(inert::VALUE));
        registry.add(Box::new(inert::WHIT));
        registry.add(Box::new(Yumrepo));
        registry.add(Box::new(Gzip));
        registry.add(Box::new(Kv));
        registry.add(Box::new(Msg));
        registry.add(Box::new(Password));
        registry.add(Box::new(tar::Tar));
        registry.add(Box::new(tar::DeployTar));
        registry.add(Box::new(AuthorizedKey::default()));
        registry.add(Box::new(Elected));
        registry.add(Box::new(Exit));
        registry.add(Box::new(JsonEdit));
        registry.add(Box::new(Net));
        registry.add(Box::new(http::Client));
        serving::register(&mut registry);
        dhcp::register(&mut registry);
        registry.add(Box::new(Mailalias::default()));
        registry.add(Box::new(selinux::Selboolean));
        registry.add(Box::new(selinux::Selmodule));
        registry.add(Box::new(zfs::Zfs));
        registry.add(Box::new(zfs::Zpool));
        registry
    }
}

impl Registry {
    /// Adds a kind, in place of one of the same name.
    pub fn add(&mut self, kind: Box<dyn Kind>) {
        self.kinds.insert(kind.name(), kind);
    }

    /// The kind of a name as a graph (`File`) or a declaration (`file`) has it.
    pub fn get(&self, name: &str) -> Option<&dyn Kind> {
        self.kinds.get(name.to_ascii_lowercase().as_str()).map(|k| &**k)
    }

    /// All kinds in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Kind> {
        self.kinds.values().map(|k| &**k)
    }
}
