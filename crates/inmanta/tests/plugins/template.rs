//! Templates: the expectations are the outputs of Jinja2 with the original's settings.

use std::path::Path;

use ordain_inmanta::model::plugin::{Context, Stop};
use ordain_inmanta::value::Value;
use ordain_source::MemoryWorld;

use crate::model::{Model, Slot};

fn model(template: &str) -> Model {
    let mut world = MemoryWorld::default();
    world.files.insert("/p/templates/t.j2".into(), template.as_bytes().to_vec());
    let part = b"part of {{ host.name }}\n".to_vec();
    world.files.insert("/m/templates/part.j2".into(), part);
    let base = b"<{% block body %}base{% endblock %}>".to_vec();
    world.files.insert("/m/templates/base.j2".into(), base);
    let mut model = Model::new(Box::new(world), Path::new("/p"));
    model.modules.insert("m".into(), "/m".into());
    model.modules.insert("std".into(), "/std".into());
    let disk = model.add("m::Disk", vec![("gb", Slot::Value(Value::Int(10)))]);
    let attributes = vec![
        ("name", Slot::Value(Value::str("web"))),
        ("disks", Slot::Value(Value::list([disk.clone(), disk]))),
        ("backup", Slot::Empty),
        ("late", Slot::Unset(3)),
        ("load", Slot::Value(Value::Float(1.0))),
        ("tags", Slot::Value(Value::dict([("env".into(), Value::str("prod"))]))),
    ];
    let host = model.add("m::Host", attributes);
    model.variables.insert("host".into(), host);
    model.variables.insert("m::answer".into(), Value::Int(42));
    model
        .variables
        .insert("list".into(), Value::list([Value::Int(1), Value::Null, Value::str("a")]));
    model.variables.insert("yes".into(), Value::Bool(true));
    model.variables.insert("nothing".into(), Value::Null);
    model
}

fn rendered(template: &str) -> String {
    match model(template).std("template", &[Value::str("/t.j2")]) {
        Ok(value) => value.as_str().unwrap().to_owned(),
        Err(Stop::Raised { class, text }) => format!("{class}: {text}"),
        Err(Stop::Error(error)) => format!("{}: {}", error.class.name(), error.message),
        Err(Stop::Unset(variables)) => format!("unset: {variables:?}"),
        Err(stop) => format!("{stop:?}"),
    }
}

#[test]
fn values_print_as_in_python() {
    for (template, wanted) in [
        ("{{ host.name }} {{ host.load }}", "web 1.0"),
        ("{{ nothing }} {{ yes }} {{ list }}", "None True @[1, null, 'a']"),
        (
            "{{ host.tags }} {{ host.tags.env }} {{ host.tags['env'] }}",
            "@{'env': 'prod'} prod prod",
        ),
        ("{{ [1, 'a', none, true] }}", "[1, 'a', None, True]"),
        ("{{ list[0] }} {{ list[-1] }} {{ list | length }}", "1 a 3"),
        ("{{ 1 / 2 }} {{ 7 // 2 }} {{ 'a' ~ 1 }}", "0.5 3 a1"),
        ("{{ ['a', true, none] | join(',') }}", "a,True,None"),
        ("{{ '%05.1f|%-4s|' | format(3.14159, 'a') }}", "003.1|a   |"),
        ("{{ 'a-b'.split('-') }} {{ 'x'.upper() }}", "['a', 'b'] X"),
    ] {
        assert_eq!(rendered(template), wanted, "{template}");
    }
}

#[test]
fn blanks_are_those_of_jinja() {
    let template = "a\n{% for d in host.disks %}\n- {{ d.gb }}\n{% endfor %}\nz\n";
    assert_eq!(rendered(template), "a\n\n- 10\n\n- 10\n\nz");
    let template = "a\n{%- if yes -%}\n b\n{%- endif %}\nz\n\n";
    assert_eq!(rendered(template), "ab\nz\n");
}

#[test]
fn missing_files() {
    for (template, wanted) in [
        ("[{{ host.backup }}{{ host.nonsense }}]", "[]"),
        ("{% if host.backup is defined %}a{% else %}b{% endif %}", "b"),
        ("{{ host.backup | default('d') }}", "d"),
        ("{{ foo }}", "NotFoundException: 'foo' is undefined"),
        ("{{ foo | default('d') }}", "d"),
        ("{{ host.late }}", "unset: [VarId(3)]"),
        ("{% include 'm/none.j2' %}", "jinja2.exceptions.TemplateNotFound: m/none.j2"),
    ] {
        assert_eq!(rendered(template), wanted, "{template}");
    }
}

#[test]
fn plugins_and_modules() {
    for (template, wanted) in [
        ("{{ host.name | std.upper }}", "WEB"),
        ("{{ host.name | std.replace('w', 'v') }}", "veb"),
        ("{{ std.length(host.name) + 1 }}", "4"),
        ("{{ m.answer }}", "42"),
        ("{% include 'm/part.j2' %}.", "part of web."),
        ("{% extends 'm/base.j2' %}{% block body %}{{ super() }}+{% endblock %}", "<base+>"),
    ] {
        assert_eq!(rendered(template), wanted, "{template}");
    }
}

#[test]
fn named_arguments_hide_the_scope() {
    let mut model = model("{{ a }}{{ host is defined }}");
    let named = [("a".into(), Value::str("given"))];
    let text = model.call("std::template", &[Value::str("/t.j2")], &named).unwrap();
    assert_eq!(text, Value::str("givenFalse"));
}

#[test]
fn templates_that_ask_for_much() {
    let template: String = (0..40).map(|_| "{{ host.name | std.upper }}{{ m.answer }} ").collect();
    assert_eq!(rendered(&template), "WEB42 ".repeat(40));
}

#[test]
fn plugins_are_called_once() {
    for calls in [1, 3, 30] {
        let template: String =
            (0..calls).map(|n| format!("{{{{ std.print({n}) }}}}{{{{ host.name }}}}")).collect();
        let mut model = model(&template);
        model.std("template", &[Value::str("/t.j2")]).unwrap();
        let wanted: Vec<String> = (0..calls).map(|n| n.to_string()).collect();
        assert_eq!(model.output, wanted);
    }
}

#[test]
fn templates_that_render_themselves_end() {
    let found = rendered("{{ std.template('/t.j2') }}");
    assert_eq!(found, "RecursionError: maximum recursion depth exceeded");
}

#[test]
fn values_that_nest_without_end() {
    let grown = |grow: &str, show: &str| {
        let text = format!(
            "{{% set ns = namespace(a=(1,)) %}}{{% for i in range(100000) %}}\
             {{% set ns.a = {grow} %}}{{% endfor %}}{{{{ {show} }}}}"
        );
        rendered(&text)
    };
    let recursion = "RecursionError: maximum recursion depth exceeded";
    assert_eq!(grown("[ns.a]", "1"), recursion);
    assert_eq!(grown("(1, ns.a)", "1"), recursion);
    assert_eq!(grown("{1: ns.a}", "1"), recursion);
    let text = "{% set ns = namespace(a=(1,)) %}{% for i in range(60) %}\
                {% set ns.a = (ns.a, ns.a) %}{% endfor %}{{ {ns.a: 1} }}";
    assert!(rendered(text).starts_with("MemoryError: a key is too large"));
}
