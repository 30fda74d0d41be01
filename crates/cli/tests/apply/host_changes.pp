# setup: printf '127.0.0.1\tlocalhost\n# a comment\n192.0.2.1   a.example.org a # old\n192.0.2.3 c.example.org\n' >/w/hosts
host { 'a.example.org': ip => '192.0.2.9', host_aliases => ['a', 'aa'], target => '/w/hosts' }
host { 'c.example.org': ensure => absent, target => '/w/hosts' }
host { 'new.example.org': ip => '192.0.2.4', target => '/w/hosts' }
