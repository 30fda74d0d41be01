//! The terminus of PuppetDB, unmodified, in the program `puppet` of the system: it stores in the
//! server's database and collects from it, as the server does itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_ca::Generated;
use ordain_testkit::peer::peer;
use serde_json::{Value as Json, json};

use crate::databases::with_postgres;
use crate::puppetdb::rows;
use crate::support::{Client, TestServer, write};

const SITE: &str = "environments/production/manifests/site.pp";

/// The module of the type `host`.
const HOST_MODULE: &str = "/usr/share/puppet/modules/host_core";

/// A exports; B collects, and asks for nodes.
const MANIFEST: &str = r#"
node 'a.example.org' {
  @@notify { 'from a':
    message  => "hello\n\"there\"",
    withpath => true,
    tag      => ['seen', 'web::front'],
    loglevel => 'debug',
  }
  @@host { 'a.example.org': ip => '10.0.0.1', host_aliases => ['a', 'aa'], tag => 'seen' }
  @@notify { 'unseen': }
}
node 'b.example.org' {
  Notify <<| tag == 'seen' |>> { noop => true }
  Host <<| tag == 'seen' and ip == '10.0.0.1' |>>
  $names = puppetdb_query('resources[certname, title] { exported = true and tag = "seen" order by title }')
  $count = puppetdb_query(['from', 'nodes', ['extract', [['function', 'count']],
    ['=', 'certname', 'a.example.org']]])
  notify { "${names} ${count}": }
}
"#;

/// The answers to the queries of B.
const ROWS: &str = "[{certname => a.example.org, title => a.example.org}, \
                    {certname => a.example.org, title => from a}] [{count => 1}]";

/// Runs a test over SQLite, and over PostgreSQL where it is installed.
fn with_each(test: impl Fn(&TestServer)) {
    let start = |database: Option<&str>| {
        TestServer::start(&[(SITE, MANIFEST)], |config| {
            config.puppetdb = Some(([127, 0, 0, 1], 0).into());
            config.puppetdb_senders = ["a.example.org", "b.example.org"].map(String::from).to_vec();
            config.database = database.map(str::to_string);
        })
    };
    test(&start(None));
    with_postgres(|address| test(&start(Some(address))));
}

/// A node that compiles its own catalog, and applies it without a change.
struct Masterless<'s> {
    server: &'s TestServer,
    name: &'s str,
    dir: PathBuf,
}

impl<'s> Masterless<'s> {
    fn new(server: &'s TestServer, name: &'s str, own: &Generated) -> Self {
        let dir = server.path("masterless").join(name);
        let server_url = format!("https://localhost:{}", server.summary.address.port());
        write(&dir.join("conf/puppetdb.conf"), &format!("[main]\nserver_urls = {server_url}\n"));
        let routes = "apply:\n  catalog:\n    terminus: compiler\n    cache: puppetdb\n  facts:\n    \
                      terminus: facter\n    cache: puppetdb_apply\n";
        write(&dir.join("conf/routes.yaml"), routes);
        write(&dir.join(format!("ssl/certs/{name}.pem")), &own.certificate.pem());
        write(&dir.join(format!("ssl/private_keys/{name}.pem")), &own.key_pem);
        for (from, to) in [("ca_crt.pem", "certs/ca.pem"), ("ca_crl.pem", "crl.pem")] {
            let text = std::fs::read_to_string(server.path("state/ca").join(from)).unwrap();
            write(&dir.join("ssl").join(to), &text);
        }
        // Other modules of the machine may have facts that fail.
        std::fs::create_dir_all(dir.join("modules")).unwrap();
        std::os::unix::fs::symlink(HOST_MODULE, dir.join("modules/host_core")).unwrap();
        Self { server, name, dir }
    }

    fn apply(&self) -> String {
        let dir = |name: &str| self.dir.join(name).display().to_string();
        let output = Command::new("puppet")
            .args(["apply", "--noop", "--color=false", "--storeconfigs", "--report"])
            .args(["--storeconfigs_backend=puppetdb", "--reports=puppetdb"])
            .arg(format!("--certname={}", self.name))
            .args([format!("--confdir={}", dir("conf")), format!("--vardir={}", dir("var"))])
            .args([format!("--publicdir={}", dir("public")), format!("--rundir={}", dir("run"))])
            .args([
                format!("--ssldir={}", dir("ssl")),
                format!("--basemodulepath={}", dir("modules")),
            ])
            .arg(self.server.path("code").join(SITE))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        // Facter complains about files of other users.
        let mut errors = text.lines().filter(|line| line.contains("Error:"));
        let has_failed = errors.any(|line| !line.contains("Facter: Permission denied"));
        assert!(output.status.success() && !has_failed, "{text}");
        text
    }
}

