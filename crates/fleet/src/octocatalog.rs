//! The configuration file of octocatalog-diff, `.octocatalog-diff.cfg.rb`: a class of Ruby whose method
//! returns the settings. As there, Ruby evaluates the file.

use std::ffi::OsString;
use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ordain_engine::tls::TlsFiles;
use ordain_process::{Launch, Limits, OrphanPolicy};
use serde_json::{Map, Value as Json};
use tempfile::NamedTempFile;

use crate::error::FleetError;
use crate::ignore::IgnoreRule;

/// The time in which the file has to be evaluated: it may ask other programs.
const TIME: Duration = Duration::from_secs(60);
/// The maximum number of bytes of the settings.
const MAX_OUTPUT: u64 = 16 << 20;

/// Loads the file and prints the settings as JSON. What the file prints itself goes to standard error.
const SCRIPT: &str = r#"
require 'json'
result = STDOUT.dup
STDOUT.reopen(STDERR)
load ARGV[0]
settings = OctocatalogDiff::Config.config
abort "OctocatalogDiff::Config.config returns #{settings.class} instead of a Hash" unless settings.is_a?(Hash)
result.write(JSON.generate(settings))
"#;

/// The settings that only steer the work of octocatalog-diff itself, or that Ordain needs none for.
const WITHOUT_EFFECT: [&str; 24] = [
    "basedir",
    "bootstrap_current",
    "bootstrap_script",
    "bootstrapped_dirs",
    "cached_master_dir",
    "color",
    "compare_file_text",
    "display_detail_add",
    "display_source_file_line",
    "format",
    "from_env",
    "header",
    "hiera_path",
    "hiera_path_strip",
    "master_cache_branch",
    "output_format",
    "parallel",
    "pass_env_vars",
    "puppet_binary",
    "retry_failed_catalog",
    "safe_to_delete_cached_master_dir",
    "storeconfigs",
    "to_env",
    "validate_references",
];

/// The settings of octocatalog-diff that have a meaning for a comparison here.
#[derive(Default, Debug)]
pub struct OctocatalogSettings {
    /// The addresses of PuppetDB, in the order in which they are tried.
    pub puppetdb: Vec<String>,
    /// The certificates for PuppetDB.
    pub tls: TlsFiles,
    /// Changes that are not shown.
    pub ignore: Vec<IgnoreRule>,
    /// Tags of resources whose changes are not shown.
    pub ignore_tags: Vec<String>,
    /// The `hiera.yaml` of the global layer.
    pub hiera: Option<PathBuf>,
    /// Other settings, sorted, which may change what octocatalog-diff finds.
    pub unsupported: Vec<String>,
    /// Files with the certificate and the key of the client, which the settings have as texts. They
    /// are removed with the settings.
    client_files: Vec<NamedTempFile>,
}

