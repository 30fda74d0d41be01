//! The configuration file of octocatalog-diff, evaluated by Ruby.
#![allow(clippy::unwrap_used)]

use std::process::Command;

use ordain_fleet::OctocatalogSettings;
use ordain_testkit::peer::peer;

#[test]
fn ruby_evaluates_the_file() {
    let is_installed = Command::new("ruby").arg("--version").output().is_ok();
    if !peer(is_installed, "ruby") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".octocatalog-diff.cfg.rb");
    std::fs::write(dir.path().join("key.pem"), "the key\n").unwrap();
    let load = |text: &str| {
        std::fs::write(&path, text).unwrap();
        OctocatalogSettings::load(&path)
    };
    let found = load(
        "puts 'this is no setting'
module OctocatalogDiff
  class Config
    def self.config
      settings = {}
      settings[:puppetdb_url] = ENV['NOT_SET'] || 'https://puppetdb.example.org:8081'
      settings[:puppetdb_ssl_client_key] = File.read(File.join(File.dirname(__FILE__), 'key.pem'))
      settings[:ignore] = [{ type: 'File', title: '/tmp/*' }]
      settings[:parallel] = 4
      settings[:enc] = 'enc.sh'
      settings
    end
  end
end
",
    )
    .unwrap();
    assert_eq!(found.puppetdb, ["https://puppetdb.example.org:8081"]);
    let key = std::fs::read_to_string(found.tls.key.as_ref().unwrap()).unwrap();
    assert_eq!((key.as_str(), found.ignore.len()), ("the key\n", 1));
    assert_eq!(found.unsupported, ["enc"]);

    let error = |text: &str| load(text).unwrap_err().to_string();
    let config = "module OctocatalogDiff; class Config; def self.config; [1]; end; end; end";
    assert!(
        error(config)
            .ends_with("ruby: OctocatalogDiff::Config.config returns Array instead of a Hash")
    );
    assert!(error("1 +").contains("syntax error"), "{}", error("1 +"));
    assert!(error("x = 1").contains("uninitialized constant OctocatalogDiff"));
    let missing = OctocatalogSettings::load(&dir.path().join("missing.rb"));
    assert!(missing.unwrap_err().to_string().starts_with("cannot access "));
}
