$r = notify { ['a', 'b']: }
notify { "made ${r}": require => $r }
