//! Input that is broken or made to do harm ends soon in an error that says why.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session;
use ordain_puppet::session::Node;
use ordain_source::HostWorld;
use ordain_testkit::bounded;

fn compile(dir: &Path, site: Site) -> Result<(), String> {
    compile_with(dir, site, Settings::default())
}

fn compile_with(dir: &Path, site: Site, settings: Settings) -> Result<(), String> {
    bounded(&format!("{site:?}"), || {
        let options = Options {
            dir: Some(dir.to_path_buf()),
            modulepath: vec![dir.join("modules")],
            ..Options::new(Arc::new(HostWorld::new()), site)
        };
        let (env, _) = Environment::open(options).map_err(|errors| errors[0].message.clone())?;
        let node = Node { name: "n".into(), ..Node::default() };
        let compiled = session::compile_node(&env, settings, &node);
        match compiled.graph {
            Some(_) => Ok(()),
            None => Err(compiled.report.diagnostics.last().unwrap().message.clone()),
        }
    })
}

fn error(code: &str) -> String {
    compile(Path::new("/nowhere"), Site::Code(code.into())).unwrap_err()
}

#[track_caller]
fn fails(code: &str, words: &str) {
    let error = error(code);
    assert!(error.contains(words), "{error}");
}

fn site(bytes: &[u8]) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("site.pp");
    fs::write(&file, bytes).unwrap();
    compile(dir.path(), Site::Path(file))
}

#[test]
fn bytes_that_are_no_text() {
    assert!(site(b"notify { 'a': }\n$x = '\xff'\n").unwrap_err().contains("not valid UTF-8"));
    assert!(site("\u{feff}notify { 'a': }".as_bytes()).unwrap_err().contains("Byte Order"));
    site(b"notify { 'a':\r\n  message => 'b',\r\n}\r\n").unwrap();
}

#[test]
fn files_that_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let missing = compile(dir.path(), Site::Path(dir.path().join("none.pp"))).unwrap_err();
    assert!(missing.contains("none.pp"), "{missing}");
    fs::create_dir_all(dir.path().join("modules/m/manifests/init.pp")).unwrap();
    let directory = compile(dir.path(), Site::Code("include m".into())).unwrap_err();
    assert!(directory.contains('m'), "{directory}");
}

#[test]
fn endless_functions() {
    fails("function f($x) { f($x + 1) } f(1)", "stack level too deep");
    fails("function f() { g() } function g() { f() } f()", "stack level too deep");
    fails("$f = [1]  function f($x) { $x.map |$y| { f([$y]) } } f($f)", "stack level too deep");
}

#[test]
fn endless_defines() {
    error("define d { d { \"${title}x\": } } d { 'a': }");
    error("define a { b { $title: } } define b { a { \"${title}x\": } } a { '1': }");
}

#[test]
fn circles_of_classes() {
    compile(
        Path::new("/nowhere"),
        Site::Code("class a { include b } class b { include a } include a".into()),
    )
    .unwrap();
    error("class a inherits b { } class b inherits a { } include a");
    error("class a inherits a { } include a");
}

#[test]
fn circles_of_types() {
    error("type A = B type B = A $x = 1 =~ A");
    compile(Path::new("/nowhere"), Site::Code("type A = Array[A] $x = [[]] =~ A".into())).unwrap();
    let each_other = "type A = Variant[A, B] type B = Variant[B, A]";
    fails(&format!("{each_other} $x = 1 =~ A"), "cannot be resolved to a real type");
    let three = "type A = Variant[B, C] type B = Variant[C, A] type C = Variant[A, B]";
    fails(&format!("{three} $x = 1 =~ A"), "cannot be resolved to a real type");
    let real = "type A = Variant[B, Integer] type B = Variant[A, String] if 1.0 =~ A { fail('x') }";
    compile(Path::new("/nowhere"), Site::Code(real.into())).unwrap();
}

#[test]
fn endless_numbers() {
    for code in [
        "Integer[1, 1000000000000].each |$x| { $y = $x }",
        "$x = Integer[1, 1000000000000].map |$x| { $x }",
        "$x = range(1, 1000000000000)",
        "$x = Array(1000000000000)",
        "$x = Integer[1, 1000000000000].index(-1)",
        "$x = Integer[1, 1000000000000].index |$x| { false }",
        "$x = Integer[1, 1000000000000].reduce |$m, $x| { $m }",
        "Integer[1, 1000000000000].step(3) |$x| { $y = $x }",
        "Integer[1, 1000000000000].reverse_each |$x| { $y = $x }",
    ] {
        error(code);
    }
}

#[test]
fn loops_in_loops() {
    let code = "Integer[1, 1000000].each |$x| { Integer[1, 1000000].each |$y| { $z = $y } }";
    let dir = Path::new("/nowhere");
    let settings = Settings { max_steps: 100_000, ..Settings::default() };
    let error = compile_with(dir, Site::Code(code.into()), settings).unwrap_err();
    assert!(error.contains("more than 100000 steps"), "{error}");
}

#[test]
fn resources_without_end() {
    let dir = Path::new("/nowhere");
    for code in [
        "define d { d { \"${title}x\": } d { \"${title}y\": } } d { 'a': }",
        "Integer[1, 1000000].each |$i| { notify { \"${i}\": } }",
    ] {
        let settings = Settings { max_resources: 5000, ..Settings::default() };
        let error = compile_with(dir, Site::Code(code.into()), settings).unwrap_err();
        assert!(error.contains("more than 5000 resources"), "{error}");
    }
}

