//! Programs in a simulated world. Nothing waits: the test advances the time.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use ordain_mcl::exports;
use ordain_mcl::functions::environment::{Environment, Memory, MemoryShared, Shared, Watch};
use ordain_mcl::graph::resource::Resources;
use ordain_mcl::session::{self, Input, Options};
use ordain_mcl::stream::{PollResult, Stream, Wait};
use ordain_source::{EntryKind, ProcessOutput, ProcessRequest, SourceMap, World};

fn start(text: &str, host: &Memory) -> Stream {
    let input = Input::Text("/main.mcl".into(), text.into());
    let checked = session::check(&host.world, &SourceMap::new(), &input, &Options::default());
    Stream::new(checked.unwrap().program, host).unwrap()
}

fn graph(stream: &mut Stream, host: &Memory) -> Arc<Resources> {
    match stream.poll(host) {
        Ok(PollResult::Graph(resources)) => resources,
        other => panic!("no graph but {other:?}"),
    }
}

fn is_nothing(stream: &mut Stream, host: &Memory) -> bool {
    matches!(stream.poll(host), Ok(PollResult::Nothing))
}

fn seconds(count: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(count)
}

#[test]
fn a_program_that_waits_for_nothing_has_one_graph() {
    let host = Memory::default();
    let mut stream = start("test \"a\" {}\n", &host);
    assert_eq!(graph(&mut stream, &host).lines(), ["Vertex: test[a]"]);
    assert!(is_nothing(&mut stream, &host));
    assert!(stream.is_over());
    assert!(stream.due().is_none() && stream.watches().is_empty());
}

#[test]
fn timers_come_due_and_are_armed_again() {
    let mut host = Memory::default();
    host.world.time = 100;
    let text = "import \"datetime\"\nimport \"convert\"\n\
                test convert.int_to_str(datetime.now()) {}\n";
    let mut stream = start(text, &host);
    assert_eq!(graph(&mut stream, &host).lines(), ["Vertex: test[100]"]);
    assert_eq!(stream.due(), Some(seconds(101)));
    assert!(is_nothing(&mut stream, &host), "it is not yet time");
    host.world.time = 105;
    assert_eq!(graph(&mut stream, &host).lines(), ["Vertex: test[105]"]);
    assert_eq!(stream.due(), Some(seconds(106)));
    assert!(!stream.is_over());
}

#[test]
fn only_what_is_in_a_live_branch_is_watched() {
    let mut host = Memory::default();
    host.world.files.insert("/switch".into(), b"on".into());
    host.world.files.insert("/x".into(), b"1".into());
    let text = "import \"os\"\nif os.readfile(\"/switch\") == \"on\" {\n\ttest os.readfile(\"/x\") \
                {}\n}\n";
    let mut stream = start(text, &host);
    assert_eq!(graph(&mut stream, &host).lines(), ["Vertex: test[1]"]);
    assert!(stream.watches_changed());
    let both = BTreeSet::from([Watch::File("/switch".into()), Watch::File("/x".into())]);
    assert_eq!(*stream.watches(), both);
    host.world.files.insert("/switch".into(), b"off".into());
    assert!(stream.happened(&Watch::File("/switch".into())));
    assert!(graph(&mut stream, &host).lines().is_empty());
    assert!(stream.watches_changed());
    assert!(!stream.happened(&Watch::File("/x".into())), "nobody waits for it any more");
}

#[test]
fn a_burst_is_one_graph_and_an_equal_one_is_none() {
    let mut host = Memory::default();
    host.world.files.insert("/a".into(), b"1".into());
    host.world.files.insert("/b".into(), b"2".into());
    let text = "import \"os\"\ntest os.readfile(\"/a\") + os.readfile(\"/b\") {}\n";
    let mut stream = start(text, &host);
    assert_eq!(graph(&mut stream, &host).lines(), ["Vertex: test[12]"]);
    for (path, content) in [("/a", "3"), ("/b", "4")] {
        host.world.files.insert(path.into(), content.into());
        stream.happened(&Watch::File(path.into()));
    }
    assert_eq!(graph(&mut stream, &host).lines(), ["Vertex: test[34]"]);
    stream.happened(&Watch::File("/a".into()));
    assert!(is_nothing(&mut stream, &host));
}

#[test]
fn hosts_share_values_and_schedules() {
    let host = Memory { hostname: "h1".into(), ..Memory::default() };
    let text = "import \"world\"\n$got = world.getval(\"k\")\ntest [\"${hostname}\", \
                $got->value,] {}\nforkv $h, $v in world.kvlookup(\"ns\") {\n\tnoop \"${h}-${v}\" \
                {}\n}\nif $hostname in world.schedule(\"s\") {\n\tnoop \"elected\" {}\n}\n";
    let text = text.replace("$got->value,]", "\"is \" + $got->value]");
    let mut stream = start(&text, &host);
    assert_eq!(graph(&mut stream, &host).lines(), ["Vertex: test[h1]", "Vertex: test[is ]"]);
    host.shared.set("k", Some("v".into()));
    host.shared.set_by_host("ns", "h2", Some("two".into()));
    host.shared.set_schedule("s", vec!["h1".into()]);
    for watch in [Watch::Key("k".into()), Watch::Key("ns".into()), Watch::Schedule("s".into())] {
        assert!(stream.happened(&watch), "{watch:?}");
    }
    let lines = ["noop[elected]", "noop[h2-two]", "test[h1]", "test[is v]"];
    let lines: Vec<String> = lines.iter().map(|line| format!("Vertex: {line}")).collect();
    assert_eq!(graph(&mut stream, &host).lines(), lines);
}

