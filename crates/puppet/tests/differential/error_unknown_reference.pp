notify { 'a': require => Nosuch['b'] }
