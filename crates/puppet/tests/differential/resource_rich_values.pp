notify { 're': message => /a.b/ }
notify { 'type': message => Integer[1, 2] }
notify { 'default': message => [default] }
notify { 'version': message => SemVer('1.2.3') }
notify { 'span': message => Timespan('1-02:03:04') }
notify { 'hash': message => { 1 => 'one', 'b' => Integer } }
