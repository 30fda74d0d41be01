class a { }
class b { }
class c { }
include Class['a']
include 'b'
require c
