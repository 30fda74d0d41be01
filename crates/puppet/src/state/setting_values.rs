//! Settings that manifests read as `$settings::name` and code in Ruby as `Puppet[:name]`, with the
//! values of a fresh installation.

use std::path::Path;

use crate::state::Compiler;
use crate::value::{HashValue, Value};
use ordain_graph::language::Strict;

/// Texts; `{node}` is replaced by the name of the node.
const TEXTS: &[(&str, &str)] = &[
    ("agent_catalog_run_lockfile", "/opt/puppetlabs/puppet/cache/state/agent_catalog_run.lock"),
    ("agent_disabled_lockfile", "/opt/puppetlabs/puppet/cache/state/agent_disabled.lock"),
    ("autosign", "/etc/puppetlabs/puppet/autosign.conf"),
    ("basemodulepath", "/etc/puppetlabs/code/modules:/opt/puppetlabs/puppet/modules"),
    ("bucketdir", "/opt/puppetlabs/puppet/cache/bucket"),
    ("ca_name", "Puppet CA: {node}"),
    ("ca_server", "puppet"),
    ("cacert", "/etc/puppetlabs/puppetserver/ca/ca_crt.pem"),
    ("cacrl", "/etc/puppetlabs/puppetserver/ca/ca_crl.pem"),
    ("cadir", "/etc/puppetlabs/puppetserver/ca"),
    ("cakey", "/etc/puppetlabs/puppetserver/ca/ca_key.pem"),
    ("capub", "/etc/puppetlabs/puppetserver/ca/ca_pub.pem"),
    ("catalog_terminus", "compiler"),
    ("cert_inventory", "/etc/puppetlabs/puppetserver/ca/inventory.txt"),
    ("certdir", "/etc/puppetlabs/puppet/ssl/certs"),
    ("certificate_revocation", "chain"),
    (
        "ciphers",
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384:DHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA384:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:DHE-RSA-AES128-SHA256:DHE-RSA-AES256-SHA256:AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA256:AES256-SHA256",
    ),
    ("classfile", "/opt/puppetlabs/puppet/cache/state/classes.txt"),
    ("client_datadir", "/opt/puppetlabs/puppet/cache/client_data"),
    ("clientbucketdir", "/opt/puppetlabs/puppet/cache/clientbucket"),
    ("clientyamldir", "/opt/puppetlabs/puppet/cache/client_yaml"),
    ("code", ""),
    ("codedir", "/etc/puppetlabs/code"),
    ("color", "ansi"),
    ("confdir", "/etc/puppetlabs/puppet"),
    ("config", "/etc/puppetlabs/puppet/puppet.conf"),
    ("config_file_name", "puppet.conf"),
    ("config_version", ""),
    ("csr_attributes", "/etc/puppetlabs/puppet/csr_attributes.yaml"),
    ("csrdir", "/etc/puppetlabs/puppetserver/ca/requests"),
    ("default_file_terminus", "rest"),
    ("default_manifest", "./manifests"),
    ("deviceconfdir", "/etc/puppetlabs/puppet/devices"),
    ("deviceconfig", "/etc/puppetlabs/puppet/device.conf"),
    ("devicedir", "/opt/puppetlabs/puppet/cache/devices"),
    ("diff", "diff"),
    ("diff_args", "-u"),
    ("digest_algorithm", "sha256"),
    ("dns_alt_names", ""),
    ("environmentpath", "/etc/puppetlabs/code/environments"),
    ("external_nodes", "none"),
    ("factpath", "/opt/puppetlabs/puppet/cache/lib/facter:/opt/puppetlabs/puppet/cache/facts"),
    ("facts_terminus", "facter"),
    ("fileserverconfig", "/etc/puppetlabs/puppet/fileserver.conf"),
    ("graphdir", "/opt/puppetlabs/puppet/cache/state/graphs"),
    ("group", "puppet"),
    ("hiera_config", "/etc/puppetlabs/puppet/hiera.yaml"),
    ("hostcert", "/etc/puppetlabs/puppet/ssl/certs/{node}.pem"),
    ("hostcrl", "/etc/puppetlabs/puppet/ssl/crl.pem"),
    ("hostcsr", "/etc/puppetlabs/puppet/ssl/certificate_requests/{node}.pem"),
    ("hostprivkey", "/etc/puppetlabs/puppet/ssl/private_keys/{node}.pem"),
    ("hostpubkey", "/etc/puppetlabs/puppet/ssl/public_keys/{node}.pem"),
    ("http_proxy_host", "none"),
    ("http_proxy_password", "none"),
    ("http_proxy_user", "none"),
    ("key_type", "rsa"),
    ("lastrunfile", "/opt/puppetlabs/puppet/public/last_run_summary.yaml"),
    ("lastrunreport", "/opt/puppetlabs/puppet/cache/state/last_run_report.yaml"),
    ("ldapattrs", "all"),
    ("ldapbase", ""),
    ("ldapclassattrs", "puppetclass"),
    ("ldapparentattr", "parentnode"),
    ("ldappassword", ""),
    ("ldapserver", "ldap"),
    ("ldapstackedattrs", "puppetvar"),
    ("ldapstring", "(&(objectclass=puppetClient)(cn=%s))"),
    ("ldapuser", ""),
    ("libdir", "/opt/puppetlabs/puppet/cache/lib"),
    ("localcacert", "/etc/puppetlabs/puppet/ssl/certs/ca.pem"),
    ("localedest", "/opt/puppetlabs/puppet/cache/locales"),
    ("localesource", "puppet:///locales"),
    ("log_level", "notice"),
    ("logdir", "/var/log/puppetlabs/puppet"),
    ("module_repository", "https://forgeapi.puppet.com"),
    ("module_working_dir", "/opt/puppetlabs/puppet/cache/puppet-module"),
    ("named_curve", "prime256v1"),
    ("no_proxy", "localhost, 127.0.0.1"),
    ("node_name_fact", ""),
    ("node_terminus", "plain"),
    ("passfile", "/etc/puppetlabs/puppet/ssl/private/password"),
    ("path", "none"),
    ("pidfile", "/var/run/puppetlabs/user.pid"),
    ("plugindest", "/opt/puppetlabs/puppet/cache/lib"),
    ("pluginfactdest", "/opt/puppetlabs/puppet/cache/facts.d"),
    ("pluginfactsource", "puppet:///pluginfacts"),
    ("pluginsignore", ".svn CVS .git .hg"),
    ("pluginsource", "puppet:///plugins"),
    ("postrun_command", ""),
    ("preferred_serialization_format", "json"),
    ("prerun_command", ""),
    ("preview_outputdir", "/opt/puppetlabs/puppet/cache/preview"),
    ("privatedir", "/etc/puppetlabs/puppet/ssl/private"),
    ("privatekeydir", "/etc/puppetlabs/puppet/ssl/private_keys"),
    ("publicdir", "/opt/puppetlabs/puppet/public"),
    ("publickeydir", "/etc/puppetlabs/puppet/ssl/public_keys"),
    ("puppetdlog", "/var/log/puppetlabs/puppet/puppetd.log"),
    ("report_server", "puppet"),
    ("reportdir", "/opt/puppetlabs/puppet/cache/reports"),
    ("reports", "none"),
    ("reporturl", "http://localhost:3000/reports/upload"),
    ("requestdir", "/etc/puppetlabs/puppet/ssl/certificate_requests"),
    ("resourcefile", "/opt/puppetlabs/puppet/cache/state/resources.txt"),
    ("route_file", "/etc/puppetlabs/puppet/routes.yaml"),
    ("rundir", "/var/run/puppetlabs"),
    ("serial", "/etc/puppetlabs/puppetserver/ca/serial"),
    ("server", "puppet"),
    ("server_datadir", "/opt/puppetlabs/puppet/cache/server_data"),
    ("signeddir", "/etc/puppetlabs/puppetserver/ca/signed"),
    ("skip_tags", ""),
    ("ssl_client_header", "HTTP_X_CLIENT_DN"),
    ("ssl_client_verify_header", "HTTP_X_CLIENT_VERIFY"),
    ("ssl_lockfile", "/etc/puppetlabs/puppet/ssl/ssl.lock"),
    ("ssldir", "/etc/puppetlabs/puppet/ssl"),
    ("statedir", "/opt/puppetlabs/puppet/cache/state"),
    ("statefile", "/opt/puppetlabs/puppet/cache/state/state.yaml"),
    ("storeconfigs_backend", "puppetdb"),
    ("syslogfacility", "daemon"),
    ("tags", ""),
    ("transactionstorefile", "/opt/puppetlabs/puppet/cache/state/transactionstore.yaml"),
    ("trusted_oid_mapping_file", "/etc/puppetlabs/puppet/custom_trusted_oid_mapping.yaml"),
    ("user", "puppet"),
    ("vardir", "/opt/puppetlabs/puppet/cache"),
    ("vendormoduledir", "/opt/puppetlabs/puppet/vendor_modules"),
    ("yamldir", "/opt/puppetlabs/puppet/cache/yaml"),
];

