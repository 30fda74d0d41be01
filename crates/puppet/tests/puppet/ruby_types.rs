//! Resource types of modules in Ruby: written in the Puppet language, read from there, and asked about
//! a finished catalog. Custom facts, which modules bring in Ruby, too.
//!
//! Without `ruby` there is nothing to show: the tests then say so and pass, except when the variable
//! `CI` is set.

use std::path::Path;
use std::sync::{Arc, Mutex};

use ecow::EcoString;
use ordain_data::{Map, Value as Data};
use ordain_graph::{Attribute, Graph, Step};
use ordain_puppet::deferred::Deferral;
use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::plugins::{KnownFacts, NotGenerated};
use ordain_puppet::session::Node;
use ordain_puppet::session::{Compiled, compile_node, generate_types};
use ordain_source::{HostWorld, SourceMap};
use ordain_testkit::ruby::directory_for_ruby;

/// An environment in a directory of its own.
struct Place(tempfile::TempDir);

impl Place {
    fn with(files: &[(&str, &str)]) -> Option<Self> {
        directory_for_ruby(files).map(Self)
    }

    fn open(&self, code: &str) -> Environment {
        let options = Options {
            dir: Some(self.0.path().to_path_buf()),
            modulepath: vec![self.0.path().join("modules")],
            sources: Arc::new(SourceMap::new()),
            ..Options::new(Arc::new(HostWorld::new()), Site::Code(code.into()))
        };
        Environment::open(options).ok().unwrap().0
    }

    fn compile(&self, code: &str, examine_types: bool) -> Compiled {
        let node = Node { name: "web".into(), ..Node::default() };
        let settings = Settings { examine_types, ..Settings::default() };
        compile_node(&self.open(code), settings, &node)
    }

    /// The messages of a compile whose catalog the types see.
    fn refusals(&self, code: &str) -> Vec<String> {
        let found = self.compile(code, true).report.diagnostics;
        found.iter().map(|d| format!("{} {}", d.code, d.message)).collect()
    }

    fn graph(&self, code: &str) -> Graph {
        let compiled = self.compile(code, true);
        compiled.graph.unwrap_or_else(|| panic!("{:?}", compiled.report.diagnostics))
    }

    /// The text of a type, without the two lines that say when it was made.
    fn generated(&self, name: &str) -> Result<String, NotGenerated> {
        let env = self.open("");
        let files = env.type_files();
        let file = files.iter().find(|file| file.ends_with(format!("{name}.rb"))).unwrap();
        let out = Mutex::new(None);
        let node = Node { name: "web".into(), ..Node::default() };
        let each = |_: &str, _: &Path, text| *out.lock().unwrap() = Some(text);
        let one = std::iter::once((name, file.as_path()));
        generate_types(&env, Settings::default(), &node, one, each);
        out.into_inner().unwrap().unwrap()
    }
}

const POND: (&str, &str) = (
    "modules/garden/lib/puppet/type/pond.rb",
    r##"
Puppet::Type.newtype(:pond) do
  @doc = "Water in a garden.

    Dug by hand."
  feature :heating, 'It can be warm.'
  ensurable
  newparam(:place, namevar: true) do
    desc 'Where it is.'
    validate { |value| raise ArgumentError, "#{value} is no place" unless value.start_with?('/') }
    munge { |value| value.chomp('/') }
  end
  newparam(:lit, boolean: true, parent: Puppet::Parameter::Boolean)
  newproperty(:fish, array_matching: :all) do
    desc 'Who lives in it.'
    newvalues(:carp, :pike, /\Atrout/)
    aliasvalue(:koi, :carp)
  end
  newproperty(:depth) do
    defaultto 2
    munge { |value| Integer(value) }
  end
  newproperty(:warmth, required_features: :heating)
  autorequire(:file) { self[:place] }
  autobefore(:notify) { ['ready'] }
  autosubscribe(:user) { catalog.resources.select { |one| one.type == :user }.map(&:name) }
  validate { fail 'a pond with pike has no carp' if (self[:fish] || []).map(&:to_s).sort == %w[carp pike] }
end
"##,
);

const DIGGER: (&str, &str) = (
    "modules/garden/lib/puppet/provider/pond/digger.rb",
    r"
Puppet::Type.type(:pond).provide(:digger) do
  desc 'Digs with a spade.'
  confine exists: '/nowhere/spade'
  defaultfor kernel: 'Linux'
  has_feature :heating
  commands sh: 'sh'
end
",
);

