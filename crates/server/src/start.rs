//! Starts a server, and runs it until it is asked to end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use ordain_ca::{
    CertificateAuthority, CreateOptions, Existing, GenerateOptions, KeyAlgorithm, Settings,
};
use ordain_driver::Options;
use ordain_driver::inputs::FileStates;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, Semaphore, watch};

use crate::answers::Answers;
use crate::bucket::Bucket;
use crate::client::Listener;
use crate::comparisons::Comparisons;
use crate::compile::{Environments, Pool};
use crate::config::Config;
use crate::connections::Connections;
use crate::error::ServerError;
use crate::files::cache::Listings;
use crate::files::checksum::Checksums;
use crate::files::mounts::OwnMounts;
use crate::fleet_runs::drive_fleet_runs;
use crate::follow::follow;
use crate::handlers;
use crate::listener::{accept_plain, accept_tls};
use crate::metrics::Metrics;
use crate::pins::Pins;
use crate::private::{make_private, write_private};
use crate::queries::Queries;
use crate::routes;
use crate::rules::Rules;
use crate::run_requests::RunRequests;
use crate::runs::Runs;
use crate::server::Server;
use crate::service::Service;
use crate::shadow::{self, Shadow};
use crate::shared_reads::SharedReads;
use crate::sign_in::SignIn;
use crate::storage::Storage;
use crate::tls::{self, ServerKey};

/// The threads for requests.
const THREADS: usize = 4;
/// The threads for blocking work other than compiles.
const BLOCKING_THREADS: usize = 32;
/// The maximum number of requests for certificates that are looked at at a time. A program may
/// decide about each.
const ENROLMENTS: usize = 8;
/// The maximum number of bytes that a node may store in the bucket.
const BUCKET_BYTES: u64 = 1 << 30;
/// The interval of looks at the revocation lists, which other programs may change.
const LIST_INTERVAL: Duration = Duration::from_secs(10);
/// The number of these intervals after which the lists of the old server are fetched: a minute.
const OLD_LISTS_AFTER: u32 = 6;
/// The interval of deletions of old data and of new statistics.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(3600);
/// The number of these intervals after which the lists' validity is looked at: a day.
const REFRESH_AFTER: u32 = 8_640;

/// A server that listens.
pub struct Listening {
    server: Arc<Server>,
    runtime: tokio::runtime::Runtime,
    agents: TcpListener,
    monitoring: Option<TcpListener>,
    puppetdb: Option<TcpListener>,
    stop: Arc<Notify>,
}

/// Ends a server as a signal does.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<Notify>);

impl Stopper {
    /// Asks the server to end.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// The addresses and names of a server that listens.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The address for agents.
    pub address: SocketAddr,
    /// The address of metrics.
    pub metrics: Option<SocketAddr>,
    /// The further address of PuppetDB's API.
    pub puppetdb: Option<SocketAddr>,
    /// The server's own name.
    pub name: String,
    /// Whether the authority is new.
    pub is_new_authority: bool,
    /// The names of environments.
    pub environments: Vec<String>,
}

/// Sockets that another program has opened, such as a service manager.
#[derive(Debug, Default)]
pub struct Sockets {
    /// That for agents, instead of the address of the settings.
    pub agents: Option<std::net::TcpListener>,
    /// That of metrics.
    pub metrics: Option<std::net::TcpListener>,
}

/// Opens the authority and the store, and listens.
///
/// # Errors
/// When a directory, an address or a setting cannot be used.
pub fn listen(config: Config) -> Result<(Listening, Summary), ServerError> {
    listen_on(config, Sockets::default())
}

