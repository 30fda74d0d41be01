//! `ordain watch` with the real program: machines in directories, sources that are edited, and
//! files that somebody changes.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value as Json;

/// Longer than any operation; only a hang takes this long.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A type that cannot be applied.
const NOSUCH: &str = "Puppet::Type.newtype(:nosuch) do\n  newparam(:name)\nend\n";

/// The whole standard error of a run without problems that a signal stops.
const ENDING: &str = "Notice: SIGTERM: running work is finished; a second signal ends it\n";

/// A machine, its sources, and the program that watches them.
struct WatchTest {
    dir: tempfile::TempDir,
    child: Child,
    events: Receiver<Json>,
}

impl WatchTest {
    /// Writes the sources and starts to watch.
    fn start(path: &str, sources: &[(&str, &str)], arguments: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("root/etc")).unwrap();
        for (path, text) in sources {
            write(&dir.path().join("src").join(path), text);
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .args(["watch", path, "--format", "json", "--state-dir", "../state", "--root"])
            .arg(dir.path().join("root"))
            .args(arguments)
            .current_dir(dir.path().join("src"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in out.lines() {
                let event = serde_json::from_str(&line.unwrap()).unwrap();
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Self { dir, child, events }
    }

    fn root(&self, path: &str) -> PathBuf {
        self.dir.path().join("root").join(path.trim_start_matches('/'))
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root(path)).unwrap()
    }

    fn edit(&self, path: &str, text: &str) {
        write(&self.dir.path().join("src").join(path), text);
    }

    /// Waits for the next event that satisfies a condition.
    fn until(&self, wanted: impl Fn(&Json) -> bool) -> Json {
        let mut seen = Vec::new();
        loop {
            match self.events.recv_timeout(TIMEOUT) {
                Ok(event) if wanted(&event) => return event,
                Ok(event) => seen.push(event.to_string()),
                Err(error) => panic!("{error} after\n{}", seen.join("\n")),
            }
        }
    }

    fn until_event(&self, name: &str) -> Json {
        self.until(|event| event["event"] == name)
    }

    fn until_changed(&self, resource: &str) -> Json {
        self.until(|event| event["resource"] == resource && event["status"] == "changed")
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id() as i32), signal).unwrap();
    }

