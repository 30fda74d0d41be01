//! The stock agent, unmodified: the program `puppet` of the system.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ordain_server::Autosign;
use ordain_testkit::peer::peer;

use crate::revisions::{revision, switch};
use crate::support::{TestServer, write};

const SITE: &str = "environments/production/manifests/site.pp";
const INIT: &str = "environments/production/modules/motd/manifests/init.pp";

const CODE: [(&str, &str); 6] = [
    (SITE, "include motd\n"),
    (
        INIT,
        "class motd {
  $dir = $facts['agent_directory']
  file { \"${dir}/hello\": content => \"hello ${trusted['certname']}\\n\" }
  file { \"${dir}/copied\": source => 'puppet:///modules/motd/copied.txt' }
  file { \"${dir}/tree\": source => 'puppet:///modules/motd/tree', recurse => true }
}
",
    ),
    ("environments/production/modules/motd/files/copied.txt", "copied\n"),
    ("environments/production/modules/motd/files/tree/sub/deep.txt", "deep\n"),
    (
        "environments/production/modules/motd/lib/facter/agent_directory.rb",
        "Facter.add(:agent_directory) { setcode { ENV['AGENT_DIRECTORY'] } }\n",
    ),
    ("environments/production/modules/motd/facts.d/static.txt", "static_fact=static\n"),
];

/// An agent with directories of its own.
struct Agent<'s> {
    server: &'s TestServer,
    program: PathBuf,
    name: String,
    dir: PathBuf,
}

/// The outcome of a run.
#[derive(Debug)]
struct Run {
    exit: i32,
    text: String,
}

impl<'s> Agent<'s> {
    /// The agent of the system.
    fn new(server: &'s TestServer, name: &str) -> Self {
        Self::with_program(server, name, Path::new("puppet"))
    }

    fn with_program(server: &'s TestServer, name: &str, program: &Path) -> Self {
        let dir = server.path("agents").join(name);
        std::fs::create_dir_all(dir.join("out")).unwrap();
        Self { server, program: program.to_path_buf(), name: name.to_string(), dir }
    }

    /// Runs `puppet agent --test`.
    fn run(&self, arguments: &[&str]) -> Run {
        self.run_as("--test", arguments)
    }

    /// Runs `puppet agent` in a mode: `--test` forbids cached catalogs.
    fn run_as(&self, mode: &str, arguments: &[&str]) -> Run {
        let dir = |name: &str| self.dir.join(name).display().to_string();
        let output = Command::new(&self.program)
            .args(["agent", mode, "--onetime", "--no-daemonize", "--verbose"])
            .args(["--detailed-exitcodes", "--color=false", "--server=localhost"])
            .arg(format!("--serverport={}", self.server.summary.address.port()))
            .arg(format!("--certname={}", self.name))
            .args([format!("--confdir={}", dir("conf")), format!("--vardir={}", dir("var"))])
            // Agents share these otherwise, and with it the environment of the last run.
            .args([format!("--publicdir={}", dir("public")), format!("--rundir={}", dir("run"))])
            .args([format!("--ssldir={}", dir("ssl")), "--waitforcert=0".to_string()])
            // RSA keys of the default length take seconds.
            .arg("--keylength=2048")
            .args(arguments)
            .env("AGENT_DIRECTORY", self.dir.join("out"))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        // Facter complains about files of other users.
        let lines = text.lines().filter(|line| !line.contains("Facter: Permission denied"));
        let text = lines.map(|line| format!("{line}\n")).collect();
        Run { exit: output.status.code().unwrap_or(-1), text }
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.join("out").join(name)).unwrap_or_default()
    }
}

impl Run {
    fn expect(&self, exit: i32, text: &str) {
        assert!(self.exit == exit && self.text.contains(text), "{exit} {text}: {self:#?}");
    }
}

/// The status of a node's last report.
fn last_report(server: &TestServer, node: &str) -> String {
    let path = server.path("state/nodes/nodes.sqlite");
    let database = rusqlite::Connection::open(path).unwrap();
    let sql = "SELECT latest_report_status FROM certnames WHERE certname = ?1";
    database.query_row(sql, [node], |row| row.get(0)).unwrap()
}