#[test]
fn a_type_is_written_in_the_puppet_language() {
    let Some(place) = Place::with(&[POND, DIGGER]) else { return };
    let want = "\
# Water in a garden.
# 
# Dug by hand.
Puppet::Resource::ResourceType3.new(
  'pond',
  [
    # The basic property that the resource should be in.
    # 
    # Valid values are `present`, `absent`.
    Puppet::Resource::Param(Enum['present', 'absent'], 'ensure'),

    # Who lives in it.
    # 
    # Valid values are `carp` (also called `koi`), `pike`. Values can match `/\\Atrout/`.
    Puppet::Resource::Param(Variant[Enum['carp', 'koi', 'pike'], Pattern[/\\Atrout/]], 'fish'),

    Puppet::Resource::Param(Any, 'depth'),

    # Requires features heating.
    Puppet::Resource::Param(Any, 'warmth')
  ],
  [
    # Where it is.
    Puppet::Resource::Param(Any, 'place', true),

    # Valid values are `true`, `false`, `yes`, `no`.
    Puppet::Resource::Param(Variant[Boolean, Enum['true', 'false', 'yes', 'no']], 'lit'),

    # The specific backend to use for this `pond`
    # resource. You will seldom need to specify this --- Puppet will usually
    # discover the appropriate provider for your platform.Available providers are:
    # 
    # digger
    # : Digs with a spade.
    # 
    #   * Required binaries: `sh`.
    #   * Default for `kernel` == `Linux`.
    #   * Supported features: `heating`.
    Puppet::Resource::Param(Any, 'provider')
  ],
  {
    /(?m-ix:(.*))/ => ['place']
  },
  true,
  false)
";
    assert_eq!(place.generated("pond").unwrap(), want);
}

#[test]
fn why_a_type_is_not_written() {
    let Some(place) = Place::with(&[
        ("modules/garden/lib/puppet/type/dry.rb", "raise 'no water'"),
        (
            "modules/garden/lib/puppet/type/other.rb",
            "Puppet::Type.newtype(:another) { newparam(:name) }",
        ),
        (
            "modules/garden/lib/puppet/type/parts.rb",
            "Puppet::Type.newtype(:parts) do\n  newparam(:name)\n  def self.title_patterns\n    \
             [[/(.*)/, [[:name, ->(x) { x }]]]]\n  end\nend",
        ),
    ]) else {
        return;
    };
    assert_eq!(place.generated("dry"), Err(NotGenerated::Unloadable("no water".into())));
    assert_eq!(place.generated("other"), Err(NotGenerated::Undefined));
    let why = "title patterns that use procs are not supported.";
    assert_eq!(place.generated("parts"), Err(NotGenerated::Unwritable(why.into())));
}

#[test]
fn a_generated_type_is_read_instead_of_the_code() {
    let text = "# made\nPuppet::Resource::ResourceType3.new('pond', [\n\
        Puppet::Resource::Param(Enum['carp'], 'fish')],\n\
        [Puppet::Resource::Param(Any, 'name', true), Puppet::Resource::Param(Any, 'side', true)],\n\
        {/\\A(\\w+) in (\\w+)\\z/ => ['name', 'side'], /(.*)/ => ['name']}, true, false)";
    let code = ("modules/garden/lib/puppet/type/pond.rb", "raise 'the code is run'");
    let Some(place) = Place::with(&[(".resource_types/pond.pp", text), code]) else { return };
    let compiled = place.compile("pond { 'deep in north': fish => 'carp' }", false);
    let graph = compiled.graph.unwrap();
    let pond = graph.resource(graph.find_text("Pond[deep in north]").unwrap());
    let shown: Vec<String> =
        pond.attributes.iter().map(|a| format!("{}={:?}", a.name, a.value)).collect();
    assert_eq!(shown, ["name=\"deep\"", "side=\"north\"", "fish=\"carp\""]);
    let error_of = |code: &str| place.compile(code, false).report.diagnostics[0].message.clone();
    assert!(error_of("pond { 'a': fsh => 1 }").contains("'fsh'"));

    for (text, wanted) in [
        ("", "does not create the resource type 'pond' - it is empty"),
        ("$a = 1", "no call to Puppet::Resource::ResourceType3.new found."),
        (
            "Puppet::Resource::ResourceType3.new('pond')\n$a = 1",
            "must contain only the creation of resource type 'pond' - it has additional logic.",
        ),
        (
            "Puppet::Resource::ResourceType3.new('lake')",
            "produced resource type with the wrong name, expected 'pond', actual 'lake'",
        ),
        ("Puppet::Resource::ResourceType3.new('pond', [$x])", "is no data of a resource type"),
        ("{", "Syntax error"),
    ] {
        std::fs::write(place.0.path().join(".resource_types/pond.pp"), text).unwrap();
        let error = error_of("pond { 'a': }");
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

fn attribute<'g>(graph: &'g Graph, resource: &str, name: &str) -> &'g Attribute {
    graph.resource(graph.find_text(resource).unwrap()).attribute(name).unwrap()
}

