//! The kind `package`.

use std::fmt::Write;
use std::path::Path;

use crate::support::{Machine, errors, fails, list, parse, s, says, secret, word};
use ordain_data::Value;
use ordain_engine::kinds::package::Package;
use ordain_engine::runner::{Invocation, Outcome};
use ordain_graph::ResourceRef;

const APT: &str = "/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confold";

fn paragraph(name: &str, status: &str, version: &str) -> String {
    format!("Package: {name}\nStatus: {status}\nArchitecture: amd64\nVersion: {version}\n\n")
}

/// A machine where apt and dpkg only write the database.
fn machine() -> Machine {
    let machine = Machine::answering(pretend);
    let status = [
        paragraph("here", "install ok installed", "1.0-1"),
        paragraph("held", "hold ok installed", "1.0"),
        paragraph("config", "deinstall ok config-files", "1.0"),
        paragraph("broken", "install reinstreq half-installed", "1.0"),
        "Package: exim\nStatus: install ok installed\nArchitecture: all\nVersion: 4\n\
         Provides: mta, smtpd (= 1)\n\n"
            .to_string(),
    ];
    machine.write("var/lib/dpkg/status", status.concat());
    machine
}

fn pretend(root: &Path, invocation: &Invocation) -> Outcome {
    let program = word(invocation, 2);
    let words: Vec<String> =
        (3..invocation.launch.argv.len()).map(|i| word(invocation, i)).collect();
    let last = words.last().cloned().unwrap_or_default();
    let (name, version) = last.split_once('=').unwrap_or((&last, "2.0"));
    let has = |w: &str| words.iter().any(|x| x == w);
    match program.as_str() {
        "/usr/bin/apt-cache" if has("policy") => policy(&words[2..]),
        "/usr/bin/apt-cache" => says(" gone | 1.5 | x\n gone | 1.9 | x\n gone | 2.0 | x\n"),
        "/usr/bin/dpkg" if has("--set-selections") => {
            let text = String::from_utf8_lossy(&invocation.stdin).into_owned();
            let (name, word) = text.trim().split_once(' ').unwrap();
            set(root, name, &format!("{word} ok installed"), "");
            says("")
        }
        _ if name == "missing" => fails(100, "E: Unable to locate package missing\n"),
        "/usr/bin/apt-get" if name == "virtual" => says(""),
        "/usr/bin/dpkg" if has("--purge") => {
            set(root, name, "purge ok not-installed", "");
            says("")
        }
        _ if has("--purge") => {
            set(root, name, "purge ok not-installed", "");
            says("")
        }
        _ if has("remove") || has("-r") => {
            set(root, name, "deinstall ok config-files", "");
            says("")
        }
        _ if has("-i") => {
            set(root, "local", "install ok installed", "3.0");
            says("")
        }
        "/usr/bin/dpkg-deb" => says("local\t3.0\n"),
        _ => {
            set(root, name, "install ok installed", version);
            says("")
        }
    }
}

fn policy(names: &[String]) -> Outcome {
    let mut text = String::new();
    for name in names {
        let candidate = if name == "unknown" { "(none)" } else { "2.0" };
        writeln!(text, "{name}:\n  Installed: x\n  Candidate: {candidate}").unwrap();
    }
    says(&text)
}

/// Appends to the database; the last paragraph of a name counts.
fn set(root: &Path, name: &str, status: &str, version: &str) {
    let path = root.join("var/lib/dpkg/status");
    let mut text = std::fs::read_to_string(&path).unwrap();
    let mark = format!("Package: {name}\n");
    let old = text.rfind(&mark).map(|at| text[at..].split("Version: ").nth(1).unwrap());
    let old = old.and_then(|t| t.lines().next()).unwrap_or("0").to_string();
    let version = if version.is_empty() { old } else { version.to_string() };
    text.push_str(&paragraph(name, status, &version));
    std::fs::write(&path, text).unwrap();
}

/// Command lines without the change of the root directory.
fn commands(machine: &Machine) -> Vec<String> {
    let lines = machine.commands();
    let strip = |l: &String| l.split_once(" ROOT ").unwrap().1.to_string();
    lines.iter().map(strip).collect()
}

#[test]
fn installed_packages_are_read_without_a_command() {
    let machine = Machine::silent();
    machine.write("var/lib/dpkg/status", paragraph("here", "install ok installed", "1.0-1"));
    let kind = Package::default();
    for ensure in ["installed", "present", "1.0-1", ">=1.0 <2"] {
        assert!(machine.messages(&*parse(&kind, "here", &[("ensure", s(ensure))])).is_empty());
    }
    for ensure in ["absent", "purged"] {
        assert!(machine.messages(&*parse(&kind, "gone", &[("ensure", s(ensure))])).is_empty());
    }
}

