//! The arguments of `ordain agent`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ordain_agent::Trust;
use ordain_agent::schedule::Windows;
use ordain_source::Diagnostic;
use serde::Deserialize;

use crate::codes;
use crate::commands::plan::SelectionArgs;
use crate::exit::AGENT_HELP;

/// The port of servers.
const PORT: &str = "8140";
/// The place of the key that seals the graph, for root.
const KEY_FILE: &str = "/etc/ordain/agent.key";

/// Apply the graph that a server compiles for this machine, and keep it true
///
/// The server compiles it from Puppet, Inmanta, mcl or YAML. The agent verifies its signature, keeps it
/// true, gets a new one when the code changes, and reports. Without the server it goes on with the last
/// graph. SIGTERM stops it when running work is finished; SIGHUP asks for the graph again.
#[derive(Args, Clone)]
#[command(after_help = AGENT_HELP)]
pub(crate) struct AgentArgs {
    /// The server; port 8140 by default
    #[arg(long, value_name = "HOST[:PORT]")]
    pub server: Option<String>,
    /// The name of this node [default: its full name]
    #[arg(long, value_name = "NAME")]
    pub certname: Option<String>,
    /// The environment, unless the server assigns one [default: production]
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// The SHA-256 fingerprint of the server's authority, as `ordain ca show` prints it
    #[arg(long, value_name = "SHA256")]
    pub ca_fingerprint: Option<String>,
    /// Trust the authority of the server that answers first
    #[arg(long, conflicts_with = "ca_fingerprint")]
    pub trust_on_first_use: bool,
    /// Interval at which a missing certificate is looked for; 0: do not wait [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub wait_for_cert: Option<u64>,
    /// Apply the graph once, report, and exit
    #[arg(long)]
    pub once: bool,
    /// Change nothing, only report the changes
    #[arg(long)]
    pub noop: bool,
    /// Apply a graph even if some of its resources cannot be applied
    #[arg(long)]
    pub keep_going: bool,
    /// Interval of requests and complete checks besides events [default: 1800]
    #[arg(long, value_name = "SECONDS")]
    pub interval: Option<u64>,
    /// Wait a random time below this before the first request [default: 0]
    #[arg(long, value_name = "SECONDS")]
    pub splay: Option<u64>,
    /// After an outage, come back at a random time below this [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub reconnect: Option<u64>,
    /// Only observe in this window of local time, such as 'mon-fri 08:00-18:00'; may be repeated
    #[arg(long, value_name = "WINDOW")]
    pub maintenance: Vec<String>,
    /// Apply only graphs of this revision of the code
    #[arg(long, value_name = "ID")]
    pub revision: Option<String>,
    /// The file of the key that seals the graph on disk; a missing one is made [default:
    /// /etc/ordain/agent.key]
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// The directory of the lock and the journal of runs; its directory `agent` has the certificate, the
    /// graph and the reports
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    pub state_dir: Option<PathBuf>,
    /// A TOML file with these settings in the table `agent`; arguments win
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub selection: SelectionArgs,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    agent: Section,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    server: Option<String>,
    certname: Option<String>,
    environment: Option<String>,
    ca_fingerprint: Option<String>,
    trust_on_first_use: Option<bool>,
    wait_for_cert: Option<u64>,
    noop: Option<bool>,
    keep_going: Option<bool>,
    interval: Option<u64>,
    splay: Option<u64>,
    reconnect: Option<u64>,
    #[serde(default)]
    maintenance: Vec<String>,
    revision: Option<String>,
    key_file: Option<PathBuf>,
    state_dir: Option<PathBuf>,
}

/// The settings of an agent.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) server: String,
    pub(super) certname: String,
    pub(super) environment: String,
    pub(super) trust: Trust,
    /// `None`: do not wait.
    pub(super) wait_for_cert: Option<Duration>,
    pub(super) noop: bool,
    pub(super) keep_going: bool,
    pub(super) interval: Duration,
    pub(super) splay: Duration,
    pub(super) reconnect: Duration,
    pub(super) windows: Windows,
    pub(super) revision: Option<String>,
    pub(super) key_file: PathBuf,
    pub(super) state_dir: Option<PathBuf>,
}