#[test]
fn types_convert_values_and_relate_resources() {
    let Some(place) = Place::with(&[POND]) else { return };
    let code = "pond { '/a/': fish => ['koi', 'trout'], lit => 'yes', depth => '3' }\n\
                pond { '/b': ensure => present }\n\
                file { '/a': }\nuser { 'ann': }\nnotify { 'ready': }";
    let graph = place.graph(code);
    let value = |of: &str, name: &str| format!("{:?}", attribute(&graph, of, name).value);
    assert_eq!(value("Pond[/a/]", "fish"), "[\"carp\", \"trout\"]");
    assert_eq!(value("Pond[/a/]", "place"), "\"/a\"");
    assert_eq!((&*value("Pond[/a/]", "lit"), &*value("Pond[/a/]", "depth")), ("true", "3"));
    assert_eq!(value("Pond[/b]", "depth"), "2");
    let depth = attribute(&graph, "Pond[/a/]", "depth");
    assert_eq!(graph.origins.get(depth.origin).step, Step::Kind("Pond".into()));
    assert_eq!(format!("{:?}", depth.losers[0].value), "\"3\"");

    let name = |id| graph.resource(id).id.to_string();
    let edges: Vec<String> = graph
        .automatic
        .iter()
        .map(|e| format!("{} {:?} {}", name(e.from), e.kind, name(e.to)))
        .collect();
    assert_eq!(
        edges,
        [
            "File[/a] Before Pond[/a/]",
            "User[ann] Notify Pond[/a/]",
            "Pond[/a/] Before Notify[ready]",
            "User[ann] Notify Pond[/b]",
            "Pond[/b] Before Notify[ready]",
        ]
    );
    // A catalog for an agent stays as it was compiled.
    let plain = place.compile(code, false).graph.unwrap();
    assert!(plain.automatic.is_empty());
    assert_eq!(format!("{:?}", attribute(&plain, "Pond[/a/]", "depth").value), "\"3\"");
}

#[test]
fn values_of_native_kinds_stay_as_they_are_declared() {
    let Some(place) = Place::with(&[POND]) else { return };
    let code =
        "pond { '/a/': fish => ['koi', 'trout'], lit => 'yes', depth => '3' }\nfile { '/a': }";
    let node = Node { name: "web".into(), ..Node::default() };
    let native_kinds = [EcoString::from("pond")].into();
    let settings = Settings { examine_types: true, native_kinds, ..Settings::default() };
    let graph = compile_node(&place.open(code), settings, &node).graph.unwrap();
    let value = |name: &str| format!("{:?}", attribute(&graph, "Pond[/a/]", name).value);
    assert_eq!([value("fish"), value("depth")], ["[\"koi\", \"trout\"]", "\"3\""]);
    assert!(graph.resource(graph.find_text("Pond[/a/]").unwrap()).attribute("place").is_none());
    assert_eq!(graph.automatic.len(), 1);
}

#[test]
fn types_refuse_values() {
    let Some(place) = Place::with(&[POND]) else { return };
    let code = "pond { 'a': }\npond { '/b': fish => 'cat' }\npond { '/c': fish => [carp, pike] }\n\
                pond { '/d': depth => 'x' }\npond { '/e': }";
    assert_eq!(
        place.refusals(code),
        [
            "puppet::resource Parameter place failed on Pond[a]: a is no place",
            "puppet::resource Parameter fish failed on Pond[/b]: Invalid value \"cat\". Valid values are carp, pike. Valid values match /\\Atrout/.",
            "puppet::resource Validation of Pond[/c] failed: a pond with pike has no carp",
            "puppet::resource Parameter depth failed on Pond[/d]: Munging failed for value \"x\" in class depth: invalid value for Integer(): \"x\"",
        ]
    );
}

