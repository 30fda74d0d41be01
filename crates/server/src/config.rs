//! The settings of a server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ordain_ca::Autosign;
use ordain_explorer::Role;
use ordain_fleet_store::Retention;
use ordain_graph::language::Strict;

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// The directory that has `environments`, or is one control repository.
    pub code: PathBuf,
    /// The directory of the authority, the server's key, and the stored data.
    pub state: PathBuf,
    /// The URL of a PostgreSQL database. Without it, the data of nodes is in a file below `state`.
    pub database: Option<String>,
    /// The directory of the authority, if it is not below `state`.
    pub ca: Option<PathBuf>,
    /// The address of the API for agents.
    pub listen: SocketAddr,
    /// The address of `/metrics`, `/healthz` and `/status`, without encryption. None by default.
    pub metrics: Option<SocketAddr>,
    /// A further address of PuppetDB's API: for queries without encryption on a loopback address,
    /// with TLS and client certificates elsewhere. None by default.
    pub puppetdb: Option<SocketAddr>,
    /// The names of certificates that may send queries of PuppetDB's API.
    pub puppetdb_clients: Vec<String>,
    /// The names of certificates that may send queries and commands about any node: other servers.
    pub puppetdb_senders: Vec<String>,
    /// The users of the web explorer. Administrators may use it anyway.
    pub explorer_users: Vec<ExplorerUser>,
    /// The names of the certificates of reverse proxies, whose header `X-Forwarded-User` names the
    /// user of the web explorer.
    pub explorer_proxies: Vec<String>,
    /// The provider of OpenID Connect through which users sign in to the web explorer.
    pub oidc: Option<OidcConfig>,
    /// The names in the server's certificate, the first is its own.
    pub names: Vec<String>,
    /// The requests for certificates that are signed at once.
    pub autosign: Autosign,
    /// Whether agents may renew their certificates themselves.
    pub auto_renewal: bool,
    /// The `fileserver.conf`.
    pub fileserver: Option<PathBuf>,
    /// The program that classifies nodes: it gets the name as its argument and prints YAML with
    /// `classes`, `parameters` and `environment`.
    pub classifier: Option<PathBuf>,
    /// A YAML file of rules that classify nodes, in place of a program.
    pub classification: Option<PathBuf>,
    /// Whether catalogs have the metadata of the files that their node copies.
    pub static_catalogs: bool,
    /// Whether a request is answered with the stored catalog while no input of its compile has
    /// changed.
    pub answers: bool,
    /// One of so many of these answers is compiled again to compare; 0 for none.
    pub recompile_share: u64,
    /// The maximum number of earlier catalogs of a node that are stored.
    pub catalog_history: u32,
    /// The number of days for which an earlier catalog is stored.
    pub catalog_history_days: u32,
    /// The `hiera.yaml` of the global layer.
    pub hiera: Option<PathBuf>,
    /// The severity of questionable code.
    pub strict: Strict,
    /// Whether an unknown variable is an error.
    pub strict_variables: bool,
    /// The number of compiles at a time; 0 for one per processor.
    pub compilers: usize,
    /// The URL of an old server of Puppet. The requests of agents are passed to it, and its catalogs
    /// are compared with those of this server. None by default.
    pub shadow: Option<String>,
    /// The differences from the old server that do not count, as rules of `ordain fleet diff`.
    pub shadow_ignore: Vec<String>,
    /// The limits on requests and connections.
    pub limits: Limits,
}

/// The certificates of authorities that the system trusts, on Debian and its relatives.
pub const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// A provider of OpenID Connect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OidcConfig {
    /// The name of the issuer, a URL such as `https://id.example.org/realms/ops`.
    pub issuer: String,
    /// The id of this server as a client of the provider.
    pub client: String,
    /// The file with the secret of the client. Public clients have none.
    pub secret_file: Option<PathBuf>,
    /// The address of this server for browsers, such as `https://puppet.example.org:8140`.
    pub address: String,
    /// The claim of ID tokens whose values `roles` names.
    pub claim: String,
    /// The roles of users by values of the claim. A user has those of all values.
    pub roles: Vec<ExplorerUser>,
    /// The certificates of the authorities that the provider's certificate may be of, as PEM.
    pub authorities: PathBuf,
}