#[test]
fn exports_of_one_host_are_collected_by_another() {
    let giver = Memory { hostname: "giver".into(), ..Memory::default() };
    let text = "file \"/tmp/x\" {\n\tcontent => \"from ${hostname}\",\n\tmode => \"0600\",\n\n\t\
                Meta:hidden => true,\n\tMeta:export => [\"*\"],\n}\nvalue \"v\" {\n\tany => {\"a\" => \
                [1.0, 2.5]},\n\n\tMeta:export => [\"other\"],\n}\n";
    let made = graph(&mut start(text, &giver), &giver);

    let taker = Memory { hostname: "taker".into(), ..Memory::default() };
    let text = "import \"world/collect\"\ncollect file collect.res(\"file\") {\n\tmode => \
                \"0644\",\n}\n";
    let mut stream = start(text, &taker);
    assert!(graph(&mut stream, &taker).lines().is_empty());
    share(&taker.shared, &made);
    assert!(stream.happened(&Watch::Exports("file".into())));
    let taken = graph(&mut stream, &taker);
    assert_eq!(taken.lines(), ["Vertex: file[/tmp/x]"]);
    assert_eq!(taken.list[0].text("content"), "from giver");
    assert_eq!(taken.list[0].text("mode"), "0644", "the statement's own fields count");
    assert!(taken.list[0].meta.export.is_empty(), "it is not exported again");
}

fn share(shared: &MemoryShared, made: &Resources) {
    for resource in &made.list {
        let hosts = resource.meta.export.iter().map(|host| host.as_str().into()).collect();
        shared.export(exports::encode(resource, "giver"), hosts);
    }
}

#[test]
fn an_error_at_run_time_ends_the_program() {
    let mut host = Memory::default();
    host.world.files.insert("/x".into(), b"a".into());
    let text = "import \"os\"\nimport \"regexp\"\nif regexp.match(os.readfile(\"/x\"), \"a\") \
                {\n\ttest \"a\" {}\n}\n";
    let mut stream = start(text, &host);
    assert_eq!(graph(&mut stream, &host).lines(), ["Vertex: test[a]"]);
    host.world.files.insert("/x".into(), b"(".into());
    stream.happened(&Watch::File("/x".into()));
    let failures = stream.poll(&host).unwrap_err();
    assert!(failures[0].text.starts_with("pattern did not compile"), "{}", failures[0].text);
    assert!(stream.is_over());
    assert!(stream.poll(&host).is_err());
}

#[test]
fn resources_that_cannot_be_do_not_end_it() {
    let mut host = Memory::default();
    host.world.files.insert("/x".into(), b"a".into());
    let text = "import \"os\"\ntest [\"a\", \"b\"] {}\nTest[\"a\"] -> Test[os.readfile(\"/x\")]\n";
    host.world.files.insert("/x".into(), b"c".into());
    let mut stream = start(text, &host);
    assert!(stream.poll(&host).is_err());
    assert!(!stream.is_over());
    host.world.files.insert("/x".into(), b"b".into());
    stream.happened(&Watch::File("/x".into()));
    assert_eq!(graph(&mut stream, &host).edges.len(), 1);
}

/// A world that plays a script of events.
struct ScriptedWorld {
    host: Memory,
    /// The events by second.
    script: Vec<(u64, &'static str, &'static str)>,
}

impl Wait for ScriptedWorld {
    fn wait(&mut self, watches: &BTreeSet<Watch>, until: Option<SystemTime>) -> Vec<Watch> {
        let until =
            until.map(|time| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs());
        match self.script.first().copied() {
            Some((time, path, content)) if until.is_none_or(|until| time <= until) => {
                self.script.remove(0);
                self.host.world.time = time;
                self.host.world.files.insert(path.into(), content.into());
                let event = Watch::File(path.into());
                if watches.contains(&event) { vec![event] } else { Vec::new() }
            }
            _ => {
                self.host.world.time = until.expect("something is waited for");
                Vec::new()
            }
        }
    }

    fn environment(&self) -> &dyn Environment {
        &self.host
    }
}