impl AgentArgs {
    /// The settings of arguments and file.
    ///
    /// # Errors
    /// When the file cannot be read, or a setting is missing or wrong.
    pub(super) fn settings(&self) -> Result<Settings, Diagnostic> {
        let section = self.config.as_deref().map(read).transpose()?.unwrap_or_default();
        let wrong = |text: String| Diagnostic::error(codes::ARGUMENTS, text);
        let server = self.server.clone().or(section.server).ok_or_else(|| {
            wrong("the server is not named".to_string())
                .help("name it with `--server`, or as `server` in the file of `--config`")
        })?;
        let name = self.certname.clone().or(section.certname);
        let name = name.or_else(ordain_driver::puppet::node::machine_name).ok_or_else(|| {
            wrong("this machine has no name".to_string()).help("name it with `--certname`")
        })?;
        let fingerprint = self.ca_fingerprint.clone().or(section.ca_fingerprint);
        let first_use = self.trust_on_first_use || section.trust_on_first_use.unwrap_or(false);
        let maintenance = match self.maintenance.is_empty() {
            true => section.maintenance,
            false => self.maintenance.clone(),
        };
        let seconds = |given: Option<u64>, file: Option<u64>, usual: u64| {
            // A year is as good as never.
            Duration::from_secs(given.or(file).unwrap_or(usual).min(366 * 86_400))
        };
        let wait = seconds(self.wait_for_cert, section.wait_for_cert, 120);
        Ok(Settings {
            server: with_port(&server),
            certname: name.to_lowercase(),
            environment: self
                .environment
                .clone()
                .or(section.environment)
                .unwrap_or_else(|| "production".to_string()),
            trust: match (fingerprint, first_use) {
                (Some(fingerprint), _) => Trust::Fingerprint(fingerprint),
                (None, true) => Trust::FirstUse,
                (None, false) => Trust::Never,
            },
            wait_for_cert: Some(wait).filter(|wait| !wait.is_zero()),
            noop: self.noop || section.noop.unwrap_or(false),
            keep_going: self.keep_going || section.keep_going.unwrap_or(false),
            interval: seconds(self.interval, section.interval, 1800).max(Duration::from_secs(1)),
            splay: seconds(self.splay, section.splay, 0),
            reconnect: seconds(self.reconnect, section.reconnect, 60),
            windows: Windows::parse(&maintenance).map_err(|e| wrong(e.to_string()))?,
            revision: self.revision.clone().or(section.revision),
            key_file: self.key_file.clone().or(section.key_file).unwrap_or_else(key_file),
            state_dir: self.state_dir.clone().or(section.state_dir),
        })
    }
}

fn read(path: &Path) -> Result<Section, Diagnostic> {
    let text = ordain_source::read_input_text(path)
        .map_err(|error| codes::io(&format!("cannot read {}", path.display()), &error))?;
    let file: File = toml::from_str(&text).map_err(|error| {
        Diagnostic::error(codes::ARGUMENTS, format!("{}: {error}", path.display()))
    })?;
    Ok(file.agent)
}

/// The default file of the key: below `/etc` for root, else below the home directory.
fn key_file() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match home.filter(|_| !rustix::process::geteuid().is_root()) {
        Some(home) => home.join(".config/ordain/agent.key"),
        None => KEY_FILE.into(),
    }
}

/// Adds the port if there is none.
fn with_port(server: &str) -> String {
    let has_port = match server.rsplit_once(':') {
        // An IPv6 address has its port behind the bracket.
        Some((host, port)) => {
            (!host.contains(':') || host.ends_with(']')) && port.parse::<u16>().is_ok()
        }
        None => false,
    };
    match has_port {
        true => server.to_string(),
        false if server.contains(':') && !server.starts_with('[') => format!("[{server}]:{PORT}"),
        false => format!("{server}:{PORT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::with_port;

    #[test]
    fn servers_have_a_port() {
        for (server, expected) in [
            ("a.example.org", "a.example.org:8140"),
            ("a.example.org:1", "a.example.org:1"),
            ("127.0.0.1", "127.0.0.1:8140"),
            ("::1", "[::1]:8140"),
            ("[::1]:1", "[::1]:1"),
            ("[::1]", "[::1]:8140"),
        ] {
            assert_eq!(with_port(server), expected);
        }
    }
}
