//! Ruby code of modules: functions, Hiera back ends, resource types and templates.
//!
//! Without `ruby` most tests say so and pass, except when the variable `CI` is set.

use std::path::Path;
use std::sync::Arc;

use ordain_plugins::{Limits, Ruby};
use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::{Compiled, compile_node};
use ordain_puppet::state::Compiler;
use ordain_puppet::state::evaluate::Evaluate;
use ordain_puppet::value::closure::ScopeId;
use ordain_source::{
    Diagnostic, FileId, HostWorld, MemoryWorld, SourceMap, Span, TextRange, World,
};
use ordain_testkit::ruby::directory_for_ruby;

#[path = "../ruby/process.rs"]
mod process;

fn open(world: Arc<dyn World>, root: &Path, code: &str) -> Environment {
    let options = Options {
        world,
        sources: Arc::new(SourceMap::new()),
        name: "production".into(),
        dir: Some(root.to_path_buf()),
        modulepath: vec![root.join("modules")],
        site: Site::Code(code.into()),
        hiera_config: None,
        strict: Settings::default().strict,
        kinds: Vec::new(),
        ruby: Arc::default(),
    };
    Environment::open(options).ok().unwrap().0
}

fn compile(env: &Environment) -> Compiled {
    let node = Node { name: "web".into(), ..Node::default() };
    compile_node(env, Settings::default(), &node)
}

/// The first error, and the line of the program that it is about.
fn first_error(compiled: &Compiled, code: &str) -> (Diagnostic, Option<usize>) {
    let error = compiled.report.diagnostics.first().unwrap().clone();
    let line = error.peer_span().map(|span| {
        let before = &code[..span.range.start as usize];
        before.matches('\n').count() + 1
    });
    (error, line)
}

/// An environment in a directory of its own.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    /// Nothing if there is no Ruby on this machine.
    fn with(files: &[(&str, &str)]) -> Option<Self> {
        directory_for_ruby(files).map(|dir| Self { dir })
    }

    fn open(&self, code: &str) -> Environment {
        open(Arc::new(HostWorld::new()), self.dir.path(), code)
    }

    /// The log messages of the program.
    fn logs(&self, code: &str) -> Vec<String> {
        let compiled = compile(&self.open(code));
        let errors = &compiled.report.diagnostics;
        assert!(compiled.graph.is_some(), "{errors:?}");
        compiled.report.logs.iter().map(|log| log.message.clone()).collect()
    }

    /// The error of a program, with its help.
    fn error(&self, env: &Environment, code: &str) -> String {
        let (error, _) = first_error(&compile(env), code);
        let dir = format!("{}/", self.dir.path().display());
        let help: Vec<String> = error.help.iter().map(|help| format!("{help:?}")).collect();
        format!("{}\n{}", error.message, help.join("\n")).replace(&dir, "")
    }
}

#[test]
fn without_ruby_the_error_names_the_file_and_the_package() {
    for file in ["functions/garden/dig_up.rb", "parser/functions/garden/dig_up.rb"] {
        let file = format!("/site/modules/garden/lib/puppet/{file}");
        let code = "$a = 1\n$b = garden::dig_up(2)\n";
        let world = MemoryWorld::with_files([(file.as_str(), "# Ruby")]);
        let env = open(Arc::new(world), Path::new("/site"), code);
        let (error, line) = first_error(&compile(&env), code);
        assert_eq!((&*error.code, line), ("puppet::ruby", Some(2)));
        let text = format!("function 'garden::dig_up' is written in Ruby ({file})");
        assert!(error.message.starts_with(&text), "{}", error.message);
        assert!(format!("{:?}", error.help).contains("install Ruby"), "{:?}", error.help);
    }
}

