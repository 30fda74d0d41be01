class a { $x = 1 }
notify { "${a::x}": }
