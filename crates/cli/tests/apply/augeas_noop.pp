# differs: exit: 2 if changes are pending
# modules: installed
# options: --noop
# setup: printf '10.0.0.1 a\n' >/w/hosts
augeas { 'wanted': incl => '/w/hosts', lens => 'Hosts.lns', changes => 'set 1/canonical b' }
augeas { 'there': incl => '/w/hosts', lens => 'Hosts.lns', changes => 'set 1/canonical a' }
