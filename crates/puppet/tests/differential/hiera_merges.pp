notify { "first ${lookup('l')}": }
notify { "unique ${lookup('l', Array, 'unique')}": }
notify { "hash ${lookup('h', Hash, 'hash')}": }
notify { "deep ${lookup('h', Hash, 'deep')}": }
notify { "option ${lookup('o')}": }
notify { "knock ${lookup('k', { 'merge' => { 'strategy' => 'deep', 'knockout_prefix' => '--' } })}": }
