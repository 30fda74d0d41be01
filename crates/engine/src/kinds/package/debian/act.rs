//! Installing, upgrading, holding and removing.

use std::path::Path;
use std::time::Duration;

use ordain_functions::version::compare_deb;

use super::super::version::{Order, Range};
use super::status::State;
use super::{Ensure, PackageInstance, Provider};
use crate::kind::differences::changes;
use crate::kind::tools::{inside, run_redacted};
use crate::kind::{Action, BatchCommand, Change, KindError};
use crate::system::file_cache::read_text;
use crate::system::host::Host;
use crate::system::runner::{Invocation, Outcome};

const APT_GET: &str = "/usr/bin/apt-get";
const DPKG: &str = "/usr/bin/dpkg";

/// No tool may ask questions or show news.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("APT_LISTBUGS_FRONTEND", "none"),
    ("APT_LISTCHANGES_FRONTEND", "none"),
];

/// Downloads and maintainer scripts may take long.
const LIMIT: Duration = Duration::from_secs(3600);

impl PackageInstance {
    pub(super) fn act(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let ensure = made.iter().find(|c| c.property == "ensure");
        match ensure.map(|c| c.action) {
            Some(Action::Remove) => return self.remove(host),
            Some(_) => {
                let (_, _, held) = self.find(host)?;
                self.install(host, held).map_err(|e| match self.ensure {
                    Ensure::Present | Ensure::Absent | Ensure::Purged => e,
                    _ => KindError::new(format!("Could not update: {e}")),
                })?;
                self.check_installed(host)?;
            }
            None => {}
        }
        // Otherwise the installation has already set it.
        if ensure.is_none() && changes(made, "mark") {
            self.select(host, self.hold == Some(true))?;
        }
        Ok(())
    }

    /// Installs or upgrades. A hold is lifted meanwhile.
    fn install(&self, host: &Host, held: bool) -> Result<(), KindError> {
        self.preseed(host)?;
        let mut argv = match self.provider {
            Provider::Apt => self.apt_install(host)?,
            Provider::Dpkg => vec![DPKG.to_string(), self.config_option(), "-i".to_string()],
        };
        match (&self.source, self.provider) {
            (Some(source), _) => argv.push(source.clone()),
            (None, Provider::Apt) => argv.push(self.name_with_version(host)?),
            (None, Provider::Dpkg) => {
                let message = "You cannot install dpkg packages without a source";
                return Err(KindError::new(message));
            }
        }
        if held {
            self.select(host, false)?;
        }
        let done = self.tool(host, argv);
        if self.hold.unwrap_or(held) {
            self.select(host, true)?;
        }
        done.map(drop)
    }

    /// The part of this package in one call of apt for several; a package with its own environment
    /// gets its own call.
    pub(super) fn share_of(
        &self,
        host: &Host,
        made: &[Change],
    ) -> Result<Option<BatchCommand>, KindError> {
        let (name, _, held) = self.find(host)?;
        let [Change { property, action, .. }] = made else { return Ok(None) };
        if held || property != "ensure" || !self.environment.is_empty() {
            return Ok(None);
        }
        Ok(Some(match action {
            Action::Remove => BatchCommand { common: self.apt_remove(false), own: name },
            _ => {
                BatchCommand { common: self.apt_install(host)?, own: self.name_with_version(host)? }
            }
        }))
    }

    fn apt_remove(&self, held: bool) -> Vec<String> {
        let mut argv: Vec<String> = [APT_GET, "-y", "-q"].map(str::to_string).to_vec();
        if held {
            argv.push("--allow-change-held-packages".to_string());
        }
        argv.extend(self.uninstall_options.iter().cloned());
        argv.push("remove".to_string());
        if self.ensure == Ensure::Purged {
            argv.push("--purge".to_string());
        }
        argv
    }

    fn apt_install(&self, host: &Host) -> Result<Vec<String>, KindError> {
        self.check_cdrom(host)?;
        let config = format!("DPkg::Options::={}", self.config_option());
        let mut argv: Vec<String> =
            [APT_GET, "-q", "-y", "-o", &config].map(str::to_string).to_vec();
        if matches!(self.ensure, Ensure::Version(_)) {
            argv.push("--allow-downgrades".to_string());
        }
        argv.extend(self.install_options.iter().cloned());
        argv.push("install".to_string());
        Ok(argv)
    }

    fn config_option(&self) -> String {
        if self.replace_config { "--force-confnew" } else { "--force-confold" }.to_string()
    }

    /// `name=version` if a version is desired; of a range, the best version that apt has.
    fn name_with_version(&self, host: &Host) -> Result<String, KindError> {
        let Ensure::Version(wanted) = &self.ensure else { return Ok(self.name.clone()) };
        let range = Range::parse(wanted, Order::Debian).filter(Range::is_open);
        let Some(range) = range else { return Ok(format!("{}={wanted}", self.name)) };
        let argv = ["/usr/bin/apt-cache", "madison", &self.name].map(str::to_string).to_vec();
        let known = self.tool(host, argv)?.stdout_text();
        let versions = known.lines().filter_map(|l| Some(l.split('|').nth(1)?.trim()));
        let best = versions.filter(|v| range.contains(v)).max_by(|a, b| compare_deb(a, b));
        let missing = || KindError::new(format!("apt has no version of {} in {wanted}", self.name));
        Ok(format!("{}={}", self.name, best.ok_or_else(missing)?))
    }