const NUMBERS: &[(&str, i64)] = &[
    ("ca_port", 8140),
    ("ca_refresh_interval", 86400),
    ("ca_ttl", 157680000),
    ("crl_refresh_interval", 86400),
    ("environment_timeout", 0),
    ("fact_name_length_soft_limit", 2560),
    ("fact_value_length_soft_limit", 4096),
    ("filetimeout", 15),
    ("hostcert_renewal_interval", 2592000),
    ("http_connect_timeout", 120),
    ("http_keepalive_timeout", 4),
    ("http_proxy_port", 3128),
    ("http_read_timeout", 600),
    ("keylength", 4096),
    ("ldapport", 389),
    ("masterport", 8140),
    ("max_deprecations", 10),
    ("max_errors", 10),
    ("max_warnings", 10),
    ("maximum_uid", 4294967290),
    ("maxwaitforlock", 60),
    ("number_of_facts_soft_limit", 10240),
    ("payload_soft_limit", 16777216),
    ("report_port", 8140),
    ("runinterval", 1800),
    ("runtimeout", 3600),
    ("serverport", 8140),
    ("splaylimit", 1800),
    ("statettl", 2764800),
    ("top_level_facts_soft_limit", 512),
    ("waitforcert", 120),
    ("waitforlock", 0),
];

