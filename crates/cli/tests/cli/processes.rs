//! Processes that `ordain` starts: signals, limits of time and output, and their cleanup.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value as Json;

/// Longer than any operation; only a hang takes this long.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(120);

/// The program with default signal handling, even if these tests ignore signals as background jobs
/// of a shell do.
pub(crate) fn ordain() -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_ordain")]);
    command
}

/// A directory with sources and a state directory.
struct TestDir(tempfile::TempDir);

impl TestDir {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = place.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text.replace("DIR", place.0.path().to_str().unwrap())).unwrap();
            let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = ordain();
        command.args(arguments).current_dir(self.0.path());
        command.env("ORDAIN_STATE_DIR", self.path("state")).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Waits for a file that a program writes, and returns its text.
    fn text(&self, name: &str) -> String {
        let text = || fs::read_to_string(self.path(name)).ok().filter(|text| text.ends_with('\n'));
        wait_until(|| text().is_some());
        text().unwrap()
    }
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !is_so() {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_running(pid: &str) -> bool {
    assert!(pid.trim().parse::<u32>().is_ok(), "{pid}");
    let stat = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

/// Sends a signal and waits until the program reports it. Returns the program's standard error
/// after its end.
fn signal_and_hear(child: &mut Child, number: Signal) -> JoinHandle<String> {
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    signal(child, number);
    let mut text = String::new();
    while !text.contains("running work is finished") {
        assert!(errors.read_line(&mut text).unwrap() > 0, "{text}");
    }
    std::thread::spawn(move || {
        errors.read_to_string(&mut text).unwrap();
        text
    })
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Starts a process that leaves its session, its process group and its environment, prints its id,
/// and never ends.
const ENDLESS: &str = "#!/bin/sh\nenv -i setsid sleep 1000 &\necho $! > DIR/pid\nsleep 1000\n";

/// A command of that kind, and a resource that comes after it.
const LONG_RUNNING_MANIFEST: &str =
    "exec { 'DIR/program': } -> file { 'DIR/after': content => 'x' }\n";

#[test]
fn running_work_finishes_and_nothing_more_begins() {
    for (number, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        let place = TestDir::new(&[(
            "site.pp",
            "exec { '/bin/sh -c \"echo > DIR/begun; read x < DIR/go; echo > DIR/ended\"': }
            -> file { 'DIR/after': content => 'x' }
            -> file { 'DIR/more': content => 'x' }",
        )]);
        nix::unistd::mkfifo(&place.path("go"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut child = place.start(&["apply", "site.pp", "--format", "json"]);
        place.text("begun");
        let said = signal_and_hear(&mut child, number);
        fs::write(place.path("go"), "\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let text = said.join().unwrap();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(place.path("ended").exists());
        assert!(!place.path("after").exists());
        let report: Json = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&report["counts"]["run"], &report["counts"]["not_reached"]),
            (&1.into(), &2.into())
        );
        assert!(text.contains(&format!("{} ended the run", number.as_str())), "{text}");
        assert!(text.contains("not reached (2): File["), "{text}");
        // The next run reports it once, and applies the rest.
        let after = format!("file {{ '{}': content => 'x' }}", place.path("after").display());
        fs::write(place.path("site.pp"), after).unwrap();
        let next = place.run(&["apply", "site.pp"]);
        assert_eq!(next.status.code(), Some(2));
        assert!(err(&next).contains(") was interrupted"), "{}", err(&next));
        assert!(err(&place.run(&["apply", "site.pp"])).is_empty());
    }
}

#[test]
fn a_second_signal_ends_what_runs() {
    for verb in [&["apply", "site.pp"][..], &["watch", "site.pp", "--lines"]] {
        let place = TestDir::new(&[("site.pp", LONG_RUNNING_MANIFEST), ("program", ENDLESS)]);
        let mut child = place.start(verb);
        let pid = place.text("pid");
        let said = signal_and_hear(&mut child, Signal::SIGTERM);
        // Signals in short succession count as one.
        std::thread::sleep(Duration::from_millis(600));
        assert!(is_running(&pid));
        signal(&child, Signal::SIGTERM);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(143), "{}", said.join().unwrap());
        assert!(!is_running(&pid));
        assert!(!place.path("after").exists());
        let shown = place.run(&["show"]);
        let shown = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.contains("run  failed"), "{shown}");
    }
}

#[test]
fn a_run_that_is_killed_takes_its_commands_along_before_the_next_begins() {
    let place = TestDir::new(&[
        ("site.pp", LONG_RUNNING_MANIFEST),
        ("program", ENDLESS),
        ("next.pp", "notice('x')\n"),
    ]);
    for _ in 0..3 {
        let mut child = place.start(&["apply", "site.pp"]);
        let pid = place.text("pid");
        signal(&child, Signal::SIGKILL);
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        let next = place.run(&["apply", "next.pp"]);
        assert!(!is_running(&pid), "the next run began beside a command of the last");
        assert_eq!(next.status.code(), Some(0), "{}", err(&next));
        fs::remove_file(place.path("pid")).unwrap();
    }
}

#[test]
fn a_daemon_of_a_command_that_succeeded_lives_on() {
    let place = TestDir::new(&[
        ("daemon", "#!/bin/sh\nsetsid sleep 1000 &\necho $! > DIR/pid\n"),
        ("long", "#!/bin/sh\necho > DIR/begun\nexec sleep 1000\n"),
        ("site.pp", "exec { 'DIR/daemon': } -> exec { 'DIR/long': }\n"),
    ]);
    let mut child = place.start(&["apply", "site.pp"]);
    place.text("begun");
    signal(&child, Signal::SIGKILL);
    child.wait().unwrap();
    let pid = place.text("pid");
    // The lock is released when the last command has ended.
    let next = TestDir::new(&[("next.pp", "notice('x')\n")]);
    let path = next.path("next.pp");
    assert_eq!(place.run(&["apply", path.to_str().unwrap()]).status.code(), Some(0));
    assert!(is_running(&pid));
    kill(Pid::from_raw(pid.trim().parse().unwrap()), Signal::SIGKILL).unwrap();
}

#[test]
fn a_command_that_ended_before_the_second_signal_keeps_its_daemon() {
    let place = TestDir::new(&[
        (
            "program",
            "#!/bin/sh\nsetsid sleep 1000 &\necho $! > DIR/pid\necho $$ $PPID > DIR/pids\nread x < DIR/go\n",
        ),
        ("site.pp", LONG_RUNNING_MANIFEST),
    ]);
    nix::unistd::mkfifo(&place.path("go"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut child = place.start(&["apply", "site.pp"]);
    let pids = place.text("pids");
    let (program, supervisor) = pids.trim().split_once(' ').unwrap();
    let supervisor = Pid::from_raw(supervisor.parse().unwrap());
    let said = signal_and_hear(&mut child, Signal::SIGTERM);
    // The supervisor finds the end of the program and the second signal at the same moment.
    kill(supervisor, Signal::SIGSTOP).unwrap();
    fs::write(place.path("go"), "\n").unwrap();
    wait_until(|| !is_running(program));
    std::thread::sleep(Duration::from_millis(600));
    signal(&child, Signal::SIGTERM);
    std::thread::sleep(Duration::from_millis(200));
    kill(supervisor, Signal::SIGCONT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", said.join().unwrap());
    let shown = place.run(&["show", "--format", "json"]);
    let shown: Json = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["steps"][0]["ok"], true, "{shown}");
    let daemon = place.text("pid");
    assert!(is_running(&daemon));
    kill(Pid::from_raw(daemon.trim().parse().unwrap()), Signal::SIGKILL).unwrap();
}

#[test]
fn a_panic_in_a_resource_fails_it_and_the_others_are_applied() {
    let place = TestDir::new(&[(
        "site.pp",
        "file { 'DIR/a': content => 'a' }
        -> file { 'DIR/bad': content => 'b' }
        -> file { 'DIR/dependent': content => 'd' }
        file { 'DIR/c': content => 'c', require => File['DIR/a'] }",
    )]);
    // Debug builds panic in this resource.
    let bad = format!("File[{}]", place.path("bad").display());
    let output = place.command(&["apply", "site.pp"]).env("ORDAIN_PANIC_IN", bad).output().unwrap();
    let said = err(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("this is a bug in Ordain"), "{said}");
    assert!(said.contains("the engine broke off in kind File; this is a bug in Ordain"), "{said}");
    let exists = |name| place.path(name).exists();
    assert!(exists("a") && exists("c") && !exists("bad") && !exists("dependent"));
    assert_eq!(place.run(&["apply", "site.pp"]).status.code(), Some(2));
    assert!(exists("bad") && exists("dependent"));
}

#[test]
fn a_command_whose_time_is_over_leaves_nothing() {
    let site = "exec { 'DIR/program': timeout => 1 }\n";
    let place = TestDir::new(&[("site.pp", site), ("program", ENDLESS)]);
    assert_eq!(place.run(&["apply", "site.pp"]).status.code(), Some(1));
    assert!(!is_running(&place.text("pid")));
}

/// Prints without end.
const FLOOD: &str = "#!/bin/sh\nexec yes\n";

/// Sources that run the program `DIR/program`, and the arguments that compile them.
const COMPILES: &[(&str, &str, &[&str])] = &[
    ("a.pp", "notice(generate('DIR/program'))\n", &["compile", "a.pp"]),
    ("b.yml", "a: (( exec(\"DIR/program\") ))\n", &["merge", "b.yml"]),
];

#[test]
fn programs_of_a_compile_have_limits_that_are_settings() {
    for (name, text, arguments) in COMPILES {
        let place = TestDir::new(&[(name, text), ("program", ENDLESS)]);
        let started = Instant::now();
        let output = place.run(&[arguments, &["--command-timeout", "1"][..]].concat());
        assert!(!output.status.success());
        let said = err(&output);
        assert!(said.contains("no end within 1s; --command-timeout allows more"), "{said}");
        assert!(started.elapsed() < TIMEOUT);
        assert!(!is_running(&place.text("pid")), "{name}");

        let place = TestDir::new(&[(name, text), ("program", FLOOD)]);
        let mut command = place.command(arguments);
        let output = command.env("ORDAIN_COMMAND_OUTPUT", "1").output().unwrap();
        assert!(!output.status.success());
        let said = err(&output);
        assert!(said.contains("more than 1 MiB of output; --command-output allows more"), "{said}");
    }
}

#[test]
fn a_program_of_mgmt_waits_so_long_for_the_first_line() {
    let program = "import \"os\"\nfile \"DIR/x\" {\n\tcontent => os.system(\"DIR/program\"),\n}\n";
    let place = TestDir::new(&[("a.mcl", program), ("program", ENDLESS)]);
    let output = place.run(&["plan", "a.mcl", "--command-timeout", "1"]);
    let said = err(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no line within 1s; --command-timeout allows more"), "{said}");
    wait_until(|| !is_running(&place.text("pid")));
}

#[test]
fn external_facts_have_limits() {
    let place = TestDir::new(&[("facts/a.sh", ENDLESS), ("more/b.sh", FLOOD)]);
    let directories = ["--external-dir", "facts", "--external-dir", "more"];
    let limits = ["--command-timeout", "1", "--command-output", "1"];
    let output = place.run(&[&["facts", "kernel"][..], &directories, &limits].concat());
    let said = err(&output);
    assert!(said.contains("no end within 1s"), "{said}");
    assert!(said.contains("more than 1 MiB of output"), "{said}");
    assert!(!is_running(&place.text("pid")));
}

#[test]
fn a_compile_that_is_killed_takes_its_programs_along() {
    for (name, text, arguments) in COMPILES {
        let place = TestDir::new(&[(name, text), ("program", ENDLESS)]);
        for number in [Signal::SIGKILL, Signal::SIGINT] {
            let mut child = place.start(arguments);
            let pid = place.text("pid");
            signal(&child, number);
            child.wait().unwrap();
            wait_until(|| !is_running(&pid));
            fs::remove_file(place.path("pid")).unwrap();
        }
    }
}

#[test]
fn a_signal_that_the_caller_ignores_stays_ignored() {
    let place = TestDir::new(&[(
        "site.pp",
        "exec { '/bin/sh -c \"echo > DIR/begun; read x < DIR/go\"': }
        -> file { 'DIR/after': content => 'x' }",
    )]);
    nix::unistd::mkfifo(&place.path("go"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut shell = Command::new("/bin/sh");
    let script = "trap '' HUP; exec \"$@\"";
    shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_ordain"), "apply", "site.pp"]);
    shell.current_dir(place.0.path()).env("ORDAIN_STATE_DIR", place.path("state"));
    let child = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    place.text("begun");
    signal(&child, Signal::SIGHUP);
    fs::write(place.path("go"), "\n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
    assert!(place.path("after").exists());
}

/// Starts 200 processes that leave their session and their parent, and never ends.
const FORKING_SCRIPT: &str = "#!/bin/sh
i=0
while [ $i -lt 200 ]; do
    (setsid sh -c 'sleep 1000 & echo $! >> DIR/pids' &)
    i=$((i + 1))
done
while [ \"$(wc -l < DIR/pids)\" -lt 200 ]; do sleep 0.05; done
echo > DIR/begun
sleep 1000
";

/// The process ids in a file.
fn pids(place: &TestDir) -> Vec<String> {
    let text = place.text("pids");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn many_processes_that_leave_their_parents_end_with_the_run() {
    for number in [Signal::SIGKILL, Signal::SIGTERM] {
        let place = TestDir::new(&[
            ("site.pp", LONG_RUNNING_MANIFEST),
            ("program", FORKING_SCRIPT),
            ("next.pp", "notice('x')"),
        ]);
        let mut child = place.start(&["apply", "site.pp"]);
        place.text("begun");
        let pids = pids(&place);
        assert!(pids.len() == 200 && pids.iter().all(|pid| is_running(pid)), "{}", pids.len());
        if number == Signal::SIGTERM {
            let _said = signal_and_hear(&mut child, number);
            std::thread::sleep(Duration::from_millis(600));
        }
        signal(&child, number);
        child.wait().unwrap();
        assert_eq!(place.run(&["apply", "next.pp"]).status.code(), Some(0));
        let left: Vec<_> = pids.iter().filter(|pid| is_running(pid)).collect();
        assert!(left.is_empty(), "{number}: {left:?}");
    }
}

#[test]
fn many_processes_that_leave_their_parents_end_when_the_time_is_over() {
    let site = "exec { 'DIR/program': timeout => 4 }\n";
    let place = TestDir::new(&[("site.pp", site), ("program", FORKING_SCRIPT)]);
    assert_eq!(place.run(&["apply", "site.pp"]).status.code(), Some(1));
    let left: Vec<_> = pids(&place).into_iter().filter(|pid| is_running(pid)).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// The cgroup directory of this process, if the test can create groups in it.
fn control_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let name = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2"))?;
    let group = Path::new(mount.split(' ').nth(1)?).join(name);
    let probe = group.join(format!("ordain-test-{}", std::process::id()));
    fs::create_dir(&probe).ok()?;
    fs::remove_dir(&probe).ok()?;
    Some(group)
}

/// The cgroups of the supervisors of a process, each with the supervisor's id.
fn groups_of(parent: u32, group: &Path) -> Vec<(PathBuf, i32)> {
    let entries = fs::read_dir(group).unwrap().map(|entry| entry.unwrap().path());
    let supervisor = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_prefix("command-supervisor-")?;
        let stat = fs::read_to_string(format!("/proc/{name}/stat")).ok()?;
        let of = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse::<u32>().ok()?;
        (of == parent).then(|| Some((path.clone(), name.parse().ok()?)))?
    };
    entries.filter_map(supervisor).collect()
}

#[test]
fn no_control_group_stays_behind() {
    let Some(group) = control_group() else { return };
    let place = TestDir::new(&[
        ("site.pp", LONG_RUNNING_MANIFEST),
        ("program", ENDLESS),
        ("next.pp", "exec { '/bin/true': }"),
    ]);
    for kills_supervisor in [false, true] {
        let mut child = place.start(&["apply", "site.pp"]);
        let pid = place.text("pid");
        let groups = groups_of(child.id(), &group);
        if groups.is_empty() {
            // A service manager does not allow these groups.
            signal(&child, Signal::SIGKILL);
            child.wait().unwrap();
            return;
        }
        if kills_supervisor {
            // No process is left that could remove the group.
            for (_, supervisor) in &groups {
                kill(Pid::from_raw(*supervisor), Signal::SIGSTOP).unwrap();
            }
        }
        signal(&child, Signal::SIGKILL);
        child.wait().unwrap();
        if kills_supervisor {
            for (path, supervisor) in &groups {
                kill(Pid::from_raw(*supervisor), Signal::SIGKILL).unwrap();
                fs::write(path.join("cgroup.kill"), "1").unwrap();
            }
            assert!(groups.iter().all(|(path, _)| path.exists()));
        }
        wait_until(|| !is_running(&pid));
        assert_eq!(place.run(&["apply", "next.pp"]).status.code(), Some(2));
        for (path, _) in &groups {
            wait_until(|| !path.exists());
        }
        fs::remove_file(place.path("pid")).unwrap();
    }
}

#[test]
fn a_rollback_that_is_told_to_end_puts_back_whole_files_and_the_next_one_the_rest() {
    // So many names fill the pipe that nobody reads: the rollback blocks in the middle.
    let count = 600;
    let place = TestDir::new(&[]);
    let name = |number: usize| place.path(&format!("files/{number:04}-{}", "x".repeat(240)));
    fs::create_dir(place.path("files")).unwrap();
    let mut site = String::new();
    for number in 0..count {
        fs::write(name(number), "before").unwrap();
        site += &format!("file {{ '{}': content => 'after' }}\n", name(number).display());
    }
    fs::write(place.path("site.pp"), site).unwrap();
    let applied = place.run(&["apply", "site.pp", "--quiet"]);
    assert_eq!(applied.status.code(), Some(2), "{}", err(&applied));
    let is_back = |number: &usize| fs::read_to_string(name(*number)).unwrap() == "before";

    let mut child = place.start(&["rollback"]);
    wait_until(|| is_back(&20));
    let said = signal_and_hear(&mut child, Signal::SIGTERM);
    let output = child.wait_with_output().unwrap();
    let text = said.join().unwrap();
    assert_eq!(output.status.code(), Some(143), "{text}");
    assert!(text.contains("SIGTERM ended the run") && text.contains("not reached ("), "{text}");
    let back = (0..count).filter(is_back).count();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let last = stdout.lines().last().unwrap();
    assert_eq!(last, format!("Restored: {back} of run 1, {} not reached.", count - back));
    assert!(back > 20 && back < count, "{last}");
    for number in 0..count {
        let text = fs::read_to_string(name(number)).unwrap();
        assert!(text == "before" || text == "after", "{text}");
    }

    // The number still refers to the first run.
    let next = place.run(&["rollback", "1"]);
    assert_eq!(next.status.code(), Some(2), "{}", err(&next));
    assert!((0..count).all(|number| is_back(&number)));
    let names: Vec<_> = fs::read_dir(place.path("files")).unwrap().collect();
    assert_eq!(names.len(), count, "temporary files are left");
}

/// A package manager that waits for a signal to continue.
const APT: &str = "#!/bin/sh
echo > /begun
read go < /go
for name in \"$@\"; do
    case $name in
    one | two) printf 'Package: %s\\nStatus: install ok installed\\nVersion: 1\\n\\n' $name >> /var/lib/dpkg/status ;;
    esac
done
echo \"$@\" >> /calls
";

#[test]
fn a_transaction_of_packages_is_finished_when_the_run_is_told_to_end() {
    let is_root = nix::unistd::geteuid().is_root();
    let busybox = Path::new("/bin/busybox");
    if !is_root || !ordain_testkit::peer(busybox.exists(), "busybox-static") {
        return;
    }
    let place = TestDir::new(&[
        ("root/usr/bin/apt-get", APT),
        ("root/var/lib/dpkg/status", ""),
        (
            "site.pp",
            "package { ['one', 'two']: ensure => installed, provider => 'apt' }
            -> file { '/after': content => 'x' }",
        ),
    ]);
    fs::create_dir(place.path("root/bin")).unwrap();
    fs::copy(busybox, place.path("root/bin/busybox")).unwrap();
    std::os::unix::fs::symlink("busybox", place.path("root/bin/sh")).unwrap();
    nix::unistd::mkfifo(&place.path("root/go"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let apply = ["apply", "site.pp", "--root", "root", "--format", "json"];
    let mut child = place.start(&apply);
    place.text("root/begun");
    let said = signal_and_hear(&mut child, Signal::SIGTERM);
    fs::write(place.path("root/go"), "\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = said.join().unwrap();
    assert_eq!(output.status.code(), Some(143), "{text}");
    let calls = place.text("root/calls");
    assert!(calls.lines().count() == 1 && calls.contains("one two"), "{calls}");
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["counts"]["created"], 2, "{report}");
    assert_eq!(report["counts"]["not_reached"], 1, "{report}");
    assert!(!place.path("root/after").exists());
    // The next run detects both, and applies the rest.
    let next = place.run(&apply);
    assert_eq!(next.status.code(), Some(2), "{}", err(&next));
    assert_eq!(place.text("root/calls"), calls);
    assert!(place.path("root/after").exists());
}
