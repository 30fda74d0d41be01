# An Init that cannot be made does no harm where it is not asked.
notify { 'variant': message => 1 =~ Variant[Integer, Init[Any]] }
notify { 'empty': message => [] =~ Array[Init[Any]] }
notify { 'made': message => [1 =~ Init[Integer, 16], 'ff' =~ Init[Integer, 16], Init[Integer] >= Integer] }
notify { 'unequal': message => Init[Any] != Integer }
