# setup: printf '127.0.0.1\tlocalhost\n10.0.0.7\told\tx y\n' >/etc/hosts
host { 'db': ip => '10.0.0.5', host_aliases => ['db1', 'db2'], comment => 'two aliases' }
host { 'one': ip => '::1', host_aliases => 'single', comment => 'one alias' }
host { 'old': ip => '10.0.0.7', host_aliases => ['z'] , comment => 'changed' }