impl OctocatalogSettings {
    /// Evaluates a file with `ruby`. It runs with the rights of this process.
    ///
    /// # Errors
    /// When there is no `ruby`, the file fails or takes too long, or a setting is wrong.
    pub fn load(path: &Path) -> Result<Self, FleetError> {
        let whole = std::path::absolute(path).map_err(|error| FleetError::file(path, error))?;
        std::fs::metadata(&whole).map_err(|error| FleetError::file(path, error))?;
        let launch = Launch {
            argv: ["ruby", "-e", SCRIPT]
                .map(OsString::from)
                .into_iter()
                .chain([whole.into_os_string()])
                .collect(),
            orphans: OrphanPolicy::End,
            ..Launch::default()
        };
        let limits = Limits { time: Some(TIME), output: MAX_OUTPUT };
        let output = ordain_process::run(&launch, b"", false, limits)
            .map_err(|error| FleetError::document(path, format_args!("ruby: {error}")))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message");
            return Err(FleetError::document(path, format_args!("ruby: {}", first.trim())));
        }
        let settings: Map<String, Json> = serde_json::from_slice(&output.stdout)
            .map_err(|error| FleetError::document(path, error))?;
        Self::of(path, &settings)
    }

    fn of(path: &Path, settings: &Map<String, Json>) -> Result<Self, FleetError> {
        let mut found = Self::default();
        for (name, value) in settings {
            if value.is_null() {
                continue;
            }
            match name.as_str() {
                "puppetdb_url" => found.puppetdb = texts(path, name, value)?,
                "puppetdb_ssl_ca" => found.tls.ca = Some(text(path, name, value)?.into()),
                "puppetdb_ssl_client_cert" => {
                    found.tls.cert = Some(found.file(path, text(path, name, value)?)?);
                }
                "puppetdb_ssl_client_key" => {
                    found.tls.key = Some(found.file(path, text(path, name, value)?)?);
                }
                "puppetdb_ssl_client_pem" => {
                    let both = found.file(path, text(path, name, value)?)?;
                    found.tls.cert = Some(both.clone());
                    found.tls.key = Some(both);
                }
                "hiera_config" => found.hiera = Some(text(path, name, value)?.into()),
                "ignore" => {
                    for rule in value.as_array().into_iter().flatten() {
                        found.ignore.push(rule_of(path, rule)?);
                    }
                }
                "ignore_attr" => {
                    for rule in texts(path, name, value)? {
                        found.ignore.push(IgnoreRule::of_attribute(&rule)?);
                    }
                }
                "ignore_tags" => found.ignore_tags = texts(path, name, value)?,
                name if WITHOUT_EFFECT.contains(&name) => {}
                name => found.unsupported.push(name.to_owned()),
            }
        }
        if let (None, Some(host)) = (settings.get("puppetdb_url"), settings.get("puppetdb_host")) {
            let is_secure = settings.get("puppetdb_ssl") != Some(&Json::Bool(false));
            let (scheme, port) = if is_secure { ("https", 8081) } else { ("http", 8080) };
            let port = settings.get("puppetdb_port").map_or(port.to_string(), Json::to_string);
            let host = text(path, "puppetdb_host", host)?;
            found.puppetdb = vec![format!("{scheme}://{host}:{}", port.trim_matches('"'))];
            found.unsupported.retain(|name| !PLACE.contains(&name.as_str()));
        }
        found.unsupported.sort_unstable();
        Ok(found)
    }

    /// Writes a text to a file that only this user can read.
    fn file(&mut self, path: &Path, text: &str) -> Result<PathBuf, FleetError> {
        let failed = |error| FleetError::file(path, error);
        let mut file = NamedTempFile::new().map_err(failed)?;
        file.as_file().set_permissions(Permissions::from_mode(0o600)).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        let written = file.path().to_owned();
        self.client_files.push(file);
        Ok(written)
    }
}

/// The settings that name PuppetDB in parts.
const PLACE: [&str; 3] = ["puppetdb_host", "puppetdb_port", "puppetdb_ssl"];

/// A rule: `{type: "File", title: "/tmp/*", attr: "parameters\fowner"}`.
fn rule_of(path: &Path, rule: &Json) -> Result<IgnoreRule, FleetError> {
    let part = |name: &str| rule.get(name).and_then(Json::as_str);
    let any = |name: &str| part(name).unwrap_or("*");
    match (rule.get("type").or_else(|| rule.get("title")), part("attr")) {
        (None, Some(attribute)) => IgnoreRule::of_attribute(attribute),
        (None, None) => {
            Err(FleetError::document(path, format_args!("`ignore`: {rule} is no rule")))
        }
        (Some(_), attribute) => {
            let begins = |text: &str| text.starts_with(['\u{c}', '+', '-', '~', '!', ':', '\\']);
            let attribute = match attribute {
                None => String::new(),
                Some(text) if begins(text) => text.replace('\u{c}', "::"),
                Some(text) => format!("::{}", text.replace('\u{c}', "::")),
            };
            IgnoreRule::parse(&format!("{}[{}]{attribute}", any("type"), any("title")))
        }
    }
}