const LISTS: &[(&str, &[&str])] = &[
    ("disable_warnings", &[]),
    ("http_extra_headers", &[]),
    ("server_list", &[]),
    ("supported_checksum_types", &["sha256", "sha384", "sha512", "sha224", "md5"]),
];

/// Switches that are on.
const ON: &[&str] = &[
    "always_retry_plugins",
    "autoflush",
    "daemonize",
    "default_schedules",
    "disable_i18n",
    "exclude_unchanged_resources",
    "manage_internal_file_permissions",
    "preprocess_deferred",
    "report",
    "report_configured_environmentpath",
    "settings_catalog",
    "static_catalogs",
    "use_last_environment",
    "usecacheonfailure",
    "write_catalog_summary",
];

/// Switches that are off.
const OFF: &[&str] = &[
    "allow_duplicate_certs",
    "allow_pson_serialization",
    "disable_per_environment_manifest",
    "document_all",
    "evaltrace",
    "freeze_main",
    "genconfig",
    "genmanifest",
    "graph",
    "http_debug",
    "ignore_plugin_errors",
    "ignoremissingtypes",
    "ignoreschedules",
    "include_legacy_facts",
    "ldapssl",
    "ldaptls",
    "location_trusted",
    "merge_dependency_warnings",
    "mkusers",
    "noop",
    "onetime",
    "profile",
    "puppet_trace",
    "report_include_system_store",
    "resubmit_facts",
    "show_diff",
    "skip_logging_catalog_request_destination",
    "splay",
    "strict_environment_mode",
    "summarize",
    "tasks",
    "trace",
    "use_cached_catalog",
    "use_srv_records",
    "versioned_environment_dirs",
];

/// Settings without a value.
const NOTHING: &[&str] = &[
    "binder_config",
    "ca_fingerprint",
    "catalog_cache_terminus",
    "forge_authorization",
    "logdest",
    "module_groups",
    "node_cache_terminus",
    "priority",
    "sourceaddress",
    "srv_domain",
    "ssl_trust_store",
    "trusted_external_command",
];

/// The settings of a fresh installation for a node of this name.
pub(crate) fn fresh(node: &str) -> Vec<(&'static str, Value)> {
    let mut all: Vec<(&str, Value)> = Vec::new();
    let text = |text: &str| Value::from(text.replace("{node}", node));
    all.extend(TEXTS.iter().map(|(name, value)| (*name, text(value))));
    all.extend(NUMBERS.iter().map(|(name, value)| (*name, Value::Int(*value))));
    let list = |items: &[&str]| Value::array(items.iter().map(|item| Value::from(*item)));
    all.extend(LISTS.iter().map(|(name, items)| (*name, list(items))));
    all.extend(ON.iter().map(|name| (*name, Value::Bool(true))));
    all.extend(OFF.iter().map(|name| (*name, Value::Bool(false))));
    all.extend(NOTHING.iter().map(|name| (*name, Value::Undef)));
    all
}

/// All settings of this compile.
pub(crate) fn all(compiler: &Compiler<'_>) -> HashValue {
    let mut all = fresh(&compiler.node);
    all.extend(of_compile(compiler));
    all.sort_by_key(|(name, _)| *name);
    let mut hash: HashValue = all.into_iter().map(|(name, v)| (Value::from(name), v)).collect();
    for (name, value) in &compiler.settings.values {
        hash.shift_remove(&Value::from(name.as_str()));
        hash.insert(Value::from(name.as_str()), value.clone());
    }
    hash
}

/// The settings that the compile itself defines.
fn of_compile(compiler: &Compiler<'_>) -> Vec<(&'static str, Value)> {
    let (env, settings) = (compiler.env, &compiler.settings);
    let shown = |path: &Path| path.display().to_string();
    let modulepath: Vec<String> = env.modulepath.iter().map(|path| shown(path)).collect();
    let manifest = env.dir.as_deref().map(|dir| Value::from(shown(&dir.join("manifests"))));
    let strict = match settings.strict {
        Strict::Off => "off",
        Strict::Warning => "warning",
        Strict::Error => "error",
    };
    vec![
        ("certname", Value::Str(compiler.node.clone())),
        ("environment", Value::Str(env.name.clone())),
        ("manifest", manifest.unwrap_or_default()),
        ("modulepath", Value::from(modulepath.join(":"))),
        ("node_name_value", Value::Str(compiler.node.clone())),
        ("rich_data", Value::Bool(true)),
        ("storeconfigs", Value::Bool(settings.exports.is_some())),
        ("strict", Value::from(strict)),
        ("strict_variables", Value::Bool(settings.strict_variables)),
    ]
}
