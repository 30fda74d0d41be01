//! Debian packages, through `apt-get` and `dpkg`.
//!
//! Installed versions come from dpkg's database, and the latest versions from one query of apt for
//! all packages.

mod act;
mod candidate;
mod status;

use std::path::Path;
use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::ResourceRef;

use super::model::{Ensure, check_name};
use super::options;
use super::version::{self, Order, Range};
use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{BatchCommand, Change, Instance, KindError, ParseResult};
use crate::system::host::Host;
use crate::system::watch::Watch;
use candidate::Candidates;
use status::{Entry, State, StatusFile};

/// State that all packages of a machine share.
#[derive(Default)]
pub(super) struct Shared {
    status: StatusFile,
    candidates: Candidates,
}

impl Shared {
    /// The names of all packages of the machine.
    pub(super) fn installed(&self, host: &Host) -> Result<Vec<String>, KindError> {
        Ok(self.status.read(host)?.installed().collect())
    }
}

/// The paths to watch for changes of packages.
pub(super) fn watched() -> Vec<Watch> {
    vec![Watch::Path(status::file())]
}

/// The tool that installs the package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Provider {
    Apt,
    Dpkg,
}

struct PackageInstance {
    shared: Arc<Shared>,
    provider: Provider,
    name: String,
    ensure: Ensure,
    source: Option<String>,
    /// Whether to hold it; `None` leaves the hold unchanged.
    hold: Option<bool>,
    install_options: Vec<String>,
    uninstall_options: Vec<String>,
    replace_config: bool,
    response_file: Option<String>,
    allow_cdrom: bool,
    allow_virtual: bool,
    reinstall: bool,
    environment: Vec<(String, String)>,
    secrets: Vec<String>,
    remarks: Vec<String>,
}

/// Parses the declared package; the other attributes are checked already.
pub(super) fn parse(
    shared: &Arc<Shared>,
    mut p: Params<'_>,
    provider_name: &'static str,
) -> ParseResult {
    let provider = if provider_name == "dpkg" { Provider::Dpkg } else { Provider::Apt };
    let name = p.name();
    check_name(&mut p, &name);
    let (ensure, held) = parse_ensure(&mut p, provider);
    let hold = parse_mark(&mut p, &ensure).or(held);
    let source = parse_source(&mut p, provider, &ensure);
    if provider == Provider::Dpkg {
        let options = ["install_options", "uninstall_options"].map(|name| (name, Some(name)));
        p.leave_out("dpkg", &options);
    }
    let lacking = [("command", Some("targetable")), ("install_only", Some("install_only"))];
    p.leave_out(provider_name, &lacking);
    let package = PackageInstance {
        shared: Arc::clone(shared),
        provider,
        ensure,
        source,
        hold,
        install_options: options::parse(&mut p, "install_options"),
        uninstall_options: options::parse(&mut p, "uninstall_options"),
        replace_config: p.choice("configfiles") == Some("replace"),
        response_file: p.text("responsefile"),
        allow_cdrom: p.choice("allowcdrom") == Some("true"),
        allow_virtual: p.boolean("allow_virtual"),
        reinstall: p.choice("reinstall_on_refresh") == Some("true"),
        environment: options::environment(&mut p),
        secrets: p.secrets(),
        remarks: p.remarks(),
        name,
    };
    if package.ensure == Ensure::Latest && package.provider == Provider::Apt {
        shared.candidates.want(&package.name);
    }
    p.finish(Box::new(package) as Box<dyn Instance>)
}

/// The desired state, and whether `ensure` also asks for a hold.
fn parse_ensure(p: &mut Params<'_>, provider: Provider) -> (Ensure, Option<bool>) {
    let Some(text) = p.text("ensure") else { return (Ensure::Present, None) };
    let ensure = match text.as_str() {
        "present" | "installed" => Ensure::Present,
        "absent" => Ensure::Absent,
        "purged" => Ensure::Purged,
        "latest" => Ensure::Latest,
        "held" => return (Ensure::Present, Some(true)),
        "disabled" => {
            let who = if provider == Provider::Apt { "apt" } else { "dpkg" };
            let feature = "must have features 'disableable' to set 'ensure' to 'disabled'";
            p.error("ensure", format!("Provider {who} {feature}"));
            Ensure::Present
        }
        "" => {
            let words = "present, absent, purged, disabled, latest";
            let message = format!("Invalid value \"\". Valid values are {words}.");
            p.error("ensure", format!("{message} Valid values match /./."));
            Ensure::Present
        }
        version if provider == Provider::Dpkg => {
            let feature = "Provider dpkg must have features 'versionable'";
            p.error("ensure", format!("{feature} to set 'ensure' to '{version}'"));
            Ensure::Present
        }
        version => Ensure::Version(version.to_string()),
    };
    (ensure, None)
}

fn parse_mark(p: &mut Params<'_>, ensure: &Ensure) -> Option<bool> {
    let hold = p.choice("mark")? == "hold";
    if matches!(ensure, Ensure::Absent | Ensure::Purged) {
        let words = r#"["absent", "purged"]"#;
        p.error(
            "mark",
            format!("You cannot use \"mark\" property while \"ensure\" is one of {words}"),
        );
    }
    Some(hold)
}

