//! `ordain serve`: a server for Puppet's agents.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Args;
use listenfd::ListenFd;
use ordain_server::{
    Autosign, Config, ExplorerUser, OidcConfig, SYSTEM_AUTHORITIES, Sockets, Summary,
};
use ordain_source::{Diagnostic, budget};
use serde::Deserialize;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::{Strict, TextOrJson};
use crate::panics;
use crate::runs;
use crate::ui::Ui;
use crate::watch::service_manager::ServiceManager;

/// The file with the settings of a project.
const PROJECT: &str = "ordain.toml";
/// The port of Puppet's servers.
const PORT: u16 = 8140;

/// Serve catalogs, files and certificates to Puppet's agents
///
/// Nothing has to be set up: the server makes its certificate authority and its certificate, and
/// prints how to point an agent at it. Edits of code are live at once. SIGHUP reads all files again;
/// SIGTERM ends it when running requests are finished.
#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  ordain serve --code /etc/puppetlabs/code --state-dir state
  ordain serve --config /etc/ordain/server.toml")]
pub(crate) struct ServeArgs {
    /// The directory that has `environments`, or is one control repository
    #[arg(long, value_name = "DIR")]
    pub code: Option<PathBuf>,
    /// The directory of the authority, the server's key, and the data of nodes
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    pub state_dir: Option<PathBuf>,
    /// The URL of a PostgreSQL database for the data of nodes; default: a file in the state directory
    #[arg(long, value_name = "URL", env = "ORDAIN_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
    /// The address for agents [default: 0.0.0.0:8140]
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub listen: Option<SocketAddr>,
    /// The address of /metrics, /healthz and /status, without encryption; default: none
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub metrics: Option<SocketAddr>,
    /// A further address of PuppetDB's API: for queries without encryption on a loopback address,
    /// such as 127.0.0.1:8080, with TLS and client certificates elsewhere; default: none
    #[arg(long, value_name = "ADDR:PORT", value_parser = puppetdb_address)]
    pub puppetdb: Option<SocketAddr>,
    /// The names of certificates that may send queries of PuppetDB's API, such as that of Puppetboard
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub puppetdb_clients: Vec<String>,
    /// The names of certificates that may also send commands about any node, such as those of other
    /// servers
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub puppetdb_senders: Vec<String>,
    /// A user of the web explorer: NAME=ROLE or NAME=ROLE@ENVIRONMENT, with the role `read`,
    /// `plan`, `run`, `sign` or `admin`.
    /// NAME is that of a certificate, or the one that a proxy sends
    #[arg(long, value_name = "USER")]
    pub explorer_users: Vec<ExplorerUser>,
    /// The names of the certificates of reverse proxies whose header X-Forwarded-User counts in the
    /// web explorer
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub explorer_proxies: Vec<String>,
    /// The names by which agents reach the server, its own first; default: this machine's name,
    /// `puppet`, `localhost`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub names: Vec<String>,
    /// The requests for certificates that are signed at once: `off` (default), `all`, or a file of
    /// names and globs, or a program that decides
    #[arg(long, value_name = "off|all|FILE")]
    pub autosign: Option<String>,
    /// Let agents of version 8 and later renew their certificates, for 60 days each
    #[arg(long)]
    pub auto_renewal: bool,
    /// The directory of the certificate authority, such as that of a puppetserver [default: `ca` in
    /// the state directory]
    #[arg(long, value_name = "DIR")]
    pub ca_dir: Option<PathBuf>,
    /// Further mounts, as in Puppet's fileserver.conf
    #[arg(long, value_name = "FILE")]
    pub fileserver_config: Option<PathBuf>,
    /// A program that classifies nodes, as Puppet's external_nodes
    #[arg(long, value_name = "PROGRAM")]
    pub classifier: Option<PathBuf>,
    /// A YAML file of rules that classify nodes, in place of a program
    #[arg(long, value_name = "FILE")]
    pub classification: Option<PathBuf>,
    /// Put the metadata of copied files into catalogs
    #[arg(long)]
    pub static_catalogs: bool,
    /// Whether catalogs whose inputs have not changed are not compiled again [default: true]
    #[arg(long, value_name = "BOOL")]
    pub answers: Option<bool>,
    /// Compile one of so many of these again in the background and compare; 0: none [default: 50]
    #[arg(long, value_name = "NUMBER")]
    pub recompile_share: Option<u64>,
    /// The hiera.yaml of the global layer
    #[arg(long, value_name = "FILE")]
    pub hiera: Option<PathBuf>,
    /// The severity of questionable code [default: error]
    #[arg(long, value_name = "WHAT")]
    pub strict: Option<Strict>,
    /// Whether an unknown variable is an error [default: true]
    #[arg(long, value_name = "BOOL")]
    pub strict_variables: Option<bool>,
    /// The number of compiles at a time; default: one per processor
    #[arg(long, value_name = "NUMBER")]
    pub compilers: Option<usize>,
    /// The URL of an old server of Puppet: it goes on answering all agents, through this server,
    /// which compares the catalogs of both
    #[arg(long, value_name = "URL")]
    pub shadow: Option<String>,
    /// A difference from the old server that does not count, as in `ordain fleet diff --ignore`
    #[arg(long, value_name = "RULE")]
    pub shadow_ignore: Vec<String>,
    /// The form of the log
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub log: TextOrJson,
    /// A TOML file with these settings in the table `server`; arguments win [default: `ordain.toml`
    /// of the current directory, if it has that table]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// The content of a configuration file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    server: Section,
}