fn text<'j>(path: &Path, name: &str, value: &'j Json) -> Result<&'j str, FleetError> {
    let wrong = || FleetError::document(path, format_args!("`{name}` is no text"));
    value.as_str().ok_or_else(wrong)
}

/// A text, or a list of texts.
fn texts(path: &Path, name: &str, value: &Json) -> Result<Vec<String>, FleetError> {
    match value {
        Json::Array(items) => {
            items.iter().map(|item| Ok(text(path, name, item)?.to_owned())).collect()
        }
        value => Ok(vec![text(path, name, value)?.to_owned()]),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;
    use crate::change::Change;

    fn of(settings: Json) -> Result<OctocatalogSettings, FleetError> {
        OctocatalogSettings::of(Path::new("cfg.rb"), settings.as_object().unwrap())
    }

    #[test]
    fn settings_with_a_meaning_are_taken_over() {
        let found = of(json!({
            "puppetdb_url": ["https://one:8081", "https://two:8081"],
            "puppetdb_ssl_ca": "/etc/ca.pem",
            "puppetdb_ssl_client_cert": "-----BEGIN CERTIFICATE-----\n",
            "puppetdb_ssl_client_key": "-----BEGIN PRIVATE KEY-----\n",
            "hiera_config": "hiera.yaml", "ignore_tags": ["noisy"], "ignore_attr": ["parameters\u{c}mode"],
            "ignore": [{ "type": "File", "title": "/tmp/*" },
                       { "type": "Exec", "title": "a", "attr": "parameters\u{c}path" }],
            "storeconfigs": true, "header": null, "enc": "/etc/enc.sh", "fact_file": "f.yaml",
        }))
        .unwrap();
        assert_eq!(found.puppetdb, ["https://one:8081", "https://two:8081"]);
        assert_eq!(found.tls.ca, Some(PathBuf::from("/etc/ca.pem")));
        let key = found.tls.key.clone().unwrap();
        assert_eq!(std::fs::read_to_string(&key).unwrap(), "-----BEGIN PRIVATE KEY-----\n");
        assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(
            (found.hiera.clone(), found.ignore_tags.clone()),
            (Some("hiera.yaml".into()), vec!["noisy".into()])
        );
        assert_eq!(found.unsupported, ["enc", "fact_file"]);
        let change = |resource: &str, attribute: &str| Change::Attribute {
            resource: resource.into(),
            attribute: attribute.into(),
            before: Some(json!("a")),
            after: Some(json!("b")),
            document: None,
        };
        let ignores = |change: Change| found.ignore.iter().any(|rule| rule.matches(&change));
        assert!(ignores(change("File[/tmp/x]", "owner")) && ignores(change("Exec[a]", "path")));
        assert!(ignores(change("Exec[b]", "mode")) && !ignores(change("Exec[a]", "user")));
        drop(found);
        assert!(!key.exists());
    }

    #[test]
    fn puppetdb_can_be_named_in_parts() {
        let found = of(json!({ "puppetdb_host": "db", "puppetdb_port": 9000 })).unwrap();
        assert_eq!((found.puppetdb[0].as_str(), found.unsupported.len()), ("https://db:9000", 0));
        let found = of(json!({ "puppetdb_host": "db", "puppetdb_ssl": false })).unwrap();
        assert_eq!(found.puppetdb, ["http://db:8080"]);
    }

    #[test]
    fn wrong_settings_are_named() {
        let error = |settings| of(settings).unwrap_err().to_string();
        assert_eq!(error(json!({ "puppetdb_url": 1 })), "cfg.rb: `puppetdb_url` is no text");
        assert_eq!(error(json!({ "ignore": [{}] })), "cfg.rb: `ignore`: {} is no rule");
    }
}
