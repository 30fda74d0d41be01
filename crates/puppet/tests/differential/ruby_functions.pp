# Site: garden
$soil = 'clay'
notify { 'there': message => 'hello' }
notice(garden::plant({count => 2, note => 'n'}))
notice(garden::plant({count => 3}, {'a' => 1, 'b' => undef, 'c' => default, 'd' => /x/, 'e' => 1.5}) |$plant, $i| { "${i}: ${plant}" })
notice(garden::plant('rose', 'aster'))
notice(garden::look('there', Sensitive('x')))
notice(garden::look('soil', SemVer('1.2.3')))
notice(garden::plain('a'))
notice(garden::plain({'b' => [undef, true]}, 1, 2, 3))
notice(String(garden::same([1, -2.5, 'ü', undef, default, /a.b/, {'a' => {1 => 'x'}, undef => 2}, Integer[1, 2], File['/x']]), '%p'))
notice(garden::same(Binary('YWJj')) == Binary('YWJj'))
notice(garden::same(Sensitive('x')).unwrap)
notice(garden::same(Timestamp('2020-01-01')) == Timestamp('2020-01-01'))
notice(garden::same(SemVer('1.2.3-rc1')) < SemVer('1.2.3'))
notice(garden::types(Integer[1, 3], 2))
notice(garden::types(String, 2))
notify { 'result': message => garden::same({'a' => [1, {'b' => undef}], 'c' => Sensitive('s')}) }
