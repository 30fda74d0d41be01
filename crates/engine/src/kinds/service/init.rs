//! Services by init scripts, by declared commands, or by a plain binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::model::{Enable, Manager, ServiceInstance, enabled_by_state};
use super::processes;
use crate::kind::KindError;
use crate::kind::tools::{ask, inside, is_live, path_of, run, run_redacted};
use crate::system::host::Host;
use crate::system::runner::Invocation;

/// Runlevels in which a service runs.
const RUNLEVELS: &[char] = &['S', '2', '3', '4', '5'];

/// The directories of unit files.
const UNITS: &[&str] = &["/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system"];

pub(super) struct Init<'a> {
    service: &'a ServiceInstance,
    host: &'a Host,
}

impl<'a> Init<'a> {
    pub(super) fn new(service: &'a ServiceInstance, host: &'a Host) -> Self {
        Self { service, host }
    }

    /// Whether the provider has no init scripts.
    fn is_base(&self) -> bool {
        matches!(self.service.provider, Some("base" | "service"))
    }

    /// The init script, as the machine sees its path.
    fn script(&self) -> Option<PathBuf> {
        if self.is_base() {
            return None;
        }
        let name = &self.service.name;
        let names = [name.clone(), format!("{name}.sh")];
        let mut paths = names.iter().flat_map(|n| self.service.path.iter().map(move |p| p.join(n)));
        paths.find(|p| self.host.path(p).is_file())
    }

    fn need_script(&self) -> Result<PathBuf, KindError> {
        let missing = || format!("Could not find init script for '{}'", self.service.name);
        self.script().ok_or_else(|| KindError::new(missing()))
    }

    fn script_command(&self, argument: &str) -> Result<Vec<String>, KindError> {
        let script = self.need_script()?.to_string_lossy().into_owned();
        Ok(vec![script, argument.to_string()])
    }

    /// Runs a command that may start a daemon.
    fn run_detached(&self, argv: Vec<String>, secret: bool) -> Result<(), KindError> {
        let command = clean(inside(self.host, argv));
        // A daemon that keeps its standard output open would keep a pipe open forever.
        let output = Output::create()?;
        let redirect = r#"out=$0; exec "$@" </dev/null >"$out" 2>&1"#;
        let mut wrapped = command.clone();
        wrapped.launch.argv =
            vec!["/bin/sh".into(), "-c".into(), redirect.into(), output.path.clone().into()];
        wrapped.launch.argv.extend(command.launch.argv.iter().cloned());
        let mut outcome = ask(self.host, &wrapped)?;
        if outcome.success() {
            return Ok(());
        }
        outcome.stdout = fs::read(&output.path).unwrap_or_default();
        crate::kind::tools::check(&command, outcome, secret).map(drop)
    }

    /// Runs a command that was declared.
    fn run_declared(&self, attribute: &str, command: &str) -> Result<(), KindError> {
        let secret = self.service.secrets.iter().any(|s| s == attribute);
        self.run_detached(shell(command), secret)
    }

    fn stop_process(&self) -> Result<(), KindError> {
        let Some(id) = self.process() else { return Ok(()) };
        run(self.host, &inside(self.host, [path_of("kill"), id.to_string()])).map(drop)
    }

    fn process(&self) -> Option<i32> {
        self.service.pattern.as_ref().and_then(|p| processes::find(self.host, p))
    }

    /// The unit file, for machines with systemd that is not running.
    fn has_unit(&self) -> bool {
        let file = format!("{}.service", self.service.name);
        UNITS.iter().any(|d| self.host.path(&Path::new(d).join(&file)).exists())
    }

    /// `systemctl` on the files of the machine.
    fn systemctl(&self, action: &str) -> Invocation {
        let mut argv = vec![path_of("systemctl").into()];
        if !is_live(self.host) {
            argv.push("--root".into());
            argv.push(self.host.root.clone().into_os_string());
        }
        argv.extend([action.into(), "--".into(), format!("{}.service", self.service.name).into()]);
        crate::kind::tools::command::<std::ffi::OsString>(argv)
    }

    /// Whether there is a start link in a runlevel.
    fn has_start_link(&self, script: &Path) -> bool {
        let name = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
        RUNLEVELS.iter().any(|level| {
            let directory = self.host.path(Path::new(&format!("/etc/rc{level}.d")));
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            let names = entries.map(|e| e.file_name().to_string_lossy().into_owned());
            names.into_iter().any(|link| {
                let rest = link.strip_prefix('S').unwrap_or_default();
                let number = rest.get(..2).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
                number && rest.get(2..) == Some(name.as_str())
            })
        })
    }
}

