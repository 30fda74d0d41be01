notify { "${getvar('facts.os.family')} ${getvar('nothing.here', 'default')} ${get({ 'a' => { 'b' => 1 } }, 'a.b')} ${match('abc123', /[a-z]+(\d+)/)}": }