#[test]
fn templates() {
    let file = "/site/modules/garden/templates/sign.erb";
    let error_of = |code: &str, files: &[(&str, &str)]| {
        let world = MemoryWorld::with_files(files.iter().copied());
        let env = open(Arc::new(world), Path::new("/site"), code);
        let (error, line) = first_error(&compile(&env), code);
        (error.code.to_string(), error.message, line)
    };
    let code = "\nnotify { template('garden/sign.erb'): }";
    for (text, what) in [
        ("1\n<%= system('ls') %>", "`system' in line 2"),
        ("<%= `ls` %>", "a command in backticks in line 1"),
        ("<%= Etc.getlogin %>", "the constant Etc in line 1"),
    ] {
        let (id, message, line) = error_of(code, &[(file, text)]);
        assert_eq!((id.as_str(), line), ("puppet::ruby", Some(2)));
        assert!(message.contains(file) && message.contains(what), "{message}");
    }
    let (id, message, _) = error_of(code, &[(file, "<% if %>")]);
    assert_eq!(id, "puppet::runtime-error");
    assert!(message.starts_with(&format!("{file}:1: syntax error")), "{message}");
    let (id, message, _) = error_of("$a = inline_template('<%= exit %>')", &[]);
    assert_eq!(id, "puppet::ruby");
    assert!(message.contains("`exit' in line 1"), "{message}");
    let text = "<%= scope.function_template(['garden/sign.erb']) %>";
    let (_, message, _) = error_of(code, &[(file, text)]);
    assert!(message.contains("stack level too deep"), "{message}");
    let (_, message, _) = error_of(code, &[(file, "\n<% loop { } %>")]);
    assert!(message.contains("Line: 2\n  Detail: too many steps"), "{message}");
    let other = "/site/modules/garden/manifests/init.pp".to_owned();
    let (_, message, _) = error_of("$a = template('garden/no.erb')", &[(&other, "")]);
    assert!(message.contains("Could not find template 'garden/no.erb'"), "{message}");
}

const BED: &str = r##"
require 'puppet/util'
Puppet::Functions.create_function(:'garden::bed', Puppet::Functions::InternalFunction) do
  local_types { type 'Depth = Integer[1, 10]' }
  dispatch :dig do
    scope_param
    param 'Depth', :depth
    optional_param 'Hash[String, Any]', :options
    optional_block_param 'Callable[1, 1]', :block
    return_type 'Variant[String, Array]'
  end
  dispatch :name_all do
    repeated_param 'String', :names
  end
  argument_mismatch :no_booleans do
    param 'Boolean', :value
  end

  def dig(scope, depth, options = {}, &block)
    puts 'dry soil'
    deeper = call_function('map', [1, 2]) { |n| n + depth }
    out = [depth, options, scope['soil'], deeper]
    out << yield(depth) if block
    depth == 10 ? 10 : out
  end

  def name_all(*names)
    Puppet.warning("#{names.size} names")
    names.map(&:upcase).join('+')
  end

  def no_booleans(value)
    "does not dig #{value}"
  end
end
"##;

const OLD: &str = r##"
module Puppet::Parser::Functions
  newfunction(:rake_up, type: :rvalue, arity: -2, doc: 'Rakes.') do |args|
    raise Puppet::ParseError, 'rake_up(): the rake is broken' if args[0] == 'stone'

    [args, lookupvar('soil'), function_sprintf(['%03d', 7]), environment.to_s, resource.to_s,
     findresource('Notify[there]') && findresource('Notify[there]')[:message], findresource('Notify[not]')]
  end
end
"##;

