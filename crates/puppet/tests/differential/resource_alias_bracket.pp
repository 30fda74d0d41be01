# A title with a bracket keeps its other names to itself.
notify { 'a[b': name => 'x' }
notify { 'x': }
notify { 'y': alias => 'z' }
notify { 'c]d[e': alias => 'z' }
file { '/a[b': path => '/x' }
file { '/x': }
notify { '/t/[1': name => 'w' }
notify { '/u/[1': name => 'w' }
