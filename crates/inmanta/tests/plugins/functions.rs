//! The functions of the module `std`.

use std::path::Path;

use ordain_inmanta::model::plugin::Stop;
use ordain_inmanta::value::Value;
use ordain_source::MemoryWorld;

use crate::model::{Model, Slot};

fn model() -> Model {
    let mut world = MemoryWorld::default();
    world.files.insert("/p/files/a.txt".into(), b"top".to_vec());
    world.files.insert("/m/files/b.txt".into(), b"of the module".to_vec());
    world.vars.insert("NUMBER".into(), " 4_2 ".into());
    let mut model = Model::new(Box::new(world), Path::new("/p"));
    model.modules.insert("m".into(), "/m".into());
    model
}

fn text(value: &str) -> Value {
    Value::str(value)
}

fn ints(values: &[i64]) -> Value {
    Value::list(values.iter().copied().map(Value::Int))
}

/// The result of a call in Python's format, or the class and the text of its exception.
fn shown(model: &mut Model, name: &str, arguments: &[Value]) -> String {
    match model.std(name, arguments) {
        Ok(value) => value.repr(model),
        Err(Stop::Raised { class, text }) => format!("{class}: {text}"),
        Err(stop) => format!("{stop:?}"),
    }
}

#[test]
fn text_and_lists() {
    let mut model = model();
    let list = ints(&[3, 1, 2]);
    let nested = Value::list([ints(&[1]), ints(&[2, 3])]);
    let entries = Value::dict([("k".into(), Value::Null)]);
    for (name, arguments, wanted) in [
        ("replace", vec![text("aXbX"), text("X"), text("-")], "'a-b-'"),
        ("capitalize", vec![text("hELLO w")], "'Hello w'"),
        ("limit", vec![text("h\u{e9}llo"), Value::Int(2)], "'h\u{e9}'"),
        ("limit", vec![text("hello"), Value::Int(-2)], "'hel'"),
        ("length", vec![text("h\u{e9}")], "2"),
        ("split", vec![text("a,,b"), text(",")], "['a', '', 'b']"),
        ("split", vec![text("a"), text("")], "ValueError: empty separator"),
        ("hostname", vec![text("a.b.c")], "'a'"),
        (
            "unique_file",
            vec![text("p-"), text("seed"), text(".s")],
            "'p-fe4c0f30aa359c41d9f9a5f69c8c4192.s'",
        ),
        ("count", vec![list.clone()], "3"),
        ("sequence", vec![Value::Int(3), Value::Int(5)], "[5, 6, 7]"),
        ("sequence", vec![Value::Int(-1)], "[]"),
        ("at", vec![list.clone(), Value::Int(-1)], "2"),
        ("at", vec![list.clone(), Value::Int(3)], "IndexError: list index out of range"),
        ("flatten", vec![nested], "[1, 2, 3]"),
        ("flatten", vec![list.clone()], "TypeError: 'int' object is not iterable"),
        ("unique", vec![Value::list([Value::Int(1), Value::Float(1.0)])], "False"),
        ("dict_keys", vec![entries.clone()], "['k']"),
        ("dict_get", vec![entries.clone(), text("c")], "KeyError: 'c'"),
        ("contains", vec![entries, text("k")], "True"),
        ("inlineif", vec![Value::Bool(false), Value::Int(1), Value::Int(2)], "2"),
        ("get_env_int", vec![text("NUMBER")], "42"),
        ("is_base64_encoded", vec![text("YWI=")], "True"),
        ("is_base64_encoded", vec![text("YWI")], "False"),
    ] {
        assert_eq!(shown(&mut model, name, &arguments), wanted, "{name} {arguments:?}");
    }
}

#[test]
fn output_and_format() {
    let mut model = model();
    let list = Value::list([Value::Int(1), text("a"), Value::Null, Value::Bool(true)]);
    let host = model.add("m::Host", vec![("name", Slot::Value(text("web")))]);
    for value in [list, Value::Null, Value::Float(1.0), host.clone(), text("x")] {
        model.std("print", &[value]).unwrap();
    }
    assert_eq!(model.output, ["@[1, 'a', null, True]", "None", "1.0", "@m::Host #1", "x"]);
    let format = text("{} {1:>4} {0.name!r:>6}");
    let error = "ValueError: cannot switch from automatic field numbering to manual field \
                 specification";
    assert_eq!(shown(&mut model, "format", &[format, host.clone()]), error);
    let format = text("{0.name:>5}|{1:03d}|{{}}");
    assert_eq!(shown(&mut model, "format", &[format, host, Value::Int(7)]), "'  web|007|{}'");
    let wanted = "IndexError: Replacement index 0 out of range for positional args tuple";
    assert_eq!(shown(&mut model, "format", &[text("{}")]), wanted);
    let wanted = "AssertionError: 1 != 2: why";
    let arguments = [Value::Int(1), Value::Int(2), text("why")];
    assert_eq!(shown(&mut model, "equals", &arguments), wanted);
}