#[test]
fn functions_of_both_interfaces() {
    let bed = "modules/garden/lib/puppet/functions/garden/bed.rb";
    let old = "modules/garden/lib/puppet/parser/functions/rake_up.rb";
    let Some(place) = Place::with(&[(bed, BED), (old, OLD)]) else { return };
    let logs = place.logs(
        "$soil = 'clay'\nnotify { 'there': message => 'hello' }\nnotice(garden::bed(3))\n\
         notice(garden::bed(4, {'a' => Sensitive('x'), 'b' => File['/c'], 'd' => /e.f/, 'g' => default}) |$n| { $n * 2 })\n\
         notice(garden::bed('a', 'b'))\nnotice(rake_up(undef, [undef, Integer[1, 2]]))\n",
    );
    assert_eq!(
        logs,
        [
            "function 'garden::bed' prints: dry soil",
            "[3, {}, clay, [4, 5]]",
            "function 'garden::bed' prints: dry soil",
            "[4, {a => Sensitive [value redacted], b => File['/c'], d => /e.f/, g => default}, clay, [5, 6], 8]",
            "2 names",
            "A+B",
            "[[, [, Integer[1, 2]]], clay, 007, production, Class[main], hello, ]",
        ]
    );
    for (code, wanted) in [
        (
            "garden::bed(11)",
            "parameter 'depth' expects a Depth = Integer[1, 10] value, got Integer[11, 11]",
        ),
        ("garden::bed(true)", "'garden::bed' does not dig true"),
        (
            "$soil = 1\ngarden::bed(10)",
            "value returned from function 'dig' has wrong type, expects a value of type String or Array, got Integer",
        ),
        ("rake_up()", "rake_up(): Wrong number of arguments given (0 for minimum 1)"),
        ("$soil = 1\nrake_up('stone')", "rake_up(): the rake is broken"),
        (
            "$soil = 1\nrake_up('stone')",
            "Ruby raised Puppet::ParseError at modules/garden/lib/puppet/parser/functions/rake_up.rb:4",
        ),
        ("rake_up('leaf')", "Undefined variable 'soil'"),
        ("garden::bed(1) |$a, $b| { }", "block expects 1 argument, got 2"),
        ("$soil = 1\ngarden::bed(1) |$n| { fail('mine') }", "mine"),
    ] {
        let error = place.error(&place.open(code), code);
        assert!(error.contains(wanted), "{code}: {error}");
    }
}

#[test]
fn hiera_back_ends() {
    let config = "version: 5\nhierarchy:\n\
        \x20 - name: keys\n    lookup_key: garden::keys\n    options: { prefix: p }\n\
        \x20 - name: hash\n    data_hash: garden::all\n\
        \x20 - name: dig\n    data_dig: garden::deep\n";
    let function = |name: &str, body: &str| {
        format!("Puppet::Functions.create_function(:'garden::{name}') do\n{body}\nend\n")
    };
    let keys = function(
        "keys",
        "dispatch(:keys) { param 'String[1]', :key; param 'Hash', :options; param 'Puppet::LookupContext', :context }\n\
         def keys(key, options, context)\n  return context.not_found unless key == 'one'\n\
         \x20 context.cache('n', 1) unless context.cache_has_key('n')\n\
         \x20 context.interpolate(\"#{options['prefix']}-%{facts.x}#{context.cached_value('n')}\")\nend",
    );
    let all = function("all", "def all(options, context)\n  { 'two' => [1, nil] }\nend");
    let deep = function(
        "deep",
        "def deep(key, options, context)\n  key == ['three', 'a'] ? 'dug' : context.not_found\nend",
    );
    let at = |name: &str| format!("modules/garden/lib/puppet/functions/garden/{name}.rb");
    let (a, b, c) = (at("keys"), at("all"), at("deep"));
    let files = [("hiera.yaml", config), (&a, &keys), (&b, &all), (&c, &deep)];
    let Some(place) = Place::with(&files) else { return };
    let code = "notice(lookup('one'))\nnotice(lookup('two'))\nnotice(lookup('three.a'))\n\
                notice(lookup('four', {'default_value' => 'none'}))";
    assert_eq!(place.logs(code), ["p-1", "[1, ]", "dug", "none"]);
}