    /// Waits for the program to end by itself, and returns its exit code.
    fn wait_for_exit(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Stops the program. Returns its exit code and its standard error.
    fn end(mut self) -> (i32, String) {
        self.signal(Signal::SIGTERM);
        let status = self.child.wait().unwrap();
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        (status.code().unwrap_or(-1), text)
    }
}

impl Drop for WatchTest {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const SITE: &str = "file { '/etc/motd': content => lookup('motd') }\n";
const HIERA: &str = "version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n";

#[test]
fn a_control_repository() {
    let sources =
        [("manifests/site.pp", SITE), ("hiera.yaml", HIERA), ("data/all.yaml", "motd: one\n")];
    let watched = WatchTest::start(".", &sources, &[]);
    assert_eq!(watched.until_event("graph")["new"], 1);
    watched.until_changed("File[/etc/motd]");
    assert_eq!(watched.until_event("settled")["resources"]["in_place"], 1);
    fs::write(watched.root("/etc/motd"), "spoiled").unwrap();
    watched.until_changed("File[/etc/motd]");
    assert_eq!(watched.read("/etc/motd"), "one");
    // Data files are watched like manifests.
    watched.edit("data/all.yaml", "motd: two\n");
    assert_eq!(watched.until_event("graph")["changed"], 1);
    watched.until_changed("File[/etc/motd]");
    assert_eq!(watched.read("/etc/motd"), "two");
    // Sources with errors change nothing, and are reported once.
    watched.edit("manifests/site.pp", "file { '/etc/motd': content => \n");
    let refused = watched.until_event("refused");
    assert!(refused["message"].as_str().unwrap().contains("puppet::syntax-error"), "{refused}");
    fs::remove_file(watched.root("/etc/motd")).unwrap();
    watched.until_changed("File[/etc/motd]");
    assert_eq!(watched.read("/etc/motd"), "two");
    // New source files are watched as well.
    watched.edit("manifests/site.pp", &format!("{SITE}file {{ '/etc/new': content => 'new' }}\n"));
    assert_eq!(watched.until_event("graph")["new"], 1);
    watched.until_changed("File[/etc/new]");
    watched.until_event("settled");
    fs::write(watched.root("/etc/new"), "spoiled").unwrap();
    watched.until_changed("File[/etc/new]");
    // Removed declarations leave the resource unchanged.
    watched.edit("manifests/site.pp", SITE);
    assert_eq!(watched.until_event("graph")["gone"], 1);
    assert_eq!(watched.read("/etc/new"), "new");
    watched.signal(Signal::SIGHUP);
    assert_eq!(watched.until_event("graph")["kept"], 1);
    assert_eq!(watched.end(), (0, ENDING.to_string()));
}

#[test]
fn sources_that_begin_with_an_error() {
    let watched = WatchTest::start("site.pp", &[("site.pp", "fil {")], &[]);
    watched.until_event("refused");
    watched.edit("site.pp", "file { '/etc/a': content => 'a' }\n");
    watched.until_changed("File[/etc/a]");
    assert_eq!(watched.end().0, 0);
}

#[test]
fn a_graph_that_cannot_be_carried_out_whole_changes_nothing() {
    const BAD: &str = "file { '/etc/a': content => 'new' }\n\
                       file { '/etc/b': mode => '0999' }\nnosuch { 'c': }\n";
    let kinds = ("modules/m/lib/puppet/type/nosuch.rb", NOSUCH);
    let watched = WatchTest::start(".", &[("manifests/site.pp", BAD), kinds], &[]);
    let refused = watched.until_event("refused");
    let text = refused["message"].as_str().unwrap();
    for part in ["site.pp:2", "site.pp:3", "2 resources cannot be applied, so nothing is"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!watched.root("/etc/a").exists());
    watched.edit("manifests/site.pp", "file { '/etc/a': content => 'good' }\n");
    watched.until_changed("File[/etc/a]");
    // A broken version does not replace a working one.
    watched.edit("manifests/site.pp", BAD);
    watched.until_event("refused");
    fs::write(watched.root("/etc/a"), "spoiled").unwrap();
    watched.until_changed("File[/etc/a]");
    assert_eq!(watched.read("/etc/a"), "good");
    assert_eq!(watched.end().0, 0);
    let arguments = ["--keep-going", "--converged-timeout", "0"];
    let watched = WatchTest::start(".", &[("manifests/site.pp", BAD), kinds], &arguments);
    watched.until_changed("File[/etc/a]");
    assert_eq!(watched.read("/etc/a"), "new");
    assert_eq!(watched.wait_for_exit(), 1);
}

#[test]
fn a_program_that_reads_a_file() {
    let program = "import \"os\"\n\nfile \"/etc/copy\" {\n\tstate => \"exists\",\n\tcontent => \
                   os.readfile(\"INPUT\"),\n}\n";
    let input = tempfile::NamedTempFile::new().unwrap();
    fs::write(input.path(), "first").unwrap();
    let program = program.replace("INPUT", &input.path().display().to_string());
    let watched = WatchTest::start("main.mcl", &[("main.mcl", &program)], &[]);
    watched.until_changed("File[/etc/copy]");
    assert_eq!(watched.read("/etc/copy"), "first");
    fs::write(input.path(), "second").unwrap();
    while watched.read("/etc/copy") != "second" {
        watched.until_changed("File[/etc/copy]");
    }
    fs::remove_file(watched.root("/etc/copy")).unwrap();
    watched.until_changed("File[/etc/copy]");
    assert_eq!(watched.read("/etc/copy"), "second");
    assert_eq!(watched.end(), (0, ENDING.to_string()));
}

#[test]
fn several_sources_with_a_program_that_goes_on() {
    let list = "[[source]]\npath = \"site.pp\"\n\n[[source]]\npath = \"main.mcl\"\n\n[[edge]]\nfrom = \
                \"File[/etc/motd]\"\nto = \"File[/etc/copy]\"\n";
    let program = "import \"os\"\n\nfile \"/etc/copy\" {\n\tstate => \"exists\",\n\tcontent => \
                   os.readfile(\"INPUT\"),\n}\n";
    let input = tempfile::NamedTempFile::new().unwrap();
    fs::write(input.path(), "first").unwrap();
    let program = program.replace("INPUT", &input.path().display().to_string());
    let site = "file { '/etc/motd': content => 'hello' }\n";
    let sources = [("ordain.toml", list), ("site.pp", site), ("main.mcl", &program)];
    let watched = WatchTest::start(".", &sources, &[]);
    watched.until_changed("File[/etc/copy]");
    assert_eq!(watched.read("/etc/copy"), "first");
    fs::write(input.path(), "second").unwrap();
    let graph = watched.until(|event| event["event"] == "graph");
    assert_eq!((&graph["changed"], &graph["kept"]), (&1.into(), &1.into()));
    while watched.read("/etc/copy") != "second" {
        watched.until_changed("File[/etc/copy]");
    }
    watched.edit("site.pp", &site.replace("hello", "bye"));
    watched.until_changed("File[/etc/motd]");
    assert_eq!(watched.read("/etc/copy"), "second");
    assert_eq!(watched.end(), (0, ENDING.to_string()));
}

#[test]
fn a_compile_that_takes_long_holds_nothing_up() {
    let watched =
        WatchTest::start("site.pp", &[("site.pp", "file { '/etc/a': content => 'one' }")], &[]);
    watched.until_changed("File[/etc/a]");
    let here = watched.dir.path().display().to_string();
    let waiting = format!(
        "generate('/bin/sh', '-c', 'touch {here}/begun; until [ -e {here}/go ]; do sleep 0.02; done')\n\
         file {{ '/etc/a': content => 'two' }}\n"
    );
    watched.edit("site.pp", &waiting);
    while !watched.dir.path().join("begun").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    fs::remove_file(watched.root("/etc/a")).unwrap();
    watched.until_changed("File[/etc/a]");
    assert_eq!(watched.read("/etc/a"), "one");
    fs::write(watched.dir.path().join("go"), "").unwrap();
    watched.until_changed("File[/etc/a]");
    assert_eq!(watched.read("/etc/a"), "two");
    assert_eq!(watched.end(), (0, ENDING.to_string()));
}

#[test]
fn exports_of_one_host_are_collected_by_another() {
    let store = tempfile::tempdir().unwrap();
    let store = store.path().to_str().unwrap();
    let giver = "file \"/etc/shared\" {\n\tstate => \"exists\",\n\tcontent => \"one\",\n\n\t\
                 Meta:hidden => true,\n\tMeta:export => [\"taker\"],\n}\n";
    let taker = "import \"world/collect\"\ncollect file collect.res(\"file\") {\n\tmode => \
                 \"0600\",\n}\n";
    let taker = WatchTest::start(
        "main.mcl",
        &[("main.mcl", taker)],
        &["--store", store, "--node", "taker"],
    );
    taker.until_event("settled");
    let giver = WatchTest::start(
        "main.mcl",
        &[("main.mcl", giver)],
        &["--store", store, "--node", "giver"],
    );
    taker.until_changed("File[/etc/shared]");
    assert_eq!(taker.read("/etc/shared"), "one");
    assert!(!giver.root("/etc/shared").exists());
    giver.edit("main.mcl", "print \"nothing any more\" {}\n");
    taker.until(|event| event["event"] == "graph" && event["gone"] == 1);
    assert_eq!(giver.end(), (0, ENDING.to_string()));
    assert_eq!(taker.end(), (0, ENDING.to_string()));
}

#[test]
fn a_merged_document() {
    let template = "port: (( merge || 80 ))\nnote: (( read(\"note.txt\", \"text\") ))\nresources:\n  \
                    file:\n    /etc/port:\n      content: (( \"\" port \" \" note ))\n";
    let sources = [("site.yml", template), ("prod.yml", "port: 81\n"), ("note.txt", "a")];
    let watched = WatchTest::start("site.yml", &sources, &["--stub", "prod.yml"]);
    watched.until_changed("File[/etc/port]");
    assert_eq!(watched.read("/etc/port"), "81 a");
    watched.edit("prod.yml", "port: 82\n");
    watched.until_changed("File[/etc/port]");
    assert_eq!(watched.read("/etc/port"), "82 a");
    watched.edit("note.txt", "b");
    watched.until_changed("File[/etc/port]");
    assert_eq!(watched.read("/etc/port"), "82 b");
    watched.edit("prod.yml", "port: (( nowhere ))\n");
    watched.until_event("refused");
    fs::remove_file(watched.root("/etc/port")).unwrap();
    watched.until_changed("File[/etc/port]");
    assert_eq!(watched.end(), (0, ENDING.to_string()));
}

#[test]
fn a_program_that_serves() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let program = format!(
        "http:server \"{free}\" {{}}\nhttp:server:file \"/hello\" {{\n\tdata => \"hello\",\n}}\n\
         http:server:flag \"/flag\" {{\n\tkey => \"k\",\n}}\nfile \"/etc/flag\" {{\n\tstate => \
         \"exists\",\n}}\nHttp:Server:Flag[\"/flag\"].value -> File[\"/etc/flag\"].content\n"
    );
    let watched = WatchTest::start("main.mcl", &[("main.mcl", &program)], &[]);
    watched.until_event("settled");
    let ask = |text: &str| {
        let mut stream = TcpStream::connect(free).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut out = String::new();
        stream.read_to_string(&mut out).unwrap();
        out
    };
    assert!(ask("GET /hello HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nhello"));
    ask("POST /flag HTTP/1.0\r\nContent-Length: 5\r\n\r\nk=now");
    while watched.read("/etc/flag") != "now" {
        watched.until_changed("File[/etc/flag]");
    }
    watched.edit("main.mcl", &program.replace("\"hello\"", "\"bye\""));
    watched.until_changed("Mgmt::Http::Server::File[/hello]");
    assert!(ask("GET /hello HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nbye"));
    // The edit does not change the value that was posted before.
    assert_eq!(watched.read("/etc/flag"), "now");
    watched.edit("main.mcl", "exit \"now\" {\n\tcode => 7,\n}\n");
    assert_eq!(watched.wait_for_exit(), 7);
    assert!(TcpStream::connect(free).is_err());
}

#[test]
fn a_program_with_a_page() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let program = format!(
        "http:server \"{free}\" {{}}\nhttp:server:ui \"/ui/\" {{}}\nhttp:server:ui:input \"x\" \
         {{\n\tstore => \"world://\",\n}}\nfile \"/etc/x\" {{\n\tstate => \"exists\",\n}}\nfile \
         \"/etc/seen\" {{\n\tstate => \"exists\",\n\tcontent => \
         world.getval(\"x\")->value,\n}}\nHttp:Server:Ui:Input[\"x\"].value -> \
         File[\"/etc/x\"].content\n"
    );
    let program = format!("import \"world\"\n{program}");
    let watched = WatchTest::start("main.mcl", &[("main.mcl", &program)], &[]);
    watched.until_event("settled");
    let mut stream = TcpStream::connect(free).unwrap();
    stream
        .write_all(b"POST /ui/save/ HTTP/1.0\r\nContent-Length: 14\r\n\r\nid=x&value=now")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("\r\n\r\nnull"), "{answer}");
    // The value is passed on, and stored where the program itself reads it.
    while watched.read("/etc/x") != "now" || watched.read("/etc/seen") != "now" {
        watched.until(|event| event["event"] == "resource");
    }
    assert_eq!(watched.end(), (0, ENDING.to_string()));
}

