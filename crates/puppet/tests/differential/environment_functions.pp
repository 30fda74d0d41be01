notify { environment::greet('you'): }
$x = Environment::Short
notify { "${'abc' =~ Environment::Short}": }
notify { plain_greet('you'): }
notify { "tiny ${'a' =~ Tiny}": }
