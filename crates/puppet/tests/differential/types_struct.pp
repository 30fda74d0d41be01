type Opts = Struct[{ 'a' => Integer, Optional['b'] => String }]
$x = { 'a' => 1 }
notify { "${x =~ Opts} ${({ 'b' => 'c' }) =~ Opts}": }
