//! Native facts of machines in a directory, external facts, and files of facts.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ordain_data::{Value, json};
use ordain_facts::{Address, Machine, Options, collect, external};
use ordain_source::process::{ProcessLimits, set_limits};
use ordain_source::{EntryKind, HostWorld, MemoryWorld, ProcessOutput, ProcessRequest, World};

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn address(interface: &str, ip: &str, netmask: &str) -> Address {
    let parse = |text: &str| text.parse::<IpAddr>().unwrap();
    Address { interface: interface.into(), ip: parse(ip), netmask: parse(netmask) }
}

const ROCKY: &[(&str, &str)] = &[
    (
        "etc/os-release",
        "NAME=\"Rocky Linux\"\nVERSION=\"9.4 (Blue Onyx)\"\nID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"9.4\"\nPRETTY_NAME=\"Rocky Linux 9.4 (Blue Onyx)\"\n",
    ),
    ("etc/redhat-release", "Rocky Linux release 9.4 (Blue Onyx)\n"),
    ("etc/resolv.conf", "search example.net other.net\nnameserver 192.0.2.1\n"),
    ("etc/selinux/config", "# c\nSELINUX=enforcing\nSELINUXTYPE=targeted\n"),
    ("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nweb:x:48:48::/:/bin/false\n"),
    ("etc/group", "root:x:0:\nweb:x:48:\n"),
    (
        "etc/ssh/ssh_host_ed25519_key.pub",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGdlaGVpbQ== root@web\n",
    ),
    ("proc/self/status", "Name:\tx\nUid:\t48\t48\t48\t48\nGid:\t48\t48\t48\t48\n"),
    ("proc/sys/kernel/ostype", "Linux\n"),
    ("proc/sys/kernel/osrelease", "5.14.0-427.el9.x86_64\n"),
    ("proc/sys/kernel/hostname", "web\n"),
    ("proc/sys/kernel/arch", "x86_64\n"),
    ("proc/sys/crypto/fips_enabled", "1\n"),
    ("proc/uptime", "190000.52 1.0\n"),
    ("proc/loadavg", "0.10 0.20 1.00 1/2 3\n"),
    ("proc/filesystems", "nodev\tsysfs\n\txfs\n\text4\n\tfuseblk\n"),
    (
        "proc/meminfo",
        "MemTotal:        2097152 kB\nMemFree: 1 kB\nMemAvailable:    1048576 kB\nSwapTotal: 1024 kB\nSwapFree: 512 kB\n",
    ),
    (
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Fast CPU\ncpu MHz\t\t: 3425.000\nphysical id\t: 0\nsiblings\t: 2\ncpu cores\t: 1\n\nprocessor\t: 1\nmodel name\t: Fast CPU\nphysical id\t: 0\n",
    ),
    (
        "proc/self/mounts",
        "/dev/mapper/r / xfs rw,seclabel 0 0\nselinuxfs /sys/fs/selinux selinuxfs rw 0 0\nauto /home autofs rw 0 0\n",
    ),
    (
        "proc/net/route",
        "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\neth1\t00000000\t0100000A\t0003\t0\t0\t200\t00000000\neth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\n",
    ),
    ("proc/net/if_inet6", "fe800000000000000000000000000001 02 40 20 80 eth0\n"),
    ("sys/fs/selinux/enforce", "1"),
    ("sys/fs/selinux/policyvers", "33"),
    ("sys/class/net/eth0/address", "52:54:00:00:00:01\n"),
    ("sys/class/net/eth0/mtu", "1500\n"),
    ("sys/class/net/eth0/ifindex", "2\n"),
    ("sys/class/net/eth1/mtu", "9000\n"),
    ("run/systemd/netif/leases/2", "# x\nADDRESS=192.0.2.9\nSERVER_ADDRESS=192.0.2.254\n"),
    ("sys/class/dmi/id/product_name", "KVM\n"),
    ("sys/class/dmi/id/sys_vendor", "Red Hat\n"),
    ("sys/class/dmi/id/chassis_type", "1\n"),
    ("sys/block/vda/device/vendor", "0x1af4\n"),
    ("sys/block/vda/size", "4194304\n"),
    ("sys/block/vda/queue/rotational", "0\n"),
    ("sys/block/vda/vda1/partition", "1\n"),
    ("sys/block/vda/vda1/size", "2048\n"),
    ("sys/block/vda/vda1/dev", "252:1\n"),
    (
        "run/udev/data/b252:1",
        "S:disk\nE:ID_FS_TYPE=xfs\nE:ID_FS_UUID=abc\nE:ID_PART_ENTRY_UUID=def\n",
    ),
];