#[test]
fn values_that_share_their_parts() {
    let rounds = "Integer[1, 60].reduce([1]) |$m, $x|";
    fails(&format!("$a = {rounds} {{ [$m, $m] }}"), "is too big");
    fails(&format!("$a = {rounds} {{ {{ a => $m, b => [$m] }} }}"), "is too big");
    fails(&format!("$a = {rounds} {{ [1, 2].map |$y| {{ $m }} }}"), "is too big");
    fails(&format!("$a = {rounds} {{ Sensitive([$m, $m]) }}"), "is too big");
    let deep = "$a = Integer[1, 5000].reduce([1]) |$m, $x| { [$m] }";
    fails(deep, "is nested more than");
    // Values that are weighed once keep their height.
    let deep = "$a = Integer[1, 5000].reduce(range(1, 1000)) |$m, $x| { [$m] }";
    fails(deep, "is nested more than");
}

#[test]
fn values_that_no_variable_has() {
    let text = "$s = Integer[1, 16].reduce('x') |$m, $i| { \"${m}${m}\" }";
    let many = "Integer[1, 10000].map |$i| { $s }";
    fails(&format!("{text} $b = String({many}, '%p')"), "is too big");
    fails(&format!("{text} $b = to_json({many})"), "is too big");
    fails(&format!("{text} $b = \"${{{many}}}\""), "is too big");
    fails(&format!("{text} $b = join(range(1, 10000), $s)"), "is too long");
}

#[test]
fn types_of_long_lists() {
    // Each takes minutes where every part is held against every other.
    let list = "Integer[1, 60000].map |$x| { [\"a${x}\"] }";
    for code in [
        "assert_type(Variant[String, Array[String]], Array(60000))".to_string(),
        format!("fail(String(size(\"${{type({list}, reduced)}}\")))"),
        format!("$t = type(Hash({list}.map |$x| {{ [$x, $x] }})) fail(String($t <= $t))"),
        "$t = type(Hash(Integer[1, 60000].map |$x| { [$x * 2, [$x]] })) fail(String($t <= $t))"
            .to_string(),
    ] {
        error(&code);
    }
}

#[test]
fn bombs_of_text() {
    error("$x = sprintf('%1000000000000d', 1)");
    let steps = Settings { max_steps: 1_000_000, ..Settings::default() };
    for code in [
        "$a = Integer[1, 16].reduce('x') |$m, $i| { \"${m}${m}\" } Integer[1, 1000].each |$i| { $b = \"${a}${i}\" }",
        "Integer[1, 60].each |$i| { $x = range(1, 200000) }",
    ] {
        compile_with(Path::new("/nowhere"), Site::Code(code.into()), steps.clone()).unwrap_err();
    }
    error("$x = String(1, '%1000000000d')");
    let mut doubling = "$a0 = 'xxxxxxxxxxxxxxxx'\n".to_string();
    for i in 0..40 {
        doubling.push_str(&format!("$a{} = \"${{a{i}}}${{a{i}}}\"\n", i + 1));
    }
    error(&doubling);
    let mut lists = "$a0 = [1]\n".to_string();
    for i in 0..40 {
        lists.push_str(&format!("$a{} = $a{i} + $a{i}\n", i + 1));
    }
    error(&lists);
}

#[test]
fn patterns_that_backtrack() {
    let text = "a".repeat(40);
    let code = format!("$x = '{text}!' =~ /^(a+)+$/\nfail('reached')");
    error(&code);
    error(&format!("$x = '{text}!' =~ /^(?=a)(a|aa)+\\1$/\nfail('reached')"));
}

#[test]
fn deep_nesting() {
    let depth = 100_000;
    let around = |open: &str, close: &str| {
        error(&format!("$x = {}1{}", open.repeat(depth), close.repeat(depth)));
    };
    around("[", "]");
    around("(", ")");
    around("{ 'a' => ", " }");
    around("!", "");
    around("- ", "");
    around("Array[", "]");
    error(&format!("$x = 1{}", " + 1".repeat(depth)));
    error(&format!("{}{}", "if true { ".repeat(depth), "}".repeat(depth)));
    error(&format!("$x = {}1{}", "\"${".repeat(depth), "}\"".repeat(depth)));
}

#[test]
fn data_with_bombs() {
    let lookup = |text: &str| {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("data")).unwrap();
        fs::write(dir.path().join("hiera.yaml"), "version: 5\n").unwrap();
        fs::write(dir.path().join("data/common.yaml"), text).unwrap();
        compile(dir.path(), Site::Code("$x = lookup('a')\nnotify { 'x': message => $x }".into()))
    };
    let mut aliases = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n".to_string();
    for i in 0..12 {
        let list = vec![format!("*l{i}"); 10].join(", ");
        aliases.push_str(&format!("l{}: &l{} [{list}]\n", i + 1, i + 1));
    }
    lookup(&format!("{aliases}a: *l12\n")).unwrap_err();
    lookup(&format!("a: {}{}\n", "[".repeat(100_000), "]".repeat(100_000))).unwrap_err();
    lookup("a: \"%{lookup('a')}\"\n").unwrap_err();
    lookup("a: [1\n").unwrap_err();
    lookup("a: &x [*x]\n").unwrap_err();
    lookup("a: \"%{lookup('b')}%{lookup('b')}\"\nb: \"%{lookup('a')}\"\n").unwrap_err();
}