/// Opens the authority and the store, and listens on sockets that are open already. Connections
/// that arrive before wait in their queues.
///
/// # Errors
/// When a directory, an address, a socket or a setting cannot be used.
pub fn listen_on(config: Config, sockets: Sockets) -> Result<(Listening, Summary), ServerError> {
    if !config.code.is_dir() {
        return Err(ServerError::NoCode(config.code));
    }
    let mut config = config;
    if config.names.is_empty() {
        config.names = machine_names();
    }
    let runtime = runtime()?;
    let agents = match sockets.agents {
        Some(socket) => adopt(&runtime, socket)?,
        None => bind(&runtime, config.listen)?,
    };
    let monitoring = match sockets.metrics {
        Some(socket) => Some(adopt(&runtime, socket)?),
        None => config.metrics.map(|address| bind(&runtime, address)).transpose()?,
    };
    let puppetdb = config.puppetdb.map(|address| bind(&runtime, address)).transpose()?;
    let address = agents.local_addr().unwrap_or(config.listen);
    let of = |listener: &Option<TcpListener>| listener.as_ref().and_then(|l| l.local_addr().ok());
    let (metrics, puppetdb_address) = (of(&monitoring), of(&puppetdb));
    let (server, is_new_authority) = new_server(config)?;
    let summary = Summary {
        address,
        metrics,
        puppetdb: puppetdb_address,
        name: server.name().to_string(),
        is_new_authority,
        environments: server.environments.names(),
    };
    let (server, stop) = (Arc::new(server), Arc::new(Notify::new()));
    Ok((Listening { server, runtime, agents, monitoring, puppetdb, stop }, summary))
}

pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, ServerError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_name("server")
        .enable_all()
        .build()
        .map_err(ServerError::system("threads"))
}

/// Opens all that a server needs. Returns whether its authority is new.
pub(crate) fn new_server(config: Config) -> Result<(Server, bool), ServerError> {
    make_private(&config.state)?;
    let (ca, is_new_authority) = authority(&config)?;
    let own_key = own_key(&config, &ca)?;
    let tls = ArcSwap::from(tls::settings(&ca, &own_key)?);
    let (nodes, bucket) = (config.state.join("nodes"), config.state.join("bucket"));
    make_private(&nodes)?;
    make_private(&bucket)?;
    let name = config.names.first().map_or("puppet", String::as_str);
    let storage = Storage::open(config.database.as_deref(), &nodes, name)?;
    let queries = Queries::open(config.database.as_deref(), &nodes)?;
    let options = Options {
        hiera: config.hiera.clone(),
        strict: config.strict,
        strict_variables: config.strict_variables,
        has_history: false,
        states: config.answers.then(FileStates::default),
        ..Options::default()
    };
    let compilers = match config.compilers {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        number => number,
    };
    // Agents of an old server wait for no compile.
    let pool = Pool::start(compilers, config.limits.waiting_compiles, config.shadow.is_some())
        .map_err(ServerError::system("threads"))?;
    let answers = Answers::of(&config, name).map_err(ServerError::system("threads"))?;
    let shadow = Shadow::of(&config, &ca, &own_key)?;
    let server = Server {
        shadow,
        answers,
        ca: ArcSwap::from_pointee(ca),
        tls,
        own_key,
        environments: Environments::new(config.code.clone(), options),
        runs: Runs::default(),
        pins: Pins::default(),
        run_requests: RunRequests::default(),
        shared_reads: SharedReads::default(),
        pool,
        storage,
        queries,
        sign_in: config.oidc.as_ref().map(SignIn::new).transpose()?,
        comparisons: Comparisons::default(),
        bucket: Bucket::new(bucket, BUCKET_BYTES),
        checksums: Checksums::default(),
        listings: Listings::default(),
        mounts: ArcSwap::from_pointee(read_mounts(&config)?),
        rules: ArcSwap::from_pointee(read_rules(&config)?),
        connections: Arc::new(Connections::default()),
        metrics: Metrics::default(),
        bodies: Semaphore::new(Server::body_units(config.limits.all_bodies)),
        handshakes: Semaphore::new(config.limits.handshakes.max(1)),
        enrolments: Semaphore::new(ENROLMENTS),
        started: Instant::now(),
        ending: watch::Sender::new(false),
        config,
    };
    // The first requests must not see the current code in place of a pinned revision.
    server.refresh_pins().map_err(ServerError::Store)?;
    Ok((server, is_new_authority))
}