/// The part of a project file that is for servers.
#[derive(Deserialize)]
struct Project {
    server: Option<Section>,
}

/// The table `server`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    code: Option<PathBuf>,
    state_dir: Option<PathBuf>,
    database: Option<String>,
    listen: Option<String>,
    metrics: Option<String>,
    puppetdb: Option<String>,
    #[serde(default)]
    puppetdb_clients: Vec<String>,
    #[serde(default)]
    puppetdb_senders: Vec<String>,
    #[serde(default)]
    explorer_users: Vec<String>,
    #[serde(default)]
    explorer_proxies: Vec<String>,
    oidc: Option<OidcSection>,
    #[serde(default)]
    names: Vec<String>,
    autosign: Option<String>,
    auto_renewal: Option<bool>,
    ca_dir: Option<PathBuf>,
    fileserver_config: Option<PathBuf>,
    classifier: Option<PathBuf>,
    classification: Option<PathBuf>,
    static_catalogs: Option<bool>,
    answers: Option<bool>,
    recompile_share: Option<u64>,
    catalog_history: Option<u32>,
    catalog_history_days: Option<u32>,
    hiera: Option<PathBuf>,
    strict: Option<String>,
    strict_variables: Option<bool>,
    compilers: Option<usize>,
    shadow: Option<String>,
    #[serde(default)]
    shadow_ignore: Vec<String>,
    connections: Option<usize>,
    connections_per_address: Option<usize>,
    waiting_compiles: Option<usize>,
}

/// The table `server.oidc`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct OidcSection {
    issuer: String,
    client: String,
    secret_file: Option<PathBuf>,
    address: String,
    #[serde(default = "groups")]
    claim: String,
    roles: Vec<String>,
    #[serde(default = "system_authorities")]
    authorities: PathBuf,
}

/// The claim in which most providers have the groups of a user.
fn groups() -> String {
    "groups".to_string()
}

fn system_authorities() -> PathBuf {
    SYSTEM_AUTHORITIES.into()
}

impl OidcSection {
    fn config(self) -> Result<OidcConfig, String> {
        Ok(OidcConfig {
            issuer: self.issuer,
            client: self.client,
            secret_file: self.secret_file,
            address: self.address,
            claim: self.claim,
            roles: self.roles.iter().map(|text| text.parse()).collect::<Result<_, String>>()?,
            authorities: self.authorities,
        })
    }
}

/// Serves until a signal arrives.
///
/// # Errors
/// When a setting, a directory or an address cannot be used.
pub(crate) fn run(ui: &mut Ui, args: &ServeArgs) -> Result<Exit, Failure> {
    let section = match &args.config {
        Some(path) => read::<File>(path)?.server,
        None => read_project(Path::new(PROJECT))?.unwrap_or_default(),
    };
    let config = config(args, section)?;
    start_log(args.log);
    budget::go_on();
    panics::end_thread_on_panic();
    let failed = |error: ordain_server::ServerError| {
        Failure::Message(Diagnostic::error(codes::SERVER, error.to_string()))
    };
    let sockets = sockets_of_environment().map_err(|error| {
        let text = format!("the sockets of the service manager cannot be used: {error}");
        Failure::Message(Diagnostic::error(codes::SERVER, text))
    })?;
    let (server, summary) = ordain_server::listen_on(config.clone(), sockets).map_err(failed)?;
    print(ui, &config, &summary)?;
    let manager = ServiceManager::of_environment();
    manager.notify("READY=1\n");
    server.run().map_err(failed)?;
    manager.notify("STOPPING=1\n");
    Ok(Exit::Done)
}

