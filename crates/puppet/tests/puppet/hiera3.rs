//! Backends of Hiera 3 in Ruby. The expected values are those of Puppet 7 for the same files.
//!
//! Without `ruby` there is nothing to show: the tests then say so and pass, except when the variable
//! `CI` is set.

use std::path::Path;
use std::sync::Arc;

use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::evaluate;
use ordain_puppet::value::Value;
use ordain_source::HostWorld;
use ordain_testkit::ruby::directory_for_ruby;

const CUSTOM: &str = r#"
class Hiera
  module Backend
    class Custom_backend
      def initialize
        require 'yaml'
        @cache = Hiera::Filecache.new
        Hiera.debug('custom starting')
      end

      def lookup(key, scope, order_override, resolution_type, context)
        return Config[:hierarchy].inspect if key == 'hierarchy'
        return Config[:custom].inspect if key == 'settings'
        return Config[:backends].inspect if key == 'backends'
        return [order_override, resolution_type].inspect if key == 'how'
        return scope['role'] if key == 'role'
        return scope.class.name.split('::').last if key == 'scope'
        raise ArgumentError, 'bad key' if key == 'bad'
        return nil if key == 'nil'
        answer = nil
        Backend.datasourcefiles(:custom, scope, 'cust', order_override) do |source, file|
          data = @cache.read_file(file, Hash) { |text| YAML.load(text) || {} }
          next unless data.include?(key)
          found = Backend.parse_answer(data[key], scope, {}, context)
          case resolution_type
          when :array then answer = (answer || []) << found
          when :hash, Hash then answer = Backend.merge_answer(found, answer || {}, resolution_type)
          else
            answer = found
            break
          end
        end
        throw :no_such_key if answer.nil?
        Backend.resolve_answer(answer, resolution_type)
      end
    end
  end
end
"#;

const PLAIN: &str = r#"
class Hiera
  module Backend
    class Plain_backend
      def lookup(key, scope, order_override, resolution_type)
        key == 'plain' ? "plain #{resolution_type.inspect}" : nil
      end
    end
  end
end
"#;

const WEB: &str = r#"
one: "of %{role} and %{hiera('yaml')}"
list: [a, b]
hash: {a: {x: 1}, l: [1]}
alias: "%{alias('list')}"
num: 3
"#;

const COMMON: &str = r#"
one: common
two: "%{scope('role')}%{literal('%')}{x}"
list: [b, c]
hash: {a: {y: 2}, l: [2], b: 1}
deep: {in: {side: [1, {z: ok}]}}
"#;

const FIVE: &str = r#"
version: 5
hierarchy:
  - name: custom
    hiera3_backend: custom
    datadir: DIR/data
    paths: ["nodes/%{role}.cust", "common"]
    options: {extra: "x %{role}"}
  - name: plain
    hiera3_backend: plain
  - name: gone
    hiera3_backend: gone
  - name: y
    data_hash: yaml_data
    datadir: DIR/data
    path: common.yaml
"#;

const THREE: &str = r#"
:backends: [custom, plain, yaml]
:hierarchy: ["nodes/%{role}", common]
:custom:
  :datadir: DIR/data
:yaml:
  :datadir: DIR/data
:merge_behavior: deeper
"#;

/// An environment with backends, and this text as the `hiera.yaml` of the global layer.
fn open(dir: &Path, hiera: &str) -> Environment {
    let config = dir.join("hiera.yaml");
    std::fs::write(&config, hiera.replace("DIR", dir.to_str().unwrap())).unwrap();
    let options = Options {
        dir: Some(dir.join("env")),
        modulepath: vec![dir.join("modules")],
        hiera_config: Some(config),
        ..Options::new(Arc::new(HostWorld::new()), Site::Code("$role = 'web'".into()))
    };
    Environment::open(options).ok().unwrap().0
}

/// The result of a call as a text; errors as their messages.
fn call(env: &Environment, code: &str) -> String {
    let node = Node { name: "test".into(), ..Node::default() };
    let found =
        evaluate(env, Settings::default(), &node, Path::new("code.pp"), &format!("String({code})"));
    match found.value {
        Some(value) => value.as_str().unwrap().to_owned(),
        None => found.report.error.unwrap().message.to_string(),
    }
}

fn files() -> [(&'static str, &'static str); 5] {
    [
        ("modules/m/lib/hiera/backend/custom_backend.rb", CUSTOM),
        ("modules/m/lib/hiera/backend/plain_backend.rb", PLAIN),
        ("data/nodes/web.cust", WEB),
        ("data/common.cust", COMMON),
        ("data/common.yaml", "yaml: from yaml\n"),
    ]
}

