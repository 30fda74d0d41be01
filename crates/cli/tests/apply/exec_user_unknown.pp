# differs: log: Puppet shows what its failed child said
exec { 'unknown': command => '/bin/true', user => 'nobody-knows' }
