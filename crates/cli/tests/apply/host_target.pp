# differs: files: Puppet makes a table that only its owner can read
host { 'aa': ip => '10.0.0.1', target => '/w/hosts', comment => 'c', host_aliases => 'x' }
