define thing($value) {
  notify { "about ${title}": }
}
thing { 'regexp': value => /a\/b.*/ }
thing { 'default': value => default }
thing { 'timestamp': value => Timestamp('2026-01-02T03:04:05.678 UTC') }
thing { 'timespan': value => Timespan({ hours => 26, minutes => 3 }) }
thing { 'version': value => SemVer('1.2.3-rc1') }
thing { 'range': value => SemVerRange('>=1.0.0 <2.0.0') }
thing { 'binary': value => Binary('aGVsbG8=') }
thing { 'type': value => Array[Integer[1, 5]] }
thing { 'reference': value => File['/tmp/x'] }
thing { 'references': value => [Class['main'], Thing['regexp']] }
thing { 'uri': value => URI('https://example.com/a?b#c') }
thing { 'keys': value => { 1 => 'one', [1, 'a'] => 'array', 'x' => undef, default => 2, true => 3 } }
thing { 'nested': value => { 'list' => [undef, 1, 1.5, 1.0e20, true, /r/, { 'deep' => default }] } }
thing { 'float': value => 0.1 }
thing { 'large': value => 9223372036854775807 }
thing { 'empty': value => [] }
thing { 'ptype': value => { '__ptype' => 'a', '__pvalue' => 'b' } }
thing { 'class': value => Class['main'] }
thing { 'struct': value => Struct[{ 'a' => Optional[String] }] }
thing { 'pattern': value => Pattern[/x/] }
file { '/tmp/x': ensure => file }
thing { 'deferred': value => Deferred('sprintf', ['%s', [1, 'it\'s \\ a'], { 'a' => undef }, SemVer('1.0.0'), /x/, default, 1.5, true, "a\nb", Deferred('time')]) }