/// Prints how to point an agent at the server.
fn print(ui: &mut Ui, config: &Config, summary: &Summary) -> Result<(), Failure> {
    let Summary { address, name, .. } = summary;
    let out = ui.out();
    writeln!(out, "Serving {} on {address}", config.code.display())?;
    writeln!(out, "  environments   {}", summary.environments.join(", "))?;
    let note = if summary.is_new_authority { " (new)" } else { "" };
    writeln!(out, "  authority      {}{note}", config.ca_dir().display())?;
    if let Some(metrics) = summary.metrics {
        writeln!(out, "  metrics        http://{metrics}/metrics")?;
    }
    if let Some(puppetdb) = summary.puppetdb {
        let scheme = if puppetdb.ip().is_loopback() { "http" } else { "https" };
        writeln!(out, "  PuppetDB API   {scheme}://{puppetdb}")?;
    }
    if let Some(old) = &config.shadow {
        writeln!(out, "  old server     {old}")?;
        let page = format!("https://{name}:{}/ordain/v1/shadow/page", address.port());
        writeln!(out, "  differences    {page}")?;
        out.flush()?;
        return Ok(());
    }
    let port = match address.port() {
        PORT => String::new(),
        port => format!(" --serverport {port}"),
    };
    writeln!(out, "An agent runs: puppet agent --test --server {name}{port}")?;
    if config.autosign == Autosign::Off {
        let dir = config.ca_dir();
        let is_default = runs::state_dir(None).is_ok_and(|state| state.join("ca") == dir);
        let place = if is_default { String::new() } else { format!(" --ca-dir {}", dir.display()) };
        writeln!(out, "Then sign it: ordain ca sign CERTNAME{place}")?;
    }
    out.flush()?;
    Ok(())
}

/// Starts the log, on standard error.
pub(super) fn start_log(form: TextOrJson) {
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::INFO)
        .with_target(false);
    // Only a second start in the same process fails.
    let _ = match form {
        TextOrJson::Json => builder.json().flatten_event(true).try_init(),
        TextOrJson::Text => builder.with_ansi(false).try_init(),
    };
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, Diagnostic> {
    let text =
        ordain_source::read_input_text(path).map_err(|error| codes::unreadable(path, &error))?;
    toml::from_str(&text).map_err(|error| codes::document(path, error.to_string().trim_end()))
}

/// The table `server` of a project file, if there are both.
fn read_project(path: &Path) -> Result<Option<Section>, Diagnostic> {
    if !path.is_file() {
        return Ok(None);
    }
    Ok(read::<Project>(path)?.server)
}

/// The sockets that a service manager has opened, by the protocol of `sd_listen_fds(3)`: the first
/// is for agents, the second for metrics.
fn sockets_of_environment() -> std::io::Result<Sockets> {
    let mut all = ListenFd::from_env();
    let agents = all.take_tcp_listener(0)?;
    Ok(Sockets { agents, metrics: all.take_tcp_listener(1)? })
}

