//! Built-in functions as programs call them: an expression in, the value as source text out.

use std::path::Path;
use std::sync::Arc;

use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::evaluate;
use ordain_puppet::types::format::quoted;
use ordain_puppet::value::Value;
use ordain_source::MemoryWorld;

/// The value of an expression as source text, or `error: ` and the message.
fn eval(code: &str) -> String {
    let world = MemoryWorld::with_files([("/srv/list.json", "[1, 2]")]);
    let options = Options::new(Arc::new(world), Site::Nothing);
    let (env, _) = Environment::open(options).ok().unwrap();
    let networking = Value::hash([("fqdn", Value::str("web.example.org"))]);
    let node = Node {
        name: "web.example.org".into(),
        facts: Value::hash([("networking", networking)]),
        ..Node::default()
    };
    let done = evaluate(&env, Settings::default(), &node, Path::new(""), code);
    match (done.value, done.report.error) {
        (Some(value), _) => quoted(&value),
        (None, Some(error)) => format!("error: {}", error.message),
        (None, None) => "error: it does not parse".into(),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (code, expected) in cases {
        assert_eq!(eval(code), *expected, "{code}");
    }
}

#[test]
fn iteration() {
    check(&[
        ("Integer[2, 9].step(3).map |$n| { $n * 10 }", "[20, 50, 80]"),
        ("{x => 1, y => 2}.map |$k, $v| { \"${k}${v}\" }", "['x1', 'y2']"),
        ("[4, 5, 6].filter |$i, $v| { $i != 1 }", "[4, 6]"),
        ("[1, 2, 3, 4].map |$n| { if $n == 3 { break() } $n }", "[1, 2]"),
        ("[1, 2, 3].slice(2)", "[[1, 2], [3]]"),
        ("[[1, [2]], 3].tree_each({include_containers => false}).map |$n| { $n[1] }", "[1, 2, 3]"),
        ("reduce([3, 4], 10) |$sum, $n| { $sum + $n }", "17"),
    ]);
}

#[test]
fn text_and_collections() {
    check(&[
        ("regsubst('port 80', '(\\d+)', '<\\1>')", "'port <80>'"),
        ("split('a:b::', ':')", "['a', 'b']"),
        ("match('v12', /v(\\d+)/)", "['v12', '12']"),
        ("sort(['b', 'A', 'a'])", "['A', 'a', 'b']"),
        ("unique({p => 1, q => 1})", "{['p', 'q'] => [1]}"),
        ("get({a => [{b => 7}]}, 'a.0.b')", "7"),
        ("scanf('eth0: 1500', '%[a-z]%d: %d')", "['eth', 0, 1500]"),
        ("versioncmp('2.9', '2.10')", "-1"),
    ]);
}

#[test]
fn the_module_is_not_needed() {
    check(&[
        ("stdlib::to_json({a => [1, undef]})", "'{\"a\":[1,null]}'"),
        ("stdlib::to_toml({a => 1, b => {c => 'x'}})", "\"a = 1\\n[b]\\nc = \\\"x\\\"\\n\""),
        ("loadjson('/srv/list.json')", "[1, 2]"),
        ("deep_merge({a => {b => 1}}, {a => {c => 2}})", "{'a' => {'b' => 1, 'c' => 2}}"),
        ("range('n08', 'n11')", "['n08', 'n09', 'n10', 'n11']"),
        ("values_at([5, 6, 7], ['1-2', 0])", "[6, 7, 5]"),
        ("stdlib::ip_in_range('10.1.2.3', ['192.168.0.0/16', '10.0.0.0/8'])", "true"),
        ("stdlib::ensure(false, 'service')", "'stopped'"),
    ]);
}

#[test]
fn existing_resources_are_not_declared_again() {
    let code = "notify { 'b': }
        $given = { 'require' => [Notify['b']], 'message' => 'x' }
        ensure_resource('notify', 'a', $given)
        ensure_resource('notify', 'a', $given)
        getparam(Notify['a'], 'message')";
    check(&[(code, "'x'")]);
}

#[test]
fn sensitive_values_stay_sensitive() {
    let shown = eval("stdlib::to_yaml({password => Sensitive('hunter2')})");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert_eq!(eval("regsubst(Sensitive('ab'), 'b', 'c').unwrap"), "'ac'");
}

#[test]
fn endless_lists_end_in_an_error() {
    for code in ["range(1, 1000000000000)", "Integer[1, 9000000000].reverse_each"] {
        assert!(eval(code).contains("is too long"), "{code}");
    }
}

#[test]
fn mistakes_are_told_in_the_words_of_the_function() {
    check(&[
        (
            "sort([1, 'a'])",
            "error: Error while evaluating a Function Call, comparison of Integer with String failed",
        ),
        (
            "pick('')",
            "error: Error while evaluating a Function Call, pick(): must receive at least one non empty value",
        ),
        ("[1].map", "error: Error while evaluating a Method call, 'map' expects a block"),
    ]);
}

#[test]
fn functions_of_modules() {
    check(&[
        (
            "[undef, 'x-true', 'FALSE', 'mail', 4].map |$v| { apache::bool2httpd($v) }",
            "['Off', 'On', 'Off', 'mail', '4']",
        ),
        ("apache::pw_hash('secret')", "'{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ='"),
        (
            "apache::authz_core_config({require_any => {require => ['user a'], 'Require_NONE' => {require => ['user b']}}})",
            "['  <RequireAny>', '    Require user a', '    <RequireNone>', '      Require user b', '    </RequireNone>', '  </RequireAny>']",
        ),
        ("mysql::password('secret')", "'*14E65567ABDB5135D0CFD9A70B3032C179A49EE7'"),
        (
            "mysql::password('*14E65567ABDB5135D0CFD9A70B3032C179A49EE7', true).unwrap",
            "'*14E65567ABDB5135D0CFD9A70B3032C179A49EE7'",
        ),
        (
            "mysql::normalise_and_deepmerge({'a-b' => {x => 1}, c => 2}, '', {'a_b' => {'y' => 3}, c => 4})",
            "{'c' => 4, 'a_b' => {'x' => 1, 'y' => 3}}",
        ),
        ("mysql::strip_hash({a => '', b => {c => '', d => 1}})", "{'b' => {'d' => 1}}"),
        (
            "postgresql::postgresql_password('anna', Sensitive('secret'), false, 'md5')",
            "'md53671d1c06464e8ec9d68bf36dd1d5f7e'",
        ),
        (
            "postgresql::postgresql_password('anna', 'secret', false, 'scram-sha-256')",
            "'SCRAM-SHA-256$4096:YW5uYQ==$jRXCLyy0xB5fKnJTKVnio7eb4GuEcLZs34qcqGT36pw=:jmZIeCFpphXrrYuMzZEz0WNgZginBb8/db8yy9ExfDQ='",
        ),
        ("postgresql::postgresql_escape('it')", "'$$it$$'"),
        ("postgresql::postgresql_escape('a$$b')", "'$ddc$a$$b$ddc$'"),
        (
            "postgresql::postgresql_acls_to_resources_hash(['local all  anna ident', 'host x y 10.0.0.0 255.0.0.0 md5 o p'], 'v4', 9)",
            "{'postgresql class generated rule v4 0' => {'type' => 'local', 'database' => 'all', 'user' => 'anna', 'order' => '009', 'auth_method' => 'ident'}, 'postgresql class generated rule v4 1' => {'type' => 'host', 'database' => 'x', 'user' => 'y', 'order' => '010', 'address' => '10.0.0.0 255.0.0.0', 'auth_method' => 'md5', 'auth_option' => 'o p'}}",
        ),
        ("systemd::systemd_escape('.a/b-c d.x')", "'\\x2ea-b\\x2dc\\x20d.x'"),
        ("systemd::systemd_escape('//var//lib/', true)", "'var-lib'"),
        ("extlib::ip_to_cron(1200)", "['*', [0, 20, 40]]"),
        ("extlib::random_password(12).length", "12"),
    ]);
}

#[test]
fn templates_and_their_parameters() {
    check(&[
        ("with(7) |$near| { inline_epp('<%= $near %>', {}) }", "'7'"),
        ("with(7) |$near| { inline_epp('<%- | $a = $near | -%><%= $a %>') }", "'7'"),
        ("inline_epp('<%- | $a = $b, $b = 1 | -%><%= $a %>', {b => 5})", "'5'"),
        (
            "inline_epp('<%- | | -%>x', {a => 1})",
            "error: Error while evaluating a Function Call, inline_epp(): has no parameter named 'a'",
        ),
        (
            "inline_epp('x', {'0' => 1})",
            "error: Error while evaluating a Function Call, Cannot assign to a numeric match result variable '$0'",
        ),
        (
            "epp('m/none.erb')",
            "error: Error while evaluating a Function Call, Could not find template 'm/none.erb.epp'",
        ),
    ]);
}

#[test]
fn texts_of_types_and_named_values() {
    check(&[
        (
            "String(Integer, '%q')",
            "error: Error while evaluating a Function Call, Illegal format 'q' specified for value of Type type - expected one of the characters 'sp'",
        ),
        ("String(Integer, '%s')", "'Integer'"),
        ("sprintf('%{a} %<b>s', {a => true, b => [1, 2]})", "'true [1, 2]'"),
        ("sha1(SemVer('1.2.3')) == sha1('1.2.3')", "true"),
        ("sort([3, 1, 2]) |$a, $b| { Timespan($a - $b) }", "[1, 2, 3]"),
    ]);
}

#[test]
fn the_zone_of_this_machine() {
    check(&[
        ("strftime(Timestamp(0), '%F %z', 'current')", "'1970-01-01 +0000'"),
        (
            "Timestamp('2020-01-01T00:00:00', '%FT%T', 'current') == Timestamp('2020-01-01T00:00:00 UTC')",
            "true",
        ),
    ]);
}

#[test]
fn keys_of_certificates() {
    let certificate = include_str!("../keys/certificate.pem");
    let (key, other) = (include_str!("../keys/key.pem"), include_str!("../keys/other-key.pem"));
    let call = |a: &str, b: &str| eval(&format!("validate_x509_rsa_key_pair('{a}', '{b}')"));
    assert_eq!(call(certificate, key), "undef");
    let differs = "error: Error while evaluating a Function Call, ";
    let wrong = |text: &str| format!("{differs}{text}");
    assert_eq!(
        call(certificate, other),
        wrong("Certificate signature does not match supplied key")
    );
    assert_eq!(call(key, certificate), wrong("Not a valid x509 certificate: no start line"));
    let indented = certificate.replace('\n', "\n  ");
    let indented = format!("  {indented}");
    assert_eq!(call(&indented, key), wrong("Not a valid x509 certificate: no start line"));
    let mut short: Vec<&str> = certificate.lines().collect();
    short.remove(3);
    let short = short.join("\n");
    assert_eq!(call(&short, key), wrong("Not a valid x509 certificate: nested asn1 error"));
    let indented = format!("  {}", key.replace('\n', "\n  "));
    let neither = wrong("Not a valid RSA key: Neither PUB key nor PRIV key");
    assert_eq!(call(certificate, &indented), neither);
    let cut = &key[..key.len() / 2];
    let message = wrong("Not a valid RSA key: the PEM block `PRIVATE KEY` has no end");
    assert_eq!(call(certificate, cut), message);
}

#[test]
fn symbols_of_yaml() {
    check(&[
        ("type(parseyaml(':a'))", "Runtime[ruby, 'Symbol']"),
        ("parseyaml('{a: [\":b\"]}')", "{'a' => [':b']}"),
        ("type(parseyaml(\"a: [x]\\n:b: :c\\n\"), generalized)", "Hash"),
        ("parseyaml(':a') == 'a'", "false"),
        ("\"${parseyaml(':a')}\"", "'a'"),
    ]);
}

#[test]
fn deprecated_functions_say_so() {
    let options = Options::new(Arc::new(MemoryWorld::default()), Site::Nothing);
    let (env, _) = Environment::open(options).ok().unwrap();
    for (code, said) in [
        ("parsepson('[1]')", "PSON is no longer natively supported"),
        ("validate_legacy(Integer, 'x', 1)", "please use Puppet data types"),
    ] {
        let done = evaluate(&env, Settings::default(), &Node::default(), Path::new(""), code);
        let logs: Vec<&str> = done.report.logs.iter().map(|log| log.message.as_str()).collect();
        assert!(matches!(logs[..], [log] if log.contains(said)), "{code}: {logs:?}");
    }
}
