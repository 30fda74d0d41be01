notify { "${lookup('a.b.0')} ${lookup('dotted.key', undef, undef, 'fallback')} ${lookup('missing', { 'default_value' => 3 })}": }
notify { lookup(['nope', 'a.c']): }
