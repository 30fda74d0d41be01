type Nothing = Optional[Variant]
notify { 'a': message => [1 =~ Nothing, undef =~ Nothing] }
