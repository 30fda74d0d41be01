function own::ask(String $key, Hash $options, Puppet::LookupContext $context) {
  case $key {
    'again': { lookup($key) }
    'fails': { fail("no ${key}") }
    default: { $context.not_found }
  }
}
