//! Interfaces in a private network.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::apply::apply;
use ordain_engine::host::Host;
use ordain_engine::kind::Registry;
use ordain_engine::observer::NoObserver;
use ordain_engine::reconcile::{Reconciler, SchedulerOptions};
use ordain_engine::report::Status;
use ordain_engine::reversal::ReversalNotes;
use ordain_engine::runner::HostRunner;
use ordain_graph::Graph;

use crate::support::{Builder, Machine, text};

/// Runs a program of the system and returns its output.
pub(crate) fn run(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs an ignored test of this program in a network and with mounts of its own.
pub(crate) fn in_own_network(test: &str) {
    let root = nix::unistd::geteuid().is_root();
    assert!(root, "this needs a network of its own, which only root can have");
    let own = std::env::current_exe().unwrap();
    let output = Command::new("unshare")
        .args(["--net", "--mount"])
        .arg(own)
        .args(["--exact", test, "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}\n{said}");
}

/// Runs the next test in private namespaces.
#[test]
fn an_interface_is_kept() {
    in_own_network("network::in_a_network_of_its_own");
}

pub(crate) struct TestKeeper {
    pub reconciler: Reconciler,
}

impl TestKeeper {
    /// Runs until there is nothing to do.
    pub(crate) fn settle(&mut self) -> Vec<String> {
        let start = Instant::now();
        let mut changed = Vec::new();
        loop {
            let turn = self.reconciler.turn(Some(Duration::from_millis(20))).unwrap();
            let is_idle = turn.reports.is_empty();
            for report in turn.reports {
                assert_ne!(report.status, Status::Failed, "{report:?}");
                changed.extend(report.changes.into_iter().map(|change| change.property));
            }
            if is_idle && self.reconciler.quiet_for().is_some_and(|quiet| quiet.as_millis() > 100) {
                return changed;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "no rest; changed: {changed:?}");
        }
    }
}

#[test]
#[ignore = "is run by the test before it, in a network of its own"]
fn in_a_network_of_its_own() {
    run("mount -t tmpfs none /etc");
    run("ip link add v0 type veth peer name v1");
    run("ip link set v1 up");
    run("ip addr add 198.51.100.9/24 dev v0");
    let host = Arc::new(Host::new("/".into(), Box::new(HostRunner)));
    let reconciler =
        Reconciler::new(host, Arc::new(NoObserver), SchedulerOptions::default()).unwrap();
    let mut kept = TestKeeper { reconciler };
    let machine = Machine::new();
    let mut builder = Builder::default();
    let addresses = ["192.0.2.5/24", "2001:db8::5/64"];
    let attributes = [
        ("state", text("up")),
        ("addrs", Value::list(addresses.map(text))),
        ("gateway", text("192.0.2.1")),
    ];
    builder.add("Mgmt::Net", "v0", &attributes);
    std::fs::create_dir_all("/etc/systemd/network").unwrap();
    kept.reconciler.swap(machine.prepared(&builder.graph)).unwrap();
    assert_eq!(kept.settle(), ["unit", "state", "addrs", "gateway"]);
    let shown = run("ip -o addr show dev v0");
    assert!(addresses.iter().all(|address| shown.contains(address)), "{shown}");
    assert!(!shown.contains("198.51.100.9"), "{shown}");
    assert!(run("ip route show default").contains("via 192.0.2.1 dev v0"));
    let unit = std::fs::read_to_string("/etc/systemd/network/mgmt-v0.network").unwrap();
    let wanted = "[Match]\nName=v0\n[Network]\nAddress=192.0.2.5/24\nAddress=2001:db8::5/64\nGateway=192.0.2.1";
    assert_eq!(unit, wanted);

    run("ip addr del 192.0.2.5/24 dev v0");
    let changed = kept.settle();
    assert!(
        changed.contains(&"addrs".into()) && changed.contains(&"gateway".into()),
        "{changed:?}"
    );
    run("ip addr add 203.0.113.1/24 dev v0");
    assert_eq!(kept.settle(), ["addrs"]);
    run("ip route del 192.0.2.0/24 dev v0");
    assert_eq!(kept.settle()[0], "routes");
    run("ip route replace default via 192.0.2.77 dev v0");
    assert_eq!(kept.settle(), ["gateway"]);
    run("ip link set v0 down");
    assert_eq!(kept.settle()[0], "state");
    std::fs::remove_file("/etc/systemd/network/mgmt-v0.network").unwrap();
    assert_eq!(kept.settle(), ["unit"]);
    let shown = run("ip route show dev v0");
    assert!(shown.contains("default via 192.0.2.1"), "{shown}");
    assert!(shown.contains("192.0.2.0/24 proto kernel"), "{shown}");

    let mut builder = Builder::default();
    builder.add("Mgmt::Net", "v0", &[("state", text("down"))]);
    kept.reconciler.swap(machine.prepared(&builder.graph)).unwrap();
    assert_eq!(kept.settle(), ["unit", "state"]);
    assert!(run("ip -o link show dev v0").contains("state DOWN"));
}

/// Runs the next test in private namespaces.
#[test]
fn an_interface_is_put_back() {
    in_own_network("network::and_back_again");
}

/// The output of `ip` for an interface that a resource changes.
fn shown(name: &str) -> String {
    let link = run(&format!("ip -o link show dev {name}"));
    let link = link.contains("state UP");
    let addresses = run(&format!("ip -o -4 addr show dev {name}"));
    let addresses: Vec<&str> =
        addresses.lines().filter_map(|l| l.split_whitespace().nth(3)).collect();
    let routes = run(&format!("ip -4 route show default dev {name}"));
    format!("{link} {addresses:?} {}", routes.split_whitespace().nth(2).unwrap_or_default())
}

#[test]
#[ignore = "is run by the test before it, in a network of its own"]
fn and_back_again() {
    run("mount -t tmpfs none /etc");
    run("mount -t tmpfs none /var/lib");
    std::fs::create_dir_all("/etc/systemd/network").unwrap();
    for name in ["high", "low"] {
        run(&format!("ip link add {name} type veth peer name {name}1"));
        run(&format!("ip link set {name}1 up"));
    }
    run("ip addr add 198.51.100.9/24 dev high");
    run("ip link set high up");
    run("ip route add default via 198.51.100.1 dev high");
    run("ip addr add 203.0.113.9/24 dev low");
    std::fs::write("/etc/systemd/network/mgmt-high.network", "mine").unwrap();
    let before = [shown("high"), shown("low")];
    assert_eq!(before, ["true [\"198.51.100.9/24\"] 198.51.100.1", "false [\"203.0.113.9/24\"] "]);
    let machine = Machine::new();
    let host = Host::new("/".into(), Box::new(HostRunner));
    let mut builder = Builder::default();
    for (name, address, gateway) in [("high", "192.0.2.5", "192.0.2.1"), ("low", "192.0.2.133", "")]
    {
        let attributes = [
            ("state", text("up")),
            ("addrs", Value::list([text(&format!("{address}/25"))])),
            ("gateway", text(gateway)),
            ("meta:reverse", Value::Bool(true)),
        ];
        builder.add("Mgmt::Net", name, &attributes);
    }
    let applied = |graph: &Graph| {
        let report = apply(&machine.prepared(graph), &host, &NoObserver, 1);
        let failed = report.resources.iter().find(|one| one.status == Status::Failed);
        assert!(failed.is_none(), "{failed:?}");
        report.counts().modified
    };
    assert_eq!(applied(&builder.graph), 2);
    assert_eq!(applied(&builder.graph), 0);
    assert_eq!(shown("low"), "true [\"192.0.2.133/25\"] ");

    let registry = Registry::default();
    let mut graph = Graph::default();
    ReversalNotes::read(&host).unwrap().add_to(&mut graph, &registry);
    assert_eq!(graph.len(), 2);
    assert_eq!(applied(&graph), 2);
    assert_eq!([shown("high"), shown("low")], before);
    let unit =
        |name: &str| std::fs::read_to_string(format!("/etc/systemd/network/mgmt-{name}.network"));
    assert_eq!(unit("high").unwrap(), "mine");
    assert!(unit("low").is_err());
    assert!(!ReversalNotes::read(&host).unwrap().adds_to(&Graph::default(), &registry));
}

#[test]
fn below_a_root_only_the_unit_counts() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.path("/etc/systemd/network")).unwrap();
    let mut builder = Builder::default();
    let forward = ("ip_forward", Value::Bool(false));
    builder.add("Mgmt::Net", "none0", &[("state", text("up")), forward]);
    assert_eq!(machine.apply(&builder.graph).counts().created, 0);
    let unit = machine.read("/etc/systemd/network/mgmt-none0.network");
    assert_eq!(unit, "[Match]\nName=none0\n[Network]\nIPForward=false");
    let mut builder = Builder::default();
    builder.add("Mgmt::Net", "none0", &[("state", text("down"))]);
    machine.apply(&builder.graph);
    assert!(!machine.exists("/etc/systemd/network/mgmt-none0.network"));
    assert!(machine.commands.0.lock().unwrap().is_empty());
}