#[test]
fn a_package_is_installed_once() {
    let machine = machine();
    let attributes = [
        ("install_options", Value::list([s("-t"), s("testing"), Value::map([("-o", s("A"))])])),
        ("configfiles", s("replace")),
        ("environment", s("A=b")),
    ];
    let package = parse(&Package::default(), "gone", &attributes);
    assert_eq!(machine.converge(&*package), ["ensure: created"]);
    let log = machine.invocations();
    let has = |name: &str, value: &str| {
        log[0].launch.set_env.iter().any(|(n, v)| n == name && v == value)
    };
    assert!(has("DEBIAN_FRONTEND", "noninteractive") && has("A", "b") && has("LC_ALL", "C"));
    let line: Vec<_> = log[0].launch.argv[2..].iter().map(|a| a.to_string_lossy()).collect();
    assert_eq!(
        line.join(" "),
        "/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confnew -t testing -o=A install gone"
    );
    assert_eq!(log.len(), 1);
}

#[test]
fn versions_and_ranges() {
    let machine = machine();
    let kind = Package::default();
    let output = machine.converge(&*parse(&kind, "here", &[("ensure", s("1.2"))]));
    assert_eq!(output, ["ensure: ensure changed '1.0-1' to '1.2'"]);
    assert_eq!(commands(&machine), [format!("{APT} --allow-downgrades install here=1.2")]);
    machine.converge(&*parse(&kind, "gone", &[("ensure", s(">1.0 <2.0"))]));
    assert_eq!(
        commands(&machine),
        [
            "/usr/bin/apt-cache madison gone".to_string(),
            format!("{APT} --allow-downgrades install gone=1.9"),
        ]
    );
}

#[test]
fn the_latest_versions_are_asked_for_once() {
    let machine = machine();
    let kind = Package::default();
    let names = ["here", "held", "exim"];
    let latest = [("ensure", s("latest"))];
    let packages: Vec<_> = names.iter().map(|n| parse(&kind, n, &latest)).collect();
    for package in &packages {
        assert_eq!(package.compare(&machine.host).unwrap().len(), 1);
    }
    assert_eq!(commands(&machine), ["/usr/bin/apt-cache policy -- exim held here"]);
    let output = machine.converge(&*packages[0]);
    assert_eq!(output, ["ensure: ensure changed '1.0-1' to '2.0'"]);
    assert_eq!(commands(&machine), [format!("{APT} install here")]);

    let unknown = parse(&kind, "unknown", &latest);
    assert_eq!(machine.messages(&*unknown), ["ensure: created"]);
    machine.converge(&*unknown_installed(&machine, &kind));
}

/// `unknown` without an entry at apt is an error only once it is installed.
fn unknown_installed(machine: &Machine, kind: &Package) -> Box<dyn ordain_engine::kind::Instance> {
    set(machine.root(), "unknown", "install ok installed", "1");
    let latest = parse(kind, "unknown", &[("ensure", s("latest"))]);
    let error = latest.compare(&machine.host).unwrap_err().to_string();
    assert_eq!(error, "Could not get latest version: apt has no candidate for unknown");
    parse(kind, "unknown", &[])
}

#[test]
fn removal_and_purge() {
    let machine = machine();
    let kind = Package::default();
    let output = machine.converge(&*parse(&kind, "held", &[("ensure", s("absent"))]));
    assert_eq!(output, ["ensure: removed"]);
    let output = machine.converge(&*parse(&kind, "here", &[("ensure", s("purged"))]));
    assert_eq!(output, ["ensure: purged"]);
    machine.converge(&*parse(&kind, "config", &[("ensure", s("purged"))]));
    assert_eq!(
        commands(&machine),
        [
            "/usr/bin/apt-get -y -q --allow-change-held-packages remove held",
            "/usr/bin/apt-get -y -q remove --purge here",
            "/usr/bin/dpkg --purge config",
        ]
    );
    assert!(machine.messages(&*parse(&kind, "held", &[("ensure", s("absent"))])).is_empty());
}

#[test]
fn holds() {
    let machine = machine();
    let kind = Package::default();
    let output = machine.converge(&*parse(&kind, "here", &[("mark", s("hold"))]));
    assert_eq!(output, ["mark: mark changed 'none' to 'hold'"]);
    assert_eq!(commands(&machine), ["/usr/bin/dpkg --set-selections"]);
    let output = machine.converge(&*parse(&kind, "held", &[("mark", s("none"))]));
    assert_eq!(output, ["mark: mark changed 'hold' to 'none'"]);
    commands(&machine);
    // A hold that no resource mentions survives an upgrade.
    machine.converge(&*parse(&kind, "here", &[("ensure", s("3"))]));
    let select = "/usr/bin/dpkg --set-selections";
    let install = format!("{APT} --allow-downgrades install here=3");
    assert_eq!(commands(&machine), [select, &install, select]);
    assert!(machine.messages(&*parse(&kind, "here", &[("ensure", s("held"))])).is_empty());
}