const LAMP: (&str, &str) = (
    "modules/garden/lib/puppet/type/lamp.rb",
    r#"
require 'puppet/resource_api'
Puppet::ResourceApi.register_type(
  name: 'lamp',
  desc: 'A light.',
  features: ['canonicalize'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    watt: { type: 'Integer[1, 100]', desc: 'How bright.', behaviour: :parameter },
    pole: { type: 'Optional[String]', desc: 'What it hangs on.' },
    seen: { type: 'Boolean', desc: 'Whether it is on.', behaviour: :read_only },
  },
  autorequire: { file: '$pole', user: 'ann' }
)
"#,
);

const LAMP_PROVIDER: (&str, &str) = (
    "modules/garden/lib/puppet/provider/lamp/lamp.rb",
    "class Puppet::Provider::Lamp::Lamp < Puppet::ResourceApi::SimpleProvider\n  \
     def canonicalize(_context, resources)\n    resources.each { |one| one[:pole] = one[:pole].downcase if one[:pole] }\n  \
     end\nend\n",
);

#[test]
fn types_of_the_resource_api() {
    let Some(place) = Place::with(&[LAMP, LAMP_PROVIDER]) else { return };
    let code = "lamp { 'a': watt => 40, pole => '/POLE' }\nfile { '/pole': }\nuser { 'ann': }";
    let graph = place.graph(code);
    let value = |name: &str| format!("{:?}", attribute(&graph, "Lamp[a]", name).value);
    assert_eq!((&*value("pole"), &*value("ensure")), ("\"/pole\"", "\"present\""));
    assert_eq!(graph.automatic.len(), 2);
    assert_eq!(
        place.refusals(
            "lamp { 'a': watt => 400 }\nlamp { 'b': }\nlamp { 'c': watt => 1, seen => true }"
        ),
        [
            "puppet::resource Parameter watt failed on Lamp[a]: lamp.watt expects an Integer[1, 100] value, got Integer[400, 400]",
            "puppet::resource Validation of Lamp[b] failed: The following mandatory parameters were not provided:\n    *  watt",
            "puppet::resource Parameter seen failed on Lamp[c]: Attempting to set `seen` read_only attribute value to `true`",
        ]
    );
}

const FACTS: &str = r#"
Facter.add(:plain) { setcode { 'p' } }
Facter.add(:command) { setcode 'echo from a shell' }
Facter.add(:heavy) { has_weight 10; setcode { 'heavy' } }
Facter.add(:heavy) { setcode { 'light' } }
Facter.add(:fits) { confine kernel: 'linux'; confine('os.family') { |family| family == 'debian' }; setcode { 'yes' } }
Facter.add(:unfit) { confine kernel: %w[Darwin windows]; setcode { 'no' } }
Facter.add(:parts, type: :aggregate) do
  chunk(:one) { { 'a' => [1] } }
  chunk(:two, require: :one) { |one| { 'a' => [one['a'].size + 1], b: :symbol } }
end
Facter.add(:kernel) { setcode { 'weighs nothing' } }
Facter.add(:role) { has_weight 5; setcode { 'lighter than what is given from outside' } }
Facter.add(:uses) { setcode { [Facter.value(:plain), Facter.value('os.family'), Facter[:late].value] } }
Facter.add(:broken) { setcode { raise 'oops' } }
Facter.add(:slow, timeout: 0.05) { setcode { sleep 5 } }
Facter.add(:none) { setcode { nil } }
Facter.add(:settings) { setcode { require 'puppet'; [Puppet[:vardir], Puppet.settings[:runinterval], Puppet[:no_such]] } }
"#;

