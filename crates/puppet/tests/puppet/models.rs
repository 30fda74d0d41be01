//! Objects of types with features as data and back, the data models of types, and bad input.

use std::fmt::Write as _;
use std::sync::Arc;

use ordain_data::yaml::{self, Schema};
use ordain_data::{Value as Data, json};
use ordain_puppet::compile::compile;
use ordain_puppet::eval::{STACK_SIZE, Settings};
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::{self, Node};
use ordain_puppet::state::Compiler;
use ordain_puppet::syntax;
use ordain_puppet::types::models::{self, models};
use ordain_puppet::value::Value;
use ordain_puppet::value::rich::to_data;
use ordain_source::limits::on_deep_stack;
use ordain_source::{FileId, MemoryWorld};

const TYPES: &str = r#"
type Role { attr gid, String { min => 1, check => { if $gid =~ /\A\d+\z/ { "gid must not be numeric" } } } }
type Account {
  attr name, String { min => 1 }
  attr groups, String { max => unbound, unsettable => true }
  attr size, Float
  attr bytes, Integer { set => |$v| { Integer($v) * 2 }, get => |$v| { $v / 2 } }
  attr secret, String { transient => true }
  has roles, Role { max => unbound }
  has main, Role { containment => false }
  has leader, Account { containment => false }
  has below, Account { max => unbound }
  attr label, String { derived => || { "<${name}>" } }
  invariant "main is set where there are roles" { $roles == [] or $main != undef }
}
"#;

fn environment(code: &str) -> Environment {
    let options = Options::new(Arc::new(MemoryWorld::default()), Site::Code(code.into()));
    Environment::open(options).unwrap_or_else(|errors| panic!("{errors:?}")).0
}