fn parse_source(p: &mut Params<'_>, provider: Provider, ensure: &Ensure) -> Option<String> {
    let source = p.text("source");
    if source.as_ref().is_some_and(|s| s.is_empty() || s.starts_with('-')) {
        p.error("source", "the source must be the path of a package file");
    }
    if source.is_none() && provider == Provider::Dpkg && *ensure == Ensure::Latest {
        let message = "You cannot install dpkg packages without a source";
        p.error("source", format!("Could not update: {message}"));
    }
    source
}

impl PackageInstance {
    /// The installed package of the declared name or, if allowed, one that provides it.
    fn find(&self, host: &Host) -> Result<(String, State, bool), KindError> {
        let database = self.shared.status.read(host)?;
        let named = database.find(&self.name);
        let gone = named.is_none_or(|e| e.state.is_gone());
        let provider =
            if gone && self.allow_virtual { database.provider_of(&self.name) } else { None };
        let Some(entry) = provider.or(named) else {
            return Ok((self.name.clone(), State::Purged, false));
        };
        check_health(entry)?;
        let name = if provider.is_some() { entry.name.clone() } else { self.name.clone() };
        Ok((name, entry.state.clone(), entry.held))
    }

    /// The latest version there is.
    fn latest(&self, host: &Host) -> Result<String, KindError> {
        let failed = |e: &str| KindError::new(format!("Could not get latest version: {e}"));
        if self.provider == Provider::Dpkg {
            return self.version_of_source(host).map_err(|e| failed(&e.0));
        }
        let database = self.shared.status.read(host)?;
        let found = self.shared.candidates.of(host, &database, &self.name);
        let found = found.map_err(|e| failed(&e.0))?;
        found.ok_or_else(|| failed(&format!("apt has no candidate for {}", self.name)))
    }

    /// The version that replaces the installed one, if they differ.
    fn replacement(&self, host: &Host, now: &str) -> Result<Option<String>, KindError> {
        match &self.ensure {
            Ensure::Latest => Ok(Some(self.latest(host)?).filter(|l| l != now)),
            Ensure::Version(wanted) => {
                let range = Range::parse(wanted, Order::Debian);
                let fits = wanted == now
                    || range.is_some_and(|r| r.contains(now))
                    || version::fits_pattern(wanted, now);
                Ok((!fits).then(|| wanted.clone()))
            }
            _ => Ok(None),
        }
    }

    fn compare_ensure(
        &self,
        host: &Host,
        now: &State,
        to: &mut Differences<'_>,
    ) -> Result<(), KindError> {
        let before = Value::str(now.text());
        match (&self.ensure, now) {
            (Ensure::Absent, State::Installed(_)) => to.remove(before, "absent", "removed"),
            (Ensure::Purged, State::Installed(_) | State::Absent) => {
                to.remove(before, "purged", "purged");
            }
            (Ensure::Absent | Ensure::Purged, _) => {}
            (_, State::Absent | State::Purged) => {
                let after = match &self.ensure {
                    Ensure::Latest => "latest",
                    Ensure::Version(version) => version,
                    _ => "present",
                };
                to.create(now.text(), Value::str(after));
            }
            (_, State::Installed(version)) => {
                if let Some(wanted) = self.replacement(host, version)? {
                    to.property("ensure", before, Value::str(wanted));
                }
            }
        }
        Ok(())
    }
}

fn check_health(entry: &Entry) -> Result<(), KindError> {
    let Some(error) = &entry.error else { return Ok(()) };
    let (name, version) = (&entry.name, entry.state.text());
    Err(KindError::new(format!("Package {name}, version {version} is in error state: {error}")))
}

impl Instance for PackageInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(status::file())]
    }

    fn autorequires(&self) -> Vec<ResourceRef> {
        let source = self.source.as_ref().filter(|s| Path::new(s).is_absolute());
        let files = self.response_file.iter().chain(source);
        files.map(|f| ResourceRef { kind: "File".into(), title: f.as_str().into() }).collect()
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.remarks.clone()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let (_, state, held) = self.find(host)?;
        let mut to = Differences::new(&self.secrets);
        self.compare_ensure(host, &state, &mut to)?;
        if let Some(hold) = self.hold
            && !state.is_gone()
            && hold != held
        {
            let word = |hold| Value::str(if hold { "hold" } else { "none" });
            to.property("mark", word(held), word(hold));
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        let done = self.act(host, changes);
        self.shared.status.forget();
        done
    }

    fn group(&self, _: &Host) -> Option<&'static str> {
        let is_plain = self.provider == Provider::Apt
            && self.source.is_none()
            && self.hold.is_none()
            && self.response_file.is_none()
            && self.secrets.is_empty();
        is_plain.then_some("apt")
    }

    fn batch_command(
        &self,
        host: &Host,
        changes: &[Change],
    ) -> Result<Option<BatchCommand>, KindError> {
        self.share_of(host, changes)
    }

    fn transact(&self, host: &Host, common: &[String], own: &[&str]) -> Result<(), KindError> {
        let argv = common.iter().map(String::as_str).chain(own.iter().copied());
        let done = self.tool(host, argv.map(str::to_string).collect());
        self.shared.status.forget();
        done.map(drop)
    }

    fn refreshable(&self) -> bool {
        self.reinstall && !matches!(self.ensure, Ensure::Absent | Ensure::Purged)
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        let (_, state, _) = self.find(host)?;
        if !self.refreshable() || state.is_gone() {
            return Ok(());
        }
        let done = self.install_again(host);
        self.shared.status.forget();
        done
    }
}