impl Listening {
    /// The way for another thread to end the server.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stop))
    }

    /// Serves until SIGTERM or SIGINT, then lets running requests end. SIGHUP reads settings of
    /// files, the authority and all code again.
    ///
    /// # Errors
    /// When the system refuses signals.
    pub fn run(self) -> Result<(), ServerError> {
        let Self { server, runtime, agents, monitoring, puppetdb, stop } = self;
        let listeners = Listeners { agents, monitoring, puppetdb };
        let result = runtime.block_on(serve(Arc::clone(&server), listeners, &stop));
        // A request that has outlived the time for draining must not hold up the end.
        runtime.shutdown_timeout(Duration::from_secs(1));
        result
    }
}

/// The open ports.
struct Listeners {
    agents: TcpListener,
    monitoring: Option<TcpListener>,
    puppetdb: Option<TcpListener>,
}

impl Listeners {
    /// Starts to accept connections, until `end` is true.
    fn accept(self, service: &Arc<Service>, end: &watch::Receiver<bool>) {
        let service = || Arc::clone(service);
        tokio::spawn(accept_tls(service(), self.agents, Listener::Agents, end.clone()));
        if let Some(listener) = self.monitoring {
            tokio::spawn(accept_plain(service(), listener, Listener::Monitoring, end.clone()));
        }
        if let Some(listener) = self.puppetdb {
            let is_local = listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
            match is_local {
                true => tokio::spawn(accept_plain(
                    service(),
                    listener,
                    Listener::LocalPuppetDb,
                    end.clone(),
                )),
                false => {
                    tokio::spawn(accept_tls(service(), listener, Listener::PuppetDb, end.clone()))
                }
            };
        }
    }
}

async fn serve(
    server: Arc<Server>,
    listeners: Listeners,
    stop: &Notify,
) -> Result<(), ServerError> {
    let listen = |kind| signal(kind).map_err(ServerError::system("signals"));
    let (mut terminate, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    let mut hangup = listen(SignalKind::hangup())?;
    let (end, has_ended) = watch::channel(false);
    let service = Arc::new(Service {
        server: Arc::clone(&server),
        agents: routes::table(server.config.limits.body_length),
        monitoring: routes::monitoring(),
        puppetdb: routes::puppetdb(server.config.limits.body_length),
    });
    listeners.accept(&service, &has_ended);
    tokio::spawn(follow_lists(Arc::clone(&server)));
    tokio::spawn(maintain_database(Arc::clone(&server)));
    tokio::spawn(follow_old_server(Arc::clone(&server)));
    tokio::spawn(follow(Arc::clone(&server)));
    tokio::spawn(drive_fleet_runs(Arc::clone(&server)));
    loop {
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            () = stop.notified() => break,
            _ = hangup.recv() => {
                let server = Arc::clone(&server);
                // Reading blocks.
                let _ = tokio::task::spawn_blocking(move || server.reload()).await;
            }
        }
    }
    tracing::info!(connections = server.connections.count(), "the server ends");
    // The accepting tasks may have ended already.
    let _ = end.send(true);
    server.ending.send_replace(true);
    let deadline = Instant::now() + server.config.limits.drain;
    while server.connections.count() > 0 && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    if let Some(shadow) = &server.shadow {
        shadow.results.save();
    }
    Ok(())
}

/// Notices revocation lists that another program has changed, and makes new ones before they
/// expire.
async fn follow_lists(server: Arc<Server>) {
    let mut seen = None;
    for round in 0u32.. {
        let server = Arc::clone(&server);
        let before = seen;
        let look = move || {
            if round % REFRESH_AFTER == 0
                && server.shadow.is_none()
                && let Err(error) = server.ca().refresh_crl()
            {
                tracing::error!(%error, "the revocation lists cannot be made anew");
            }
            let now = server.ca().crl().map(|list| list.modified).ok();
            if before.is_some() && before != Some(now) {
                server.authority_changed();
            }
            now
        };
        if let Ok(now) = tokio::task::spawn_blocking(look).await {
            seen = Some(now);
        }
        tokio::time::sleep(LIST_INTERVAL).await;
    }
}

