//! Compiles a catalog of 2,000 resources again and again, with or without a record of its inputs.
//!
//! `cargo bench -p ordain-driver --bench records -- on 200` for 200 compiles; `perf stat -e
//! instructions:u` of the program that it runs counts instructions, which other load does not
//! change.
#![allow(clippy::unwrap_used)]

use ordain_data::json;
use ordain_driver::inputs::FileStates;
use ordain_driver::puppet::shared::{NodeRequest, SharedEnvironment};
use ordain_driver::{CollectingReporter, Options};

/// A define of four resources, which is declared 500 times.
const MANIFEST: &str = "\
class site(Integer $count, String $greeting) {
  range(1, $count).each |$n| {
    site::one { \"one-${n}\": number => $n, greeting => $greeting }
  }
}
define site::one(Integer $number, String $greeting) {
  $owner = $facts['os']['family'] ? { 'Debian' => 'root', default => 'admin' }
  file { \"/srv/${title}\":
    ensure => directory,
    owner  => $owner,
  }
  file { \"/srv/${title}/conf\":
    content => epp('site/conf.epp', { number => $number, greeting => $greeting }),
  }
  exec { \"/bin/reload ${title}\":
    refreshonly => true,
    subscribe   => File[\"/srv/${title}/conf\"],
  }
  notify { \"${facts['networking']['fqdn']} ${number}\": }
}
";

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let is_on = args.next().as_deref() == Some("on");
    let count: u32 = args.next().and_then(|count| count.parse().ok()).unwrap_or(20);
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("environment.conf", "modulepath = modules\n");
    write("manifests/site.pp", "include site\n");
    let (class, define) = MANIFEST.split_at(MANIFEST.find("define").unwrap());
    write("modules/site/manifests/init.pp", class);
    write("modules/site/manifests/one.pp", define);
    write("modules/site/templates/conf.epp", "<%= $greeting %> <%= $number %>\n");
    write("hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: common.yaml\n");
    write("data/common.yaml", "site::count: 500\nsite::greeting: \"Hi %{facts.os.family}\"\n");
    let options = Options {
        states: is_on.then(FileStates::default),
        has_history: false,
        ..Options::default()
    };
    let mut reporter = CollectingReporter::default();
    let env = SharedEnvironment::open(&mut reporter, dir.path(), &options);
    let env = env.unwrap_or_else(|_| panic!("{:?}", reporter.diagnostics));
    let facts = r#"{"os": {"family": "Debian"}, "networking": {"fqdn": "a.example.org"}}"#;
    let facts = json::read(facts).unwrap();
    let compile = || {
        let mut resources = 0;
        for _ in 0..count {
            let request =
                NodeRequest { name: "a".into(), facts: facts.clone(), ..NodeRequest::default() };
            let compiled = env.compile(request);
            assert_eq!(compiled.record.is_some(), is_on);
            let graph = compiled.graph.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
            resources = graph.resources().count();
        }
        resources
    };
    let begin = std::time::Instant::now();
    let resources = ordain_source::limits::on_deep_stack(ordain_puppet::eval::STACK_SIZE, compile);
    let each = begin.elapsed() / count;
    println!("{resources} resources, record {is_on}: {each:?} each");
}