#[test]
fn a_program_that_waits_for_news() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let program = |data: &str| {
        format!(
            "http:server \"{free}\" {{}}\nhttp:server:file \"/news\" {{\n\tdata => \
             \"{data}\",\n\tlongpoll => true,\n}}\nhttp:client \"/etc/news\" {{\n\turl => \
             \"http://{free}/news\",\n\tlongpoll => true,\n\tlongpoll_conditional => true,\n\n\t\
             Depend => Http:Server[\"{free}\"],\n\tDepend => Http:Server:File[\"/news\"],\n}}\n"
        )
    };
    let watched = WatchTest::start("main.mcl", &[("main.mcl", &program("one"))], &[]);
    watched.until_changed("Mgmt::Http::Client[/etc/news]");
    watched.until_event("settled");
    assert_eq!(watched.read("/etc/news"), "one");
    for data in ["two", "three"] {
        watched.edit("main.mcl", &program(data));
        let start = Instant::now();
        while watched.read("/etc/news") != data {
            watched.until_changed("Mgmt::Http::Client[/etc/news]");
        }
        assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    }
    fs::remove_file(watched.root("/etc/news")).unwrap();
    watched.until_changed("Mgmt::Http::Client[/etc/news]");
    assert_eq!(watched.read("/etc/news"), "three");
    assert_eq!(watched.end(), (0, ENDING.to_string()));
}

