//! Functions in Ruby give the same in the `ruby` process and without it.

use std::path::Path;
use std::sync::Arc;

use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::state::Compiler;
use ordain_puppet::state::evaluate::Evaluate;
use ordain_puppet::value::Value;
use ordain_puppet::value::closure::ScopeId;
use ordain_ruby::Function;
use ordain_source::{FileId, HostWorld, SourceMap, Span, TextRange};
use ordain_testkit::ruby::directory_for_ruby;

/// The directory of installed public modules.
const INSTALLED: &str = "/usr/share/puppet/modules";

/// Arguments of all kinds.
fn arguments() -> Vec<Vec<Value>> {
    let text = |text: &str| Value::str(text);
    let list = |items: &[Value]| Value::array(items.to_vec());
    let hash = |entries: &[(&str, Value)]| {
        Value::Hash(Arc::new(entries.iter().map(|(k, v)| (Value::str(*k), v.clone())).collect()))
    };
    let nested = hash(&[("a", Value::Int(1)), ("b", list(&[Value::Int(1), text("x")]))]);
    vec![
        vec![],
        vec![text("a")],
        vec![text("10")],
        vec![text(" Some Text: x ")],
        vec![Value::Int(-3)],
        vec![Value::Float(1.5)],
        vec![Value::Bool(true)],
        vec![Value::Undef],
        vec![Value::Default],
        vec![list(&[text("b"), text("a"), text("a")])],
        vec![list(&[Value::Int(1), list(&[Value::Int(2), Value::Undef])])],
        vec![nested.clone()],
        vec![text("a b"), Value::Int(3)],
        vec![text("/etc/x"), text("/")],
        vec![list(&[text("a"), text("b")]), text("a")],
        vec![nested.clone(), hash(&[("b", hash(&[("c", Value::Undef)]))])],
        vec![nested, text("a")],
        vec![text("1"), Value::Int(2), Value::Int(3)],
        vec![Value::Sensitive(Arc::new(text("x")))],
    ]
}

/// The bodies of functions of the usual kind, the newer interface; each is called with everything.
const BODIES: &[(&str, &str)] = &[
    (
        "texts",
        "def texts(*all)\n all.map { |v| v.to_s.strip.downcase.gsub(/[^a-z0-9]+/, '-') }.join(',')\n end",
    ),
    (
        "kinds",
        "def kinds(*all)\n all.map { |v| case v when Hash then v.keys when Array then v.flatten when String then v.upcase when nil then 'nil' else v end }\n end",
    ),
    (
        "raises",
        "def raises(first)\n raise ArgumentError, \"not #{first.inspect}\" if first.is_a?(String)\n raise Puppet::ParseError, 'no text'\n end",
    ),
    (
        "rescues",
        "def rescues(first)\n Integer(first)\n rescue ArgumentError, TypeError => e\n \"#{e.class}: #{e.message}\"\n end",
    ),
    (
        "fails_before",
        "def fails_before(first)\n a = call_function('notice', 'once')\n [first, a].undefined_method_of_array\n end",
    ),
    (
        "calls",
        "def calls(*all)\n call_function('flatten', all) + [call_function('size', all)]\n end",
    ),
    (
        "errors",
        "def errors(first)\n call_function('upcase', first)\n rescue Puppet::Error => e\n e.message\n end",
    ),
    ("passes", "def passes(first)\n call_function('upcase', first)\n end"),
    ("changes", "def changes(first, second = nil)\n first << 'x'\n first\n end"),
    (
        "merges",
        "def merges(base, own)\n base.merge(own) { |_, l, r| l.is_a?(Hash) && r.is_a?(Hash) ? merges(l, r) : r }\n end",
    ),
    ("symbols", "def symbols(*all)\n { :a => all, 'b' => :undef, 'c' => [:default, :x] }\n end"),
    (
        "says",
        "def says(*all)\n Puppet.debug('one')\n Puppet.warning(\"two #{all.size}\")\n all.size\n end",
    ),
    (
        "beyond",
        "def beyond(*all)\n Puppet.notice('before')\n all.each_slice(2).to_a.sum { |x| x.pack('A') }\n end",
    ),
    ("leaves", "def leaves(list)\n list.each { |x| return x if x == 'a' }\n nil\n end"),
    ("formats", "def formats(*all)\n format('%-5s|%03d|%<a>s', *all)\n end"),
    ("large", "def large(*)\n 2**70\n end"),
    (
        "types",
        "dispatch :one do\n param 'String', :a\n optional_param 'Integer', :b\n return_type 'String'\n end\n dispatch :two do\n repeated_param 'Any', :all\n end\n def one(a, b = 1)\n b > 2 ? b : a * b\n end\n def two(*all)\n all.size\n end",
    ),
    (
        "explains",
        "dispatch :one do\n param 'Integer', :a\n end\n argument_mismatch :why do\n param 'String', :a\n end\n def one(a)\n a\n end\n def why(a)\n \"wants no #{a}\"\n end",
    ),
];