/// Code keeps values from one compile to the next, in the cache of files and in variables of its own.
#[test]
fn values_kept_between_compiles() {
    let config =
        "version: 5\nhierarchy: [{ name: beds, data_hash: garden::beds, path: beds.txt }]\n";
    let beds = r##"
Puppet::Functions.create_function(:'garden::beds') do
  dispatch :beds do
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end

  def beds(options, context)
    context.cached_file_data(options['path']) do |text|
      types = Puppet::Pops::Types::TypeParser.singleton
      { 'depth' => types.parse('Integer[1, 3]'), 'bed' => types.parse("File['/bed']"),
        'days' => [Puppet::Pops::Time::Timestamp.parse('2020-01-01'), call_function('new', types.parse('Timespan'), 61)],
        'range' => call_function('new', types.parse('SemVerRange'), '>=1.0.0'),
        'place' => { 'uri' => call_function('new', types.parse('URI'), 'http://a/b') }, 'text' => text }
    end
  end
end
"##;
    let fits = r##"
Puppet::Functions.create_function(:'garden::fits') do
  KEPT = {}

  def fits(value)
    KEPT[:type] ||= Puppet::Pops::Types::TypeParser.singleton.parse('Array[Integer]')
    [KEPT[:type].instance?(value), KEPT[:type].element_type, KEPT[:type].element_type.instance?(1)]
  end
end
"##;
    let at = |name: &str| format!("modules/garden/lib/puppet/functions/garden/{name}.rb");
    let (a, b) = (at("beds"), at("fits"));
    let files = [("hiera.yaml", config), ("data/beds.txt", "soil"), (&a, beds), (&b, fits)];
    let Some(place) = Place::with(&files) else { return };
    // Other values are held by the numbers that those of the first compile had.
    let code = "notice(garden::fits([1]), garden::fits([Boolean, String]))\n\
                notice(lookup('depth'), 2 =~ lookup('depth'), lookup('bed'), lookup('days').map |$x| { type($x, generalized) })\n\
                notice(lookup('days')[0] + lookup('days')[1], SemVer('1.2.0') =~ lookup('range'), lookup('place.uri'), lookup('text'))";
    let env = place.open(code);
    let wanted = [
        "[true, Integer, true] [false, Integer, true]",
        "Integer[1, 3] true File['/bed'] [Timestamp, Timespan]",
        "2020-01-01T00:01:01.000000000 UTC true http://a/b soil",
    ];
    for _ in 0..3 {
        let compiled = compile(&env);
        assert!(compiled.graph.is_some(), "{:?}", compiled.report.diagnostics);
        let logs: Vec<&str> = compiled.report.logs.iter().map(|log| &*log.message).collect();
        assert_eq!(logs, wanted);
    }
}

const POND: &str = r##"
Puppet::Type.newtype(:pond) do
  %w[depth fish].each { |name| newproperty(name) }
  newparam(:name)
  newparam(:place) { isnamevar }
  def self.title_patterns
    [[/\A(.+) in (.+)\z/, [[:name], [:place, ->(text) { text.upcase }]]], [/\A([a-z ]+)\z/, [[:name]]]]
  end
end
"##;

#[test]
fn titles_of_resource_types() {
    let Some(place) = Place::with(&[("modules/garden/lib/puppet/type/pond.rb", POND)]) else {
        return;
    };
    let code = "pond { 'small in wood': depth => 1 }\npond { 'bare': }\npond { 'b': name => 'small', place => 'park' }";
    let compiled = compile(&place.open(code));
    let graph = compiled.graph.unwrap();
    let mut out = Vec::new();
    for (_, node) in graph.resources().filter(|(_, node)| &*node.id.kind == "Pond") {
        let attributes: Vec<String> =
            node.attributes.iter().map(|a| format!("{}={:?}", a.name, a.value)).collect();
        out.push(format!("{} {}", node.id.title, attributes.join(" ")));
    }
    assert_eq!(
        out,
        [
            "small in wood name=\"small\" place=\"WOOD\" depth=1",
            "bare ",
            "b name=\"small\" place=\"park\"",
        ]
    );
    for (code, wanted) in [
        ("pond { 'A': }", "No set of title patterns matched the title \"A\"."),
        ("pond { 'a': water => 1 }", "water"),
        (
            "pond { 'a in b': }\npond { 'c': name => 'a', place => 'B' }",
            "Cannot alias Pond[c] to [\"a\", \"B\"]",
        ),
    ] {
        let error = place.error(&place.open(code), code);
        assert!(error.contains(wanted), "{code}: {error}");
    }
}