/// Whether there is a `puppet`.
fn has_puppet() -> bool {
    let answer = Command::new("puppet").arg("--version").output();
    peer(answer.is_ok_and(|output| output.status.success()), "puppet-agent")
}

#[test]
fn an_agent_gets_the_files_of_its_catalog_during_a_deploy() {
    if !has_puppet() {
        return;
    }
    let server = TestServer::start(&[("unused.txt", "")], |config| {
        config.autosign = Autosign::All;
        for (id, text) in [("one", "first\n"), ("two", "second\n")] {
            revision(&config.code, id, text);
            // The deploy happens while the agent applies its catalog.
            let deploy = "class m {
  exec { '/bin/ln -s .revisions/production/two new && /bin/mv -T new production':
    provider => shell, cwd => \"${settings::environmentpath}\", creates => '/nowhere',
  }
  -> file { \"${facts['agent_directory']}/a\": source => 'puppet:///modules/m/a.txt' }
}
";
            let here = config.code.join("environments");
            let deploy = deploy.replace("${settings::environmentpath}", here.to_str().unwrap());
            let module = here.join(".revisions/production").join(id).join("modules/m");
            write(&module.join("manifests/init.pp"), &deploy);
            let fact = "lib/facter/agent_directory.rb";
            write(
                &module.join(fact),
                "Facter.add(:agent_directory) { setcode { ENV['AGENT_DIRECTORY'] } }\n",
            );
        }
        switch(&config.code, "one");
    });
    let agent = Agent::new(&server, "web.example.org");
    agent.run(&[]).expect(2, "Applied catalog");
    assert_eq!(agent.read("a"), "first\n");
    let link = std::fs::read_link(server.path("code/environments/production")).unwrap();
    assert!(link.ends_with("two"), "{}", link.display());
    agent.run(&[]).expect(2, "Applied catalog");
    assert_eq!(agent.read("a"), "second\n");
}

#[test]
fn an_agent_enrols_converges_and_reports() {
    if !has_puppet() {
        return;
    }
    let server = TestServer::start(&CODE, |config| config.autosign = Autosign::All);
    let agent = Agent::new(&server, "web.example.org");
    // Pluginsync brings the fact that the manifest needs, and the first run makes all files.
    let first = agent.run(&[]);
    first.expect(2, "Downloaded certificate for web.example.org");
    first.expect(2, "lib/facter/agent_directory.rb]/ensure: defined content");
    assert_eq!(agent.read("hello"), "hello web.example.org\n");
    assert_eq!(
        (agent.read("copied"), agent.read("tree/sub/deep.txt")),
        ("copied\n".into(), "deep\n".into())
    );
    assert!(agent.dir.join("var/facts.d/static.txt").exists(), "{}", first.text);
    assert_eq!(last_report(&server, "web.example.org"), "changed");
    // Nothing has changed.
    let second = agent.run(&[]);
    second.expect(0, "Applied catalog");
    assert!(!second.text.contains("Error:") && !second.text.contains("Notice: /"), "{second:#?}");
    assert_eq!(last_report(&server, "web.example.org"), "unchanged");
    // Drift is shown without, and corrected with, permission.
    std::fs::write(agent.dir.join("out/hello"), "drift\n").unwrap();
    let noop = agent.run(&["--noop"]);
    noop.expect(0, "(noop)");
    assert_eq!(agent.read("hello"), "drift\n");
    agent.run(&[]).expect(2, "(corrective)");
    assert_eq!(agent.read("hello"), "hello web.example.org\n");
}

/// The agents of other releases: programs with the interface of `puppet`, separated by colons in
/// `ORDAIN_AGENTS`. `tests/agent-of-debian` makes one.
fn other_releases() -> Vec<PathBuf> {
    let programs = std::env::var_os("ORDAIN_AGENTS").unwrap_or_default();
    let programs = std::env::split_paths(&programs).filter(|path| path.is_file());
    let programs: Vec<PathBuf> = programs.collect();
    peer(!programs.is_empty(), "an agent of version 8, which ORDAIN_AGENTS names");
    programs
}