#[test]
fn the_next_graph_is_waited_for() {
    let mut host = Memory::default();
    host.world.files.insert("/x".into(), b"a".into());
    let text = "import \"os\"\ntest os.readfile(\"/x\") {}\n";
    let mut stream = start(text, &host);
    let script = vec![(3, "/y", "not watched"), (5, "/x", "a"), (7, "/x", "b"), (30, "/x", "c")];
    let mut play = ScriptedWorld { host, script };
    let mut next = |play: &mut ScriptedWorld, deadline: Option<u64>| {
        let found = stream.next_graph(play, deadline.map(seconds)).unwrap();
        (play.host.world.time, found.map(|graph| graph.lines().join(" ")))
    };
    assert_eq!(next(&mut play, None), (0, Some("Vertex: test[a]".into())));
    assert_eq!(next(&mut play, None), (7, Some("Vertex: test[b]".into())));
    assert_eq!(next(&mut play, Some(20)), (20, None), "nothing until then");
    assert_eq!(next(&mut play, Some(40)), (30, Some("Vertex: test[c]".into())));
}

#[test]
fn many_events_leave_nothing_behind() {
    let mut host = Memory::default();
    host.world.files.insert("/n".into(), b"0".into());
    let text = "import \"os\"\nimport \"iter\"\nimport \"convert\"\nimport \"fmt\"\n$n = \
                convert.str_to_int(os.readfile(\"/n\"))\n$all = iter.map(iter.range($n), func($x) { \
                $x * 2 })\ntest fmt.printf(\"%d\", len($all)) {}\n";
    let mut stream = start(text, &host);
    graph(&mut stream, &host);
    let mut most = 0;
    for round in 0..2_000_u32 {
        host.world.files.insert("/n".into(), (round % 7).to_string().into());
        stream.happened(&Watch::File("/n".into()));
        let _ = stream.poll(&host).unwrap();
        if round == 20 {
            most = stream.size();
        }
        assert!(round < 20 || stream.size() <= most + 20, "{} after {round}", stream.size());
    }
}

#[test]
fn files_of_a_package_come_after_it() {
    let mut host = Memory::default();
    let files = [
        "/usr/lib/systemd/system/web.service",
        "/etc/web/a.conf",
        "/etc/web/d/b.conf",
        "/usr/bin/web",
    ];
    host.packages.insert("web".into(), files.map(str::to_owned).to_vec());
    let text = "pkg \"web\" {\n\tstate => \"installed\",\n}\nsvc \"web\" {}\nfile \"/etc/web/a.conf\" \
                {}\nfile \"/etc/web/d/\" {}\nfile \"/etc/web/c.conf\" {}\nexec \"x\" {\n\tcmd => \"/usr/bin/web \
                -x\",\n}\nfile \"/etc/web/d/e\" {\n\tMeta:autoedge => false,\n}\n";
    let mut stream = start(text, &host);
    let lines = graph(&mut stream, &host).lines();
    let edges: Vec<&String> = lines.iter().filter(|line| line.starts_with("Edge")).collect();
    assert_eq!(
        edges.iter().map(|line| line.split(" # ").next().unwrap()).collect::<Vec<_>>(),
        [
            "Edge: pkg[web] -> exec[x]",
            "Edge: pkg[web] -> file[/etc/web/a.conf]",
            "Edge: pkg[web] -> file[/etc/web/d/]",
            "Edge: pkg[web] -> svc[web]",
        ]
    );
}

/// A machine with nothing but a clock that advances while somebody waits.
struct Clock {
    host: Memory,
    time: AtomicU64,
}

impl World for Clock {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.host.world.read(path)
    }

    fn kind(&self, path: &Path) -> Option<EntryKind> {
        self.host.world.kind(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, EntryKind)>> {
        self.host.world.list(path)
    }

    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn now(&self) -> SystemTime {
        seconds(self.time.load(Ordering::Relaxed))
    }

    fn sleep(&self, time: Duration) -> bool {
        self.time.fetch_add(time.as_secs(), Ordering::Relaxed);
        true
    }

    fn random(&self) -> u64 {
        0
    }

    fn run(&self, _: &ProcessRequest) -> io::Result<ProcessOutput> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Environment for Clock {
    fn world(&self) -> &dyn World {
        self
    }

    fn hostname(&self) -> ecow::EcoString {
        self.host.hostname()
    }

    fn shared(&self) -> &dyn Shared {
        self.host.shared()
    }
}

#[test]
fn the_first_graph_waits_for_values_that_take_their_time() {
    let text = "import \"list\"\nimport \"test\"\n\
                test list.lookup([\"a\"], 42) <|> test.slow_string() <|> \"default\" {}\n";
    let compile = |host: &dyn Environment| {
        let input = Input::Text("/main.mcl".into(), text.into());
        let world = host.world();
        session::compile(world, &SourceMap::new(), &input, &Options::default(), host)
    };
    let clock = Clock { host: Memory::default(), time: AtomicU64::new(100) };
    let compiled = compile(&clock).unwrap();
    assert_eq!(compiled.resources.lines(), ["Vertex: test[five seconds has elapsed]"]);
    assert_eq!(clock.now(), seconds(105));
    // Without passing time, waiting ends.
    assert!(compile(&Memory::default()).is_err());
}
