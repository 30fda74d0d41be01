//! The messages to the `ruby` process, and their effects on its code.

use ordain_puppet::eval::Strict;

use super::*;

/// Levels that follow each other and have the same function are asked in one request, until one has
/// the key.
#[test]
fn levels_with_the_same_function() {
    let keys = r##"
Puppet::Functions.create_function(:'garden::keys') do
  dispatch :keys do
    param 'String[1]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end

  define_method(:keys) do |key, options, context|
    Puppet.notice("#{options['level']}: #{key}")
    $first = Ordain.requests if options['level'] == 1
    case [key, options['level']]
    in ['requests', 3] then Ordain.requests - $first
    in ['early', 1] | ['both', 1 | 3] then [options['level']]
    in ['nested', 2] then context.interpolate("%{lookup('both')} %{lookup('late')}")
    in ['late', 4] then 'found last'
    in ['bad', 2] then raise ArgumentError, 'no good key'
    in ['called', 2] then call_function('not_found', context)
    in ['slow', 1] then (sleep 1.1; context.not_found)
    in ['slow', 3] then Ordain.requests - $first
    else context.not_found
    end
  end
end
"##;
    let level = |n: u32| {
        format!("  - {{ name: l{n}, lookup_key: garden::keys, options: {{ level: {n} }} }}\n")
    };
    let yaml = "  - { name: file, path: file.yaml }\n";
    let config = ["version: 5\nhierarchy:\n", &level(1), &level(2), &level(3), yaml, &level(4)];
    let at = "modules/garden/lib/puppet/functions/garden/keys.rb";
    let files =
        [("hiera.yaml", &*config.concat()), ("data/file.yaml", "written: in a file\n"), (at, keys)];
    let Some(place) = Place::with(&files) else { return };
    let asked = |key: &str, levels: &[u32]| {
        levels.iter().map(|level| format!("{level}: {key}")).collect::<Vec<_>>()
    };
    for (key, levels, value) in [
        ("requests", &[1, 2, 3][..], "0"),
        ("slow", &[1, 2, 3], "1"),
        ("early", &[1], "[1]"),
        ("both", &[1], "[1]"),
        ("late", &[1, 2, 3, 4], "found last"),
        ("written", &[1, 2, 3], "in a file"),
        ("called", &[1, 2, 3, 4], "none"),
        ("none", &[1, 2, 3, 4], "none"),
    ] {
        let code = format!("notice(lookup('{key}', {{ 'default_value' => 'none' }}))");
        let mut wanted = asked("lookup_options", &[1, 2, 3, 4]);
        wanted.extend(asked(key, levels));
        wanted.push(value.to_owned());
        assert_eq!(place.logs(&code), wanted);
    }
    let logs = place.logs("notice(lookup('both', Any, 'unique'))");
    assert_eq!(logs[4..], ["1: both", "2: both", "3: both", "4: both", "[1, 3]"]);
    let logs = place.logs("notice(lookup('nested'))");
    let nested = asked("nested", &[1, 2]).into_iter().chain(asked("both", &[1]));
    let mut nested: Vec<String> = nested.chain(asked("late", &[1, 2, 3, 4])).collect();
    nested.push("[1] found last".to_owned());
    assert_eq!(logs[4..], nested);
    let code = "notice(lookup('bad'))";
    let error = place.error(&place.open(code), code);
    let wanted =
        "Error while evaluating a Function Call, no good key\n\"Ruby raised ArgumentError at ";
    assert!(error.starts_with(wanted) && error.contains("keys.rb:17"), "{error}");
}

/// Variables of the outermost scope keep their values, so they are asked for once, unless code changes
/// a text in place.
#[test]
fn variables_of_the_outermost_scope() {
    let read = r"
Puppet::Functions.create_function(:'garden::read') do
  Ordain.singleton_class.prepend(Module.new do
    def ask(name, *) = (($asked ||= []) << name; super)
  end)

  def read(more)
    scope = closure_scope
    values = [scope['::bed'], scope.lookupvar('::bed'), scope['::beds'], scope['facts']['x']]
    scope['::bed'] << more unless more.empty?
    [*values, $asked.count('variable')]
  end
end
";
    let at = "modules/garden/lib/puppet/functions/garden/read.rb";
    let Some(place) = Place::with(&[(at, read)]) else { return };
    let code = "$bed = 'rose'\n$beds = [1]\nnotice(garden::read(''))\nnotice(garden::read(''))\n\
                notice(garden::read('s'))\nnotice(garden::read(''))\n\
                notice(inline_template('<% @bed << \"!\" %><%= @bed %>'))\nnotice(garden::read(''))";
    let mut env = place.open(code);
    env.has_native_functions = false;
    let logs = logs(&env);
    let wanted = [
        "[rose, rose, [1], , 3]",
        "[rose, rose, [1], , 4]",
        "[roses, roses, [1], , 5]",
        "[roses, roses, [1], , 8]",
        "roses!",
        "[roses!, roses!, [1], , 11]",
    ];
    assert_eq!(logs, wanted);
}

