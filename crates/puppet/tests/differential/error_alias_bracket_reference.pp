notify { 'a[b': alias => 'x' }
notify { 'q': require => Notify['x'] }
