pond { 'first': place => '/north' }
pond { 'second': place => '/north' }
