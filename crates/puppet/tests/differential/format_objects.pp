# Instances of object types as text: what they hold is written as in the text of a type, and the
# alternative form has a line for each attribute.
type Pair = Object[{ attributes => { a => Any, b => { type => Any, value => undef } } }]
$values = {
  'plain'   => [1, 1.5, 'it', true, undef, default, /x/],
  'times'   => [Timespan('0-00:00:01.0'), Timestamp('2020-01-01')],
  'version' => SemVer('1.2.3-rc1'),
  'range'   => SemVerRange('>=1.2.3 <2.0.0'),
  'uri'     => URI('http://a.b/c'),
  'binary'  => Binary('aGVsbG8='),
  'secret'  => [Sensitive('x')],
  'type'    => [Pair, Array[Pair], Integer[1, 2]],
  'walk'    => [1, 2, 3].reverse_each,
  'hash'    => { 'a' => { 'b' => [], 'c' => {} } },
  'nested'  => [Pair(1), [Pair([2, [3]], 'x')]],
  'long'    => ['a', 'b', 'c'].map |$x| { "${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}${x}" },
}
$values.each |$name, $value| {
  notify { "${name} text": message => "${Pair($value)}" }
  notify { "${name} %p": message => String(Pair($value, $value), '%p') }
  notify { "${name} %#p": message => String(Pair($value), '%#p') }
  notify { "${name} in a list": message => String([Pair($value), 1], '%#a') }
  notify { "${name} in a hash": message => String({ 'k' => Pair($value) }, { Hash => '%#h', Object => '%#p' }) }
}
notify { 'iterator': message => String([1, 2].reverse_each, '%x') }
notify { 'parameters': message => String(Error('m'), '%d') }
notify { 'seconds': message => String(Timestamp('2020-01-02T03:04:05.678'), '%a') }