/// A user of the web explorer, with a role in one environment or in all. A user may have several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplorerUser {
    /// The name: that of a certificate, or the one that a proxy sends.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The environment; `None` for all.
    pub environment: Option<String>,
}

impl std::str::FromStr for ExplorerUser {
    type Err = String;

    /// Parses `NAME=ROLE` or `NAME=ROLE@ENVIRONMENT`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not NAME=ROLE or NAME=ROLE@ENVIRONMENT");
        let (name, right) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (role, environment) = match right.split_once('@') {
            Some((role, environment)) => (role, Some(environment.to_string())),
            None => (right, None),
        };
        let role: Role = role.parse()?;
        if name.is_empty() || environment.as_deref() == Some("") {
            return Err(wrong());
        }
        if role == Role::Sign && environment.is_some() {
            // The machine itself says in its request which environment it is of.
            return Err(format!(
                "`{text}`: a request for a certificate has no environment, so the role `sign` counts \
                 in all of them; write {name}=sign"
            ));
        }
        Ok(Self { name: name.to_string(), role, environment })
    }
}

/// Microseconds in a day.
const DAY: i64 = 86_400_000_000;

/// The default of [`Config::recompile_share`].
pub const RECOMPILE_SHARE: u64 = 50;
/// The default of [`Config::catalog_history`].
const CATALOG_HISTORY: u32 = 20;
/// The default of [`Config::catalog_history_days`].
const CATALOG_HISTORY_DAYS: u32 = 14;

/// Limits on requests and connections.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum number of open connections.
    pub connections: usize,
    /// The maximum number of open connections of one address.
    pub connections_per_address: usize,
    /// The maximum number of handshakes that are computed at a time.
    pub handshakes: usize,
    /// The time for the handshake of a connection.
    pub handshake: Duration,
    /// The time for the head of a request, and that between two requests.
    pub head: Duration,
    /// The time for the body of a request.
    pub body: Duration,
    /// The time in which some bytes of a reply have to be accepted.
    pub write: Duration,
    /// The time for running requests after a request to end.
    pub drain: Duration,
    /// The maximum length of facts, reports and files for the bucket, in bytes.
    pub body_length: u64,
    /// The maximum length of all bodies that are in memory at a time, in bytes.
    pub all_bodies: u64,
    /// The maximum length of all catalogs and facts that wait to be compared with those of an old
    /// server, in bytes.
    pub comparisons: u64,
    /// The maximum number of compiles that wait.
    pub waiting_compiles: usize,
    /// The longest time that a refused agent is asked to wait.
    pub retry_after: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 20_000,
            connections_per_address: 1_000,
            handshakes: 512,
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(30),
            body: Duration::from_secs(120),
            write: Duration::from_secs(60),
            drain: Duration::from_secs(30),
            body_length: 64 << 20,
            all_bodies: 256 << 20,
            comparisons: 256 << 20,
            waiting_compiles: 1_000,
            retry_after: Duration::from_secs(300),
        }
    }
}

impl Config {
    /// The default settings for a directory of code.
    pub fn new(code: PathBuf, state: PathBuf) -> Self {
        Self {
            code,
            state,
            database: None,
            ca: None,
            listen: SocketAddr::from(([0, 0, 0, 0], 8140)),
            metrics: None,
            puppetdb: None,
            puppetdb_clients: Vec::new(),
            puppetdb_senders: Vec::new(),
            explorer_users: Vec::new(),
            explorer_proxies: Vec::new(),
            oidc: None,
            names: Vec::new(),
            autosign: Autosign::Off,
            auto_renewal: false,
            fileserver: None,
            classifier: None,
            classification: None,
            static_catalogs: false,
            answers: true,
            recompile_share: RECOMPILE_SHARE,
            catalog_history: CATALOG_HISTORY,
            catalog_history_days: CATALOG_HISTORY_DAYS,
            hiera: None,
            strict: Strict::Error,
            strict_variables: true,
            compilers: 0,
            shadow: None,
            shadow_ignore: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// The times for which data about nodes is stored.
    pub(crate) fn retention(&self) -> Retention {
        Retention {
            catalogs: Some(i64::from(self.catalog_history_days) * DAY),
            catalogs_per_node: Some(self.catalog_history),
            ..Retention::default()
        }
    }

    /// The directory of the authority.
    pub fn ca_dir(&self) -> PathBuf {
        self.ca.clone().unwrap_or_else(|| self.state.join("ca"))
    }
}