/// Compares catalogs with those of the old server, stores the results, and takes over its revocation
/// lists.
async fn follow_old_server(server: Arc<Server>) {
    let Some(shadow) = &server.shadow else { return };
    if let Some(mut comparisons) = shadow.take_comparisons() {
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            while let Some(comparison) = comparisons.recv().await {
                tokio::spawn(handlers::shadow::compare(Arc::clone(&server), comparison));
            }
        });
    }
    for round in 0u32.. {
        if round % OLD_LISTS_AFTER == 0 {
            match shadow::revocation_lists(shadow).await {
                Ok(lists) => {
                    let server = Arc::clone(&server);
                    let follow = move || {
                        if let Err(error) = server.ca().follow_crls(&lists) {
                            tracing::error!(%error, "the lists of the old server cannot be used");
                        }
                    };
                    // A failure is logged where it occurs.
                    let _ = tokio::task::spawn_blocking(follow).await;
                }
                Err(error) => {
                    tracing::warn!(error, "the revocation lists of the old server are not known");
                }
            }
        }
        let results = Arc::clone(&shadow.results);
        // A failure is logged where it occurs.
        let _ = tokio::task::spawn_blocking(move || results.save()).await;
        tokio::time::sleep(LIST_INTERVAL).await;
    }
}

/// Updates the statistics of the database now and every hour, and deletes old data every hour.
async fn maintain_database(server: Arc<Server>) {
    for round in 0u64.. {
        let server = Arc::clone(&server);
        let maintain = move || {
            if round > 0 {
                server.storage.collect_garbage(&server.config.retention());
            }
            server.storage.update_statistics();
            server.queries.update_statistics();
        };
        // A failure is logged where it occurs.
        let _ = tokio::task::spawn_blocking(maintain).await;
        tokio::time::sleep(MAINTENANCE_INTERVAL).await;
    }
}

impl Server {
    /// Uses the revocation lists of now for new connections. Requests of open ones are checked by
    /// them anyway.
    pub(crate) fn authority_changed(&self) {
        match tls::settings(&self.ca(), &self.own_key) {
            Ok(settings) => self.tls.store(settings),
            Err(error) => tracing::error!(%error, "the revocation lists cannot be used"),
        }
        if let Some(shadow) = &self.shadow
            && let Err(error) = shadow.upstream.set_ca(&self.ca(), &self.own_key)
        {
            tracing::error!(%error, "the certificates of the old server cannot be checked");
        }
    }

    fn reload(&self) {
        tracing::info!("settings and code are read again");
        match read_mounts(&self.config) {
            Ok(mounts) => self.mounts.store(Arc::new(mounts)),
            Err(error) => tracing::error!(%error, "the old mounts stay"),
        }
        match read_rules(&self.config) {
            Ok(rules) => self.rules.store(Arc::new(rules)),
            Err(error) => tracing::error!(%error, "the old rules stay"),
        }
        let settings = ca_settings(&self.config);
        match CertificateAuthority::open(&self.config.ca_dir(), settings) {
            Ok(ca) => self.set_ca(ca),
            Err(error) => tracing::error!(%error, "the old authority stays"),
        }
        self.authority_changed();
        self.environments.forget(None);
    }
}

pub(crate) fn bind(
    runtime: &tokio::runtime::Runtime,
    address: SocketAddr,
) -> Result<TcpListener, ServerError> {
    let listen = |source| ServerError::Listen { address, source };
    runtime.block_on(TcpListener::bind(address)).map_err(listen)
}

/// Goes on with a socket that is open already.
fn adopt(
    runtime: &tokio::runtime::Runtime,
    socket: std::net::TcpListener,
) -> Result<TcpListener, ServerError> {
    let failed = ServerError::system("the socket of the service manager");
    let _in_runtime = runtime.enter();
    socket.set_nonblocking(true).and_then(|()| TcpListener::from_std(socket)).map_err(failed)
}

