//! Random edits: an answer that a record allows is the result of a compile.

use std::collections::BTreeMap;

use ordain_data::Value as Data;
use ordain_driver::inputs::CompileRecord;
use ordain_driver::puppet::shared::{NodeCatalog, NodeRequest, SharedEnvironment};
use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_testkit::random::Random;

use super::support::{Site, request};

/// The files of the site, each with the texts that it may have. An empty text means no file.
const FILES: [(&str, &[&str]); 17] = [
    (
        "manifests/site.pp",
        &[
            "node default {\n  include web\n  include base\n}\nnode 'a.example.org' { include base }\n",
            "$tier = 'top'\nnode default {\n  include base\n  include web\n}\n",
            "include base\nif $facts['os']['family'] == 'Debian' { include web }\n",
        ],
    ),
    (
        "modules/base/manifests/init.pp",
        &[
            "class base(String $greeting, Integer $level = 1) {\n  \
               notify { \"${greeting} ${level} ${trusted['certname']}\": }\n  \
               @@host { $facts['networking']['fqdn']: ip => $facts['networking']['ip'] }\n  \
               base::line { ['x', 'y']: }\n}\n",
            "class base(String $greeting) {\n  notify { \"only ${greeting}\": }\n  \
               Host <<| tag == 'base' |>>\n}\n",
        ],
    ),
    (
        "modules/base/manifests/line.pp",
        &[
            "define base::line { notify { \"line ${title} ${base::upper($title)}\": } }\n",
            "define base::line { notify { \"line ${title} ${hostname}\": } }\n",
            "",
        ],
    ),
    (
        "modules/base/functions/upper.pp",
        &["function base::upper($x) { \"<${x}>\" }\n", "function base::upper($x) { $x.upcase }\n"],
    ),
    (
        "modules/base/lib/puppet/functions/base/shout.rb",
        &[
            "",
            "Puppet::Functions.create_function(:'base::shout') do\n  dispatch :shout do\n    \
               param 'String', :text\n  end\n  def shout(text)\n    text.upcase\n  end\nend\n",
            "Puppet::Functions.create_function(:'base::shout') do\n  dispatch :shout do\n    \
               param 'String', :text\n  end\n  def shout(text)\n    text + '!'\n  end\nend\n",
        ],
    ),
    (
        "modules/web/manifests/init.pp",
        &[
            "class web(Web::Port $port) {\n  file { '/etc/web':\n    content => epp('web/a.epp', { port => $port }),\n  }\n  \
               notify { template('web/b.erb'): }\n  Host <<| |>>\n}\n",
            "class web(Integer $port) {\n  file { '/etc/web':\n    \
               content => file('web/override.txt', 'web/default.txt'),\n  }\n  \
               notify { \"${facts.dig('os', 'release', 'major')} ${port}\": }\n}\n",
            "class web($port) {\n  notify { base::shout(\"${port}\"): }\n  \
               $facts['disks'].each |$name, $size| { notify { \"${name} ${size}\": } }\n}\n",
        ],
    ),
    ("modules/web/types/port.pp", &["type Web::Port = Integer[1]\n", "type Web::Port = Any\n"]),
    (
        "modules/web/templates/a.epp",
        &[
            "<%- | $port | -%>\nport <%= $port %> <%= $facts['os']['family'] %>\n",
            "<%- | $port | -%>\n<%= $port %>\n",
        ],
    ),
    (
        "modules/web/templates/b.erb",
        &[
            "<%= @hostname %> <%= scope['port'] %>",
            "<%= scope.lookupvar('facts')['os']['family'] %> <%= scope['web::port'] %>",
            "<%= @facts['networking']['ip'] %>",
        ],
    ),
    ("modules/web/files/override.txt", &["", "override\n"]),
    ("modules/web/files/default.txt", &["default\n", "other\n"]),
    (
        "hiera.yaml",
        &[
            "version: 5\nhierarchy:\n  - name: all\n    paths: [\"nodes/%{trusted.certname}.yaml\", \
               \"os/%{facts.os.family}.yaml\", \"common.yaml\"]\n",
            "version: 5\nhierarchy:\n  - name: some\n    glob: \"nodes/*.yaml\"\n  - name: rest\n    \
               path: \"common.yaml\"\n",
        ],
    ),
    (
        "data/common.yaml",
        &[
            "base::greeting: \"Hello %{facts.networking.fqdn}\"\nweb::port: 80\n",
            "base::greeting: Hi\nweb::port: 8080\nbase::level: 3\n",
        ],
    ),
    ("data/nodes/a.example.org.yaml", &["", "web::port: 81\n", "base::level: 2\n"]),
    ("data/nodes/z.example.org.yaml", &["", "base::greeting: z\n"]),
    ("data/os/Debian.yaml", &["", "base::greeting: \"Debian %{lookup('web::port')}\"\n"]),
    ("modules/web/hiera.yaml", &["", "version: 5\nhierarchy:\n  - name: x\n    path: x.yaml\n"]),
];

const NODES: [&str; 3] = ["a.example.org", "b.example.org", "c.example.org"];

/// The facts of a node, each with a number that edits choose.
#[derive(Clone, Default)]
struct Facts {
    family: usize,
    ip: usize,
    hostname: usize,
    disks: usize,
    unread: usize,
    role: usize,
}

