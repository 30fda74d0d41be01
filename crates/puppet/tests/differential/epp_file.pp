notify { 'e': message => epp('m/t.epp', { 'list' => ['a', 'b'], 'opt' => 'O' }) }
notify { 'f': message => file('m/plain.txt') }
