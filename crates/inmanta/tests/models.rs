//! Compiles models and compares their outcomes.

#![allow(clippy::unwrap_used)]

mod mistakes;

use ordain_inmanta::output;
use ordain_inmanta::session::{Request, compile};
use ordain_source::{MemoryWorld, SourceMap};
use serde_json::{Value as Json, json};

fn run_with(text: &str, autostd: bool) -> Json {
    let (world, sources) = (MemoryWorld::default(), SourceMap::new());
    let mut request = Request::new(&world, &sources, "/p", "/p/main.cf", text);
    request.autostd = autostd;
    request.shown = vec![("/p".into(), ".".into())];
    output::json(&compile(request))
}

fn printed(text: &str) -> String {
    let out = run_with(text, true);
    assert_eq!(out["status"], "ok", "{}", out["error"]["trace"]);
    out["stdout"].as_str().unwrap().to_owned()
}

fn trace(text: &str) -> String {
    run_with(text, true)["error"]["trace"].as_str().unwrap_or("no error").to_owned()
}

const HOSTS: &str = "
entity Host:
    string name
end
entity Disk:
    int gb = 10
end
Host.disks [0:] -- Disk.host [1]
index Host(name)
implement Host using report
implement Disk using std::none

implementation report for Host:
    std::print(f\"{name}: {n} disks\")
    n = std::count(self.disks)
end
";

#[test]
fn implementations_wait_for_what_they_need() {
    let text = format!("{HOSTS}\nw = Host(name=\"web1\", disks=[Disk(), Disk(gb=20)])\n");
    assert_eq!(printed(&text), "web1: 2 disks\n");
}

#[test]
fn nested_blocks_run_backwards() {
    let text = "if true:\n std::print(\"a\")\n std::print(\"b\")\nend\nstd::print(\"d\")\n\
                std::print(\"e\")\n";
    assert_eq!(printed(text), "d\ne\nb\na\n");
}

#[test]
fn lookups_wait_for_instances() {
    let text = format!("{HOSTS}\nq = Host[name=\"a\"]\nstd::print(q.name)\nw = Host(name=\"a\")\n");
    assert!(printed(&text).contains("a\n"));
}

#[test]
fn late_values_are_refused() {
    let text = format!(
        "{HOSTS}\nw = Host(name=\"a\")\nif std::count(w.disks) == 0:\n w.disks += Disk()\nend\n"
    );
    assert!(trace(&text).contains("List modified after freeze"), "{}", trace(&text));
}

#[test]
fn a_value_is_set_once() {
    assert_eq!(
        trace("x = 1\nx = 2\n"),
        "value set twice:\n\told value: 1\n\t\tset at ./main.cf:1\n\tnew value: 2\n\t\tset at \
         ./main.cf:2\n (reported in x = 2 (./main.cf:2))"
    );
}

#[test]
fn operators_bind_as_in_the_original() {
    let out = run_with(
        "a = 2 ** 3 ** 2\nb = not \"a\" in [\"b\"]\nc = true ? 1 : false ? 2 : 3\nd = -7 % 3\n\
         e = 7 / 2\n",
        false,
    );
    let want = json!({"a": 64, "b": true, "c": 1, "d": 2, "e": {"$float": "3.5"}});
    assert_eq!(out["vars"], want);
}

#[test]
fn strings_are_filled() {
    let out = run_with("n = \"x\"\na = \"{{ n }}-{{n}}\"\nb = f\"{n:>3}|{1.5-1}\"\n", false);
    assert_eq!(out["status"], "error");
    let out = run_with("n = \"x\"\na = \"{{ n }}-{{n}}\"\nb = f\"{n:>3}|\"\n", false);
    assert_eq!(out["vars"], json!({"n": "x", "a": "x-x", "b": "  x|"}));
}

#[test]
fn syntax_errors_are_those_of_the_original() {
    for (text, want) in [
        ("x = ", "Syntax error: Unexpected end of file (./main.cf:2:2)"),
        ("x = end", "Syntax error: invalid identifier, end is a reserved keyword (./main.cf:1:5)"),
        ("x = 1 +* 2", "Syntax error at token * (./main.cf:1:9)"),
        ("x = ;", "Syntax error: Illegal character ';' (./main.cf:1:5)"),
    ] {
        assert_eq!(trace(text), want);
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(trace(&text).contains("nested too deeply"));
}

#[test]
fn cyclic_entities_are_an_error() {
    let text = "entity A extends B:\nend\nentity B extends A:\nend\n";
    assert!(trace(text).contains("Entity can not be its own parent"));
}

#[test]
fn missing_modules_are_an_error() {
    assert!(trace("import nowhere\n").starts_with("Failed to load module nowhere"));
}

#[test]
fn a_large_relation_is_linear() {
    let text = format!(
        "{HOSTS}\nw = Host(name=\"a\")\nfor i in std::sequence(5000):\n  Disk(gb=i, host=w)\nend\n"
    );
    assert_eq!(printed(&text), "a: 5000 disks\n");
}

const NODES: &str = "
entity A:
    int n = 0
end
A.others [0:] -- A.back [0:]
A.next [0:1] -- A
implement A using std::none
";

#[test]
fn lists_keep_the_order_in_which_items_come() {
    let text = format!(
        "{NODES}a = A()\nb = A(n=9)\na.others = [A(n=1), A(n=2), A(n=3)]\n\
         b.others = [x for x in [y for y in a.others]]\n\
         std::print([x.n for x in b.others])\nstd::print([x.n for x in a.others])\n"
    );
    assert_eq!(printed(&text), "@[1, 2, 3]\n@[1, 2, 3]\n");
}

#[test]
fn a_relation_named_self_is_the_instance() {
    let text = "
entity A:
end
A.self [1] -- A
implementation a for A:
    self.self = self
end
implement A using a
x = A()
y = x.self == x
std::print(y)
";
    assert_eq!(printed(text), "True\n");
}

#[test]
fn promises_stop_at_optional_relations_without_a_value() {
    let text = format!(
        "{NODES}a = A()\na.next = null\nif a.next is defined:\n    a.next.next.next.others += a\n\
         end\nstd::print(\"done\")\n"
    );
    assert_eq!(printed(&text), "done\n");
}

#[test]
fn dicts_go_before_defaults_in_indexes() {
    let text = format!("{NODES}index A(n)\nA(**{{\"n\": 4}})\na = A[n=4]\nstd::print(a.n)\n");
    assert_eq!(printed(&text), "4\n");
}

#[test]
fn attributes_inherited_twice_have_one_type() {
    let text = "
entity A:
    int n
end
entity B:
    string n
end
entity C extends A, B:
end
";
    assert!(trace(text).starts_with("Incompatible attributes"), "{}", trace(text));
}

#[test]
fn an_argument_without_a_value_is_no_failure_of_the_call() {
    let text = format!(
        "{NODES}implementation a for A:\nend\nimplement A using a when std::count([next]) == 0\n\
         A()\n"
    );
    assert_eq!(
        trace(&text),
        "Optional variable accessed that has no value (attribute `__config__::A.next` of \
         `__config__::A (instantiated at ./main.cf:11)`)"
    );
}

/// The rendered diagnostics of a model.
fn shown(text: &str) -> String {
    let (world, sources) = (MemoryWorld::default(), SourceMap::new());
    let mut request = Request::new(&world, &sources, "/p", "/p/main.cf", text);
    request.shown = vec![("/p".into(), ".".into())];
    let outcome = compile(request);
    let errors = ordain_inmanta::diagnostics::errors(outcome.error.as_ref().unwrap(), &sources);
    errors.iter().map(|d| ordain_source::render::human(d, &sources, false)).collect()
}

#[test]
fn a_list_that_was_frozen_too_early_is_explained() {
    let text = format!(
        "{NODES}implementation more for A:\n    self.others += A(n=1)\nend\n\
         implement A using more when n == 0 and std::count(others) == 0\na = A()\n"
    );
    let shown = shown(&text);
    let wanted = "\
error[inmanta::modified-after-freeze]: List modified after freeze
  --> ./main.cf:9:5
   |
 9 |     self.others += A(n=1)
   |     ^^^^^^^^^^^^^^^^^^^^^
   |     |
   |     this value for `__config__::A.others` is assigned too late
10 | end
11 | implement A using more when n == 0 and std::count(others) == 0
   |                                        ---------- this needed all values of \
`__config__::A.others`; no statement had announced a further value
   |
   = help: assign this value earlier, or announce it: assignments to `__config__::A.others` \
inside `if` and `for` are announced, those in implementations are not
   = help: or set the order of relations in project.yml's relation_precedence_policy: \
`__config__::A.others before OTHER` or `OTHER before __config__::A.others`
";
    assert_eq!(shown, wanted, "{shown}");
}

#[test]
fn errors_have_the_places_of_the_original() {
    for (model, wanted) in [
        ("a = b.", "Syntax error: Unexpected end of file (./main.cf:2:2)"),
        (
            "entity A extends m.B:\nend",
            "Syntax error: invalid namespace access `m.B`. Namespaces should be accessed with '::' \
             rather than '.'. The '.' separator is reserved for attribute and relation access. Did \
             you mean: `m::B` (./main.cf:1:18)",
        ),
        (
            "x = m::n::y.a.b",
            "Namespace m::n not found.\nTry importing it with `import m::n` (reported in \
             m::n::y.a.b (./main.cf:1))",
        ),
        (
            "x = std::upper(f\"{x}\")",
            "not all statements executed: [std::upper(StringFormatV2('{x}')), \
             std::upper(StringFormatV2('{x}'))] (reported in std::upper(StringFormatV2('{x}')) \
             (./main.cf:1:5))",
        ),
        (
            "x = std::count(false)",
            "Value False for argument item_list of plugin std::count has incompatible type. \
             Expected type: (Reference[any] | any)[] (reported in std::count(false) \
             (./main.cf:1:5))\ncaused by:\n  Invalid value 'False', expected None (reported in \
             std::count(false) (./main.cf:1:5))",
        ),
        (
            "entity C:\n  float k\nend\nindex C(k)\nx = C(k=\"b\")",
            "Failed to cast 'b' to float (reported in x = Construct(C) (./main.cf:5))",
        ),
        (
            "x = \"\\N{NO SUCH THING}\"",
            "'unicodeescape' codec can't decode bytes in position 0-16: unknown Unicode character \
             name",
        ),
    ] {
        assert_eq!(trace(model), wanted, "{model}");
    }
}

#[test]
fn a_relation_that_is_set_while_its_other_end_is_keeps_the_first_value() {
    let model = r#"
entity A:
    int n
end
implementation own for A:
    me = self
    me.one = self
end
implement A using own
A.one [0:1] -- A.all [1:3]
a = A(all=[], n=0)
A(all=a.all, n=2)
for i in a.all:
    b = true ? a : a
    if i.one is defined:
        b.all += b.one.all
    end
end
"#;
    assert_eq!(trace(model), "no error");
}

#[test]
fn division_by_zero_is_pythons_error() {
    for (text, message) in [
        ("x = 1 / 0\n", "division by zero"),
        ("x = 1 % 0\n", "integer modulo by zero"),
        ("x = 1.0 / 0\n", "float division by zero"),
    ] {
        let out = run_with(text, false);
        assert_eq!(out["error"]["class"], "ZeroDivisionError", "{text}");
        assert_eq!(out["error"]["msg"], message, "{text}");
    }
}

/// The errors that `check` finds without a run, with their lines.
fn checked(text: &str) -> Vec<String> {
    let (world, sources) = (MemoryWorld::default(), SourceMap::new());
    let mut request = Request::new(&world, &sources, "/p", "/p/main.cf", text);
    request.autostd = true;
    request.check_only = true;
    let mut outcome = compile(request);
    assert!(outcome.error.is_none());
    let found = outcome.net.program.static_errors().into_iter();
    found
        .chain(outcome.net.unmet_conditions())
        .map(|misfit| {
            let at = misfit.error.location.map_or(0, |at| at.line);
            format!("{at}: {}", misfit.error.message)
        })
        .collect()
}

#[test]
fn a_check_finds_arguments_that_do_not_fit() {
    let text = "import std\nx = std::replace(\"a\")\ny = std::upper(5)\nz = std::upper(\"a\", \"b\")\n\
                w = std::upper(\"a\")\n";
    let expected = [
        "2: std::replace() missing 2 required positional arguments: 'old' and 'new'",
        "3: Invalid value '5', expected string",
        "4: std::upper() takes 1 positional arguments but 2 were given",
    ];
    let mut found = checked(text);
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_check_finds_what_a_typedef_refuses() {
    let text = "typedef small as int matching self < 5\nentity B:\n    small s\nend\n\
                implement B using std::none\nB(s=7)\nB(s=4)\n";
    let expected = ["6: Invalid value 7, does not match constraint `(self < 5)`"];
    assert_eq!(checked(text), expected);
}

#[test]
fn a_check_finds_constructors_that_an_index_makes_one() {
    let text = "entity B:\n    int a\n    string c = \"c\"\nend\nimplement B using std::none\n\
                index B(a)\nB(a=1, c=\"x\")\nB(a=2, c=\"y\")\nB(a=1, c=\"z\")\nB(a=1, c=\"x\")\n";
    let expected = [
        "9: value set twice: an index makes both constructors the same instance, and `c` is 'x' in \
         one and 'z' in the other",
    ];
    assert_eq!(checked(text), expected);
}

/// The help texts of an error's diagnostics.
fn help(text: &str) -> String {
    let (world, sources) = (MemoryWorld::default(), SourceMap::new());
    let request = Request::new(&world, &sources, "/p", "/p/main.cf", text);
    let outcome = compile(request);
    let error = outcome.error.as_ref().unwrap();
    let found = ordain_inmanta::diagnostics::errors(error, &sources);
    found.into_iter().flat_map(|one| one.help).collect::<Vec<_>>().join("\n")
}

#[test]
fn errors_say_what_is_meant() {
    let circle = "these wait for each other: a -> b -> a";
    assert!(help("a = b\nb = a\n").contains(circle), "{}", help("a = b\nb = a\n"));
    let text = "entity Host:\n    string name\nend\nindex Host(name)\nHost(\"test\")\n";
    let named = "the values of a constructor have names: `Host(name=\"test\")`";
    assert!(help(text).contains(named), "{}", help(text));
    let text = "entity Host:\n    \"\"\"A host.\"\"\"\n    string name\n    int? port = null\nend\nHost(\"test\")\n";
    assert!(help(text).contains(named), "{}", help(text));
}
