function m::dh(Hash $options, Puppet::LookupContext $context) {
  { 'dh' => "${options['o']}", 'i' => '%{role}', 'n' => "${context.environment_name}" }
}
