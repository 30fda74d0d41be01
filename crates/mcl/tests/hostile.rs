//! Malicious input: it must end quickly with an error or a result.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use ordain_mcl::functions::environment::Memory;
use ordain_mcl::session::{Input, Options, compile};
use ordain_mcl::{Edition, fmt};
use ordain_source::{MemoryWorld, SourceMap};

/// Far more time than any of these takes, even on a busy machine without optimization.
const TIMEOUT: Duration = Duration::from_secs(60);

fn run(text: String) -> Result<usize, String> {
    let start = Instant::now();
    let sources = SourceMap::new();
    let input = Input::Text("/main.mcl".into(), text);
    let (world, options) = (MemoryWorld::default(), Options::default());
    let result = compile(&world, &sources, &input, &options, &Memory::default());
    assert!(start.elapsed() < TIMEOUT);
    match result {
        Ok(compiled) => Ok(compiled.resources.list.len()),
        Err(refused) => Err(refused.first(&sources).1),
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("(", ")"), ("[", "]"), ("not ", ""), ("func() { ", " }")] {
        let text = format!("$x = {}true{}\n", open.repeat(100_000), close.repeat(100_000));
        assert!(run(text).unwrap_err().contains("nested too deep"), "{open}");
    }
    let blocks = format!("{}\n{}", "if true {\n".repeat(50_000), "}\n".repeat(50_000));
    assert!(run(blocks).unwrap_err().contains("nested too deep"));
}

#[test]
fn long_chains_are_no_deep_trees() {
    let sum = format!("test \"a\" {{\n\tint64 => 1{},\n}}\n", " + 1".repeat(5_000));
    assert_eq!(run(sum), Ok(1));
    let mut binds = String::from("$x0 = 1\n");
    for i in 1..3_000 {
        binds.push_str(&format!("$x{i} = $x{} + 1\n", i - 1));
    }
    binds.push_str("test \"a\" {\n\tint64 => $x2999,\n}\n");
    assert_eq!(run(binds), Ok(1));
}

#[test]
fn growth_is_bounded() {
    let mut text = String::from("func f0($x) { $x + 1 }\n");
    for i in 1..64 {
        let before = i - 1;
        text.push_str(&format!("func f{i}($x) {{ f{before}($x) + f{before}($x) }}\n"));
    }
    text.push_str("test \"a\" {\n\tint64 => f63(1),\n}\n");
    assert!(run(text).unwrap_err().contains("too large"));
}

/// Binds that each contain the previous one twice.
fn doubled(first: &str, twice: impl Fn(&str) -> String) -> String {
    let binds = (1..60).map(|n| format!("$x{n} = {}\n", twice(&format!("$x{}", n - 1))));
    let imports = "import \"fmt\"\nimport \"list\"\n";
    format!("{imports}$x0 = {first}\n{}", binds.collect::<String>())
}

#[test]
fn values_are_bounded() {
    let too_large = "the value is too large: /main.mcl @ ";
    let text = doubled("\"aaaaaaaa\"", |x| format!("{x} + {x}"));
    let inside = doubled("\"aaaaaaaa\"", |x| format!("\"${{{0}}}${{{0}}}\"", &x[1..]));
    for program in [text, inside] {
        let program = format!("{program}test \"a\" {{\n\tanotherstr => $x59,\n}}\n");
        let error = run(program).unwrap_err();
        assert!(error.starts_with(too_large), "{error}");
    }
    let list = doubled("[1]", |x| format!("list.concat({x}, {x})"));
    let nested = doubled("[1]", |x| format!("[{x}, {x}]"));
    for program in [list, nested] {
        let program = format!("{program}test fmt.printf(\"%v\", $x59) {{}}\n");
        let error = run(program).unwrap_err();
        assert!(error.starts_with(too_large), "{error}");
    }
}