/// Code finds as many processors as there are, although it shares one with the compile.
#[test]
fn processors() {
    let count = r"
Puppet::Functions.create_function(:'garden::count') do
  define_method(:count) { |way| way == 'none' ? 0 : [Etc.nprocessors, `nproc`.to_i][way == 'etc' ? 0 : 1] }
end
";
    let at = "modules/garden/lib/puppet/functions/garden/count.rb";
    let Some(place) = Place::with(&[(at, count)]) else { return };
    let processors = || std::thread::available_parallelism().unwrap().get().to_string();
    let there = processors();
    for way in ["etc", "program"] {
        let code = format!(
            "Integer[1, 600].each |$n| {{ garden::count('none') }}\nnotice(garden::count('{way}'))"
        );
        assert_eq!(logs(&place.open(&code)), [there.as_str()]);
        assert_eq!(processors(), there);
    }
}

/// Objects of Ruby in a catalog become texts. Each warning of a resource begins with the paths of those
/// before, as in Puppet.
#[test]
fn objects_in_catalogs() {
    let objects = "Puppet::Functions.create_function(:'garden::objects') do\n  def objects\n    \
                   time = Time.at(0).utc\n    { 'a' => [time, 1, time], 'b' => { 'c' => time } }\n  end\nend\n";
    let at = "modules/garden/lib/puppet/functions/garden/objects.rb";
    let Some(place) = Place::with(&[(at, objects)]) else { return };
    let code = "notify { 'x': message => garden::objects() }\nnotify { 'y': message => garden::objects()['a'] }";
    let env = place.open(code);
    let settings = Settings { strict: Strict::Warning, ..Settings::default() };
    let node = Node { name: "web".into(), ..Node::default() };
    let logs = compile_node(&env, settings, &node).report.logs;
    let paths: Vec<&str> = logs
        .iter()
        .filter_map(|log| log.message.split_once(" contains a Time"))
        .map(|(p, _)| p)
        .collect();
    let wanted = [
        "Notify[x]['message']['a'][0]",
        "Notify[x]['message']['a'][0]['message']['a'][2]",
        "Notify[x]['message']['a'][0]['message']['a'][2]['message']['b']['c']",
        "Notify[y]['message'][0]",
        "Notify[y]['message'][0]['message'][2]",
    ];
    assert_eq!(paths, wanted);
}

/// Definitions in the file of a function are inside of a class of Puppet's and have its name.
#[test]
fn names_of_classes_in_files_of_functions() {
    let bed = r"
# frozen_string_literal: true

class Bed
  class Wet < StandardError; end
  def to_s = 'a bed'
end
def helper = 1

Puppet::Functions.create_function(:'garden::bed') do
  def bed(what)
    case what
    when 'new' then Bed.new
    when 'names' then [Bed.name, Bed::Wet.name, self.class.name, 'a'.frozen?, __LINE__]
    when 'raise' then raise Bed::Wet, 'too wet'
    else helper
    end
  end
end
__END__
no code
";
    let at = "modules/garden/lib/puppet/functions/garden/bed.rb";
    let Some(place) = Place::with(&[(at, bed)]) else { return };
    let within = "Puppet::Pops::Loader::RubyFunctionInstantiator";
    assert_eq!(
        place.logs("notice(type(garden::bed('new')))\nnotice(garden::bed('names'))"),
        [
            format!("Runtime[ruby, '{within}::Bed']"),
            format!("[{within}::Bed, {within}::Bed::Wet, garden::bed, true, 14]"),
        ]
    );
    for (what, wanted) in [("raise", "too wet"), ("helper", "undefined local variable or method")] {
        let code = format!("garden::bed('{what}')");
        let error = place.error(&place.open(&code), &code);
        assert!(error.contains(wanted), "{error}");
    }
}

/// The objects that Hiera passes to functions have the class names that code expects.
#[test]
fn the_class_of_contexts() {
    let all = r"
Puppet::Functions.create_function(:'garden::all') do
  def all(options, context)
    { 'class' => [context.class.name, context.is_a?(Puppet::Pops::Lookup::Context), context.environment_name.to_s] }
  end
end
";
    let config = "version: 5\nhierarchy: [{ name: all, data_hash: garden::all }]\n";
    let at = "modules/garden/lib/puppet/functions/garden/all.rb";
    let Some(place) = Place::with(&[("hiera.yaml", config), (at, all)]) else { return };
    let wanted = "[Puppet::Pops::Lookup::Context, true, production]";
    assert_eq!(place.logs("notice(lookup('class'))"), [wanted]);
}