/// The settings of the arguments, then of the file, then the defaults.
fn config(args: &ServeArgs, section: Section) -> Result<Config, Failure> {
    let wrong = |text: String| Diagnostic::error(codes::ARGUMENTS, text);
    let code = args.code.clone().or(section.code);
    let code = code.ok_or_else(|| {
        let help = "name the directory that has `environments`, or is one control repository";
        wrong("--code DIR is missing".to_string()).help(help)
    })?;
    let state = args.state_dir.clone().or(section.state_dir);
    let mut config = Config::new(code, runs::state_dir(state.as_deref())?);
    let parse = |text: Option<String>| text.map(|text| address(&text)).transpose();
    config.listen = args.listen.or(parse(section.listen).map_err(wrong)?).unwrap_or(config.listen);
    config.metrics = args.metrics.or(parse(section.metrics).map_err(wrong)?);
    let puppetdb = section.puppetdb.map(|text| puppetdb_address(&text)).transpose();
    config.puppetdb = args.puppetdb.or(puppetdb.map_err(wrong)?);
    let or = |names: &[String], others| if names.is_empty() { others } else { names.to_vec() };
    config.puppetdb_clients = or(&args.puppetdb_clients, section.puppetdb_clients);
    config.puppetdb_senders = or(&args.puppetdb_senders, section.puppetdb_senders);
    let users = section.explorer_users.iter().map(|text| text.parse());
    let users = users.collect::<Result<Vec<ExplorerUser>, String>>().map_err(wrong)?;
    config.explorer_users = match args.explorer_users.is_empty() {
        true => users,
        false => args.explorer_users.clone(),
    };
    config.explorer_proxies = or(&args.explorer_proxies, section.explorer_proxies);
    config.oidc = section.oidc.map(OidcSection::config).transpose().map_err(wrong)?;
    config.names = or(&args.names, section.names);
    config.autosign = match args.autosign.clone().or(section.autosign).as_deref() {
        None | Some("off" | "false") => Autosign::Off,
        Some("all" | "true") => Autosign::All,
        Some(file) => Autosign::File(file.into()),
    };
    config.auto_renewal = args.auto_renewal || section.auto_renewal.unwrap_or(false);
    config.database = args.database.clone().or(section.database);
    config.ca = args.ca_dir.clone().or(section.ca_dir);
    config.fileserver = args.fileserver_config.clone().or(section.fileserver_config);
    config.classifier = args.classifier.clone().or(section.classifier);
    config.classification = args.classification.clone().or(section.classification);
    config.static_catalogs = args.static_catalogs || section.static_catalogs.unwrap_or(false);
    config.answers = args.answers.or(section.answers).unwrap_or(config.answers);
    let share = args.recompile_share.or(section.recompile_share);
    config.recompile_share = share.unwrap_or(config.recompile_share);
    config.catalog_history = section.catalog_history.unwrap_or(config.catalog_history);
    let days = section.catalog_history_days;
    config.catalog_history_days = days.unwrap_or(config.catalog_history_days);
    config.hiera = args.hiera.clone().or(section.hiera);
    config.strict = match (args.strict, section.strict.as_deref()) {
        (Some(strict), _) => strict.into(),
        (None, None | Some("error")) => ordain_server::Strict::Error,
        (None, Some("warning")) => ordain_server::Strict::Warning,
        (None, Some("off")) => ordain_server::Strict::Off,
        (None, Some(other)) => {
            return Err(wrong(format!("`strict` is `{other}`, not off, warning or error")).into());
        }
    };
    config.strict_variables = args.strict_variables.or(section.strict_variables).unwrap_or(true);
    config.compilers = args.compilers.or(section.compilers).unwrap_or(0);
    config.shadow = args.shadow.clone().or(section.shadow);
    config.shadow_ignore = or(&args.shadow_ignore, section.shadow_ignore);
    let limits = &mut config.limits;
    limits.connections = section.connections.unwrap_or(limits.connections);
    limits.connections_per_address =
        section.connections_per_address.unwrap_or(limits.connections_per_address);
    limits.waiting_compiles = section.waiting_compiles.unwrap_or(limits.waiting_compiles);
    Ok(config)
}

/// Parses `ADDR:PORT`, an address, or `:PORT`.
///
/// # Errors
/// The error message.
fn address(text: &str) -> Result<SocketAddr, String> {
    with_port(text, |_| PORT)
}

/// As [`address`], with PuppetDB's ports.
///
/// # Errors
/// The error message.
fn puppetdb_address(text: &str) -> Result<SocketAddr, String> {
    with_port(text, |address| if address.is_loopback() { 8080 } else { 8081 })
}

fn with_port(text: &str, port: impl Fn(IpAddr) -> u16) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(address);
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Ok(SocketAddr::from((address, port(address))));
    }
    let port = text.strip_prefix(':').and_then(|port| port.parse::<u16>().ok());
    let any = |port| SocketAddr::from(([0, 0, 0, 0], port));
    port.map(any).ok_or_else(|| format!("`{text}` is not ADDR:PORT, such as 0.0.0.0:8140"))
}
