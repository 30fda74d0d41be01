# setup: printf '127.0.0.1\tlocalhost\n10.0.0.1\taa\n' > /etc/hosts
host { 'localhost': ip => '127.0.0.1' }
resources { 'host': purge => true, noop => true }
