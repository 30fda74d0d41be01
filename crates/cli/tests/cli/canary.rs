//! No output contains a secret. Sources of every language, whose secrets all start with [`MARK`],
//! go through every verb, format, log level and error. The mark may only appear in catalogs, which
//! agents apply, and in the files that the secrets are for.
//!
//! Tests of the engine cover the messages about every attribute of every kind; here the same
//! resources go through the verbs.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_engine::kind::Registry;
use ordain_graph::json::{self, Secrets};
use ordain_graph::{
    Attribute, Containment, Graph, Origin, Resource, ResourceRef, Step, puppet_catalog,
};
use ordain_source::SourceMap;

/// The prefix of every secret.
const MARK: &str = "zq7x-";

/// A directory of sources, with a machine and a state directory beside it.
struct Site {
    dir: tempfile::TempDir,
    /// Further secrets, which a run creates.
    more: RefCell<Vec<String>>,
    leaks: RefCell<Vec<String>>,
}

impl Site {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for path in ["src", "root/etc", "state"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        // Other users can enter the state directory, but must not be able to read the secrets in
        // it.
        fs::set_permissions(dir.path().join("state"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(dir.path().join("root/etc/passwd"), "root:x:0:0::/root:/bin/sh\n").unwrap();
        fs::write(dir.path().join("root/etc/group"), "root:x:0:\n").unwrap();
        let site = Self { dir, more: RefCell::default(), leaks: RefCell::default() };
        site.add_shell();
        site
    }

    /// Adds a shell to the machine, so that commands with secrets in their output run. Without
    /// BusyBox they fail to start, and print nothing.
    fn add_shell(&self) {
        let busybox = Path::new("/bin/busybox");
        if ordain_testkit::peer(busybox.exists(), "busybox-static") {
            fs::create_dir(self.path("root/bin")).unwrap();
            fs::copy(busybox, self.path("root/bin/busybox")).unwrap();
            for name in ["sh", "echo", "true"] {
                std::os::unix::fs::symlink("busybox", self.path("root/bin").join(name)).unwrap();
            }
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path("src").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn mode(&self, path: &str) -> u32 {
        fs::symlink_metadata(self.path(path)).unwrap().permissions().mode() & 0o7777
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.args(arguments.split(' ')).current_dir(self.path("src")).stdin(Stdio::null());
        command.env("SPIFF_ENCRYPTION_KEY", "key").env_remove("ORDAIN_STATE_DIR");
        command
    }

    /// Watches until there is nothing to do, or until everything was reported once: failing
    /// resources are retried forever.
    fn quiet_watch(&self, arguments: &str) {
        let said = self.path("watched");
        let out = fs::File::create(&said).unwrap();
        let mut watch = self.command(arguments);
        watch.stdout(out.try_clone().unwrap()).stderr(out);
        let mut watch = watch.spawn().unwrap();
        let (mut length, mut rounds) = (0, 0);
        while watch.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(100));
            let now = fs::metadata(&said).unwrap().len();
            rounds = if now > length { 0 } else { rounds + 1 };
            length = now;
            if length > 0 && rounds > 15 || length > 100_000 {
                let pid = nix::unistd::Pid::from_raw(watch.id().try_into().unwrap());
                nix::sys::signal::kill(pid, nix::sys::signal::SIGTERM).unwrap();
                watch.wait().unwrap();
            }
        }
        let text = fs::read_to_string(&said).unwrap();
        assert!(!text.contains("this is a bug"), "{arguments}: {text}");
        self.look(arguments, &text);
    }

    /// Runs a verb and returns its output of both streams, whatever its exit code.
    fn run(&self, arguments: &str) -> String {
        let out = self.command(arguments).output().unwrap();
        let said = [out.stdout, out.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(!said.contains("this is a bug"), "{arguments}: {said}");
        assert!(!said.contains("Usage:"), "{arguments}: {said}");
        said
    }

    /// Runs a command and checks its output for secrets.
    fn quiet(&self, arguments: &str) -> String {
        let said = self.run(arguments);
        self.look(arguments, &said);
        said
    }

    /// Records the lines of a text that contain a secret.
    fn look(&self, from: &str, text: &str) {
        let more = self.more.borrow();
        let leaks = |line: &&str| {
            let lower = line.to_lowercase();
            lower.contains(MARK) || more.iter().any(|secret| line.contains(secret))
        };
        let found = text.lines().filter(leaks).take(5).map(|line| {
            // A document is one long line.
            let at = line.to_lowercase().find(MARK).unwrap_or_default();
            let near: String = line.chars().skip(at.saturating_sub(100)).take(200).collect();
            format!("{from}: {near}")
        });
        self.leaks.borrow_mut().extend(found);
    }

    /// Checks all files below a directory, except those that are left out.
    fn look_below(&self, dir: &str, leave_out: &dyn Fn(&Path) -> bool) {
        let mut todo = vec![self.path(dir)];
        let mut count = 0;
        while let Some(path) = todo.pop() {
            if path.is_dir() {
                todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if !leave_out(&path) {
                count += 1;
                let text = fs::read(&path).unwrap();
                let text: Vec<u8> =
                    text.into_iter().map(|b| if b == 0 { b'\n' } else { b }).collect();
                self.look(&path.display().to_string(), &String::from_utf8_lossy(&text));
            }
        }
        assert!(count > 0, "there is nothing in {dir}");
    }

    /// Runs all verbs that take a graph or its sources.
    fn all_verbs(&self, source: &str, resources: &[&str]) {
        for format in ["dot", "svg", "html", "json"] {
            self.quiet(&format!("graph {source} --format {format}"));
            self.quiet(&format!("graph {source} --out ../graph.{format}"));
        }
        for resource in resources {
            self.quiet(&format!("explain {resource} {source}"));
            self.quiet(&format!("explain {resource} {source} --format json"));
        }
        let machine = "--root ../root --state-dir ../state";
        for more in ["", " -v", " -vv", " --diagnostics json", " --color always", " --format json"]
        {
            self.quiet(&format!("plan {source} {machine}{more}"));
            self.quiet(&format!("apply {source} {machine} --noop{more}"));
        }
        self.quiet(&format!("plan {source} {machine} --out ../saved.json"));
        self.look_file("saved.json");
        self.quiet(&format!("check {source}"));
        self.quiet(&format!("check {source} --diagnostics json"));
        self.quiet(&format!("diff {source} {source}"));
    }

    /// Runs the verbs that change the machine.
    fn all_changes(&self, source: &str) {
        let machine = "--root ../root --state-dir ../state";
        self.quiet(&format!("apply {source} {machine} -vv"));
        for verb in ["show", "show --format json", "history", "history --format json"] {
            self.quiet(&format!("{verb} --state-dir ../state"));
        }
        self.quiet(&format!("apply {source} {machine} --format json"));
        self.quiet_watch(&format!("watch {source} {machine} --lines -vv --converged-timeout 1"));
        self.quiet_watch(&format!("watch {source} {machine} --format json --converged-timeout 1"));
        self.quiet(&format!("rollback {machine} --noop"));
    }

    /// Reverts the last run, and checks the state directory.
    fn end_with_rollback(self) {
        let machine = "--root ../root --state-dir ../state";
        self.quiet(&format!("rollback {machine} --force -vv"));
        for verb in ["show", "show --format json", "history", "doctor", "doctor --format json"] {
            self.quiet(&format!("{verb} --state-dir ../state"));
        }
        self.check_state();
        self.end();
    }

    fn look_file(&self, path: &str) {
        let text = fs::read(self.path(path)).unwrap_or_default();
        self.look(path, &String::from_utf8_lossy(&text));
    }

    /// Checks the state directory, which only its owner can read. Data for a rollback may contain
    /// secrets: the contents of files, and the changed paths.
    fn check_state(&self) {
        self.look_below("state", &|path| {
            path.components().any(|part| part.as_os_str() == "backups")
                || path
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("state.db"))
        });
        self.check_journal();
        let mut todo = vec![self.path("state")];
        while let Some(path) = todo.pop() {
            let mode = fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777;
            if path.is_dir() {
                todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if mode & 0o077 != 0 {
                self.leaks.borrow_mut().push(format!("{} has mode {mode:o}", path.display()));
            }
        }
    }

    /// Checks the journal, except for paths and their earlier state, which a rollback needs.
    fn check_journal(&self) {
        let journal = rusqlite::Connection::open(self.path("state/state.db")).unwrap();
        let mut tables =
            journal.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
        let tables = tables.query_map([], |row| row.get(0)).unwrap();
        let tables: Vec<String> = tables.map(Result::unwrap).collect();
        assert!(tables.len() > 4, "{tables:?}");
        for table in tables {
            let columns = if table == "kept" { "run, name" } else { "*" };
            let mut select = journal.prepare(&format!("SELECT {columns} FROM {table}")).unwrap();
            let columns = select.column_count();
            let mut found = select.query([]).unwrap();
            let mut rows = String::new();
            while let Some(row) = found.next().unwrap() {
                for column in 0..columns {
                    rows.push_str(&format!("{:?}\n", row.get_ref(column).unwrap()));
                }
            }
            self.look(&table, &rows);
        }
    }

    fn end(self) {
        let leaks = self.leaks.into_inner();
        assert!(leaks.is_empty(), "secrets show:\n{}", leaks.join("\n"));
    }
}

/// The site in `canary/site`, with the keys of the language tests.
fn puppet_site() -> Site {
    let site = Site::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let keys = root.join("../../puppet/tests/hiera/eyaml/env/keys");
    let from = root.join("canary/site");
    let mut todo = vec![from.clone()];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.file_name().is_some_and(|name| name != "broken.pp") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.replace("KEYS", keys.to_str().unwrap());
            site.write(path.strip_prefix(&from).unwrap().to_str().unwrap(), &text);
        }
    }
    site
}

#[test]
fn secrets_of_puppet_show_in_catalogs_only() {
    let site = puppet_site();
    let resources = [
        "File[/srv/password]",
        "File[/srv/password].content",
        "File[/srv/opened].content",
        "File[/srv/link].ensure",
        "Exec[with_environment]",
        "Class[app]",
        "Host[db].comment",
        "App::Part[part].settings",
    ];
    for format in ["graph", "yaml", "dot"] {
        site.quiet(&format!("compile . --format {format}"));
    }
    site.quiet("compile . --out ../graphs");
    site.look_below("graphs", &|_| false);
    let catalog = site.run("compile . --node n --format puppet-catalog --out ../catalogs");
    site.look("compile --out", &catalog);
    assert!(fs::read_to_string(site.path("catalogs/n.json")).unwrap().contains("zq7x-password"));
    assert_eq!((site.mode("catalogs"), site.mode("catalogs/n.json")), (0o700, 0o600));
    site.all_verbs(".", &resources);
    site.all_changes(".");
    for key in ["password", "path", "settings", "settings.key", "environment.0"] {
        for more in
            ["", " --explain", " --explain --format json", " --format json", " --merge unique"]
        {
            site.quiet(&format!("lookup app::{key}{more}"));
        }
    }
    site.quiet("lookup app::password --compile --explain -vv");
    // The names of encrypted keys may be anything.
    fs::create_dir(site.path("facts")).unwrap();
    fs::write(site.path("facts/n.json"), "{}").unwrap();
    for key in ["opened", "password", "path", "settings", "environment"] {
        for format in ["text", "json"] {
            site.quiet(&format!(
                "lookup app::{key} --all-nodes --facts ../facts --format {format}"
            ));
        }
    }
    assert!(site.run("lookup app::opened --all-nodes --facts ../facts").contains("(not shown)"));
    site.quiet("types export .");
    let content = |path: &str| fs::read_to_string(site.path("root").join(path)).unwrap();
    assert_eq!(content("srv/password"), "password = zq7x-password\n");
    assert_eq!(content("srv/opened"), "password = zq7x-opened-password\n");
    assert!(content("srv/template").contains("zq7x-password"));
    // Puppet does so, too.
    assert_eq!(site.mode("root/srv/plain"), 0o644);

    // Replaces the secrets with others. The old ones must not appear, either.
    let before = fs::read_to_string(site.path("src/data/common.yaml")).unwrap();
    fs::copy(
        site.path("graphs").read_dir().unwrap().next().unwrap().unwrap().path(),
        site.path("old.json"),
    )
    .unwrap();
    site.write("data/common.yaml", &before.replace(MARK, "zq7x-second-"));
    site.quiet("diff ../old.json .");
    site.quiet("diff ../catalogs/n.json .");
    site.quiet("diff ../catalogs/n.json . --format json");
    site.all_verbs(".", &[]);
    site.all_changes(".");
    assert!(content("srv/plain").contains("zq7x-second-password"));
    site.end_with_rollback();
}

#[test]
fn secrets_of_puppet_show_in_no_error() {
    let site = puppet_site();
    let broken = include_str!("../canary/site/manifests/broken.pp");
    site.write("manifests/site.pp", broken);
    site.all_verbs(".", &[]);
    site.all_changes(".");
    let said = site.quiet("plan . --root ../root --state-dir ../state");
    assert!(said.matches("error[").count() > 20, "{said}");
    for code in [
        "notify { 'n': tag => Sensitive(lookup('broken::word').unwrap) }",
        "notify { Sensitive(lookup('broken::word').unwrap): }",
        "file { 'x': path => lookup('broken::word'), mode => lookup('broken::word') + 1 }",
        "fail(lookup('broken::word'))",
        "fail(\"no ${lookup('app::opened')}\")",
        "notify { 'n': require => Sensitive(File[lookup('broken::word').unwrap]) }",
        "class c(Integer $x) {} class { 'c': x => lookup('broken::word') }",
        "class c(Sensitive[Integer] $x) {} class { 'c': x => lookup('broken::word') }",
        "notify { 'n': message => Integer(lookup('app::opened')) }",
        "notice(Integer(lookup('broken::word')))",
        "file { 'y': ensure => file, nosuch => lookup('broken::word') }",
        "file { 'a': path => lookup('broken::word') } file { 'b': path => lookup('broken::word') }",
        "host { 'h': ip => lookup('broken::number') }",
        "notice(lookup('broken::number'))",
        "notify { 'n': message => lookup('broken::word', Integer) }",
        "notify { 'n': message => assert_type(Integer, lookup('broken::word').unwrap) }",
    ] {
        site.write("manifests/site.pp", code);
        for verb in ["lookup broken::number", "lookup broken::number --explain"] {
            site.quiet(verb);
        }
        for verb in ["compile .", "check .", "plan . --diagnostics json"] {
            site.quiet(verb);
        }
    }
    site.end_with_rollback();
}

/// Attributes of all kinds of the engine, so that a new kind is covered automatically.
fn every_attribute(mark: &str) -> Graph {
    let secret = |value: Value| Value::Secret(Arc::new(value));
    let forms = [
        secret(Value::str(format!("{mark}word"))),
        secret(Value::str(format!("/{mark}path/{mark}word"))),
        secret(Value::list([Value::str(format!("{mark}item"))])),
        Value::list([secret(Value::str(format!("{mark}item")))]),
        Value::map([("key", secret(Value::str(format!("{mark}value"))))]),
    ];
    let mut graph = Graph::default();
    let origin = Origin { step: Step::Declaration, span: None, parent: None };
    let origin = graph.origins.intern(origin);
    for kind in Registry::default().iter() {
        let mut name = kind.name().to_string();
        name[..1].make_ascii_uppercase();
        for attribute in kind.attributes() {
            for (number, form) in forms.iter().enumerate() {
                let title = format!("/{}-{number}", attribute.name);
                let id = ResourceRef { kind: name.as_str().into(), title: title.as_str().into() };
                let (name, value) = (attribute.name.into(), form.clone());
                let attributes = vec![Attribute { name, value, origin, losers: Vec::new() }];
                let id = graph.add(Resource {
                    id,
                    containment: Containment::Leaf,
                    attributes,
                    tags: Vec::new(),
                    exported: false,
                    is_virtual: false,
                    origin,
                });
                let title = format!("{mark}word").into();
                graph.add_alias(ResourceRef { kind: kind.name().into(), title }, id);
            }
        }
    }
    graph
}

#[test]
fn attributes_of_all_kinds_show_in_no_verb() {
    let site = Site::new();
    let (graph, sources) = (every_attribute(MARK), SourceMap::new());
    assert!(graph.len() > 1000, "only {} resources", graph.len());
    let mut text = Vec::new();
    json::write(&graph, &sources, Secrets::Include, &mut text).unwrap();
    site.write("kinds.json", &String::from_utf8(text).unwrap());
    let mut text = Vec::new();
    let other = every_attribute("zq7x-second-");
    let envelope = puppet_catalog::Envelope::default();
    puppet_catalog::write(&other, &sources, &envelope, &mut text).unwrap();
    site.write("catalog.json", &String::from_utf8(text).unwrap());
    site.all_verbs("kinds.json", &["File[/content-0]", "User[/password-0].password"]);
    site.quiet("diff kinds.json catalog.json");
    site.quiet("diff kinds.json catalog.json --format json");
    site.quiet("plan catalog.json --root ../root --format json");
    site.end();
}

#[test]
fn decrypted_values_of_dynaml_are_hidden() {
    let site = Site::new();
    site.write("secret.yml", "password: zq7x-decrypted\npin: 73519264\nlist: [zq7x-item]\n");
    let encrypted = site.run("encrypt secret.yml");
    let text = "\
secrets: (( &temporary ( decrypt( meta.encrypted ) ) ))
meta: { encrypted: HEX }
key: (( &temporary ( x509genkey(\"P256\") ) ))
resources:
  file:
    /srv: { ensure: directory }
    /srv/password: { content: (( \"password = \" secrets.password \"\\n\" )) }
    /srv/declared: { content: (( secrets.password )), mode: '0640' }
    /srv/item: { content: '(( secrets.list.[0] ))' }
    /srv/key: { content: (( key )) }
    /srv/plain: { content: nothing }
    path: { path: (( \"/srv/\" secrets.password )), content: x }
  notify:
    told: { message: (( \"it is \" secrets.password )) }
    pin: { message: (( secrets.pin )) }
";
    site.more.borrow_mut().extend(["73519264".into(), "PRIVATE KEY".into()]);
    site.write("main.yml", &text.replace("HEX", encrypted.trim()));
    let resources = ["File[/srv/password].content", "File[/srv/password]", "Notify[told].message"];
    site.all_verbs("main.yml", &resources);
    site.all_changes("main.yml");
    site.quiet("explain main.yml --at resources.notify.told.message");
    site.quiet("explain main.yml --at resources.file --format json");
    let content = |path: &str| fs::read_to_string(site.path("root/srv").join(path)).unwrap();
    assert_eq!(content("password"), "password = zq7x-decrypted\n");
    let modes = ["password", "declared", "item", "key", "plain"];
    let modes = modes.map(|name| site.mode(&format!("root/srv/{name}")));
    assert_eq!(modes, [0o600, 0o640, 0o600, 0o600, 0o644]);
    site.write(
        "bad.yml",
        &text.replace("\"it is \" secrets", "1 + secrets").replace("HEX", encrypted.trim()),
    );
    site.quiet("plan bad.yml");
    site.quiet("merge bad.yml");
    let head: String = text.lines().take(2).map(|line| format!("{line}\n")).collect();
    let head = head.replace("HEX", encrypted.trim());
    for expression in [
        "eval(secrets.password)",
        "[1].[secrets.password]",
        "secrets.[secrets.password]",
        "error(secrets.password)",
        "parse(\"{\" secrets.password)",
        "read(\"/nope/\" secrets.password)",
        "exec(\"/bin/sh\", \"-c\", \"echo \" secrets.password \" >&2; exit 3\")",
        "nosuch(secrets.password)",
    ] {
        site.write("bad.yml", &format!("{head}x: (( {expression} ))\n"));
        for verb in ["merge bad.yml", "explain bad.yml --at x", "process bad.yml bad.yml"] {
            site.quiet(verb);
        }
    }
    // A transformed secret is a secret, too.
    let expressions = ["upper", "base64", "asjson"];
    let notes =
        expressions.map(|f| format!("    {f}: {{ message: (( {f}(secrets.password) )) }}\n"));
    site.write("rewritten.yml", &format!("{head}resources:\n  notify:\n{}", notes.concat()));
    site.more.borrow_mut().extend(["ZQ7X-DECRYPTED".into(), "enE3eC1kZWNyeXB0ZWQ=".into()]);
    site.quiet("explain rewritten.yml --at resources.notify.base64.message");
    site.quiet("plan rewritten.yml --format json");
    let machine = "--root ../root --state-dir ../state";
    let said = site.quiet(&format!("apply rewritten.yml {machine} -vv"));
    assert_eq!(said.matches("Notice: [redacted]").count(), 3, "{said}");
    site.end_with_rollback();
}

const MODULE: [(&str, &str); 3] = [
    ("libs/fs/module.yml", "name: fs\nversion: 1.2.3\nlicense: none\n"),
    (
        "libs/fs/model/_init.cf",
        "entity File extends std::PurgeableResource:\n    string path\n    string content\n    \
         int? mode = null\nend\nFile.host [1] -- std::Host\nimplement File using std::none\n",
    ),
    (
        "libs/fs/plugins/__init__.py",
        "from inmanta.resources import resource, PurgeableResource\n\n\
         @resource(\"fs::File\", agent=\"host.name\", id_attribute=\"path\")\n\
         class File(PurgeableResource):\n    fields = (\"path\", \"hash\", \"permissions\")\n\
         \x20   get_permissions = staticmethod(lambda _, entity: entity.mode)\n\n\
         \x20   @staticmethod\n    def get_hash(exporter, entity):\n\
         \x20       return exporter.upload_file(entity.content)\n",
    ),
];

/// Models whose errors or warnings are about a password.
const INMANTA_ERRORS: [&str; 5] = [
    "y = int(password)",
    "std::print(password)",
    "typedef t as string matching self == \"a\"\nentity A:\n  t n\nend\n\
     implement A using std::none\nA(n=password)",
    "entity A:\n  int n\nend\nimplement A using std::none\nA(n=password)",
    "entity A:\n  string n\nend\nindex A(n)\nimplement A using std::none\n\
     a = A[n=\"{{password}}x\"]",
];

#[test]
fn passwords_of_inmanta_do_not_show() {
    let site = Site::new();
    site.write("project.yml", "name: demo\nmodulepath: libs\ndownloadpath: libs\nrepo: []\n");
    MODULE.iter().for_each(|(path, text)| site.write(path, text));
    site.write("data/std/passwordfile.txt", "db=zq7x-password\n");
    site.write(
        "main.cf",
        "import fs\nhost = std::Host(name=\"internal\", os=std::linux)\n\
         fs::File(host=host, path=\"/srv/db\", content=\"pw={{ password }}\")\n\
         password = std::password(\"db\")\n"
            .replace("\"pw={{ password }}\"", "\"pw={{password}}\"")
            .as_str(),
    );
    let resources = ["File[/srv/db]", "File[/srv/db].content", "fs::File#1", "fs::File#1.content"];
    fs::create_dir_all(site.path("root/srv")).unwrap();
    site.all_verbs("main.cf", &resources);
    site.quiet("graph main.cf --instances --format json");
    site.quiet("graph main.cf --instances --format html");
    site.quiet("compile main.cf --format json");
    for (number, code) in INMANTA_ERRORS.iter().enumerate() {
        let name = format!("bad{number}.cf");
        site.write(&name, &format!("password = std::password(\"db\")\n{code}\n"));
        site.quiet(&format!("compile {name} --format json"));
        site.quiet(&format!("plan {name}"));
        let said = site.quiet(&format!("compile {name}"));
        assert!(said.contains("[redacted]"), "{said}");
    }
    site.all_changes("main.cf");
    assert_eq!(fs::read_to_string(site.path("root/srv/db")).unwrap(), "pw=zq7x-password");
    assert_eq!(site.mode("root/srv/db"), 0o600);
    site.end_with_rollback();
}

#[test]
fn passwords_of_mgmt_do_not_show() {
    let site = Site::new();
    fs::create_dir_all(site.path("root/srv")).unwrap();
    site.write(
        "main.mcl",
        "password \"p\" {\n\tlength => 20,\n\tsaved => true,\n}\n\
         file \"/srv/password\" {\n\tstate => \"exists\",\n}\n\
         Password[\"p\"].password -> File[\"/srv/password\"].content\n",
    );
    let machine = "--root ../root --state-dir ../state";
    site.run(&format!("apply main.mcl {machine}"));
    let password = fs::read_to_string(site.path("root/srv/password")).unwrap();
    assert_eq!(password.trim().len(), 20);
    assert_eq!(site.mode("root/srv/password"), 0o600);
    site.more.borrow_mut().push(password.trim().to_string());
    fs::write(site.path("root/srv/password"), "other").unwrap();
    site.all_verbs("main.mcl", &["File[/srv/password]", "file[/srv/password].content"]);
    site.all_changes("main.mcl");
    assert_eq!(fs::read_to_string(site.path("root/srv/password")).unwrap(), password);
    site.end_with_rollback();
}

#[test]
fn a_document_of_instances_with_secrets_is_for_its_owner_only() {
    let site = Site::new();
    site.write("types.pp", "type T = Object[{attributes => {p => Sensitive[String]}}]\n");
    let code = "T(Sensitive(\"zq7x-word\"))";
    site.run(&format!("types save --expression {code} --types types.pp --out ../secret.json"));
    assert!(fs::read_to_string(site.path("secret.json")).unwrap().contains("zq7x-word"));
    assert_eq!(site.mode("secret.json"), 0o600);
    site.quiet(&format!("eval --expression {code} --path types.pp"));
    site.end();
}