fn rocky() -> Value {
    let root = tree(ROCKY);
    let addresses = vec![
        address("eth0", "169.254.1.1", "255.255.0.0"),
        address("eth0", "192.0.2.9", "255.255.255.0"),
        address("eth0", "fe80::1", "ffff:ffff:ffff:ffff::"),
    ];
    Machine::at(root.path(), addresses).facts(true)
}

#[test]
fn a_machine_in_a_directory() {
    let facts = rocky();
    let cases = [
        ("os.name", "\"Rocky\""),
        ("os.family", "\"RedHat\""),
        ("os.architecture", "\"x86_64\""),
        ("os.release", r#"{"full":"9.4","major":"9","minor":"4"}"#),
        ("os.distro.codename", "\"Blue Onyx\""),
        ("os.selinux.enforced", "true"),
        ("os.selinux.policy_version", "\"33\""),
        ("kernelversion", "\"5.14.0\""),
        ("kernelmajversion", "\"5.14\""),
        ("networking.fqdn", "\"web.example.net\""),
        ("networking.primary", "\"eth0\""),
        ("networking.ip", "\"192.0.2.9\""),
        ("networking.network", "\"192.0.2.0\""),
        ("networking.dhcp", "\"192.0.2.254\""),
        ("networking.scope6", "\"link\""),
        ("networking.interfaces.eth0.bindings6.0.flags", "[\"permanent\"]"),
        ("networking.interfaces.eth1.mtu", "9000"),
        ("memory.system.capacity", "\"50.00%\""),
        ("memory.system.total", "\"2.00 GiB\""),
        ("memory.swap.used", "\"512.00 KiB\""),
        ("processors.count", "2"),
        ("processors.threads", "2"),
        ("processors.speed", "\"3.42 GHz\""),
        ("system_uptime.uptime", "\"2 days\""),
        ("system_uptime.hours", "52"),
        ("load_averages.15m", "1.0"),
        ("filesystems", "\"ext4,xfs\""),
        ("fips_enabled", "true"),
        ("identity.user", "\"web\""),
        ("identity.privileged", "false"),
        ("virtual", "\"kvm\""),
        ("is_virtual", "true"),
        ("hypervisors", r#"{"kvm":{}}"#),
        ("dmi.chassis.type", "\"Other\""),
        ("disks.vda.type", "\"ssd\""),
        ("disks.vda.size", "\"2.00 GiB\""),
        ("ssh.ed25519.type", "\"ssh-ed25519\""),
        ("ipaddress_eth0", "\"192.0.2.9\""),
        ("osfamily", "\"RedHat\""),
        ("memorysize_mb", "2048.0"),
        ("interfaces", "\"eth0,eth1\""),
        ("processor1", "\"Fast CPU\""),
    ];
    for (path, expected) in cases {
        let value = facts.dig(path.split('.'));
        assert_eq!(value.map(json::compact).as_deref(), Some(expected), "{path}");
    }
    let partition = facts.dig(["partitions", "/dev/vda1"]).unwrap();
    assert_eq!(partition.get("filesystem"), Some(&"xfs".into()));
    assert_eq!(partition.get("size_bytes"), Some(&Value::Int(1_048_576)));
    let mounts = facts.get("mountpoints").unwrap();
    assert!(mounts.get("/home").is_none() && mounts.get("/sys/fs/selinux").is_none());
    assert_eq!(mounts.dig(["/", "options", "1"]), Some(&"seclabel".into()));
}

#[test]
fn releases_of_other_systems() {
    let cases: [(&[(&str, &str)], &str); 4] = [
        (
            &[
                ("etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n"),
                ("etc/debian_version", "12.11\n"),
            ],
            r#"["Debian","Debian",{"full":"12.11","major":"12","minor":"11"}]"#,
        ),
        (
            &[("etc/os-release", "NAME=\"Ubuntu\"\nID=ubuntu\nVERSION_ID=\"24.04\"\n")],
            r#"["Ubuntu","Debian",{"full":"24.04","major":"24.04"}]"#,
        ),
        (
            &[("etc/os-release", "NAME=\"SLES\"\nID=\"sles\"\nVERSION_ID=\"15.5\"\n")],
            r#"["SLES","Suse",{"full":"15.5","major":"15","minor":"5"}]"#,
        ),
        (
            &[(
                "etc/os-release",
                "NAME=Pop\nID=pop\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22.04\"\n",
            )],
            r#"["Pop","Debian",{"full":"22.04","major":"22","minor":"04"}]"#,
        ),
    ];
    for (files, expected) in cases {
        let root = tree(files);
        let os = Machine::at(root.path(), Vec::new()).facts(false).get("os").cloned().unwrap();
        let parts = ["name", "family", "release"].map(|key| os.get(key).cloned().unwrap());
        assert_eq!(json::compact(&Value::list(parts)), expected);
    }
}

#[test]
fn containers_are_told_from_machines_made_of_their_images() {
    let kind = |files: &[(&str, &str)]| {
        let facts = Machine::at(tree(files).path(), Vec::new()).facts(false);
        json::compact(facts.get("virtual").unwrap())
    };
    let overlay = ("proc/mounts", "overlay / overlay rw 0 0\n");
    let disk = ("proc/mounts", "/dev/vda / ext4 rw 0 0\n");
    assert_eq!(kind(&[(".dockerenv", ""), overlay]), "\"docker\"");
    assert_eq!(kind(&[(".dockerenv", ""), disk]), "\"physical\"");
    assert_eq!(kind(&[("proc/1/cgroup", "1:name=systemd:/docker/0123\n")]), "\"docker\"");
    assert_eq!(kind(&[("proc/1/environ", "A=b\0container=lxc\0")]), "\"lxc\"");
    assert_eq!(kind(&[("sys/class/dmi/id/bios_vendor", "Google\n")]), "\"gce\"");
}

/// Invalid files, and directories in place of files, only affect their own facts.
#[test]
fn nonsense_stops_nothing() {
    let mut files = Vec::new();
    for (i, (path, _)) in ROCKY.iter().enumerate() {
        files.push(match i % 3 {
            0 => (path.to_string(), "\0\u{fffd}=: -1 99999999999999999999 x"),
            1 => (format!("{path}/dir"), ""),
            _ => (path.to_string(), ""),
        });
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), *t)).collect();
    let root = tree(&files);
    let facts = Machine::at(root.path(), Vec::new()).facts(true);
    assert!(facts.get("kernel").is_some());
    let nothing = tempfile::tempdir().unwrap();
    assert!(Machine::at(nothing.path(), Vec::new()).facts(true).get("os").is_some());
}

