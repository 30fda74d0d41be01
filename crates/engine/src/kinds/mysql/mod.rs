//! The kinds of the module mysql: databases, accounts, privileges, plugins and data directories of a
//! server of MySQL, MariaDB or Percona, through its client program.

mod client;
mod database;
mod datadir;
mod grant;
mod plugin;
mod user;

use std::time::Duration;

use ordain_graph::ResourceRef;

pub use database::MysqlDatabase;
pub use datadir::MysqlDatadir;
pub use grant::MysqlGrant;
pub use plugin::MysqlPlugin;
pub use user::MysqlUser;

/// The interval of checks: each starts a client.
const INTERVAL: Duration = Duration::from_secs(60);

/// The resources that the types of the module require by themselves.
fn required(with_server: bool) -> Vec<ResourceRef> {
    let reference =
        |kind: &str, title: &str| ResourceRef { kind: kind.into(), title: title.into() };
    let mut all = vec![reference("File", client::OPTIONS)];
    if with_server {
        all.push(reference("Class", "Mysql::Server"));
    }
    all
}
