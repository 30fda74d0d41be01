$results = [1, 'a', 1.5, undef, true, [1], { 'a' => 1 }, /x/, Integer].map |$v| {
  $v ? { Integer => 'int', String => 'str', Float => 'float', Undef => 'undef', Boolean => 'bool', Array => 'arr', Hash => 'hash', Regexp => 're', Type => 'type' }
}
notify { "${results}": }