#[test]
fn custom_facts() {
    let Some(place) = Place::with(&[
        ("modules/garden/lib/facter/all.rb", FACTS),
        ("modules/garden/lib/facter/late.rb", "Facter.add(:late) { setcode { 'l' } }"),
        ("modules/garden/lib/facter/wrong.rb", "\nraise 'the whole file'\n"),
    ]) else {
        return;
    };
    let native =
        ordain_data::json::read_bytes(br#"{"kernel": "Linux", "os": {"family": "Debian"}}"#);
    let outside = vec![("role".to_owned(), 10_000, Data::str("web"))];
    let known = KnownFacts { native: native.unwrap(), outside };
    let env = place.open("");
    let found = env.custom_facts(&known, &env.fact_dirs());
    let text = ordain_data::json::compact(&Data::Map(found.values.clone().into()));
    let want = r#"{"plain":"p","command":"from a shell","heavy":"heavy","fits":"yes","parts":{"a":[1,2],"b":"symbol"},"kernel":"Linux","role":"web","uses":["p","Debian","l"],"settings":["/opt/puppetlabs/puppet/cache",1800,null],"late":"l"}"#;
    assert_eq!(text, want);
    let problems: Vec<String> = found
        .problems
        .iter()
        .map(|p| {
            format!("{} {:?}", p.message, p.help).replace(&*place.0.path().to_string_lossy(), "")
        })
        .collect();
    let has = |parts: &[&str]| problems.iter().any(|p| parts.iter().all(|part| p.contains(part)));
    assert!(
        has(&["wrong.rb the whole file", "/modules/garden/lib/facter/wrong.rb:2"]),
        "{problems:?}"
    );
    assert!(has(&["fact='broken'", "oops", "all.rb:15"]), "{problems:?}");
    assert!(has(&["Timed out after 0.05 seconds", "fact='slow'"]), "{problems:?}");
    assert_eq!(problems.len(), 3);
    assert_eq!(env.custom_facts(&known, &[]).values, Map::default());
}

const CARD: (&str, &str) = (
    "modules/garden/lib/puppet/type/card.rb",
    r"
Puppet::Type.newtype(:card) do
  def self.title_patterns
    [[/\A([^:]+):([^:]+)\z/m, [[:place], [:kind]]], [/\A([^:]+)\z/m, [[:place]]]]
  end
  newparam(:place) { isnamevar }
  newparam(:kind) { isnamevar; defaultto 'koi' }
  newproperty(:size)
end
",
);

#[test]
fn titles_of_several_parts_find_resources() {
    let Some(place) = Place::with(&[CARD]) else { return };
    let code = "card { 'q': place => 'a', kind => 'b', size => 3 }
        notify { 'x': require => Card['a:b'] }
        notify { 'y': message => Card['a:b']['size'] }
        Notify['y'] -> Card['a:b']
        Card['a:b'] { loglevel => 'debug' }
        if defined(Card['a:b']) { notify { 'z': } }";
    let graph = place.graph(code);
    let card = graph.find_text("Card[q]").unwrap();
    assert!(graph.find_text("Notify[z]").is_some());
    assert_eq!(attribute(&graph, "Notify[y]", "message").value, Data::Int(3));
    assert_eq!(attribute(&graph, "Card[q]", "loglevel").value, Data::str("debug"));
    let x = graph.find_text("Notify[x]").unwrap();
    assert!(graph.edges.iter().any(|edge| edge.from == card && edge.to == x));
    let refused = place.refusals("card { 'q': } notify { 'x': require => Card['a:b'] }");
    assert!(refused[0].contains("Could not find resource 'Card[a:b]' in parameter"), "{refused:?}");
}

#[test]
fn defaults_of_types_count_for_names_of_several_parts() {
    let Some(place) = Place::with(&[CARD]) else { return };
    let refused = place.refusals("card { 'a': }\ncard { 'a:koi': }\ncard { 'a:pike': }");
    assert_eq!(
        refused,
        [
            r#"puppet::resource Cannot alias Card[a:koi] to ["koi", "a"] at (line: 2); resource ["Card", "koi", "a"] already declared (line: 1)"#
        ]
    );
}

#[test]
fn types_see_results_of_deferred_calls() {
    let Some(place) = Place::with(&[POND]) else { return };
    let compile = |deferral, code: &str| {
        let node = Node { name: "web".into(), ..Node::default() };
        let settings = Settings { examine_types: true, deferral, ..Settings::default() };
        compile_node(&place.open(code), settings, &node)
    };
    let code = "pond { '/a': depth => Deferred('sprintf', ['%s', '7']) }";
    let compiled = compile(Deferral::Resolve, code);
    let graph = compiled.graph.unwrap();
    assert_eq!(attribute(&graph, "Pond[/a]", "depth").value, Data::Int(7));
    let wrong = "pond { '/a': fish => Deferred('downcase', ['SHARK']) }";
    assert!(compile(Deferral::Resolve, wrong).graph.is_none());
    // Unresolved values are not checked.
    assert!(compile(Deferral::Keep, wrong).graph.is_some());
    let compiled = compile(Deferral::Hand, wrong);
    assert_eq!(compiled.deferred[0].name, "fish");
    assert!(compiled.graph.is_some());
}
