//! DHCP addresses in a private network, requested by the client of busybox.
//!
//! Without busybox the test is left out with a line that says so; where `CI` is set, that is a
//! failure.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::host::Host;
use ordain_engine::kind::Registry;
use ordain_engine::observer::NoObserver;
use ordain_engine::prepare::Prepared;
use ordain_engine::reconcile::{Reconciler, SchedulerOptions};
use ordain_engine::runner::HostRunner;
use rustix::process::{Pid, Signal, kill_process};

use crate::network::{TestKeeper, in_own_network, run};
use crate::support::{Builder, Machine, text, texts};

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Runs the next test in private namespaces.
#[test]
fn addresses_are_given() {
    let has_client = Command::new("busybox").arg("true").status().is_ok();
    if !ordain_testkit::peer(has_client, "busybox-static") {
        return;
    }
    in_own_network("dhcp::to_a_client_at_the_other_end");
}

/// The other end of the wire, in its own network namespace.
struct Client {
    namespace: Child,
    dir: tempfile::TempDir,
}

impl Client {
    fn new() -> Self {
        let namespace = Command::new("unshare").args(["--net", "sleep", "1000"]).spawn().unwrap();
        let client = Self { namespace, dir: tempfile::tempdir().unwrap() };
        // Stores the settings of each event of the client in a file, and sets the address.
        let script = "#!/bin/sh\nenv | grep -Ev '^(PATH|PWD|OLDPWD|HOME|SHLVL|_)=' | sort > \"$0.$1\"\n\
                      [ \"$1\" != bound ] || ip addr add \"$ip/$mask\" dev v1\n";
        std::fs::write(client.path("output"), script).unwrap();
        run(&format!("chmod 755 {}", client.path("output")));
        // It exists once its network differs from ours.
        let own = std::fs::read_link("/proc/self/ns/net").unwrap();
        let theirs = format!("/proc/{}/ns/net", client.namespace.id());
        while std::fs::read_link(&theirs).is_ok_and(|net| net == own) {
            std::thread::sleep(Duration::from_millis(5));
        }
        run(&format!("ip link set v1 netns {}", client.namespace.id()));
        client.run("ip link set v1 up");
        client
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    fn run(&self, line: &str) -> String {
        run(&format!("nsenter -t {} --net {line}", self.namespace.id()))
    }

    /// A client with this hardware address that starts to ask.
    fn begins(&self, last: u8, more: &str) -> Child {
        for event in ["bound", "renew", "deconfig"] {
            let _ = std::fs::remove_file(self.path(&format!("output.{event}")));
        }
        self.run(&format!("ip link set v1 address 02:00:00:00:00:{last:02x}"));
        self.run("ip addr flush dev v1");
        let output = self.path("output");
        let line = format!("busybox udhcpc -f -n -t 2 -T 1 -i v1 -s {output} {more}");
        let id = self.namespace.id().to_string();
        let mut command = Command::new("nsenter");
        command.args(["-t", &id, "--net"]).args(line.split_whitespace());
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    /// Requests an address for this hardware once. Returns the answer, if it got one.
    fn asks(&self, last: u8, more: &str) -> Option<String> {
        self.begins(last, &format!("-q {more}")).wait().unwrap();
        std::fs::read_to_string(self.path("output.bound")).ok()
    }

    /// Takes an address with this hardware address, renews it, and releases it.
    fn renews_and_releases(&self, last: u8) -> String {
        let mut client = self.begins(last, "");
        let wait_for = |event: &str| {
            let start = Instant::now();
            let file = self.path(&format!("output.{event}"));
            while !std::path::Path::new(&file).exists() {
                assert!(start.elapsed() < Duration::from_secs(30), "{event} did not come");
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        wait_for("bound");
        signal(&client, Signal::USR1);
        wait_for("renew");
        std::fs::remove_file(self.path("output.deconfig")).unwrap();
        signal(&client, Signal::USR2);
        wait_for("deconfig");
        // Its last message is still on its way.
        std::thread::sleep(Duration::from_millis(300));
        client.kill().unwrap();
        client.wait().unwrap();
        std::fs::read_to_string(self.path("output.renew")).unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.namespace.kill();
        let _ = self.namespace.wait();
    }
}

/// A line of the answer to a client.
fn told<'a>(output: &'a str, name: &str) -> &'a str {
    let mut lines = output.lines().filter_map(|line| line.split_once('='));
    lines.find(|(own, _)| *own == name).map_or("", |(_, value)| value)
}

struct Served {
    kept: TestKeeper,
    machine: Machine,
    registry: Arc<Registry>,
}

impl Served {
    fn new() -> Self {
        let mut host = Host::new("/".into(), Box::new(HostRunner));
        host.stays = true;
        let reconciler =
            Reconciler::new(Arc::new(host), Arc::new(NoObserver), SchedulerOptions::default())
                .unwrap();
        Self { kept: TestKeeper { reconciler }, machine: Machine::new(), registry: Arc::default() }
    }

    fn swap(&mut self, builder: &Builder) -> Vec<String> {
        let (graph, options) = (Arc::new(builder.graph.clone()), self.machine.options.clone());
        let registry = Arc::clone(&self.registry);
        let prepared = Prepared::new(graph, registry, Arc::new(|_| None), options).unwrap();
        self.kept.reconciler.swap(prepared).unwrap();
        self.kept.settle()
    }
}

fn declared(lease: &str, with_range: bool) -> Builder {
    let mut builder = Builder::default();
    let server = [
        ("interface", text("v0")),
        ("leasetime", text(lease)),
        ("dns", texts(&["192.0.2.53"])),
        ("routers", texts(&["192.0.2.1"])),
        ("nbp", text("tftp://192.0.2.69/pxelinux.0")),
    ];
    builder.add("Mgmt::Dhcp::Server", ":67", &server);
    let host = [
        ("mac", text("02:00:00:00:00:42")),
        ("ip", text("192.0.2.42/25")),
        ("nbp_path", text("own.0")),
    ];
    builder.add("Mgmt::Dhcp::Host", "known", &host);
    if with_range {
        let range = [
            ("from", text("192.0.2.10")),
            ("to", text("192.0.2.12")),
            ("mask", text("/24")),
            ("skip", texts(&["192.0.2.11"])),
            ("persist", Value::Bool(true)),
        ];
        builder.add("Mgmt::Dhcp::Range", "others", &range);
    }
    builder
}

#[test]
#[ignore = "is run by the test before it, in a network of its own"]
fn to_a_client_at_the_other_end() {
    run("mount -t tmpfs none /var/lib");
    run("ip link add v0 type veth peer name v1");
    let client = Client::new();
    run("ip link set v0 up");
    run("ip addr add 192.0.2.1/24 dev v0");
    let mut served = Served::new();
    assert_eq!(served.swap(&declared("2m", true)), ["ensure", "ensure", "ensure"]);

    // Each gets the first free address, and keeps it.
    let output = client.asks(7, "-O tftp -O bootfile").unwrap();
    let wanted = [
        ("ip", "192.0.2.10"),
        ("subnet", "255.255.255.0"),
        ("router", "192.0.2.1"),
        ("dns", "192.0.2.53"),
        ("lease", "120"),
        ("serverid", "192.0.2.1"),
        ("siaddr", "192.0.2.69"),
        ("tftp", "192.0.2.69"),
        ("bootfile", "/pxelinux.0"),
    ];
    for (name, value) in wanted {
        assert_eq!(told(&output, name), value, "{name} of\n{output}");
    }
    assert_eq!(told(&client.asks(8, "-r 192.0.2.10").unwrap(), "ip"), "192.0.2.12");
    assert_eq!(told(&client.asks(7, "").unwrap(), "ip"), "192.0.2.10");
    assert_eq!(client.asks(9, ""), None);
    let output = client.asks(0x42, "-O bootfile").unwrap();
    let known = ["ip", "subnet", "bootfile"].map(|name| told(&output, name));
    assert_eq!(known, ["192.0.2.42", "255.255.255.128", "own.0"]);

    // Released addresses are available to others.
    assert_eq!(told(&client.renews_and_releases(8), "ip"), "192.0.2.12");
    assert_eq!(told(&client.asks(9, "").unwrap(), "ip"), "192.0.2.12");

    // A reconfigured server keeps its leases.
    assert_eq!(served.swap(&declared("5m", true)), ["settings"]);
    let output = client.asks(7, "-r 192.0.2.12").unwrap();
    assert_eq!((told(&output, "ip"), told(&output, "lease")), ("192.0.2.10", "300"));
    // As one does that was started again.
    drop(served);
    assert_eq!(client.asks(7, ""), None);
    let mut served = Served::new();
    served.swap(&declared("5m", true));
    assert_eq!(told(&client.asks(9, "").unwrap(), "ip"), "192.0.2.12");
    assert_eq!(client.asks(8, ""), None);

    // It follows its interface.
    run("ip addr del 192.0.2.1/24 dev v0");
    run("ip addr add 192.0.2.2/24 dev v0");
    assert_eq!(served.kept.settle().last().map(String::as_str), Some("settings"));
    assert_eq!(told(&client.asks(7, "").unwrap(), "serverid"), "192.0.2.2");
    assert_eq!(served.swap(&declared("5m", false)), [""; 0]);
    assert_eq!(client.asks(7, ""), None);
    assert_eq!(told(&client.asks(0x42, "").unwrap(), "ip"), "192.0.2.42");
}