/// The same of the older interface.
const OLDER: &[(&str, &str)] = &[
    ("old_texts", "args.map(&:to_s).join('|')"),
    (
        "old_raises",
        "raise(Puppet::ParseError, \"old_raises(): #{args.size}\") if args.size > 1\n args[0]",
    ),
    (
        "old_looks",
        "[lookupvar('top'), lookupvar('::top').to_s + 'x', self.call_function('size', [args])]",
    ),
    ("old_calls", "function_flatten([args])"),
    (
        "old_knows",
        "[Puppet::Parser::Functions.function(:flatten), Puppet::Parser::Functions.function('none')]",
    ),
];

/// Functions that draw numbers.
const RANDOM: &[&str] = &["shuffle", "str2saltedsha512"];

/// The files of the module, each with the name of its function.
fn files() -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for (name, body) in BODIES {
        let text =
            format!("Puppet::Functions.create_function(:'garden::{name}') do\n  {body}\nend\n");
        assert!(Function::parse(&text).is_ok(), "{name}: {:?}", Function::parse(&text).err());
        all.push((format!("functions/garden/{name}"), format!("garden::{name}"), text));
    }
    for (name, body) in OLDER {
        let text = format!(
            "module Puppet::Parser::Functions\n  newfunction(:{name}, :type => :rvalue) do |args|\n  {body}\n  end\nend\n"
        );
        assert!(Function::parse(&text).is_ok(), "{name}: {:?}", Function::parse(&text).err());
        all.push((format!("parser/functions/{name}"), (*name).to_owned(), text));
    }
    for module in std::fs::read_dir(INSTALLED).into_iter().flatten() {
        let lib = module.unwrap().path().join("lib/puppet");
        for (folder, is_old) in [("functions", false), ("parser/functions", true)] {
            for file in std::fs::read_dir(lib.join(folder)).into_iter().flatten() {
                all.extend(installed(&file.unwrap().path(), folder, is_old));
            }
        }
    }
    all.sort();
    all
}

/// A file of a public module, its function under another name, since the real one may be built in.
fn installed(path: &Path, folder: &str, is_old: bool) -> Option<(String, String, String)> {
    let name = path.file_stem()?.to_str()?;
    let text = std::fs::read_to_string(path).ok()?;
    let parsed = Function::parse(&text).ok()?;
    if parsed.name != name || RANDOM.contains(&name) {
        return None;
    }
    let (new, file) = match is_old {
        true => (format!("garden_{name}"), format!("{folder}/garden_{name}")),
        false => (format!("garden::{name}"), format!("{folder}/garden/{name}")),
    };
    let forms =
        [format!("(:{name}"), format!("(:'{name}'"), format!("('{name}'"), format!("(\"{name}\"")];
    let form = forms.iter().find(|form| text.contains(*form))?;
    let text = text.replacen(form, &format!("(:'{new}'"), 1);
    Some((file, new, text))
}

fn open(root: &Path) -> Environment {
    let options = Options {
        world: Arc::new(HostWorld::new()),
        sources: Arc::new(SourceMap::new()),
        name: "production".into(),
        dir: Some(root.to_path_buf()),
        modulepath: vec![root.join("modules")],
        site: Site::Code("$top = 'T'".into()),
        hiera_config: None,
        strict: Settings::default().strict,
        kinds: Vec::new(),
        ruby: Arc::default(),
    };
    Environment::open(options).ok().unwrap().0
}

/// A compile in which nothing is called yet.
fn begun(env: &Environment) -> Compiler<'_> {
    let mut compiler = Compiler::new(env, Settings::default(), "web");
    compiler.begin(&Node { name: "web".into(), ..Node::default() });
    compiler
}

/// The result of a call or its error, and its log messages.
fn outcome(compiler: &mut Compiler<'_>, name: &str, args: &[Value]) -> String {
    compiler.log.entries.clear();
    let nowhere = Span { file: FileId(0), range: TextRange::default() };
    let result = compiler.call_function(name, args.to_vec(), None, ScopeId::TOP, nowhere);
    let mut out = format!("{result:?} then {args:?}");
    for log in &compiler.log.entries {
        out.push_str(&format!("; {:?} {}", log.level, log.message));
    }
    out
}

#[test]
fn functions_give_the_same_in_both_ways() {
    let files = files();
    let paths: Vec<(String, &str)> = files
        .iter()
        .map(|(file, _, text)| (format!("modules/garden/lib/puppet/{file}.rb"), text.as_str()))
        .collect();
    let paths: Vec<(&str, &str)> =
        paths.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let Some(dir) = directory_for_ruby(&paths) else { return };
    let (here, mut there) = (open(dir.path()), open(dir.path()));
    there.has_native_functions = false;
    let mut differ = Vec::new();
    for (_, name, _) in &files {
        let (mut with, mut without) = (begun(&there), begun(&here));
        for args in arguments() {
            let with = outcome(&mut with, name, &args);
            let without = outcome(&mut without, name, &args);
            if with != without {
                differ.push(format!("{name}\nin the process: {with}\nwithout it: {without}"));
            }
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}