fn read_mounts(config: &Config) -> Result<OwnMounts, ServerError> {
    let Some(path) = &config.fileserver else { return Ok(OwnMounts::default()) };
    let text = std::fs::read_to_string(path).map_err(ServerError::file(path))?;
    let wrong = |message| ServerError::Setting(format!("{}: {message}", path.display()));
    OwnMounts::parse(&text).map_err(wrong)
}

fn read_rules(config: &Config) -> Result<Rules, ServerError> {
    let Some(path) = &config.classification else { return Ok(Rules::default()) };
    if config.classifier.is_some() {
        let text = "nodes are classified by a program or by a file of rules, not by both";
        return Err(ServerError::Setting(text.to_string()));
    }
    let text = std::fs::read_to_string(path).map_err(ServerError::file(path))?;
    let wrong = |message| ServerError::Setting(format!("{}: {message}", path.display()));
    Rules::parse(&text).map_err(wrong)
}

fn ca_settings(config: &Config) -> Settings {
    Settings {
        autosign: config.autosign.clone(),
        allow_auto_renewal: config.auto_renewal,
        ..Settings::default()
    }
}

/// Opens the authority, or makes one. Returns whether it is new.
fn authority(config: &Config) -> Result<(CertificateAuthority, bool), ServerError> {
    let dir = config.ca_dir();
    let settings = ca_settings(config);
    if CertificateAuthority::exists(&dir) {
        return Ok((CertificateAuthority::open(&dir, settings)?, false));
    }
    if config.shadow.is_some() {
        return Err(ServerError::Setting(format!(
            "{} has no certificate authority: copy that of the old server to it with `ordain ca \
             import --from DIR`",
            dir.display()
        )));
    }
    let ca = CertificateAuthority::create(&dir, &CreateOptions::default(), settings)?;
    Ok((ca, true))
}

/// The server's key and certificate. They are made if they do not exist, no longer fit the
/// authority, or lack one of the names.
fn own_key(config: &Config, ca: &CertificateAuthority) -> Result<ServerKey, ServerError> {
    let dir = config.state.join("server");
    make_private(&dir)?;
    let (certificate, key) = (dir.join("certificate.pem"), dir.join("key.pem"));
    if let (Ok(certificate), Ok(key)) = (std::fs::read(&certificate), std::fs::read(&key))
        && is_usable(&certificate, config, ca)
    {
        return Ok(ServerKey { certificate, key });
    }
    // A certificate of the name that this server did not make is that of another server, which a site
    // may have to go back to.
    let existing = if certificate.exists() { Existing::Revoke } else { Existing::Keep };
    let options = GenerateOptions {
        key: KeyAlgorithm::default(),
        alt_names: config.names.clone(),
        existing,
        ..GenerateOptions::default()
    };
    let name = config.names.first().map_or("puppet", String::as_str);
    let made = ca.generate(name, &options)?;
    let pem = made.certificate.pem().into_bytes();
    write_private(&dir, &key, made.key_pem.as_bytes())?;
    write_private(&dir, &certificate, &pem)?;
    Ok(ServerKey { certificate: pem, key: made.key_pem.into_bytes() })
}

fn is_usable(pem: &[u8], config: &Config, ca: &CertificateAuthority) -> bool {
    let Ok(certificate) = ordain_ca::Certificate::from_pem(pem) else { return false };
    let names = certificate.alt_names();
    let has = |name: &String| names.contains(&format!("DNS:{name}"));
    ca.identify(certificate.der()).is_ok() && config.names.iter().all(has)
}

/// The names by which agents reach this machine: its own, `puppet`, which agents ask for by
/// default, and `localhost`.
fn machine_names() -> Vec<String> {
    let host = rustix::system::uname().nodename().to_string_lossy().to_lowercase();
    let own = if ordain_ca::Certname::new(&host).is_ok() { host } else { "puppet".to_string() };
    let short = own.split('.').next().unwrap_or_default().to_string();
    let mut names = vec![own.clone()];
    for name in [short, "puppet".to_string(), "localhost".to_string()] {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
