type Port = Integer[1, 65535]
type Tree = Variant[Integer, Array[Tree]]
define d(Port $port, Tree $tree) { notify { "${port} ${tree}": } }
d { 'x': port => 80, tree => [1, [2, [3]]] }