#[test]
fn edges_are_bounded() {
    let names = |from: &str| {
        let names: Vec<String> = (0..3000).map(|n| format!("\"{from}{n}\"")).collect();
        format!("[{}]", names.join(", "))
    };
    let (a, b) = (names("a"), names("b"));
    let inside = format!("test {a} {{\n\tBefore => Test[{b}],\n}}\ntest {b} {{}}\n");
    let beside = format!("test {a} {{}}\ntest {b} {{}}\nTest[{a}] -> Test[{b}]\n");
    let hidden = "Meta:hidden => true,\n\tint64 =>";
    let hidden = |name: &str, n: u32| format!("test \"{name}\" {{\n\t{hidden} {n},\n}}\n");
    let shared: String = (0..2100).flat_map(|n| [hidden("a", n), hidden("b", n)]).collect();
    let shared = format!(
        "{shared}Test[\"a\"] -> Test[\"b\"]\nTest[\"b\"] -> Test[\"c\"]\ntest \"c\" {{}}\n"
    );
    for program in [inside, beside, shared] {
        let error = run(program).unwrap_err();
        assert!(error.starts_with("the program asks for too many edges; "), "{error}");
    }
}

#[test]
fn types_are_bounded() {
    let record = doubled("struct{a => 1}", |x| format!("struct{{a => {x}, b => {x}}}"));
    for end in ["test fmt.printf(\"%T\", $x59) {}", "test \"a\" {\n\tint64 => $x59,\n}"] {
        let error = run(format!("{record}{end}\n")).unwrap_err();
        assert!(error.starts_with("the type is too large: "), "{error}");
    }
    let classes = (1..60).map(|n| {
        let inner = format!("include c{}()\n", n - 1).repeat(2);
        format!("class c{n}() {{\n{inner}}}\n")
    });
    let classes: String = classes.collect();
    let error = run(format!("class c0() {{\n\ttest \"a\" {{}}\n}}\n{classes}include c59()\n"));
    assert!(error.unwrap_err().starts_with("the program grows too large"));
}

#[test]
fn the_memory_of_all_values_is_bounded() {
    // Each part of the sum is kept.
    let sum = "+ \"0123456789012345678901234567890123456789\" ".repeat(30_000);
    let text = format!("test \"a\" {{\n\tanotherstr => \"\" {sum},\n}}\n");
    assert!(run(text).unwrap_err().starts_with("the values take too much memory: "));
    let pieces = format!("$a = \"0123456789\"\ntest \"{}\" {{}}\n", "${a}".repeat(20_000));
    assert_eq!(run(pieces), Ok(1));
}

#[test]
fn many_errors_are_caught_one_after_another() {
    let chain = "[1][5] <|> ".repeat(5_000);
    let text = format!("test \"a\" {{\n\tint64 => {chain}1,\n}}\n");
    assert_eq!(run(text), Ok(1));
}

#[test]
fn recursion_in_every_disguise_is_an_error() {
    let programs = [
        "$x = $x\n",
        "func f($x) { f($x) }\ntest \"a\" {\n\tint64 => f(1),\n}\n",
        "class c {\n\tinclude c\n}\ninclude c\n",
        "class c {\n\tinclude d\n}\nclass d {\n\tinclude c\n}\ninclude c\n",
        "$f = func($g) { $g($g) }\ntest [$f($f)] {}\n",
        "class c {\n\t$v = $y.v\n}\ninclude c as y\n",
    ];
    for program in programs {
        assert!(run(program.into()).is_err(), "{program}");
    }
}

#[test]
fn odd_texts_are_errors_with_a_place() {
    for text in
        ["$x = 99999999999999999999\n", "$x = \"open\n", "\r\n", "$x = \"\\q\"\n", "$é = 1\n"]
    {
        assert!(run(text.into()).unwrap_err().contains("/main.mcl @ 1:"), "{text:?}");
        let _ = fmt::format(text, Edition::Wide);
    }
}