/// Templates with unsupported Ruby are rendered by the `ruby` of the machine.
#[test]
fn erb_templates_beyond_our_ruby() {
    let Some(place) = Place::with(&[
        ("modules/garden/manifests/init.pp", ""),
        (
            "modules/garden/templates/sign.erb",
            "<% @beds.cycle.first(3).each do |bed| -%>\nbed <%= bed + 1 %>\n<% end -%>\n\
             <%= scope['beds'].inspect %> <%= @none.inspect %>",
        ),
        ("modules/garden/templates/broken.erb", "<% @beds.cycle %>\n<%= nil.size %>"),
    ]) else {
        return;
    };
    let logs = place.logs("$beds = [1, 2]\nnotice(template('garden/sign.erb'))");
    assert_eq!(logs, ["bed 2\nbed 3\nbed 2\n[1, 2] nil"]);
    let logs = place.logs("$beds = [1, 2]\nnotice(inline_template('<%= @beds.cycle.first %>'))");
    assert_eq!(logs, ["1"]);
    let code = "$beds = [1]\n$a = template('garden/broken.erb')";
    let error = place.error(&place.open(code), code);
    assert!(error.contains("modules/garden/templates/broken.erb:2"), "{error}");
    assert!(error.contains("undefined method `size' for nil"), "{error}");
}

/// Functions that misbehave, and their errors. Other functions still run.
#[test]
fn misbehaviour() {
    let cases: &[(&str, &str, &str)] = &[
        ("loops", "loop { }", "takes more than 1 s"),
        ("sleeps", "sleep 100", "takes more than 1 s"),
        (
            "rescues",
            "begin; loop { }; rescue Exception; retry; end",
            "did not answer within 4 s and was killed",
        ),
        ("eats", "a = []; loop { a << 'x' * 1_000_000 }", "takes more than 400 MiB of memory"),
        ("ends", "exit 3", "wants to end the program (exit status 3)"),
        ("vanishes", "exit! 4", "it ended with status 4"),
        ("kills_itself", "Process.kill(:KILL, Process.pid)", "signal 9 ended it"),
        ("becomes", "exec 'true'", "the `ruby` process stopped"),
        ("recurses", "call_function('garden::recurses')", "stack level too deep"),
        ("is_deep", "a = []; 1000.times { a = [a] }; a", "nested more than 100 levels deep"),
        ("is_round", "a = []; a << a; a", "nested more than 100 levels deep"),
        (
            "is_chain",
            "all = [[]]; 5000.times { all << [all.last] }; all",
            "nested more than 100 levels deep",
        ),
        (
            "is_bomb",
            "a = ['x']; 60.times { a = [a, a] }; a",
            "a value with more than 2000000 parts is too big",
        ),
        ("is_binary", "[255].pack('C')", "not valid UTF-8"),
        ("is_large", "2**70", ""),
        ("is_wrong", "nil.size", "undefined method `size' for nil"),
        (
            "does_not_parse",
            "def",
            "Ruby raised SyntaxError at modules/garden/lib/puppet/functions/garden/does_not_parse.rb",
        ),
        (
            "prints",
            "puts 'x' * 100_000; $stdout.flush; system('echo more'); STDERR.puts 'y'; STDIN.read.inspect",
            "",
        ),
        ("forks", "fork { sleep 100 }; fork { puts 1 }; fork or exit!; 7", ""),
    ];
    let path = |name: &str| format!("modules/garden/lib/puppet/functions/garden/{name}.rb");
    let text = |name: &str, body: &str| {
        format!(
            "Puppet::Functions.create_function(:'garden::{name}') do\n  def {name}\n    {body}\n  end\nend\n"
        )
    };
    let files: Vec<(String, String)> =
        cases.iter().map(|(name, body, _)| (path(name), text(name, body))).collect();
    let mut all: Vec<(&str, &str)> = files.iter().map(|(p, t)| (&**p, &**t)).collect();
    let (fine, fine_text) = (path("fine"), text("fine", "'fine'"));
    all.push((&fine, &fine_text));
    let Some(place) = Place::with(&all) else { return };
    for (name, _, wanted) in cases {
        let code = format!("$a = garden::fine()\n$b = garden::{name}()\nnotice($a, $b)\n");
        let mut env = place.open(&code);
        // Cases that do not test time limits get the time that a busy machine needs.
        let seconds = if ["loops", "sleeps", "rescues"].contains(name) { 1 } else { 60 };
        env.ruby = Arc::new(Ruby::new(Limits { seconds, memory: 400 << 20 }));
        if wanted.is_empty() {
            let compiled = compile(&env);
            assert!(compiled.graph.is_some(), "{name}: {:?}", compiled.report.diagnostics);
        } else {
            let error = place.error(&env, &code);
            assert!(error.contains(wanted), "{name}: {error}");
            let at = format!("{}:", path(name));
            assert!(error.contains(&at), "{name}: {error}");
        }
        // The next compile of the same environment has a process that answers.
        let mut compiler = Compiler::new(&env, Settings::default(), "web");
        compiler.begin(&Node { name: "web".into(), ..Node::default() });
        let nowhere = Span { file: FileId(0), range: TextRange::default() };
        let value = compiler.call_function("garden::fine", vec![], None, ScopeId::TOP, nowhere);
        assert_eq!(value.unwrap().as_str(), Some("fine"), "{name}");
    }
}