#[test]
fn dpkg_installs_files() {
    let machine = machine();
    let kind = Package::default();
    let attributes =
        [("provider", s("dpkg")), ("source", s("/srv/local.deb")), ("ensure", s("latest"))];
    let package = parse(&kind, "local", &attributes);
    assert_eq!(machine.converge(&*package), ["ensure: created"]);
    let show = "/usr/bin/dpkg-deb --show /srv/local.deb";
    let install = "/usr/bin/dpkg --force-confold -i /srv/local.deb";
    assert_eq!(commands(&machine), [install, show, show][..2]);
    let file = ResourceRef { kind: "File".into(), title: "/srv/local.deb".into() };
    assert_eq!(package.autorequires(), [file]);
    let package = parse(&kind, "other", &[("provider", s("dpkg"))]);
    let changes = package.compare(&machine.host).unwrap();
    let error = package.apply(&machine.host, &changes).unwrap_err();
    assert_eq!(error.to_string(), "You cannot install dpkg packages without a source");
}

#[test]
fn names_that_others_provide() {
    let machine = machine();
    let kind = Package::default();
    let allowed = [("allow_virtual", Value::Bool(true))];
    assert!(machine.messages(&*parse(&kind, "smtpd", &allowed)).is_empty());
    let package = parse(&kind, "virtual", &[]);
    let changes = package.compare(&machine.host).unwrap();
    let error = package.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.contains("allow_virtual => true"), "{error}");
}

#[test]
fn failures_tell_what_apt_said() {
    let machine = machine();
    let kind = Package::default();
    let package = parse(&kind, "missing", &[]);
    let changes = package.compare(&machine.host).unwrap();
    let error = package.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.ends_with("install missing' returned 100: E: Unable to locate package missing"));
    let error = parse(&kind, "broken", &[]).compare(&machine.host).unwrap_err();
    assert_eq!(error.to_string(), "Package broken, version absent is in error state: reinstreq");
    machine.write("etc/apt/sources.list", "deb cdrom:[x]/ y z\n");
    let package = parse(&kind, "gone", &[]);
    let changes = package.compare(&machine.host).unwrap();
    let error = package.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.contains("contains a cdrom source"), "{error}");
    let secrets = [("install_options", secret("hunter2"))];
    let package = parse(&kind, "missing", &secrets);
    let error = package.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn a_refresh_installs_again_if_asked() {
    let machine = machine();
    let kind = Package::default();
    assert!(!parse(&kind, "here", &[]).refreshable());
    let package = parse(&kind, "here", &[("reinstall_on_refresh", s("true"))]);
    assert!(package.refreshable());
    package.refresh(&machine.host).unwrap();
    assert_eq!(commands(&machine), [format!("{APT} --reinstall install here")]);
}

#[test]
fn unsupported_attributes_of_a_manager_are_dropped_with_a_warning() {
    let attributes = [
        ("provider", s("apt")),
        ("flavor", s("f")),
        ("vendor", s("v")),
        ("install_only", s("neither")),
    ];
    let package = parse(&Package::default(), "here", &attributes);
    let machine = machine();
    assert_eq!(
        package.remarks(&machine.host),
        [
            "Provider apt does not support features supports_flavors; not managing attribute flavor",
            "Provider apt does not use attribute vendor",
            "Provider apt does not support features install_only; not managing attribute install_only",
        ]
    );
    assert_eq!(machine.messages(&*package), Vec::<String>::new());
}

#[test]
fn patterns_of_versions() {
    let machine = machine();
    let kind = Package::default();
    let installed = parse(&kind, "here", &[("ensure", s("1.*"))]);
    assert_eq!(machine.messages(&*installed), Vec::<String>::new());
    let other = parse(&kind, "here", &[("ensure", s("2.*"))]);
    assert_eq!(machine.messages(&*other), ["ensure: ensure changed '1.0-1' to '2.*'"]);
    machine.commands();
    let exact = parse(&kind, "here", &[("ensure", s("1.0-?"))]);
    assert_eq!(machine.converge(&*exact), Vec::<String>::new());
    assert_eq!(machine.commands(), Vec::<String>::new());
}

#[test]
fn bad_packages_give_all_errors() {
    let found = errors(
        &Package::default(),
        "x",
        &[
            ("name", Value::Int(3)),
            ("ensure", s("purged")),
            ("mark", s("hold")),
            ("configfiles", s("foo")),
            ("install_options", Value::Int(3)),
            ("environment", s("x")),
            ("provider", s("rpm")),
        ],
    );
    assert_eq!(
        found,
        [
            "provider: Provider rpm is not functional on this host",
            "name: Name must be a String not Integer",
            "name: Invalid package name \"\"",
            "mark: You cannot use \"mark\" property while \"ensure\" is one of [\"absent\", \"purged\"]",
            "install_options: Expected either a string or hash of options",
            "configfiles: Invalid value \"foo\". Valid values are keep, replace.",
            "environment: Invalid environment setting 'x'",
        ]
    );
    let found = errors(&Package::default(), "--x", &[("provider", s("dpkg")), ("ensure", s("1"))]);
    assert_eq!(
        found,
        [
            "name: Invalid package name \"--x\"",
            "ensure: Provider dpkg must have features 'versionable' to set 'ensure' to '1'",
        ]
    );
    let found = errors(&Package::default(), "x", &[("provider", s("nope")), ("mark", list(&[]))]);
    assert_eq!(
        found,
        [
            "provider: Invalid package provider 'nope'",
            "mark: Invalid value []. Valid values are hold, none."
        ]
    );
}
