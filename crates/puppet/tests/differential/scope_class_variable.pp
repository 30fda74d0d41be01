class a { $x = 'of a' }
class b { include a  notify { "b sees ${a::x}": } }
include b