#[test]
fn a_model_with_a_module() {
    let fs_model = "entity File extends std::PurgeableResource:\n    string path\n    string \
                    content\n    int mode = 644\nend\n\nFile.host [1] -- std::Host\n\nimplement \
                    File using std::none\n";
    let plugins = "from inmanta.resources import PurgeableResource, resource\n\n\ndef \
                   permissions(exporter, entity):\n    return entity.mode\n\n\n\
                   @resource(\"fs::File\", agent=\"host.name\", id_attribute=\"path\")\nclass \
                   File(PurgeableResource):\n    fields = (\"path\", \"hash\", \"permissions\")\n    \
                   get_permissions = staticmethod(permissions)\n\n    @staticmethod\n    def \
                   get_hash(exporter, entity):\n        return \
                   exporter.upload_file(entity.content)\n";
    let main = |port: u16| {
        format!(
            "import fs\n\nhost = std::Host(name=\"web\", os=std::linux)\nfs::File(host=host, \
             path=\"/etc/port\", content=\"{port}\")\n"
        )
    };
    let project = "name: site\nmodulepath: libs\ndownloadpath: libs\n";
    let sources = [
        ("project.yml", project),
        ("main.cf", &main(80)),
        ("libs/fs/module.yml", "name: fs\nversion: 1.0\nlicense: MIT\n"),
        ("libs/fs/model/_init.cf", fs_model),
        ("libs/fs/plugins/__init__.py", plugins),
    ];
    let watched = WatchTest::start(".", &sources, &[]);
    watched.until_changed("File[/etc/port]");
    assert_eq!(watched.read("/etc/port"), "80");
    watched.edit("main.cf", &main(81));
    watched.until_changed("File[/etc/port]");
    assert_eq!(watched.read("/etc/port"), "81");
    fs::remove_file(watched.root("/etc/port")).unwrap();
    watched.until_changed("File[/etc/port]");
    assert_eq!(watched.end().0, 0);
}