fn compare(hiera: &str, cases: &[(&str, &str)]) {
    let Some(dir) = directory_for_ruby(&files()) else { return };
    let env = open(dir.path(), hiera);
    for (code, wanted) in cases {
        let wanted = wanted.replace("DIR", dir.path().to_str().unwrap());
        let found = call(&env, code);
        assert!(found.contains(&wanted), "{code}: {found}");
    }
}

#[test]
fn levels_of_version_5() {
    compare(
        FIVE,
        &[
            ("lookup('one')", "common"),
            ("lookup('two')", "web%{x}"),
            ("lookup('list')", "['b', 'c']"),
            ("lookup('list', {'merge' => 'unique'})", "['b', 'c']"),
            ("lookup('hash')", "{'a' => {'y' => 2}, 'l' => [2], 'b' => 1}"),
            ("lookup('hash', {'merge' => 'deep'})", "{'a' => {'y' => 2}, 'l' => [2], 'b' => 1}"),
            ("lookup('num')", "Function lookup() did not find a value for the name 'num'"),
            ("lookup('deep.in.side.1.z')", "did not find a value for the name 'deep.in.side.1.z'"),
            ("lookup('yaml')", "from yaml"),
            ("lookup('plain')", "plain nil"),
            ("lookup('plain', {'merge' => 'unique'})", "['plain :array']"),
            ("lookup('hierarchy')", r#"["nodes/%{role}.cust", "common"]"#),
            ("lookup('settings')", r#"{:datadir=>"DIR/data", :extra=>"x web"}"#),
            ("lookup('backends')", r#"["custom", "plain", "gone"]"#),
            ("lookup('how')", "[[], nil]"),
            ("lookup('role')", "web"),
            ("lookup('scope')", "Scope"),
            ("lookup('bad')", "bad key"),
            ("lookup('absent', {'default_value' => 3})", "3"),
            ("hiera('how', undef, 'over')", r#"[["over"], nil]"#),
            ("hiera('one', 'd', 'nodes/web')", "of web and from yaml"),
        ],
    );
}

#[test]
fn backends_of_version_3() {
    compare(
        THREE,
        &[
            ("lookup('one')", "of web and from yaml"),
            ("lookup('two')", "web%{x}"),
            ("lookup('list', {'merge' => 'unique'})", "['a', 'b', 'c']"),
            ("lookup('hash')", "{'a' => {'x' => 1}, 'l' => [1]}"),
            ("lookup('hash', {'merge' => 'hash'})", "{'a' => {'x' => 1}, 'l' => [1], 'b' => 1}"),
            (
                "lookup('hash', {'merge' => 'deep'})",
                "{'a' => {'y' => 2, 'x' => 1}, 'l' => [2, 1], 'b' => 1}",
            ),
            (
                "lookup('hash', {'merge' => {'strategy' => 'deep', 'sort_merged_arrays' => true}})",
                "{'a' => {'y' => 2, 'x' => 1}, 'l' => [1, 2], 'b' => 1}",
            ),
            ("lookup('alias')", "['a', 'b']"),
            ("lookup('num')", "3"),
            ("lookup('plain')", "plain nil"),
            ("lookup('hierarchy')", r#"["nodes/%{role}", "common"]"#),
            ("lookup('settings')", r#"{:datadir=>"DIR/data"}"#),
            ("lookup('backends')", r#"["custom", "plain", "yaml"]"#),
            ("lookup('role')", "web"),
            ("hiera('how')", "[[], nil]"),
            ("hiera('how', undef, 'over')", r#"[["over"], nil]"#),
            ("hiera_array('list')", "['a', 'b', 'c']"),
            ("hiera_hash('hash')", "{'a' => {'y' => 2, 'x' => 1}, 'l' => [2, 1], 'b' => 1}"),
        ],
    );
}

#[test]
fn a_backend_that_is_not_there_is_named() {
    let Some(dir) = directory_for_ruby(&files()) else { return };
    let env = open(dir.path(), FIVE);
    let node = Node { name: "test".into(), ..Node::default() };
    let code = "lookup('yaml')";
    let found = evaluate(&env, Settings::default(), &node, Path::new("code.pp"), code);
    assert_eq!(found.value, Some(Value::str("from yaml")));
    let logs: Vec<&str> = found.report.logs.iter().map(|log| log.message.as_str()).collect();
    let wanted =
        "Unable to load backend 'gone': cannot load such file -- hiera/backend/gone_backend";
    assert!(logs.contains(&wanted), "{logs:?}");
}