impl Facts {
    fn values(&self, node: &str) -> Data {
        let text = |text: String| Data::Str(text.into());
        let family = if self.family == 0 { "Debian" } else { "RedHat" };
        let release = match self.family {
            2 => Data::str("none"),
            n => Data::map([("major", Data::Int(n as i64))]),
        };
        let networking = [("fqdn", Data::str(node)), ("ip", text(format!("192.0.2.{}", self.ip)))];
        let disks = (0..self.disks).map(|n| (format!("sd{n}"), Data::Int(n as i64)));
        let mut all = vec![
            ("os".to_string(), Data::map([("family", Data::str(family)), ("release", release)])),
            ("networking".to_string(), Data::map(networking)),
            ("disks".to_string(), Data::map(disks)),
            ("uptime".to_string(), Data::Int(self.unread as i64)),
        ];
        if self.hostname > 0 {
            all.push(("hostname".to_string(), text(format!("h{}", self.hostname))));
        }
        if self.role > 1 {
            // It is in the way of a variable of the manifest.
            all.push(("tier".to_string(), Data::str("fact")));
        }
        Data::map(all)
    }
}

fn node_request(site: &Site, node: &str, facts: &Facts) -> NodeRequest {
    let mut request = request(node, facts.values(node), site);
    if facts.role == 1 {
        request.classes = vec![("web".into(), Data::Null)];
    }
    request
}

/// The catalog as text, or the errors.
fn text(env: &SharedEnvironment, compiled: &NodeCatalog) -> Result<String, String> {
    let Some(graph) = &compiled.graph else {
        return Err(format!("{:?}", compiled.diagnostics));
    };
    let mut text = Vec::new();
    puppet_catalog::write(graph, env.sources(), &Envelope::default(), &mut text).unwrap();
    Ok(String::from_utf8(text).unwrap())
}

struct Stored {
    record: CompileRecord,
    catalog: String,
}

/// The first input that forbids the answer.
fn difference(env: &SharedEnvironment, stored: &Stored, request: &NodeRequest) -> Option<String> {
    let shown = |difference: ordain_driver::inputs::Difference| difference.to_string();
    let exports = request.exports.as_deref().unwrap();
    request
        .value_difference(&stored.record)
        .or_else(|| env.code_difference(&stored.record))
        .or_else(|| stored.record.exports_difference(exports, &request.name).unwrap())
        .map(shown)
}

#[test]
fn an_answer_is_what_a_compile_returns() {
    let mut random = Random::new(0x5eed);
    let (mut answers, mut changes, mut misses) = (0, 0, BTreeMap::<&str, u32>::new());
    for _ in 0..12 {
        let site = Site::default();
        for (path, texts) in FILES {
            write(&site, path, random.of::<&str>(texts));
        }
        let mut facts: BTreeMap<&str, Facts> =
            NODES.iter().map(|node| (*node, Facts::default())).collect();
        let mut known: BTreeMap<&str, Stored> = BTreeMap::new();
        for step in 0..40 {
            let edit = edit(&site, &mut facts, &mut random);
            // As after an edit on a server.
            let (before, env) = (site.open(), site.open());
            for node in NODES {
                let request = node_request(&site, node, &facts[node]);
                let compiled = env.compile(request.clone());
                let fresh = text(&env, &compiled);
                if let Some(stored) = known.get(node) {
                    match difference(&before, stored, &request) {
                        None => {
                            answers += 1;
                            assert_eq!(
                                fresh.as_ref(),
                                Ok(&stored.catalog),
                                "{node} at step {step} after {edit}; the record:\n{}",
                                stored.record.describe().join("\n")
                            );
                        }
                        Some(difference) => {
                            let kind = difference.split(' ').next().unwrap_or_default();
                            let kind = ["file", "fact", "the"].into_iter().find(|k| *k == kind);
                            *misses.entry(kind.unwrap()).or_default() += 1;
                        }
                    }
                    changes += u32::from(fresh.as_ref() != Ok(&stored.catalog));
                }
                site.pool.replace(node, compiled.exported);
                match (fresh, compiled.record) {
                    (Ok(catalog), Some(record)) if record.is_repeatable() => {
                        let record = CompileRecord::from_json(&record.to_json()).unwrap();
                        known.insert(node, Stored { record, catalog });
                    }
                    _ => _ = known.remove(node),
                }
            }
        }
    }
    // The test sees both outcomes often, and each kind of difference.
    assert!(answers > 300 && changes > 100 && misses.len() == 3, "{answers} {changes} {misses:?}");
    eprintln!("{answers} answers, {changes} changes, {misses:?}");
}

fn write(site: &Site, path: &str, text: &str) {
    match text {
        "" => site.delete(path),
        text => site.write(path, text),
    }
}

/// Changes a file or facts. Returns a description.
fn edit(site: &Site, facts: &mut BTreeMap<&str, Facts>, random: &mut Random) -> String {
    if random.below(2) == 0 {
        let (path, texts) = *random.of(&FILES);
        let at = random.below(texts.len());
        write(site, path, texts[at]);
        return format!("text {at} of {path}");
    }
    let node = *random.of(&NODES);
    let facts = facts.get_mut(node).unwrap();
    let value = random.below(3);
    let names = ["family", "ip", "hostname", "disks", "unread", "role"];
    let at = random.below(names.len());
    let all = [
        &mut facts.family,
        &mut facts.ip,
        &mut facts.hostname,
        &mut facts.disks,
        &mut facts.unread,
        &mut facts.role,
    ];
    if let Some(fact) = all.into_iter().nth(at) {
        *fact = value;
    }
    format!("{} of {node} is {value}", names[at])
}
