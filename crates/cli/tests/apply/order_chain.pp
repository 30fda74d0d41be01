define say() { exec { "/bin/echo ${name} >> /w/log": } }
say { ['a', 'b']: }
say { 'c': }
say { 'd': }
Say['d'] -> Say['a'] ~> Say['c']
