//! Deferred calls: their results where a catalog is applied, and their errors.

use std::path::PathBuf;
use std::sync::Arc;

use ordain_data::Value as Data;
use ordain_puppet::deferred::{Deferral, DeferredAttribute, of_data, resolve};
use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::{Compiled, compile_node};
use ordain_puppet::value::Value;
use ordain_source::MemoryWorld;

fn open(code: &str) -> Environment {
    let mut world = MemoryWorld::default();
    let up = "function m::up($x) { notice('called') upcase($x) }";
    let broken = "function m::broken() {\n  $nothing\n}";
    for (path, text) in [("up.pp", up), ("broken.pp", broken)] {
        let path = PathBuf::from("/modules/m/functions").join(path);
        world.files.insert(path, text.as_bytes().to_vec());
    }
    let options = Options {
        modulepath: vec!["/modules".into()],
        ..Options::new(Arc::new(world), Site::Code(code.into()))
    };
    Environment::open(options).ok().unwrap().0
}

fn node() -> Node {
    let os = Value::hash([("family", Value::from("Debian"))]);
    let facts = Value::hash([("os", os), ("kernel", Value::from("Linux"))]);
    Node { name: "web".into(), facts, ..Node::default() }
}

fn compile(code: &str, deferral: Deferral) -> Compiled {
    let settings = Settings { deferral, ..Settings::default() };
    compile_node(&open(code), settings, &node())
}

/// The message of `Notify[a]`.
fn message(expression: &str) -> Data {
    let code = format!("notify {{ 'a': message => {expression} }}");
    let compiled = compile(&code, Deferral::Resolve);
    let graph = compiled.graph.unwrap_or_else(|| panic!("{:?}", compiled.report.diagnostics));
    let id = graph.find_text("Notify[a]").unwrap();
    graph.resource(id).value("message").cloned().unwrap()
}

#[test]
fn calls_give_values() {
    let text = Data::str;
    assert_eq!(message("Deferred('upcase', ['abc'])"), text("ABC"));
    assert_eq!(message("Deferred('$facts', ['os', 'family'])"), text("Debian"));
    assert_eq!(message("Deferred('join', [[Deferred('m::up', ['x']), 'y'], '-'])"), text("X-y"));
    let nested = message("[Deferred('upcase', ['x']), { 'k' => Deferred('m::up', ['n']) }]");
    assert_eq!(nested, Data::list([text("X"), Data::map([("k", text("N"))])]));
    let epp = "Deferred('inline_epp', ['<%= $x %> <%= $facts[kernel] %>', { 'x' => 1 }])";
    assert_eq!(message(epp), text("1 Linux"));
    let secret = Data::Secret(Arc::new(text("ABC")));
    assert_eq!(message("Deferred('new', [Sensitive, 'ABC'])"), secret);
    assert_eq!(message("Sensitive(Deferred('upcase', ['abc']))"), secret);
}

#[test]
fn parameters_pass_them_on_and_compile_keeps_them() {
    let code = "class c(String $p) { notify { 'c': message => $p } }
        class { 'c': p => Deferred('m::up', ['x']) }";
    let graph = compile(code, Deferral::Resolve).graph.unwrap();
    let id = graph.find_text("Notify[c]").unwrap();
    assert_eq!(graph.resource(id).value("message"), Some(&Data::str("X")));
    let graph = compile(code, Deferral::Keep).graph.unwrap();
    let id = graph.find_text("Notify[c]").unwrap();
    let kept = graph.resource(id).value("message").unwrap();
    assert_eq!(kept.get("__ptype").and_then(Data::as_str), Some("Deferred"));
}

#[test]
fn failures_are_told_at_the_attributes_all_at_once() {
    let calls = [
        ("Deferred('upcas', ['a'])", "Unknown function 'upcas'"),
        ("Deferred('upcase', [])", "'upcase' expects 1 argument, got none"),
        ("Deferred('$kernel')", "Undefined variable 'kernel'"),
        ("Deferred('$facts', ['os', 'nope'])", "Got nil value for message"),
        ("Deferred('fail', ['no'])", "no"),
        ("Deferred('include', ['c'])", "a deferred call cannot declare anything"),
        ("Deferred('m::broken')", "Unknown variable: 'nothing'."),
    ];
    let resources = calls.iter().enumerate();
    let resources =
        resources.map(|(i, (call, _))| format!("notify {{ '{i}': message => {call} }}"));
    let code = format!("class c {{ }}\n{}", resources.collect::<Vec<_>>().join("\n"));
    let compiled = compile(&code, Deferral::Resolve);
    assert!(compiled.graph.is_none());
    let found = compiled.report.diagnostics;
    assert_eq!(found.len(), calls.len(), "{found:#?}");
    for (one, (call, want)) in found.iter().zip(calls) {
        assert!(one.message.starts_with(want), "{call}: {}", one.message);
        let at = |label: &ordain_source::Label| {
            let range = label.span.range;
            code.get(range.start as usize..range.end as usize)
                .is_some_and(|text| text.ends_with(call))
        };
        let mut labels = one.primary.iter().chain(&one.related);
        assert!(labels.any(at), "{call}: {one:#?}");
    }
    assert!(found[0].help.iter().any(|help| help.contains("upcase")), "{:?}", found[0].help);
}

#[test]
fn deferred_values_can_be_resolved_later() {
    let code = "file { '/a': content => Deferred('m::up', ['x']) }";
    let compiled = compile(code, Deferral::Hand);
    assert!(compiled.graph.is_some());
    let resolved = resolve(&open(code), Settings::default(), &node(), &compiled.deferred);
    assert_eq!(resolved.values, [Ok(Data::str("X"))]);
    assert_eq!(resolved.logs[0].message, "called");
}

#[test]
fn calls_are_read_back_from_graphs() {
    let values = [
        "Deferred('sprintf', ['%s', default])",
        "Deferred('split', ['a b', / /])",
        "Deferred('new', [Integer, '3'])",
        "Deferred('unwrap', [Sensitive('x')])",
        "Deferred('type', [Timestamp('2020-01-01T00:00:00')])",
        "Deferred('type', [SemVer('1.2.3')])",
        "Deferred('keys', [{ 1 => 'a' }])",
    ];
    for text in values {
        let code = format!("notify {{ 'a': message => {text} }}");
        let compiled = compile(&code, Deferral::Hand);
        let graph = compiled.graph.unwrap();
        let id = graph.find_text("Notify[a]").unwrap();
        let value = of_data(graph.resource(id).value("message").unwrap()).unwrap();
        let first = compiled.deferred[0].clone();
        let read = DeferredAttribute { value, ..first.clone() };
        let of = |one: DeferredAttribute| {
            resolve(&open(""), Settings::default(), &node(), &[one]).values.remove(0).unwrap()
        };
        assert_eq!(of(read), of(first), "{text}");
    }
    let kept = Data::map([("__ptype", Data::str("Pcore::IntegerType")), ("from", Data::Int(1))]);
    assert!(of_data(&kept).unwrap_err().contains("cannot be read back"));
}