/// The messages of a compile.
fn logs(env: &Environment) -> Vec<String> {
    let compiled = compile(env);
    assert!(compiled.graph.is_some(), "{:?}", compiled.report.diagnostics);
    compiled.report.logs.iter().map(|log| log.message.clone()).collect()
}

/// Compiles that follow each other have the same process, each a copy of it in which nothing is left
/// of the others; those at the same time have several.
#[test]
fn compiles_see_nothing_of_each_other() {
    let counter = "modules/garden/lib/puppet/functions/garden/count.rb";
    let text = r"
Puppet::Functions.create_function(:'garden::count') do
  BEDS = []
  class << self
    attr_accessor :calls
  end

  def count
    $calls = ($calls || 0) + 1
    self.class.calls = (self.class.calls || 0) + 1
    [$calls, self.class.calls, (BEDS << 1).size, defined?(Matrix) && 1, (require 'matrix')]
  end
end
";
    let parent = "modules/garden/lib/puppet/functions/garden/parent.rb";
    let text_of_parent = "Puppet::Functions.create_function(:'garden::parent') do\n  def parent\n    [Process.ppid, $$]\n  end\nend\n";
    let Some(place) = Place::with(&[(counter, text), (parent, text_of_parent)]) else { return };
    let wanted = ["[1, 1, 1, , true]", "[2, 2, 2, 1, false]"];
    let env = place.open("notice(garden::count())\nnotice(garden::count())");
    for _ in 0..3 {
        assert_eq!(logs(&env), wanted);
    }
    let all: Vec<Vec<String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| logs(&env))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all.iter().all(|logs| logs == &wanted), "{all:?}");
    let env = place.open("notice(garden::parent()[0])\nnotice(garden::parent()[1])");
    let (first, second) = (logs(&env), logs(&env));
    assert_eq!(first[0], second[0]);
    assert_ne!(first[1], second[1]);
}

/// At the end of a compile its process runs the exit handlers of the code; their output is lost.
#[test]
fn ends_of_compiles() {
    let at = "modules/garden/lib/puppet/functions/garden/late.rb";
    let late = r##"
Puppet::Functions.create_function(:'garden::late') do
  def late(dir, finalizer)
    at_exit { 300.times { Puppet.notice('late') }; puts 'late'; File.write("#{dir}/at_exit", 'x', mode: 'a') }
    ($open = File.open("#{dir}/open", 'a')).write('x')
    ObjectSpace.define_finalizer(+'', proc { File.write("#{dir}/final", 'x', mode: 'a') }) if finalizer
    1
  end
end
"##;
    let Some(place) = Place::with(&[(at, late)]) else { return };
    let dir = place.dir.path();
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    for (finalizer, written) in [(false, 2), (true, 5)] {
        let code = format!("notice(garden::late('{}', {finalizer}))", dir.display());
        let env = place.open(&code);
        for _ in 0..3 {
            assert_eq!(logs(&env), ["1"]);
        }
        // The process of a compile has ended when the next one gets its own.
        assert!(read("at_exit").len() >= written && read("open").len() >= written);
        assert_eq!(read("final").is_empty(), !finalizer);
    }
}

