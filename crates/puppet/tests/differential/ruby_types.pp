# Site: garden
lagoon { 'small in wood': ensure => present, depth => 1 }
lagoon { 'bare': fish => ['a'] }
lagoon { 'other': name => 'small', place => 'park' }