#[test]
fn it_ends_by_itself_when_there_is_nothing_to_do() {
    let sources = [("site.pp", "file { '/etc/a': content => 'a' }\n")];
    let mut watched = WatchTest::start("site.pp", &sources, &["--converged-timeout", "1"]);
    assert_eq!(watched.child.wait().unwrap().code(), Some(2));
    assert_eq!(watched.read("/etc/a"), "a");
}

#[test]
fn noop_changes_nothing() {
    let sources = [("site.pp", "file { '/etc/a': content => 'a' }\n")];
    let watched = WatchTest::start("site.pp", &sources, &["--noop"]);
    let event = watched.until(|event| event["resource"] == "File[/etc/a]");
    assert_eq!(event["status"], "would-change");
    watched.until_event("settled");
    assert!(!watched.root("/etc/a").exists());
    assert_eq!(watched.end().0, 0);
}

#[test]
fn resources_that_fight_are_named() {
    let site = "file { '/etc/hosts': content => \"127.0.0.1 localhost\\n\" }\n\
                host { 'a.example': ip => '10.0.0.1', target => '/etc/hosts' }\n";
    let watched = WatchTest::start("site.pp", &[("site.pp", site)], &[]);
    let mut named = Vec::new();
    while named.len() < 2 {
        let event = watched.until(|event| {
            event["message"].as_str().is_some_and(|text| text.contains("is flapping"))
        });
        named.push(event["message"].as_str().unwrap().split(' ').next().unwrap().to_string());
    }
    named.sort();
    assert_eq!(named, ["File[/etc/hosts]", "Host[a.example]"]);
    assert_eq!(watched.end().0, 0);
}

