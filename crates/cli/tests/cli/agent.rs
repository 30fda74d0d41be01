//! `ordain agent` with the real program and a server in this process: enrolment, graphs of all
//! languages, changes, outages.

mod deployed_mcl;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use ordain_ca::{Certificate, CertificateAuthority, Settings};
use ordain_server::{Autosign, Config, Stopper, listen};

/// Longer than any operation; only a hang takes this long.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A fleet of one server, whose agents live in directories.
struct Fleet {
    dir: tempfile::TempDir,
    address: SocketAddr,
    running: Option<(Stopper, std::thread::JoinHandle<()>)>,
}

impl Fleet {
    fn start(code: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in code {
            write(&dir.path().join("code/environments").join(path), text);
        }
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let mut fleet = Self { dir, address, running: None };
        fleet.begin();
        fleet
    }

    fn begin(&mut self) {
        let mut config = Config::new(self.path("code"), self.path("server"));
        config.listen = self.address;
        config.names = vec!["localhost".to_string()];
        config.autosign = Autosign::All;
        config.auto_renewal = true;
        config.limits.drain = Duration::from_secs(1);
        let (server, _) = listen(config).unwrap();
        let stopper = server.stopper();
        self.running = Some((stopper, std::thread::spawn(move || server.run().unwrap())));
    }