/// The resources of a node without those that every catalog has, and those of another type.
fn stored(server: &TestServer, node: &str) -> Json {
    let query = format!(
        "resources[type, title, exported, tags, parameters, line] {{ certname = '{node}' and \
         (type = 'Notify' or type = 'Host') order by type, title }}"
    );
    let mut found = rows(server, &query);
    for row in found.as_array_mut().unwrap() {
        // PuppetDB's tags have no order.
        let tags = row["tags"].as_array_mut().unwrap();
        tags.sort_by_key(Json::to_string);
        // Puppet does not say where a collected resource was declared.
        if row["exported"] == false && row["title"] != json!(ROWS) {
            row.as_object_mut().unwrap().remove("line");
        }
    }
    found
}

fn compile(client: &mut Client, node: &str) {
    let facts = json!({ "name": node, "values": {} }).to_string();
    let headers = [("content-type", "application/json")];
    let target = format!("/puppet/v3/facts/{node}?environment=production");
    let reply = client.request("PUT", &target, &headers, facts.as_bytes()).unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
    let target = format!("/puppet/v3/catalog/{node}?environment=production");
    let reply = client.get(&target).unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[test]
fn the_terminus_stores_and_collects_what_the_server_does() {
    let needed = ["/usr/lib/ruby/vendor_ruby/puppet/util/puppetdb.rb", HOST_MODULE];
    let packages = "puppet-agent puppet-terminus-puppetdb puppet-module-puppetlabs-host-core";
    if !peer(needed.iter().all(|path| Path::new(path).exists()), packages) {
        return;
    }
    with_each(|server| {
        let (a, b) = ("a.example.org", "b.example.org");
        let keys = [a, b].map(|name| server.generate(name, |_| {}));
        // The server compiles both.
        let mut clients = [0, 1].map(|at: usize| server.connect(Some(&keys[at])).unwrap());
        compile(&mut clients[0], a);
        compile(&mut clients[1], b);
        let own = [stored(server, a), stored(server, b)];
        let titles: Vec<_> =
            own[1].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap()).collect();
        assert_eq!(titles, ["a.example.org", ROWS, "from a"]);
        // Puppet collects what the server stored, and stores the same.
        let output = Masterless::new(server, b, &keys[1]).apply();
        assert!(output.contains(ROWS), "{output}");
        assert_eq!(stored(server, b), own[1], "collected from the server");
        let found =
            rows(server, "facts[value] { certname = 'b.example.org' and name = 'puppetversion' }");
        assert!(found[0]["value"].is_string(), "{found}");
        let found = rows(server, "reports[noop, status] { certname = 'b.example.org' }");
        assert_eq!(found, json!([{ "noop": true, "status": "unchanged" }]));
        let found = rows(server, "events[count()] { certname = 'b.example.org' }");
        assert_eq!(found, json!([{ "count": 3 }]));
        // What Puppet exports is what the server exports, for both to collect.
        Masterless::new(server, a, &keys[0]).apply();
        assert_eq!(stored(server, a), own[0], "exported");
        compile(&mut clients[1], b);
        assert_eq!(stored(server, b), own[1], "collected from Puppet");
    });
}

#[test]
fn servers_share_a_database() {
    with_postgres(|address| {
        let start = || {
            TestServer::start(&[(SITE, MANIFEST)], |config| {
                config.puppetdb = Some(([127, 0, 0, 1], 0).into());
                config.database = Some(address.to_string());
            })
        };
        let (one, two) = std::thread::scope(|scope| {
            let other = scope.spawn(start);
            (start(), other.join().unwrap())
        });
        let keys = |server: &TestServer| {
            ["a.example.org", "b.example.org"].map(|name| (name, server.generate(name, |_| {})))
        };
        let keys = [(&one, keys(&one)), (&two, keys(&two))];
        let client = |server: &TestServer, name: &str| {
            let (_, keys) = keys.iter().find(|(of, _)| std::ptr::eq(*of, server)).unwrap();
            let (_, own) = keys.iter().find(|(own, _)| *own == name).unwrap();
            server.connect(Some(own)).unwrap()
        };
        compile(&mut client(&one, "a.example.org"), "a.example.org");
        let mut b = client(&two, "b.example.org");
        compile(&mut b, "b.example.org");
        assert_eq!(stored(&one, "b.example.org"), stored(&two, "b.example.org"));
        assert_eq!(stored(&one, "b.example.org").as_array().unwrap().len(), 3);
        // The catalog of a node that changes servers back and forth is stored again.
        compile(&mut client(&one, "b.example.org"), "b.example.org");
        compile(&mut b, "b.example.org");
        assert_eq!(stored(&one, "b.example.org").as_array().unwrap().len(), 3);
        // Both servers write about the same nodes at a time.
        std::thread::scope(|scope| {
            for server in [&one, &two] {
                for name in ["a.example.org", "b.example.org"] {
                    let mut client = client(server, name);
                    scope.spawn(move || (0..10).for_each(|_| compile(&mut client, name)));
                }
            }
        });
        let nodes = rows(&two, "nodes[certname] { order by certname }");
        let expected = json!([{ "certname": "a.example.org" }, { "certname": "b.example.org" }]);
        assert_eq!(nodes, expected);
    });
}