/// Runs `work` with a compile of these types.
fn with_types<T: Send>(work: impl FnOnce(&mut Compiler<'_>) -> T + Send) -> T {
    let env = environment(TYPES);
    on_deep_stack(STACK_SIZE, || {
        let outcome = compile(&env, Settings::default(), &Node::default());
        assert!(outcome.error.is_none());
        let mut compiler = outcome.compiler;
        work(&mut compiler)
    })
}

/// The object in data, or the message of the error.
fn loaded(compiler: &mut Compiler<'_>, text: &str) -> Result<Value, String> {
    let data = json::read(text).unwrap();
    let result = compiler.objects_from_data(&data);
    result.map_err(|unwind| ordain_puppet::state::frame::final_error(unwind).message)
}

/// The value of an expression.
fn made(code: &str) -> Value {
    let env = environment(TYPES);
    let node = Node::default();
    let done = session::evaluate(&env, Settings::default(), &node, "x.pp".as_ref(), code);
    done.value.unwrap_or_else(|| panic!("{:?}", done.report.diagnostics))
}

fn text(data: &Data) -> String {
    json::compact(data)
}

#[test]
fn objects_are_written_as_the_sheet_says() {
    let value = made(
        "Account.new { name => 'e', groups => [], bytes => '3', secret => 'x', size => 2, \
         roles => [{ gid => 'adm' }] } |$t| { $t[main] = $t[roles][0] }",
    );
    assert_eq!(
        text(&to_data(&value)),
        r##"{"__ptype":"Account","name":"e","groups":[],"size":2.0,"bytes":6,"roles":[{"__ptype":"Role","gid":"adm"}],"main":{"__pref":"#/roles/0"}}"##
    );
}

/// `load(save(o)) == o`, by way of JSON and of YAML.
#[test]
fn saved_objects_are_loaded_again() {
    for code in [
        "Account.new { name => 'a' }",
        "Account.new { name => 'a', groups => ['x', 'y'], size => 1.5, bytes => 4 }",
        "Account.new { name => 'a', leader => Account.new { name => 'b' } }",
        "Account.new { name => 'a', roles => [{ gid => 'r' }, { gid => 's' }] } |$t| { $t[main] = $t[roles][1] }",
        "Account.new { name => 'a', below => [{ name => 'b', below => { name => 'c' } }] }",
    ] {
        let value = made(code);
        let data = to_data(&value);
        with_types(|compiler| {
            let as_json = json::read(&text(&data)).unwrap();
            let as_yaml = yaml::read(&yaml::psych::write(&data), Schema::Psych).unwrap();
            for read in [as_json, as_yaml] {
                let again = compiler.objects_from_data(&read).unwrap();
                assert_eq!(again, value, "{code}");
                assert_eq!(text(&to_data(&again)), text(&data), "{code}");
            }
        });
    }
}

#[test]
fn links_lead_to_objects_of_the_document() {
    with_types(|compiler| {
        let document = r##"[{"__ptype":"Account","name":"a","below":[{"__ptype":"Account","name":"b","leader":{"__pref":"Account#a"}}]},
            {"__ptype":"Account","name":"c","leader":{"__pref":"Account#b"},"roles":[{"__ptype":"Role","gid":"r"}],"main":{"__pref":"#/1/roles/0"}}]"##;
        let value = loaded(compiler, document).unwrap();
        compiler.resolve_links(&value).unwrap();
        let shown = to_data(&value);
        assert!(text(&shown).contains(r##""leader":{"__pref":"Account#b"}"##), "{}", text(&shown));
    });
}

#[test]
fn links_that_lead_nowhere_are_found() {
    with_types(|compiler| {
        let gone = r##"{"__ptype":"Account","name":"a","leader":{"__pref":"Account#x"}}"##;
        let value = loaded(compiler, gone).unwrap();
        let error = compiler.resolve_links(&value).unwrap_err();
        let error = ordain_puppet::state::frame::final_error(error);
        assert_eq!(error.issue.as_deref(), Some("TYPE_UNRESOLVED_LINK"));
        assert_eq!(error.message, "Account: leader: there is no Account for the link 'Account#x'");
        let other = r##"{"__ptype":"Account","name":"a","roles":[{"__ptype":"Role","gid":"r"}],"leader":{"__pref":"#/roles/0"},"main":{"__pref":"#/roles/0"}}"##;
        let value = loaded(compiler, other).unwrap();
        assert!(compiler.resolve_links(&value).is_err());
    });
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let cases = [
        (r#"{"__ptype":"Account"}"#, "Account: feature 'name' needs at least 1 value, got none"),
        (r#"{"__ptype":"Account","name":1}"#, "Account: name expects a String value, got Integer"),
        (r#"{"__ptype":"Account","name":"a","nick":"b"}"#, "Type 'Account' has no feature 'nick'"),
        (
            r#"{"__ptype":"Account","name":"a","label":"b"}"#,
            "Account: feature 'label' can not be set",
        ),
        (
            r#"{"__ptype":"Account","name":"a","groups":["a",1]}"#,
            "Account: groups index 1 expects a String value, got Integer",
        ),
        (
            r#"{"__ptype":"Account","name":"a","roles":[{"__ptype":"Role","gid":"7"}]}"#,
            "Role: gid: gid must not be numeric",
        ),
        (
            r#"{"__ptype":"Account","name":"a","roles":[{"__ptype":"Role","gid":"x"}]}"#,
            "Account: main is set where there are roles",
        ),
        (
            r#"{"__ptype":"Account","name":"a","leader":"b"}"#,
            r#"Account: leader expects a link, {"__pref": "..."}"#,
        ),
    ];
    with_types(|compiler| {
        for (data, message) in cases {
            assert_eq!(loaded(compiler, data).unwrap_err(), message);
        }
        let deep = format!("{}1{}", "[".repeat(600), "]".repeat(600));
        if let Ok(data) = json::read(&deep) {
            assert!(compiler.objects_from_data(&data).is_err());
        }
    });
}

/// A circle of links between objects of a document ends.
#[test]
fn circles_of_links_are_compared_and_shown() {
    with_types(|compiler| {
        let document = r##"{"__ptype":"Account","name":"a","leader":{"__pref":"Account#b"},"below":[{"__ptype":"Account","name":"b","leader":{"__pref":"Account#a"}}]}"##;
        let (one, two) = (loaded(compiler, document).unwrap(), loaded(compiler, document).unwrap());
        assert_eq!(one, two);
        assert!(format!("{one:?}").contains("Account#b"));
    });
}

/// The text of [`models::write`] defines the same type again.
#[test]
fn models_are_written_as_they_are_read() {
    let code = r#"type My::Role inherits Base {
  abstract
  attr a, Integer
  attr b, String { min => 1 }
  attr c, enum[x, 'y z', 'undef'] { default => x }
  attr d, Array[String] {
    min => 2,
    unsettable => true,
    default => ['a b', c],
    check => { $it != [] },
  }
  attr e, Float { max => 3 }
  attr f, Boolean {
    setable => true,
    derived => || { true },
    set => |$v| { $a = 1 },
  }
  has g, Base {
    max => unbound,
    containment => false,
  }
  invariant "a holds" { $a == 1 }
  invariant |$o| { $o.a == 1 }
}
"#;
    let parsed = syntax::parse(FileId(0), code);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(models::write(&models(&parsed.program)), code);
}

fn outcome(code: &str) -> Vec<String> {
    let options = Options::new(Arc::new(MemoryWorld::default()), Site::Code(code.into()));
    match Environment::open(options) {
        Ok((env, _)) => {
            let report = session::compile_node(&env, Settings::default(), &Node::default()).report;
            report.diagnostics.iter().map(|d| d.message.clone()).collect()
        }
        Err(errors) => errors.iter().map(|d| d.message.clone()).collect(),
    }
}

/// Checks without an end use up the steps; long lines of types and long circles are refused.
#[test]
fn bad_types_end() {
    let endless = "type A { attr a, Integer { check => { range_of($it) } } }";
    assert!(!outcome(endless).is_empty());
    let loops = "type A { attr a, Integer { check => { Integer[0, 100000000].each |$x| { $x } true } } }\nA.new { a => 1 }";
    assert!(outcome(loops)[0].contains("does not end"), "{:?}", outcome(loops));
    let line = |count: usize| -> Vec<String> {
        let of = |i: usize| format!("type T{i} inherits T{} {{ attr x{i}, Integer }}", i - 1);
        std::iter::once("type T0 { }".to_owned()).chain((1..count).map(of)).collect()
    };
    assert_eq!(outcome(&line(90).join("\n")), Vec::<String>::new());
    let many = line(2000);
    assert!(outcome(&many.join("\n"))[0].contains("too many types"));
    let reversed: Vec<String> = many.into_iter().rev().collect();
    assert!(outcome(&reversed.join("\n"))[0].contains("too many types"));
    let mut circle: String = String::new();
    for i in 0..50 {
        writeln!(circle, "type C{i} inherits C{} {{ }}", (i + 1) % 50).unwrap();
    }
    assert!(outcome(&circle)[0].starts_with("Type inheritance is circular: C0 -> C1"));
}

/// Texts that end or go on where they should not: nothing panics, and something is said.
#[test]
fn mangled_types_are_refused() {
    let chars: Vec<char> = TYPES.chars().collect();
    for end in (0..chars.len()).step_by(23) {
        let cut: String = chars[..end].iter().collect();
        outcome(&cut);
        let mut without = chars.clone();
        without.remove(end);
        outcome(&without.into_iter().collect::<String>());
    }
}
