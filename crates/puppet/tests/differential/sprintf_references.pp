# References to resources in formats have no quotes.
notify { 'file': message => sprintf('%s', File['/x']) }
notify { 'class': message => sprintf('%-12s|', Class['foo::bar']) }
notify { 'named': message => sprintf('%<a>s', { 'a' => User['u'] }) }
notify { 'type': message => sprintf('%s', Integer[1, 2]) }
