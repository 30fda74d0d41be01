# differs: exit: with force, Puppet has closed its session when it acts, and fails
# differs: resources: the same
# differs: log: the same
# differs: files: the same
# modules: installed
# setup: printf '10.0.0.1 a\n' >/w/hosts
augeas { 'forced':
  incl    => '/w/hosts',
  lens    => 'Hosts.lns',
  changes => 'set 1/canonical b',
  force   => true,
}
