notify { environment::greet('you'): }
$x = Environment::Short
notify { "${'abc' =~ Environment::Short}": }