    fn stop(&mut self) {
        if let Some((stopper, thread)) = self.running.take() {
            stopper.stop();
            thread.join().unwrap();
        }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    fn edit(&self, path: &str, text: &str) {
        write(&self.path("code/environments").join(path), text);
    }

    /// The command of an agent with a machine, a state and a key of its own.
    fn agent(&self, name: &str, arguments: &[&str]) -> Command {
        let root = self.path(&format!("{name}/root"));
        fs::create_dir_all(root.join("etc")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command
            .args(["agent", "--certname", name, "--server"])
            .arg(format!("localhost:{}", self.address.port()))
            .arg("--state-dir")
            .arg(self.path(&format!("{name}/state")))
            .arg("--key-file")
            .arg(self.path(&format!("{name}/key/agent.key")))
            .arg("--root")
            .arg(root)
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    /// Runs an agent once.
    fn once(&self, name: &str, arguments: &[&str]) -> Output {
        let mut command = self.agent(name, &["--once", "--trust-on-first-use"]);
        command.args(arguments).output().unwrap()
    }

    fn file(&self, name: &str, path: &str) -> PathBuf {
        self.path(&format!("{name}/root{path}"))
    }

    /// The statuses of the reports of a node, the oldest first.
    fn reports(&self, name: &str) -> Vec<String> {
        let path = self.path("server/nodes/nodes.sqlite");
        let database = rusqlite::Connection::open(path).unwrap();
        let sql = "SELECT r.status FROM reports r JOIN certnames c ON c.id = r.certname_id
                   WHERE c.certname = ?1 ORDER BY r.id";
        let mut statement = database.prepare(sql).unwrap();
        let rows = statement.query_map([name], |row| row.get::<_, String>(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.stop();
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// An agent that stays.
struct Staying {
    child: Child,
    lines: Receiver<String>,
}

impl Staying {
    fn start(mut command: Command) -> Self {
        command.args(["--reconnect", "1"]);
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        command.stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// Waits for a line with a text.
    fn wait(&self, wanted: &str) -> String {
        let end = Instant::now() + TIMEOUT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.unwrap_or_else(|_| panic!("no line with `{wanted}`"));
            if line.contains(wanted) {
                return line;
            }
        }
    }

    /// Stops it with SIGTERM. Returns the exit code.
    fn stop(mut self) -> Option<i32> {
        kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        // It has ended unless a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a node has these reports.
fn until_reports(fleet: &Fleet, name: &str, expected: &[&str]) {
    until(&format!("{expected:?}"), || {
        let found = fleet.reports(name);
        assert!(found.len() <= expected.len(), "{found:?}");
        found == expected
    });
}

/// Waits until something is true.
fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !is_true() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Replaces a file at once, so that an agent sees one change.
fn drift(path: &Path, text: &str) {
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(new, path).unwrap();
}

fn content(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

const MOTD: &str = "production/manifests/site.pp";

#[test]
fn graphs_of_all_languages_are_applied_and_reported() {
    let fleet = Fleet::start(&[
        (
            "puppet/manifests/site.pp",
            "file { '/etc/language': content => \"puppet for ${trusted['certname']}\\n\" }\n\
             file { '/etc/copied': source => 'puppet:///modules/m/copied' }\n\
             file { '/etc/tree': ensure => directory, recurse => true,\n  \
             source => 'puppet:///modules/m/tree' }\n",
        ),
        ("puppet/modules/m/files/copied", "from the module\n"),
        ("puppet/modules/m/files/tree/a/b", "inside\n"),
        (
            "mcl/main.mcl",
            "import \"sys\"\nfile \"/etc/language\" {\n\tstate => \"exists\",\n\t\
             content => \"mcl for \" + sys.hostname() + \"\\n\",\n}\n",
        ),
        ("inmanta/project.yml", "name: demo\nmodulepath: libs\ndownloadpath: libs\nrepo: []\n"),
        ("inmanta/libs/fs/module.yml", "name: fs\nversion: 1.2.3\nlicense: none\n"),
        (
            "inmanta/libs/fs/model/_init.cf",
            "entity File extends std::PurgeableResource:\n    string path\n    string content\nend\n\
             File.host [1] -- std::Host\nimplement File using std::none\n",
        ),
        (
            "inmanta/libs/fs/plugins/__init__.py",
            "from inmanta.resources import resource, PurgeableResource\n\n\n\
             @resource(\"fs::File\", agent=\"host.name\", id_attribute=\"path\")\n\
             class File(PurgeableResource):\n    fields = (\"path\", \"hash\")\n\n    \
             @staticmethod\n    def get_hash(exporter, entity):\n        \
             return exporter.upload_file(entity.content)\n",
        ),
        (
            "inmanta/main.cf",
            "import fs\nhost = std::Host(name=\"inmanta.example.org\", os=std::linux)\n\
             fs::File(host=host, path=\"/etc/language\",\n    \
             content=\"inmanta for inmanta.example.org\\n\")\n",
        ),
        ("joined/ordain.toml", "[[source]]\npath = 'a.pp'\n[[source]]\npath = 'b.yml'\n"),
        (
            "joined/a.pp",
            "file { '/etc/language': content => \"joined for ${trusted['certname']}\\n\" }\n",
        ),
        ("joined/b.yml", "resources:\n  file:\n    /etc/other:\n      content: x\n"),
        (
            "dynaml/main.yml",
            "node: (( merge ))\nresources:\n  file:\n    /etc/language:\n      \
             content: (( \"dynaml for \" node.name \"\\n\" ))\n",
        ),
    ]);
    for language in ["puppet", "inmanta", "mcl", "dynaml", "joined"] {
        let name = format!("{language}.example.org");
        let first = fleet.once(&name, &["--environment", language]);
        assert_eq!(first.status.code(), Some(2), "{}", text(&first));
        let expected = format!("{language} for {name}\n");
        assert_eq!(content(&fleet.file(&name, "/etc/language")), expected);
        let second = fleet.once(&name, &["--environment", language]);
        assert_eq!(second.status.code(), Some(0), "{}", text(&second));
        assert_eq!(fleet.reports(&name), ["changed", "unchanged"]);
    }
    let name = "puppet.example.org";
    assert_eq!(content(&fleet.file(name, "/etc/copied")), "from the module\n");
    assert_eq!(content(&fleet.file(name, "/etc/tree/a/b")), "inside\n");
}

#[test]
fn the_authority_is_trusted_only_on_request() {
    let fleet = Fleet::start(&[(MOTD, "file { '/etc/motd': content => 'a' }\n")]);
    let name = "web.example.org";
    let once = |arguments: &[&str]| {
        let output = fleet.agent(name, arguments).arg("--once").output().unwrap();
        (output.status.code(), text(&output))
    };
    let ca = CertificateAuthority::open(&fleet.path("server/ca"), Settings::default()).unwrap();
    let fingerprint = ca.chain()[0].fingerprint();
    let (code, shown) = once(&[]);
    assert_eq!(code, Some(1));
    assert!(shown.contains("the authority of the server is not known yet"), "{shown}");
    assert!(shown.contains(&fingerprint), "{shown}");
    let (code, shown) = once(&["--ca-fingerprint", "AB:CD"]);
    assert_eq!(code, Some(1));
    assert!(shown.contains("not AB:CD"), "{shown}");
    assert!(!fleet.file(name, "/etc/motd").exists());
    let (code, shown) = once(&["--ca-fingerprint", &fingerprint.to_lowercase()]);
    assert_eq!(code, Some(2), "{shown}");
    // From now on it is known.
    let (code, shown) = once(&[]);
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn a_revision_may_be_pinned_and_noop_changes_nothing() {
    let fleet = Fleet::start(&[(MOTD, "file { '/etc/motd': content => 'a' }\n")]);
    let name = "web.example.org";
    let noop = fleet.once(name, &["--noop"]);
    assert_eq!(noop.status.code(), Some(0), "{}", text(&noop));
    assert!(!fleet.file(name, "/etc/motd").exists());
    let always =
        fleet.once(name, &["--maintenance", "00:00-12:00", "--maintenance", "12:00-24:00"]);
    assert_eq!(always.status.code(), Some(0), "{}", text(&always));
    assert!(!fleet.file(name, "/etc/motd").exists());
    let pinned = fleet.once("db.example.org", &["--revision", "another"]);
    assert_eq!(pinned.status.code(), Some(1));
    assert!(text(&pinned).contains("not the pinned another"), "{}", text(&pinned));
    assert!(!fleet.file("db.example.org", "/etc/motd").exists());
}

#[test]
fn a_graph_that_cannot_be_applied_does_not_replace_the_stored_one() {
    let mut fleet = Fleet::start(&[
        (MOTD, "file { '/etc/motd': content => 'a' }\n"),
        (
            "production/modules/m/lib/puppet/type/thing.rb",
            "Puppet::Type.newtype(:thing) do\n  newparam(:name, namevar: true)\nend\n",
        ),
    ]);
    let name = "web.example.org";
    assert_eq!(fleet.once(name, &[]).status.code(), Some(2));
    fleet.edit(MOTD, "thing { 'x': }\n");
    let refused = fleet.once(name, &[]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused));
    assert!(text(&refused).contains("Thing[x]"), "{}", text(&refused));
    fs::remove_file(fleet.file(name, "/etc/motd")).unwrap();
    fleet.stop();
    let repaired = fleet.once(name, &[]);
    assert_eq!(repaired.status.code(), Some(2), "{}", text(&repaired));
    assert_eq!(content(&fleet.file(name, "/etc/motd")), "a");
}

#[test]
fn a_certificate_is_renewed_before_it_expires() {
    let fleet = Fleet::start(&[(MOTD, "file { '/etc/motd': content => 'a' }\n")]);
    let name = "web.example.org";
    assert_eq!(fleet.once(name, &[]).status.code(), Some(2));
    let path = fleet.path(&format!("{name}/state/agent/ssl/{name}.pem"));
    let days = |number: u64| Duration::from_secs(number * 86_400);
    let ca = CertificateAuthority::open(&fleet.path("server/ca"), Settings::default()).unwrap();
    let short = ca.renew(name, Some(days(10))).unwrap();
    fs::write(&path, short.pem()).unwrap();
    let output = fleet.once(name, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let renewed = Certificate::from_pem(&fs::read(&path).unwrap()).unwrap();
    let left = renewed.not_after().as_second() - short.not_after().as_second();
    assert!(left > 45 * 86_400, "{left}");
}

#[test]
fn the_repair_of_broken_code_reaches_an_agent_that_stays() {
    let fleet = Fleet::start(&[(MOTD, "file { '/etc/motd': content => 'one' }\n")]);
    let name = "web.example.org";
    let arguments = ["--trust-on-first-use", "--interval", "100000"];
    let mut command = fleet.agent(name, &arguments);
    command.args(["--reconnect", "100000"]);
    let agent = Staying::of(command);
    agent.wait("Keeping 1 resource true");
    fleet.edit(MOTD, "fail('broken')\n");
    agent.wait("broken");
    let motd = fleet.file(name, "/etc/motd");
    drift(&motd, "drift");
    until("the drift is repaired", || content(&motd) == "one");
    fleet.edit(MOTD, "file { '/etc/motd': content => 'two' }\n");
    agent.wait("Keeping 1 resource true");
    until("the repaired code is applied", || content(&motd) == "two");
    assert_eq!(agent.stop(), Some(0));
}

#[test]
fn failures_have_their_own_exit_codes() {
    let fleet =
        Fleet::start(&[(MOTD, "file { '/etc/a': content => 'a' }\nexec { '/bin/false': }\n")]);
    let name = "web.example.org";
    let first = fleet.once(name, &[]);
    assert_eq!(first.status.code(), Some(6), "{}", text(&first));
    let second = fleet.once(name, &[]);
    assert_eq!(second.status.code(), Some(4), "{}", text(&second));
    assert_eq!(fleet.reports(name), ["failed", "failed"]);
}

const WITH_BAD: &str = "file { '/etc/a': content => 'a' }
-> file { '/etc/bad': content => 'CONTENT' }
file { '/etc/c': content => 'c', require => File['/etc/a'] }\n";

/// The variable that makes a debug build panic in a resource.
const PANIC_IN: (&str, &str) = ("ORDAIN_PANIC_IN", "File[/etc/bad]");

#[test]
fn a_crash_in_a_resource_leaves_out_that_resource_until_its_declaration_changes() {
    let fleet = Fleet::start(&[(MOTD, WITH_BAD)]);
    let name = "web.example.org";
    let crashing = || {
        let mut command = fleet.agent(name, &["--once", "--trust-on-first-use"]);
        command.env(PANIC_IN.0, PANIC_IN.1).output().unwrap()
    };
    let left_out =
        "left out, since Ordain crashed in it before, at crates/engine/src/run/current.rs:";
    let first = crashing();
    assert!(text(&first).contains("this is a bug in Ordain"), "{}", text(&first));
    assert!(text(&first).contains(left_out), "{}", text(&first));
    assert!(matches!(first.status.code(), Some(4 | 6)), "{}", text(&first));
    for path in ["/etc/a", "/etc/c"] {
        assert!(fleet.file(name, path).exists(), "{path}");
    }
    // The next run does not crash again.
    let second = fleet.once(name, &[]);
    assert_eq!(second.status.code(), Some(4), "{}", text(&second));
    assert!(text(&second).contains(left_out), "{}", text(&second));
    assert!(!fleet.file(name, "/etc/bad").exists());
    fleet.edit(MOTD, &WITH_BAD.replace("CONTENT", "other"));
    let third = fleet.once(name, &[]);
    assert_eq!(third.status.code(), Some(2), "{}", text(&third));
    assert_eq!(content(&fleet.file(name, "/etc/bad")), "other");
    assert_eq!(fleet.reports(name), ["failed", "failed", "changed"]);
}

/// Whether a process has a child that ended and whose status nobody has collected.
fn has_zombie(parent: u32) -> bool {
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    processes.filter_map(|path| fs::read_to_string(path.join("stat")).ok()).any(|stat| {
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        fields.trim_start().starts_with(&format!("Z {parent} "))
    })
}

#[test]
fn an_agent_that_stays_starts_again_after_a_crash_in_a_resource() {
    let fleet = Fleet::start(&[(MOTD, WITH_BAD)]);
    let name = "web.example.org";
    let agent = fleet.agent(name, &["--trust-on-first-use", "--interval", "100000"]);
    // A child that the agent has when it starts, as it has after a crash.
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 0.1 & exec \"$0\" \"$@\""]).arg(agent.get_program());
    command.args(agent.get_args());
    command.envs(agent.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env(PANIC_IN.0, PANIC_IN.1);
    let agent = Staying::start(command);
    agent.wait("Keeping 3 resources true");
    agent.wait("Keeping 3 resources true");
    // The child has ended by now.
    std::thread::sleep(Duration::from_millis(200));
    until("no child is left as a zombie", || !has_zombie(agent.child.id()));
    let crashes = content(&fleet.path(&format!("{name}/state/agent/crashes.json")));
    assert!(crashes.contains("\"File[/etc/bad]\""), "{crashes}");
    let file = fleet.file(name, "/etc/c");
    until("the others are applied", || content(&file) == "c");
    drift(&file, "drift");
    until("the others are kept true", || content(&file) == "c");
    assert!(!fleet.file(name, "/etc/bad").exists());
    assert_eq!(agent.stop(), Some(0));
}

#[test]
fn secrets_are_sealed_on_the_node() {
    let secret = "canary-4711";
    let fleet = Fleet::start(&[(
        MOTD,
        &format!("file {{ '/etc/secret': content => Sensitive('{secret}'), mode => '0600' }}\n"),
    )]);
    let name = "web.example.org";
    let output = fleet.once(name, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(!text(&output).contains(secret));
    assert_eq!(content(&fleet.file(name, "/etc/secret")), secret);
    for place in [fleet.path(&format!("{name}/state/agent")), fleet.path("server/nodes")] {
        let mut todo = vec![place];
        while let Some(path) = todo.pop() {
            if path.is_dir() {
                todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else {
                let bytes = fs::read(&path).unwrap();
                let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
                assert!(!found, "{} has the secret", path.display());
            }
        }
    }
}

#[test]
fn a_change_of_the_code_reaches_an_agent_that_stays() {
    let fleet = Fleet::start(&[(MOTD, "file { '/etc/motd': content => 'one' }\n")]);
    let name = "web.example.org";
    // The interval is so long that only the held connection can tell.
    let arguments = ["--trust-on-first-use", "--interval", "100000"];
    let agent = Staying::start(fleet.agent(name, &arguments));
    agent.wait("Keeping 1 resource true");
    let motd = fleet.file(name, "/etc/motd");
    until("the first graph is applied", || content(&motd) == "one");
    until_reports(&fleet, name, &["changed"]);
    fleet.edit(MOTD, "file { '/etc/motd': content => 'two' }\n");
    agent.wait("Keeping 1 resource true");
    until("the second graph is applied", || content(&motd) == "two");
    until_reports(&fleet, name, &["changed"; 2]);
    drift(&motd, "drift");
    until("the drift is repaired", || content(&motd) == "two");
    until_reports(&fleet, name, &["changed"; 3]);
    assert_eq!(agent.stop(), Some(0));
}

#[test]
fn an_agent_goes_on_without_the_server_and_comes_back() {
    let mut fleet = Fleet::start(&[(MOTD, "file { '/etc/motd': content => 'one' }\n")]);
    let name = "web.example.org";
    let arguments = ["--trust-on-first-use", "--interval", "100000"];
    let agent = Staying::start(fleet.agent(name, &arguments));
    let motd = fleet.file(name, "/etc/motd");
    until_reports(&fleet, name, &["changed"]);
    fleet.stop();
    agent.wait("cannot be reached");
    let spool = fleet.path(&format!("{name}/state/agent/spool"));
    let waiting = || fs::read_dir(&spool).unwrap().count();
    drift(&motd, "drift");
    until("the drift is repaired", || content(&motd) == "one");
    until("the report waits", || waiting() == 1);
    assert_eq!(agent.stop(), Some(0));

    // A new process applies the last graph, without a server.
    drift(&motd, "more drift");
    let agent = Staying::start(fleet.agent(name, &["--interval", "100000"]));
    until("the drift is repaired", || content(&motd) == "one");
    until("the report waits", || waiting() == 2);
    fleet.edit(MOTD, "file { '/etc/motd': content => 'two' }\n");
    fleet.begin();
    until("the new graph is applied", || content(&motd) == "two");
    until("all reports arrive", || waiting() == 0 && fleet.reports(name).len() >= 4);
    assert_eq!(agent.stop(), Some(0));
}

#[test]
fn the_commands_of_the_manual_work() {
    let fleet = Fleet::start(&[(MOTD, "file { '/etc/motd': content => 'a' }\n")]);
    let page = include_str!("../../../../docs/agent.md");
    let commands: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("ordain agent ")).collect();
    assert_eq!(commands.len(), 4);
    let ca = CertificateAuthority::open(&fleet.path("server/ca"), Settings::default()).unwrap();
    let fingerprint = ca.chain()[0].fingerprint();
    for command in commands {
        let server = format!("localhost:{}", fleet.address.port());
        let command = command.replace("puppet.example.org", &server);
        let command = command.replace("AB:CD:EF", &fingerprint);
        // The shell of the page has quotes around one argument.
        let arguments: Vec<&str> = command
            .split('\'')
            .enumerate()
            .flat_map(|(at, part)| match at % 2 {
                0 => part.split_whitespace().collect(),
                _ => vec![part],
            })
            .collect();
        let rest: Vec<&str> = arguments.iter().skip(2).copied().collect();
        assert_eq!(arguments[..2], ["--server", server.as_str()]);
        let mut agent = fleet.agent("web.example.org", &rest);
        if rest.contains(&"--once") {
            let output = agent.output().unwrap();
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 2)), "{command}: {}", text(&output));
        } else {
            let agent = Staying::start(agent);
            agent.wait("Keeping 1 resource true");
            assert_eq!(agent.stop(), Some(0), "{command}");
        }
    }
}

#[test]
fn a_fleet_run_reaches_agents_that_stay() {
    let fleet = Fleet::start(&[(MOTD, "file { '/etc/motd': content => 'one' }\n")]);
    let arguments = ["--trust-on-first-use", "--interval", "100000"];
    let names = ["a.example.org", "b.example.org"];
    let agents = names.map(|name| Staying::start(fleet.agent(name, &arguments)));
    for name in names {
        until_reports(&fleet, name, &["changed"]);
    }
    // This node has no connection, like one with an agent of Puppet.
    assert_eq!(fleet.once("c.example.org", &[]).status.code(), Some(2));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.args(["fleet", "run", "--state-dir"]).arg(fleet.path("server")).args(arguments);
        command
    };
    let output = run(&["--canary", "b.example.org", "--reach", "5"]).output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(3), "{printed}");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(
        lines[..3],
        ["Run 1", "unchanged  b.example.org (canary)", "unchanged  a.example.org"]
    );
    assert!(lines[3].starts_with("unreached  c.example.org: no agent of Ordain"), "{printed}");
    assert_eq!(lines[4], "Run 1 finished: 3 nodes, 2 unchanged, 1 unreached");
    for name in names {
        until_reports(&fleet, name, &["changed", "unchanged"]);
    }

    // A killed run goes on where it was.
    let mut killed =
        run(&["certname ~ '^[ab]'", "--at-once", "1"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(killed.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "Run 2\n");
    killed.kill().unwrap();
    killed.wait().unwrap();
    until("the lease of the killed run ends", || {
        let resumed = run(&["--resume", "2", "--format", "json"]).output().unwrap();
        if text(&resumed).contains("another process") {
            return false;
        }
        assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed));
        assert!(text(&resumed).contains(r#""state":"finished""#), "{}", text(&resumed));
        true
    });
    let again = run(&["--resume", "2"]).output().unwrap();
    assert!(text(&again).contains("the run 2 is finished"), "{}", text(&again));
    for name in names {
        until_reports(&fleet, name, &["changed", "unchanged", "unchanged"]);
    }
    for agent in agents {
        assert_eq!(agent.stop(), Some(0));
    }
}

/// Counts the hosts that have set a value.
const SHARED: &str = "import \"fmt\"
import \"sys\"
import \"world\"
kv \"ready\" {
	value => sys.hostname(),
	mapped => true,
}
file \"/etc/ready\" {
	state => \"exists\",
	content => fmt.printf(\"%d\", len(world.kvlookup(\"ready\"))),
}
";

#[test]
fn programs_share_values_through_the_server() {
    let fleet = Fleet::start(&[("production/main.mcl", SHARED)]);
    let names = ["a.example.org", "b.example.org", "c.example.org"];
    let mut agents = Vec::new();
    for (at, name) in names.iter().enumerate() {
        agents.push(Staying::start(fleet.agent(name, &["--trust-on-first-use"])));
        let wanted = (at + 1).to_string();
        for name in &names[..=at] {
            let path = fleet.file(name, "/etc/ready");
            until(&format!("{wanted} at {name}"), || {
                fs::read_to_string(&path).is_ok_and(|text| text == wanted)
            });
        }
    }
    assert!(agents.into_iter().all(|agent| agent.stop() == Some(0)));
}