/// The number of processes with a text in their command lines.
fn processes_with(text: &str) -> usize {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(text)).count()
}

#[test]
fn a_command_whose_watch_command_ends_fails_until_it_is_edited() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().display().to_string();
    let program = |watch: &str| {
        format!(
            "exec \"count\" {{\n\tcmd => \"echo run >>{place}/log\",\n\tshell => \"/bin/sh\",\n\t\
             watchcmd => \"{watch}\",\n\twatchshell => \"/bin/sh\",\n}}\n"
        )
    };
    let file = dir.path().join("main.mcl");
    fs::write(&file, program("echo a; echo no such log >&2; exit 3")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["watch", "main.mcl", "--format", "json", "--state-dir", "state"])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut until = |wanted: &dyn Fn(&Json) -> bool| -> Json {
        let mut read = events.by_ref().map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        read.find(|event| wanted(event)).unwrap()
    };
    let failed = until(&|event| event["status"] == "failed").to_string();
    assert!(failed.contains("ended with status 3: no such log"), "{failed}");
    // The second process is in a session of its own, out of reach of signals for the group.
    let seconds = format!("31{}", std::process::id());
    let endless = format!("setsid sleep {seconds} & echo a; while sleep 3; do :; done");
    fs::write(&file, program(&endless)).unwrap();
    until(&|event| event["status"] == "changed");
    let is_there = |wanted: bool| {
        let start = Instant::now();
        while (processes_with(&seconds) > 0) != wanted {
            assert!(start.elapsed() < TIMEOUT, "is the watch command there? {}", !wanted);
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    is_there(true);
    child.kill().unwrap();
    child.wait().unwrap();
    is_there(false);
}

/// Each host sets a value and stands for election; a file has what all of them see.
const HOSTS: &str = "import \"fmt\"
import \"sys\"
import \"world\"
$host = sys.hostname()
kv \"k\" {
	value => \"of ${host}\",
	mapped => true,
}
schedule \"s\" {
	max => 2,
}
$hosts = world.kvlookup(\"k\")
file \"/etc/hosts\" {
	state => \"exists\",
	content => fmt.printf(\"%d %v\", len($hosts), world.schedule(\"s\")),
}
";

#[test]
fn three_hosts_share_a_directory() {
    let store = tempfile::tempdir().unwrap();
    let store = store.path().to_str().unwrap();
    let start = |name| {
        WatchTest::start("main.mcl", &[("main.mcl", HOSTS)], &["--store", store, "--node", name])
    };
    let until = |hosts: &[&WatchTest], wanted: &str| {
        let end = Instant::now() + TIMEOUT;
        for host in hosts {
            let read = || fs::read_to_string(host.root("/etc/hosts")).unwrap_or_default();
            while read() != wanted {
                assert!(Instant::now() < end, "{}, not {wanted}", read());
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    };
    let a = start("a");
    until(&[&a], "1 [\"a\"]");
    let b = start("b");
    until(&[&a, &b], "2 [\"a\", \"b\"]");
    let c = start("c");
    until(&[&a, &b, &c], "3 [\"a\", \"b\"]");
    // One that ends leaves the election at once; its values stay, and the others do not move.
    assert_eq!(a.end().0, 0);
    until(&[&b, &c], "3 [\"b\", \"c\"]");
    let a = start("a");
    until(&[&a, &b, &c], "3 [\"b\", \"c\"]");
}