/// The value that a function makes of a data file is cached, also for later compiles, until the
/// file changes.
#[test]
fn data_of_files_is_kept_for_later_compiles() {
    let beds = r##"
Puppet::Functions.create_function(:'garden::beds') do
  def beds(options, context)
    context.cached_file_data(options['path']) do |text|
      File.write("#{options['path']}.log", 'x', mode: 'a')
      { 'bed' => text, 'more' => [1, nil, { 'a' => 1.5 }] }
    end
  end
end
"##;
    let config =
        "version: 5\nhierarchy: [{ name: beds, data_hash: garden::beds, path: beds.txt }]\n";
    let at = "modules/garden/lib/puppet/functions/garden/beds.rb";
    let files = [("hiera.yaml", config), ("data/beds.txt", "soil"), (at, beds)];
    let Some(place) = Place::with(&files) else { return };
    let env = place.open("notice(lookup('bed'), lookup('more'))");
    let data = place.dir.path().join("data");
    for (text, made) in [("soil", "x"), ("soil", "x"), ("sand", "xx"), ("sand", "xx")] {
        std::fs::write(data.join("beds.txt"), text).unwrap();
        assert_eq!(logs(&env), [format!("{text} [1, , {{a => 1.5}}]")]);
        assert_eq!(std::fs::read_to_string(data.join("beds.txt.log")).unwrap(), made);
    }
}

/// The cache of a context is in the process of the function as long as nobody else asks for it.
#[test]
fn caches_of_contexts() {
    let keys = r"
Puppet::Functions.create_function(:'garden::keys') do
  dispatch :keys do
    param 'String[1]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end

  define_method(:own) { |context| [context.cache_has_key('k'), context.cached_value('k')] }

  def keys(key, options, context)
    case key
    when 'first' then [own(context), context.cache('k', { 'v' => 1 }), own(context)]
    when 'changed' then context.cached_value('k')['v'] = 2; own(context)
    when 'all' then context.cache_all('m' => nil, 1 => 2); [context.cache_has_key('m'), context.cached_value(1)]
    when 'given' then call_function('garden::look', context)
    when 'later' then own(context)
    when 'entries' then context.cached_entries.map { |name, value| [name, value] }
    when 'rescued'
      begin
        context.not_found
      rescue StandardError
        1
      ensure
        Puppet.notice('nothing')
      end
    else throw :no_such_key
    end
  end
end
";
    let look = "function garden::look($context) {\n  $context.cache('p', 'from puppet')\n\
                \x20 [$context.cached_value('k'), $context.cached_value('m'), $context.cached_value('p')]\n}\n";
    let config = "version: 5\nhierarchy: [{ name: keys, lookup_key: garden::keys }]\n";
    let files = [
        ("hiera.yaml", config),
        ("modules/garden/lib/puppet/functions/garden/keys.rb", keys),
        ("modules/garden/functions/look.pp", look),
    ];
    let Some(place) = Place::with(&files) else { return };
    let code = "$o = { 'default_value' => 'none' }\n\
                ['first', 'changed', 'all', 'given', 'later', 'entries', 'rescued', 'other'].each |$key| { notice(lookup($key, $o)) }";
    let wanted = [
        "[[false, ], {v => 1}, [true, {v => 1}]]",
        "[true, {v => 2}]",
        "[true, 2]",
        "[{v => 2}, , from puppet]",
        "[true, {v => 2}]",
        "[[k, {v => 2}], [m, ], [1, 2], [p, from puppet]]",
        "nothing",
        "none",
        "none",
    ];
    assert_eq!(place.logs(code), wanted);
}

const LOGGING_TYPE: &str = r"
Puppet::Type.newtype(:pond) do
  Puppet.notice('digs')
  Puppet.warning 'is wet'
  newparam(:name) do
    validate { |value| Puppet.notice(value) }
  end
end
";

/// The body of a type logs when the type is first used.
#[test]
fn resource_types_log() {
    let file = "modules/garden/lib/puppet/type/pond.rb";
    let Some(place) = Place::with(&[(file, LOGGING_TYPE)]) else { return };
    assert_eq!(place.logs("notice('a')\npond { 'b': }\npond { 'c': }"), ["a", "digs", "is wet"]);
    assert_eq!(place.logs("notice('a')"), ["a"]);
}
