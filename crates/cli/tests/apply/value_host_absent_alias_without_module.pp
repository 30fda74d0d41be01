# setup: printf '127.0.0.1\tlocalhost\n10.0.0.7\told\tx y\n' >/etc/hosts
host { 'old': ip => '10.0.0.7', host_aliases => ['x', 'y'], comment => 'c' }
host { 'gone': ensure => absent }
host { 'localhost': ensure => absent }
