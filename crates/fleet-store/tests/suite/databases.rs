//! The databases that the suite uses: SQLite in a file, and a private PostgreSQL server.

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ordain_fleet_store::{Database, Postgres, Sqlite};

/// Runs a test with SQLite and, if it is installed, PostgreSQL. Each run gets an empty database.
pub(crate) fn with_each(test: impl Fn(&dyn Database)) {
    let dir = tempfile::tempdir().unwrap();
    test(&Sqlite::open(&dir.path().join("fleet.db"), 4, Vec::new()).unwrap());
    with_postgres(|address| test(&Postgres::connect(address, 4).unwrap()));
}

/// Runs a test with the address of an empty PostgreSQL database, if PostgreSQL is installed.
pub(crate) fn with_postgres(test: impl FnOnce(&str)) {
    let Some(server) = Server::shared() else { return };
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let mut psql = Command::new("psql");
    psql.arg("-h").arg(&server.dir).args(["-U", "ordain", "-q", "-c"]);
    expect_success(&psql.arg(format!("CREATE DATABASE {name}")).arg("postgres").output().unwrap());
    test(&format!("host={} user=ordain dbname={name}", server.dir.display()));
}

/// A PostgreSQL server with its own directory and socket. It ends with this process.
pub(crate) struct Server {
    pub(crate) dir: PathBuf,
    /// A shell that stops the server and removes its directory when this process closes the pipe.
    _shell: Child,
}

/// The server of this process. The outer option is `None` until the server was looked for.
static SERVER: Mutex<Option<Option<&'static Server>>> = Mutex::new(None);

const SHELL: &str = r#"
"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c "fsync=$3" -c max_connections=60 \
    $4 >"$2/log" 2>&1 </dev/null &
read -r line
kill -INT $!
wait
cd /
rm -rf "$2"
"#;

impl Server {
    fn shared() -> Option<&'static Self> {
        let mut shared = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
        *shared.get_or_insert_with(|| {
            Self::start(5432, "", &|_| {}).map(|server| &*Box::leak(Box::new(server)))
        })
    }

    /// Starts a server with further options, in which `DIR` is its directory. `prepare` gets the
    /// directory before the start.
    pub(crate) fn start(port: u16, options: &str, prepare: &dyn Fn(&Path)) -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(std::env::var_os("CI").is_none(), "PostgreSQL is not installed");
            eprintln!("PostgreSQL is not installed: its tests are left out");
            return None;
        };
        let dir = tempfile::Builder::new().prefix("ordain-postgres-").tempdir().unwrap().keep();
        let user = unprivileged_user();
        if let Some((user, group)) = user {
            chown(&dir, Some(user), Some(group)).unwrap();
        }
        let mut init = command(&programs.join("initdb"), user);
        init.args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--username=ordain"]);
        expect_success(&init.arg("--no-sync").arg("-D").arg(dir.join("data")).output().unwrap());
        prepare(&dir);
        if let Some((user, group)) = user {
            for entry in fs::read_dir(&dir).unwrap() {
                chown(entry.unwrap().path(), Some(user), Some(group)).unwrap();
            }
        }
        let mut shell = command(Path::new("sh"), user);
        shell.args(["-c", SHELL, "sh"]).arg(&programs).arg(&dir);
        // Only benchmarks need the disk writes, and they run in release mode.
        shell.arg(if cfg!(debug_assertions) { "off" } else { "on" });
        let shell = shell
            .arg(options.replace("DIR", &dir.display().to_string()))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let server = Self { dir, _shell: shell };
        server.wait_until_ready(&programs, port);
        Some(server)
    }

    fn wait_until_ready(&self, programs: &Path, port: u16) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let mut ready = Command::new(programs.join("pg_isready"));
            if ready
                .args(["-q", "-p", &port.to_string(), "-h"])
                .arg(&self.dir)
                .status()
                .unwrap()
                .success()
            {
                return;
            }
            let log = fs::read_to_string(self.dir.join("log")).unwrap_or_default();
            assert!(Instant::now() < end, "PostgreSQL did not start: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// The directory of the newest PostgreSQL, from Debian's location or `PATH`.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions
        .max_by_key(|entry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = newest.map(|entry| entry.path().join("bin"));
    let mut candidates = candidates.into_iter().chain(std::env::split_paths(&path));
    candidates.find(|dir| dir.join("initdb").exists() && dir.join("postgres").exists())
}

/// PostgreSQL refuses to run as root.
fn unprivileged_user() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let id = |option: &str| {
        let output = Command::new("id").args([option, "postgres"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    Some((id("-u"), id("-g")))
}

fn command(program: &Path, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command
}

pub(crate) fn expect_success(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
