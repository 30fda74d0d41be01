# modules: installed
# setup: printf '10.0.0.1\taa\n10.0.0.2\tbb\n' >/etc/hosts
host { 'aa': ip => '10.0.0.1' }
resources { 'host': purge => true, noop => true }
