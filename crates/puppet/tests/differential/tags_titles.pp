notify { 'Plain': }
notify { 'with blank': }
file { '/path/x': }
notify { 'a::b': }
