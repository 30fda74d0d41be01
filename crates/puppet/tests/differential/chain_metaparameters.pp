notify { 'a': before => Notify['b'] }
notify { 'b': notify => [Notify['c']] }
notify { 'c': subscribe => Notify['a'], require => Notify['a'] }