impl Manager for Init<'_> {
    fn is_running(&self) -> Result<bool, KindError> {
        if let Some(status) = &self.service.status {
            let command = clean(inside(self.host, shell(status)));
            return Ok(ask(self.host, &command)?.success());
        }
        if self.is_base() || !self.service.has_status {
            return Ok(self.process().is_some());
        }
        // Without a script it cannot be running.
        let Ok(argv) = self.script_command("status") else { return Ok(false) };
        Ok(ask(self.host, &clean(inside(self.host, argv)))?.success())
    }

    fn enabled(&self, wanted: Enable) -> Result<Option<Enable>, KindError> {
        if wanted == Enable::Mask && !self.has_unit() {
            let feature = "must have features 'maskable' to set 'enable' to 'mask'";
            return Err(KindError::new(format!("Provider debian {feature}")));
        }
        if wanted != Enable::Mask
            && let Some(script) = self.script()
        {
            let enabled = self.has_start_link(&script);
            return Ok(Some(if enabled { Enable::Yes } else { Enable::No }));
        }
        if !self.has_unit() {
            return Ok(Some(Enable::No));
        }
        let outcome = ask(self.host, &self.systemctl("is-enabled"))?;
        let word = outcome.stdout_text();
        Ok(enabled_by_state(word.trim(), wanted))
    }

    fn start(&self) -> Result<(), KindError> {
        if let Some(start) = &self.service.start {
            return self.run_declared("start", start);
        }
        if self.is_base() {
            let missing = || KindError::new("Services must specify a start command or a binary");
            let binary = self.service.binary.as_ref().ok_or_else(missing)?;
            return self.run_declared("binary", binary);
        }
        self.run_detached(self.script_command("start")?, false)
    }

    fn stop(&self) -> Result<(), KindError> {
        if let Some(stop) = &self.service.stop {
            return self.run_declared("stop", stop);
        }
        if self.is_base() {
            return self.stop_process();
        }
        self.run_detached(self.script_command("stop")?, false)
    }

    fn restart(&self) -> Result<(), KindError> {
        if let Some(restart) = &self.service.restart {
            return self.run_declared("restart", restart);
        }
        if self.service.has_restart && !self.is_base() {
            return self.run_detached(self.script_command("restart")?, false);
        }
        self.stop()?;
        self.start()
    }

    fn set_enabled(&self, wanted: Enable) -> Result<(), KindError> {
        let failed = |e: KindError| {
            KindError::new(format!("Could not change enable of {}: {e}", self.service.reference))
        };
        let script = self.script().filter(|_| wanted != Enable::Mask);
        let Some(script) = script else {
            let actions: &[&str] = match wanted {
                Enable::Yes => &["unmask", "enable"],
                Enable::No => &["disable"],
                Enable::Mask => &["disable", "mask"],
            };
            let act = |action: &&str| run(self.host, &self.systemctl(action)).map(drop);
            return actions.iter().try_for_each(act).map_err(failed);
        };
        let name = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let words: &[&str] =
            if wanted == Enable::Yes { &["defaults", "enable"] } else { &["disable"] };
        for word in words {
            let argv = ["/usr/sbin/update-rc.d", &name, word];
            run_redacted(self.host, &inside(self.host, argv), false).map_err(failed)?;
        }
        Ok(())
    }
}

fn shell(command: &str) -> Vec<String> {
    ["/bin/sh", "-c", command].map(str::to_string).to_vec()
}

/// Daemons must not inherit the environment of this process.
fn clean(mut command: Invocation) -> Invocation {
    let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    let variables = [("PATH", path), ("LC_ALL", "C"), ("LANG", "C"), ("TERM", "dumb")];
    command.launch.env = Some(variables.iter().map(|(n, v)| (n.into(), v.into())).collect());
    command.launch.cwd = Some(PathBuf::from("/"));
    command
}

/// A temporary file for the output of a command; it is removed on drop.
struct Output {
    path: PathBuf,
}

impl Output {
    fn create() -> Result<Self, KindError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        for _ in 0..100 {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("ordain-service.{}.{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => return Ok(Self { path }),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => {
                    return Err(KindError::new(format!("Could not write {}: {e}", path.display())));
                }
            }
        }
        Err(KindError::new("no free name for a temporary file"))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // A left-over file in the temporary directory does no harm.
        drop(fs::remove_file(&self.path));
    }
}