#[test]
fn addresses() {
    let mut model = model();
    for (name, arguments, wanted) in [
        ("prefixlength_to_netmask", vec![Value::Int(20)], "'255.255.240.0'"),
        ("prefixlen", vec![text("192.168.1.100/255.255.255.0")], "24"),
        ("network_address", vec![text("192.168.1.100/24")], "'192.168.1.0'"),
        ("netmask", vec![text("2001:db8::1/32")], "'ffff:ffff::'"),
        ("ipindex", vec![text("10.0.0.0/30"), Value::Int(-1)], "'10.0.0.3'"),
        ("ipindex", vec![text("10.0.0.0/30"), Value::Int(1), Value::Bool(true)], "'10.0.0.1/30'"),
        ("ipindex", vec![text("10.0.0.0/30"), Value::Int(4)], "IndexError: address out of range"),
        ("add_to_ip", vec![text("10.0.0.255"), Value::Int(1)], "'10.0.1.0'"),
        ("ip_address_from_interface", vec![text("10.0.0.1/8")], "'10.0.0.1'"),
    ] {
        assert_eq!(shown(&mut model, name, &arguments), wanted, "{name}");
    }
}

#[test]
fn files_and_json() {
    let mut model = model();
    let marker = "'imp-module-source:file:///m/files/b.txt'";
    let wrong = "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 4 (char 3)";
    let document = r#"{"a": [1, 2.5, null, "é"]}"#;
    for (name, arguments, wanted) in [
        ("source", vec![text("/a.txt")], "'top'"),
        ("source", vec![text("./b.txt")], "'of the module'"),
        ("source", vec![text("x/b.txt")], "Exception: Module x does not exist for path x/b.txt"),
        ("source", vec![text("m/c.txt")], "Exception: m/c.txt isn't a valid file (/m/files/c.txt)"),
        ("file", vec![text("m/b.txt")], marker),
        ("list_files", vec![text("m/")], "['b.txt']"),
        ("json_loads", vec![text(document)], "{'a': [1, 2.5, null, 'é']}"),
        ("json_loads", vec![text("[1 2]")], wrong),
    ] {
        assert_eq!(shown(&mut model, name, &arguments), wanted, "{name}");
    }
    let value = model.std("json_loads", &[text(document)]).unwrap();
    let written = model.std("json_dumps", &[value]).unwrap();
    assert_eq!(written, text(r#"{"a": [1, 2.5, null, "\u00e9"]}"#));
}

#[test]
fn objects() {
    let mut model = model();
    let unix =
        model.add("std::OS", vec![("name", Slot::Value(text("unix"))), ("family", Slot::Empty)]);
    let linux = model
        .add("std::OS", vec![("name", Slot::Value(text("linux"))), ("family", Slot::Value(unix))]);
    assert_eq!(shown(&mut model, "familyof", &[linux.clone(), text("linux")]), "True");
    assert_eq!(shown(&mut model, "familyof", &[linux.clone(), text("unix")]), "False");
    assert_eq!(model.output.len(), 1, "the surprising answer is told");
    let sorted = shown(
        &mut model,
        "key_sort",
        &[
            Value::list([linux.clone(), Value::Instance(ordain_inmanta::value::InstanceId(0))]),
            text("name"),
        ],
    );
    assert_eq!(sorted, "[std::OS #2, std::OS #1]");
    let wanted = "AttributeError: (None, 'size')";
    assert_eq!(shown(&mut model, "attr", &[linux.clone(), text("size")]), wanted);
    assert_eq!(shown(&mut model, "getattr", &[linux, text("size"), Value::Int(7)]), "7");
}

#[test]
fn unset_arguments_stop_a_call() {
    let mut model = model();
    let host = model.add("m::Host", vec![("name", Slot::Unset(9))]);
    let stopped = model.std("attr", &[host, text("name")]);
    assert!(matches!(stopped, Err(Stop::Unset(variables)) if variables[0].0 == 9));
}