#[test]
fn agents_of_other_releases_converge_and_renew_their_certificates() {
    for (at, program) in other_releases().iter().enumerate() {
        let server = TestServer::start(&CODE, |config| {
            config.autosign = Autosign::All;
            config.auto_renewal = true;
        });
        let name = format!("release{at}.example.org");
        let agent = Agent::with_program(&server, &name, program);
        agent.run(&[]).expect(2, "lib/facter/agent_directory.rb]/ensure: defined content");
        assert_eq!(agent.read("hello"), format!("hello {name}\n"));
        assert_eq!(agent.read("tree/sub/deep.txt"), "deep\n");
        assert_eq!(last_report(&server, &name), "changed");
        agent.run(&[]).expect(0, "Applied catalog");
        assert_eq!(last_report(&server, &name), "unchanged");
        std::fs::write(agent.dir.join("out/hello"), "drift\n").unwrap();
        agent.run(&[]).expect(2, "(corrective)");
        // A certificate of five years is due at once with such an interval.
        let path = agent.dir.join(format!("ssl/certs/{name}.pem"));
        let read = || ordain_ca::Certificate::from_pem(&std::fs::read(&path).unwrap()).unwrap();
        let before = read();
        agent.run(&["--hostcert_renewal_interval=10y"]).expect(0, "Applied catalog");
        let after = read();
        assert_ne!(before.serial(), after.serial());
        let in_61_days = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(61 * 24);
        assert!(after.not_after() < in_61_days, "it is valid for 60 days");
        agent.run(&[]).expect(0, "Applied catalog");
    }
}

#[test]
fn an_agent_meets_errors() {
    if !has_puppet() {
        return;
    }
    let server = TestServer::start(&CODE, |config| config.autosign = Autosign::All);
    let agent = Agent::new(&server, "db.example.org");
    agent.run(&[]).expect(2, "Applied catalog");
    // A catalog that does not compile: the last one is applied.
    server.edit(SITE, "fail('on purpose')\n");
    std::fs::write(agent.dir.join("out/hello"), "drift\n").unwrap();
    let broken = agent.run_as("--usecacheonfailure", &[]);
    broken.expect(2, "Error 500 on SERVER: Server Error: Evaluation Error");
    broken.expect(2, "on purpose");
    broken.expect(2, "on node db.example.org");
    broken.expect(2, "Using cached catalog");
    assert_eq!(agent.read("hello"), "hello db.example.org\n");
    agent.run(&[]).expect(1, "Not using cache on failed catalog");
    // A resource that fails, and its dependent.
    let site = "exec { '/bin/false': }\n-> notify { 'later': }\nnotify { 'other': }\n";
    server.edit(SITE, site);
    let failed = agent.run(&[]);
    failed.expect(6, "'/bin/false' returned 1 instead of one of [0]");
    failed.expect(6, "Skipping because of failed dependencies");
    failed.expect(6, "defined 'message' as 'other'");
    server.edit(SITE, "exec { '/bin/false': }\n");
    agent.run(&[]).expect(4, "returned 1");
    // A tag selects resources.
    server.edit(SITE, "notify { 'one': tag => 'wanted' }\nnotify { 'two': }\n");
    let tagged = agent.run(&["--tags", "wanted"]);
    tagged.expect(2, "defined 'message' as 'one'");
    assert!(!tagged.text.contains("'two'"), "{tagged:#?}");
    // An environment that does not exist.
    agent.run(&["--environment", "missing"]).expect(1, "Environment 'missing' not found");
}

