# setup: printf '127.0.0.1\tlocalhost\n10.0.0.1\taa\n10.0.0.2\tbb\n' > /etc/hosts
host { 'localhost': ip => '127.0.0.1' }
host { 'the second': name => 'bb', ip => '10.0.0.2' }
resources { 'host': purge => true }
