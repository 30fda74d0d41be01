//! The kind `package` with managers other than apt: real ones in private directories, with packages
//! that are built here.
//!
//! The test of a manager that is not installed is skipped with a message; with `CI` set it fails.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Machine, errors, list, parse, really, s, says, word};
use ordain_data::Value;
use ordain_engine::host::Host;
use ordain_engine::kind::{Instance, Kind as _};
use ordain_engine::kinds::package::Package;
use ordain_engine::runner::HostRunner;
use ordain_engine::runner::{Invocation, Outcome};

/// Whether these programs are there.
fn has(programs: &[&str]) -> bool {
    let path = std::env::var("PATH").unwrap();
    let is_there = |name: &&str| path.split(':').any(|dir| Path::new(dir).join(name).is_file());
    let missing: Vec<_> = programs.iter().filter(|p| !is_there(p)).collect();
    ordain_testkit::peer(missing.is_empty(), &format!("the packages with {missing:?}"))
}

fn shell(dir: &Path, script: &str) {
    let output = Command::new("sh").args(["-ec", script]).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The running system, where environment variables point managers to a directory.
struct Live {
    host: Host,
    kind: Package,
    provider: &'static str,
    more: Vec<(&'static str, Value)>,
}

impl Live {
    fn new(provider: &'static str, more: Vec<(&'static str, Value)>) -> Self {
        let host = Host::new("/".into(), Box::new(HostRunner));
        Self { host, kind: Package::default(), provider, more }
    }

    fn package(&self, name: &str, attributes: &[(&str, Value)]) -> Box<dyn Instance> {
        let own = [("provider", s(self.provider))];
        let all: Vec<_> = own.iter().chain(&self.more).chain(attributes).cloned().collect();
        parse(&self.kind, name, &all)
    }

    /// Makes the changes of a package, checks that none are left, and returns the messages for the
    /// log.
    fn converge(&self, name: &str, attributes: &[(&str, Value)]) -> Vec<String> {
        let package = self.package(name, attributes);
        let changes = package.compare(&self.host).unwrap();
        package.apply(&self.host, &changes).unwrap();
        let left = package.compare(&self.host).unwrap();
        assert!(left.is_empty(), "left: {left:?}");
        crate::support::lines(&changes)
    }

    fn fails(&self, name: &str, attributes: &[(&str, Value)]) -> String {
        let package = self.package(name, attributes);
        let changes = package.compare(&self.host).unwrap();
        package.apply(&self.host, &changes).unwrap_err().to_string()
    }
}

fn ensure(what: &str) -> [(&'static str, Value); 1] {
    [("ensure", s(what))]
}

/// A wheel is an archive of modules and a directory that describes them.
const WHEELS: &str = r#"
import sys, zipfile
for version in sys.argv[1:]:
    info = f"ordain_test-{version}.dist-info"
    with zipfile.ZipFile(f"ordain_test-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("ordain_test.py", "")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: Ordain.Test\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in ["ordain_test.py", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/RECORD"]))
"#;