#[test]
fn an_agent_waits_for_its_signature() {
    if !has_puppet() {
        return;
    }
    let server = TestServer::start(&[(SITE, "notify { 'here': }\n")], |_| {});
    let agent = Agent::new(&server, "new.example.org");
    agent
        .run(&[])
        .expect(1, "Couldn't fetch certificate from CA server; you might still need to sign");
    server.ca().sign("new.example.org", &ordain_ca::SignOptions::default()).unwrap();
    agent.run(&[]).expect(2, "defined 'message' as 'here'");
    server.ca().revoke(&["new.example.org".to_string()]).unwrap();
    let begin = Instant::now();
    // Requests with a revoked certificate are refused at once, connections after seconds.
    let refused = agent.run(&[]);
    assert_eq!(refused.exit, 1, "{refused:#?}");
    assert!(begin.elapsed() < Duration::from_secs(60));
}

#[test]
fn an_agent_syncs_a_large_module() {
    let stdlib = PathBuf::from("/usr/share/puppet/modules/stdlib");
    if !has_puppet() || !stdlib.is_dir() {
        return;
    }
    let server = TestServer::start(&[(SITE, "notify { 'here': }\n")], |config| {
        config.autosign = Autosign::All;
    });
    let modules = server.path("code/environments/production/modules");
    std::fs::create_dir_all(&modules).unwrap();
    // Files below a link to a directory of another place are those of the module.
    std::os::unix::fs::symlink(&stdlib, modules.join("stdlib")).unwrap();
    let agent = Agent::new(&server, "lib.example.org");
    let first = agent.run(&[]);
    first.expect(2, "Applied catalog");
    let lib = agent.dir.join("var/lib/puppet/functions/stdlib");
    assert!(lib.is_dir(), "{}", first.text);
    agent.run(&[]).expect(2, "Applied catalog");
}

#[test]
fn an_agent_gets_files_of_static_catalogs() {
    if !has_puppet() {
        return;
    }
    let server = TestServer::start(&CODE, |config| {
        config.autosign = Autosign::All;
        config.static_catalogs = true;
    });
    let agent = Agent::new(&server, "static.example.org");
    let first = agent.run(&["--debug"]);
    first.expect(2, "static_file_content/modules/motd/files/copied.txt");
    assert!(!first.text.contains("file_metadata/modules"), "{}", first.text);
    assert_eq!(
        (agent.read("copied"), agent.read("tree/sub/deep.txt")),
        ("copied\n".into(), "deep\n".into())
    );
    agent.run(&[]).expect(0, "Applied catalog");
}

#[test]
fn an_agent_fills_the_bucket_and_learns_its_environment() {
    if !has_puppet() {
        return;
    }
    let test = "environments/test/manifests/site.pp";
    let code = [
        (SITE, "notify { 'production': }\n"),
        (
            test,
            "filebucket { 'remote': server => 'localhost', port => $facts['bucket_port'], path => false }
File { backup => 'remote' }
file { \"${facts['agent_directory']}/saved\": content => \"new\\n\" }\n",
        ),
        (
            "environments/test/modules/m/lib/facter/facts.rb",
            "Facter.add(:agent_directory) { setcode { ENV['AGENT_DIRECTORY'] } }\n\
             Facter.add(:bucket_port) { setcode { Puppet[:serverport].to_i } }\n",
        ),
    ];
    let server = TestServer::start(&code, |config| {
        use std::os::unix::fs::PermissionsExt;
        config.autosign = Autosign::All;
        let program = config.state.parent().unwrap().join("classify");
        write(&program, "#!/bin/sh\nprintf 'environment: test\\nclasses: []\\n'\n");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        config.classifier = Some(program);
    });
    let agent = Agent::new(&server, "bucket.example.org");
    std::fs::write(agent.dir.join("out/saved"), "old\n").unwrap();
    let run = agent.run(&[]);
    run.expect(2, "Applied catalog");
    assert_eq!(agent.read("saved"), "new\n", "{}", run.text);
    let digest = ordain_functions::digest::sha256(b"old\n");
    let stored = server.path("state/bucket/bucket.example.org").join(format!("sha256-{digest}"));
    assert_eq!(std::fs::read_to_string(stored).unwrap(), "old\n", "{}", run.text);
}