    fn check_cdrom(&self, host: &Host) -> Result<(), KindError> {
        let sources = read_text(&host.path(Path::new("/etc/apt/sources.list")));
        let sources = sources.ok().flatten().unwrap_or_default();
        let has_cdrom =
            sources.lines().any(|l| l.split('#').next().is_some_and(|l| l.contains("cdrom:")));
        if !has_cdrom || self.allow_cdrom {
            return Ok(());
        }
        Err(KindError::new(
            "/etc/apt/sources.list contains a cdrom source; not installing.  \
             Use 'allowcdrom' to override this failure.",
        ))
    }

    /// Answers to the package's configuration questions.
    fn preseed(&self, host: &Host) -> Result<(), KindError> {
        let Some(file) = &self.response_file else { return Ok(()) };
        if self.provider == Provider::Dpkg || !host.path(Path::new(file)).exists() {
            return Ok(());
        }
        let argv = ["/usr/bin/debconf-set-selections", file].map(str::to_string).to_vec();
        self.tool(host, argv).map(drop)
    }

    /// apt may satisfy a name by another package; then every run would install again.
    fn check_installed(&self, host: &Host) -> Result<(), KindError> {
        self.shared.status.forget();
        let (_, state, _) = self.find(host)?;
        if state.is_gone() {
            let name = &self.name;
            let hint = "if other packages provide this name, set allow_virtual => true";
            return Err(KindError::new(format!("{name} is not installed afterwards; {hint}")));
        }
        let (Ensure::Version(wanted), State::Installed(now)) = (&self.ensure, &state) else {
            return Ok(());
        };
        if self.replacement(host, now)?.is_some() {
            let got = format!("got version {now} instead");
            return Err(KindError::new(format!("Failed to update to version {wanted}, {got}")));
        }
        Ok(())
    }

    fn remove(&self, host: &Host) -> Result<(), KindError> {
        let (name, state, held) = self.find(host)?;
        let purge = self.ensure == Ensure::Purged;
        if self.provider == Provider::Dpkg {
            let option = if purge { "--purge" } else { "-r" };
            return self.tool(host, [DPKG, option, &name].map(str::to_string).to_vec()).map(drop);
        }
        self.preseed(host)?;
        if !state.is_gone() {
            let mut argv = self.apt_remove(held);
            argv.push(name.clone());
            self.tool(host, argv)?;
            self.shared.status.forget();
        }
        // apt skips packages that were removed earlier.
        if purge && self.find(host)?.1 != State::Purged {
            self.tool(host, [DPKG, "--purge", &name].map(str::to_string).to_vec())?;
        }
        Ok(())
    }

    /// Sets or lifts the hold.
    fn select(&self, host: &Host, hold: bool) -> Result<(), KindError> {
        let mut command = self.command(host, vec![DPKG.into(), "--set-selections".into()]);
        let word = if hold { "hold" } else { "install" };
        command.stdin = format!("{} {word}\n", self.find(host)?.0).into_bytes();
        run_redacted(host, &command, !self.secrets.is_empty()).map(drop)
    }

    pub(super) fn install_again(&self, host: &Host) -> Result<(), KindError> {
        if self.provider == Provider::Dpkg {
            let (_, _, held) = self.find(host)?;
            return self.install(host, held);
        }
        let mut argv = self.apt_install(host)?;
        argv.insert(argv.len() - 1, "--reinstall".to_string());
        argv.push(self.source.clone().unwrap_or_else(|| self.name.clone()));
        self.tool(host, argv).map(drop)
    }

    pub(super) fn version_of_source(&self, host: &Host) -> Result<String, KindError> {
        let Some(source) = &self.source else {
            return Err(KindError::new("You cannot install dpkg packages without a source"));
        };
        let argv = ["/usr/bin/dpkg-deb", "--show", source].map(str::to_string).to_vec();
        let shown = self.tool(host, argv)?.stdout_text();
        let found = shown.lines().next().and_then(|l| l.split_once('\t'));
        let (name, version) =
            found.ok_or_else(|| KindError::new(format!("{source} does not tell its version")))?;
        if name != self.name {
            let message = format!("{source} contains the package {name}, not {}", self.name);
            return Err(KindError::new(message));
        }
        Ok(version.to_string())
    }

    fn command(&self, host: &Host, argv: Vec<String>) -> Invocation {
        let mut command = inside(host, argv);
        let fixed = ENVIRONMENT.iter().map(|(n, v)| (n.into(), v.into()));
        command.launch.set_env.extend(fixed);
        command.launch.set_env.extend(self.environment.iter().map(|(n, v)| (n.into(), v.into())));
        command.timeout = Some(LIMIT);
        command
    }

    pub(super) fn tool(&self, host: &Host, argv: Vec<String>) -> Result<Outcome, KindError> {
        run_redacted(host, &self.command(host, argv), !self.secrets.is_empty())
    }
}