#[test]
fn this_machine() {
    let facts = Machine::host().facts(true);
    for name in ["os", "networking", "processors", "memory", "mountpoints", "identity", "timezone"]
    {
        assert!(facts.get(name).is_some(), "{name}");
    }
    assert!(facts.dig(["processors", "count"]).and_then(Value::as_int).unwrap() > 0);
}

/// Files in memory, and programs whose output is their content.
struct Programs(MemoryWorld);

impl World for Programs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.read(path)
    }
    fn kind(&self, path: &Path) -> Option<EntryKind> {
        self.0.kind(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<(String, EntryKind)>> {
        self.0.list(path)
    }
    fn env(&self, name: &str) -> Option<String> {
        self.0.env(name)
    }
    fn now(&self) -> SystemTime {
        self.0.now()
    }
    fn random(&self) -> u64 {
        self.0.random()
    }
    fn run(&self, request: &ProcessRequest) -> io::Result<ProcessOutput> {
        let stdout = self.0.read(Path::new(&request.argv[0]))?;
        match stdout.as_slice() {
            b"slow" => Err(io::Error::new(io::ErrorKind::TimedOut, "no end within 1s")),
            b"fails" => {
                Ok(ProcessOutput { status: Some(3), stdout: vec![], stderr: b"oh no\n".into() })
            }
            _ => Ok(ProcessOutput { status: Some(0), stdout, stderr: vec![] }),
        }
    }
}

#[test]
fn external_facts() {
    let world = Programs(MemoryWorld::with_files([
        ("/f/a.yaml", "Role: web\nsince: 2020-01-01\nnested: {on: yes}\n"),
        ("/f/b.json", "{\"port\": 80}"),
        ("/f/c.txt", "tier=gold\nnot a fact\nurl=http://x/?a=b\nempty=\n"),
        ("/f/d", "from_program: [1, 2]\n"),
        ("/f/e", "key=value\nother=1\n"),
        ("/f/g.yaml", "a: [\n"),
        ("/f/h.json", "[1]"),
        ("/f/i", "slow"),
        ("/f/j", "fails"),
        ("/f/.hidden.yaml", "hidden: 1\n"),
        ("/f/k.exe", "x=y"),
        ("/g/a.yaml", "role: db\n"),
    ]));
    let root = tempfile::tempdir().unwrap();
    let options = Options {
        external_dirs: vec!["/f".into(), "/nowhere".into(), "/g".into()],
        environment: vec![("FACTER_Tier".into(), "silver".into()), ("HOME".into(), "/".into())],
        ..Options::default()
    };
    let facts = collect(&world, &Machine::at(root.path(), Vec::new()), &options);
    let cases = [
        ("role", "\"db\""),
        ("since", "\"2020-01-01\""),
        ("nested.true", "true"),
        ("port", "80"),
        ("tier", "\"silver\""),
        ("url", "\"http://x/?a=b\""),
        ("from_program", "[1,2]"),
        ("other", "\"1\""),
    ];
    for (path, expected) in cases {
        let value = match path {
            "nested.true" => {
                facts.values.get("nested").and_then(|n| n.as_map()?.get(&Value::Bool(true)))
            }
            _ => facts.values.get(path),
        };
        assert_eq!(value.map(json::compact).as_deref(), Some(expected), "{path}");
    }
    for name in ["hidden", "empty", "not a fact", "x", "home"] {
        assert!(facts.values.get(name).is_none(), "{name}");
    }
    let messages: Vec<&str> = facts.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(messages.len(), 5, "{messages:?}");
    assert!(messages[1].contains("/f/h.json") && messages[1].contains("a list"));
    assert!(messages[2].contains("no end within"));
    assert!(messages[3].contains("oh no") && messages[4].contains("status 3"));
}

#[test]
fn real_programs_have_a_time_limit() {
    use std::os::unix::fs::PermissionsExt;
    let root = tree(&[
        ("f/slow", "#!/bin/sh\nsleep 60\n"),
        ("f/quick", "#!/bin/sh\necho a=1\n"),
        ("f/plain", "a=2"),
    ]);
    for name in ["slow", "quick"] {
        let path = root.path().join("f").join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let dirs = [root.path().join("f")];
    // No other test here runs programs.
    let time = Duration::from_millis(300);
    set_limits(ProcessLimits { time, ..ProcessLimits::default() });
    let found = external::read_dirs(&HostWorld::new(), &dirs);
    assert_eq!(found.facts, [("a".to_owned(), Value::from("1"))]);
    assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
}

#[test]
fn files_of_facts() {
    let world = MemoryWorld::with_files([
        ("/plain.yaml", "kernel: Linux\nvalues: {a: 1}\n"),
        (
            "/stored.yaml",
            "--- !ruby/object:Puppet::Node::Facts\nname: web\nvalues:\n  kernel: Linux\n",
        ),
        ("/stored.json", "{\"name\": \"web\", \"values\": {\"kernel\": \"Linux\"}}"),
        ("/list.yaml", "- 1\n"),
    ]);
    let load = |path: &str| external::load_file(&world, &PathBuf::from(path));
    assert!(load("/plain.yaml").unwrap().get("values").is_some());
    for path in ["/plain.yaml", "/stored.yaml", "/stored.json"] {
        assert_eq!(load(path).unwrap().get("kernel"), Some(&"Linux".into()), "{path}");
    }
    assert_eq!(
        load("/list.yaml").unwrap_err().to_string(),
        "/list.yaml: the file holds a list, not a map of facts"
    );
    assert!(load("/missing.yaml").is_err());
}
