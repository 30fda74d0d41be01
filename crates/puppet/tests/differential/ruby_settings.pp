['ca_server', 'strict', 'strict_variables', 'storeconfigs', 'runinterval', 'tags', 'noop',
 'catalog_terminus', 'ldapserver', 'max_errors', 'digest_algorithm', 'rich_data',
 'filetimeout', 'http_proxy_host', 'show_diff', 'priority'].each |$name| {
  notify { $name: message => told::setting($name) }
}
notify { 'changed': message => told::changed() }
notify { 'same': message => $settings::all_local['runinterval'] == $settings::runinterval }
