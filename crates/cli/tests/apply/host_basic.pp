# differs: files: lines that are not managed stay as they are
# setup: printf '127.0.0.1   localhost\tlocal\n' >/etc/hosts
host { 'a.example.org': ip => '192.0.2.1' }
host { 'b.example.org': ip => '192.0.2.2', host_aliases => ['b', 'bb'], comment => 'the b' }
host { 'c.example.org': ensure => absent }
host { 'six.example.org': ip => '2001:db8::1' }
