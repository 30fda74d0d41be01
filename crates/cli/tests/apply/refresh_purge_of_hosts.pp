# modules: installed
# setup: printf '10.0.0.1\taa\n10.0.0.2\tbb\n10.0.0.3\tcc\n' >/etc/hosts
host { 'aa': ip => '10.0.0.1' }
resources { 'host': purge => true } ~> exec { '/bin/echo told': refreshonly => true }