#[test]
fn pip_installs_into_an_environment() {
    if !has(&["python3"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("wheels.py"), WHEELS).unwrap();
    shell(dir.path(), "python3 wheels.py 1.0 1.5 2.0 3.0rc1; python3 -m venv env");
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let options = list(&["--no-index", "--find-links", &at("")]);
    let more = vec![("command", s(&at("env/bin/pip"))), ("install_options", options)];
    let pip = Live::new("pip", more);
    assert_eq!(pip.converge("ordain-test", &ensure("1.0")), ["ensure: created"]);
    // Names are equal in all their spellings, and so are versions.
    assert!(pip.converge("Ordain_Test", &ensure("installed")).is_empty());
    assert!(pip.converge("ordain.test", &ensure("1")).is_empty());
    assert!(pip.converge("ordain-test[extra]", &ensure(">=0.9 <1.5")).is_empty());
    let said = pip.converge("ordain-test", &ensure(">1.0 <2.0"));
    assert_eq!(said, ["ensure: ensure changed '1.0' to '>1.0 <2.0'"]);
    let said = pip.converge("ordain-test", &ensure("latest"));
    assert_eq!(said, ["ensure: ensure changed '1.5' to '2.0'"]);
    let file = at("ordain_test-1.0-py3-none-any.whl");
    let sourced = [("source", s(&file)), ("ensure", s("1.0"))];
    assert_eq!(pip.converge("ordain-test", &sourced), ["ensure: ensure changed '2.0' to '1.0'"]);
    let error = pip.fails("ordain-test", &ensure("7.0"));
    assert!(error.starts_with("Could not update: Execution of '"), "{error}");
    assert!(error.contains("No matching distribution found for ordain-test==7.0"), "{error}");
    assert_eq!(pip.converge("ordain-test", &ensure("absent")), ["ensure: removed"]);
    assert!(pip.converge("ordain-test", &ensure("absent")).is_empty());
    let early = [
        ("ensure", s("latest")),
        ("install_options", list(&["--no-index", "--pre", "--find-links", &at("")])),
    ];
    let pip = Live::new("pip3", vec![("command", s(&at("env/bin/pip")))]);
    pip.converge("ordain-test", &early);
    assert!(pip.converge("ordain-test", &ensure("3.0rc1")).is_empty());
    let gone = parse(&pip.kind, "x", &[("provider", s("pip")), ("command", s("/no/pip"))]);
    let error = gone.compare(&pip.host).unwrap_err().to_string();
    assert_eq!(error, "Provider pip package command '/no/pip' does not exist on this host");
    assert!(gone.watches(&pip.host).is_empty() && gone.poll_interval(&pip.host).is_some());
}

#[test]
fn gem_installs_into_a_directory() {
    if !has(&["gem", "ruby"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let spec = "Gem::Specification.new { |s| s.name = 'ordain_test'; s.version = ENV['V']; \
                s.summary = 'x'; s.authors = ['x'] }";
    std::fs::write(dir.path().join("x.gemspec"), spec).unwrap();
    shell(dir.path(), "for V in 1.0 1.5 2.0; do export V; gem build -q x.gemspec; done");
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let home = at("home");
    let environment = list(&[&format!("GEM_HOME={home}"), &format!("GEM_PATH={home}")]);
    let gem = Live::new("gem", vec![("environment", environment)]);
    let from = |version: &str, ensure: &str| {
        [("source", s(&at(&format!("ordain_test-{version}.gem")))), ("ensure", s(ensure))]
    };
    assert_eq!(gem.converge("ordain_test", &from("1.0", "1.0")), ["ensure: created"]);
    assert!(gem.converge("ordain_test", &ensure("installed")).is_empty());
    let said = gem.converge("ordain_test", &from("2.0", "latest"));
    assert_eq!(said, ["ensure: ensure changed '1.0' to '2.0'"]);
    // One of those that are there is enough.
    for fitting in ["1.0.0", "~> 1.0", ">=1.5 <3", ">= 1, != 2.0"] {
        assert!(gem.converge("ordain_test", &ensure(fitting)).is_empty(), "{fitting}");
    }
    let error = gem.fails("ordain_test", &from("2.0", "7.0"));
    assert!(error.starts_with("Could not update: "), "{error}");
    assert_eq!(gem.converge("ordain_test", &ensure("absent")), ["ensure: removed"]);
    assert!(gem.converge("ordain_test", &ensure("absent")).is_empty());
}

#[test]
fn npm_installs_for_the_machine() {
    if !has(&["npm", "node"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let script = r#"mkdir -p package prefix/lib
        for version in 1.0.0 1.5.0; do
            echo "{\"name\":\"ordain-test\",\"version\":\"$version\"}" >package/package.json
            tar -czf $version.tgz package
        done"#;
    shell(dir.path(), script);
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let environment = list(&[
        &format!("npm_config_prefix={}", at("prefix")),
        &format!("npm_config_cache={}", at("cache")),
        "npm_config_offline=true",
        "npm_config_audit=false",
    ]);
    let npm = Live::new("npm", vec![("environment", environment)]);
    let from = |version: &str, ensure: &str| {
        [("source", s(&at(&format!("{version}.tgz")))), ("ensure", s(ensure))]
    };
    assert_eq!(npm.converge("ordain-test", &from("1.0.0", "1.0.0")), ["ensure: created"]);
    for fitting in ["installed", "^1.0", ">=1 <2", "1.x"] {
        assert!(npm.converge("ordain-test", &ensure(fitting)).is_empty(), "{fitting}");
    }
    let said = npm.converge("ordain-test", &from("1.5.0", "1.5.0"));
    assert_eq!(said, ["ensure: ensure changed '1.0.0' to '1.5.0'"]);
    let error = npm.fails("ordain-test", &ensure("7.0.0"));
    assert!(error.starts_with("Could not update: Execution of '"), "{error}");
    assert_eq!(npm.converge("ordain-test", &ensure("absent")), ["ensure: removed"]);
    assert!(npm.converge("ordain-test", &ensure("absent")).is_empty());
}

/// A machine in a directory; `map` tells a manager to use it as its root.
fn rooted(map: fn(&str, &str) -> Vec<String>) -> Machine {
    Machine::answering(move |root, invocation| {
        let root = root.to_string_lossy();
        assert_eq!(word(invocation, 1), root);
        let tool = PathBuf::from(word(invocation, 2));
        let tool = tool.file_name().unwrap().to_string_lossy().into_owned();
        let words = map(&tool, &root).into_iter().map(OsString::from);
        let mut inner = invocation.clone();
        inner.launch.argv = std::iter::once(OsString::from(&tool))
            .chain(words)
            .chain(invocation.launch.argv[3..].iter().cloned())
            .collect();
        // The file in which rpm reads that its database is at the usual place.
        inner.launch.set_env.push(("HOME".into(), format!("{root}/home").into()));
        really(&inner)
    })
}

/// Packages of rpm: some versions of `alpha`, `beta` that provides `thing`, `needs` that needs
/// `alpha`.
fn rpms(root: &Path) {
    let script = r#"
        mkdir -p home usr/bin; echo '%_dbpath /var/lib/rpm' >home/.rpmmacros
        export HOME=$PWD/home
        make() {
            printf '%s\n' "Name: $1" "Version: $2" "Release: 1" "$3" 'Summary: x' 'License: x' \
                'BuildArch: noarch' %description x %files >$1.spec
            rpmbuild -bb --define "_topdir $PWD/build" --define "_rpmdir $PWD/repo" $1.spec
        }
        for version in 1.0 1.5 2.0; do make alpha $version; done
        make beta 1.0 "$(printf 'Epoch: 1\nProvides: thing')"
        make needs 1.0 'Requires: alpha'
        createrepo_c -q repo"#;
    shell(root, script);
}

fn converge(machine: &Machine, kind: &Package, name: &str, all: &[(&str, Value)]) -> Vec<String> {
    machine.converge(&*parse(kind, name, all))
}

/// The common behaviour of both rpm managers.
fn versions_of_rpm(machine: &Machine, provider: &str) {
    let kind = Package::default();
    let wants = |what: &str| [("provider", s(provider)), ("ensure", s(what))];
    let said = |name: &str, what: &str| converge(machine, &kind, name, &wants(what));
    let nothing: [&str; 0] = [];
    assert_eq!(said("alpha", "1.0"), ["ensure: created"]);
    assert_eq!(said("alpha", "1.0-1"), nothing);
    assert_eq!(said("alpha.noarch", "installed"), nothing);
    assert_eq!(said("alpha", "1.5"), ["ensure: ensure changed '1.0-1' to '1.5'"]);
    assert_eq!(said("alpha", "1.0-1"), ["ensure: ensure changed '1.5-1' to '1.0-1'"]);
    assert_eq!(said("alpha", ">1.0 <2"), nothing);
    assert_eq!(said("alpha", ">1.1 <2"), ["ensure: ensure changed '1.0-1' to '>1.1 <2'"]);
    let latest = if provider == "zypper" { "2.0-1" } else { "0:2.0-1" };
    let changed = format!("ensure: ensure changed '1.5-1' to '{latest}'");
    assert_eq!(said("alpha", "latest"), [changed]);
    assert_eq!(said("thing", "present"), ["ensure: created"]);
    assert_eq!(said("beta", "1:1.0-1"), nothing);
    assert_eq!(said("beta", "latest"), nothing);
    assert_eq!(said("thing", "absent"), ["ensure: removed"]);
    let exact = [("allow_virtual", Value::Bool(false)), ("provider", s(provider))];
    assert_eq!(machine.messages(&*parse(&kind, "thing", &exact)), ["ensure: created"]);
    assert_eq!(said("needs", "installed"), ["ensure: created"]);
    // Each package is requested once.
    machine.commands();
    for _ in 0..3 {
        said("alpha", "2.0");
    }
    let queries = machine.commands().iter().filter(|c| c.contains("rpm -qa")).count();
    assert!(queries <= 1, "{queries} queries");
    let watches = parse(&kind, "alpha", &wants("2.0")).watches(&machine.host);
    assert!(watches.iter().any(|w| format!("{w:?}").contains("rpmdb")), "{watches:?}");
}

#[test]
fn dnf_installs_below_a_root() {
    if !has(&["dnf", "rpm", "rpmbuild", "createrepo_c"]) {
        return;
    }
    let machine = rooted(|tool, root| match tool {
        "dnf" => vec![
            format!("--installroot={root}"),
            "--releasever=1".to_string(),
            format!("--setopt=reposdir={root}/etc/yum.repos.d"),
            format!("--setopt=cachedir={root}/cache"),
        ],
        _ => vec!["--root".to_string(), root.to_string()],
    });
    rpms(machine.root());
    let repository = format!(
        "[local]\nname=local\nbaseurl=file://{}/repo\ngpgcheck=0\n",
        machine.root().display()
    );
    machine.write("etc/yum.repos.d/local.repo", repository);
    for tool in ["dnf", "rpm"] {
        machine.write(&format!("usr/bin/{tool}"), "");
    }
    versions_of_rpm(&machine, "dnf");
    let kind = Package::default();
    let gone = parse(&kind, "alpha", &[("provider", s("dnf")), ("ensure", s("absent"))]);
    let changes = gone.compare(&machine.host).unwrap();
    let error = gone.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.contains("alpha is needed by (installed) needs"), "{error}");
    let purged = [("provider", s("dnf")), ("ensure", s("purged"))];
    assert_eq!(converge(&machine, &kind, "alpha", &purged), ["ensure: purged"]);
    let missing = parse(&kind, "missing", &[("provider", s("dnf"))]);
    let changes = missing.compare(&machine.host).unwrap();
    let error = missing.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.contains("Unable to find a match: missing"), "{error}");
    // Without a provider the machine decides.
    machine.write("etc/os-release", "ID=rocky\nID_LIKE=\"rhel fedora\"\nVERSION_ID=\"9\"\n");
    assert_eq!(converge(&machine, &kind, "alpha", &[]), ["ensure: created"]);
    assert!(machine.commands().iter().any(|c| c.contains("/usr/bin/dnf -y install alpha")));
}

#[test]
fn zypper_installs_below_a_root() {
    if !has(&["zypper", "rpm", "rpmbuild", "createrepo_c"]) {
        return;
    }
    let machine = rooted(|_, root| vec!["--root".to_string(), root.to_string()]);
    rpms(machine.root());
    let add = "HOME=$PWD/home zypper --root $PWD --non-interactive addrepo --no-gpgcheck \
               dir:$PWD/repo local";
    shell(machine.root(), add);
    for tool in ["zypper", "rpm"] {
        machine.write(&format!("usr/bin/{tool}"), "");
    }
    versions_of_rpm(&machine, "zypper");
    let kind = Package::default();
    // It fails if nothing is left.
    let beta = [("provider", s("zypper"))];
    assert_eq!(converge(&machine, &kind, "beta", &beta), ["ensure: created"]);
    let absent = [("provider", s("zypper")), ("ensure", s("absent"))];
    assert_eq!(converge(&machine, &kind, "alpha", &absent), ["ensure: removed"]);
    let missing = parse(&kind, "missing", &[("provider", s("zypper"))]);
    let changes = missing.compare(&machine.host).unwrap();
    let error = missing.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.contains("missing"), "{error}");
    machine.write("etc/os-release", "ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n");
    assert_eq!(converge(&machine, &kind, "alpha", &[]), ["ensure: created"]);
}

#[test]
fn pacman_installs_below_a_root() {
    if !has(&["pacman", "repo-add", "bsdtar"]) {
        return;
    }
    let machine = rooted(|_, root| {
        let path = |option: &str, path: &str| format!("{option}={root}{path}");
        vec![
            path("--root", ""),
            path("--dbpath", "/var/lib/pacman"),
            path("--cachedir", "/var/cache"),
            path("--config", "/etc/pacman.conf"),
        ]
    });
    let script = r#"
        mkdir -p repo etc usr/bin var/cache var/lib/pacman; touch usr/bin/pacman
        make() {
            rm -rf one; mkdir -p one/opt/$1; echo $2 >one/opt/$1/version
            printf '%s\n' "pkgname = $1" "pkgbase = $1" "pkgver = $2" 'pkgdesc = x' 'url = x' \
                'builddate = 1' 'packager = x' 'size = 1' 'arch = any' 'license = x' "$3" >one/.PKGINFO
            tar -C one -czf repo/$1-$2-any.pkg.tar.gz .PKGINFO opt
        }
        make alpha 1.0-1; make beta 1.0-1 'group = both'; make gamma 2.0-1 'group = both'
        repo-add -q repo/test.db.tar.gz repo/*.pkg.tar.gz
        printf '%s\n' '[options]' 'Architecture = auto' 'SigLevel = Never' '[test]' \
            "Server = file://$PWD/repo" >etc/pacman.conf
        sync() {
            pacman --root $PWD --dbpath $PWD/var/lib/pacman --config $PWD/etc/pacman.conf -Syy
        }
        sync"#;
    shell(machine.root(), script);
    let kind = Package::default();
    let wants = |what: &str| [("provider", s("pacman")), ("ensure", s(what))];
    let said = |name: &str, what: &str| converge(&machine, &kind, name, &wants(what));
    assert_eq!(said("alpha", "installed"), ["ensure: created"]);
    assert!(said("alpha", "latest").is_empty());
    let newer = script.replace("make alpha 1.0-1; make beta", "make alpha 2.0-1; make beta");
    shell(machine.root(), &newer);
    assert_eq!(said("alpha", "latest"), ["ensure: ensure changed '1.0-1' to '2.0-1'"]);
    assert_eq!(said("both", "installed"), ["ensure: created"]);
    assert!(said("both", "latest").is_empty());
    assert!(said("gamma", "installed").is_empty());
    let strict = [("provider", s("pacman")), ("allow_virtual", Value::Bool(false))];
    let group = parse(&kind, "both", &strict);
    let changes = group.compare(&machine.host).unwrap();
    let error = group.apply(&machine.host, &changes).unwrap_err().to_string();
    let why = "because allow_virtual is false.";
    assert_eq!(error, format!("Refusing to install package group both, {why}"));
    assert_eq!(said("both", "absent"), ["ensure: removed"]);
    assert_eq!(said("alpha", "purged"), ["ensure: purged"]);
    let missing = parse(&kind, "missing", &[("provider", s("pacman"))]);
    let changes = missing.compare(&machine.host).unwrap();
    let error = missing.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.ends_with("error: target not found: missing"), "{error}");
}

/// Simulates apk with its database.
fn apk(root: &Path, invocation: &Invocation) -> Outcome {
    let words: Vec<String> =
        (3..invocation.launch.argv.len()).map(|i| word(invocation, i)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let path = root.join("lib/apk/db/installed");
    let database = std::fs::read_to_string(&path).unwrap();
    let set = |name: &str, version: Option<&str>| {
        let others = database.split("\n\n").filter(|p| !p.contains(&format!("P:{name}\n")));
        let mut text: String =
            others.filter(|p| !p.trim().is_empty()).map(|p| format!("{p}\n\n")).collect();
        if let Some(version) = version {
            text.push_str(&format!("C:Q1x=\nP:{name}\nV:{version}\nA:x86_64\nS:1\n\n"));
        }
        std::fs::write(&path, text).unwrap();
    };
    match words[..] {
        ["version", "-l", "<"] => says(
            "Installed:                                Available:\n\
             old-1.0-r0                              < 1.2-r3 \n",
        ),
        ["version", "-t", a, b] => says(match a.cmp(b) {
            std::cmp::Ordering::Less => "<\n",
            std::cmp::Ordering::Equal => "=\n",
            std::cmp::Ordering::Greater => ">\n",
        }),
        ["add", "--no-progress", .., "missing"] => crate::support::fails(
            1,
            "ERROR: unable to select packages:\n  missing (no such package):\n    required by: world[missing]\n",
        ),
        ["add", "--no-progress", .., wanted] => {
            let (name, version) = wanted.split_once('=').unwrap_or((wanted, "1.2-r3"));
            set(name, Some(version));
            says(&format!("(1/1) Installing {name} ({version})\nOK: 8 MiB in 15 packages\n"))
        }
        ["del", "--no-progress", .., "needed"] => says(
            "World updated, but the following packages are not removed due to:\n  needed: other\n\n\
             OK: 8 MiB in 15 packages\n",
        ),
        ["del", "--no-progress", .., name] => {
            set(name, None);
            says(&format!("(1/1) Purging {name} (1.0-r0)\nOK: 8 MiB in 14 packages\n"))
        }
        _ => panic!("unexpected {words:?}"),
    }
}

#[test]
fn apk_installs() {
    let machine = Machine::answering(apk);
    machine.write("sbin/apk", "");
    let paragraph = |name: &str, version: &str| format!("C:Q1x=\nP:{name}\nV:{version}\nA:x\n\n");
    let all = [paragraph("old", "1.0-r0"), paragraph("needed", "3-r1")];
    machine.write("lib/apk/db/installed", all.concat());
    machine.write("etc/os-release", "ID=alpine\nVERSION_ID=3.20.1\n");
    let kind = Package::default();
    let said = |name: &str, what: &str| converge(&machine, &kind, name, &ensure(what));
    let all = kind.instances(&machine.host).unwrap();
    let all: Vec<String> = all.iter().map(|resource| resource.id.to_string()).collect();
    assert_eq!(all, ["Package[old]", "Package[needed]"]);
    assert!(said("old", "1.0-r0").is_empty() && said("old", "~1.0").is_empty());
    assert_eq!(machine.commands(), [""; 0]);
    assert!(said("old", ">=1.0-r0").is_empty());
    machine.commands();
    assert_eq!(said("old", "latest"), ["ensure: ensure changed '1.0-r0' to '1.2-r3'"]);
    let log = machine.commands();
    let latest = "/sbin/apk add --no-progress --upgrade old";
    assert!(log.iter().any(|c| c.ends_with(latest)), "{log:?}");
    assert_eq!(said("new", "1.1-r0"), ["ensure: created"]);
    assert!(machine.commands().iter().any(|c| c.ends_with("add --no-progress new=1.1-r0")));
    assert_eq!(said("new", "purged"), ["ensure: purged"]);
    assert!(machine.commands().iter().any(|c| c.ends_with("del --no-progress --purge new")));
    for (name, what, text) in [
        ("missing", "installed", "missing (no such package)"),
        ("needed", "absent", "not removed due to"),
    ] {
        let package = parse(&kind, name, &ensure(what));
        let changes = package.compare(&machine.host).unwrap();
        let error = package.apply(&machine.host, &changes).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn unsupported_features_of_a_manager_are_errors() {
    let of = |provider: &str, more: &[(&str, Value)]| {
        let own = [("provider", s(provider))];
        let all: Vec<_> = own.iter().chain(more).cloned().collect();
        errors(&Package::default(), "x", &all)
    };
    let lacks = |provider: &str, feature: &str, what: &str| {
        let found = of(provider, &ensure(what));
        let wanted = format!("must have features '{feature}' to set 'ensure' to '{what}'");
        assert_eq!(found, [format!("ensure: Provider {provider} {wanted}")]);
    };
    for provider in ["zypper", "pip", "pip3", "npm", "gem"] {
        lacks(provider, "purgeable", "purged");
    }
    for provider in ["dnf", "yum", "apk", "gem"] {
        lacks(provider, "holdable", "held");
        lacks(provider, "disableable", "disabled");
    }
    lacks("pacman", "versionable", "1.0");
    let machine = Machine::silent();
    for (provider, attribute, feature) in [
        ("dnf", "uninstall_options", "uninstall_options"),
        ("zypper", "uninstall_options", "uninstall_options"),
        ("pip", "uninstall_options", "uninstall_options"),
        ("npm", "mark", "holdable"),
        ("dnf", "command", "targetable"),
        ("gem", "flavor", "supports_flavors"),
        ("zypper", "install_only", "install_only"),
    ] {
        let declared = [("provider", s(provider)), (attribute, s("x"))];
        let package = parse(&Package::default(), "x", &declared);
        let text = format!(
            "Provider {provider} does not support features {feature}; \
             not managing attribute {attribute}"
        );
        assert_eq!(package.remarks(&machine.host), [text]);
    }
    assert_eq!(
        of("gem", &[("command", s("gem"))]),
        ["command: the command must be an absolute path"]
    );
    let package = parse(&Package::default(), "x", &[("provider", s("dnf"))]);
    let error = package.compare(&machine.host).unwrap_err().to_string();
    assert_eq!(error, "Provider dnf is not functional on this host");
}
