//! Values of an eyaml encryptor that a module brings in Ruby, on top of the gem `hiera-eyaml`.
//! Without the gem the test says so and passes, except when the variable `CI` is set.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ordain_functions::base64::{Mode, encode};
use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::evaluate;
use ordain_puppet::value::Value;
use ordain_source::HostWorld;

/// An encryptor that turns letters by a number of the options. It counts its calls in a file.
const CAESAR: &str = r"
require 'hiera/backend/eyaml/encryptor'
class Hiera
  module Backend
    module Eyaml
      module Encryptors
        class Caesar < Encryptor
          self.options = { 'caesar_by' => { desc: 'number', type: :integer, default: 13 } }
          self.tag = 'CAESAR'

          def self.decrypt(bytes)
            raise 'the value is empty' if bytes.empty?
            File.write(option('log'), '.', mode: 'a')
            by = option('by')
            bytes.gsub(/[a-z]/) { |c| ((c.ord - 97 - by) % 26 + 97).chr }
          end
        end
      end
    end
  end
end
";

fn lookup(env: &Environment, keys: &[&str]) -> Vec<Result<Value, String>> {
    let one = |key: &&str| {
        let node = Node { name: "test".into(), ..Node::default() };
        let code = format!("lookup('{key}')");
        let found = evaluate(env, Settings::default(), &node, Path::new("code.pp"), &code);
        found.value.ok_or_else(|| found.report.error.unwrap().message.to_string())
    };
    keys.iter().map(one).collect()
}

#[test]
fn an_encryptor_of_a_plugin_decrypts() {
    let find = "exit Gem::Specification.find_all_by_name('hiera-eyaml').any?";
    let found = Command::new("ruby").args(["-e", find]).status();
    if !ordain_testkit::peer(found.is_ok_and(|status| status.success()), "hiera-eyaml") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let seal = |text: &str| format!("ENC[CAESAR,{}]", encode(text.as_bytes(), Mode::Strict));
    let data = format!(
        "one: {0}\ntwo: a {0} and ENC[Caesar,{1}]\nempty: ENC[CAESAR,=]\nabsent: ENC[NOSUCH,AAAA]\n",
        seal("khoor"),
        encode(b"zruog\n", Mode::Strict),
    );
    let hiera = format!(
        "version: 5\nhierarchy:\n  - name: sealed\n    lookup_key: eyaml_lookup_key\n    path: \
         sealed.eyaml\n    options: {{caesar_by: 3, caesar_log: {}}}\n",
        log.display()
    );
    for (path, text) in [
        ("hiera.yaml", hiera.as_str()),
        ("data/sealed.eyaml", &data),
        ("modules/m/lib/hiera/backend/eyaml/encryptors/caesar.rb", CAESAR),
    ] {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let options = Options {
        dir: Some(dir.path().to_path_buf()),
        modulepath: vec![dir.path().join("modules")],
        ..Options::new(Arc::new(HostWorld::new()), Site::Nothing)
    };
    let env = Environment::open(options).ok().unwrap().0;
    let found = lookup(&env, &["one", "two", "one"]);
    let hello = Ok(Value::str("hello"));
    assert_eq!(found, [hello.clone(), Ok(Value::str("a hello and world")), hello]);
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "..", "each value is decrypted once");
    let errors = lookup(&env, &["empty", "absent"]);
    let errors: Vec<String> = errors.into_iter().map(Result::unwrap_err).collect();
    assert!(errors[0].ends_with("Error was the value is empty"), "{}", errors[0]);
    let absent = "Error was the plugin hiera-eyaml-nosuch cannot be loaded by ruby: cannot load \
                  such file -- hiera/backend/eyaml/encryptors/nosuch";
    assert!(errors[1].ends_with(absent), "{}", errors[1]);
}
